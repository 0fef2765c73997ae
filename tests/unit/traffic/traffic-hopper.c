// SPDX-License-Identifier: LGPL-2.1-or-later
/* Flows of Grace Hoppers: what is counted together, and what is invisible. */
#include "traffic-test.h"

#define SCF(_n, _event)		   "nvidia_scf_pmu_" #_n "/" _event "/"
#define C2C0(_n, _event)	   "nvidia_nvlink_c2c0_pmu_" #_n "/" _event "/"
#define C2C1(_n, _event)	   "nvidia_nvlink_c2c1_pmu_" #_n "/" _event "/"
#define PCIE(_n, _event)	   "nvidia_pcie_pmu_" #_n "/" _event ",root_port=0x3ff/"
#define CNVLINK(_n, _event, _from) "nvidia_cnvlink_pmu_" #_n "/" _event ",rem_socket=" _from "/"

static void is_together(const struct traffic *t, const char *cell, const char *sum,
			const char *what)
{
	const struct gpmu_flow_value *value = &traffic_cell(t, cell)->read;
	const struct gpmu_flow_line *line = gpmu_flow_sum(t->flow, value->sum);

	if (!ok(value->state == GPMU_FLOW_TOGETHER && isnan(value->rate) && line &&
			!strcmp(line->name, sum),
		"%s", what)) {
		show_value(value);
		diag("%s", line ? line->name : "no sum");
	}
}

/* Guide, "GPU traffic measurement", second example */
static void one(void)
{
	struct traffic t;

	traffic_init(&t, "gh200", GPMU_FLOW_ANY, NULL);
	is_str(gpmu_flow_title(t.flow), "Grace Hopper, 1 socket", "one socket is a Grace Hopper");
	ok(!gpmu_flow_link(t.flow, 0), "alone it has no links to others");
	ok(!traffic_has(&t, CNVLINK(0, "cycles", "0xf")), "nor is their PMU asked for");
	traffic_count(&t, C2C0(0, "rd_bytes_loc"), 4234927104);
	traffic_count(&t, C2C0(0, "wr_bytes_loc"), 201326592);
	traffic_count(&t, C2C1(0, "rd_bytes_loc"), 6356480);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 10);
	traffic_count(&t, SCF(0, "gmem_wr_total_bytes"), 7);
	traffic_update(&t, SEC);
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 0")->read, 4234927104,
		 "what the GPU reads of CPU memory");
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 0")->write, 201326592, "and writes");
	is_without(&traffic_cell(&t, "GPU 0 ATS -> GMEM 0")->read, GPMU_FLOW_INVISIBLE, "no PMU",
		   "what it reads of its own memory is invisible");
	ok(strstr(traffic_cell(&t, "GPU 0 ATS -> GMEM 0")->note, "does not leave it"),
	   "and why is said");
	is_together(&t, "GPU 0 non-ATS -> CMEM 0", "GPU 0 non-ATS -> CMEM, GMEM 0",
		    "without translation both memories are counted together");
	is_together(&t, "GPU 0 non-ATS -> GMEM 0", "GPU 0 non-ATS -> CMEM, GMEM 0", "of both");
	is_bytes(&traffic_sum(&t, "GPU 0 non-ATS -> CMEM, GMEM 0")->read, 6356480,
		 "the sum is known");
	is_bytes(&traffic_cell(&t, "GPU 0 non-ATS -> GMEM 0")->write, 0, "of a sum of 0 each is 0");
	is_bytes(&traffic_cell(&t, "PCIe 0 -> GMEM 0")->read, 0, "of PCIe too");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 320,
		 "the CPU's reads are what CMEM counts");
	ok(!traffic_cell(&t, "CPU 0 -> CMEM 0")->read.derived &&
		   !traffic_cell(&t, "CPU 0 -> CMEM 0")->note,
	   "there is nothing to subtract");
	is_bytes(&traffic_cell(&t, "CPU 0 -> GMEM 0")->write, 7,
		 "its writes to GPU memory what GMEM counts");
	is_range(&gpmu_flow_memory_total(t.flow, 0)->read, 4234927104.0 + 320,
		 4234927104.0 + 320 + 6356480,
		 "a memory's total is between without and with what may be of the other");
	is_range(&gpmu_flow_memory_total(t.flow, 1)->read, 0, 6356480, "that of GPU memory too");
	is_bytes(&gpmu_flow_total(t.flow)->read, 4234927104.0 + 320 + 6356480,
		 "the total of both is known");
	is_bytes(&gpmu_flow_source_total(t.flow, 2)->read, 4234927104,
		 "what is invisible is in no total");
	ok(traffic_peak(&t, "NVLink-C2C 0, reads and writes")->value.bytes ==
		   4234927104.0 + 201326592 + 6356480 + 7,
	   "all of NVLink-C2C beside its peak");
	traffic_release(&t);
}

