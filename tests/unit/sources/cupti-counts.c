// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples become counts at any time: what is split, what is not running, what is none */
#include <math.h>
#include <stdlib.h>

#include "cupti_counts.h"
#include "tap.h"

#define MS	1000000ull	/* in ns */
#define T0	5000000123ull

/* A count, a mean, and a mean per second */
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

/* Samples of a millisecond, one after the other, the first from @start */
static void add(struct counts *counts, uint64_t start, size_t number, double count, double mean)
{
	const double values[] = { count, mean, mean };

	for (size_t i = 0; i < number; i++)
		if (counts_add(counts, start + i * MS, start + (i + 1) * MS, values))
			bail("no memory");
}

static void turn(struct counts *counts, uint64_t time, bool on)
{
	if (counts_switch(counts, time, on))
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
	is_u64(counts.counts[2].raw, 50 * 10 * MS / 1000000000, "... over its scale, in whole numbers");
	is_u64(counts.enabled, 10 * MS, "all of the time it was enabled");
	is_u64(counts.counts[0].running, 10 * MS, "... and running");
	is_u64(counts.kept, 0, "samples that are settled are gone");
	add(&counts, T0 + 10 * MS, 30, 0, 50);
	counts_settle(&counts, T0 + 40 * MS);
	is_u64(counts.counts[2].raw, 2, "what is below one is carried on");
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
	is_u64(counts.counts[0].running, 3 * MS / 4, "... and so is the time");
	counts_settle(&counts, T0 + MS + MS / 2);
	is_u64(counts.counts[0].raw, 1250, "it is split where it is read");
	counts_settle(&counts, T0 + MS + MS / 2);
	is_u64(counts.counts[0].raw, 1250, "which can be done twice");
	counts_settle(&counts, T0 + 4 * MS);
	is_u64(counts.counts[0].raw, 2250, "it is split where counting ends");
	is_u64(counts.enabled, 2250000, "... to the ns");
	turn(&counts, T0 + 5 * MS, true);
	add(&counts, T0 + 4 * MS, 3, 1000, 50);
	counts_settle(&counts, T0 + 7 * MS);
	is_u64(counts.counts[0].raw, 4250, "it goes on where it is enabled again");
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
	is_u64(counts.counts[0].raw, 4000, "what is sampled before and after a gap counts");
	is_u64(counts.enabled, 10 * MS, "a gap is enabled");
	is_u64(counts.counts[0].running, 4 * MS, "... but not running");
	add(&counts, T0 + 9 * MS, 2, 1000, 50);
	counts_settle(&counts, T0 + 11 * MS);
	is_u64(counts.counts[0].raw, 5000, "what comes too late counts from what is settled on");
	is_u64(counts.newest, T0 + 11 * MS, "the newest sample is known");
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
	is_u64(counts.counts[0].raw, 0, "what is no number does not count, nor what is below zero");
	is_u64(counts.counts[0].running, MS, "... it was not running then");
	is_u64(counts.counts[0].nothing, 3, "... how often there was no number is known");
	is_u64(counts.counts[1].running, 4 * MS, "it does not touch the other events");
	is_u64(counts.counts[2].running, 3 * MS, "... each has its own time");
	counts_release(&counts);
}

/* More than there is room for at first, taken from the ring while it grows */
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
	is_u64(counts.counts[0].raw, 90000, "nine thousand samples, read in between");
	is_u64(counts.counts[0].running, 9000 * MS, "... and all of their time");
	counts_release(&counts);
}

/* A terabyte each second for eleven days */
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
	is_u64(counts.counts[2].raw, 1000000000000000000ull, "an integral of 10^18 too");
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
	is_u64(counts.enabled, 0, "what was never enabled is settled too");
	counts_release(&counts);
	return done_testing();
}
