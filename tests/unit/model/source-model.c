// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The model as a source: the guide's numbers as in its scenarios' comments, the steady
 * scenario's rates, filters, limits. MODEL is the path of the plugin.
 */
#include "plugin/source-bed.h"

/* Counts as printed in the guide */
static const struct {
	const char *scenario;
	uint64_t ns;
	const char *pmu;
	const char *events;
	uint64_t counts[4];
} guide[] = {
	{ "guide-cpu-local-write", 127496157, "nvidia_scf_pmu_0", "cmem_wr_total_bytes cmem_rd_data",
	  { 1009299148, 1213938 } },
	{ "guide-cpu-local-write", 127496157, "nvidia_scf_pmu_1",
	  "remote_socket_wr_total_bytes remote_socket_rd_data", { 1355223, 7960 } },
	{ "guide-cpu-local-read", 88826372, "nvidia_scf_pmu_0", "cmem_wr_total_bytes cmem_rd_data",
	  { 36057808, 35572420 } },
	{ "guide-cpu-local-read", 88826372, "nvidia_scf_pmu_1",
	  "remote_socket_wr_total_bytes remote_socket_rd_data", { 24173, 4728 } },
	{ "guide-cpu-remote-write", 172847464, "nvidia_scf_pmu_0",
	  "cmem_wr_total_bytes cmem_rd_data", { 993278696, 1040902 } },
	{ "guide-cpu-remote-write", 172847464, "nvidia_scf_pmu_1",
	  "remote_socket_wr_total_bytes remote_socket_rd_data", { 961728219, 1065136 } },
	{ "guide-cpu-remote-read", 134526031, "nvidia_scf_pmu_0",
	  "cmem_wr_total_bytes cmem_rd_data", { 19588224, 33542984 } },
	{ "guide-cpu-remote-read", 134526031, "nvidia_scf_pmu_1",
	  "remote_socket_wr_total_bytes remote_socket_rd_data", { 18771438, 36189087 } },
	{ "guide-pcie-local-read", 1966391711, "nvidia_pcie_pmu_0",
	  "rd_bytes_loc:0x100 wr_bytes_loc:0x100 rd_bytes_rem:0x100 wr_bytes_rem:0x100",
	  { 1168472064, 31250176, 49152, 0 } },
	{ "guide-pcie-remote-read", 735201612, "nvidia_pcie_pmu_1",
	  "rd_bytes_loc:0x100 wr_bytes_loc:0x100 rd_bytes_rem:0x100 wr_bytes_rem:0x100",
	  { 6398720, 164096, 1073762304, 0 } },
	{ "guide-pcie-remote-read", 735201612, "nvidia_nvlink_c2c0_pmu_0",
	  "rd_bytes_loc wr_bytes_loc", { 1074057216, 32768 } },
	{ "guide-gpu-write", 777059774, "nvidia_nvlink_c2c0_pmu_0",
	  "total_bytes_loc rd_bytes_loc wr_bytes_loc", { 4234950656, 208418816, 4026531840 } },
	{ "guide-gpu-write", 777059774, "nvidia_nvlink_c2c1_pmu_0",
	  "total_bytes_loc rd_bytes_loc wr_bytes_loc", { 26981632, 6337792, 20643840 } },
	{ "guide-gpu-read", 771266524, "nvidia_nvlink_c2c0_pmu_0",
	  "total_bytes_loc rd_bytes_loc wr_bytes_loc", { 4436253696, 4234927104, 201326592 } },
	{ "guide-gpu-read", 771266524, "nvidia_nvlink_c2c1_pmu_0",
	  "total_bytes_loc rd_bytes_loc wr_bytes_loc", { 26949888, 6356480, 20593408 } },
};

static void examples(void)
{
	char options[128], what[200];
	struct bed bed;

	for (size_t i = 0; i < sizeof(guide) / sizeof(guide[0]); i++) {
		snprintf(options, sizeof(options), "%s.scenario", guide[i].scenario);
		bed_init(&bed, options);
		group(&bed, guide[i].pmu, guide[i].events);
		count(&bed, guide[i].ns);
		for (size_t slot = 0; slot < bed.test.plan.slot_count; slot++) {
			snprintf(what, sizeof(what),
				 "guide: %s, %s, event %zu of \"%s\" is as printed", guide[i].scenario,
				 guide[i].pmu, slot, guide[i].events);
			is_raw(&bed, slot, guide[i].counts[slot], guide[i].ns, what);
		}
		bed_release(&bed);
	}
}

