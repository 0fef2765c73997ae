// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps slices, by their category, and values of counters. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "report/timeline.h"

static const struct gpmu_trace_arg *arg_of(const struct gpmu_trace_item *item, const char *name)
{
	for (size_t i = 0; i < item->arg_count; i++)
		if (!strcmp(item->args[i].name, name))
			return &item->args[i];
	return NULL;
}

static uint64_t integer_of(const struct gpmu_trace_item *item, const char *name)
{
	const struct gpmu_trace_arg *arg = arg_of(item, name);

	return arg && arg->kind == GPMU_TRACE_INT && arg->integer > 0 ? (uint64_t)arg->integer : 0;
}

static const char *text_of(const struct gpmu_trace_item *item, const char *name)
{
	const struct gpmu_trace_arg *arg = arg_of(item, name);

	return arg && arg->kind == GPMU_TRACE_TEXT ? arg->text : NULL;
}

/*
 * Appends the kinds of memory to a copy's name, to distinguish them: "memcpy HtoD,
 * pageable to device".
 */
static int name_of_work(struct timeline *timeline, const struct gpmu_trace_item *item,
			enum timeline_work_kind kind, uint32_t *name)
{
	const char *from = text_of(item, "from"), *to = text_of(item, "to"),
		   *own = item->name ? item->name : "";
	char text[256];

	if (kind != TIMELINE_COPY || !from || !to)
		return strings_number(&timeline->strings, own, name);
	snprintf(text, sizeof(text), "%.100s, %.50s to %.50s", own, from, to);
	return strings_number(&timeline->strings, text, name);
}

/* The file that is being read */
static struct timeline_file *file_of(struct timeline *timeline)
{
	return timeline_at(&timeline->files, struct timeline_file, timeline->files.n - 1);
}

static int take_work(struct timeline *timeline, const struct timeline_track *track,
		     const struct gpmu_trace_item *item, enum timeline_work_kind kind)
{
	struct timeline_work *work;
	uint32_t name;

	if (track->role != TIMELINE_STREAM) {
		file_of(timeline)->unplaced++;
		return 0;
	}
	if (name_of_work(timeline, item, kind, &name))
		return -ENOMEM;
	work = vector_add(&timeline->works, sizeof(*work));
	if (!work)
		return -ENOMEM;
	work->begin = item->begin;
	work->end = item->end;
	work->bytes = integer_of(item, "bytes");
	work->name = name;
	work->kind = kind;
	work->stream = track->index & ((1U << 30) - 1);
	return 0;
}

static int take_call(struct timeline *timeline, const struct timeline_track *track,
		     const struct gpmu_trace_item *item, bool is_driver)
{
	struct timeline_call *call = vector_add(&timeline->calls, sizeof(*call));

	if (!call)
		return -ENOMEM;
	call->begin = item->begin;
	call->end = item->end;
	call->thread = track->role == TIMELINE_THREAD ? track->index : TIMELINE_NONE;
	call->file = ((uint32_t)timeline->files.n - 1) & ((1U << 30) - 1);
	call->is_driver = is_driver;
	call->has_failed = integer_of(item, "result") != 0;
	return strings_number(&timeline->strings, item->name ? item->name : "", &call->name);
}

static int take_slice(struct timeline *timeline, struct vector *array, const struct timeline_track *track,
		      const struct gpmu_trace_item *item, const char *other)
{
	struct timeline_slice *slice = vector_add(array, sizeof(*slice));

	if (!slice)
		return -ENOMEM;
	slice->begin = item->begin;
	slice->end = item->end;
	slice->file = (uint32_t)timeline->files.n - 1;
	slice->other = TIMELINE_NONE;
	slice->thread = track->thread;
	slice->value = integer_of(item, "value");
	if (other && strings_number(&timeline->strings, other, &slice->other))
		return -ENOMEM;
	return strings_number(&timeline->strings, item->name ? item->name : "", &slice->name);
}

