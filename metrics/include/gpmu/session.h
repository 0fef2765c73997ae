/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* session: a plan is counted */
#ifndef GPMU_SESSION_API_H
#define GPMU_SESSION_API_H

#include <stdint.h>
#include <sys/types.h>

#include <gpmu/plan.h>
#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A session opens what a plan counts, each group by the source of its PMU: the
 * kernel's perf events, or a plugin. PMUs outside the cores count the machine,
 * whatever else is counted. Sessions are independent but for what gpmu.h lists, and each
 * belongs to one thread at a time. After a fork() the child may neither use nor free the
 * session.
 *
 * File descriptors are closed on exec. But a perf event gets that flag after it was opened,
 * and a program that another thread starts by fork() and exec() in that moment inherits
 * it: what is to be free of them is started before or after gpmu_session_new().
 *
 * To open many events, the soft limit of open files (RLIMIT_NOFILE) is raised to the
 * hard one, and stays so: gpmu_session_restore_limits().
 */
struct gpmu_session;

enum gpmu_aggregation {
	GPMU_AGGREGATE_MACHINE,	/* a row is of all that is counted */
	GPMU_AGGREGATE_NODE,	/* rows of each node */
	GPMU_AGGREGATE_CPU,	/* rows of each CPU; of a node outside the cores */
};

/**
 * struct gpmu_session_options - what is counted; what is 0 or NULL is the default
 * @size: of this structure
 * @system: 1: all that runs on the CPUs
 * @cpus: those CPUs alone, "0-3,8", which makes it @system too; NULL: all that are online
 * @pids: processes, with all tasks that they have now
 * @n_pids: how many
 * @tids: tasks, beside those
 * @n_tids: how many
 * @inherit: 1: what the tasks start later is counted too
 * @on_exec: 1: what is of tasks begins to count when the task executes a program
 * @aggregation: what rows are of
 * @interval: ns: gpmu_session_next() is to have intervals as long as this; 0: it is not used
 *
 * Without @system, @cpus, @pids and @tids it is the calling thread.
 */
struct gpmu_session_options {
	size_t size;
	int system;
	const char *cpus;
	const pid_t *pids;
	size_t n_pids;
	const pid_t *tids;
	size_t n_tids;
	int inherit;
	int on_exec;
	enum gpmu_aggregation aggregation;
	uint64_t interval;
};

/**
 * gpmu_session_new() - opens all groups of a plan, none of which counts yet
 * @plan: it is made, and must outlive the session
 * @options: NULL: all are the default. Not kept
 * @error: set on failure, or NULL
 *
 * What cannot be counted here is no failure: its rows say so. Neither is a task that
 * ends meanwhile, as long as another is left.
 *
 * Return: new; NULL with errno EACCES, EPERM (the error says what it takes), EMFILE,
 * ENFILE, ESRCH (no such process or task), EINVAL (the plan is not made, no such list of
 * CPUs, CPUs and tasks at a time), ENODEV (a CPU is not online), EBUSY (a source is
 * in use by another session), ENOMEM, or that of a source
 */
struct gpmu_session *gpmu_session_new(const struct gpmu_plan *plan,
				      const struct gpmu_session_options *options,
				      struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_session_free(struct gpmu_session *session);

/**
 * gpmu_session_enable() - counting begins, which is time 0 of the rows
 *
 * After gpmu_session_disable() it begins anew: rows have nothing of what was before.
 *
 * Return: 0; -EALREADY (it is enabled), -ENOMEM, or that of a source, and then nothing
 * counts
 */
int gpmu_session_enable(struct gpmu_session *session);
/*
 * Counting ends, which is the end of the last interval, whenever that is asked for.
 * Returns 0, also if it is not enabled; or that of a source, when the rest has ended
 */
int gpmu_session_disable(struct gpmu_session *session);

/**
 * gpmu_session_interval() - the values since the last call, or since it was enabled
 * @session: it has been enabled
 * @rows: borrowed, and valid until rows of this session are asked for again
 * @length: how many; the next begins rows->size bytes further
 *
 * Times are measured (CLOCK_MONOTONIC_RAW), so intervals leave nothing out: each
 * begins where the one before it ended. After gpmu_session_disable() there is one
 * more, up to then. What cannot be read, as it has vanished, is GPMU_NOT_COUNTED, and the
 * others go on.
 *
 * Return: 0; -EINVAL (it has not been enabled), -ENOMEM; the next call has what
 * this one would have had
 */
int gpmu_session_interval(struct gpmu_session *session, const struct gpmu_row **rows,
			  size_t *length);
/**
 * gpmu_session_next() - the next interval of those that the kernel has read by itself
 * @session: it has been enabled
 * @rows: as of gpmu_session_interval()
 * @length: likewise
 *
 * Of CPUs the kernel itself can take readings each options->interval, from 0.1 to 2 ms, for a
 * small part of what it costs to wake up for them: of software's events, tracepoints, and
 * uncore PMUs that have counters for all that the plan counts of them. As long as this
 * returns -ENODATA it does not, and gpmu_session_interval() is to be used; to call this after
 * it costs nothing, and tries now and then whether the kernel does. From 0 on it does: this
 * is to be called again each 25 intervals, and at least ten times in a second, until it
 * returns 0. When it is late the kernel takes no more for a while, and an interval is longer.
 *
 * What a CPU has counted in an interval is exact. Its reading may be an interval before, or
 * three quarters of one after, that of the first CPU, whose times the rows have; where one is
 * missing an interval is longer. gpmu_session_interval() goes on from the last of these, and leaves
 * out those before it.
 *
 * Return: 1; 0: there is none as yet (after gpmu_session_disable(): none is left, and
 * gpmu_session_interval() has the rest); -ENODATA: the kernel takes no readings now, or never
 * does; -EINVAL (it has not been enabled), -ENOMEM
 */
int gpmu_session_next(struct gpmu_session *session, const struct gpmu_row **rows,
		      size_t *length);
/* Likewise all values since it was enabled; intervals are as if this were not called */
int gpmu_session_total(struct gpmu_session *session, const struct gpmu_row **rows,
		       size_t *length);

/*
 * ns that a command has run in user space and in the kernel until now, for the events
 * user_time and system_time, which are known more exactly by who has waited for it. Without
 * this a session measures them itself: of the calling thread; of processes and tasks, with
 * the children that processes have waited for where they inherit, in clock ticks (10 ms);
 * of CPUs, all that ran on them. Of a process that has ended they are not counted.
 */
void gpmu_session_set_times(struct gpmu_session *session, uint64_t user, uint64_t system);

/*
 * Puts the soft limit of open files back to what it was before a session raised it, for
 * a child between fork() and exec(): programs that use select() rely on it. Nothing
 * happens if none did. Async-signal-safe
 */
void gpmu_session_restore_limits(void);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SESSION_API_H */
