// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NVTX ranges. Pushed ranges are nested on their thread. A range that ends on another
 * thread, or before one that began later on its thread, goes to sub-tracks of the process.
 * A range is written when it ends, because only then its track is known.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vector.h"
#include "record/tracks/record_map.h"

static struct record_subtracks *subtracks_of(struct record_map *map, struct record_process *process)
{
	if (process->nvtx)
		return process->nvtx;
	process->nvtx = calloc(1, sizeof(*process->nvtx));
	if (process->nvtx &&
	    record_subtracks_init(process->nvtx, map->trace, process->track, 0, "NVTX", false)) {
		free(process->nvtx);
		process->nvtx = NULL;
	}
	return process->nvtx;
}

static void describe(const struct record_process *process, uint32_t name, uint32_t domain,
		     struct gpmu_trace_event *event, struct record_args *args)
{
	event->size = sizeof(*event);
	event->name = record_string(process, name);
	event->category = "nvtx";
	if (domain)
		record_arg_name(args, "domain", record_string(process, domain));
	event->args = args->list;
	event->arg_count = args->count;
}

static int begin(struct record_map *map, struct record_process *process,
		 const struct activity_marker *marker)
{
	struct record_thread *thread = NULL;
	struct record_range *range;
	union record_cell *value;
	uint64_t *open;
	bool added;

	if (marker->thread) {
		thread = record_thread_of(map, process, marker->thread);
		if (!thread)
			return -ENOMEM;
		open = vector_room(thread->open, thread->open_count, sizeof(*open));
		if (!open)
			return -ENOMEM;
		thread->open = open;
	}
	range = malloc(sizeof(*range));
	value = range ? record_table_add(&process->ranges, marker->id, &added) : NULL;
	if (!value) {
		free(range);
		return -ENOMEM;
	}
	/* Free an earlier range that never ended and whose id is reused. */
	free(value->of);
	*range = (struct record_range){ marker->id, marker->time, marker->thread, marker->name,
					marker->domain };
	value->of = range;
	if (thread)
		thread->open[thread->open_count++] = marker->id;
	return 0;
}

/*
 * Removes a range from its thread. Returns whether it was the latest one; later ones stay
 * open.
 */
static bool close_on(struct record_thread *thread, uint64_t id)
{
	size_t i = thread->open_count;

	while (i && thread->open[i - 1] != id)
		i--;
	if (!i)
		return false;
	for (size_t at = i; at < thread->open_count; at++)
		thread->open[at - 1] = thread->open[at];
	thread->open_count--;
	return i - 1 == thread->open_count;
}

static int end(struct record_map *map, struct record_process *process,
	       const struct activity_marker *marker)
{
	struct gpmu_trace_event event = { .size = sizeof(event) };
	struct record_args args = { .count = 0 };
	struct record_thread *thread = NULL;
	struct record_range *range;
	bool nested = false;
	union record_cell value;
	int ret;

	/* The range began before the recording. */
	if (!record_table_take(&process->ranges, marker->id, &value))
		return 0;
	range = value.of;
	if (range->thread) {
		thread = record_thread_of(map, process, range->thread);
		nested = thread && close_on(thread, range->id) && range->thread == marker->thread;
	}
	describe(process, range->name, range->domain, &event, &args);
	event.time = range->begin;
	if (marker->time < range->begin) {
		map->causality.outside++;
		ret = 0;
	} else if (nested) {
		event.track = thread->track;
		ret = gpmu_trace_slice(map->trace, &event, marker->time - range->begin);
	} else {
		ret = record_slice(map, subtracks_of(map, process), &event, marker->time);
	}
	free(range);
	return ret;
}

static int instant(struct record_map *map, struct record_process *process,
		   const struct activity_marker *marker)
{
	struct gpmu_trace_event event = { .time = marker->time };
	struct record_subtracks *subtracks = NULL;
	struct record_args args = { .count = 0 };
	struct record_thread *thread = NULL;
	bool crosses;

	if (marker->thread)
		thread = record_thread_of(map, process, marker->thread);
	else
		subtracks = subtracks_of(map, process);
	if (!thread && !subtracks)
		return -ENOMEM;
	describe(process, marker->name, marker->domain, &event, &args);
	event.track = thread ? thread->track :
			       record_subtracks_place(subtracks, marker->time, marker->time, &crosses);
	return event.track < 0 ? event.track : gpmu_trace_instant(map->trace, &event);
}

int record_marker(struct record_map *map, struct record_process *process,
		  const struct activity_marker *marker)
{
	switch (marker->marker) {
	case ACTIVITY_MARKER_BEGIN:
		return begin(map, process, marker);
	case ACTIVITY_MARKER_END:
		return end(map, process, marker);
	default:
		return instant(map, process, marker);
	}
}

static int compare(const void *a, const void *b)
{
	const struct record_range *first = *(struct record_range *const *)a;
	const struct record_range *second = *(struct record_range *const *)b;

	return first->begin < second->begin ? -1 : first->begin > second->begin;
}

/* Writes the ranges that have not ended, outer ones first. */
int record_nvtx_end(struct record_map *map, struct record_process *process)
{
	struct record_range **open = calloc(process->ranges.length + 1, sizeof(struct record_range *));
	size_t n = 0;
	int ret = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < process->ranges.room; i++)
		if (process->ranges.slots[i].used)
			open[n++] = process->ranges.slots[i].cell.of;
	qsort(open, n, sizeof(struct record_range *), compare);
	for (size_t i = 0; i < n && !ret; i++) {
		struct gpmu_trace_event event = { .time = open[i]->begin };
		struct record_args args = { .count = 0 };
		struct record_thread *thread = NULL;

		describe(process, open[i]->name, open[i]->domain, &event, &args);
		if (open[i]->thread)
			thread = record_thread_of(map, process, open[i]->thread);
		event.track = thread ? thread->track : 0;
		if (thread)
			ret = gpmu_trace_begin(map->trace, &event);
		else
			ret = record_slice(map, subtracks_of(map, process), &event, map->last);
	}
	free(open);
	return ret;
}
