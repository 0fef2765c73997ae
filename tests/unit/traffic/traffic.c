// SPDX-License-Identifier: LGPL-2.1-or-later
/* Flows of a Superchip: the tuning guide's examples, and what is no number. */
#include "traffic-test.h"

#define SCF(_n, _event)	 "nvidia_scf_pmu_" #_n "/" _event "/"
#define PCIE(_n, _event) "nvidia_pcie_pmu_" #_n "/" _event ",root_port=0x3ff/"
#define C2C0(_n, _event) "nvidia_nvlink_c2c0_pmu_" #_n "/" _event "/"

static void names(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	is_str(gpmu_flow_title(t.flow), "Grace CPU Superchip, 2 sockets",
	       "a Superchip is known as one");
	is_str(gpmu_flow_source(t.flow, 0), "CPU 0", "the first source is its CPU");
	is_str(gpmu_flow_source(t.flow, 3), "PCIe 1", "the last the other socket's PCIe devices");
	ok(!gpmu_flow_source(t.flow, 4) && !gpmu_flow_memory(t.flow, 2) &&
		   !gpmu_flow_cell(t.flow, 4, 0) && !gpmu_flow_cell(t.flow, 0, 2) &&
		   !gpmu_flow_source_total(t.flow, 4) && !gpmu_flow_memory_total(t.flow, 2) &&
		   !gpmu_flow_sum(t.flow, 0) && !gpmu_flow_link(t.flow, 4) &&
		   !gpmu_flow_peak(t.flow, 100),
	   "there is nothing after the last");
	is_str(gpmu_flow_memory(t.flow, 1), "CMEM 1", "memories are those of the sockets");
	is_without(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, GPMU_FLOW_NOT_COUNTED,
		   "not counted yet", "before anything was counted nothing is a number");
	ok(traffic_has(&t, PCIE(0, "rd_bytes_loc")), "all root ports are counted, and said");
	ok(traffic_has(&t, PCIE(1, "cycles")), "of the clock too, as drivers filter that");
	ok(traffic_has(&t, SCF(1, "remote_socket_rd_data")) &&
		   !traffic_has(&t, SCF(1, "socket_0_rd_data")),
	   "of two sockets what is remote is of the other one");
	ok(!traffic_has(&t, SCF(0, "gmem_rd_data")) &&
		   !traffic_has(&t, "nvidia_nvlink_c2c1_pmu_0/cycles/"),
	   "what a Superchip does not have is not counted");
	for (size_t i = 0; i < t.n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(t.rows[i].name, t.rows[j].name))
				ok(false, "%s is counted once", t.rows[i].name);
	traffic_release(&t);
}

/* Guide, "CPU traffic measurement", first and second example */
static void guide_local(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 1009299148);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 1213938);
	traffic_count(&t, SCF(1, "remote_socket_wr_total_bytes"), 1355223);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 7960);
	traffic_update(&t, 127496157);
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 1009299148 - 1355223,
		 "local writes are what the memory got less what the other socket sent");
	ok(traffic_cell(&t, "CPU 0 -> CMEM 0")->write.derived &&
		   strstr(traffic_cell(&t, "CPU 0 -> CMEM 0")->note, "less what"),
	   "which is said");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, (1213938 - 7960) * 32.0,
		 "reads are beats of 32 bytes");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 0")->write, 1355223,
		 "and what it sent is as it counts it");
	ok(!traffic_cell(&t, "CPU 1 -> CMEM 0")->write.derived, "without a difference");
	is_rate(&gpmu_flow_memory_total(t.flow, 0)->write, 1009299148 / 0.127496157,
		"the memory's total is what it counted, in bytes a second");
	is_rate(&gpmu_flow_source_total(t.flow, 0)->write, (1009299148 - 1355223) / 0.127496157,
		"the CPU's total is that of its flows");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 1")->write, 0, "what did not happen is 0");
	ok(!traffic_cell(&t, "CPU 1 -> CMEM 1")->write.derived, "and no difference");
	traffic_release(&t);
}

