// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps slices, by their category, and values of counters. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "report/timeline/timeline.h"

/*
 * Appends the kinds of memory to a copy's name, to distinguish them: "memcpy HtoD,
 * pageable to device".
 */
static int name_of_work(struct timeline *timeline, const struct gpmu_trace_item *item,
			enum timeline_work_kind kind, uint32_t *name)
{
	const char *from = timeline_text_of(item, "from"), *to = timeline_text_of(item, "to"),
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
	return &timeline->files.list[timeline->files.n - 1];
}

static int take_node(struct timeline *timeline, const struct gpmu_trace_item *item, uint32_t name)
{
	struct timeline_node node = {
		.node = timeline_integer(item, "node"), .time = item->end - item->begin, .name = name,
		.file = (uint32_t)timeline->files.n - 1,
	};

	if (!node.node)
		return 0;
	return timeline_text_number(timeline, item, "created_in", &node.range) || vector_push(&timeline->nodes, &node) ? -ENOMEM : 0;
}

static int take_work(struct timeline *timeline, const struct timeline_track *track,
		     const struct gpmu_trace_item *item, enum timeline_work_kind kind)
{
	uint32_t name;

	if (track->role != TIMELINE_STREAM) {
		file_of(timeline)->unplaced++;
		return 0;
	}
	if (name_of_work(timeline, item, kind, &name) || take_node(timeline, item, name))
		return -ENOMEM;
	return vector_push(&timeline->works, &(struct timeline_work){
		.begin = item->begin, .end = item->end, .bytes = timeline_integer(item, "bytes"), .name = name, .kind = kind,
		.stream = track->index & ((1U << 30) - 1),
	});
}

static int take_call(struct timeline *timeline, const struct timeline_track *track,
		     const struct gpmu_trace_item *item, bool is_driver)
{
	struct timeline_call call = {
		.begin = item->begin, .end = item->end, .is_driver = is_driver,
		.has_failed = timeline_integer(item, "result") != 0,
		.correlation = (uint32_t)timeline_integer(item, "correlation"),
		.thread = track->role == TIMELINE_THREAD ? track->index : TIMELINE_NONE,
		.file = ((uint32_t)timeline->files.n - 1) & ((1U << 30) - 1),
	};

	if (strings_number(&timeline->strings, item->name ? item->name : "", &call.name))
		return -ENOMEM;
	return vector_push(&timeline->calls, &call);
}

/* @other: TIMELINE_NONE for none */
static int take_slice(struct timeline *timeline, struct timeline_slices *slices, const struct timeline_track *track,
		      const struct gpmu_trace_item *item, uint32_t other)
{
	struct timeline_slice slice = {
		.begin = item->begin, .end = item->end, .file = (uint32_t)timeline->files.n - 1, .other = other,
		.thread = track->thread, .value = timeline_integer(item, "bytes"),
	};

	if (strings_number(&timeline->strings, item->name ? item->name : "", &slice.name))
		return -ENOMEM;
	return vector_push(slices, &slice);
}

static int take_value(struct timeline *timeline, const struct timeline_track *track,
		      const struct gpmu_trace_item *item)
{
	struct timeline_counter *counter;

	if (track->role != TIMELINE_COUNTER)
		return 0;
	counter = &timeline->counters.list[track->index];
	return vector_push(&counter->values, &(struct timeline_value){ .time = item->begin, .value = item->value });
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
	bool is_new;

	if (timeline_text_number(timeline, item, "function", &function) || timeline_text_number(timeline, item, "object", &object))
		return -ENOMEM;
	cell = map_add(&timeline->place_numbers, (uint64_t)function << 32 | object, &is_new);
	if (!cell)
		return -ENOMEM;
	if (is_new)
		cell->number = timeline->functions.n;
	place = cell->number;
	named = vector_element(&timeline->functions, &timeline->function_numbers, place << 32 | tier);
	if (!named)
		return -ENOMEM;
	named->function = function;
	named->object = object;
	named->samples.tier = tier;
	named->samples.home = TIMELINE_NONE;
	timeline_count(&named->samples, latency);
	return 0;
}

