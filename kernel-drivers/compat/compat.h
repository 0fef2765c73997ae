/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements for missing kernel interfaces, by capability; features.mk detects
 * the capabilities.
 */
#ifndef GRACE_CSPMU_COMPAT_H
#define GRACE_CSPMU_COMPAT_H

#include <linux/device.h>
#include <linux/perf_event.h>

/*
 * Make the platform device the parent of the PMU's device in sysfs: set it before
 * perf_pmu_register(), or move the PMU's device after it.
 */
#ifdef HAVE_PMU_PARENT
static inline void grace_pmu_set_parent(struct pmu *pmu, struct device *parent)
{
	pmu->parent = parent;
}

static inline int grace_pmu_move(struct pmu *pmu, struct device *parent)
{
	return 0;
}
#else
static inline void grace_pmu_set_parent(struct pmu *pmu, struct device *parent)
{
}

static inline int grace_pmu_move(struct pmu *pmu, struct device *parent)
{
	return device_move(pmu->dev, parent, DPM_ORDER_NONE);
}
#endif

/* Returns the bits of the configuration behind config1 that the kernel accepts. */
static inline u64 grace_attr_rest(const struct perf_event_attr *attr)
{
	u64 rest = attr->config2;

#ifdef HAVE_CONFIG3
	rest |= attr->config3;
#endif
#ifdef HAVE_CONFIG4
	rest |= attr->config4;
#endif
	return rest;
}

#endif /* GRACE_CSPMU_COMPAT_H */
