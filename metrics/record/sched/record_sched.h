/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records which task runs on which CPU, from kernel rings: of the whole machine by a
 * tracepoint or, without permission for that, of the command's threads. A thread of its own
 * reads the rings and queues the records.
 */
#ifndef GPMU_RECORD_SCHED_H
#define GPMU_RECORD_SCHED_H

#include <stdatomic.h>

#include "record/queue/record_queue.h"
#include "record/queue/record_window.h"
#include "record/sched/record_ring.h"

/*
 * Fields of the tracepoint: prev_comm, prev_pid, prev_prio, prev_state, next_comm,
 * next_pid, next_prio
 */
#define RECORD_SCHED_FIELDS	7

struct record_sched {
	/* Set by the owner before record_sched_open() */
	const struct gpmu_machine *machine;	/* NULL: all configured CPUs are tried */
	pid_t pid;			/* of the command; 0: unknown */
	struct record_queue *queue;
	struct record_window *window;	/* the tracepoint's events outside it are dropped */
	atomic_bool *ending;		/* set: the thread drains the rings and ends */
	/* Set by record_sched_open() */
	char *note;			/* for the audit; NULL: the whole machine is recorded */
	struct record_rings rings;
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

/* Sets @error to the permission that is missing according to @ret; 0: nothing */
void record_sched_refused(int ret, const char *whose, int paranoid, struct gpmu_error *error);

/* --- record_tracepoint.c: returns 0, or -errno with @error set */
int record_tracepoint_open(struct record_sched *sched, struct gpmu_error *error);

/* --- record_context_switch.c: likewise */
int record_context_switch_open(struct record_sched *sched, struct gpmu_error *error);

#endif /* GPMU_RECORD_SCHED_H */
