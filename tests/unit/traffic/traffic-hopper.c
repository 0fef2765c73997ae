// SPDX-License-Identifier: LGPL-2.1-or-later
/* Traffic of Grace Hoppers: flows counted together, and flows that no PMU counts */
#include "pmu-events/cnvlink.h"
#include "traffic-test.h"

#define SCF(_n, _event)		   "nvidia_scf_pmu_" #_n "/" _event "/"
#define C2C0(_n, _event)	   "nvidia_nvlink_c2c0_pmu_" #_n "/" _event "/"
#define C2C1(_n, _event)	   "nvidia_nvlink_c2c1_pmu_" #_n "/" _event "/"
#define PCIE(_n, _event)	   "nvidia_pcie_pmu_" #_n "/" _event ",root_port=0x3ff/"
#define CNVLINK(_n, _event, _from) "nvidia_cnvlink_pmu_" #_n "/" _event ",rem_socket=" _from "/"

/* Memories of pmu-events/cnvlink.h */
#define CMEM 1
#define GMEM 2

/* Other PMUs count @bytes of the memory's traffic, CNVLink's events @loc and @rem bytes. */
static void is_total(const struct gpmu_traffic_value *value, unsigned int memory, double bytes,
		     double loc, double rem, const char *what)
{
	double low = bytes + (CNVLINK_LOC == memory ? loc : 0) + (CNVLINK_REM == memory ? rem : 0);
	double high = bytes + (CNVLINK_LOC & memory ? loc : 0) + (CNVLINK_REM & memory ? rem : 0);

	if (high > low)
		is_range(value, low, high, what);
	else
		is_bytes(value, low, what);
}

static void is_together(const struct traffic *t, const char *cell, const char *sum,
			const char *what)
{
	const struct gpmu_traffic_value *value = &traffic_cell(t, cell)->read;
	const struct gpmu_traffic_line *line = gpmu_traffic_sum(t->flow, value->sum);

	if (!ok(value->state == GPMU_TRAFFIC_TOGETHER && isnan(value->rate) && line &&
			!strcmp(line->name, sum),
		"%s", what)) {
		show_value(value);
		diag("%s", line ? line->name : "no sum");
	}
}

/* Guide, "GPU traffic measurement", second example */
static void test_one_socket(void)
{
	struct traffic t;

	traffic_init(&t, "gh200", GPMU_TRAFFIC_ANY, NULL);
	is_str(gpmu_traffic_title(t.flow), "Grace Hopper, 1 socket",
	       "traffic, 1 socket: the title is Grace Hopper");
	ok(!gpmu_traffic_link(t.flow, 0), "traffic, 1 socket: there are no links to other sockets");
	ok(!traffic_has(&t, CNVLINK(0, "cycles", "0xf")),
	   "traffic, 1 socket: events of CNVLink are not planned");
	traffic_count(&t, C2C0(0, "rd_bytes_loc"), 4234927104);
	traffic_count(&t, C2C0(0, "wr_bytes_loc"), 201326592);
	traffic_count(&t, C2C1(0, "rd_bytes_loc"), 6356480);
	traffic_count(&t, SCF(0, "cmem_rd_data"), 10);
	traffic_count(&t, SCF(0, "gmem_wr_total_bytes"), 7);
	traffic_update(&t, SEC);
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 0")->read, 4234927104,
		 "traffic, 1 socket: the GPU's reads of CMEM are those of C2C0");
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 0")->write, 201326592,
		 "traffic, 1 socket: the GPU's writes to CMEM are those of C2C0");
	is_without(&traffic_cell(&t, "GPU 0 ATS -> GMEM 0")->read, GPMU_TRAFFIC_INVISIBLE, "no PMU",
		   "traffic, 1 socket: the GPU's reads of its own memory are invisible");
	ok(strstr(traffic_cell(&t, "GPU 0 ATS -> GMEM 0")->note, "does not leave the GPU"),
	   "traffic, 1 socket: a note states why a flow is invisible");
	is_together(&t, "GPU 0 non-ATS -> CMEM 0", "GPU 0 non-ATS -> CMEM, GMEM 0",
		    "traffic, 1 socket: untranslated reads of CMEM are counted with those of GMEM");
	is_together(&t, "GPU 0 non-ATS -> GMEM 0", "GPU 0 non-ATS -> CMEM, GMEM 0",
		    "traffic, 1 socket: untranslated reads of GMEM are counted with those of CMEM");
	is_bytes(&traffic_sum(&t, "GPU 0 non-ATS -> CMEM, GMEM 0")->read, 6356480,
		 "traffic, 1 socket: the sum of both memories is known");
	is_bytes(&traffic_cell(&t, "GPU 0 non-ATS -> GMEM 0")->write, 0,
		 "traffic, 1 socket: flows of a sum of 0 are 0");
	is_bytes(&traffic_cell(&t, "PCIe 0 -> GMEM 0")->read, 0,
		 "traffic, 1 socket: PCIe flows of a sum of 0 are 0");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 320,
		 "traffic, 1 socket: the CPU's reads of CMEM are CMEM's count");
	ok(!traffic_cell(&t, "CPU 0 -> CMEM 0")->read.derived &&
		   !traffic_cell(&t, "CPU 0 -> CMEM 0")->note,
	   "traffic, 1 socket: the CPU's reads of CMEM are not derived");
	is_bytes(&traffic_cell(&t, "CPU 0 -> GMEM 0")->write, 7,
		 "traffic, 1 socket: the CPU's writes to GMEM are GMEM's count");
	is_range(&gpmu_traffic_memory_total(t.flow, 0)->read, 4234927104.0 + 320,
		 4234927104.0 + 320 + 6356480,
		 "traffic, 1 socket: a memory's total is a range over the shared sum");
	is_range(&gpmu_traffic_memory_total(t.flow, 1)->read, 0, 6356480,
		 "traffic, 1 socket: GMEM's total is a range over the shared sum");
	is_bytes(&gpmu_traffic_total(t.flow)->read, 4234927104.0 + 320 + 6356480,
		 "traffic, 1 socket: the total of both memories is known");
	is_bytes(&gpmu_traffic_source_total(t.flow, 2)->read, 4234927104,
		 "traffic, 1 socket: invisible flows are in no total");
	ok(traffic_peak(&t, "NVLink-C2C 0, reads and writes")->value.bytes ==
		   4234927104.0 + 201326592 + 6356480 + 7,
	   "traffic, 1 socket: the value beside NVLink-C2C's peak has all its bytes");
	traffic_release(&t);
}

