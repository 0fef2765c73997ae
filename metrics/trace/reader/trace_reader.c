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
	reader_gpu_release(reader);
	free(reader->block);
	free(reader->path);
	free(reader);
}

/* Takes a packet whose names have been learned. Returns 1 if the item is an event, 0 if not, or -errno. */
static int take(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	if (packet->track_event)
		return reader_event(reader, packet);
	if (packet->gpu_render_stage_event)
		return reader_work(reader, packet);
	if (packet->gpu_counter_event)
		return reader_gpu_value(reader, packet);
	if (packet->perf_sample)
		return reader_sample(reader, packet);
	return packet->ftrace_events ? reader_sched(reader, packet) : 0;
}

/* Returns 1 if the item is an event, 0 at the end, or -errno. */
static int next(struct gpmu_trace_reader *reader)
{
	int ret;

	while ((ret = reader_packet(reader)) == 1) {
		ret = reader_learn(reader, reader->packet);
		if (ret == 1)
			ret = take(reader, reader->packet);
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

const struct gpmu_trace_gpu *gpmu_trace_reader_gpu(const struct gpmu_trace_reader *reader, int number)
{
	if (number < 0 || (size_t)number >= reader->gpu_count || !reader->gpus[number].size)
		return NULL;
	return &reader->gpus[number];
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