static int take_sample(struct timeline *timeline, const struct timeline_track *track, const struct gpmu_trace_item *item)
{
	const uint32_t latency = timeline_arg(item, "latency") ? (uint32_t)timeline_integer(item, "latency") : TIMELINE_NONE;
	struct timeline_samples *samples;
	uint32_t tier, home;

	if (timeline_text_number(timeline, item, "tier", &tier) || timeline_text_number(timeline, item, "home", &home))
		return -ENOMEM;
	samples = vector_element(&timeline->samples, &timeline->sample_numbers, (uint64_t)tier << 32 | home);
	if (!samples)
		return -ENOMEM;
	samples->tier = tier;
	samples->home = home;
	timeline_count(samples, latency);
	if (take_function(timeline, item, tier, latency))
		return -ENOMEM;
	if (track->thread == TIMELINE_NONE)
		return 0;
	return vector_push(&timeline->thread_samples, &(struct timeline_sample){
		.time = item->begin, .thread = track->thread, .samples = (uint32_t)(samples - timeline->samples.list),
		.latency = latency,
	});
}

/* Gets the number of an event and its call stack. Returns 0 or -ENOMEM. */
static int call_number(struct timeline *timeline, uint32_t event, uint32_t stack, uint32_t *number)
{
	const uint64_t key = (uint64_t)event << 32 | stack;

	if (map_get(&timeline->call_numbers, key, number))
		return 0;
	*number = timeline->call_count++;
	return map_set(&timeline->call_numbers, key, *number);
}

/* Counts samples of a stack of a thread. @event, @text: strings */
static int count_stack(struct timeline *timeline, uint32_t tid, uint32_t event, uint32_t text, uint64_t count, uint64_t period)
{
	struct timeline_thread_stack *stack;
	union map_cell *sum;
	uint32_t call;

	if (call_number(timeline, event, text, &call))
		return -ENOMEM;
	stack = vector_element(&timeline->thread_stacks, &timeline->thread_stack_numbers, (uint64_t)call << 32 | tid);
	sum = map_add(&timeline->event_periods, event, NULL);
	if (!stack || !sum)
		return -ENOMEM;
	stack->call = call;
	stack->tid = tid;
	stack->event = event;
	stack->stack = text;
	stack->count += count;
	stack->period += period;
	sum->number += period;
	return 0;
}

/* Appends ";" and a frame without blanks at its ends. */
static void add_frame(char *text, size_t size, const char *frame, size_t length)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, ";%.*s", (int)length, frame);
}

/*
 * Counts the samples for the stack of the function, the calls by which the line is inlined, the line, and the stall
 * reason.
 */
static int take_pc_stack(struct timeline *timeline, const struct gpmu_trace_item *item, const struct timeline_pc *pc)
{
	static const char between[] = " < ";
	const char *callers = timeline_text_of(item, "callers"), *end = callers ? callers + strlen(callers) : NULL;
	char text[4096], line[1024];
	uint32_t event, stack;

	snprintf(text, sizeof(text), "%.1000s", item->name ? item->name : "?");
	/* The innermost call is first in the text, and last in the stack. */
	while (callers && end > callers) {
		const char *begin = end;

		while (begin > callers && strncmp(begin, between, strlen(between)) != 0)
			begin--;
		begin += begin > callers ? strlen(between) : 0;
		add_frame(text, sizeof(text), begin, (size_t)(end - begin));
		end = begin > callers ? begin - strlen(between) : callers;
	}
	if (pc->file != TIMELINE_NONE) {
		snprintf(line, sizeof(line), "%.1000s:%u", strings_text(&timeline->strings, pc->file), pc->line);
		add_frame(text, sizeof(text), line, strlen(line));
	}
	add_frame(text, sizeof(text), strings_text(&timeline->strings, pc->stall), strlen(strings_text(&timeline->strings, pc->stall)));
	if (strings_number(&timeline->strings, "PC samples", &event) || strings_number(&timeline->strings, text, &stack))
		return -ENOMEM;
	return count_stack(timeline, TIMELINE_NONE, event, stack, pc->samples, pc->samples);
}

