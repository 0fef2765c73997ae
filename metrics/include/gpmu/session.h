/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* session: counts a plan */
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
 * A session counts the groups of a plan. It opens each group with the source of its PMU: the
 * kernel's perf events, or a plugin. PMUs outside the cores count the machine, whatever the
 * target of the session is. Sessions are independent except for the state that gpmu.h lists.
 * One thread at a time may use a session. After fork() the child may neither use nor free the
 * session.
 *
 * All file descriptors are close-on-exec from the moment they are opened: a program that any thread
 * starts inherits none of them.
 *
 * To open many events, a session raises the soft limit of open files (RLIMIT_NOFILE) to the
 * hard limit. The limit stays raised until gpmu_session_restore_limits().
 */
struct gpmu_session;

/**
 * struct gpmu_session_options - the target of a session
 * @size: size of this structure
 * @system: 1: count everything that runs on the CPUs
 * @cpus: count these CPUs only, "0-3,8"; implies @system. NULL: all online CPUs
 * @pids: processes to count, with all tasks that they have at the call
 * @pid_count: number of @pids
 * @tids: tasks to count in addition to @pids
 * @tid_count: number of @tids
 * @inherit: 1: also count the processes and threads that the tasks start later
 * @on_exec: 1: events of tasks begin to count when the task calls execve(2)
 * @zero_asleep: 1: an event of tasks that did not run in an interval is 0, so that a timeline has
 *	no gaps while a program sleeps; 0: it is GPMU_STATE_NOT_COUNTED, as in perf
 * @aggregation: what a row covers
 * @interval: length of the intervals of gpmu_session_next() in ns; 0: each call of
 *	gpmu_session_next() ends an interval
 * @skip_denied: 1: if the plan has PMUs of plugins, an event that the kernel forbids the user to
 *	count is GPMU_STATE_NOT_COUNTED, with the required permission as the reason; 0: it is an error
 * @single_task: 1: each of @pids has a single task, such as a new process that will call execve(2),
 *	so procfs is not searched for further tasks; 0: the tasks are read from procfs
 *
 * Fields that are 0 or NULL take their defaults.
 *
 * Without @system, @cpus, @pids and @tids the target is the calling thread.
 */
struct gpmu_session_options {
	size_t size;
	int system;
	const char *cpus;
	const pid_t *pids;
	size_t pid_count;
	const pid_t *tids;
	size_t tid_count;
	int inherit;
	int on_exec;
	int zero_asleep;
	enum gpmu_aggregation aggregation;
	uint64_t interval;
	int skip_denied;
	int single_task;
};

/**
 * gpmu_session_new() - opens all groups of a plan; none of them counts yet
 * @plan: a plan after gpmu_plan_make(); must outlive the session
 * @options: read during the call; NULL: all defaults
 * @error: set on failure, or NULL
 *
 * An event that cannot be counted here is no error: its rows have a state and a reason. A task
 * that ends during the call is no error as long as another task is left.
 *
 * Return: a new session; NULL with errno EACCES or EPERM (the error names the required
 * permission), EMFILE, ENFILE, ESRCH (no such process or task), EINVAL (gpmu_plan_make() was
 * not called, malformed @cpus, CPUs and tasks together, or tasks and a plan with cgroups), ENODEV
 * (a CPU is offline), EBUSY (another session uses a source), ENOMEM, or the error of a source
 */
struct gpmu_session *gpmu_session_new(const struct gpmu_plan *plan,
				      const struct gpmu_session_options *options,
				      struct gpmu_error *error);
/* Frees @session; NULL is allowed. */
void gpmu_session_free(struct gpmu_session *session);

/**
 * gpmu_session_enable() - starts counting; this is time 0 of the rows
 *
 * After gpmu_session_disable() counting starts again from 0: rows do not include earlier
 * counts.
 *
 * Return: 0; -EALREADY if the session is enabled; -ENOMEM, or the error of a source, and then
 * nothing counts
 */
int gpmu_session_enable(struct gpmu_session *session);
/*
 * Stops counting. This is the end of the last interval, even if the interval is read later.
 * Returns 0, also if the session is not enabled; or the error of a source, after all others
 * have stopped.
 */
int gpmu_session_disable(struct gpmu_session *session);