static void two(void)
{
	const struct gpmu_flow_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_HOPPER, NULL);
	is_str(gpmu_flow_title(t.flow), "Grace Hopper, 2 sockets",
	       "what is asked for has precedence");
	traffic_count(&t, SCF(0, "cmem_rd_data"), 1000);
	traffic_count(&t, SCF(0, "gmem_rd_data"), 100);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 40);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 5000);
	traffic_count(&t, C2C0(1, "rd_bytes_rem"), 800);
	traffic_count(&t, PCIE(1, "rd_bytes_rem"), 200);
	traffic_count(&t, CNVLINK(0, "rd_bytes_loc", "0x2"), 990);
	traffic_update(&t, SEC);
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 960 * 32, 1000 * 32,
		 "the other CPU's part may be of either memory: a range");
	is_range(&traffic_cell(&t, "CPU 0 -> GMEM 0")->read, 60 * 32, 100 * 32, "of both");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 5000,
		 "where that is 0 the memory's count is it");
	is_bytes(&gpmu_flow_source_total(t.flow, 0)->read, 1060 * 32,
		 "of both together it is known");
	is_together(&t, "CPU 1 -> GMEM 0", "CPU 1 -> CMEM, GMEM 0",
		    "what a CPU reads remotely is of both memories");
	is_together(&t, "GPU 1 ATS -> CMEM 0", "GPU 1 ATS -> CMEM, GMEM 0", "so is a GPU's");
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 1")->read, 0, "nothing is nothing of either");
	link = traffic_link(&t, "PCIe, GPU 1 -> other sockets");
	is_bytes(&link->source_read, 1000, "between sockets: all that leaves one");
	is_bytes(&link->home_read, 990, "and what the other one's CNVLink counts of it");
	ok(traffic_near(link->imbalance_read, -0.01), "with the difference");
	is_bytes(&traffic_link(&t, "CPU 1 -> CMEM, GMEM 0")->home_read, 1100 * 32,
		 "the home of CPUs' traffic is both memories");
	is_range(&gpmu_flow_memory_total(t.flow, 0)->read, 32000, 32000 + 990, "a memory's total");
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 4000);
	traffic_update(&t, SEC);
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 0, 32000, "it is not below 0");
	traffic_release(&t);
}