static int take_pc(struct timeline *timeline, const struct gpmu_trace_item *item)
{
	struct timeline_pc pc = {
		.samples = timeline_integer(item, "samples"), .not_issued = timeline_integer(item, "not_issued"),
		.line = (uint32_t)timeline_integer(item, "line"), .offset = (uint32_t)timeline_integer(item, "offset"),
	};

	if (strings_number(&timeline->strings, item->name ? item->name : "?", &pc.function) ||
	    timeline_text_number(timeline, item, "file", &pc.file) || timeline_text_number(timeline, item, "stall", &pc.stall))
		return -ENOMEM;
	if (pc.stall == TIMELINE_NONE)
		return 0;
	if (vector_push(&timeline->pcs, &pc))
		return -ENOMEM;
	return take_pc_stack(timeline, item, &pc);
}

static int take_stack(struct timeline *timeline, const struct gpmu_trace_item *item)
{
	uint32_t event, text;

	if (strings_number(&timeline->strings, item->category, &event) ||
	    strings_number(&timeline->strings, item->name ? item->name : "[unknown]", &text))
		return -ENOMEM;
	return count_stack(timeline, item->tid, event, text, 1, (uint64_t)item->value);
}

static int by_category(struct timeline *timeline, const struct timeline_track *track,
		       const struct gpmu_trace_item *item)
{
	static const char *const works[] = {
		[TIMELINE_KERNEL] = "kernel", [TIMELINE_COPY] = "memcpy", [TIMELINE_SET] = "memset",
		[TIMELINE_GRAPH] = "graph",
	};
	const char *category = item->category;
	uint32_t other;

	for (unsigned int kind = 0; kind < ARRAY_SIZE(works); kind++)
		if (!strcmp(category, works[kind]))
			return take_work(timeline, track, item, kind);
	if (!strcmp(category, "runtime") || !strcmp(category, "driver"))
		return take_call(timeline, track, item, *category == 'd');
	if (!strcmp(category, "nvtx") || !strcmp(category, "region")) {
		/* Regions are ranges of the domain "gpmu-mark", named after the header that marks them. */
		const char *domain = *category == 'r' ? "gpmu-mark" : timeline_text_of(item, "domain");

		if (strings_number(&timeline->strings, domain ? domain : "", &other))
			return -ENOMEM;
		return take_slice(timeline, &timeline->ranges, track, item, other);
	}
	if (!strcmp(category, "sync"))
		return take_slice(timeline, &timeline->waits, track, item, TIMELINE_NONE);
	if (!strcmp(category, "unified"))
		return timeline_take_unified(timeline, track, item);
	if (!strcmp(category, "gap"))
		return timeline_text_number(timeline, item, "of", &other) ? -ENOMEM :
		       take_slice(timeline, &timeline->gaps, track, item, other);
	if (!strcmp(category, "overhead"))
		return take_slice(timeline, &timeline->overheads, track, item, TIMELINE_NONE);
	if (!strcmp(category, "openacc"))
		return timeline_text_number(timeline, item, "source", &other) ? -ENOMEM :
		       take_slice(timeline, &timeline->openacc, track, item, other);
	if (!strcmp(category, "module"))
		return take_slice(timeline, &timeline->modules, track, item, TIMELINE_NONE);
	return 0;
}

/*
 * Updates the first and last time. Audit entries have the time at which they were written,
 * so they do not count as events of the program.
 */
static void note_times(struct timeline_file *file, const struct gpmu_trace_item *item)
{
	if (!file->has_events || item->begin < file->first)
		file->first = item->begin;
	if (!file->has_events || item->end > file->last)
		file->last = item->end;
	file->has_events = true;
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
	if (item->kind == GPMU_TRACE_INSTANT && item->category && !strcmp(item->category, "pc"))
		return take_pc(timeline, item);
	if (item->kind == GPMU_TRACE_INSTANT && item->category && !strcmp(item->category, "unified"))
		return timeline_take_unified(timeline, track, item);
	if (item->kind == GPMU_TRACE_INSTANT && item->category && !strcmp(item->category, "host_memory"))
		return timeline_take_host_memory(timeline, track, item);
	if (item->kind == GPMU_TRACE_SLICE && item->category)
		return by_category(timeline, track, item);
	return 0;
}
