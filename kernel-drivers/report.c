// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is noticed with the lock held, possibly in an NMI, is said later: printk()
 * may wait there for a console, and on PREEMPT_RT for a lock that sleeps. Nor
 * does the irq_work say it, which is a hard interrupt: a slow console would make
 * the next reading of the counters late.
 */
#include <linux/ratelimit.h>
#include <linux/time64.h>

#include "cspmu.h"

/* What may not be said now stays, for the next time or for the last */
static void say(struct grace_pmu *gp, bool last)
{
	struct grace_report *report = &gp->report;
	unsigned long flags, unread = 0;
	s64 late_ns = 0;
	bool gone;
	int idx;

	grace_lock(gp, &flags);
	idx = report->unread_idx;
	gone = report->unread_gone;
	if (report->unread_new && (last || __ratelimit(&report->unread_limit))) {
		unread = report->unread;
		report->unread_new = false;
	}
	if (report->late_ns && (last || __ratelimit(&report->late_limit))) {
		late_ns = report->late_ns;
		report->late_ns = 0;
	}
	grace_unlock(gp, flags);

	if (unread && gone)
		dev_warn(gp->dev,
			 "counter %d and PMCFGR read all ones: last value kept (%lu times so far)\n",
			 idx, unread);
	else if (unread)
		dev_warn(gp->dev,
			 "counter %d changed during every one of %d reads: last value kept (%lu times so far)\n",
			 idx, GRACE_STABLE_ROUNDS, unread);
	if (late_ns)
		dev_warn(gp->dev,
			 "counters read %lld us late: a wrap may be missing from the counts\n",
			 late_ns / NSEC_PER_USEC);
}

static void do_work(struct work_struct *work)
{
	say(container_of(work, struct grace_pmu, report.work), false);
}

static void queue(struct irq_work *notice)
{
	schedule_work(&container_of(notice, struct grace_report, notice)->work);
}

/**
 * grace_report_unread() - a counter could not be read
 * @gp: the PMU
 * @idx: number of the counter
 * @gone: the registers read all ones; otherwise it changed too fast
 */
void grace_report_unread(struct grace_pmu *gp, int idx, bool gone)
{
	gp->report.unread++;
	gp->report.unread_idx = idx;
	gp->report.unread_gone = gone;
	gp->report.unread_new = true;
	irq_work_queue(&gp->report.notice);
}

/**
 * grace_report_late() - the counters were read too late
 * @gp: the PMU
 * @ns: by how much, more than 0
 */
void grace_report_late(struct grace_pmu *gp, s64 ns)
{
	gp->report.late_ns = max(gp->report.late_ns, ns);
	irq_work_queue(&gp->report.notice);
}

/* Without ratelimit_state_exit(), whose line does not tell which driver's it is */
static void finish(void *data)
{
	struct grace_pmu *gp = data;

	irq_work_sync(&gp->report.notice);
	cancel_work_sync(&gp->report.work);
	say(gp, true);
}

/* The flag keeps __ratelimit() from that line too */
static void init_limit(struct ratelimit_state *limit)
{
	ratelimit_default_init(limit);
	ratelimit_set_flags(limit, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * grace_report_setup() - prepares for reports, to be released with the device
 * @gp: the PMU, whose interrupt and timer must come later, to go before
 *
 * Return: 0 or -errno
 */
int grace_report_setup(struct grace_pmu *gp)
{
	init_irq_work(&gp->report.notice, queue);
	INIT_WORK(&gp->report.work, do_work);
	init_limit(&gp->report.unread_limit);
	init_limit(&gp->report.late_limit);
	init_limit(&gp->report.refused_limit);
	return devm_add_action_or_reset(gp->dev, finish, gp);
}