/* Counts of steady.scenario, as in its last comment; G = 10^9 */
static void steady(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0",
	      "cycles cmem_rd_data cmem_rd_access cmem_rd_outstanding cmem_wr_total_bytes scf_cache "
	      "bus_cycles");
	group(&bed, "nvidia_scf_pmu_1", "cmem_rd_data cycles remote_socket_rd_data socket_0_rd_access");
	group(&bed, "nvidia_pcie_pmu_1", "rd_bytes_loc rd_bytes_rem wr_bytes_rem rd_cum_outs_loc");
	group(&bed, "nvidia_nvlink_c2c0_pmu_1", "rd_bytes_loc wr_bytes_loc");
	count(&bed, SEC);
	is_raw(&bed, 0, 3200000000, SEC, "steady, SCF 0: 3.2 G cycles per second");
	is_raw(&bed, 1, 2500000000, SEC, "steady, SCF 0: 80 GB/s are 2.5 G beats per second");
	is_raw(&bed, 2, 1250000000, SEC, "steady, SCF 0: 1.25 G read accesses per second");
	is_raw(&bed, 3, 400000000000, SEC, "steady, SCF 0: 400 G outstanding cycles per second");
	is_raw(&bed, 4, 51520000000, SEC, "steady, SCF 0: 51.52 GB/s of writes");
	is_raw(&bed, 5, 2360000000, SEC, "steady, SCF 0: 2.36 G accesses of its cache per second");
	is_raw(&bed, 6, 3200000000, SEC,
	       "steady, SCF 0: bus_cycles is counted by an event counter");
	is_raw(&bed, 7, 1100000000, SEC, "steady, SCF 1: 35.2 GB/s are 1.1 G beats per second");
	is_raw(&bed, 8, 2800000000, SEC, "steady, SCF 1: 2.8 G cycles per second, its own clock");
	is_raw(&bed, 9, 500000000, SEC,
	       "steady, SCF 1: 16 GB/s of remote reads are 0.5 G beats per second");
	is_raw(&bed, 10, 250000000, SEC,
	       "steady, SCF 1: 0.25 G read accesses to socket 0 per second");
	is_raw(&bed, 11, 12800000000, SEC, "steady, PCIe 1: 12.8 GB/s of local reads");
	is_raw(&bed, 12, 1600000000, SEC, "steady, PCIe 1: 1.6 GB/s of remote reads");
	is_raw(&bed, 13, 960000000, SEC, "steady, PCIe 1: 0.96 GB/s of remote writes");
	is_raw(&bed, 14, 160000000000, SEC, "steady, PCIe 1: 160 G outstanding cycles per second");
	is_raw(&bed, 15, 3200000000, SEC, "steady, C2C0 1: 3.2 GB/s of reads");
	is_raw(&bed, 16, 1600000000, SEC, "steady, C2C0 1: 1.6 GB/s of writes");
	ok(!test_read(&bed.test, T0 + 3 * SEC), "source model: a read two seconds later succeeds");
	is_raw(&bed, 1, 7500000000, 3 * SEC, "source model: counts are cumulative over reads");
	ok(!test_disable(&bed.test, T0 + 4 * SEC) && !test_read(&bed.test, T0 + 9 * SEC),
	   "source model: disable after four seconds succeeds");
	is_raw(&bed, 1, 10000000000, 4 * SEC, "source model: events do not count after disable");
	is_raw(&bed, 0, 12800000000, 4 * SEC, "source model: clocks do not count after disable");
	ok(!test_enable(&bed.test, T0 + 10 * SEC) && !test_read(&bed.test, T0 + 11 * SEC),
	   "source model: the next enable succeeds");
	is_raw(&bed, 1, 12500000000, 5 * SEC,
	       "source model: counts continue after the next enable");
	bed_release(&bed);
}

