// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "record/queue/record_merge.h"

void record_merge_init(struct record_merge *merge, size_t most)
{
	*merge = (struct record_merge){ .most = most };
}

void record_merge_release(struct record_merge *merge)
{
	for (size_t i = 0; i < merge->length; i++)
		free(merge->heap[i].record);
	free(merge->heap);
	free(merge->streams);
}

int record_merge_open(struct record_merge *merge, uint64_t now)
{
	struct record_stream *streams = vector_room(merge->streams, merge->stream_count,
						  sizeof(*streams));

	if (!streams)
		return -ENOMEM;
	merge->streams = streams;
	streams[merge->stream_count] = (struct record_stream){ .heard = now, .open = true };
	return (int)merge->stream_count++;
}

void record_merge_mark(struct record_merge *merge, int stream, uint64_t time, uint64_t now)
{
	struct record_stream *of = &merge->streams[stream];

	if (time > of->mark)
		of->mark = time;
	of->heard = now;
}

void record_merge_close(struct record_merge *merge, int stream)
{
	merge->streams[stream].open = false;
}

static bool is_before(const struct record_entry *a, const struct record_entry *b)
{
	if (a->begin != b->begin)
		return a->begin < b->begin;
	return a->end != b->end ? a->end > b->end : a->number < b->number;
}

/* Stores @entry at @at or sifts it up. */
static void rise(struct record_merge *merge, size_t at, struct record_entry entry)
{
	while (at && is_before(&entry, &merge->heap[(at - 1) / 2])) {
		merge->heap[at] = merge->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	merge->heap[at] = entry;
}

/*
 * Removes the first entry. The gap is sifted down to a leaf without comparisons, then
 * filled with the last entry: that is among the latest, so comparing it on the way down
 * would be futile.
 */
static void take_first(struct record_merge *merge)
{
	size_t at = 0, child, last = --merge->length;

	while ((child = 2 * at + 1) < last) {
		if (child + 1 < last && is_before(&merge->heap[child + 1], &merge->heap[child]))
			child++;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	if (last)
		rise(merge, at, merge->heap[last]);
}

int record_merge_add(struct record_merge *merge, const struct record *record, int stream)
{
	const struct record_stream *of = &merge->streams[stream];
	struct record_entry *entry;
	struct record *copy;

	if (merge->length == merge->room) {
		size_t room = merge->room ? merge->room * 2 : 1024;
		struct record_entry *heap = reallocarray(merge->heap, room, sizeof(*heap));

		if (!heap)
			return -ENOMEM;
		merge->heap = heap;
		merge->room = room;
	}
	copy = malloc(record->size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, record->size);
	entry = &merge->heap[merge->length];
	entry->begin = record->begin;
	entry->end = record->end;
	entry->number = merge->numbers++;
	entry->record = copy;
	rise(merge, merge->length++, *entry);
	merge->bytes += record->size;
	merge->late += record->end < of->mark;
	return 0;
}

uint64_t record_merge_bound(const struct record_merge *merge, uint64_t patient)
{
	uint64_t bound = UINT64_MAX;

	for (size_t i = 0; i < merge->stream_count; i++) {
		const struct record_stream *of = &merge->streams[i];

		if (of->open && of->heard >= patient && of->mark < bound)
			bound = of->mark;
	}
	return bound;
}

struct record *record_merge_next(struct record_merge *merge, uint64_t bound)
{
	struct record *record;
	bool fits = merge->bytes <= merge->most;

	if (!merge->length || (merge->heap[0].begin > bound && fits))
		return NULL;
	merge->forced += merge->heap[0].begin > bound;
	record = merge->heap[0].record;
	take_first(merge);
	merge->bytes -= record->size;
	return record;
}
