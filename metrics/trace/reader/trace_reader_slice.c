// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps slices from their begin to their end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader/trace_reader.h"

static size_t bytes_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/* Copies a text to *@cursor and advances *@cursor past it. */
static char *keep(char **cursor, const char *text)
{
	size_t size = bytes_of(text);
	char *copy = *cursor;

	if (!text)
		return NULL;
	memcpy(copy, text, size);
	*cursor += size;
	return copy;
}

int reader_begin(struct gpmu_trace_reader *reader, size_t number)
{
	const struct gpmu_trace_item *item = &reader->item;
	size_t size = item->arg_count * sizeof(*item->args) + bytes_of(item->name) + bytes_of(item->category);
	struct reader_track *track = &reader->tracks[number];
	struct reader_open *open;
	char *cursor;

	if (reader->open_count == READER_OPEN_MAX)
		return reader_fail(reader, -EINVAL, "expected at most %u slices that have not ended",
				   READER_OPEN_MAX);
	for (size_t i = 0; i < item->arg_count; i++)
		size += bytes_of(item->args[i].name) + bytes_of(item->args[i].text);
	open = vector_append(track->open, track->open_count);
	if (!open)
		return reader_no_memory(reader);
	open->args = malloc(size + 1);
	if (!open->args) {
		track->open_count--;
		return reader_no_memory(reader);
	}
	cursor = (char *)(open->args + item->arg_count);
	open->begin = item->begin;
	open->flow = item->flow;
	open->arg_count = item->arg_count;
	open->name = keep(&cursor, item->name);
	open->category = keep(&cursor, item->category);
	for (size_t i = 0; i < item->arg_count; i++) {
		open->args[i] = item->args[i];
		open->args[i].name = keep(&cursor, item->args[i].name);
		open->args[i].text = keep(&cursor, item->args[i].text);
	}
	reader->open_count++;
	return 0;
}

/* Returns the open slice at @index as the item and closes it. */
static int give(struct gpmu_trace_reader *reader, size_t number, size_t index, uint64_t time)
{
	struct reader_track *track = &reader->tracks[number];
	struct reader_open *open = &track->open[index];

	reader->item = (struct gpmu_trace_item){
		.size = sizeof(reader->item),
		.kind = GPMU_TRACE_SLICE,
		.track = (int)number + 1,
		.begin = open->begin,
		.end = time,
		.name = open->name,
		.category = open->category,
		.args = open->arg_count ? open->args : NULL,
		.arg_count = open->arg_count,
		.flow = open->flow,
	};
	reader->block = open->args;
	memmove(open, open + 1, (track->open_count - index - 1) * sizeof(*open));
	track->open_count--;
	reader->open_count--;
	return 1;
}

int reader_end(struct gpmu_trace_reader *reader, size_t number, uint64_t time)
{
	const struct reader_track *track = &reader->tracks[number];

	for (size_t i = track->open_count; i-- > 0;)
		if (track->open[i].begin <= time)
			return give(reader, number, i, time);
	reader->stats.unmatched++;
	return 0;
}

int reader_close(struct gpmu_trace_reader *reader)
{
	for (; reader->closing < reader->track_count; reader->closing++) {
		size_t n = reader->tracks[reader->closing].open_count;

		if (!n)
			continue;
		reader->stats.open++;
		give(reader, reader->closing, n - 1, reader->last_time);
		reader->item.is_open = 1;
		return 1;
	}
	return 0;
}
