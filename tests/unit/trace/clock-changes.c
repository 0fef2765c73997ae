// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Clocks that change: their rate, sets by NTP or a user, suspend, wide brackets. The error bound
 * holds in all cases.
 */
#include <errno.h>

#include "clock-test.h"

#define S (1000 * MS)

static struct gpmu_clock *clock_of(const struct test_clock *test, uint64_t end, uint64_t every)
{
	struct gpmu_clock *clock = gpmu_clock_new(NULL);

	test_add(clock, test, 0, end, every);
	return clock;
}

static bool is_right(const struct test_errors *e)
{
	return !e->refused && !e->outside && !e->backwards;
}

/* A clock, and the bounds in ns that its times must keep */
static const struct {
	const char *what;
	struct test_clock clock;
	double median, largest;
} steady[] = {
	{ "at the rate of CLOCK_MONOTONIC_RAW", { .base = T0 }, 2300, 5000 },
	{ "slower by 2.23e-6", { .base = T0, .changes = { { .gain = -2230 } } }, 2300, 5000 },
	{ "faster by 100e-6", { .base = 5, .changes = { { .gain = 100000 } } }, 2300, 5000 },
	{ "in steps of 32 ns", { .base = 12345, .step = 32 }, 2300, 5000 },
	{ "in steps of 1 us", { .base = 12345, .step = 1000 }, 3500, 7000 },
	{ "always read at the end of the bracket", { .base = T0, .is_late = true }, 2300, 5000 },
	{ "wrapping past 2^64", { .base = UINT64_MAX - 5 * S, .step = 32 }, 2300, 5000 },
	{ "passing 2^63", { .base = INT64_MAX - 5 * S }, 2300, 5000 },
	{
	 "every seventh bracket 30 us "
	 "wider", { .base = T0, .wide = 7, .wider = 30000 }, 2600, 5000 },
	{
	 "every third bracket 5 ms wider", { .base = T0, .wide = 3, .wider = 5 * MS }, 3000, 6000 },
	{
	 "the first bracket 300 ms "
	 "wider", { .base = T0, .wide = 10000, .wider = 300 * MS }, 2300, 5000 },
};

static void unchanging(void)
{
	for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++) {
		struct gpmu_clock *clock = clock_of(&steady[i].clock, 10 * S, 100 * MS);
		struct test_errors e = test_ask(clock, &steady[i].clock, S, 9 * S);

		ok(is_right(&e),
		   "clock: %s: times are within their bounds and in order", steady[i].what);
		ok(e.median <= steady[i].median && e.bound <= steady[i].largest,
		   "clock: %s: the median bound is at most %.0f ns, the largest at most %.0f ns",
		   steady[i].what, steady[i].median, steady[i].largest);
		gpmu_clock_free(clock);
	}
}

/* The rate changes every 3 s. */
static void rates(void)
{
	const struct test_clock test = {
		.base = 77, .step = 32,
		.changes = { { .gain = -2230 }, { .time = 3 * S + 33 * MS, .gain = 47770 },
			     { .time = 6 * S + 77 * MS, .gain = -500000 },
			     { .time = 9 * S + MS, .gain = 0 } },
	};
	struct gpmu_clock *clock = clock_of(&test, 12 * S, 100 * MS);
	struct test_errors e = test_ask(clock, &test, 0, 12 * S - 200 * MS);

	ok(is_right(&e), "clock: with a changing rate times are within their bounds and in order");
	ok(e.median <= 2300, "clock: the median bound is small although the rate changes");
	gpmu_clock_free(clock);
}

/* A set too small to show in the pairs must be covered by the bound. */
static void small_sets(void)
{
	static const int64_t sets[] = { 1000, 5000, 30000, 90000, -5000, -30000, -90000 };

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct test_clock test = {
			.base = T0, .changes = { { 0 }, { .time = 5 * S + 13 * MS, .set = sets[i] } },
		};
		struct gpmu_clock *clock = clock_of(&test, 10 * S, 100 * MS);
		struct test_errors e = test_ask(clock, &test, 4 * S, 6 * S);

		ok(!e.outside && !e.refused && e.bound < 2600 + fabs((double)sets[i]) * 1.1,
		   "clock: set by %+d ns: bounds hold and grow by no more than the "
		   "set", (int)sets[i]);
		gpmu_clock_free(clock);
	}
}

