/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What counts groups: the kernel's perf events, or a plugin's. One interface; a session
 * asks each PMU's source. Functions that return int return 0 or -errno.
 */
#ifndef GPMU_SOURCE_INTERNAL_H
#define GPMU_SOURCE_INTERNAL_H

#include "values/counts.h"
#include "plan/plan.h"

/* Whom perf counters count; a plugin's count the machine */
struct source_target {
	const int *cpus;	/* -a, -C: those CPUs; length 0: all that are online */
	size_t cpu_count;
	const int *tids;	/* -p, -t: those tasks */
	size_t tid_count;
	bool system;		/* -a, -C; else the tasks */
	bool inherit;		/* and what they start */
	bool on_exec;		/* enabled when the (one) task executes another program */
	uint64_t interval;	/* ns: the kernel is to take readings, where it can; 0: it is not */
};

/* Open; what a source keeps of it begins with this. */
struct source_group {
	const struct source_ops *ops;
};

struct source_ops {
	/*
	 * Opens the plan's group @index, not enabled. counts->slots of its slots get their
	 * places, or state and why: what cannot be counted as it is not supported here is no
	 * failure, and gives a group that counts nothing. Failures set the error: -EACCES,
	 * -EPERM, -EMFILE, -EINVAL, -EBUSY, -ENOMEM, ...
	 */
	int (*open)(void *self, const struct gpmu_plan *plan, size_t index,
		    const struct source_target *target, struct gpmu_counts *counts,
		    struct source_group **group, struct gpmu_error *error);
	/* All groups of a session are open; not those that need no preparing: NULL */
	int (*prepare)(struct source_group *group, struct gpmu_error *error);
	/* @time: CLOCK_MONOTONIC_RAW ns; a session gives all its groups the same */
	int (*enable)(struct source_group *group, uint64_t time);
	int (*disable)(struct source_group *group, uint64_t time);
	/* After disable(): the counts continue. What was lost before stays lost. */
	int (*resume)(struct source_group *group, uint64_t time);
	/*
	 * Cumulative counts into counts->slots[].counts. What vanished while it was open is not
	 * counted, and no failure
	 */
	int (*read)(struct source_group *group, uint64_t time, struct gpmu_counts *counts);
	void (*close)(struct source_group *group);
	/*
	 * Whether instances of one PMU can be counted together: 1, 0, < 0: cannot be known
	 * (-EACCES: no permission, ...)
	 */
	int (*fits)(void *self, const struct event_instance *const *instances, size_t length);
};

extern const struct source_ops source_perf;	/* counter.c */
extern const struct source_ops source_plugin;	/* source_plugin.c; self is its struct gpmu_source */

#endif /* GPMU_SOURCE_INTERNAL_H */