/**
 * gpmu_session_pause() - stops counting until gpmu_session_resume() and keeps the counts
 *
 * Intervals and totals continue, but exclude pauses: events of the kernel and of plugins do not
 * count, rates and metrics are divided by the time that was not paused, and an interval is as long
 * as its part that was not paused (see @time_begin of struct gpmu_row). In an interval without such
 * a part events are GPMU_STATE_NOT_COUNTED. user_time and system_time of processes and
 * CPUs are subtracted in clock ticks. Pausing a paused session does nothing. With @on_exec of the
 * options, pause after the task has called execve(2), which would start its events again.
 *
 * Return: 0; -EINVAL if the session is not enabled; -ENOMEM or the error of a source, after all
 * others have stopped, and then the session is paused
 */
int gpmu_session_pause(struct gpmu_session *session);
/*
 * Continues to count after gpmu_session_pause(). A counter that was lost before stays lost. Resuming
 * a session that is not paused does nothing. Returns 0; -EINVAL if the session is not enabled; or
 * the error of a source, and then the session stays paused.
 */
int gpmu_session_resume(struct gpmu_session *session);

/**
 * gpmu_session_next() - gets the rows of the next interval
 * @session: a session that has been enabled
 * @rows: set to the rows, borrowed; valid until the next call that gets rows of this session
 *
 * The first interval begins at gpmu_session_enable(), and each later one where the previous one
 * ended. Begin and end are measured with CLOCK_MONOTONIC_RAW.
 *
 * Without @interval of the options each call reads the counters and ends an interval. With
 * @interval a program calls the function until it returns 0, and again after
 * gpmu_session_wait_time(). Such a call returns 0 within the first half of an interval; later it
 * ends the interval, which is therefore as long as the program waited.
 *
 * For a target of CPUs and an @interval from 0.1 to 2 ms the kernel itself can read the counters
 * every @interval, at a small part of the cost of waking up the program each time. This works
 * for software events, tracepoints, and PMUs outside the cores that can count all of the plan's
 * events without multiplexing. The session tests now and then whether the kernel does so, and
 * otherwise reads the counters itself. The counts of each CPU are then exact, but the CPUs are
 * not read at the same time. The times in the rows are those of the first CPU. Another CPU was
 * read at most one interval before, or three quarters of an interval after it. If a CPU has no
 * reading, or the program calls too late, the interval is longer.
 *
 * After gpmu_session_disable() the last interval ends at that call. A counter that has vanished
 * is GPMU_STATE_NOT_COUNTED; the others are not affected.
 *
 * Return: 1 if there is an interval; 0 if there is none yet, or after gpmu_session_disable()
 * none is left; -EINVAL if the session has not been enabled; -ENOMEM, and then the next interval
 * includes the counts of this one
 */
int gpmu_session_next(struct gpmu_session *session, const struct gpmu_rows **rows);
/*
 * Returns ns until the program should call gpmu_session_next() again after it returned 0. This is
 * @interval of the options, or a multiple of it, at most 50 ms, while the kernel reads the
 * counters.
 */
uint64_t gpmu_session_wait_time(const struct gpmu_session *session);
/*
 * Reads the counts since gpmu_session_enable(). It does not affect intervals. Returns 0; -EINVAL
 * if the session has not been enabled; -ENOMEM
 */
int gpmu_session_total(struct gpmu_session *session, const struct gpmu_rows **rows);

/*
 * Sets the values of the events user_time and system_time: the ns that the command has run in
 * user space and in the kernel until now. A program that has waited for the command (wait4(2))
 * has the exact times. Without this call the session measures them itself: for the calling
 * thread; for processes and tasks in clock ticks (10 ms), with @inherit including the children
 * that processes have waited for; for CPUs, everything that ran on them. Times of a process
 * that has ended are then not counted.
 */
void gpmu_session_set_times(struct gpmu_session *session, uint64_t user, uint64_t system);

/*
 * Restores the soft limit of open files that a session raised. A child calls it between fork()
 * and exec(), as programs that use select() rely on the limit. Does nothing if no session has
 * raised the limit. Async-signal-safe.
 */
void gpmu_session_restore_limits(void);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SESSION_API_H */
