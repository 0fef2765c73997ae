/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this kernel lacks, told by capability: features.mk finds out which.
 */
#ifndef GRACE_CSPMU_COMPAT_H
#define GRACE_CSPMU_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Without it the PMU's device in sysfs does not lead to the platform device */
static inline void grace_pmu_set_parent(struct pmu *pmu, struct device *parent)
{
#ifdef HAVE_PMU_PARENT
	pmu->parent = parent;
#endif
}

#endif /* GRACE_CSPMU_COMPAT_H */
