/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorts records by time in bounded memory. Each stream reports from time to time that all
 * its records which ended up to a mark have arrived. Up to the earliest mark of all streams,
 * records are returned by begin; of equal begins the longer, enclosing one comes first. A
 * record that begins before the mark but ends after it comes later, when it has ended.
 */
#ifndef GPMU_RECORD_MERGE_H
#define GPMU_RECORD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/queue/record_arena.h"
#include "record/queue/record_order.h"

struct record_stream {
	uint64_t mark;		/* ns; 0: none yet */
	uint64_t heard;		/* time of the last mark, by the caller's clock */
	bool is_open;
};

struct record_entries {
	struct record_entry *list;
	size_t length, room;
};

struct record_merge {
	struct record_stream *streams;
	size_t stream_count;
	struct record_entries sorted, fresh;	/* fresh: not sorted yet */
	struct record_entries spare;		/* has room to sort and merge all */
	size_t pos;				/* the next of sorted */
	uint64_t earliest;			/* begin in fresh */
	struct record_arena arena;
	struct record *returned;
	size_t bytes, max;	/* bytes of records, and their limit */
	/* records that ended before their stream's mark but arrived after it */
	uint64_t late;
	/* records returned before the marks allowed it, because the limit was reached */
	uint64_t forced;
};

/* @max: limit for the bytes of records */
void record_merge_init(struct record_merge *merge, size_t max);
void record_merge_release(struct record_merge *merge);
/* Opens a stream. Returns its number or -ENOMEM. */
int record_merge_open(struct record_merge *merge, uint64_t now);
/* Reports that all records of @stream that ended up to @time have arrived. */
void record_merge_mark(struct record_merge *merge, int stream, uint64_t time, uint64_t now);
/* Ends a stream. */
void record_merge_close(struct record_merge *merge, int stream);
/* Adds a copy of a record. Returns 0 or -ENOMEM. */
int record_merge_add(struct record_merge *merge, const struct record *record, int stream);
/*
 * Time up to which all records have arrived: the earliest mark. Ignores streams that have
 * been silent since @patient.
 */
uint64_t record_merge_bound(const struct record_merge *merge, uint64_t patient);
/*
 * Returns the next record that begins up to @bound, or any next record while the limit is
 * exceeded; NULL if there is none. It is valid until the next call.
 */
const struct record *record_merge_next(struct record_merge *merge, uint64_t bound);

#endif /* GPMU_RECORD_MERGE_H */
