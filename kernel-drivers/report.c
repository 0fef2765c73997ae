// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is noticed with the lock held, possibly in an NMI, is said later: printk()
 * may wait there for a console, and on PREEMPT_RT for a lock that sleeps.
 */
#include <linux/ratelimit.h>
#include <linux/time64.h>

#include "cspmu.h"

static void say(struct irq_work *work)
{
	struct grace_report *report = container_of(work, struct grace_report, work);
	struct grace_pmu *gp = container_of(report, struct grace_pmu, report);
	unsigned long flags, unstable;
	int idx;
	s64 late_ns;

	raw_spin_lock_irqsave(&gp->lock, flags);
	unstable = report->unstable_new ? report->unstable : 0;
	idx = report->unstable_idx;
	late_ns = report->late_ns;
	report->unstable_new = false;
	report->late_ns = 0;
	raw_spin_unlock_irqrestore(&gp->lock, flags);

	if (unstable)
		dev_warn_ratelimited(gp->dev,
				     "counter %d changed during every one of %d reads: last value kept (%lu times so far)\n",
				     idx, GRACE_STABLE_ROUNDS, unstable);
	if (late_ns)
		dev_warn_ratelimited(gp->dev,
				     "counters read %lld us late: a wrap may be missing from the counts\n",
				     late_ns / NSEC_PER_USEC);
}

/**
 * grace_report_unstable() - a read of a counter was given up
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_report_unstable(struct grace_pmu *gp, int idx)
{
	gp->report.unstable++;
	gp->report.unstable_idx = idx;
	gp->report.unstable_new = true;
	irq_work_queue(&gp->report.work);
}

/**
 * grace_report_late() - the counters were read too late
 * @gp: the PMU
 * @ns: by how much, more than 0
 */
void grace_report_late(struct grace_pmu *gp, s64 ns)
{
	gp->report.late_ns = max(gp->report.late_ns, ns);
	irq_work_queue(&gp->report.work);
}

static void sync(void *data)
{
	struct grace_pmu *gp = data;

	irq_work_sync(&gp->report.work);
}

/**
 * grace_report_setup() - prepares for reports, to be released with the device
 * @gp: the PMU, whose interrupt and timer must come later, to go before
 *
 * Return: 0 or -errno
 */
int grace_report_setup(struct grace_pmu *gp)
{
	init_irq_work(&gp->report.work, say);
	return devm_add_action_or_reset(gp->dev, sync, gp);
}
