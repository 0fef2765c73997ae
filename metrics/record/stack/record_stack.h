/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records call stacks of tasks, sampled by an event, and the records by which their addresses can be resolved: maps,
 * names and starts of processes. A thread of its own reads the kernel's rings.
 */
#ifndef GPMU_RECORD_STACK_H
#define GPMU_RECORD_STACK_H

#include "record/ring/record_ring.h"

struct record_stack {
	/* Set by the owner before record_stack_open() */
	struct record_reader reader;
	const char *event;		/* "EVENT" or "EVENT,PERIOD"; NULL: maps, names and starts only */
	uint32_t copy;			/* bytes of the stack in each sample; 0: callers by frame pointers */
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

/* --- record_stack_maps.c: the maps of processes that exist when recording begins, as records of the kernel */
/* Queues the executable maps of the tasks, or of all processes. A process that cannot be read is left out. */
void record_stack_maps(struct record_stack *stack);
/* Queues a record of the kernel with @size bytes after its header, as it is. */
void record_stack_put(struct record_stack *stack, const struct perf_event_header *header, const void *data,
		      size_t size, uint64_t time);

#endif /* GPMU_RECORD_STACK_H */
