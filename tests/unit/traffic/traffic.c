// SPDX-License-Identifier: LGPL-2.1-or-later
/* Traffic of a Superchip: the tuning guide's examples, and values that are not known */
#include "traffic-test.h"

#define SCF(_n, _event)	 "nvidia_scf_pmu_" #_n "/" _event "/"
#define PCIE(_n, _event) "nvidia_pcie_pmu_" #_n "/" _event ",root_port=0x3ff/"
#define C2C0(_n, _event) "nvidia_nvlink_c2c0_pmu_" #_n "/" _event "/"

static void names(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	is_str(gpmu_traffic_title(t.flow), "Grace CPU Superchip, 2 sockets",
	       "traffic: a Superchip is detected");
	is_str(gpmu_traffic_source(t.flow, 0), "CPU 0", "traffic: the first source is CPU 0");
	is_str(gpmu_traffic_source(t.flow, 3), "PCIe 1",
	       "traffic: the last source is the other socket's PCIe devices");
	ok(!gpmu_traffic_source(t.flow, 4) && !gpmu_traffic_memory(t.flow, 2) &&
		   !gpmu_traffic_cell(t.flow, 4, 0) && !gpmu_traffic_cell(t.flow, 0, 2) &&
		   !gpmu_traffic_source_total(t.flow, 4) && !gpmu_traffic_memory_total(t.flow, 2) &&
		   !gpmu_traffic_sum(t.flow, 0) && !gpmu_traffic_link(t.flow, 4) &&
		   !gpmu_traffic_peak(t.flow, 100),
	   "traffic: there is nothing after the last source, memory, sum, link or peak");
	is_str(gpmu_traffic_memory(t.flow, 1), "CMEM 1",
	       "traffic: memories are those of the sockets");
	is_without(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, GPMU_TRAFFIC_NOT_COUNTED,
		   "not counted yet", "traffic: values before the first update are not counted");
	ok(traffic_has(&t, PCIE(0, "rd_bytes_loc")),
	   "traffic: a PCIe event has a filter for all root ports");
	ok(traffic_has(&t, PCIE(1, "cycles")),
	   "traffic: cycles of PCIe have the filter, as drivers filter them");
	ok(traffic_has(&t, SCF(1, "remote_socket_rd_data")) &&
		   !traffic_has(&t, SCF(1, "socket_0_rd_data")),
	   "traffic: on two sockets remote events are those of the other socket");
	ok(!traffic_has(&t, SCF(0, "gmem_rd_data")) &&
		   !traffic_has(&t, "nvidia_nvlink_c2c1_pmu_0/cycles/"),
	   "traffic: events that a Superchip lacks are not planned");
	for (size_t i = 0; i < t.n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(t.rows[i].name, t.rows[j].name))
				ok(false, "traffic: %s is planned once", t.rows[i].name);
	traffic_release(&t);
}

/* Guide, "CPU traffic measurement", first and second example */
static void guide_local(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 1009299148);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 1213938);
	traffic_count(&t, SCF(1, "remote_socket_wr_total_bytes"), 1355223);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 7960);
	traffic_update(&t, 127496157);
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 1009299148 - 1355223,
		 "guide: local writes are CMEM's writes minus the other socket's");
	ok(traffic_cell(&t, "CPU 0 -> CMEM 0")->write.derived &&
		   strstr(traffic_cell(&t, "CPU 0 -> CMEM 0")->note, "minus the traffic"),
	   "guide: a difference is marked as derived, with a note");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, (1213938 - 7960) * 32.0,
		 "guide: reads are beats of 32 bytes");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 0")->write, 1355223,
		 "guide: the other socket's writes are its own count");
	ok(!traffic_cell(&t, "CPU 1 -> CMEM 0")->write.derived,
	   "guide: the other socket's writes are not derived");
	is_rate(&gpmu_traffic_memory_total(t.flow, 0)->write, 1009299148 / 0.127496157,
		"guide: the memory's total is its count in bytes per second");
	is_rate(&gpmu_traffic_source_total(t.flow, 0)->write, (1009299148 - 1355223) / 0.127496157,
		"guide: the CPU's total is that of its flows");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 1")->write, 0,
		 "guide: a flow without traffic is 0");
	ok(!traffic_cell(&t, "CPU 1 -> CMEM 1")->write.derived,
	   "guide: a difference of two zeros is not marked as derived");
	traffic_release(&t);
}

