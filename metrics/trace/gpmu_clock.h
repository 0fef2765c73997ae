/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock: converts time stamps of other clocks */
#ifndef GPMU_CLOCK_API_H
#define GPMU_CLOCK_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Every time in libgpmu is CLOCK_MONOTONIC_RAW in ns. A clock converts time stamps of another
 * clock that counts ns, such as a GPU's globaltimer, or CLOCK_REALTIME in NVML's samples. The
 * program adds pairs: a reading of the other clock between two readings of CLOCK_MONOTONIC_RAW,
 * the bracket. Each converted time has a bound on its error.
 *
 * The bound is the sum of these terms:
 * - half the bracket of the pairs around the time stamp;
 * - the time to the nearest pair, times @drift;
 * - the ns that the clock gained or lost between the pairs around, compared with its rate
 *   before them or after them, whichever is less;
 * - the step (resolution) of the clock;
 * - @error, the error of the time stamp itself.
 *
 * The bound holds if the clock changes its rate, or is set, at most once between two pairs, and
 * after the last pair if it does neither. A program that needs a certain bound therefore
 * converts a time stamp only after it has added a later pair. Measured with 600 pairs of an
 * H200's globaltimer, 100 ms apart with brackets of 2.5 us: a clock made of every tenth pair
 * gives bounds of 1.6 us for the other pairs, and its times are off by at most 0.42 us.
 *
 * A clock starts a new run of pairs when the other clock is set. NTP or a user sets
 * CLOCK_REALTIME; a clock that goes on in suspend, where CLOCK_MONOTONIC_RAW stops, counts as
 * set as well. The pairs around the change bound the times shortly before and after it. If the
 * other clock has shown a time stamp twice, the later time is returned, and the bound covers
 * the earlier one.
 *
 * Time stamps of CUPTI's PM samples and activity records need no conversion: CUPTI gets the
 * time from a callback, which returns CLOCK_MONOTONIC_RAW. Reading globaltimer instead would
 * take a kernel on a GPU that somebody else is using. CUPTI interpolates between the calls,
 * with this error, measured on an H200 with CUPTI 13.0 against a timer in the kernel: PM
 * samples begin 328 ns and end 277 ns early; kernels of 20 us begin 343 ns early (305 to 381)
 * and end 334 ns late (228 to 396).
 */

struct gpmu_clock;

/**
 * struct gpmu_clock_options - properties of the other clock
 * @size: size of this structure
 * @error: error of a time stamp itself in ns: 1000 if it was truncated to us
 * @drift: difference, in 1e-9, by which the clock's rate may deviate from the rate that the
 *	pairs around show. 0: 1000, which is six times the change in a minute between an H200's
 *	clock and its host's. 500000 is the largest change that adjtimex(2) makes to
 *	CLOCK_REALTIME and CLOCK_MONOTONIC
 *
 * The step (resolution) of the clock is derived from the pairs.
 */
struct gpmu_clock_options {
	size_t size;
	uint64_t error;
	uint64_t drift;
};

/**
 * struct gpmu_clock_pair - a reading of the other clock and its bracket
 * @before: CLOCK_MONOTONIC_RAW before the reading, in ns
 * @other: the reading, in ns; may wrap around at 2^64
 * @after: CLOCK_MONOTONIC_RAW after the reading, in ns
 */
struct gpmu_clock_pair {
	uint64_t before, other, after;
};

/**
 * gpmu_clock_new() - creates a clock without pairs
 * @options: read during the call; NULL: all fields are 0
 *
 * Return: a new clock; NULL with errno ENOMEM
 */
struct gpmu_clock *gpmu_clock_new(const struct gpmu_clock_options *options);
/* Frees @clock; NULL is allowed. */
void gpmu_clock_free(struct gpmu_clock *clock);

/**
 * gpmu_clock_read() - reads a clock of clock_gettime(2)
 * @id: CLOCK_REALTIME, for example
 * @pair: set to the pair with the narrowest bracket of 8 readings
 *
 * Return: 0; the error of clock_gettime(), such as -EINVAL
 */
int gpmu_clock_read(clockid_t id, struct gpmu_clock_pair *pair);

/**
 * gpmu_clock_add() - adds a pair to a clock
 * @clock: the clock
 * @pair: a reading that began after the previous pair's ended
 *
 * Pairs may be added at any rate. The clock keeps the narrowest pair of each 50 ms, and the
 * last 4096 of these. With a pair every 100 ms the bounds are about half a bracket. A pair
 * whose bracket is wider than the bound that the clock has without it is dropped, unless it
 * shows that the other clock was set.
 *
 * Return: 0; -EINVAL if the bracket ends before it begins, or begins before the end of the
 * previous pair's bracket
 */
int gpmu_clock_add(struct gpmu_clock *clock, const struct gpmu_clock_pair *pair);

/**
 * gpmu_clock_time() - converts a time stamp of the other clock
 * @clock: the clock
 * @other: the time stamp, in ns
 * @time: set to CLOCK_MONOTONIC_RAW, in ns
 * @bound: set to the largest error of @time, in ns
 *
 * Successive calls with ascending time stamps return ascending times, even if pairs are added
 * between the calls. Before the first pair and after the last one the rate of the nearest pairs
 * is extrapolated.
 *
 * Return: 0; -EAGAIN with fewer than 4 pairs, from which the step of the other clock cannot be
 * derived; -ERANGE if @other is more than a minute from any pair that is kept, or if the other
 * clock skipped it when it was set
 */
int gpmu_clock_time(struct gpmu_clock *clock, uint64_t other, uint64_t *time, uint64_t *bound);

#endif /* GPMU_CLOCK_API_H */