/* Third and fourth: the two ends differ */
static void guide_remote(void)
{
	const struct gpmu_flow_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 19588224);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 33542984);
	traffic_count(&t, SCF(1, "remote_socket_wr_total_bytes"), 18771438);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 36189087);
	traffic_update(&t, 134526031);
	link = traffic_link(&t, "CPU 1 -> CMEM 0");
	is_bytes(&link->source_read, 1158050784, "remote reads at the source: 36,189,087 beats");
	is_bytes(&link->home_read, 1073375488, "and at the home: 33,542,984 beats");
	ok(traffic_near(link->imbalance_read, 33542984.0 / 36189087 - 1) &&
		   link->imbalance_read < -0.07 && link->imbalance_read > -0.08,
	   "the imbalance is 7 %% less, and no error");
	ok(traffic_near(link->imbalance_write, 19588224.0 / 18771438 - 1),
	   "that of writes is 4 %% more");
	ok(link->note && strstr(link->note, "cache"), "why ends differ is said");
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 0, 1073375488 / 0.134526031,
		 "if more came than the memory counted, its own CPU's part is not known");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 816786, "but that of writes is");
	is_range(&gpmu_flow_source_total(t.flow, 0)->read, 0, 1073375488 / 0.134526031,
		 "nor is the CPU's total");
	is_bytes(&gpmu_flow_memory_total(t.flow, 0)->read, 1073375488, "the memory's is");
	ok(isnan(traffic_link(&t, "CPU 0 -> CMEM 1")->imbalance_read),
	   "ends that both are 0 have none");
	traffic_release(&t);
}

/* "PCIe traffic measurement", second example */
static void guide_pcie(void)
{
	const struct gpmu_flow_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	traffic_count(&t, PCIE(1, "rd_bytes_loc"), 6398720);
	traffic_count(&t, PCIE(1, "wr_bytes_loc"), 164096);
	traffic_count(&t, PCIE(1, "rd_bytes_rem"), 1073762304);
	traffic_count(&t, C2C0(0, "rd_bytes_loc"), 1074057216);
	traffic_count(&t, C2C0(0, "wr_bytes_loc"), 32768);
	traffic_update(&t, 735201612);
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 0")->read, 1073762304,
		 "PCIe reads of the other socket's memory");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->read, 6398720, "and of its own");
	link = traffic_link(&t, "PCIe 1 -> CMEM 0");
	is_bytes(&link->home_read, 1074057216, "the home's C2C0 is the other end");
	ok(link->note && strstr(link->note, "strongly-ordered"),
	   "strongly-ordered writes are noted");
	is_bytes(&link->home_write, 32768, "also of its relaxed-ordered writes");
	ok(isnan(link->imbalance_write), "where the source counted nothing there is no imbalance");
	traffic_release(&t);
}

static void peaks(void)
{
	const struct gpmu_flow_peak *peak;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 2500000000);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 20000000000);
	traffic_count(&t, SCF(0, "cycles"), 3200000000);
	traffic_count(&t, SCF(1, "cycles"), 0);
	traffic_count(&t, PCIE(0, "wr_bytes_loc"), 3200000000);
	traffic_count(&t, PCIE(0, "rd_bytes_loc"), 1);
	traffic_row(&t, PCIE(0, "cycles"))->state = GPMU_NOT_COUNTED;
	traffic_update(&t, SEC);
	peak = traffic_peak(&t, "CMEM 0, reads and writes");
	ok(peak->peak == 500e9 && strstr(peak->origin, "datasheet"),
	   "a datasheet's peak is said to be one");
	ok(traffic_near(peak->low, (80e9 + 20e9 + 3.2e9 + 1) / 500e9),
	   "its share is of all that it moved");
	peak = traffic_peak(&t, "CPUs to CMEM 0, reads");
	ok(traffic_near(peak->peak, 8 * 64 * 3.2e9) && strstr(peak->origin, "guide"),
	   "a peak of the tuning guide is requests x bytes x clock");
	ok(traffic_near(peak->low, 80e9 / (8 * 64 * 3.2e9)) && peak->low == peak->high,
	   "which is the guide's utilisation of full lines");
	peak = traffic_peak(&t, "CPUs to CMEM 1, reads");
	ok(isnan(peak->peak) && isnan(peak->low), "a clock that stands still gives no peak");
	peak = traffic_peak(&t, "PCIe 0, writes");
	ok(isnan(peak->peak) && isnan(peak->low) && peak->value.rate == 3.2e9,
	   "one that was not counted does not either");
	traffic_release(&t);
}

