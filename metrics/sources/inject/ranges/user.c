// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ranges of the program. CUPTI has one stack of ranges for a context, whatever the thread, so the thread that has
 * begun the outermost range owns the stack until that range ends, and ranges of other threads in this time are not
 * counted.
 *
 * The profiler is started by the first work in an outermost range, in whose call the context is current. If the
 * metrics need one lap, it stays started. If they need several, each lap is an outermost range of the same name:
 * the program has to do the same work in each, and CUPTI combines the laps. With checkpoints an outermost range
 * also starts the profiler when it begins, so that the checkpoint has no memory that the range allocates.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"

#define DEPTH_MAX	64
#define LAP_ENTRIES	64	/* ranges whose names are compared between laps */

static struct {
	uint32_t name;
	bool is_pushed;		/* to CUPTI */
	bool is_lost;		/* counted in the numbers of lost ranges */
} stack[DEPTH_MAX];
static unsigned int depth;
static pid_t owner;		/* thread */
static bool is_counted;		/* the outermost range is to be counted */
static uint64_t outermost;	/* its number */
static __thread unsigned int ignored;	/* open ranges of this thread that are not in the stack */

/* A set of laps */
static struct {
	uint32_t name;			/* of the outermost range; 0: no set has begun */
	size_t count;			/* ranges of the first lap */
	uint32_t names[LAP_ENTRIES];
	uint64_t earlier;		/* ranges of earlier laps */
	bool is_first, is_broken;	/* is_broken: the laps have different ranges */
} set;

/* Returns whether several laps are needed, which this process has to make. */
static bool has_laps(const struct collector *collector)
{
	return collector->options->replay == CHANNEL_REPLAY_USER && collect_laps(collector) > 1;
}

/* The name's next set begins when all other outermost names have as many. */
static bool is_due(const struct collector *collector, uint32_t name)
{
	if (set.name)
		return set.name == name;
	for (size_t i = 0; i < collector->name_count; i++)
		if (!collector->names[i].parent && collector->names[i].sets < collector->names[name - 1].sets)
			return false;
	return true;
}

static void lose(struct collector *collector, unsigned int level, enum activity_ranges_lost why)
{
	stack[level].is_lost = true;
	collector->numbers.lost[why]++;
}

static void push_top(struct collector *collector, unsigned int top)
{
	char id[24];
	ptrdiff_t index = collect_add(collector, stack[top].name, outermost, true);

	if (index < 0)
		return lose(collector, top, ACTIVITY_RANGES_DROPPED);
	snprintf(id, sizeof(id), "r%td", index);
	stack[top].is_pushed = profiler_push(&collector->profiler, id);
	if (!set.name)
		return;
	if (set.is_first && index < LAP_ENTRIES) {
		set.names[index] = stack[top].name;
		set.count = (size_t)index + 1;
	} else if (index >= LAP_ENTRIES || (size_t)index >= set.count || set.names[index] != stack[top].name) {
		set.is_broken = true;
	}
}

static bool begin_lap(struct collector *collector, void *context)
{
	if (collector->profiler.state == PROFILER_READY)
		return context == collector->context && !collector->captures && collect_resume(collector);
	if (collector->profiler.state != PROFILER_OFF || !collect_start(collector, context))
		return false;
	if (has_laps(collector) && !set.name) {
		set.name = stack[0].name;
		set.is_first = true;
		set.is_broken = false;
		set.count = set.earlier = 0;
	}
	return true;
}

/* Counting has ended: the open ranges have work that is not counted, and the set stays incomplete. */
static void lose_open(struct collector *collector)
{
	for (unsigned int i = 0; i < depth; i++)
		if (!stack[i].is_lost && !stack[i].is_pushed)
			lose(collector, i, ACTIVITY_RANGES_FOREIGN);
	if (set.name)
		collector->numbers.lost[ACTIVITY_RANGES_PARTIAL] += set.earlier;
	set.name = 0;
}

void user_work(struct collector *collector, void *context)
{
	if (!depth || !is_counted || collector->profiler.state == PROFILER_STARTED)
		return;
	if (collector->has_ended || !begin_lap(collector, context)) {
		if (collector->has_ended)
			lose_open(collector);
		return;
	}
	for (unsigned int i = 0; i < depth && i < collector->options->levels; i++)
		if (!stack[i].is_lost)
			push_top(collector, i);
}

