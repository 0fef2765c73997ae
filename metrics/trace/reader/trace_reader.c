// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/reader/trace_reader.h"

struct gpmu_trace_reader *gpmu_trace_reader_new(int fd, const char *path, struct gpmu_error *error)
{
	struct gpmu_trace_reader *reader = calloc(1, sizeof(*reader));

	if (reader) {
		reader->fd = fd;
		reader->stats.size = sizeof(reader->stats);
		reader->why.size = sizeof(reader->why);
		reader->path = strdup(path ? path : "trace");
		if (reader->path)
			return reader;
		free(reader);
	}
	error_no_memory(error);
	return NULL;
}

void gpmu_trace_reader_free(struct gpmu_trace_reader *reader)
{
	if (!reader)
		return;
	reader_file_release(reader);
	reader_state_release(reader);
	free(reader->block);
	free(reader->path);
	free(reader);
}

/* Returns 1 if the item is an event, 0 at the end, or -errno. */
static int next(struct gpmu_trace_reader *reader)
{
	int ret;

	while ((ret = reader_packet(reader)) == 1) {
		ret = reader_learn(reader, reader->packet);
		if (ret == 1 && reader->packet->track_event)
			ret = reader_event(reader, reader->packet);
		else if (ret == 1 && reader->packet->perf_sample)
			ret = reader_sample(reader, reader->packet);
		else if (ret == 1)
			ret = reader->packet->ftrace_events ? reader_sched(reader, reader->packet) : 0;
		if (ret)
			return ret;
	}
	return ret ? ret : reader_close(reader);
}

int gpmu_trace_reader_next(struct gpmu_trace_reader *reader, const struct gpmu_trace_item **item,
			   struct gpmu_error *error)
{
	int ret;

	free(reader->block);
	reader->block = NULL;
	ret = reader->failed ? reader->failed : next(reader);
	if (ret == 1)
		*item = &reader->item;
	if (ret < 0)
		error_set(error, reader->why.offset, "%s", reader->why.text);
	return ret;
}

const struct gpmu_trace_track_info *gpmu_trace_reader_track(struct gpmu_trace_reader *reader, int number)
{
	struct reader_track *track;
	uint32_t parent = 0;

	if (number <= 0 || (size_t)number > reader->track_count)
		return NULL;
	track = &reader->tracks[number - 1];
	if (track->parent && map_get(&reader->numbers, track->parent, &parent))
		track->info.parent = (int)parent + 1;
	return &track->info;
}

int gpmu_trace_reader_get_stats(const struct gpmu_trace_reader *reader,
				struct gpmu_trace_reader_stats *stats)
{
	struct gpmu_trace_reader_stats own = reader->stats;
	size_t size = stats->size;

	if (size < sizeof(stats->size))
		return -EINVAL;
	own.size = size;
	memset(stats, 0, size);
	memcpy(stats, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}
