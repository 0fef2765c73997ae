// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred log messages about conditions detected under the lock, possibly in an
 * NMI. printk() could wait there for a console and, on PREEMPT_RT, for a sleeping
 * lock. The irq_work does not print either: it runs in a hard interrupt, where a
 * slow console would delay the next read of the counters. A work item prints.
 */
#include <linux/ratelimit.h>
#include <linux/time64.h>

#include "cspmu.h"

/* A message suppressed by its rate limit stays pending until a later call or the last one */
static void print_pending(struct grace_pmu *gp, bool last)
{
	struct grace_report *report = &gp->report;
	unsigned long flags, unread = 0;
	bool inaccessible, is_stuck = false;
	s64 late_ns = 0;
	int idx, stuck_idx;

	grace_lock(gp, &flags);
	idx = report->unread_idx;
	inaccessible = report->unread_inaccessible;
	if (report->unread_new && (last || __ratelimit(&report->unread_limit))) {
		unread = report->unread;
		report->unread_new = false;
	}
	stuck_idx = report->stuck_idx;
	if (report->stuck_new && (last || __ratelimit(&report->stuck_limit))) {
		is_stuck = true;
		report->stuck_new = false;
	}
	if (report->late_ns && (last || __ratelimit(&report->late_limit))) {
		late_ns = report->late_ns;
		report->late_ns = 0;
	}
	grace_unlock(gp, flags);

	if (unread && inaccessible)
		dev_warn(gp->dev,
			 "counter %d and PMCFGR read all ones: last value kept (%lu times so far)\n",
			 idx, unread);
	else if (unread)
		dev_warn(gp->dev,
			 "counter %d changed during each of %d reads: last value kept (%lu times so far)\n",
			 idx, GRACE_STABLE_ROUNDS, unread);
	if (is_stuck)
		dev_warn(gp->dev, "counter %d: overflow flag stays set, interrupt masked\n",
			 stuck_idx);
	if (late_ns)
		dev_warn(gp->dev,
			 "counters read %lld us late: a wrap may be missing from the counts\n",
			 late_ns / NSEC_PER_USEC);
}

static void do_work(struct work_struct *work)
{
	print_pending(container_of(work, struct grace_pmu, report.work), false);
}

static void queue(struct irq_work *notice)
{
	schedule_work(&container_of(notice, struct grace_report, notice)->work);
}

/**
 * grace_report_unread() - report that a counter could not be read
 * @gp: the PMU
 * @idx: number of the counter
 * @inaccessible: the registers read all ones; otherwise the counter changed too fast
 */
void grace_report_unread(struct grace_pmu *gp, int idx, bool inaccessible)
{
	gp->report.unread++;
	gp->report.unread_idx = idx;
	gp->report.unread_inaccessible = inaccessible;
	gp->report.unread_new = true;
	irq_work_queue(&gp->report.notice);
}

/**
 * grace_report_stuck() - report that an overflow flag could not be cleared
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_report_stuck(struct grace_pmu *gp, int idx)
{
	gp->report.stuck_idx = idx;
	gp->report.stuck_new = true;
	irq_work_queue(&gp->report.notice);
}

/**
 * grace_report_late() - report that a counter was read too late
 * @gp: the PMU
 * @ns: the lateness, more than 0
 */
void grace_report_late(struct grace_pmu *gp, s64 ns)
{
	gp->report.late_ns = max(gp->report.late_ns, ns);
	irq_work_queue(&gp->report.notice);
}

/* ratelimit_state_exit() is not used: its message does not name the driver */
static void finish(void *data)
{
	struct grace_pmu *gp = data;

	irq_work_sync(&gp->report.notice);
	cancel_work_sync(&gp->report.work);
	print_pending(gp, true);
}

/* The flag suppresses the same message in __ratelimit() */
static void init_limit(struct ratelimit_state *limit)
{
	ratelimit_default_init(limit);
	ratelimit_set_flags(limit, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * grace_report_setup() - set up reports until the device is released
 * @gp: the PMU; its interrupt and timer must be set up later, so that they are
 *      released earlier
 *
 * Return: 0 or -errno
 */
int grace_report_setup(struct grace_pmu *gp)
{
	init_irq_work(&gp->report.notice, queue);
	INIT_WORK(&gp->report.work, do_work);
	init_limit(&gp->report.unread_limit);
	init_limit(&gp->report.stuck_limit);
	init_limit(&gp->report.late_limit);
	init_limit(&gp->report.refused_limit);
	return devm_add_action_or_reset(gp->dev, finish, gp);
}