static void two(void)
{
	const struct gpmu_traffic_link *link;
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_HOPPER, NULL);
	is_str(gpmu_traffic_title(t.flow), "Grace Hopper, 2 sockets",
	       "traffic, 2 sockets: the requested chip overrides the detected one");
	traffic_count(&t, SCF(0, "cmem_rd_data"), 1000);
	traffic_count(&t, SCF(0, "gmem_rd_data"), 100);
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 40);
	traffic_count(&t, SCF(0, "cmem_wr_total_bytes"), 5000);
	traffic_count(&t, C2C0(1, "rd_bytes_rem"), 800);
	traffic_count(&t, PCIE(1, "rd_bytes_rem"), 200);
	traffic_count(&t, CNVLINK(0, "rd_bytes_loc", "0x2"), 900);
	traffic_count(&t, CNVLINK(0, "rd_bytes_rem", "0x2"), 90);
	traffic_update(&t, SEC);
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 960 * 32, 1000 * 32,
		 "traffic, 2 sockets: a CPU's reads of CMEM are a range, as the other CPU's part "
		 "is of either memory");
	is_range(&traffic_cell(&t, "CPU 0 -> GMEM 0")->read, 60 * 32, 100 * 32,
		 "traffic, 2 sockets: a CPU's reads of GMEM are a range");
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->write, 5000,
		 "traffic, 2 sockets: without remote writes a CPU's writes are the memory's count");
	is_bytes(&gpmu_traffic_source_total(t.flow, 0)->read, 1060 * 32,
		 "traffic, 2 sockets: a CPU's reads of both memories are known");
	is_together(&t, "CPU 1 -> GMEM 0", "CPU 1 -> CMEM, GMEM 0",
		    "traffic, 2 sockets: a CPU's remote reads of both memories are counted together");
	is_together(&t, "GPU 1 ATS -> CMEM 0", "GPU 1 ATS -> CMEM, GMEM 0",
		    "traffic, 2 sockets: a GPU's remote reads of both memories are counted together");
	is_bytes(&traffic_cell(&t, "GPU 0 ATS -> CMEM 1")->read, 0,
		 "traffic, 2 sockets: flows of a remote sum of 0 are 0");
	link = traffic_link(&t, "PCIe, GPU 1 -> other sockets");
	is_bytes(&link->source_read, 1000,
		 "traffic, 2 sockets: a link's source counts all that leaves the socket");
	is_bytes(&link->home_read, 990,
		 "traffic, 2 sockets: a link's home is counted by both events of its CNVLink");
	ok(traffic_near(link->imbalance, -0.01),
	   "traffic, 2 sockets: a link has the imbalance of its ends");
	is_bytes(&traffic_link(&t, "CPU 1 -> CMEM, GMEM 0")->home_read, 1100 * 32,
		 "traffic, 2 sockets: the home of CPUs' traffic is both memories");
	is_total(&gpmu_traffic_memory_total(t.flow, 0)->read, CMEM, 32000, 900, 90,
		 "traffic, 2 sockets: CMEM's total has the events of CNVLink that count CMEM");
	is_total(&gpmu_traffic_memory_total(t.flow, 1)->read, GMEM, 3200, 900, 90,
		 "traffic, 2 sockets: GMEM's total has the events of CNVLink that count GMEM");
	traffic_count(&t, SCF(1, "remote_socket_rd_data"), 4000);
	traffic_update(&t, SEC);
	is_range(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 0, 32000,
		 "traffic, 2 sockets: a range does not go below 0");
	traffic_release(&t);
}

