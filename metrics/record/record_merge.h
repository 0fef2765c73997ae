/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorts items by time in bounded memory. Each stream reports from time to time that all
 * its items which ended up to a mark have arrived. Up to the earliest mark of all streams,
 * items are returned by begin; of equal begins the longer, enclosing one comes first. An
 * item that begins before the mark but ends after it comes later, when it has ended.
 */
#ifndef GPMU_RECORD_MERGE_H
#define GPMU_RECORD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record_queue.h"

struct record_stream {
	uint64_t mark;		/* ns; 0: none yet */
	uint64_t heard;		/* time of the last mark or item, by the caller's clock */
	bool open;
};

struct record_entry {
	uint64_t begin, end, number;
	struct record_item *item;
};

struct record_merge {
	struct record_stream *streams;
	size_t n_streams;
	struct record_entry *heap;
	size_t length, room;
	size_t bytes, most;	/* bytes of items, and their limit */
	uint64_t numbers;
	/* items that ended before their stream's mark but arrived after it */
	uint64_t late;
	/* items returned before the marks allowed it, because the limit was reached */
	uint64_t forced;
};

/* @most: limit for the bytes of items */
void record_merge_init(struct record_merge *merge, size_t most);
void record_merge_release(struct record_merge *merge);
/* Opens a stream. Returns its number or -ENOMEM. */
int record_merge_open(struct record_merge *merge, uint64_t now);
/* Reports that all items of @stream that ended up to @time have arrived. */
void record_merge_mark(struct record_merge *merge, int stream, uint64_t time, uint64_t now);
/* Ends a stream. */
void record_merge_close(struct record_merge *merge, int stream);
/* Adds a copy of an item. Returns 0 or -ENOMEM. */
int record_merge_add(struct record_merge *merge, const struct record_item *item, int stream);
/*
 * Time up to which all items have arrived: the earliest mark. Ignores streams that have
 * been silent since @patient.
 */
uint64_t record_merge_bound(const struct record_merge *merge, uint64_t patient);
/*
 * Returns the next item that begins up to @bound, or any next item while the limit is
 * exceeded. The caller frees it; NULL if there is none.
 */
struct record_item *record_merge_next(struct record_merge *merge, uint64_t bound);

#endif /* GPMU_RECORD_MERGE_H */