/* The laps of a set become one range each, whose counters are complete. */
static void end_set(struct collector *collector)
{
	const bool is_whole = collector->profiler.state == PROFILER_STOPPED && !set.is_broken;

	if (!is_whole) {
		collector->numbers.lost[ACTIVITY_RANGES_PARTIAL] += collector->entry_count;
		collector->entry_count = 0;
	}
	collector->numbers.lost[is_whole ? ACTIVITY_RANGES_LAPS : ACTIVITY_RANGES_PARTIAL] += set.earlier;
	collect_finish(collector);
	collector->names[set.name - 1].sets++;
	set.name = 0;
}

static void end_lap(struct collector *collector)
{
	struct profiler *profiler = &collector->profiler;

	if (profiler->state != PROFILER_STARTED)
		return;
	if (!has_laps(collector)) {
		/* The next outermost range may have as many ranges as this image still has room for. */
		if (collector->options->replay == CHANNEL_REPLAY_USER && collector->entry_count > collector->room / 2)
			collect_finish(collector);
		return;
	}
	profiler_stop(profiler, false);
	set.is_broken = set.is_broken || collector->entry_count != set.count;
	set.is_first = false;
	if (profiler->state != PROFILER_READY)
		return end_set(collector);
	set.earlier += collector->entry_count;
	collector->entry_count = 0;
}

void user_end(struct collector *collector)
{
	if (set.name)
		end_set(collector);
	else
		collect_finish(collector);
}

void user_abandon(struct collector *collector)
{
	for (size_t i = 0; depth && !set.name && i < collector->entry_count; i++) {
		if (collector->entries[i].number != outermost)
			continue;
		collector->entries[i].is_wanted = false;
		collector->numbers.lost[ACTIVITY_RANGES_PARTIAL]++;
	}
	user_end(collector);
}

/* Decides whether the outermost range, which has begun, is counted. */
static void begin_outermost(struct collector *collector, const char *name)
{
	owner = gettid();
	outermost = collector->numbers.seen - 1;
	is_counted = false;
	stack[0].is_lost = true;
	if (collector->has_ended)
		collector->numbers.lost[ACTIVITY_RANGES_FOREIGN]++;
	else if (has_laps(collector) && !is_due(collector, stack[0].name))
		collector->numbers.lost[ACTIVITY_RANGES_PARTIAL]++;
	else
		is_counted = collect_wants(collector, name);
	stack[0].is_lost = !is_counted;
}

static void begin_inner(struct collector *collector)
{
	if (!is_counted)
		lose(collector, depth, ACTIVITY_RANGES_SKIPPED);
	else if (depth >= collector->options->levels)
		lose(collector, depth, ACTIVITY_RANGES_DEEP);
}

static void begin_early(struct collector *collector)
{
	void *context = NULL;

	if (collector->options->checkpoint && !collector->api.driver.current(&context) && context)
		user_work(collector, context);
}

void user_push(struct collector *collector, const char *name)
{
	/* A range in an ignored one is ignored, too, so that the thread's next end is that of its innermost range. */
	const bool is_foreign = ignored || (depth && owner != gettid()) || depth == DEPTH_MAX || collector->captures;
	uint32_t id = is_foreign ? 0 : collect_name(collector, depth ? stack[depth - 1].name : 0, name);

	collector->numbers.seen++;
	if (!id) {
		collector->numbers.lost[ACTIVITY_RANGES_OVERLAPPING]++;
		ignored++;
		return;
	}
	stack[depth].name = id;
	stack[depth].is_pushed = stack[depth].is_lost = false;
	if (depth)
		begin_inner(collector);
	else
		begin_outermost(collector, name);
	depth++;
	if (!stack[depth - 1].is_lost && collector->profiler.state == PROFILER_STARTED)
		push_top(collector, depth - 1);
	else if (depth == 1)
		begin_early(collector);
}

void user_pop(struct collector *collector)
{
	if (ignored) {
		ignored--;
		return;
	}
	if (!depth || owner != gettid())
		return;
	depth--;
	if (stack[depth].is_pushed && !profiler_pop(&collector->profiler) && !collector->has_ended)
		collect_give_up(collector, "ranges are no longer counted");
	if (!stack[depth].is_pushed && !stack[depth].is_lost)
		collector->numbers.lost[ACTIVITY_RANGES_EMPTY]++;
	if (!depth)
		end_lap(collector);
}
