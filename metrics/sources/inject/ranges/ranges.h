/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters of kernels or of ranges of the program, by CUPTI's range profiler. Unlike records of activities, they are
 * collected in the callbacks, by the thread of the program: the profiler must be started, and ranges begin and end, exactly
 * where the program's calls do. Calls to the profiler are made with a lock held, by one thread at a time.
 */
#ifndef GPMU_INJECT_RANGES_H
#define GPMU_INJECT_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct inject;

/* Returns whether ranges are requested. */
bool ranges_are_wanted(const struct inject *self);
/* Enables the callbacks of the calls that begin graphs, and of those that allocate and free memory. calls.c enables those of work. */
void ranges_enable(struct inject *self);

/*
 * A call of this thread launches work: a kernel, or a copy, memset or graph. @context: its CUcontext. @kernel: the kernel's
 * name; NULL: other work
 */
void ranges_work_begin(struct inject *self, void *context, const char *kernel);
/* The call returns. @is_launched: it has launched the work, and has not only added it to a graph. */
void ranges_work_end(struct inject *self, bool is_launched);
/*
 * A call of the driver, @cbid, with these parameters begins, or returns @result (NULL: it begins); may make a
 * graph, or allocate or free memory
 */
void ranges_call(struct inject *self, uint32_t cbid, const void *parameters, const int *result);

/* A range of the program begins or ends in this thread. @source: a bit of enum channel_ranges_sources */
void ranges_push(struct inject *self, uint32_t source, const char *name);
void ranges_pop(struct inject *self, uint32_t source);

/* A context is about to be destroyed. */
void ranges_context_end(struct inject *self, const void *context);
/* The process ends: stops counting and writes all values. Waits a bounded time for other threads. May be called again. */
void ranges_end(struct inject *self);
/*
 * Called by gpmu's thread now and then: ends a process whose replayed kernel waits for a later one, or whose checkpoint waits
 * for a kernel that does not end.
 */
void ranges_watch(struct inject *self);

#endif /* GPMU_INJECT_RANGES_H */
