/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records which task runs on which CPU, from kernel rings: of the whole machine by a
 * tracepoint or, without permission for that, of the command's threads. A thread of its own
 * reads the rings and queues the records.
 */
#ifndef GPMU_RECORD_SCHED_H
#define GPMU_RECORD_SCHED_H

#include "record/ring/record_ring.h"

/*
 * Fields of the tracepoint: prev_comm, prev_pid, prev_prio, prev_state, next_comm,
 * next_pid, next_prio
 */
#define RECORD_SCHED_FIELDS	7

/*
 * Added to the tracepoint's tids, which are those of the initial PID namespace, if gpmu runs in another one, such as that of a
 * container: threads there can have the same tids. Linux's PID_MAX_LIMIT is lower.
 */
#define RECORD_SCHED_SHIFT	(1 << 23)

struct record_sched {
	/*
	 * Set by the owner before record_sched_open(). The tasks are threads of the command, or of existing processes; threads that
	 * may run when they are opened become the first.
	 */
	struct record_reader reader;
	bool is_own;			/* the command's threads only, if the kernel allows it */
	bool is_rank;			/* of a parallel program, whose other ranks are recorded on the machine, too */
	/* Set by record_sched_open() */
	char *note;			/* for the audit: why threads are not recorded; or NULL */
	struct record_rings rings;	/* count 0: nothing can be recorded */
	size_t active_count;		/* threads that may run */
	int32_t shift;			/* added to the tracepoint's tids: 0 or RECORD_SCHED_SHIFT */
	record_ring_take *take;		/* user data: a struct record_sched */
	struct {
		size_t offset, size;
	} fields[RECORD_SCHED_FIELDS];
};

/* Returns 0, or -errno with @error set. record_sched_release() follows in any case. */
int record_sched_open(struct record_sched *sched, struct gpmu_error *error);
/* The thread's function; @sched: a struct record_sched */
void *record_sched_run(void *sched);
/* A struct that is all zeros is allowed. */
void record_sched_release(struct record_sched *sched);

/*
 * The functions below set @attr to the kernel event whose records the rings have, and set the
 * function of @sched that reads a record.
 */

/* --- record_tracepoint.c: all tasks. Returns 0, or -errno with @error set. */
int record_tracepoint_event(struct record_sched *sched, struct perf_event_attr *attr,
			    struct gpmu_error *error);

/* --- record_context_switch.c: the command's threads */
void record_context_switch_event(struct record_sched *sched, struct perf_event_attr *attr);
/* Queues the name, the process and the state of a thread that already exists. Returns whether it may run. */
bool record_context_switch_name(struct record_sched *sched, pid_t tid);
/* Queues for how long the thread has run. */
void record_context_switch_check(struct record_sched *sched, pid_t tid);

#endif /* GPMU_RECORD_SCHED_H */
