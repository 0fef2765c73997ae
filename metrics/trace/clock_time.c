// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts a clock's time stamps to CLOCK_MONOTONIC_RAW. */
#include <errno.h>
#include <math.h>

#include "base/gpmu_double.h"
#include "trace/clock.h"

#define NEIGHBOURS	8 /* number of intervals between the two anchors that determine a rate */

/* Anchors between which the clock was not set */
struct run {
	size_t begin, end;	/* end: index after the last */
};

/*
 * Rate error from anchor @a to @b: seconds by which time exceeds the clock, per second of
 * the clock
 */
static double rate(const struct gpmu_clock *clock, size_t a, size_t b)
{
	const struct clock_anchor *from = clock_anchor(clock, a), *to = clock_anchor(clock, b);

	return clock_since(to->time - from->time, to->other - from->other) /
	       clock_since(to->other, from->other);
}

static double step(const struct gpmu_clock *clock)
{
	return clock->pairs < CLOCK_FEWEST ? 0 : (double)clock->step;
}

/*
 * Extrapolates from anchor @from at the rate between @from and @to; @to equals @from if there is
 * no other anchor.
 */
static struct clock_answer extend(const struct gpmu_clock *clock, size_t from, size_t to, uint64_t other)
{
	const struct clock_anchor *anchor = clock_anchor(clock, from), *far = clock_anchor(clock, to);
	size_t next = to < from ? from - 1 : from + 1;
	double distance = clock_since(other, anchor->other), r = 0, unsure = CLOCK_RATE;

	if (from != to) {
		r = rate(clock, from, to);
		unsure = (anchor->half + far->half + step(clock)) /
			 fabs(clock_since(far->other, anchor->other)) +
			 fabs(rate(clock, from, next) - r) + clock->drift;
	}
	return (struct clock_answer){
		.time = anchor->time + (other - anchor->other) + (uint64_t)llrint(distance * r),
		.bound = anchor->half + step(clock) + fabs(distance) * unsure,
	};
}

struct clock_answer clock_onward(const struct gpmu_clock *clock, size_t index, uint64_t other)
{
	uint64_t run = clock_anchor(clock, index)->run;
	size_t from = index;

	while (from && index - from < NEIGHBOURS && clock_anchor(clock, from - 1)->run == run)
		from--;
	return extend(clock, index, from, other);
}

/*
 * ns that the clock gained between anchors @i and @i + 1, compared with the rate before or after
 * them, whichever is less. If the clock changed its rate once in between, or was set, both
 * values are at least the error of the straight line between the anchors.
 */
static double unexpected(const struct gpmu_clock *clock, const struct run *run, size_t i)
{
	const struct clock_anchor *a = clock_anchor(clock, i), *b = clock_anchor(clock, i + 1);
	double counted = clock_since(b->other, a->other), r = rate(clock, i, i + 1), min = -1, off;
	size_t end = i + 1 + NEIGHBOURS;

	if (i > run->begin) {
		off = r - rate(clock, i - run->begin < NEIGHBOURS ? run->begin : i - NEIGHBOURS, i);
		min = fabs(off * counted);
	}
	if (i + 2 < run->end) {
		off = r - rate(clock, i + 1, end < run->end ? end : run->end - 1);
		if (min < 0 || fabs(off * counted) < min)
			min = fabs(off * counted);
	}
	return min < 0 ? fabs(r * counted) : min;
}

/* Interpolates between anchor @i and the next one. */
static struct clock_answer between(const struct gpmu_clock *clock, const struct run *run, size_t i,
				   uint64_t other)
{
	const struct clock_anchor *a = clock_anchor(clock, i), *b = clock_anchor(clock, i + 1);
	double distance = clock_since(other, a->other), rest = clock_since(b->other, other);
	double half = (a->half * rest + b->half * distance) / (distance + rest);

	return (struct clock_answer){
		.time = a->time + (other - a->other) +
			(uint64_t)llrint(distance * rate(clock, i, i + 1)),
		.bound = half + step(clock) + unexpected(clock, run, i) +
			 gpmu_double_min(distance, rest) * clock->drift,
	};
}

