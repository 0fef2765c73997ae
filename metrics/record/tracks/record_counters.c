// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes values of counters to their tracks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/vector.h"
#include "record/tracks/record_map.h"

/* A track without parent, made at its first use */
static int top_track(struct record_map *map, const char *name)
{
	uint32_t number;
	int *track;

	if (strings_number(&map->tops, name, &number))
		return -ENOMEM;
	while (map->top_track_count <= number)
		if (!vector_append(map->top_tracks, map->top_track_count))
			return -ENOMEM;
	track = &map->top_tracks[number];
	if (!*track) {
		int made = gpmu_trace_track(map->trace, 0, name);

		if (made < 0)
			return made;
		*track = made;
	}
	return *track;
}

static int parent_of(struct record_map *map, const struct record_counter_head *head, const char *parent_name)
{
	int index;

	if (!head->has_gpu)
		return top_track(map, parent_name);
	index = record_gpu_of(map, parent_name, NULL);
	return index < 0 ? index : map->gpus[index].track;
}

int record_map_counter(struct record_map *map, const struct record_counter_head *head)
{
	const char *name = (const char *)(head + 1), *unit = name + strlen(name) + 1;
	struct record_counter counter = { .share = NAN, .is_total = head->is_total }, *added = NULL;
	const char *parent_name = unit + strlen(unit) + 1;
	int parent;

	parent = parent_of(map, head, parent_name);
	if (parent < 0)
		return parent;
	counter.track = gpmu_trace_counter(map->trace, parent, name, head->has_unit ? unit : NULL);
	if (counter.track < 0)
		return counter.track;
	counter.name = strdup(name);
	counter.parent = strdup(parent_name);
	if (counter.name && counter.parent)
		added = vector_append(map->counters, map->counter_count);
	if (!added) {
		free(counter.name);
		free(counter.parent);
		return -ENOMEM;
	}
	*added = counter;
	return 0;
}

static int put_gap(struct record_map *map, struct record_counter *counter,
		   struct record_span span)
{
	const struct gpmu_trace_arg parent_name = { .name = "of",
					   .kind = GPMU_TRACE_TEXT,
					   .text = counter->parent };
	struct gpmu_trace_event event = { .time = span.begin, .name = counter->name,
					  .category = "gap", .args = &parent_name, .arg_count = 1 };
	int parent;

	counter->gaps++;
	if (!counter->missing) {
		parent = top_track(map, "gaps");
		if (parent < 0)
			return parent;
		counter->missing = record_subtracks_new(map->trace, parent, 0, counter->name, false);
	}
	return record_slice(map, counter->missing, &event, NULL, span.end);
}

/* Repeats the last value at its end time. */
static int close_value(struct record_map *map, struct record_counter *counter)
{
	uint64_t end = counter->end;

	counter->end = 0;
	return end ? gpmu_trace_value(map->trace, counter->track, end, counter->value) : 0;
}

int record_map_value(struct record_map *map, struct record_span span,
		     const struct record_value *value)
{
	struct record_counter *counter;
	int ret;

	if (value->counter >= map->counter_count)
		return 0;
	counter = &map->counters[value->counter];
	if (!value->counted) {
		ret = close_value(map, counter);
		return ret ? ret : put_gap(map, counter, span);
	}
	if (!(counter->share <= value->share))
		counter->share = value->share;
	counter->end = span.end;
	counter->value = value->value;
	return gpmu_trace_value(map->trace, counter->track, span.begin, value->value);
}

int record_counters_end(struct record_map *map)
{
	int ret = 0;

	for (size_t i = 0; i < map->counter_count && !ret; i++)
		ret = close_value(map, &map->counters[i]);
	return ret;
}

void record_counters_release(struct record_map *map)
{
	for (size_t i = 0; i < map->counter_count; i++) {
		free(map->counters[i].name);
		free(map->counters[i].parent);
		record_subtracks_free(map->counters[i].missing);
	}
	free(map->counters);
	strings_release(&map->tops);
	free(map->top_tracks);
}
