// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A range for each kernel. While the profiler is started, each launch blocks until its kernel has run all passes, and
 * CUPTI numbers the kernels in the order of their launches. The caller holds the lock from the begin of a launch to its end,
 * so that our order is CUPTI's.
 */
#include "collect.h"

#define IDLE_MAX	8	/* kernels that are replayed although they are not wanted, before the profiler is stopped */

static unsigned int idle;
static bool is_in_image;	/* the launch that has begun has an entry */
static bool is_wanted;
static uint64_t seen;
static enum activity_ranges_lost lost;	/* why it has no counters; ACTIVITY_RANGES_REASONS: it is counted, or not wanted */

static bool can_restart(const struct collector *collector)
{
	return collector->options->replay != CHANNEL_REPLAY_APPLICATION;
}

static bool prepare(struct collector *collector, void *context)
{
	if (collector->profiler.state == PROFILER_STARTED)
		return collector->context == context;
	return (collector->profiler.state == PROFILER_OFF || collector->profiler.state == PROFILER_READY) &&
	       collect_start(collector, context);
}

/* Makes room in the image, and stops a profiler that only replays kernels that are not wanted. */
static void make_way(struct collector *collector)
{
	const bool is_full = collector->room && collector->entry_count == collector->room;

	idle = is_wanted ? 0 : idle + 1;
	if (collector->profiler.state == PROFILER_STARTED && can_restart(collector) && (is_full || idle > IDLE_MAX))
		collect_finish(collector);
}

static void lose(struct collector *collector, enum activity_ranges_lost why)
{
	if (!is_wanted)
		return;
	lost = why;
	collector->numbers.lost[why]++;
}

void kernels_begin(struct collector *collector, void *context, const char *name)
{
	uint32_t id;

	is_in_image = false;
	lost = ACTIVITY_RANGES_REASONS;
	collector->numbers.seen++;
	seen = collector->numbers.seen - 1;
	is_wanted = collect_wants(collector, name);
	make_way(collector);
	/* Application replay counts all kernels, so that all runs count the same. */
	if (!is_wanted && can_restart(collector) && collector->profiler.state != PROFILER_STARTED)
		return;
	if (!prepare(collector, context))
		return lose(collector, ACTIVITY_RANGES_FOREIGN);
	id = collect_name(collector, 0, name);
	is_in_image = id && collect_add(collector, id, seen, is_wanted) >= 0;
	if (!is_in_image)
		lose(collector, ACTIVITY_RANGES_DROPPED);
}

/* A failed or captured launch has no range. */
void kernels_end(struct collector *collector, bool is_launched)
{
	if (is_launched)
		return;
	collector->numbers.seen--;
	if (is_in_image)
		collector->entry_count--;
	if (lost != ACTIVITY_RANGES_REASONS)
		collector->numbers.lost[lost]--;
	if (is_wanted)
		collector->matched--;
	else
		collector->numbers.lost[ACTIVITY_RANGES_SKIPPED]--;
}