/* Third and fourth example: the two ends differ. */
static void guide_remote(void)
{
	const struct gpmu_traffic_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 19588224);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 33542984);
	traffic_count(&t, SCF(1, "remote_socket_wr_total_bytes"), 18771438);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 36189087);
	traffic_update(&t, 134526031);
	link = traffic_link(&t, "CPU 1 -> CMEM 0");
	is_bytes(&link->source_read, 1158050784,
		 "guide: remote reads at the source are 36,189,087 beats");
	is_bytes(&link->home_read, 1073375488,
		 "guide: remote reads at the home are 33,542,984 beats");
	ok(!link->alike && isnan(link->imbalance),
	   "guide: ends that count different CPUs have no imbalance");
	ok(link->note && strstr(link->note, "cache"), "guide: a note states why the ends differ");
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 0, 1073375488 / 0.134526031,
		 "guide: a CPU's local reads are a range if more remote reads came than the memory "
		 "counted");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 816786,
		 "guide: the CPU's local writes are known");
	is_range(&gpmu_traffic_source_total(t.flow, 0)->read, 0, 1073375488 / 0.134526031,
		 "guide: the CPU's total reads are a range");
	is_bytes(&gpmu_traffic_memory_total(t.flow, 0)->read, 1073375488,
		 "guide: the memory's total reads are known");
	ok(isnan(traffic_link(&t, "CPU 0 -> CMEM 1")->imbalance),
	   "guide: two ends of 0 have no imbalance");
	traffic_release(&t);
}

/* Guide, "PCIe traffic measurement", second example */
static void guide_pcie(void)
{
	const struct gpmu_traffic_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	traffic_count(&t, PCIE(1, "rd_bytes_loc"), 6398720);
	traffic_count(&t, PCIE(1, "wr_bytes_loc"), 164096);
	traffic_count(&t, PCIE(1, "rd_bytes_rem"), 1073762304);
	traffic_count(&t, C2C0(0, "rd_bytes_loc"), 1074057216);
	traffic_count(&t, C2C0(0, "wr_bytes_loc"), 32768);
	traffic_update(&t, 735201612);
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 0")->read, 1073762304,
		 "guide: PCIe reads of the other socket's memory are those of its PMU");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->read, 6398720,
		 "guide: PCIe reads of the own socket's memory are those of its PMU");
	link = traffic_link(&t, "PCIe 1 -> CMEM 0");
	is_bytes(&link->home_read, 1074057216,
		 "guide: the home's C2C0 counts the link's other end");
	ok(link->note && strstr(link->note, "strongly-ordered"),
	   "guide: a note mentions strongly-ordered writes");
	is_bytes(&link->home_write, 32768, "guide: writes at the home are those of C2C0");
	ok(link->alike, "guide: both ends of a link of PCIe count the same reads");
	traffic_release(&t);
}

static void peaks(void)
{
	const struct gpmu_traffic_peak *peak;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 2500000000);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 20000000000);
	traffic_count(&t, SCF(0, "cycles"), 3200000000);
	traffic_count(&t, SCF(1, "cycles"), 0);
	traffic_count(&t, PCIE(0, "wr_bytes_loc"), 3200000000);
	traffic_count(&t, PCIE(0, "rd_bytes_loc"), 1);
	traffic_row(&t, PCIE(0, "cycles"))->state = GPMU_STATE_NOT_COUNTED;
	traffic_update(&t, SEC);
	peak = traffic_peak(&t, "CMEM 0, reads and writes");
	ok(peak->peak == 500e9 && strstr(peak->origin, "datasheet"),
	   "peak: a peak of the datasheet states its origin");
	ok(traffic_near(peak->low, (80e9 + 20e9 + 3.2e9 + 1) / 500e9),
	   "peak: the share is that of all bytes moved");
	peak = traffic_peak(&t, "CPUs to CMEM 0, reads");
	ok(traffic_near(peak->peak, 8 * 64 * 3.2e9) && strstr(peak->origin, "guide"),
	   "peak: a peak of the tuning guide is requests x bytes x clock");
	ok(traffic_near(peak->low, 80e9 / (8 * 64 * 3.2e9)) && peak->low == peak->high,
	   "peak: the share is the guide's utilisation of full lines");
	peak = traffic_peak(&t, "CPUs to CMEM 1, reads");
	ok(isnan(peak->peak) && isnan(peak->low), "peak: a clock that stands still gives no peak");
	peak = traffic_peak(&t, "PCIe 0, writes");
	ok(isnan(peak->peak) && isnan(peak->low) && peak->value.rate == 3.2e9,
	   "peak: a clock that was not counted gives no peak");
	traffic_release(&t);
}

/* --- 0, idle, not counted, not supported --- */

