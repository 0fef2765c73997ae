// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NVTX ranges, and regions that the program marks. Pushed ranges are nested on their thread. A
 * range that ends on another thread, or before one that began later on its thread, goes to
 * sub-tracks of the process. A range is written when it ends, because only then its track is
 * known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "record/tracks/record_map.h"

static struct record_subtracks *subtracks_of(struct record_map *map, struct record_process *process)
{
	if (!process->nvtx)
		process->nvtx = record_subtracks_new(map->trace, process->track, 0,
						     process->has_regions ? "regions" : "NVTX", false);
	return process->nvtx;
}

static void describe(const struct record_process *process, uint32_t name, uint32_t domain,
		     struct gpmu_trace_event *event, struct record_args *args)
{
	event->size = sizeof(*event);
	event->name = record_string(process, name);
	event->category = process->has_regions ? "region" : "nvtx";
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
	union map_cell *value;
	uint64_t *open = NULL;

	map->region_count += process->has_regions;
	if (marker->thread) {
		thread = record_thread_of(map, process, marker->thread);
		if (!thread)
			return -ENOMEM;
		open = vector_append(thread->open, thread->open_count);
		if (!open)
			return -ENOMEM;
		*open = marker->id;
	}
	range = malloc(sizeof(*range));
	value = range ? map_add(&process->ranges, marker->id, NULL) : NULL;
	if (!value) {
		free(range);
		if (open)
			thread->open_count--;
		return -ENOMEM;
	}
	/* Free an earlier range that never ended and whose id is reused. */
	free(value->pointer);
	*range = (struct record_range){ marker->id, marker->time, marker->thread, marker->name,
					marker->domain };
	value->pointer = range;
	return 0;
}

/*
 * Returns whether the end of a range may have been lost. Such a range is not written, because it
 * would last until the end of the trace.
 */
static bool may_have_ended(const struct record_process *process, const struct record_range *range)
{
	const union map_cell *of_thread = map_find(&process->ends_lost_by, range->thread);

	return range->begin <= process->ends_lost || (of_thread && range->begin <= of_thread->number);
}

/*
 * Removes a range from its thread, with later ones that may have ended. Returns whether no other
 * later ones stay open.
 */
static bool close_on(const struct record_process *process, struct record_thread *thread,
		     uint64_t id)
{
	size_t i = thread->open_count, left;

	while (i && thread->open[i - 1] != id)
		i--;
	if (!i)
		return false;
	left = i - 1;
	for (size_t index = i; index < thread->open_count; index++) {
		const struct record_range *range = map_object(&process->ranges, thread->open[index]);

		if (!range || !may_have_ended(process, range))
			thread->open[left++] = thread->open[index];
	}
	thread->open_count = left;
	return left == i - 1;
}

static int end(struct record_map *map, struct record_process *process,
	       const struct activity_marker *marker)
{
	struct gpmu_trace_event event = { .size = sizeof(event) };
	struct record_args args = { .count = 0 };
	struct record_thread *thread = NULL;
	struct record_range *range;
	bool is_nested = false;
	union map_cell value;
	int ret;

	/* The range began before the recording. */
	if (!map_take(&process->ranges, marker->id, &value))
		return 0;
	range = value.pointer;
	if (range->thread) {
		thread = record_thread_of(map, process, range->thread);
		is_nested = thread && close_on(process, thread, range->id) && range->thread == marker->thread;
	}
	describe(process, range->name, range->domain, &event, &args);
	event.time = range->begin;
	if (marker->time < range->begin) {
		map->causality.outside++;
		ret = 0;
	} else if (is_nested) {
		event.track = thread->track;
		ret = gpmu_trace_slice(map->trace, &event, marker->time - range->begin);
	} else {
		ret = record_slice(map, subtracks_of(map, process), &event, NULL, marker->time);
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
	bool is_crossing;

	if (marker->thread)
		thread = record_thread_of(map, process, marker->thread);
	else
		subtracks = subtracks_of(map, process);
	if (!thread && !subtracks)
		return -ENOMEM;
	describe(process, marker->name, marker->domain, &event, &args);
	event.track =
		thread ? thread->track :
			 record_subtracks_place(subtracks, marker->time, marker->time, &is_crossing);
	return event.track < 0 ? event.track : gpmu_trace_instant(map->trace, &event);
}

uint32_t record_nvtx_open(const struct record_process *process, const struct record_thread *thread)
{
	for (size_t i = thread->open_count; i-- > 0;) {
		const struct record_range *range = map_object(&process->ranges, thread->open[i]);

		if (range)
			return range->name;
	}
	return 0;
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

/* A range that its process left open, by _exit(), execve() or a signal, ends with the process. */
static uint64_t end_of(const struct record_process *process, const struct record_range *range)
{
	return process->end_time > range->begin ? process->end_time : range->begin;
}

/* @n: ranges that are not written, because they may have ended */
static int note_dropped(struct record_map *map, const struct record_process *process, size_t n)
{
	struct {
		struct activity_note note;
		char text[136];
	} record = { .note = { .head = { sizeof(record), ACTIVITY_NOTE, 0 }, .time = map->last,
			       .level = ACTIVITY_WARNING } };

	if (!n)
		return 0;
	snprintf(record.text, sizeof(record.text), "%zu open %s not in the trace: their ends may be among the "
		 "lost records", n, process->has_regions ? "regions are" : "NVTX ranges are");
	return record_note(map, process, &record.note);
}

/* Writes the ranges that have not ended, outer ones first. */
int record_nvtx_end(struct record_map *map, struct record_process *process)
{
	struct record_range **open =
		calloc(process->ranges.n + 1, sizeof(struct record_range *));
	size_t n = 0;
	int ret = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < process->ranges.room; i++)
		if (process->ranges.slots[i].is_used &&
		    !may_have_ended(process, process->ranges.slots[i].cell.pointer))
			open[n++] = process->ranges.slots[i].cell.pointer;
	ret = note_dropped(map, process, process->ranges.n - n);
	qsort(open, n, sizeof(struct record_range *), compare);
	for (size_t i = 0; i < n && !ret; i++) {
		struct gpmu_trace_event event = { .time = open[i]->begin };
		struct record_args args = { .count = 0 };
		struct record_thread *thread = NULL;

		describe(process, open[i]->name, open[i]->domain, &event, &args);
		if (open[i]->thread)
			thread = record_thread_of(map, process, open[i]->thread);
		event.track = thread ? thread->track : 0;
		if (thread && process->end_time)
			ret = gpmu_trace_slice(map->trace, &event, end_of(process, open[i]) - event.time);
		else if (thread)
			ret = gpmu_trace_begin(map->trace, &event);
		else
			ret = record_slice(map, subtracks_of(map, process), &event, NULL,
					   process->end_time ? end_of(process, open[i]) : map->last);
	}
	free(open);
	return ret;
}
