// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Converts the counts of samples (PERF_SAMPLE_READ), as of "{cpu-clock,a,b}:S", to rates. Events of a command and events that
 * threads inherit have a counter for each thread. Other events have a counter for each recorded CPU, or else for each thread.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text/text.h"
#include "import/import.h"

/* A count. @cpu, @tid: UINT32_MAX for none */
struct import_read {
	uint64_t time, id, value, enabled, running;
	uint32_t event, cpu, pid, tid;
	uint32_t order;		/* of the records, for equal times */
};

/* perf sets enable_on_exec for an event of a command: the leader of a group or, with --delay, the event of the maps. */
bool import_is_of_command(const struct import *import)
{
	for (size_t i = 0; i < gpmu_perfdata_event_count(import->input.perfdata); i++)
		if (gpmu_perfdata_event(import->input.perfdata, i)->attr->enable_on_exec)
			return true;
	return false;
}

int import_read(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time)
{
	const struct gpmu_perfdata_read *read = &record->sample.read;
	const bool has_command = import_is_of_command(import),
		   has_tid = record->has & PERF_SAMPLE_TID;

	for (size_t i = 0; i < read->count; i++) {
		const struct gpmu_perfdata_event *event = read->values[i].id ?
			gpmu_perfdata_event_of(import->input.perfdata, read->values[i].id) : record->event;
		bool is_of_thread = event && (event->attr->inherit || has_command) && has_tid;
		bool has_cpu = record->has & PERF_SAMPLE_CPU && !is_of_thread;

		if (event && vector_push(&import->reads, &(struct import_read){
			.time = time, .id = read->values[i].id, .value = read->values[i].value, .enabled = read->enabled,
			.running = read->running, .event = (uint32_t)event->index, .order = (uint32_t)import->reads.n,
			.cpu = has_cpu ? record->cpu : UINT32_MAX, .pid = record->pid,
			.tid = !has_cpu && has_tid ? record->tid : UINT32_MAX,
		}))
			return -ENOMEM;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct import_read *left = a, *right = b;

	return COMPARE(left->time, right->time) ?: COMPARE(left->order, right->order);
}

static int cpu_track(struct import *import, uint32_t cpu)
{
	uint32_t known;
	char *name;
	int track;

	if (map_get(&import->cpu_tracks, cpu, &known))
		return (int)known;
	name = text_print("CPU %u", cpu);
	track = name ? gpmu_trace_track(import->trace, 0, name) : -ENOMEM;
	free(name);
	return track > 0 && map_set(&import->cpu_tracks, cpu, (uint32_t)track) ? -ENOMEM : track;
}

static int add_track(struct import *import, const struct gpmu_perfdata_event *event, int parent)
{
	char *unit = text_print("%s/s", event->unit && *event->unit ? event->unit : "");
	int track = unit ? gpmu_trace_counter(import->trace, parent, event->name, unit) : -ENOMEM;

	free(unit);
	return track;
}

/* The counter of an event on a CPU or in a thread; NULL with -errno in *@ret */
static struct import_counter *counter_of(struct import *import, const struct import_read *read, int *ret)
{
	struct import_counter *counter;
	const struct import_thread *thread;
	int parent;

	if (read->cpu != UINT32_MAX) {
		parent = *ret = cpu_track(import, read->cpu);
	} else {
		thread = import_thread(import, read->pid, read->tid, ret);
		parent = thread ? thread->track : -1;
	}
	if (parent < 0)
		return NULL;
	*ret = -ENOMEM;
	counter = vector_element(&import->counters, &import->counter_numbers, (uint64_t)parent << 32 | read->event);
	if (!counter)
		return NULL;
	if (!counter->track) {
		counter->event = read->event;
		counter->time = IMPORT_NO_TIME;
		counter->track = add_track(import, gpmu_perfdata_event(import->input.perfdata, read->event), parent);
	}
	*ret = counter->track;
	return counter->track < 0 ? NULL : counter;
}

/* Returns the increase since the last count, scaled up to the time that the event was enabled; NAN: it did not run. */
static double delta(const struct import_read *last, const struct import_read *read)
{
	double count = (double)(read->value < last->value ? read->value : read->value - last->value);
	uint64_t enabled = read->enabled - last->enabled, running = read->running - last->running;

	if (read->enabled <= last->enabled || running >= enabled || !read->running)
		return count;
	return running ? count * (double)enabled / (double)running : NAN;
}

/* A value holds from the count before. */
static int put(struct import *import, const struct import_read *last, const struct import_read *read)
{
	const struct gpmu_perfdata_event *event = gpmu_perfdata_event(import->input.perfdata, read->event);
	struct import_counter *counter;
	uint64_t since;
	int ret;

	counter = counter_of(import, read, &ret);
	if (!counter)
		return ret;
	since = counter->time;
	counter->time = read->time;
	if (since == IMPORT_NO_TIME || since >= read->time)
		return 0;
	/* A thread that moves to a CPU for the first time has a count that began at 0. */
	counter->rate = (last ? delta(last, read) : (double)read->value) * event->scale * 1e9 / (double)(read->time - since);
	import->facts.values += isfinite(counter->rate);
	return gpmu_trace_value(import->trace, counter->track, since, counter->rate);
}

/* Repeats the last value of each counter at the end of its interval. */
static int close_all(struct import *import)
{
	const struct import_counter *counters = import->counters.list;
	int ret = 0;

	for (size_t i = 0; i < import->counters.n && !ret; i++)
		if (counters[i].time != IMPORT_NO_TIME && isfinite(counters[i].rate))
			ret = gpmu_trace_value(import->trace, counters[i].track, counters[i].time, counters[i].rate);
	return ret;
}

int import_counters_end(struct import *import)
{
	const struct import_read *list = import->reads.list;
	struct map last = { 0 };
	int ret = 0;

	vector_sort(&import->reads, compare);
	for (size_t i = 0; i < import->reads.n && !ret; i++) {
		bool is_inherited = gpmu_perfdata_event(import->input.perfdata, list[i].event)->attr->inherit;
		uint64_t key = list[i].id << 32 ^ list[i].id >> 32 ^ (is_inherited ? list[i].tid : 0);
		uint32_t before;

		ret = put(import, map_get(&last, key, &before) ? &list[before] : NULL, &list[i]) ?:
		      map_set(&last, key, (uint32_t)i);
	}
	map_release(&last);
	return ret ?: close_all(import);
}
