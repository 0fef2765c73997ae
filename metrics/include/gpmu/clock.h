/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock: time stamps of other clocks */
#ifndef GPMU_CLOCK_API_H
#define GPMU_CLOCK_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All time of libgpmu is CLOCK_MONOTONIC_RAW in ns. A clock makes that of the time stamps
 * of another one that counts ns: a GPU's globaltimer, CLOCK_REALTIME, which NVML's
 * samples have. It is told now and then what that one shows, between two looks at
 * CLOCK_MONOTONIC_RAW, and each answer has a bound: the time that is meant is no further
 * from it.
 *
 * The bound is half the bracket of the pairs around, and for what may be in between:
 * the distance to the nearest times how much the rate may be another; what the clock has
 * gained or lost there beyond what the pairs before or behind let expect, whichever is less;
 * the steps in which it counts; what is known of the time stamps themselves. It holds
 * for a clock that changes its rate or is set once between two pairs, and behind the
 * last pair as long as neither happens: what has to be right is asked for once a later pair
 * is there. Of 600 pairs of an H200's globaltimer, 100 ms apart with brackets of 2.5 us, every
 * tenth gives bounds of 1.6 us for the others, which are then off by 0.42 us at most.
 *
 * A clock that is set (CLOCK_REALTIME by NTP or a user, any that goes on in suspend, in
 * which CLOCK_MONOTONIC_RAW stands) begins anew. What it shows shortly before or behind that
 * is bounded by the pairs around. A time stamp that it has shown twice is the later one's,
 * and the bound has room for the earlier one.
 *
 * Time stamps of CUPTI's samples (PM sampling) and records need no clock: CUPTI asks a
 * callback for the time, and gets CLOCK_MONOTONIC_RAW. So no kernel has to run on the GPU that
 * somebody else is using, which is the only way to read globaltimer. What CUPTI itself interpolates
 * between these calls is its error, measured on an H200 with CUPTI 13.0 against a timer in the
 * kernel: the edges of PM samples are 328 ns (begin) and 277 ns (end) early; kernels of 20 us
 * begin 343 ns early (305 to 381) and end 334 ns late (228 to 396).
 */

struct gpmu_clock;

/**
 * struct gpmu_clock_options - what is known of the other clock
 * @size: of this structure
 * @error: ns by which a time stamp itself may be off: 1000 where it has been cut to us
 * @drift: in 1e-9, how much its rate may differ from what the pairs around show; 0: 1000,
 *	which is six times what a minute changes between an H200's and its host's.
 *	500000 is all that adjtimex(2) can do to CLOCK_REALTIME and CLOCK_MONOTONIC
 *
 * The steps in which it counts are taken from the pairs.
 */
struct gpmu_clock_options {
	size_t size;
	uint64_t error;
	uint64_t drift;
};

/**
 * struct gpmu_clock_pair - one look at the other clock
 * @before: CLOCK_MONOTONIC_RAW in ns before it
 * @other: what it has shown, in ns; may pass 2^64
 * @after: CLOCK_MONOTONIC_RAW after it
 */
struct gpmu_clock_pair {
	uint64_t before, other, after;
};

/**
 * gpmu_clock_new() - a clock without pairs
 * @options: or NULL: all 0. Not kept
 *
 * Return: new; NULL with errno ENOMEM
 */
struct gpmu_clock *gpmu_clock_new(const struct gpmu_clock_options *options);
/* NULL is allowed. */
void gpmu_clock_free(struct gpmu_clock *clock);

/**
 * gpmu_clock_read() - looks at a clock of clock_gettime(2)
 * @id: CLOCK_REALTIME, ...
 * @pair: set. The one with the narrowest bracket of a few that are taken in turn
 *
 * Return: 0; -EINVAL, ...: clock_gettime() has refused it
 */
int gpmu_clock_read(clockid_t id, struct gpmu_clock_pair *pair);

/**
 * gpmu_clock_add() - tells a clock of a pair
 * @clock: the clock
 * @pair: later than all before
 *
 * The narrowest pair of 50 ms is kept, so that it may be called at any rate, and the last
 * 4096 of these; called each 100 ms, times have about the bounds that brackets allow. One whose bracket is wider than the bound that is there without it says
 * nothing new and is left out, unless it shows that the clock was set.
 *
 * Return: 0; -EINVAL: the bracket ends before it begins, or begins before the last pair's
 * has ended
 */
int gpmu_clock_add(struct gpmu_clock *clock, const struct gpmu_clock_pair *pair);

/**
 * gpmu_clock_time() - when the other clock has shown something
 * @clock: the clock
 * @other: its time stamp
 * @time: set to CLOCK_MONOTONIC_RAW in ns
 * @bound: set to the ns by which that may be off at most
 *
 * A later time stamp never gets an earlier time than the one that was asked for before, also
 * where pairs were added in between. Before the first pair and behind the last it is the rate
 * of those next to it that goes on.
 *
 * Return: 0; -EAGAIN: there are fewer than 4 pairs, which the steps of a clock are not seen in;
 * -ERANGE: it is more than a minute from any pair that is kept, or one that the clock has
 * never shown, as it was set
 */
int gpmu_clock_time(struct gpmu_clock *clock, uint64_t other, uint64_t *time, uint64_t *bound);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_CLOCK_API_H */
