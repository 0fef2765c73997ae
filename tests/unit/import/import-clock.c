// SPDX-License-Identifier: LGPL-2.1-or-later
/* The clock of a recording, by its facts and by those of this machine */
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "import/import_clock.h"
#include "tap.h"

/* Zero is 1000 s, and the counter runs at 1 GHz. */
static const struct gpmu_perfdata_time_conv conv = { .shift = 10, .mult = 1024, .zero = 1000000000000 };

static struct import_clock clock_of(const struct gpmu_perfdata_time_conv *recorded, const struct gpmu_perfdata_time_conv *here,
				    int id)
{
	const struct perf_event_attr attr = { .use_clockid = id >= 0, .clockid = id < 0 ? 0 : id };
	const struct gpmu_perfdata_info info = { .time_conv = *recorded };
	/* 2000 s after the machine started; CLOCK_MONOTONIC_RAW is 5 s less than perf's clock. */
	const struct import_now now = { .conv = *here, .pair = { 1995000000000, 2000000000050, 1995000000100 } };
	struct import_clock clock;

	import_clock_set(&clock, &info, &attr, &now);
	return clock;
}

static void test_set(void)
{
	const struct gpmu_perfdata_time_conv none = { .mult = 0 };
	struct gpmu_perfdata_time_conv other = conv;
	struct import_clock clock;

	clock = clock_of(&none, &none, CLOCK_MONOTONIC_RAW);
	ok(clock.is_raw && !clock.shift && !import_clock_bound(&clock, 1, false), "import clock: times of -k monotonic_raw need no conversion");
	ok(!clock.has_spe, "import clock: SPE cannot be placed among times of -k without the machine's conversion");
	clock = clock_of(&conv, &conv, CLOCK_MONOTONIC_RAW);
	ok(clock.has_spe && clock.spe_shift == (uint64_t)-5000000000, "import clock: SPE can be placed among times of -k monotonic_raw of this machine");
	ok(!import_clock_bound(&clock, 1995000000050, false) && import_clock_bound(&clock, 1995000000050, true) == 51,
	   "import clock: with -k monotonic_raw only times of SPE have an error");
	clock = clock_of(&conv, &conv, CLOCK_MONOTONIC);
	ok(!clock.is_raw && !clock.shift && !clock.has_spe, "import clock: times of -k monotonic are not converted");
	is_str(clock.name, "CLOCK_MONOTONIC", "import clock: times of -k monotonic are named");
	clock = clock_of(&conv, &none, -1);
	ok(!clock.is_raw && !clock.shift && clock.has_spe && !clock.spe_shift, "import clock: perf's clock of an unknown machine is not converted");
	other.zero++;
	clock = clock_of(&conv, &other, -1);
	ok(!clock.is_raw && !clock.shift, "import clock: perf's clock from before this machine started is not converted");
	clock = clock_of(&conv, &conv, -1);
	ok(clock.is_raw && clock.shift == (uint64_t)-5000000000 && clock.has_spe && clock.spe_shift == clock.shift,
	   "import clock: perf's clock of this machine is converted by the measured difference");
	ok(import_clock_bound(&clock, 1995000000050, false) == 51, "import clock: the bound is half of the reading's bracket, rounded up");
	ok(import_clock_bound(&clock, 995000000050, false) == 51 + 250000, "import clock: the bound grows by 250 ns per second");
}

/* If this kernel tells the conversion, a pair has perf's clock between two readings of CLOCK_MONOTONIC_RAW. */
static void test_read(void)
{
	struct import_now now = { .conv = { .mult = 0 } }, other = now;

	import_clock_read(&now);
	import_clock_read(&other);
	if (!now.conv.mult) {
		diag("this kernel does not tell the conversion of its clock");
		return;
	}
	ok(now.conv.mult == other.conv.mult && now.conv.zero == other.conv.zero,
	   "import clock: this machine's conversion does not change");
	ok(now.pair.before <= now.pair.after && other.pair.other > now.pair.other &&
	   other.pair.other - now.pair.other < 2 * (other.pair.after - now.pair.before),
	   "import clock: perf's clock advances as CLOCK_MONOTONIC_RAW");
}

int main(void)
{
	test_set();
	test_read();
	return done_testing();
}
