// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples become counts at any time: samples are split, gaps do not run, values can be missing. */
#include <math.h>
#include <stdlib.h>

#include "cupti_counts.h"
#include "tap.h"

#define MS	1000000ull	/* in ns */
#define T0	5000000123ull

/* Event 0 is a count, event 1 a mean, event 2 a mean with a scale of 10^9 */
static const struct count_event events[] = { { false, 1 }, { true, 1 }, { true, 1e9 } };

static void bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static void begin(struct counts *counts)
{
	if (counts_init(counts, events, 3))
		bail("no memory");
}

/* Adds contiguous samples of a millisecond, the first from @start. */
static void add(struct counts *counts, uint64_t start, size_t number, double count, double mean)
{
	const double values[] = { count, mean, mean };

	for (size_t i = 0; i < number; i++)
		if (counts_add(counts, start + i * MS, start + (i + 1) * MS, values))
			bail("no memory");
}

static void turn(struct counts *counts, uint64_t time, bool is_on)
{
	if (counts_switch(counts, time, is_on))
		bail("no memory");
}

static void all_of_it(void)
{
	struct counts counts;

	begin(&counts);
	add(&counts, T0, 10, 1000, 50);
	turn(&counts, T0, true);
	counts_settle(&counts, T0 + 10 * MS);
	is_u64(counts.counts[0].raw, 10000, "a count is the sum of its samples");
	is_u64(counts.counts[1].raw, 50 * 10 * MS, "a mean is the integral over ns");
	is_u64(counts.counts[2].raw, 50 * 10 * MS / 1000000000,
	       "a mean's integral is divided by its scale and truncated");
	is_u64(counts.enabled, 10 * MS, "counts are enabled all of the time");
	is_u64(counts.counts[0].running, 10 * MS, "a count is running all of the time");
	is_u64(counts.kept, 0, "settled samples are no longer kept");
	add(&counts, T0 + 10 * MS, 30, 0, 50);
	counts_settle(&counts, T0 + 40 * MS);
	is_u64(counts.counts[2].raw, 2, "the fraction of a truncated integral is carried on");
	counts_release(&counts);
}

static void split(void)
{
	struct counts counts;

	begin(&counts);
	turn(&counts, T0 + MS / 4, true);
	turn(&counts, T0 + 2 * MS + MS / 2, false);
	add(&counts, T0, 4, 1000, 50);
	counts_settle(&counts, T0 + MS);
	is_u64(counts.counts[0].raw, 750, "a sample is split where counting begins");
	is_u64(counts.counts[0].running, 3 * MS / 4,
	       "the time of a sample is split where counting begins");
	counts_settle(&counts, T0 + MS + MS / 2);
	is_u64(counts.counts[0].raw, 1250, "a sample is split where it is read");
	counts_settle(&counts, T0 + MS + MS / 2);
	is_u64(counts.counts[0].raw, 1250, "a second read at the same time has the same count");
	counts_settle(&counts, T0 + 4 * MS);
	is_u64(counts.counts[0].raw, 2250, "a sample is split where counting ends");
	is_u64(counts.enabled, 2250000, "the enabled time is exact to the ns");
	turn(&counts, T0 + 5 * MS, true);
	add(&counts, T0 + 4 * MS, 3, 1000, 50);
	counts_settle(&counts, T0 + 7 * MS);
	is_u64(counts.counts[0].raw, 4250, "a count continues when it is enabled again");
	counts_release(&counts);
}

static void gaps(void)
{
	struct counts counts;

	begin(&counts);
	turn(&counts, T0, true);
	add(&counts, T0, 2, 1000, 50);
	add(&counts, T0 + 5 * MS, 2, 1000, 50);
	counts_settle(&counts, T0 + 10 * MS);
	is_u64(counts.counts[0].raw, 4000, "samples before and after a gap count");
	is_u64(counts.enabled, 10 * MS, "a gap is part of the enabled time");
	is_u64(counts.counts[0].running, 4 * MS, "a gap is not part of the running time");
	add(&counts, T0 + 9 * MS, 2, 1000, 50);
	counts_settle(&counts, T0 + 11 * MS);
	is_u64(counts.counts[0].raw, 5000, "a late sample counts only after the settled time");
	is_u64(counts.newest, T0 + 11 * MS, "the end of the newest sample is known");
	counts_release(&counts);
}

static void no_values(void)
{
	const double values[][3] = { { NAN, 50, 50 }, { INFINITY, 50, NAN }, { NAN, 50, 50 }, { -5, 50, 50 } };
	struct counts counts;

	begin(&counts);
	turn(&counts, T0, true);
	for (size_t i = 0; i < 4; i++)
		if (counts_add(&counts, T0 + i * MS, T0 + (i + 1) * MS, values[i]))
			bail("no memory");
	counts_settle(&counts, T0 + 4 * MS);
	is_u64(counts.counts[0].raw, 0, "NaN, infinite and negative values do not count");
	is_u64(counts.counts[0].running, MS, "a sample without a value is not running time");
	is_u64(counts.counts[0].nothing, 3, "samples without a value are counted");
	is_u64(counts.counts[1].running, 4 * MS,
	       "a missing value of one event does not affect another event");
	is_u64(counts.counts[2].running, 3 * MS, "each event has its own running time");
	counts_release(&counts);
}

/* More samples than the ring has room for at first; the ring grows while samples are settled. */
static void many(void)
{
	struct counts counts;
	uint64_t time = T0;

	begin(&counts);
	turn(&counts, T0, true);
	for (int i = 0; i < 20; i++) {
		add(&counts, time, 200, 10, 1);
		time += 200 * MS;
		counts_settle(&counts, time - 150 * MS);
	}
	add(&counts, time, 5000, 10, 1);
	counts_settle(&counts, time + 5000 * MS);
	is_u64(counts.counts[0].raw, 90000,
	       "nine thousand samples with reads in between all count");
	is_u64(counts.counts[0].running, 9000 * MS,
	       "nine thousand samples with reads in between all run");
	counts_release(&counts);
}

/* Values of 10^15, each for 1000 s, over eleven days */
static void large(void)
{
	const double values[] = { 1e15, 1e12, 1e12 };
	struct counts counts;

	begin(&counts);
	turn(&counts, T0, true);
	for (uint64_t i = 0; i < 1000; i++) {
		if (counts_add(&counts, T0 + i * 1000000 * MS, T0 + (i + 1) * 1000000 * MS, values))
			bail("no memory");
	}
	counts_settle(&counts, T0 + 1000000000 * MS);
	is_u64(counts.counts[0].raw, 1000000000000000000ull, "a count of 10^18 is exact");
	is_u64(counts.counts[2].raw, 1000000000000000000ull, "an integral of 10^18 is exact");
	counts_release(&counts);
}

int main(void)
{
	struct counts counts;

	all_of_it();
	split();
	gaps();
	no_values();
	many();
	large();
	begin(&counts);
	counts_settle(&counts, T0);
	is_u64(counts.enabled, 0, "counts that were never enabled can be settled");
	counts_release(&counts);
	return done_testing();
}