static void four(void)
{
	struct traffic t;

	traffic_init(&t, "gh4", GPMU_TRAFFIC_ANY, NULL);
	is_str(gpmu_traffic_title(t.flow), "Grace Hopper, 4 sockets",
	       "traffic, 4 sockets: the title has four sockets");
	ok(traffic_has(&t, CNVLINK(3, "rd_bytes_loc", "0x4")) &&
		   traffic_has(&t, CNVLINK(0, "wr_bytes_rem", "0x8")) &&
		   !traffic_has(&t, CNVLINK(3, "rd_bytes_loc", "0x8")),
	   "traffic, 4 sockets: each home counts each other socket by a filter");
	ok(traffic_has(&t, CNVLINK(2, "cycles", "0xf")),
	   "traffic, 4 sockets: cycles of CNVLink have a filter with all sockets");
	ok(traffic_has(&t, SCF(0, "socket_3_wb_data")) &&
		   !traffic_has(&t, SCF(0, "socket_0_rd_data")),
	   "traffic, 4 sockets: each CPU counts each other socket");
	ok(gpmu_traffic_sum(t.flow, 35) && !gpmu_traffic_sum(t.flow, 36),
	   "traffic, 4 sockets: there are 36 sums");
	ok(gpmu_traffic_link(t.flow, 27) && !gpmu_traffic_link(t.flow, 28),
	   "traffic, 4 sockets: there are 28 links");
	traffic_count(&t, SCF(0, "socket_2_rd_data"), 10);
	traffic_count(&t, SCF(0, "socket_2_wb_data"), 3);
	traffic_count(&t, SCF(0, "socket_2_wr_data"), 5);
	traffic_count(&t, SCF(2, "cmem_rd_data"), 50);
	traffic_count(&t, SCF(2, "cmem_wr_total_bytes"), 500);
	traffic_count(&t, C2C1(1, "rd_bytes_rem"), 700);
	traffic_count(&t, CNVLINK(0, "rd_bytes_loc", "0x2"), 300);
	traffic_count(&t, CNVLINK(3, "rd_bytes_rem", "0x2"), 400);
	traffic_update(&t, SEC);
	is_bytes(&traffic_sum(&t, "CPU 0 -> CMEM, GMEM 2")->write, 3 * 32 + 5,
		 "traffic, 4 sockets: write-backs are beats of 32 bytes, other writes are bytes");
	is_range(&traffic_cell(&t, "CPU 2 -> CMEM 2")->write, 500 - 101, 500,
		 "traffic, 4 sockets: a CPU's writes to its own memory are a range");
	is_bytes(&traffic_cell(&t, "CPU 3 -> CMEM 2")->read, 0,
		 "traffic, 4 sockets: sockets are counted apart");
	is_together(&t, "GPU 1 non-ATS -> GMEM 3", "GPU 1 non-ATS -> CMEM, GMEM 0, 2, 3",
		    "traffic, 4 sockets: a GPU's remote reads of all other sockets are counted together");
	is_bytes(&traffic_link(&t, "PCIe, GPU 1 -> other sockets")->home_read, 700,
		 "traffic, 4 sockets: the home of a link to all sockets is their sum");
	is_bytes(&traffic_link(&t, "PCIe, GPU 1 -> CMEM, GMEM 3")->home_read, 400,
		 "traffic, 4 sockets: the home of a link to one socket is its own count");
	is_without(&traffic_link(&t, "PCIe, GPU 1 -> CMEM, GMEM 3")->source_read,
		   GPMU_TRAFFIC_INVISIBLE, "no PMU",
		   "traffic, 4 sockets: the source of a link to one socket is invisible");
	is_bytes(&gpmu_traffic_total(t.flow)->read, 50 * 32 + 700,
		 "traffic, 4 sockets: the total is known");
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

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, add_gpu_node);
	is_str(gpmu_traffic_title(t.flow), "Grace Hopper, 2 sockets",
	       "traffic: a memory-only node is taken for a GPU's");
	traffic_release(&t);
	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, remove_socket);
	is_str(gpmu_traffic_title(t.flow), "Grace CPU Superchip, 2 sockets",
	       "traffic: a socket without PMUs counts as a socket");
	traffic_update(&t, SEC);
	is_without(&traffic_cell(&t, "CPU 1 -> CMEM 1")->read, GPMU_TRAFFIC_NOT_SUPPORTED,
		   "there is no nvidia_scf_pmu_1",
		   "traffic: a socket without PMUs is not supported, and the PMU is named");
	traffic_release(&t);
	traffic_init(&t, "gh200", GPMU_TRAFFIC_SUPERCHIP, NULL);
	is_str(gpmu_traffic_title(t.flow), "Grace CPU, 1 socket",
	       "traffic: a Grace CPU may be alone");
	traffic_count(&t, SCF(0, "cmem_rd_data"), 10);
	traffic_update(&t, SEC);
	is_bytes(&traffic_cell(&t, "CPU 0 -> CMEM 0")->read, 320,
		 "traffic: all reads of a single socket's memory are its CPU's");
	ok(!traffic_cell(&t, "CPU 0 -> CMEM 0")->note,
	   "traffic: a single socket's reads have no note");
	traffic_release(&t);
}

int main(void)
{
	test_one_socket();
	two();
	four();
	kinds();
	return done_testing();
}
