/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time stamps of other clocks. What is far from 0 is a whole number: a double has steps of
 * 256 ns at today's CLOCK_REALTIME. Doubles are differences.
 */
#ifndef GPMU_CLOCK_H
#define GPMU_CLOCK_H

#include <stdbool.h>

#include "gpmu.h"

#define CLOCK_ANCHORS	4096
#define CLOCK_SLOT	50000000	/* ns; of the pairs in these one is kept */
#define CLOCK_FEWEST	4		/* pairs, for the steps in which a clock counts */
#define CLOCK_RATE	1e-3		/* no clock that is not set is off by more */
#define CLOCK_REACH	60000000000	/* ns from the nearest anchor */

/* A pair that was kept */
struct clock_anchor {
	uint64_t time, other;	/* time: the middle of its bracket */
	double half;		/* of it */
	uint64_t run;		/* grows where the clock was set */
};

struct gpmu_clock {
	double error, drift;
	uint64_t pairs;
	uint64_t first;		/* what it has shown first since it was set */
	uint64_t step;		/* greatest common divisor of what it has counted */
	uint64_t end;		/* of the last bracket */
	uint64_t slot;		/* when the last anchor's began */
	size_t oldest, length;
	struct clock_anchor last;	/* what was asked for: its bound is half */
	bool asked;
	struct clock_anchor anchors[CLOCK_ANCHORS];
};

/* An answer: time and bound */
struct clock_answer {
	uint64_t time;
	double bound;
};

/* By number from the oldest on */
const struct clock_anchor *clock_anchor(const struct gpmu_clock *clock, size_t index);

/* Where the rate of the anchors before number @index and itself leads */
struct clock_answer clock_onward(const struct gpmu_clock *clock, size_t index, uint64_t other);

/* ns from @b to @a, either of which may be the later */
static inline double clock_since(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(a - b);
}

#endif /* GPMU_CLOCK_H */