static void filters(void)
{
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_pcie_pmu_0",
	      "rd_bytes_loc rd_bytes_loc:0x3ff rd_bytes_loc:0x2 wr_bytes_loc:0x2 rd_bytes_loc:0x10400");
	group(&bed, "nvidia_nvlink_c2c0_pmu_1", "rd_bytes_loc:0x1 rd_bytes_loc:0x3 cycles:0x1");
	count(&bed, SEC);
	is_raw(&bed, 0, 6400000000, SEC, "filter: without a filter all root ports count");
	is_raw(&bed, 1, 6400000000, SEC, "filter: all root ports are the same as no filter");
	is_raw(&bed, 2, 0, SEC, "filter: root port 1 has no reads");
	is_raw(&bed, 3, 3200000000, SEC, "filter: root port 1 has writes");
	is_raw(&bed, 4, 6400000000, SEC, "filter: bits beyond the format are ignored");
	is_raw(&bed, 5, 1600000000, SEC, "filter: one of two C2C ports has half of the bytes");
	is_raw(&bed, 6, 3200000000, SEC, "filter: both C2C ports have all bytes");
	is_raw(&bed, 7, 1600000000, SEC, "filter: cycles count whatever the filter");
	bed_release(&bed);

	bed_init(&bed, "steady-gracehopper.scenario");
	group(&bed, "nvidia_cnvlink_pmu_0", "rd_bytes_loc rd_bytes_loc:0x1 rd_bytes_loc:0x2");
	count(&bed, SEC);
	is_raw(&bed, 0, 11200000000, SEC, "filter: CNVLink without a filter counts 8 + 3.2 GB/s");
	is_raw(&bed, 1, 0, SEC, "filter: CNVLink to the socket itself counts nothing");
	is_raw(&bed, 2, 11200000000, SEC, "filter: CNVLink to the other socket counts all");
	bed_release(&bed);
}

/* Each run begins the scenario anew, as with -r. */
static void runs(void)
{
	struct bed bed;
	uint64_t index = T0;

	bed_init(&bed, "guide-cpu-local-read.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data");
	for (int i = 0; i < 3; i++, index += SEC) {
		if (test_open(&bed.test, bed.source, &bed_error))
			test_bail(bed_error.text);
		test_enable(&bed.test, index);
		test_disable(&bed.test, index + 88826372);
		test_read(&bed.test, index + 88826372);
		is_raw(&bed, 0, 35572420, 88826372,
		       "source model: each run has all of the traffic, once");
		test_close(&bed.test);
	}
	bed_release(&bed);

	bed_init(&bed, "steady.scenario,scenario=" SCENARIOS "guide-cpu-local-read.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data");
	count(&bed, SEC);
	is_raw(&bed, 0, 2500000000 + 35572420, SEC, "source model: two scenarios run side by side");
	bed_release(&bed);
}

static void limits(void)
{
	const struct event_instance *instances[TEST_SLOTS];
	struct bed bed;

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cmem_rd_access cmem_wb_data cmem_wb_access "
	      "cmem_wr_data cmem_wr_access cycles scf_cache cycles");
	for (size_t i = 0; i < 9; i++)
		instances[i] = &bed.test.instances[i];
	ok(source_plugin.fits(bed.source, instances, 7) == 1,
	   "source model: six events and cycles fit");
	ok(!source_plugin.fits(bed.source, instances, 8), "source model: seven events do not fit");
	ok(!source_plugin.fits(bed.source, instances + 6, 3),
	   "source model: two cycle events do not fit");
	ok(!test_open(&bed.test, bed.source, &bed_error),
	   "source model: opening a group that does not fit succeeds");
	ok(bed.test.counts->slots[8].state == COUNT_NOT_SUPPORTED,
	   "source model: a group that does not fit is not supported");
	is_str(bed.test.counts->slots[0].why, "needs 2 cycle counters of nvidia_scf_pmu_0, which has 1",
	       "source model: the reason is two cycle counters");
	test_close(&bed.test);
	bed.test.groups[0].length = bed.test.plan.slot_count = 8;
	test_open(&bed.test, bed.source, &bed_error);
	is_str(bed.test.counts->slots[7].why, "needs 7 event counters of nvidia_scf_pmu_0, which has 6",
	       "source model: the reason is seven event counters");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario,counters=8");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cmem_rd_access cmem_wb_data cmem_wb_access "
	      "cmem_wr_data cmem_wr_access scf_cache scf_cache_wb");
	count(&bed, SEC);
	is_raw(&bed, 0, 2500000000, SEC, "source model: with counters=8 eight events count");
	bed_release(&bed);

	bed_init(&bed, "steady.scenario");
	group(&bed, "nvidia_scf_pmu_0", "cmem_rd_data cmem_rd_data");
	bed.test.instances[0].attr.config = 0xffff;
	count(&bed, SEC);
	is_raw(&bed, 0, 0, SEC, "source model: an unknown event number counts nothing");
	is_raw(&bed, 1, 2500000000, SEC, "source model: an event beside an unknown one counts");
	bed_release(&bed);
}

int main(void)
{
	examples();
	steady();
	filters();
	runs();
	limits();
	return done_testing();
}