static void four(void)
{
	struct traffic t;

	traffic_init(&t, "gh4", GPMU_FLOW_ANY, NULL);
	is_str(gpmu_flow_title(t.flow), "Grace Hopper, 4 sockets", "four sockets");
	ok(traffic_has(&t, CNVLINK(3, "rd_bytes_loc", "0x4")) &&
		   traffic_has(&t, CNVLINK(0, "wr_bytes_loc", "0x8")) &&
		   !traffic_has(&t, CNVLINK(3, "rd_bytes_loc", "0x8")),
	   "each home counts each other socket by itself, as a filter tells them");
	ok(traffic_has(&t, CNVLINK(2, "cycles", "0xf")), "whose clock is that of all");
	ok(traffic_has(&t, SCF(0, "socket_3_wb_data")) &&
		   !traffic_has(&t, SCF(0, "socket_0_rd_data")),
	   "and so does each source");
	ok(gpmu_flow_sum(t.flow, 35) && !gpmu_flow_sum(t.flow, 36), "each sum is there once");
	ok(gpmu_flow_link(t.flow, 27) && !gpmu_flow_link(t.flow, 28), "and so is each link");
	traffic_count(&t, SCF(0, "socket_2_rd_data"), 10);
	traffic_count(&t, SCF(0, "socket_2_wb_data"), 3);
	traffic_count(&t, SCF(0, "socket_2_wr_data"), 5);
	traffic_count(&t, SCF(2, "cmem_rd_data"), 50);
	traffic_count(&t, SCF(2, "cmem_wr_total_bytes"), 500);
	traffic_count(&t, C2C1(1, "rd_bytes_rem"), 700);
	traffic_count(&t, CNVLINK(0, "rd_bytes_loc", "0x2"), 300);
	traffic_count(&t, CNVLINK(3, "rd_bytes_loc", "0x2"), 400);
	traffic_update(&t, SEC);
	is_bytes(&traffic_sum(&t, "CPU 0 -> CMEM, GMEM 2")->write, 3 * 32 + 5,
		 "write-backs are beats, other writes bytes");
	is_range(&traffic_cell(&t, "CPU 2 -> CMEM 2")->write, 500 - 101, 500,
		 "a CPU's own part of its memory");
	is_bytes(&traffic_cell(&t, "CPU 3 -> CMEM 2")->read, 0, "sockets are told apart");
	is_together(&t, "GPU 1 non-ATS -> GMEM 3", "GPU 1 non-ATS -> CMEM, GMEM 0, 2, 3",
		    "a GPU's remote reads are of all other sockets");
	is_bytes(&traffic_link(&t, "PCIe, GPU 1 -> other sockets")->home_read, 700,
		 "the homes' counts add up");
	is_bytes(&traffic_link(&t, "PCIe, GPU 1 -> CMEM, GMEM 3")->home_read, 400,
		 "each home by itself");
	is_without(&traffic_link(&t, "PCIe, GPU 1 -> CMEM, GMEM 3")->source_read,
		   GPMU_FLOW_INVISIBLE, "no PMU", "of which the source cannot tell");
	is_bytes(&gpmu_flow_total(t.flow)->read, 50 * 32 + 700, "the total");
	traffic_release(&t);
}

static void add_gpu_node(const struct sysroot *root)
{
	sysroot_put(root, "sys/devices/system/node/node2/cpulist", "\n");
}

static void remove_socket(const struct sysroot *root)
{
	static const char *const kinds[] = { "scf", "pcie", "nvlink_c2c0", "nvlink_c2c1",
					     "cnvlink" };
	char path[128];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/nvidia_%s_pmu_1",
			 kinds[i]);
		sysroot_remove(root, path);
	}
}

static void kinds(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_FLOW_ANY, add_gpu_node);
	is_str(gpmu_flow_title(t.flow), "Grace Hopper, 2 sockets",
	       "a node of memory alone is a GPU's");
	traffic_release(&t);
	traffic_init(&t, "superchip", GPMU_FLOW_ANY, remove_socket);
	is_str(gpmu_flow_title(t.flow), "Grace CPU Superchip, 2 sockets",
	       "a socket without a PMU is one");
	traffic_update(&t, SEC);
	is_without(&traffic_cell(&t, "CPU 1 -> CMEM 1")->read, GPMU_FLOW_NOT_SUPPORTED,
		   "there is no nvidia_scf_pmu_1", "of which is nothing known");
	traffic_release(&t);
	traffic_init(&t, "gh200", GPMU_FLOW_SUPERCHIP, NULL);
	is_str(gpmu_flow_title(t.flow), "Grace CPU, 1 socket", "a Grace CPU can be alone");
	traffic_count(&t, SCF(0, "cmem_rd_data"), 10);
	traffic_update(&t, SEC);
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 320, "all of its memory's is its own");
	ok(!traffic_cell(&t, "CPU 0 -> CMEM 0")->note, "which needs no note");
	traffic_release(&t);
}

int main(void)
{
	one();
	two();
	four();
	kinds();
	return done_testing();
}
