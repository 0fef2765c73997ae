/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records call stacks of tasks, sampled by an event, and the records by which their addresses can be resolved: maps,
 * names and starts of processes. A thread of its own reads the kernel's rings.
 */
#ifndef GPMU_RECORD_STACK_H
#define GPMU_RECORD_STACK_H

#include <stdatomic.h>

#include "record/queue/record_queue.h"
#include "record/queue/record_window.h"
#include "record/ring/record_ring.h"

struct record_stack {
	/* Set by the owner before record_stack_open() */
	const struct gpmu_machine *machine;
	const char *event;		/* "EVENT" or "EVENT,PERIOD"; NULL: maps, names and starts only */
	uint32_t copy;			/* bytes of the stack in each sample; 0: callers by frame pointers */
	const pid_t *tids;		/* as of record_rings_open() */
	size_t tid_count;
	struct record_queue *queue;
	struct record_window *window;	/* samples outside it are dropped */
	atomic_bool *ending;		/* set: the thread drains the rings and ends */
	/* Set by record_stack_open() */
	char *name;			/* of the event; or NULL */
	char *note;			/* for the audit: what is not recorded, and why; or NULL */
	struct record_rings rings;	/* count 0: not open */
	struct perf_event_attr attr;
};

/* Returns 0, or -errno with @error set. record_stack_release() follows in any case. */
int record_stack_open(struct record_stack *stack, struct gpmu_error *error);
/* The thread's function; @stack: a struct record_stack */
void *record_stack_run(void *stack);
/* A struct that is all zeros is allowed. */
void record_stack_release(struct record_stack *stack);

#endif /* GPMU_RECORD_STACK_H */
