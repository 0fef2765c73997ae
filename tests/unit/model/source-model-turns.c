// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * More groups than counters: the model's PMUs let them take turns of 4 ms, as perf does.
 * Rates are those of steady.scenario: in a turn of SCF 0 the memory gives
 * 80 GB/s * 4 ms / 32 = 10,000,000 beats.
 */
#include "plugin/source-bed.h"

#define TURN	(4 * MS)
#define BEATS	10000000ull	/* of cmem_rd_data in a turn */
#define SIX	"cmem_rd_data cmem_rd_access cmem_wb_data cmem_wb_access cmem_wr_data cmem_wr_access"
#define THREE	"cmem_rd_data cmem_rd_access cmem_wb_data"

/* A slot after @ns: so many turns of the time, in which all of the traffic is counted */
static void is_turns(struct bed *bed, uint64_t ns, size_t slot, uint64_t quarters, const char *what)
{
	struct count got;
	bool good;

	if (test_read(&bed->test, T0 + ns))
		test_bail("not read");
	got = test_count(&bed->test, slot);
	good = got.raw == BEATS * quarters / 4 && got.enabled == ns &&
	       got.running == TURN * quarters / 4 &&
	       got.state == (quarters || !ns ? COUNT_OK : COUNT_NOT_COUNTED);
	ok(good, "%s", what);
	if (!good)
		diag("raw %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64 ", state %d", got.raw,
		     got.enabled, got.running, got.state);
}

static void begin(struct bed *bed)
{
	if (test_open(&bed->test, bed->source, &bed_error) || test_enable(&bed->test, T0))
		test_bail(bed_error.text);
}

/* Two groups, of which one has room */
static void halves(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", SIX " cycles");
	group(&bed, "nvidia_scf_pmu_0", SIX);
	group(&bed, "nvidia_scf_pmu_1", SIX " cycles");
	begin(&bed);
	is_turns(&bed, 3 * MS, 0, 3, "the first group has the first 4 ms");
	is_turns(&bed, 3 * MS, 7, 0, "the second has not counted yet");
	is_turns(&bed, 5 * MS, 0, 4, "then it has its turn to the end");
	is_turns(&bed, 5 * MS, 7, 1, "and the second begins its own");
	is_turns(&bed, 8 * MS, 7, 4, "which ends after 8 ms");
	is_turns(&bed, 8 * MS, 0, 4, "while the first waits");
	is_turns(&bed, SEC, 0, 125 * 4, "in a second each has 125 turns");
	is_turns(&bed, SEC, 7, 125 * 4, "both of them");
	is_u64((uint64_t)(count_value(&bed.test.counts->slots[0].counts[0]) + 0.5), 2500000000,
	       "scaled that is the steady 2.5 G beats");
	is_u64(test_count(&bed.test, 6).raw, 1600000000, "cycles are those of the turns, too");
	is_u64(test_count(&bed.test, 13).running, SEC, "the other socket's PMU has no need of turns");
	is_turns(&bed, 3 * SEC, 0, 375 * 4, "read seldom or often is the same");
	test_disable(&bed.test, T0 + 3 * SEC + 2 * MS);
	is_turns(&bed, 3 * SEC + 2 * MS, 0, 375 * 4 + 2, "at the end the turn is cut short");
	test_enable(&bed.test, T0 + 10 * SEC + 5 * MS);
	test_read(&bed.test, T0 + 10 * SEC + 5 * MS + TURN);
	is_u64(test_count(&bed.test, 7).running, 1500 * MS, "enabled again, the first begins");
	is_u64(test_count(&bed.test, 0).running, 1506 * MS, "... with a turn of 4 ms");
	bed_release(&bed);
}

/* Turns begin at each group in turn and take in those after it, up to the first without room. */
static void neighbours(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", THREE);
	group(&bed, "nvidia_scf_pmu_0", THREE);
	group(&bed, "nvidia_scf_pmu_0", SIX);
	begin(&bed);
	is_turns(&bed, 12 * MS, 0, 4, "of three, three and six events the first has a third");
	is_turns(&bed, 12 * MS, 3, 8, "the second two thirds: it has room beside the first");
	is_turns(&bed, 12 * MS, 6, 4, "the third, which has none beside the second, a third");
	is_turns(&bed, 15 * SEC, 3, 10000, "... and so on");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cycles");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cycles");
	begin(&bed);
	is_turns(&bed, 8 * MS, 0, 4, "the cycle counter is one that groups may have to wait for");
	is_turns(&bed, 8 * MS, 2, 4, "each has half the time");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", THREE " cycles");
	group(&bed, "nvidia_scf_pmu_0", THREE);
	begin(&bed);
	is_turns(&bed, SEC, 0, 1000, "groups that have room together count all the time");
	is_turns(&bed, SEC, 4, 1000, "all of them");
	bed_release(&bed);
}

/* What turns count of traffic that ends, against a source without turns, read at their ends */
static void exact(void)
{
	static const char *const options = "guide-cpu-local-read.scenario";
	uint64_t odd = 0, even = 0, last = 0, raw;
	struct bed turns, whole;

	bed_init(&turns, options);
	group(&turns, "nvidia_scf_pmu_0", SIX);
	group(&turns, "nvidia_scf_pmu_0", SIX);
	bed_init(&whole, options);
	group(&whole, "nvidia_scf_pmu_0", "cmem_rd_data");
	begin(&turns);
	begin(&whole);
	for (unsigned int i = 0; i < 30; i++) {
		test_read(&whole.test, T0 + (i + 1) * TURN);
		raw = test_count(&whole.test, 0).raw;
		*(i % 2 ? &odd : &even) += raw - last;
		last = raw;
	}
	test_read(&turns.test, T0 + 30 * TURN);
	is_u64(last, 35572420, "after 120 ms all 35,572,420 beats have passed");
	is_u64(test_count(&turns.test, 0).raw, even, "the first group has those of its turns, exactly");
	is_u64(test_count(&turns.test, 6).raw, odd, "the second all others");
	bed_release(&turns);
	bed_release(&whole);
}

int main(void)
{
	halves();
	neighbours();
	exact();
	return done_testing();
}
