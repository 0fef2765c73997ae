/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of time stamps of other clocks. Large values are integers, because a double
 * near today's CLOCK_REALTIME has a resolution of 256 ns. Doubles hold differences only.
 */
#ifndef GPMU_CLOCK_H
#define GPMU_CLOCK_H

#include <stdbool.h>

#include "trace/gpmu_clock.h"

#define CLOCK_ANCHORS	4096
#define CLOCK_SLOT	50000000	/* ns; one pair is kept of each such interval */
#define CLOCK_FEWEST	4		/* pairs needed to determine a clock's step */
#define CLOCK_RATE	1e-3		/* maximum rate error of a clock that is not set */
#define CLOCK_REACH	60000000000	/* ns from the nearest anchor; conversion fails beyond */

/* A pair that was kept */
struct clock_anchor {
	uint64_t time, other;	/* time: middle of the bracket */
	double half;		/* half of the bracket's width, ns */
	uint64_t run;		/* number of the run; it grows each time that the clock is set */
};

struct gpmu_clock {
	double error, drift;
	uint64_t pairs;
	uint64_t first;		/* first value since the clock was set */
	uint64_t step;		/* greatest common divisor of the clock's advances */
	uint64_t end;		/* end of the last bracket */
	uint64_t slot;		/* begin of the last anchor's interval */
	size_t oldest, length;
	struct clock_anchor last;	/* the last answer; half is its bound */
	bool is_asked;
	struct clock_anchor anchors[CLOCK_ANCHORS];
};

/* An answer: time and error bound in ns */
struct clock_answer {
	uint64_t time;
	double bound;
};

/* Place in @anchors of the anchor by index, the oldest first */
static inline size_t clock_place(const struct gpmu_clock *clock, size_t index)
{
	return (clock->oldest + index) % CLOCK_ANCHORS;
}

static inline const struct clock_anchor *clock_anchor(const struct gpmu_clock *clock, size_t index)
{
	return &clock->anchors[clock_place(clock, index)];
}

/* Extrapolates from anchor @index at the rate of the anchors before it. */
struct clock_answer clock_onward(const struct gpmu_clock *clock, size_t index, uint64_t other);

/* ns from @b to @a; negative if @a is earlier */
static inline double clock_since(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(a - b);
}

#endif /* GPMU_CLOCK_H */
