// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "record/queue/record_merge.h"

void record_merge_init(struct record_merge *merge, size_t max)
{
	*merge = (struct record_merge){ .max = max, .earliest = UINT64_MAX };
}

static void release(struct record_merge *merge, struct record_entries *entries, size_t from)
{
	for (size_t i = from; i < entries->length; i++)
		record_arena_free(&merge->arena, entries->list[i].record);
	free(entries->list);
}

void record_merge_release(struct record_merge *merge)
{
	if (merge->returned)
		record_arena_free(&merge->arena, merge->returned);
	release(merge, &merge->sorted, merge->pos);
	release(merge, &merge->fresh, 0);
	free(merge->spare.list);
	record_arena_release(&merge->arena);
	free(merge->streams);
}

int record_merge_open(struct record_merge *merge, uint64_t now)
{
	struct record_stream *added = vector_append(merge->streams, merge->stream_count);

	if (!added)
		return -ENOMEM;
	*added = (struct record_stream){ .heard = now, .is_open = true };
	return (int)merge->stream_count - 1;
}

void record_merge_mark(struct record_merge *merge, int stream, uint64_t time, uint64_t now)
{
	struct record_stream *source = &merge->streams[stream];

	if (time > source->mark)
		source->mark = time;
	source->heard = now;
}

void record_merge_close(struct record_merge *merge, int stream)
{
	merge->streams[stream].is_open = false;
}

static bool has_room(struct record_entries *entries, size_t length)
{
	size_t room = entries->room ? entries->room : 1024;
	struct record_entry *list;

	if (length <= entries->room)
		return true;
	while (room < length)
		room *= 2;
	list = reallocarray(entries->list, room, sizeof(*list));
	if (!list)
		return false;
	entries->list = list;
	entries->room = room;
	return true;
}

/* Reserves the room for sorting, too: then only this can fail. */
int record_merge_add(struct record_merge *merge, const struct record *record, int stream)
{
	const struct record_stream *source = &merge->streams[stream];
	size_t length = merge->fresh.length + 1;
	struct record *copy;

	if (!has_room(&merge->fresh, length) ||
	    !has_room(&merge->spare, merge->sorted.length - merge->pos + length))
		return -ENOMEM;
	copy = record_arena_copy(&merge->arena, record);
	if (!copy)
		return -ENOMEM;
	merge->fresh.list[merge->fresh.length++] =
		(struct record_entry){ record->begin, record->end, copy };
	if (record->begin < merge->earliest)
		merge->earliest = record->begin;
	merge->bytes += record->size;
	merge->late += record->end < source->mark;
	return 0;
}

/* Sorts the fresh entries, and merges them with the sorted ones, which all came earlier. */
static void sort(struct record_merge *merge)
{
	const struct record_entry *old = merge->sorted.list + merge->pos;
	const struct record_entry *fresh = merge->fresh.list;
	const struct record_entry *old_end = merge->sorted.list + merge->sorted.length;
	const struct record_entry *fresh_end = merge->fresh.list + merge->fresh.length;
	struct record_entries merged = merge->spare;

	record_order(merge->fresh.list, merge->spare.list, merge->fresh.length);
	merged.length = 0;
	while (old < old_end || fresh < fresh_end) {
		bool is_fresh = old == old_end ||
				(fresh < fresh_end && record_entry_is_before(fresh, old));

		merged.list[merged.length++] = is_fresh ? *fresh++ : *old++;
	}
	merge->spare = merge->sorted;
	merge->sorted = merged;
	merge->pos = 0;
	merge->fresh.length = 0;
	merge->earliest = UINT64_MAX;
}

uint64_t record_merge_bound(const struct record_merge *merge, uint64_t patient)
{
	uint64_t bound = UINT64_MAX;

	for (size_t i = 0; i < merge->stream_count; i++) {
		const struct record_stream *source = &merge->streams[i];

		if (source->is_open && source->heard >= patient && source->mark < bound)
			bound = source->mark;
	}
	return bound;
}

const struct record *record_merge_next(struct record_merge *merge, uint64_t bound)
{
	bool has_room = merge->bytes <= merge->max;
	uint64_t next = merge->pos < merge->sorted.length ? merge->sorted.list[merge->pos].begin : UINT64_MAX;

	if (merge->returned)
		record_arena_free(&merge->arena, merge->returned);
	merge->returned = NULL;
	if (merge->pos == merge->sorted.length && !merge->fresh.length)
		return NULL;
	if (has_room && next > bound && merge->earliest > bound)
		return NULL;
	if (merge->fresh.length && merge->earliest <= next)
		sort(merge);
	merge->forced += merge->sorted.list[merge->pos].begin > bound;
	merge->returned = merge->sorted.list[merge->pos++].record;
	merge->bytes -= merge->returned->size;
	return merge->returned;
}