static int take_unified(struct timeline *timeline, const struct timeline_track *track,
			const struct gpmu_trace_item *item)
{
	if (take_slice(timeline, &timeline->unified, track, item, NULL))
		return -ENOMEM;
	timeline_at(&timeline->unified, struct timeline_slice, timeline->unified.n - 1)->other =
		track->gpu;
	return 0;
}

static int take_value(struct timeline *timeline, const struct timeline_track *track,
		      const struct gpmu_trace_item *item)
{
	struct timeline_counter *counter;
	struct timeline_value *value;

	if (track->role != TIMELINE_COUNTER)
		return 0;
	counter = timeline_at(&timeline->counters, struct timeline_counter, track->index);
	value = vector_add(&counter->values, sizeof(*value));
	if (!value)
		return -ENOMEM;
	value->time = item->begin;
	value->value = item->value;
	return 0;
}

/* The number of an argument's text, or TIMELINE_NONE */
static int text_number(struct timeline *timeline, const struct gpmu_trace_item *item, const char *name, uint32_t *number)
{
	const char *text = text_of(item, name);

	*number = TIMELINE_NONE;
	return text ? strings_number(&timeline->strings, text, number) : 0;
}

void timeline_count(struct timeline_samples *samples, uint32_t latency)
{
	samples->count++;
	if (latency == TIMELINE_NONE)
		return;
	samples->latency_count++;
	samples->latency += latency;
	if (latency > samples->latency_max)
		samples->latency_max = latency;
}

/* Counts the sample for its function and tier. */
static int take_function(struct timeline *timeline, const struct gpmu_trace_item *item, uint32_t tier, uint32_t latency)
{
	struct timeline_function *named;
	uint32_t function, object;
	union map_cell *cell;
	uint64_t place;
	bool added;

	if (text_number(timeline, item, "function", &function) || text_number(timeline, item, "object", &object))
		return -ENOMEM;
	cell = map_add(&timeline->place_numbers, (uint64_t)function << 32 | object, &added);
	if (!cell)
		return -ENOMEM;
	if (added)
		cell->number = timeline->functions.n;
	place = cell->number;
	cell = map_add(&timeline->function_numbers, place << 32 | tier, &added);
	if (!cell)
		return -ENOMEM;
	if (added) {
		cell->number = timeline->functions.n;
		named = vector_add(&timeline->functions, sizeof(*named));
		if (!named)
			return -ENOMEM;
		*named = (struct timeline_function){ function, object, { .tier = tier, .home = TIMELINE_NONE } };
	}
	timeline_count(&timeline_at(&timeline->functions, struct timeline_function, cell->number)->samples, latency);
	return 0;
}

static int take_sample(struct timeline *timeline, const struct timeline_track *track, const struct gpmu_trace_item *item)
{
	const uint32_t latency = arg_of(item, "latency") ? (uint32_t)integer_of(item, "latency") : TIMELINE_NONE;
	struct timeline_samples *samples;
	struct timeline_sample *sample;
	uint32_t tier, home, index;
	uint64_t key;

	if (text_number(timeline, item, "tier", &tier) || text_number(timeline, item, "home", &home))
		return -ENOMEM;
	key = (uint64_t)tier << 32 | home;
	if (!map_get(&timeline->sample_numbers, key, &index)) {
		index = (uint32_t)timeline->samples.n;
		samples = vector_add(&timeline->samples, sizeof(*samples));
		if (!samples || map_set(&timeline->sample_numbers, key, index))
			return -ENOMEM;
		samples->tier = tier;
		samples->home = home;
	}
	timeline_count(timeline_at(&timeline->samples, struct timeline_samples, index), latency);
	if (take_function(timeline, item, tier, latency))
		return -ENOMEM;
	if (track->thread == TIMELINE_NONE)
		return 0;
	sample = vector_add(&timeline->thread_samples, sizeof(*sample));
	if (!sample)
		return -ENOMEM;
	*sample = (struct timeline_sample){ .time = item->begin, .thread = track->thread, .samples = index, .latency = latency };
	return 0;
}

