// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/sized.h"
#include "trace/clock.h"

#define READS	8	/* the first read misses the caches */

struct gpmu_clock *gpmu_clock_new(const struct gpmu_clock_options *options)
{
	struct gpmu_clock_options complete = { 0 };
	struct gpmu_clock *clock = calloc(1, sizeof(*clock));

	if (!clock)
		return NULL;
	if (options)
		sized_copy(&complete, sizeof(complete), options);
	clock->error = (double)complete.error;
	clock->drift = complete.drift ? (double)complete.drift / 1e9 : 1e-6;
	return clock;
}

void gpmu_clock_free(struct gpmu_clock *clock)
{
	free(clock);
}

static int look(clockid_t id, uint64_t *time)
{
	struct timespec now;

	if (clock_gettime(id, &now))
		return -errno;
	*time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return 0;
}

int gpmu_clock_read(clockid_t id, struct gpmu_clock_pair *pair)
{
	struct gpmu_clock_pair next = { 0 };
	int ret;

	for (int i = 0; i < READS; i++) {
		ret = look(CLOCK_MONOTONIC_RAW, &next.before);
		if (!ret)
			ret = look(id, &next.other);
		if (!ret)
			ret = look(CLOCK_MONOTONIC_RAW, &next.after);
		if (ret)
			return ret;
		if (!i || next.after - next.before < pair->after - pair->before)
			*pair = next;
	}
	return 0;
}

/*
 * Updates the clock's step as a greatest common divisor. It can be a multiple of the true
 * step by chance, which widens bounds; it is never too small.
 */
static void find_step(struct gpmu_clock *clock, uint64_t other, bool is_set)
{
	uint64_t a = clock->step, b;

	clock->pairs++;
	if (is_set)
		clock->first = other;
	b = other - clock->first;
	if ((int64_t)b < 0)
		b = -b;
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	clock->step = a;
}

static void append(struct gpmu_clock *clock, const struct clock_anchor *anchor, uint64_t slot)
{
	if (clock->length == CLOCK_ANCHORS)
		clock->oldest = (clock->oldest + 1) % CLOCK_ANCHORS;
	else
		clock->length++;
	clock->anchors[clock_place(clock, clock->length - 1)] = *anchor;
	clock->slot = slot;
}

/* Returns whether the clock was set: otherwise it has advanced by about the time that passed. */
static bool was_set(const struct clock_anchor *last, const struct clock_anchor *next,
		    const struct clock_answer *want)
{
	double passed = clock_since(next->time, last->time);
	double counted = clock_since(next->other, last->other);
	double max = next->half + want->bound + passed * CLOCK_RATE;

	return fabs(clock_since(next->time, want->time)) > max ||
	       (passed >= CLOCK_SLOT && counted < passed / 2);
}

int gpmu_clock_add(struct gpmu_clock *clock, const struct gpmu_clock_pair *pair)
{
	struct clock_anchor *last, next = {
		.time = pair->before + (pair->after - pair->before) / 2,
		.other = pair->other,
		.half = (double)(pair->after - pair->before) / 2 + 0.5,
	};
	struct clock_answer want;
	bool is_set = !clock->length;

	if (pair->after < pair->before || (!is_set && pair->before < clock->end))
		return -EINVAL;
	clock->end = pair->after;
	if (is_set) {
		append(clock, &next, pair->before);
		find_step(clock, next.other, true);
		return 0;
	}
	last = &clock->anchors[clock_place(clock, clock->length - 1)];
	next.run = last->run;
	want = clock_onward(clock, clock->length - 1, next.other);
	if (was_set(last, &next, &want)) {
		is_set = true;
		next.run++;
		append(clock, &next, pair->before);
	} else if (next.time - last->time >= CLOCK_SLOT) {
		if (next.half <= want.bound)
			append(clock, &next, pair->before);
	} else if (pair->before - clock->slot < CLOCK_SLOT && next.half < last->half) {
		*last = next;
	}
	find_step(clock, next.other, is_set);
	return 0;
}
