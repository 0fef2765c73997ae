/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backends that count groups: the kernel's perf events, and plugins. Both have this interface.
 * A session calls the backend of each PMU. Functions that return int return 0 or -errno.
 */
#ifndef GPMU_SOURCE_INTERNAL_H
#define GPMU_SOURCE_INTERNAL_H

#include "values/counts.h"
#include "plan/plan.h"

/* The CPUs or tasks that perf counters count. Counters of a plugin count the machine. */
struct source_selection {
	const int *cpus;	/* -a, -C: these CPUs; length 0: all online CPUs */
	size_t cpu_count;
	const int *tids;	/* -p, -t: these tasks */
	size_t tid_count;
	bool is_system_wide;	/* -a, -C: count the CPUs, otherwise the tasks */
	bool wants_inherit;	/* also count tasks that these start */
	bool is_on_exec;	/* enabled when the only task executes another program */
	/* ns between readings by the kernel, where it supports them; 0: none */
	uint64_t interval;
	bool can_skip_denied;	/* count the other groups if the kernel permits no event of one */
};

/* An open group. The structure of each backend begins with this one. */
struct source_group {
	const struct source_ops *ops;
};

struct source_ops {
	/*
	 * Opens the plan's group @index, disabled. Sets the targets of the group's slots in
	 * counts->slots, or their state and the reason. A group that this machine does not
	 * support is no failure: it is open and counts nothing. Failures set the error:
	 * -EACCES, -EPERM, -EMFILE, -EINVAL, -EBUSY, -ENOMEM, ...
	 */
	int (*open)(void *self, const struct gpmu_plan *plan, size_t index,
		    const struct source_selection *selection, struct gpmu_counts *counts,
		    struct source_group **group, struct gpmu_error *error);
	/* Called once all groups of a session are open. NULL: groups need no preparation */
	int (*prepare)(struct source_group *group, struct gpmu_error *error);
	/* @time: CLOCK_MONOTONIC_RAW ns, the same for all groups of a session */
	int (*enable)(struct source_group *group, uint64_t time);
	int (*disable)(struct source_group *group, uint64_t time);
	/* Called after disable(): counting continues. Counts lost before stay lost. */
	int (*resume)(struct source_group *group, uint64_t time);
	/*
	 * Writes cumulative counts to counts->slots[].counts. A PMU or task that has vanished
	 * since the open is reported as not counted, which is no failure.
	 */
	int (*read)(struct source_group *group, uint64_t time, struct gpmu_counts *counts);
	void (*close)(struct source_group *group);
	/*
	 * Returns 1 if instances of one PMU can be counted together, 0 if not, or < 0 if that
	 * cannot be determined (-EACCES: no permission, ...).
	 */
	int (*fits)(void *self, const struct event_instance *const *instances, size_t length);
};

extern const struct source_ops source_perf;	/* counter.c */
extern const struct source_ops source_plugin;	/* source_plugin.c; self is its struct gpmu_source */

#endif /* GPMU_SOURCE_INTERNAL_H */
