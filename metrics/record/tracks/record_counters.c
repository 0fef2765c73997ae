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

/*
 * The begin of CUPTI's name of a metric without the names of its unit and of its trigger,
 * "CTC.TriageCompute.ctc__rx_bytes.sum"
 */
static const char *metric_begin(const char *begin, const char *end)
{
	const char *separator = memmem(begin, (size_t)(end - begin), "__", 2);
	const char *dot = separator ? memrchr(begin, '.', (size_t)(separator - begin)) : NULL;

	return dot ? dot + 1 : begin;
}

/*
 * The name of a counter's track: Perfetto's plugin for GPU computing knows events by CUPTI's names, so that
 * "nvidia_gpu/dram__bytes_read.sum/" becomes "dram__bytes_read.sum". The caller frees it.
 */
static char *track_name(const struct record_counter_head *head, const char *name)
{
	static const char pmu[] = "nvidia_gpu";
	const char *slash = strchr(name, '/'), *end = slash ? strchr(slash + 1, '/') : NULL, *begin;

	if (!head->has_gpu || strncmp(name, pmu, sizeof(pmu) - 1) || !end || end[1] ||
	    memchr(slash, ',', (size_t)(end - slash)))
		return strdup(name);
	begin = metric_begin(slash + 1, end);
	return strndup(begin, (size_t)(end - begin));
}

static int add_gpu_counter(struct record_map *map, const struct record_counter_head *head, const char *name,
			   const char *unit, const char *uuid)
{
	const int index = record_gpu_of(map, uuid, NULL);
	const char *description = uuid + strlen(uuid) + 1;
	const struct gpmu_trace_gpu_counter counter = {
		.size = sizeof(counter), .gpu = index < 0 ? -1 : map->gpus[index].number, .name = name, .unit = unit,
		.description = *description ? description : NULL, .group = head->group,
	};

	return index < 0 ? index : gpmu_trace_gpu_counter(map->trace, &counter);
}

static int add_track(struct record_map *map, const struct record_counter_head *head, const char *name, const char *unit,
		     const char *target)
{
	int parent;

	if (head->has_gpu)
		return add_gpu_counter(map, head, name, unit, target);
	parent = top_track(map, target);
	return parent < 0 ? parent : gpmu_trace_counter(map->trace, parent, name, unit);
}

int record_map_counter(struct record_map *map, const struct record_counter_head *head)
{
	const char *name = (const char *)(head + 1), *unit = name + strlen(name) + 1;
	struct record_counter counter = { .share = NAN, .is_total = head->is_total }, *added = NULL;
	const char *target = unit + strlen(unit) + 1;

	counter.name = track_name(head, name);
	counter.parent = strdup(target);
	counter.track = counter.name && counter.parent ?
				add_track(map, head, counter.name, head->has_unit ? unit : NULL, target) : -ENOMEM;
	if (counter.track > 0)
		added = vector_append(map->counters, map->counter_count);
	if (!added) {
		free(counter.name);
		free(counter.parent);
		return counter.track < 0 ? counter.track : -ENOMEM;
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
