// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Time stamps of an H200's globaltimer, as recorded, and clocks of this machine. Linked with
 * --wrap for clock_gettime, so that the test can simulate slow reads.
 */
#include <errno.h>
#include <time.h>

#include "clock-test.h"

#define PAIRS 600

static uint64_t gap;	/* ns between two reads, varied by each read; 0: real time */
static uint64_t gap_now;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!gap)
		return __real_clock_gettime(clock, time);
	gap = gap * 7 % 31 + 1;
	gap_now += gap;
	time->tv_sec = (time_t)(gap_now / 1000000000);
	time->tv_nsec = (long)(gap_now % 1000000000);
	return 0;
}

static struct gpmu_clock_pair recorded[PAIRS];

/* The middle of a bracket can be at half a ns. */
static void load(void)
{
	FILE *file = fopen("tests/data/gpu/clock_pairs_h200.csv", "r");
	uint64_t twice, other, width;
	char line[160], *rest;
	int n = 0;

	while (file && n < PAIRS && fgets(line, sizeof(line), file)) {
		twice = 2 * strtoull(line, &rest, 10);
		if (rest == line || *rest != '.')
			continue;
		twice += rest[1] == '5';
		other = strtoull(rest + 3, &rest, 10);
		width = strtoull(rest + 1, NULL, 10);
		recorded[n++] = (struct gpmu_clock_pair){
			.before = (twice - width) / 2,
			.other = other,
			.after = (twice + width) / 2,
		};
	}
	if (file)
		fclose(file);
	ok(n == PAIRS, "clock: %d recorded pairs are loaded", PAIRS);
}

/* Every @nth recorded pair, as if the clocks were ahead by @raw and @other */
static struct gpmu_clock *every(int nth, uint64_t raw, uint64_t other)
{
	struct gpmu_clock *clock = gpmu_clock_new(NULL);

	for (int i = 0; clock && i < PAIRS; i += nth) {
		struct gpmu_clock_pair pair = recorded[i];

		pair.before += raw;
		pair.after += raw;
		pair.other += other;
		if (gpmu_clock_add(clock, &pair))
			ok(false, "clock: pair %d is accepted", i);
	}
	return clock;
}

static double half(int i)
{
	return (double)(recorded[i].after - recorded[i].before) / 2;
}

/* Converts the other pairs by every tenth one; a pair itself is accurate to half its bracket. */
static void recording(uint64_t raw, uint64_t other, const char *what)
{
	struct gpmu_clock *clock = every(10, raw, other);
	double bounds[PAIRS], halves[PAIRS], worst = 0;
	uint64_t time, bound, last = 0;
	int n = 0, outside = 0, refused = 0, backwards = 0;

	for (int i = 0; i < PAIRS; i++) {
		double middle = (double)recorded[i].before + half(i), off;

		if (i % 10 == 0)
			continue;
		if (gpmu_clock_time(clock, recorded[i].other + other, &time, &bound)) {
			refused++;
			continue;
		}
		off = fabs((double)(time - raw) - middle);
		outside += off > (double)bound + half(i);
		backwards += time < last;
		worst = fmax(worst, off);
		bounds[n] = (double)bound;
		halves[n++] = half(i);
		last = time;
	}
	qsort(bounds, (size_t)n, sizeof(bounds[0]), by_size);
	qsort(halves, (size_t)n, sizeof(halves[0]), by_size);
	diag("off by at most %.0f ns; bounds: median %.0f ns, largest %.0f ns; half a bracket: %.0f ns",
	     worst, bounds[n / 2], bounds[n - 1], halves[n / 2]);
	ok(n == 540 && !refused,
	   "clock: %s: the other 540 pairs are converted by every tenth", what);
	ok(!outside, "clock: %s: no time is outside of its bound", what);
	ok(worst <= 600, "clock: %s: no time is off by more than 600 ns", what);
	ok(bounds[n / 2] <= halves[n / 2] + 700,
	   "clock: %s: the median bound is at most half a bracket and 700 ns", what);
	ok(!backwards, "clock: %s: times do not go back", what);
	gpmu_clock_free(clock);
}

static void all_pairs(void)
{
	struct gpmu_clock *clock = every(1, 0, 0);
	uint64_t time, bound;

	ok(!gpmu_clock_time(clock, recorded[300].other, &time, &bound) &&
		   fabs((double)time - (double)recorded[300].before - half(300)) <= 1,
	   "clock: a pair's time is the middle of its bracket");
	diag("bound %.0f ns, half its bracket %.0f ns", (double)bound, half(300));
	ok((double)bound >= half(300) + 32 && (double)bound <= half(300) + 400,
	   "clock: a pair's bound is half its bracket, its 32 ns steps and its deviation from its "
	   "neighbours");
	gpmu_clock_free(clock);
}

