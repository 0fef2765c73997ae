// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes values of counters to their tracks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "record/tracks/record_map.h"

static int top_track(struct record_map *map, int *track, const char *name)
{
	if (!*track) {
		int made = gpmu_trace_track(map->trace, 0, name);

		if (made < 0)
			return made;
		*track = made;
	}
	return *track;
}

static int node_track(struct record_map *map, int node)
{
	union map_cell *value;
	char *name;
	bool added;
	int track;

	value = map_add(&map->nodes, (uint64_t)node, &added);
	if (!value || value->number)
		return value ? (int)value->number : -ENOMEM;
	name = text_print("node %d", node);
	track = name ? gpmu_trace_track(map->trace, 0, name) : -ENOMEM;
	free(name);
	if (track > 0)
		value->number = (uint64_t)track;
	return track;
}

/*
 * Name of what is counted, for gaps and the audit; the caller frees it. NULL if out of
 * memory
 */
static char *text_of(const struct record_counter_head *head, const char *gpu)
{
	if (head->has_gpu)
		return strdup(gpu);
	if (head->node >= 0)
		return text_print("node %d", head->node);
	return strdup(head->scope == GPMU_SCOPE_PROCESS ? "command" : "machine");
}

static int parent_of(struct record_map *map, const struct record_counter_head *head,
		     const char *gpu)
{
	int index;

	if (head->has_gpu) {
		index = record_gpu_of(map, gpu, NULL);
		return index < 0 ? index : map->gpus[index].track;
	}
	if (head->node >= 0)
		return node_track(map, head->node);
	if (head->scope == GPMU_SCOPE_PROCESS)
		return top_track(map, &map->command_track, "command");
	return top_track(map, &map->machine_track, "machine");
}

int record_map_counter(struct record_map *map, const struct record_counter_head *head)
{
	const char *name = (const char *)(head + 1), *unit = name + strlen(name) + 1;
	struct record_counter *counters = vector_room(map->counters, map->counter_count,
						    sizeof(*counters));
	struct record_counter counter = { .share = NAN, .is_total = head->is_total };
	const char *gpu = unit + strlen(unit) + 1;
	int parent;

	if (!counters)
		return -ENOMEM;
	map->counters = counters;
	parent = parent_of(map, head, gpu);
	if (parent < 0)
		return parent;
	counter.track = gpmu_trace_counter(map->trace, parent, name, head->has_unit ? unit : NULL);
	if (counter.track < 0)
		return counter.track;
	counter.name = strdup(name);
	counter.of = text_of(head, gpu);
	if (!counter.name || !counter.of) {
		free(counter.name);
		free(counter.of);
		return -ENOMEM;
	}
	counters[map->counter_count++] = counter;
	return 0;
}

static int put_gap(struct record_map *map, struct record_counter *counter,
		   struct record_span span)
{
	const struct gpmu_trace_arg of = { .name = "of",
					   .kind = GPMU_TRACE_TEXT,
					   .text = counter->of };
	struct gpmu_trace_event event = { .time = span.begin, .name = counter->name,
					  .category = "gap", .args = &of, .arg_count = 1 };
	int parent;

	counter->gaps++;
	if (!counter->missing) {
		parent = top_track(map, &map->gaps_track, "gaps");
		if (parent < 0)
			return parent;
		counter->missing = calloc(1, sizeof(*counter->missing));
		if (!counter->missing)
			return -ENOMEM;
		if (record_subtracks_init(counter->missing, map->trace, parent, 0, counter->name,
					  false)) {
			free(counter->missing);
			counter->missing = NULL;
			return -ENOMEM;
		}
	}
	return record_slice(map, counter->missing, &event, span.end);
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
		free(map->counters[i].of);
		if (map->counters[i].missing)
			record_subtracks_release(map->counters[i].missing);
		free(map->counters[i].missing);
	}
	free(map->counters);
}
