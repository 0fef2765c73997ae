/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time in which recording is enabled. The recorder's owner sets it while the reading
 * threads and the writing thread read it.
 */
#ifndef GPMU_RECORD_WINDOW_H
#define GPMU_RECORD_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/queue/record.h"

struct record_window {
	atomic_uint_least64_t begin;
	atomic_uint_least64_t end;	/* 0: recording is enabled */
};

/* Empties the window: recording has not been enabled. */
static inline void record_window_init(struct record_window *window, uint64_t now)
{
	atomic_store(&window->begin, now);
	atomic_store(&window->end, now);
}

/* Between the two stores the window ends before it begins, so it is empty. */
static inline void record_window_open(struct record_window *window, uint64_t now)
{
	atomic_store(&window->begin, now);
	atomic_store(&window->end, 0);
}

static inline void record_window_close(struct record_window *window, uint64_t now)
{
	if (!atomic_load(&window->end))
		atomic_store(&window->end, now);
}

/* Loads the end first: an end of 0 then belongs to the begin. */
static inline struct record_span record_window_get(struct record_window *window)
{
	uint64_t end = atomic_load(&window->end);

	return (struct record_span){ atomic_load(&window->begin), end };
}

static inline bool record_window_has(struct record_window *window, uint64_t time)
{
	const struct record_span span = record_window_get(window);

	return span.begin <= time && (!span.end || time <= span.end);
}

#endif /* GPMU_RECORD_WINDOW_H */
