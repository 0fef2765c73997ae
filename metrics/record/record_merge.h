/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Items in order of time, in bounded memory. Each stream says now and then up to what time all that
 * has ended is there: up to the earliest of these marks items are taken, by begin, the longer first,
 * which is the one around the other. What begins before that and has lasted longer
 * comes when it has ended.
 */
#ifndef GPMU_RECORD_MERGE_H
#define GPMU_RECORD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record_queue.h"

struct record_stream {
	uint64_t mark;		/* ns; 0: nothing was said yet */
	uint64_t heard;		/* when something was, by the caller's clock */
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
	size_t bytes, most;	/* of items */
	uint64_t numbers;
	uint64_t late;		/* ended before its stream's mark, and came after it */
	uint64_t forced;	/* taken before the marks, as there was no room for more */
};

/* @most: bytes of items that it holds */
void record_merge_init(struct record_merge *merge, size_t most);
void record_merge_release(struct record_merge *merge);
/* A new stream, by number, which is open; or -ENOMEM */
int record_merge_open(struct record_merge *merge, uint64_t now);
/* All of @stream that has ended by then is there. */
void record_merge_mark(struct record_merge *merge, int stream, uint64_t time, uint64_t now);
/* Nothing more comes of it. */
void record_merge_close(struct record_merge *merge, int stream);
/* Copied. 0 or -ENOMEM */
int record_merge_add(struct record_merge *merge, const struct record_item *item, int stream);
/* Up to where all is there: the earliest mark. Streams that said nothing since @patient are left out */
uint64_t record_merge_bound(const struct record_merge *merge, uint64_t patient);
/* The next that begins up to @bound, or of more than there is room for; the caller's to free. NULL: none */
struct record_item *record_merge_next(struct record_merge *merge, uint64_t bound);

#endif /* GPMU_RECORD_MERGE_H */