static void sets(void)
{
	static const int64_t by[] = { 200 * (int64_t)MS, (int64_t)S, 3600 * (int64_t)S,
				      -1000 * 86400 * (int64_t)S };

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		const struct test_clock test = {
			.base = T0, .changes = { { 0 }, { .time = 5 * S + 13 * MS, .set = by[i] } },
		};
		struct gpmu_clock *clock = clock_of(&test, 10 * S, 100 * MS);
		struct test_errors before = test_ask(clock, &test, 0, 5 * S - 100 * MS);
		struct test_errors around = test_ask(clock, &test, 4900 * MS, 5200 * MS);
		struct test_errors after = test_ask(clock, &test, 5200 * MS, 10 * S);

		ok(is_right(&before) && is_right(&after) && fmax(before.bound, after.bound) < 5000,
		   "clock: set by %+lld ms: times before and after are as accurate as "
		   "ever", (long long)by[i] / 1000000);
		ok(is_right(&around) && around.bound < 110e6,
		   "clock: set by %+lld ms: times near the set are within the adjacent pairs",
		   (long long)by[i] / 1000000);
		gpmu_clock_free(clock);
	}
}

/* A clock that is set back by 2 s shows these 2 s twice. */
static void twice(void)
{
	const struct test_clock test = {
		.base = T0, .changes = { { 0 }, { .time = 5 * S + 13 * MS, .set = -2 * (int64_t)S } },
	};
	struct gpmu_clock *clock = clock_of(&test, 10 * S, 100 * MS);
	struct test_errors e = test_ask(clock, &test, 3200 * MS, 6900 * MS);
	uint64_t time, bound;

	ok(!e.outside && !e.refused,
	   "clock: set back by 2 s: bounds hold for readings shown twice");
	ok(e.bound > 1.9e9 && e.bound < 2.2e9,
	   "clock: set back by 2 s: the bound covers both times of a reading");
	ok(!gpmu_clock_time(clock, test_shows(&test, 6 * S), &time, &bound) &&
		   time - T0 - 6 * S + 3000 < 6000,
		   "clock: set back by 2 s: the later time of a reading is returned");
	e = test_ask(clock, &test, 7200 * MS, 10 * S);
	ok(is_right(&e) && e.bound < 5000,
	   "clock: set back by 2 s: times after the repeated readings are accurate");
	gpmu_clock_free(clock);
}

static void never(void)
{
	const struct test_clock test = {
		.base = T0, .changes = { { 0 }, { .time = 5 * S + 13 * MS, .set = (int64_t)(30 * S) } },
	};
	struct gpmu_clock *clock = clock_of(&test, 10 * S, 100 * MS);
	uint64_t time, bound;

	ok(gpmu_clock_time(clock, T0 + 20 * S, &time, &bound) == -ERANGE,
	   "clock: a reading that a set skipped is -ERANGE");
	gpmu_clock_free(clock);
}

/*
 * Two clocks: one continues for 8 hours while CLOCK_MONOTONIC_RAW is suspended, the other
 * restarts at 0.
 */
static void suspend(void)
{
	const struct test_clock real = {
		.base = T0,
		.changes = { { 0 }, { .time = 5 * S + 40 * MS, .set = 8 * 3600 * (int64_t)S },
			     { .time = 5 * S + 60 * MS, .set = 8 * 3600 * (int64_t)S } },
	};
	const struct test_clock gpu = {
		.base = T0 / 2, .step = 1000,
		.changes = { { 0 }, { .time = 5 * S, .set = -(int64_t)(T0 / 2) } },
	};
	struct gpmu_clock *clock = clock_of(&real, 10 * S, 100 * MS);
	struct test_errors e = test_ask(clock, &real, 5200 * MS, 10 * S);

	ok(is_right(&e) && e.bound < 5000, "clock: times after two suspends are accurate");
	e = test_ask(clock, &real, 0, 4900 * MS);
	ok(is_right(&e) && e.bound < 5000, "clock: times before two suspends are accurate");
	gpmu_clock_free(clock);
	clock = clock_of(&gpu, 10 * S, 100 * MS);
	e = test_ask(clock, &gpu, 5200 * MS, 10 * S);
	ok(is_right(&e) && e.bound < 7000 && e.median > 2000,
	   "clock: times of a GPU clock that restarted at 0 are accurate, with its resolution "
	   "kept");
	gpmu_clock_free(clock);
}

