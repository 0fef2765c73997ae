// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "report/timeline/timeline.h"

static struct timeline_file *add_file(struct timeline *timeline, const char *path)
{
	struct timeline_file *file = vector_append(timeline->files.list, timeline->files.n);

	if (!file)
		return NULL;
	file->host = TIMELINE_NONE;
	file->rank = -1;
	file->path = strdup(path);
	return file->path ? file : NULL;
}

/*
 * If the trace does not state its recorded time, it extends from the first event to the
 * last.
 */
static int check_file(struct timeline_file *file, struct gpmu_error *error)
{
	if (!file->stats.restarts) {
		error_set_path(error, 0, file->path, ": %s: expected a trace of gpmu record",
			       file->stats.packets || file->stats.cut ? "no packet is from gpmu" : "empty");
		return -EINVAL;
	}
	if (file->end <= file->begin || !file->begin) {
		file->begin = file->first;
		file->end = file->last;
	}
	return 0;
}

int timeline_add(struct timeline *timeline, int fd, const char *path, struct gpmu_error *error)
{
	struct timeline_file *file = add_file(timeline, path);
	const struct gpmu_trace_item *item;
	struct gpmu_trace_reader *reader;
	int ret;

	if (!file)
		return error_no_memory(error);
	reader = gpmu_trace_reader_new(fd, path, error);
	if (!reader)
		return -ENOMEM;
	timeline->tracks.n = 0;
	map_clear(&timeline->task_numbers);
	while ((ret = gpmu_trace_reader_next(reader, &item, error)) == 1) {
		if (timeline_take(timeline, reader, item)) {
			ret = error_no_memory(error);
			break;
		}
	}
	file->stats.size = sizeof(file->stats);
	gpmu_trace_reader_get_stats(reader, &file->stats);
	if (!ret)
		ret = check_file(file, error);
	if (!ret && timeline_end_tasks(timeline, reader))
		ret = error_no_memory(error);
	gpmu_trace_reader_free(reader);
	return ret;
}

uint64_t timeline_wall(const struct timeline_file *file)
{
	return file->end - file->begin;
}

void timeline_release(struct timeline *timeline)
{
	void *const lists[] = {
		timeline->files.list, timeline->gpus.list, timeline->streams.list, timeline->works.list,
		timeline->calls.list, timeline->waits.list, timeline->ranges.list, timeline->unified.list,
		timeline->gaps.list, timeline->counters.list, timeline->facts.list, timeline->overheads.list,
		timeline->modules.list, timeline->nodes.list, timeline->openacc.list,
		timeline->tracks.list, timeline->tasks.list, timeline->samples.list,
		timeline->functions.list, timeline->thread_samples.list, timeline->stacks.list,
		timeline->thread_stacks.list,
		timeline->pcs.list, timeline->host_memory.list, timeline->host_nodes.list,
	};

	for (size_t i = 0; i < timeline->files.n; i++)
		free(timeline->files.list[i].path);
	for (size_t i = 0; i < timeline->counters.n; i++)
		vector_free(&timeline->counters.list[i].values);
	for (size_t i = 0; i < timeline->facts.n; i++)
		vector_free(&timeline->facts.list[i].args);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i]);
	map_release(&timeline->task_numbers);
	map_release(&timeline->sample_numbers);
	map_release(&timeline->place_numbers);
	map_release(&timeline->function_numbers);
	map_release(&timeline->stack_numbers);
	map_release(&timeline->call_numbers);
	map_release(&timeline->thread_stack_numbers);
	map_release(&timeline->event_periods);
	map_release(&timeline->host_numbers);
	strings_release(&timeline->strings);
}
