/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A simulated clock with a rate, steps and sets, and readings of it */
#ifndef GPMU_TESTS_CLOCK_H
#define GPMU_TESTS_CLOCK_H

#include <math.h>
#include <stdlib.h>

#include "trace/clock.h"
#include "tap.h"

#define MS 1000000ull
#define T0 3000000000000000000ull	/* ns; doubles of this size are 512 ns apart */

/*
 * From @time on, in ns since T0, the clock gains @gain ns per second; at @time it is set by @set
 * ns.
 */
struct test_change {
	uint64_t time;
	int64_t gain, set;
};

struct test_clock {
	uint64_t base;			/* reading at T0 */
	uint64_t step;			/* resolution in ns; 0: 1 ns */
	struct test_change changes[4];	/* the first is at 0; a time of 0 ends the list */
	uint64_t wide;			/* every @wide-th bracket is wider by @wider ns; 0: none */
	uint64_t wider;
	bool is_late;			/* the clock is always read at the end of the bracket */
};

/* xorshift64 */
static uint64_t test_random(uint64_t below)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static uint64_t test_shows(const struct test_clock *clock, uint64_t time)
{
	const struct test_change *c = clock->changes;
	uint64_t other = time;

	for (int i = 0; i < 4 && (!i || c[i].time) && c[i].time <= time; i++) {
		uint64_t end = i < 3 && c[i + 1].time && c[i + 1].time < time ? c[i + 1].time : time;

		other += (uint64_t)((int64_t)(end - c[i].time) / 1000 * c[i].gain / 1000000 + c[i].set);
	}
	return clock->base + (clock->step ? other - other % clock->step : other);
}

static struct gpmu_clock_pair test_pair(const struct test_clock *clock, uint64_t time)
{
	static uint64_t n;
	uint64_t width = 1900 + test_random(1000), in;

	if (clock->wide && ++n % clock->wide == 0)
		width += clock->wider;
	in = clock->is_late ? width : test_random(width + 1);
	return (struct gpmu_clock_pair){
		.before = T0 + time, .other = test_shows(clock, time + in), .after = T0 + time + width,
	};
}

/* Adds pairs from @begin to before @end, about @every ns apart. */
__attribute__((unused))
static void test_add(struct gpmu_clock *clock, const struct test_clock *test, uint64_t begin,
		     uint64_t end, uint64_t every)
{
	struct gpmu_clock_pair pair;

	for (uint64_t time = begin; time < end; time += every) {
		pair = test_pair(test, time + test_random(every / 100));
		if (gpmu_clock_add(clock, &pair))
			printf("Bail out! a pair is refused\n");
	}
}

struct test_errors {
	int asked, refused, outside, backwards;
	double worst, bound, median;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Asks for the times of 5000 readings from @begin to @end, in order. */
__attribute__((unused))
static struct test_errors test_ask(struct gpmu_clock *clock, const struct test_clock *test,
				   uint64_t begin, uint64_t end)
{
	enum { ASKED = 5000 };
	static double bounds[ASKED];
	struct test_errors errors = { 0 };
	uint64_t time, bound, last = 0;
	int n = 0;

	for (uint64_t i = 0; i < ASKED; i++) {
		uint64_t asked = begin + (end - begin) * i / ASKED;
		double off;

		errors.asked++;
		if (gpmu_clock_time(clock, test_shows(test, asked), &time, &bound)) {
			errors.refused++;
			continue;
		}
		off = fabs((double)(int64_t)(time - T0 - asked));
		errors.outside += off > (double)bound;
		errors.backwards += last && time < last;
		errors.worst = fmax(errors.worst, off);
		errors.bound = fmax(errors.bound, (double)bound);
		bounds[n++] = (double)bound;
		last = time;
	}
	qsort(bounds, (size_t)n, sizeof(bounds[0]), by_size);
	errors.median = n ? bounds[n / 2] : 0;
	diag("%d asked, %d refused, %d outside, %d backwards; off by at most %.0f ns; bounds: "
	     "median %.0f ns, largest %.0f ns", errors.asked, errors.refused, errors.outside,
	     errors.backwards, errors.worst, errors.median, errors.bound);
	return errors;
}

#endif /* GPMU_TESTS_CLOCK_H */