static void states(void)
{
	const struct gpmu_traffic_line *cell;
	struct gpmu_row *row;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	traffic_count(&t, PCIE(0, "cycles"), 0);
	row = traffic_row(&t, PCIE(1, "rd_bytes_loc"));
	row->state = GPMU_STATE_NOT_COUNTED;
	row->why = "it was busy";
	traffic_update(&t, SEC);
	cell = traffic_cell(&t, "PCIe 0 -> CMEM 0");
	is_without(&cell->read, GPMU_TRAFFIC_IDLE, "clock",
		   "states: a PMU whose clock was stopped is idle");
	is_without(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->read, GPMU_TRAFFIC_NOT_COUNTED, "busy",
		   "states: an event that was not counted has its reason");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->write, 0,
		 "states: an event that counted 0 beside one that was not counted is 0");
	is_without(&gpmu_traffic_memory_total(t.flow, 1)->read, GPMU_TRAFFIC_NOT_COUNTED, "busy",
		   "states: a memory's total with a missing part is not counted");
	is_without(&gpmu_traffic_source_total(t.flow, 3)->read, GPMU_TRAFFIC_NOT_COUNTED, "busy",
		   "states: a source's total with a missing part is not counted");
	is_without(&gpmu_traffic_source_total(t.flow, 1)->read, GPMU_TRAFFIC_IDLE, "clock",
		   "states: a source whose flows are all idle is idle");
	is_bytes(&gpmu_traffic_memory_total(t.flow, 0)->read, 0,
		 "states: an idle flow is 0 in a memory's total");
	is_without(&gpmu_traffic_total(t.flow)->read, GPMU_TRAFFIC_NOT_COUNTED, "busy",
		   "states: the machine's total with a missing part is not counted");
	row->state = GPMU_STATE_OK;
	row->why = NULL;
	row->running = row->enabled / 4;
	row->raw = 1000;
	row->share = 0.25;
	gpmu_traffic_update(t.flow, &(struct gpmu_rows){ t.rows, t.n });
	cell = traffic_cell(&t, "PCIe 1 -> CMEM 1");
	ok(cell->read.rate == 4000 && cell->read.share == 0.25 && cell->write.share == 1,
	   "states: a multiplexed count is scaled and has its share");
	ok(gpmu_traffic_memory_total(t.flow, 1)->read.share == 0.25,
	   "states: a sum has the lowest share of its parts");
	row->running = 0;
	gpmu_traffic_update(t.flow, &(struct gpmu_rows){ t.rows, t.n });
	is_without(&cell->read, GPMU_TRAFFIC_NOT_COUNTED, "did not run",
		   "states: a counter that never ran is not counted");
	gpmu_traffic_update(t.flow, &(struct gpmu_rows){ t.rows, 0 });
	is_without(&cell->write, GPMU_TRAFFIC_NOT_COUNTED, "no count",
		   "states: missing rows are not counted");
	traffic_release(&t);
}

static void remove_pcie(const struct sysroot *root)
{
	sysroot_remove(root, "sys/bus/event_source/devices/nvidia_pcie_pmu_0");
	sysroot_remove(
		root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/events/remote_socket_rd_data");
}

static void absent(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, remove_pcie);
	traffic_update(&t, SEC);
	is_without(&traffic_cell(&t, "PCIe 0 -> CMEM 1")->read, GPMU_TRAFFIC_NOT_SUPPORTED,
		   "there is no nvidia_pcie_pmu_0",
		   "states: an absent PMU is not supported, and named");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 0")->read, 0,
		 "states: the other socket's PMU is counted");
	is_without(&traffic_cell(&t, "CPU 1 -> CMEM 0")->read, GPMU_TRAFFIC_NOT_SUPPORTED,
		   "nvidia_scf_pmu_1 has no event remote_socket_rd_data",
		   "states: an absent event is not supported, and named");
	is_without(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, GPMU_TRAFFIC_NOT_SUPPORTED,
		   "remote_socket_rd_data",
		   "states: a difference with an absent event is not supported");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 0")->write, 0,
		 "states: other events of the PMU are counted");
	traffic_release(&t);
}

static void refused(void)
{
	struct traffic t;

	traffic_init(&t, "laptop", GPMU_TRAFFIC_ANY, NULL);
	ok(!t.flow && strstr(t.error.text, "gpmu doctor"),
	   "traffic: a machine other than Grace is refused with a reference to gpmu doctor");
	ok(!gpmu_traffic_new(t.machine, GPMU_TRAFFIC_ANY, NULL) && errno == ENODEV,
	   "traffic: a machine other than Grace is ENODEV");
	traffic_release(&t);
	traffic_init(&t, "superchip", (enum gpmu_traffic_chip)7, NULL);
	ok(!t.flow && strstr(t.error.text, "found 7"),
	   "traffic: an unknown chip is refused");
	traffic_release(&t);
	gpmu_traffic_free(NULL);
}

int main(void)
{
	names();
	guide_local();
	guide_remote();
	guide_pcie();
	peaks();
	states();
	absent();
	refused();
	return done_testing();
}