static int take_stack(struct timeline *timeline, const struct gpmu_trace_item *item)
{
	struct timeline_stack *stack;
	uint32_t event, text, index;
	union map_cell *sum;
	uint64_t key;
	bool added;

	if (strings_number(&timeline->strings, item->category, &event) ||
	    strings_number(&timeline->strings, item->name ? item->name : "[unknown]", &text))
		return -ENOMEM;
	key = (uint64_t)event << 32 | text;
	if (!map_get(&timeline->stack_numbers, key, &index)) {
		index = (uint32_t)timeline->stacks.n;
		stack = vector_add(&timeline->stacks, sizeof(*stack));
		if (!stack || map_set(&timeline->stack_numbers, key, index))
			return -ENOMEM;
		stack->event = event;
		stack->stack = text;
	}
	stack = timeline_at(&timeline->stacks, struct timeline_stack, index);
	stack->count++;
	stack->period += (uint64_t)item->value;
	sum = map_add(&timeline->event_periods, event, &added);
	if (!sum)
		return -ENOMEM;
	sum->number += (uint64_t)item->value;
	return 0;
}

static int by_category(struct timeline *timeline, const struct timeline_track *track,
		       const struct gpmu_trace_item *item)
{
	static const char *const works[] = {
		[TIMELINE_KERNEL] = "kernel", [TIMELINE_COPY] = "memcpy", [TIMELINE_SET] = "memset",
		[TIMELINE_GRAPH] = "graph",
	};
	const char *category = item->category;

	for (unsigned int kind = 0; kind < ARRAY_SIZE(works); kind++)
		if (!strcmp(category, works[kind]))
			return take_work(timeline, track, item, kind);
	if (!strcmp(category, "runtime") || !strcmp(category, "driver"))
		return take_call(timeline, track, item, *category == 'd');
	if (!strcmp(category, "nvtx")) {
		const char *domain = text_of(item, "domain");

		return take_slice(timeline, &timeline->ranges, track, item, domain ? domain : "");
	}
	/* Regions are ranges of the domain "gpmu-mark", named after the header that marks them. */
	if (!strcmp(category, "region"))
		return take_slice(timeline, &timeline->ranges, track, item, "gpmu-mark");
	if (!strcmp(category, "sync"))
		return take_slice(timeline, &timeline->waits, track, item, NULL);
	if (!strcmp(category, "unified"))
		return take_unified(timeline, track, item);
	if (!strcmp(category, "gap"))
		return take_slice(timeline, &timeline->gaps, track, item, text_of(item, "of"));
	if (!strcmp(category, "overhead"))
		return take_slice(timeline, &timeline->overheads, track, item, NULL);
	return 0;
}

/*
 * Updates the first and last time. Audit entries have the time at which they were written,
 * so they do not count as events of the program.
 */
static void note_times(struct timeline_file *file, const struct gpmu_trace_item *item)
{
	if (!file->any || item->begin < file->first)
		file->first = item->begin;
	if (!file->any || item->end > file->last)
		file->last = item->end;
	file->any = true;
}

int timeline_take(struct timeline *timeline, struct gpmu_trace_reader *reader,
		  const struct gpmu_trace_item *item)
{
	const struct timeline_track *track;

	if (item->category && !strcmp(item->category, "audit"))
		return timeline_take_fact(timeline, item);
	note_times(file_of(timeline), item);
	if (item->kind == GPMU_TRACE_SWITCH)
		return timeline_take_switch(timeline, item->change);
	if (item->kind == GPMU_TRACE_STACK)
		return take_stack(timeline, item);
	track = timeline_track(timeline, reader, item->track);
	if (!track)
		return -ENOMEM;
	if (item->kind == GPMU_TRACE_COUNT)
		return take_value(timeline, track, item);
	if (item->kind == GPMU_TRACE_INSTANT && item->category && !strcmp(item->category, "spe"))
		return take_sample(timeline, track, item);
	if (item->kind == GPMU_TRACE_SLICE && item->category)
		return by_category(timeline, track, item);
	return 0;
}
