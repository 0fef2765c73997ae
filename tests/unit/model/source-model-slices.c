// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * More groups than counters: the model multiplexes them in time slices of 4 ms, as perf does. Rates
 * are those of steady.scenario: in one slice the memory of SCF 0 gives 80 GB/s * 4 ms / 32 =
 * 10,000,000 data beats.
 */
#include "plugin/source-bed.h"

#define SLICE	(4 * MS)
#define BEATS	10000000ull	/* of cmem_rd_data in one slice */
#define SIX	"cmem_rd_data cmem_rd_access cmem_wb_data cmem_wb_access cmem_wr_data cmem_wr_access"
#define THREE	"cmem_rd_data cmem_rd_access cmem_wb_data"

/* Reads at @ns: the slot ran for this number of quarter slices and counted all traffic in them. */
static void is_running(struct bed *bed, uint64_t ns, size_t slot, uint64_t quarters, const char *what)
{
	struct count got;
	bool is_good;

	if (test_read(&bed->test, T0 + ns))
		test_bail("not read");
	got = test_count(&bed->test, slot);
	is_good = got.raw == BEATS * quarters / 4 && got.enabled == ns &&
		  got.running == SLICE * quarters / 4 &&
		  got.state == (quarters || !ns ? COUNT_OK : COUNT_NOT_COUNTED);
	ok(is_good, "%s", what);
	if (!is_good)
		diag("raw %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64 ", state %d", got.raw,
		     got.enabled, got.running, got.state);
}

static void begin(struct bed *bed)
{
	if (test_open(&bed->test, bed->source, &bed_error) || test_enable(&bed->test, T0))
		test_bail(bed_error.text);
}

/* Two groups, of which one fits at a time */
static void halves(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", SIX " cycles");
	group(&bed, "nvidia_scf_pmu_0", SIX);
	group(&bed, "nvidia_scf_pmu_1", SIX " cycles");
	begin(&bed);
	is_running(&bed, 3 * MS, 0, 3, "multiplexing: the first group runs in the first 4 ms");
	is_running(&bed, 3 * MS, 7, 0,
		 "multiplexing: the second group does not run in the first 4 ms");
	is_running(&bed, 5 * MS, 0, 4, "multiplexing: the first group stops after its time slice of 4 ms");
	is_running(&bed, 5 * MS, 7, 1, "multiplexing: the second group runs after 4 ms");
	is_running(&bed, 8 * MS, 7, 4, "multiplexing: the second group stops after 8 ms");
	is_running(&bed, 8 * MS, 0, 4,
		 "multiplexing: the first group waits while the second one runs");
	is_running(&bed, SEC, 0, 125 * 4, "multiplexing: in a second the first group runs 125 time slices");
	is_running(&bed, SEC, 7, 125 * 4,
		 "multiplexing: in a second the second group runs 125 time slices");
	is_u64((uint64_t)(count_value(&bed.test.counts->slots[0].counts[0]) + 0.5), 2500000000,
	       "multiplexing: the scaled count is the steady 2.5 G beats");
	is_u64(test_count(&bed.test, 6).raw, 1600000000,
	       "multiplexing: cycles are counted in the group's time slices only");
	is_u64(test_count(&bed.test, 13).running, SEC,
	       "multiplexing: another socket's PMU is not multiplexed");
	is_running(&bed, 3 * SEC, 0, 375 * 4,
		 "multiplexing: counts do not depend on the reads in between");
	test_disable(&bed.test, T0 + 3 * SEC + 2 * MS);
	is_running(&bed, 3 * SEC + 2 * MS, 0, 375 * 4 + 2, "multiplexing: disable cuts a time slice short");
	test_enable(&bed.test, T0 + 10 * SEC + 5 * MS);
	test_read(&bed.test, T0 + 10 * SEC + 5 * MS + SLICE);
	is_u64(test_count(&bed.test, 7).running, 1500 * MS,
	       "multiplexing: the second group waits after the next enable");
	is_u64(test_count(&bed.test, 0).running, 1506 * MS,
	       "multiplexing: the first group runs a time slice of 4 ms after the next enable");
	bed_release(&bed);
}

/*
 * A time slice begins at the next group in order and includes those after it, up to the first that
 * does not fit.
 */
static void neighbours(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", THREE);
	group(&bed, "nvidia_scf_pmu_0", THREE);
	group(&bed, "nvidia_scf_pmu_0", SIX);
	begin(&bed);
	is_running(&bed, 12 * MS, 0, 4,
		 "multiplexing: of groups with 3, 3 and 6 events the first runs a third of the time");
	is_running(&bed, 12 * MS, 3, 8,
		 "multiplexing: the second group runs two thirds, as it fits beside the first");
	is_running(&bed, 12 * MS, 6, 4,
		 "multiplexing: the third group runs a third, as it fits beside none");
	is_running(&bed, 15 * SEC, 3, 10000,
		 "multiplexing: the second group runs two thirds of 15 s");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cycles");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cycles");
	begin(&bed);
	is_running(&bed, 8 * MS, 0, 4,
		 "multiplexing: the first of two groups with cycles runs half the time");
	is_running(&bed, 8 * MS, 2, 4,
		 "multiplexing: the second of two groups with cycles runs half the time");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", THREE " cycles");
	group(&bed, "nvidia_scf_pmu_0", THREE);
	begin(&bed);
	is_running(&bed, SEC, 0, 1000,
		 "multiplexing: the first of two groups that fit together runs all the time");
	is_running(&bed, SEC, 4, 1000,
		 "multiplexing: the second of two groups that fit together runs all the time");
	bed_release(&bed);
}

/*
 * Counts of multiplexed groups are compared with a source that is read at the end of each slice, for
 * traffic that ends.
 */
static void exact(void)
{
	static const char *const options = "guide-cpu-local-read.scenario";
	uint64_t odd = 0, even = 0, last = 0, raw;
	struct bed sliced, whole;

	bed_init(&sliced, options);
	group(&sliced, "nvidia_scf_pmu_0", SIX);
	group(&sliced, "nvidia_scf_pmu_0", SIX);
	bed_init(&whole, options);
	group(&whole, "nvidia_scf_pmu_0", "cmem_rd_data");
	begin(&sliced);
	begin(&whole);
	for (unsigned int i = 0; i < 30; i++) {
		test_read(&whole.test, T0 + (i + 1) * SLICE);
		raw = test_count(&whole.test, 0).raw;
		*(i % 2 ? &odd : &even) += raw - last;
		last = raw;
	}
	test_read(&sliced.test, T0 + 30 * SLICE);
	is_u64(last, 35572420, "multiplexing: after 120 ms all 35,572,420 beats have passed");
	is_u64(test_count(&sliced.test, 0).raw, even,
	       "multiplexing: the first group counts exactly the beats of the even time slices");
	is_u64(test_count(&sliced.test, 6).raw, odd,
	       "multiplexing: the second group counts exactly the beats of the odd time slices");
	bed_release(&sliced);
	bed_release(&whole);
}

int main(void)
{
	halves();
	neighbours();
	exact();
	return done_testing();
}
