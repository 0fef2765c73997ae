/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks outside the PID namespace in which a recording is made. The kernel records the pid and tid 0 for them, as for idle tasks
 * (perf_event_pid_type() in Linux's kernel/events/core.c). Idle tasks never run in user space, and have no call stack there. A task
 * that is being released has the tid -1 in any namespace. It no longer runs in user space, but its samples in the kernel can have
 * the registers and the call stack of user space.
 */
#ifndef GPMU_OUTSIDE_H
#define GPMU_OUTSIDE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/gpmu_plural.h"

#define GPMU_OUTSIDE_NAME	"[outside the PID namespace]"
/* Name of the task that ran where context switches do not distinguish these tasks from idle ones */
#define GPMU_OUTSIDE_MAYBE_NAME	"[idle or outside the PID namespace]"
/*
 * Pids of these tasks on a timeline, above Linux's PID_MAX_LIMIT: of the tasks outside, and of the tasks that may be idle. The main
 * thread has the same tid. All threads that run on CPU n are shown as one thread with the tid pid - 1 - n; n is below
 * GPMU_OUTSIDE_CPUS.
 */
#define GPMU_OUTSIDE_NUMBER	INT32_MAX
#define GPMU_OUTSIDE_CPUS	1024
#define GPMU_OUTSIDE_MAYBE	(GPMU_OUTSIDE_NUMBER - 2 * GPMU_OUTSIDE_CPUS)

/* Returns the name of a task by its pid or tid on a timeline; NULL: it is another task. */
static inline const char *gpmu_outside_name(uint32_t number)
{
	if (number > INT32_MAX || number < GPMU_OUTSIDE_MAYBE - GPMU_OUTSIDE_CPUS)
		return NULL;
	return number > GPMU_OUTSIDE_MAYBE ? GPMU_OUTSIDE_NAME : GPMU_OUTSIDE_MAYBE_NAME;
}

/* Returns whether a recorded tid can be that of a task outside the namespace */
static inline bool gpmu_outside_number(uint32_t tid)
{
	return !tid || tid == UINT32_MAX;
}

/* Returns whether a call chain has, or will have, a stack in user space */
static inline bool gpmu_outside_chain(const uint64_t *chain, size_t count)
{
	const uint64_t user_deferred = (uint64_t)-640;	/* PERF_CONTEXT_USER_DEFERRED, new in Linux 6.19 */

	for (size_t i = 0; i < count; i++)
		if (chain[i] == (uint64_t)PERF_CONTEXT_USER || chain[i] == user_deferred)
			return true;
	return false;
}

/* Returns whether idle tasks never run in a mode, a sample's PERF_RECORD_MISC_CPUMODE_MASK */
static inline bool gpmu_outside_mode(unsigned int mode)
{
	return mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_GUEST_USER ||
	       mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

/*
 * Returns whether a sample with a recorded tid is of such a task. @has_user_stack: the sample has a call stack or registers of user
 * space, which a task that is being released can have in any namespace.
 */
static inline bool gpmu_outside_sample(uint32_t tid, unsigned int mode, bool has_user_stack)
{
	return gpmu_outside_number(tid) && (gpmu_outside_mode(mode) || (!tid && has_user_stack));
}

/* A message about these tasks, which follows the number of their samples */
static inline const char *gpmu_outside_why(uint64_t samples)
{
	return gpmu_plural(samples,
			   "sample is of a task outside the PID namespace of the recording, which has no number in it; record on the "
			   "host to see its name",
			   "samples are of tasks outside the PID namespace of the recording, which have no number in it; record on the "
			   "host to see their names");
}

#endif /* GPMU_OUTSIDE_H */
