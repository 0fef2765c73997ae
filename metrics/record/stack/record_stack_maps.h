/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The maps of processes that exist when recording begins, as records of the kernel */
#ifndef GPMU_RECORD_STACK_MAPS_H
#define GPMU_RECORD_STACK_MAPS_H

#include "record/stack/record_stack.h"

/* Queues the executable maps of the tasks, or of all processes. A process that cannot be read is left out. */
void record_stack_maps(struct record_stack *stack);

/* record_stack_put.c: queues a record with @size bytes after its header. */
void record_stack_put(struct record_stack *stack, const struct perf_event_header *header, const void *data,
		      size_t size, uint64_t time);

#endif /* GPMU_RECORD_STACK_MAPS_H */