/*
 * Bounds a time between anchor @i, the last before the clock was set, and the next, the
 * first after it; false if the time is outside.
 */
static bool bound_around_set(const struct gpmu_clock *clock, size_t i, struct clock_answer *answer)
{
	const struct clock_anchor *a = clock_anchor(clock, i), *b = clock_anchor(clock, i + 1);
	double after, before, slack = a->half + b->half + step(clock);

	after = clock_since(answer->time, a->time);
	before = clock_since(b->time, answer->time);
	if (after < -slack || before < -slack)
		return false;
	answer->bound = gpmu_double_max(after, before) + slack;
	return true;
}

/*
 * Converts a time stamp within a run or up to the next set; false if the clock did not
 * show it then.
 */
static bool convert_in_run(const struct gpmu_clock *clock, const struct run *run, uint64_t other,
			   struct clock_answer *answer)
{
	size_t low = run->begin, high = run->end - 1, middle;

	if (clock_since(other, clock_anchor(clock, low)->other) < 0) {
		*answer = extend(clock, low, high - low < NEIGHBOURS ? high : low + NEIGHBOURS, other);
		return low ? bound_around_set(clock, low - 1, answer) :
			     clock_since(clock_anchor(clock, 0)->other, other) <= CLOCK_REACH;
	}
	if (clock_since(other, clock_anchor(clock, high)->other) >= 0) {
		*answer = clock_onward(clock, high, other);
		return run->end < clock->length ? bound_around_set(clock, high, answer) :
			clock_since(other, clock_anchor(clock, high)->other) <= CLOCK_REACH;
	}
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (clock_since(other, clock_anchor(clock, middle)->other) < 0)
			high = middle;
		else
			low = middle;
	}
	*answer = between(clock, run, low, other);
	return gpmu_double_min(clock_since(other, clock_anchor(clock, low)->other),
			       clock_since(clock_anchor(clock, high)->other, other)) <= CLOCK_REACH;
}

/* Returns the run that ends before anchor @end. */
static struct run run_before(const struct gpmu_clock *clock, size_t end)
{
	uint64_t number = clock_anchor(clock, end - 1)->run;
	size_t low = 0, high = end - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (clock_anchor(clock, middle)->run < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct run){ .begin = low, .end = end };
}

/*
 * Keeps the order of answers: a later time stamp yields no earlier time than the last
 * answer.
 */
static void keep_order(struct gpmu_clock *clock, uint64_t other, uint64_t number,
		       struct clock_answer *answer)
{
	struct clock_anchor *last = &clock->last;

	if (clock->is_asked && last->run == number && clock_since(other, last->other) >= 0 &&
	    clock_since(answer->time, last->time) < 0) {
		answer->time = last->time;
		answer->bound = gpmu_double_max(answer->bound, last->half);
	}
	*last = (struct clock_anchor){
		.time = answer->time, .other = other, .half = answer->bound, .run = number,
	};
	clock->is_asked = true;
}

int gpmu_clock_time(struct gpmu_clock *clock, uint64_t other, uint64_t *time, uint64_t *bound)
{
	struct clock_answer answer, candidate;
	uint64_t number = 0;
	bool is_found = false;

	if (clock->pairs < CLOCK_FEWEST)
		return -EAGAIN;
	for (size_t end = clock->length; end;) {
		struct run run = run_before(clock, end);

		end = run.begin;
		if (!convert_in_run(clock, &run, other, &candidate))
			continue;
		if (!is_found) {
			answer = candidate;
			number = clock_anchor(clock, run.begin)->run;
			is_found = true;
			continue;
		}
		answer.bound = gpmu_double_max(answer.bound,
					       fabs(clock_since(answer.time, candidate.time)) + candidate.bound);
	}
	if (!is_found)
		return -ERANGE;
	answer.bound += clock->error;
	keep_order(clock, other, number, &answer);
	*time = answer.time;
	*bound = (uint64_t)ceil(answer.bound);
	return 0;
}