/* Times of readings later than the last pair */
static void live(void)
{
	const struct test_clock test = { .base = T0, .step = 32, .changes = { { .gain = -2230 } } };
	const struct test_clock fast = { .base = T0, .changes = { { .gain = 900000 } } };
	struct gpmu_clock *clock = clock_of(&fast, 4 * MS, MS);
	struct test_errors e = test_ask(clock, &fast, 0, 40 * MS);
	int outside = 0, backwards = 0;
	double max = 0;
	uint64_t last = 0;

	ok(is_right(&e) && e.bound < 45000,
	   "clock: with four pairs the bound allows for the largest drift of a clock");
	gpmu_clock_free(clock);
	clock = clock_of(&test, 4 * MS, MS);
	for (uint64_t begin = 100 * MS; begin < 20 * S; begin += 100 * MS) {
		test_add(clock, &test, begin, begin + MS, MS);
		for (uint64_t i = 0; i < 99; i++) {
			uint64_t t = begin + 10000 + i * MS, time = 0, bound = 0;

			gpmu_clock_time(clock, test_shows(&test, t), &time, &bound);
			outside += fabs((double)(int64_t)(time - T0 - t)) > (double)bound;
			backwards += time < last;
			last = time;
			if (begin > S)
				max = fmax(max, (double)bound);
		}
	}
	diag("behind the last pair: largest bound %.0f ns", max);
	ok(!outside, "clock: bounds hold for readings after the last pair");
	ok(max < 6000, "clock: bounds after the last pair are less than 6 us");
	ok(!backwards, "clock: times do not go back when a pair is added");
	gpmu_clock_free(clock);
}

/* A new pair shows that an earlier answer was too late by 36 us. */
static void order(void)
{
	const struct test_clock fast = { .base = T0, .changes = { { .gain = 900000 } } };
	struct gpmu_clock *clock = clock_of(&fast, 4 * MS, MS);
	uint64_t time = 0, later = 0, bound;

	gpmu_clock_time(clock, test_shows(&fast, 40 * MS), &time, &bound);
	test_add(clock, &fast, 100 * MS, 400 * MS, 100 * MS);
	gpmu_clock_time(clock, test_shows(&fast, 40 * MS + 5000), &later, &bound);
	ok(time > T0 + 40 * MS + 30000 && later == time,
	   "clock: a later reading never gets an earlier time, although new pairs are better");
	ok((double)bound >= (double)(time - T0 - 40 * MS),
	   "clock: the bound covers a time that was kept from going back");
	gpmu_clock_time(clock, test_shows(&fast, 41 * MS), &later, &bound);
	ok(later - T0 - 41 * MS + 3000 < 6000,
	   "clock: a time is accurate again once it cannot go back");
	gpmu_clock_free(clock);
}

/* Within a bracket of 300 ms the clock may have been set, so that it has not advanced since. */
static void stands(void)
{
	struct gpmu_clock *clock = gpmu_clock_new(NULL);
	struct gpmu_clock_pair pair = { .before = T0, .other = 5000, .after = T0 + 300 * MS };
	uint64_t time = 0, bound = 0;

	gpmu_clock_add(clock, &pair);
	for (uint64_t i = 0; i < 4; i++) {
		pair.before = T0 + 300 * MS + 20000 + i * 100 * MS;
		pair.other = 5000 + i * 100 * MS + i / 2;
		pair.after = pair.before + 2000;
		gpmu_clock_add(clock, &pair);
	}
	ok(!gpmu_clock_time(clock, 5000, &time, &bound) && bound > 140 * MS && bound < 500 * MS,
	   "clock: a clock that did not advance is treated as set");
	gpmu_clock_free(clock);
}

static void often(void)
{
	const struct test_clock test = { .base = 3, .step = 32 };
	struct gpmu_clock *clock = clock_of(&test, 20 * S, 500000);
	struct test_errors e = test_ask(clock, &test, 10 * S, 19 * S);

	ok(clock->length <= 20 * S / CLOCK_SLOT + 1 && clock->length >= 150,
	   "clock: of 40000 pairs in 20 s one is kept for each 50 to 133 ms");
	ok(is_right(&e) && e.median < 1700, "clock: the pair with the narrowest bracket is kept");
	gpmu_clock_free(clock);
}

/* More pairs than are kept */
static void old(void)
{
	const struct test_clock test = { .base = 3, .step = 32, .changes = {
		{ .gain = 5000 }, { .time = 30 * S, .set = 5 * (int64_t)S },
		{ .time = 200 * S, .gain = 1000 } } };
	struct gpmu_clock *clock = clock_of(&test, 600 * S, 100 * MS);
	struct test_errors e = test_ask(clock, &test, 192 * S, 599 * S);
	uint64_t time, bound;

	ok(clock->length == CLOCK_ANCHORS && is_right(&e) && e.bound < 6000,
	   "clock: the pairs of the last 400 s are kept");
	e = test_ask(clock, &test, 185 * S, 190 * S);
	ok(!e.refused && !e.outside,
	   "clock: bounds hold for readings shortly before the oldest pair");
	ok(gpmu_clock_time(clock, test_shows(&test, 100 * S), &time, &bound) == -ERANGE,
	   "clock: a reading long before the oldest pair is -ERANGE");
	gpmu_clock_free(clock);
}

int main(void)
{
	unchanging();
	rates();
	small_sets();
	sets();
	twice();
	never();
	suspend();
	live();
	order();
	stands();
	often();
	old();
	return done_testing();
}