static void few(void)
{
	struct gpmu_clock *clock = gpmu_clock_new(NULL);
	uint64_t time, bound;
	int before = 0;

	for (int i = 0; i < 4; i++) {
		before += gpmu_clock_time(clock, recorded[0].other, &time, &bound) == -EAGAIN;
		gpmu_clock_add(clock, &recorded[i]);
	}
	ok(before == 4, "clock: fewer than four pairs give no times");
	ok(!gpmu_clock_time(clock, recorded[0].other, &time, &bound),
	   "clock: four pairs give a time");
	ok(gpmu_clock_add(clock, &recorded[2]) == -EINVAL,
	   "clock: a pair earlier than the last is refused");
	ok(gpmu_clock_add(clock, &(struct gpmu_clock_pair){
			.before = recorded[9].after, .other = recorded[9].other,
			.after = recorded[9].before }) == -EINVAL,
	   "clock: a pair that ends before it begins is refused");
	ok(gpmu_clock_time(clock, recorded[3].other + 61000 * MS, &time, &bound) == -ERANGE &&
		   gpmu_clock_time(clock, recorded[0].other - 61000 * MS, &time, &bound) == -ERANGE,
	   "clock: a reading more than a minute away is -ERANGE");
	ok(!gpmu_clock_time(clock, recorded[3].other + 59000 * MS, &time, &bound) &&
		   !gpmu_clock_time(clock, recorded[0].other - 59000 * MS, &time, &bound),
	   "clock: a reading within a minute has a time");
	gpmu_clock_free(clock);
	gpmu_clock_free(NULL);
}

static void options(void)
{
	struct gpmu_clock_options options[] = {
		{ .size = sizeof(options[0]) },
		{ .size = sizeof(options[0]), .error = 1000 },
		{ .size = sizeof(options[0]), .drift = 500000 },
		{ .size = offsetof(struct gpmu_clock_options, drift), .drift = 500000 },
	};
	uint64_t time, bounds[4] = { 0 };
	/* Half-way between two pairs */
	uint64_t other = recorded[2].other + 50 * MS;

	for (int i = 0; i < 4; i++) {
		struct gpmu_clock *clock = gpmu_clock_new(&options[i]);

		for (int k = 0; k < 6; k++)
			gpmu_clock_add(clock, &recorded[k]);
		gpmu_clock_time(clock, other, &time, &bounds[i]);
		gpmu_clock_free(clock);
	}
	is_u64(bounds[1] - bounds[0], 1000,
	       "clock: the error of a time stamp is added to the bound");
	ok(fabs((double)(bounds[2] - bounds[0]) - 50e6 * 499e-6) < 200,
	   "clock: the drift times the distance is added to the bound");
	is_u64(bounds[3], bounds[0], "clock: fields beyond the size of shorter options are 0");
}

/* CLOCK_REALTIME in us, as NVML has it, converted by pairs around it */
static void real(void)
{
	const struct gpmu_clock_options us = { .size = sizeof(us), .error = 1000 };
	struct gpmu_clock *clock = gpmu_clock_new(&us);
	struct gpmu_clock_pair pair, now[20];
	uint64_t time, bound;
	int failed = 0, outside = 0;

	for (int i = 0; i < 20; i++) {
		const struct timespec ms = { .tv_nsec = 7 * (long)MS };

		failed += gpmu_clock_read(CLOCK_REALTIME, &pair) != 0;
		failed += gpmu_clock_add(clock, &pair) != 0;
		nanosleep(&ms, NULL);
		failed += gpmu_clock_read(CLOCK_REALTIME, &now[i]) != 0;
	}
	ok(!failed, "clock: pairs of CLOCK_REALTIME are read");
	ok(pair.after - pair.before < MS,
	   "clock: a bracket of CLOCK_REALTIME is shorter than 1 ms");
	for (int i = 0; i < 20; i++) {
		failed += gpmu_clock_time(clock, now[i].other / 1000 * 1000, &time, &bound) != 0;
		outside += time > now[i].after + bound || time < now[i].before - bound;
	}
	ok(!failed && !outside, "clock: readings of CLOCK_REALTIME are converted within the bound");
	diag("bound %" PRIu64 " ns", bound);
	ok(gpmu_clock_read(12345, &pair) == -EINVAL,
	   "clock: a clock that does not exist is -EINVAL");
	gpmu_clock_free(clock);
}

static void narrowest(void)
{
	struct gpmu_clock_pair pair;

	gap = 1;
	gpmu_clock_read(CLOCK_REALTIME, &pair);
	/* The gaps between reads are 8 26 28, 11 16 20, 17 27 4, 29 18 3, 22 31 1, ... */
	ok(pair.after - pair.before == 21 && pair.other - pair.before == 18,
	   "clock: the narrowest of several brackets is returned");
	gap = 0;
}

int main(void)
{
	load();
	recording(0, 0, "H200");
	recording(3000000000000000000, 1790000000123456768, "H200 with today's numbers");
	recording(0, -recorded[300].other, "H200 with a reading that passes 2^64");
	all_pairs();
	few();
	options();
	real();
	narrowest();
	return done_testing();
}