/* --- 0, idle, not counted, not supported --- */

static void states(void)
{
	const struct gpmu_flow_line *cell;
	struct gpmu_row *row;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, NULL);
	traffic_count(&t, PCIE(0, "cycles"), 0);
	row = traffic_row(&t, PCIE(1, "rd_bytes_loc"));
	row->state = GPMU_NOT_COUNTED;
	row->why = "it was busy";
	traffic_update(&t, SEC);
	cell = traffic_cell(&t, "PCIe 0 -> CMEM 0");
	is_without(&cell->read, GPMU_FLOW_IDLE, "clock", "a PMU whose clock stood still is idle");
	is_without(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->read, GPMU_FLOW_NOT_COUNTED, "busy",
		   "an event that was not counted is said to be, and why");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 1")->write, 0, "beside it 0 is 0");
	is_without(&gpmu_flow_memory_total(t.flow, 1)->read, GPMU_FLOW_NOT_COUNTED, "busy",
		   "a total of which a part is missing is none");
	is_without(&gpmu_flow_source_total(t.flow, 3)->read, GPMU_FLOW_NOT_COUNTED, "busy",
		   "neither is the source's");
	is_without(&gpmu_flow_source_total(t.flow, 1)->read, GPMU_FLOW_IDLE, "clock",
		   "a source of which all is idle is");
	is_bytes(&gpmu_flow_memory_total(t.flow, 0)->read, 0, "idle is 0 in a memory's total");
	is_without(&gpmu_flow_total(t.flow)->read, GPMU_FLOW_NOT_COUNTED, "busy",
		   "the machine's is none");
	row->state = GPMU_OK;
	row->why = NULL;
	row->running = row->enabled / 4;
	row->raw = 1000;
	row->share = 0.25;
	gpmu_flow_update(t.flow, t.rows, t.n);
	cell = traffic_cell(&t, "PCIe 1 -> CMEM 1");
	ok(cell->read.rate == 4000 && cell->read.share == 0.25 && cell->write.share == 1,
	   "a multiplexed count is scaled, and its share said");
	ok(gpmu_flow_memory_total(t.flow, 1)->read.share == 0.25, "a sum has the lowest share");
	row->running = 0;
	gpmu_flow_update(t.flow, t.rows, t.n);
	is_without(&cell->read, GPMU_FLOW_NOT_COUNTED, "did not run",
		   "a counter that had no turn is not counted");
	gpmu_flow_update(t.flow, t.rows, 0);
	is_without(&cell->write, GPMU_FLOW_NOT_COUNTED, "no count",
		   "rows that are missing are not counted");
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

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, remove_pcie);
	traffic_update(&t, SEC);
	is_without(&traffic_cell(&t, "PCIe 0 -> CMEM 1")->read, GPMU_FLOW_NOT_SUPPORTED,
		   "there is no nvidia_pcie_pmu_0", "a PMU that is absent is named");
	is_bytes(&traffic_cell(&t, "PCIe 1 -> CMEM 0")->read, 0, "the other socket's is counted");
	is_without(&traffic_cell(&t, "CPU 1 -> CMEM 0")->read, GPMU_FLOW_NOT_SUPPORTED,
		   "nvidia_scf_pmu_1 has no event remote_socket_rd_data",
		   "so is an event that is absent");
	is_without(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, GPMU_FLOW_NOT_SUPPORTED,
		   "remote_socket_rd_data", "and what is derived of it is not supported");
	is_bytes(&traffic_cell(&t, "CPU 1 -> CMEM 0")->write, 0, "writes are");
	traffic_release(&t);
}

static void refused(void)
{
	struct traffic t;

	traffic_init(&t, "laptop", GPMU_FLOW_ANY, NULL);
	ok(!t.flow && strstr(t.error.text, "gpmu doctor"),
	   "a machine that is no Grace has no flows, and it is said what to do");
	ok(!gpmu_flow_new(t.machine, GPMU_FLOW_ANY, NULL) && errno == ENODEV, "ENODEV");
	traffic_release(&t);
	traffic_init(&t, "superchip", (enum gpmu_flow_chip)7, NULL);
	ok(!t.flow && strstr(t.error.text, "7 is no kind"),
	   "nor has one of a kind that there is not");
	traffic_release(&t);
	gpmu_flow_free(NULL);
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
