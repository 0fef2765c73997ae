/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations that session*.c and region.c share */
#ifndef GPMU_SESSION_H
#define GPMU_SESSION_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "base/map.h"
#include "base/raw_clock.h"
#include "base/vector.h"
#include "gpmu.h"
#include "plan/plan.h"
#include "values/counts.h"
#include "values/row_maker.h"
#include "count/counter/backend.h"
#include "count/gpmu_region.h"

struct session_rings;
struct session_target;

struct session_group {
	struct source_group *open;	/* NULL: the group could not be opened */
	bool is_logged;			/* a message about a failed read was logged */
};

/* Counts cover all slots and targets, slot by slot. */
struct session_region {
	char *name;
	size_t depth;			/* nesting depth in itself */
	uint64_t visits;
	struct count *begin;		/* when this visit began */
	uint64_t begin_time, begin_user, begin_system;
	/* times_why of struct gpmu_counts; borrowed from the session */
	const char *times_why;
	struct count *sum;		/* sum over all visits */
	uint64_t time, user, system;
};

#define REGION_HINTS	64		/* a power of 2 */

struct session_regions {
	struct session_region **list;	/* in the order in which they were first begun */
	size_t count;
	struct map by_name;		/* by hash of the name */
	struct session_region **stack;	/* begun, not ended; the innermost is last */
	size_t depth, room;		/* of the stack: entries in use, and allocated */
	/* Indexed by the address of the name; the name still has to be compared. */
	struct session_region *hints[REGION_HINTS];
};

/* The files from which user_time and system_time are read */
struct session_times {
	enum {
		TIMES_SET,		/* set by gpmu_session_set_times(), or not needed */
		TIMES_OF_THREAD,	/* the calling thread */
		TIMES_OF_TASKS,
		TIMES_OF_CPUS,
	} scope;
	bool wants_inherit;
	int *files;			/* files of processes, then of tasks */
	size_t file_count, process_count;
	struct cpus cpus;		/* length 0: all */
	uint64_t skipped_user, skipped_system;	/* ns while the session was paused */
	char why[128];			/* reason that the times are not known; or "" */
};

struct gpmu_session {
	const struct gpmu_plan *plan;
	struct session_group *groups;	/* one for each group of the plan */
	size_t target_count;		/* targets of all slots */
	/* Cumulative counts: now, at the end of the last interval, when it was enabled */
	struct gpmu_counts *now, *last, *base;
	struct gpmu_counts *difference;	/* the counts from which rows are computed */
	struct row_maker *maker;
	uint64_t interval;		/* ns, from the options; 0: each call ends an interval */
	bool is_enabled, has_begun;
	bool has_ended;			/* it was disabled; @now has the counts up to that time */
	/* paused since pause_begin; also set after it was disabled */
	bool is_paused;
	uint64_t pause_begin, pause_time;	/* pause_time: ns of the earlier pauses */
	uint64_t read_end;		/* time at which the last reading ended */
	bool is_rest_taken;		/* the interval that ends with it was returned */
	/* when it was disabled; later readings have the counts of that time */
	uint64_t stop;
	struct session_times times;
	struct session_rings *rings;	/* session_ring.h; NULL: all intervals are read */
	struct session_regions regions;
};

/* --- session.c */

/* Logs once that a group cannot be read. */
void session_log_failure(struct gpmu_session *session, size_t index, int err);

/* --- session_times.c: user_time and system_time */

/*
 * Opens the files that the plan's events need. 0 or -ENOMEM; call session_times_release() in both
 * cases.
 */
int session_times_init(struct session_times *times, const struct gpmu_plan *plan,
		       const struct gpmu_session_options *options,
		       const struct session_target *target);
void session_times_release(struct session_times *times);
/* @times->of is not TIMES_SET */
void session_times_read(struct session_times *times, struct gpmu_counts *counts);
/* Sets the times of @counts to @user and @system, less the times of pauses. */
void session_times_set(const struct session_times *times, uint64_t user, uint64_t system,
		       struct gpmu_counts *counts);
/* The session resumes: the time since @counts, which were read when it was paused, is skipped. */
void session_times_skip(struct session_times *times, struct gpmu_counts *counts);

/* --- session.c */

/*
 * Reads all counters into session->now. A counter that cannot be read is marked as not counted,
 * which is not an error. 0 or -ENOMEM
 *
 * Inline, because each return after a system call is slow if the kernel has cleared the
 * processor's return predictions; returns would be a large part of the time of a region.
 */
static inline int session_read(struct gpmu_session *session)
{
	uint64_t time = session->is_enabled ? raw_clock_now() : session->stop;
	size_t n = session->plan->group_count;
	int ret = 0;

	session->now->end = time;
	session->now->paused = session->pause_time;
	if (session->is_paused) {
		session->now->paused += time - session->pause_begin;
		time = session->pause_begin;
	} else if (session->times.scope != TIMES_SET) {
		session_times_read(&session->times, session->now);
	}
	for (size_t i = 0; i < n; i++) {
		struct source_group *group = session->groups[i].open;
		int failed = group->ops->read(group, time, session->now);

		if (failed == -ENOMEM)
			ret = failed;
		else if (failed)
			session_log_failure(session, i, failed);
	}
	return ret;
}

/* --- session_target.c: CPUs and tasks to count */

struct session_target {
	struct source_selection selection;	/* refers to the members below */
	struct cpus cpus;
	int *tids;			/* ascending, each once */
	size_t tid_count;
	int pid;			/* process of all tasks; -1: several */
	bool is_own;			/* the calling thread */
};

/*
 * Resolves the target of the options on this machine. 0, or -errno with the error set and
 * nothing to release
 */
int session_target_init(struct session_target *target, const struct gpmu_session_options *options,
			const struct gpmu_machine *machine, struct gpmu_error *error);
void session_target_release(struct session_target *target);
/* Returns the process of a task, or -1. */
int session_process_of(int tid);
/* Sets the error for processes that have no task any more. */
void session_target_gone(const struct gpmu_session_options *options, struct gpmu_error *error);

/* --- region.c */

static inline struct session_region *session_region_at(const struct gpmu_session *session, size_t index)
{
	return session->regions.list[index];
}

/*
 * As gpmu_region_end(), for a region that need not be the innermost: threads that share a session
 * end their regions in any order.
 */
int session_region_end_any(struct gpmu_session *session, const char *name);
/* Returns the name of the innermost region that is begun and not ended; NULL if there is none */
const char *session_innermost(const struct gpmu_session *session);
void session_regions_release(struct session_regions *regions);

/* --- region_capture.c */

/* Reports the begin or end of a region to gpmu record's library, if the process has loaded it. */
void region_capture(const char *name, bool is_begin);

#endif /* GPMU_SESSION_H */
