// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The PMUs that see each type of traffic: Grace performance tuning guide, "Coresight
 * System PMU Traffic Coverage" and the tables of events; for several Grace Hoppers and the
 * order of PCIe writes, the kernel's nvidia-tegra241-pmu.rst. traffic.rst explains the rules.
 */
#include "base/array.h"
#include "pmu-events/cnvlink.h"
#include "traffic/traffic.h"

#define SUPERCHIP	TRAFFIC_SUPERCHIP
#define ONE		TRAFFIC_HOPPER
#define MANY		TRAFFIC_HOPPERS
#define HOPPER		(TRAFFIC_HOPPER | TRAFFIC_HOPPERS)
#define CMEM		TRAFFIC_CMEM
#define GMEM		TRAFFIC_GMEM

#define BEAT		32	/* maximum bytes of an SCF data beat */
#define LINE		64	/* bytes of a cache line */

#define PLUS(_pair, _at)	{ .pair = PAIR_##_pair, .at = AT_##_at }
#define MINUS(_pair, _at)	{ .pair = PAIR_##_pair, .at = AT_##_at, .minus = true }
#define TO(_memory, _pair, _at)	{ .pair = PAIR_##_pair, .at = AT_##_at, .memory = (_memory) }
/* PMUs that count several memories, or that pmu-events/cnvlink.h assigns to memories */
#define LOCAL_TO(_memory)	TO(_memory, PCIE_LOC, HOME), TO(_memory, C2C1_LOC, HOME)
#define CNVLINK_TO(_memory)	TO(_memory, CNVLINK_LOC, HOME_FROM_ALL), \
				TO(_memory, CNVLINK_REM, HOME_FROM_ALL)
#define CNVLINK(_at)		PLUS(CNVLINK_LOC, _at), PLUS(CNVLINK_REM, _at)
#define COUNT(...)	(sizeof((struct traffic_part[]){ __VA_ARGS__ }) / sizeof(struct traffic_part))
#define PARTS(...)	.parts = { __VA_ARGS__ }, .part_count = COUNT(__VA_ARGS__)

#define LINK_EVENTS(_suffix)	{ { "rd_bytes_" _suffix, 1, TRAFFIC_READ },	\
				  { "wr_bytes_" _suffix, 1, TRAFFIC_WRITE } }

const struct traffic_pair traffic_pairs[TRAFFIC_PAIRS] = {
	[PAIR_CMEM] = { GPMU_PMU_SCF, false, NULL, CMEM, {
		{ "cmem_rd_data", BEAT, TRAFFIC_READ },
		{ "cmem_wr_total_bytes", 1, TRAFFIC_WRITE } } },
	[PAIR_GMEM] = { GPMU_PMU_SCF, false, NULL, GMEM, {
		{ "gmem_rd_data", BEAT, TRAFFIC_READ },
		{ "gmem_wr_total_bytes", 1, TRAFFIC_WRITE } } },
	[PAIR_REMOTE] = { GPMU_PMU_SCF, false, NULL, CMEM | GMEM, {
		{ "remote_socket_rd_data", BEAT, TRAFFIC_READ },
		{ "remote_socket_wr_total_bytes", 1, TRAFFIC_WRITE } } },
	[PAIR_SOCKET] = { GPMU_PMU_SCF, true, NULL, CMEM | GMEM, {
		{ "socket_%d_rd_data", BEAT, TRAFFIC_READ },
		{ "socket_%d_wb_data", BEAT, TRAFFIC_WRITE },
		{ "socket_%d_wr_data", 1, TRAFFIC_WRITE } } },
	[PAIR_PCIE_LOC] = { GPMU_PMU_PCIE, false, "root_port", CMEM | GMEM, LINK_EVENTS("loc") },
	[PAIR_PCIE_REM] = { GPMU_PMU_PCIE, false, "root_port", CMEM | GMEM, LINK_EVENTS("rem") },
	[PAIR_C2C0_LOC] = { GPMU_PMU_C2C0, false, NULL, CMEM, LINK_EVENTS("loc") },
	[PAIR_C2C0_REM] = { GPMU_PMU_C2C0, false, NULL, CMEM | GMEM, LINK_EVENTS("rem") },
	[PAIR_C2C1_LOC] = { GPMU_PMU_C2C1, false, NULL, CMEM | GMEM, LINK_EVENTS("loc") },
	[PAIR_C2C1_REM] = { GPMU_PMU_C2C1, false, NULL, CMEM | GMEM, LINK_EVENTS("rem") },
	[PAIR_CNVLINK_LOC] = { GPMU_PMU_CNVLINK, true, "rem_socket", CNVLINK_LOC, LINK_EVENTS("loc") },
	[PAIR_CNVLINK_REM] = { GPMU_PMU_CNVLINK, true, "rem_socket", CNVLINK_REM, LINK_EVENTS("rem") },
};

static const char own_memory[] =
	"a GPU's traffic to its own memory does not leave the GPU: its own counters count it";
static const char local_cpu[] =
	"CMEM's count minus the traffic of other sockets' CPUs; too low if caches answer that traffic, too high if it includes strongly-ordered PCIe writes of other sockets";
static const char local_cpus[] =
	"the counts of CMEM and GMEM minus the traffic of other sockets' CPUs, whose division between the two is unknown; includes strongly-ordered PCIe writes of other sockets";

const struct traffic_rule traffic_rules[] = {
	{ SUPERCHIP, TRAFFIC_CPU, EACH_LOCAL, CMEM, false,
	  PARTS(PLUS(CMEM, HOME), MINUS(REMOTE, NOT_HOME)), local_cpu },
	{ SUPERCHIP, TRAFFIC_CPU, EACH_REMOTE, CMEM, false, PARTS(PLUS(REMOTE, SOURCE)), NULL },
	{ SUPERCHIP, TRAFFIC_PCIE, EACH_LOCAL, CMEM, false, PARTS(PLUS(PCIE_LOC, SOURCE)), NULL },
	{ SUPERCHIP, TRAFFIC_PCIE, EACH_REMOTE, CMEM, false, PARTS(PLUS(PCIE_REM, SOURCE)), NULL },

	{ ONE, TRAFFIC_CPU, EACH_LOCAL, CMEM, false, PARTS(PLUS(CMEM, HOME)), NULL },
	{ ONE, TRAFFIC_CPU, EACH_LOCAL, GMEM, false, PARTS(PLUS(GMEM, HOME)), NULL },

	{ MANY, TRAFFIC_CPU, EACH_LOCAL, CMEM | GMEM, false,
	  PARTS(PLUS(CMEM, HOME), PLUS(GMEM, HOME), MINUS(SOCKET, NOT_HOME)), local_cpus },
	{ MANY, TRAFFIC_CPU, EACH_LOCAL, CMEM, true,
	  PARTS(PLUS(CMEM, HOME), MINUS(SOCKET, NOT_HOME)), local_cpus },
	{ MANY, TRAFFIC_CPU, EACH_LOCAL, GMEM, true,
	  PARTS(PLUS(GMEM, HOME), MINUS(SOCKET, NOT_HOME)), local_cpus },
	{ MANY, TRAFFIC_CPU, EACH_REMOTE, CMEM | GMEM, false, PARTS(PLUS(SOCKET, SOURCE)), NULL },

	{ HOPPER, TRAFFIC_PCIE, EACH_LOCAL, CMEM | GMEM, false, PARTS(PLUS(PCIE_LOC,
									   SOURCE)), NULL },
	{ MANY, TRAFFIC_PCIE, EACH_OTHERS, CMEM | GMEM, false, PARTS(PLUS(PCIE_REM,
									  SOURCE)), NULL },
	{ HOPPER, TRAFFIC_ATS, EACH_LOCAL, CMEM, false, PARTS(PLUS(C2C0_LOC, SOURCE)), NULL },
	{ HOPPER, TRAFFIC_ATS, EACH_LOCAL, GMEM, false, .note = own_memory },
	{ MANY, TRAFFIC_ATS, EACH_OTHERS, CMEM | GMEM, false, PARTS(PLUS(C2C0_REM, SOURCE)), NULL },
	{ HOPPER, TRAFFIC_NATS, EACH_LOCAL, CMEM | GMEM, false, PARTS(PLUS(C2C1_LOC,
									   SOURCE)), NULL },
	{ MANY, TRAFFIC_NATS, EACH_OTHERS, CMEM | GMEM, false, PARTS(PLUS(C2C1_REM,
									  SOURCE)), NULL },
};

const size_t traffic_n_rules = ARRAY_SIZE(traffic_rules);

static const char not_own[] = "excludes the GPU's traffic to its own memory";

const struct traffic_total_rule traffic_total_rules[] = {
	{ SUPERCHIP, CMEM, PARTS(PLUS(CMEM, HOME), PLUS(PCIE_LOC, HOME), PLUS(C2C0_LOC, HOME)),
	  NULL },
	{ ONE, CMEM, PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM)), NULL },
	{ ONE, GMEM, PARTS(PLUS(GMEM, HOME), LOCAL_TO(GMEM)), not_own },
	{ MANY, CMEM, PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM),
			    CNVLINK_TO(CMEM)), NULL },
	{ MANY, GMEM, PARTS(PLUS(GMEM, HOME), LOCAL_TO(GMEM), CNVLINK_TO(GMEM)), not_own },
	{ SUPERCHIP, 0, PARTS(PLUS(CMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL)), NULL },
	{ ONE, 0, PARTS(PLUS(CMEM, ALL), PLUS(GMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL),
			PLUS(C2C1_LOC, ALL)), not_own },
	{ MANY, 0, PARTS(PLUS(CMEM, ALL), PLUS(GMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL),
			 PLUS(C2C1_LOC, ALL), CNVLINK(ALL)), not_own },
};

const size_t traffic_n_total_rules = ARRAY_SIZE(traffic_total_rules);

#define SOURCE(...)	.source = { __VA_ARGS__ }, .source_count = COUNT(__VA_ARGS__)
#define HOME(...)	.home = { __VA_ARGS__ }, .home_count = COUNT(__VA_ARGS__)

static const char all_cpus[] =
	"the home's count includes CPUs of all sockets and excludes requests that its cache answers";
static const char strong[] =
	"the home's SCF counts strongly-ordered writes as writes of CPUs, so they are not included here";

const struct traffic_link_rule traffic_link_rules[] = {
	{ SUPERCHIP, 2, EACH_REMOTE, "CPU %s -> CMEM %s",
	  SOURCE(PLUS(REMOTE, SOURCE)), HOME(PLUS(CMEM, HOME)), false, all_cpus },
	{ SUPERCHIP, 2, EACH_REMOTE, "PCIe %s -> CMEM %s",
	  SOURCE(PLUS(PCIE_REM, SOURCE)), HOME(PLUS(C2C0_LOC, HOME)), true, strong },
	{ MANY, 2, EACH_REMOTE, "CPU %s -> CMEM, GMEM %s",
	  SOURCE(PLUS(SOCKET, SOURCE)), HOME(PLUS(CMEM, HOME), PLUS(GMEM, HOME)), false, all_cpus },
	{ MANY, 2, EACH_OTHERS, "PCIe, GPU %s -> other sockets",
	  SOURCE(PLUS(PCIE_REM, SOURCE), PLUS(C2C0_REM, SOURCE), PLUS(C2C1_REM, SOURCE)),
	  HOME(CNVLINK(NOT_SOURCE)), true, strong },
	{ MANY, 3, EACH_REMOTE, "PCIe, GPU %s -> CMEM, GMEM %s", .source_count = 0,
	  HOME(CNVLINK(HOME)), false, strong },
};

const size_t traffic_n_link_rules = ARRAY_SIZE(traffic_link_rules);

static const char grace_sheet[] =
	"NVIDIA Grace CPU Superchip datasheet: up to 1 TB/s for two CPUs, less with some capacities";
static const char hopper_sheet[] =
	"NVIDIA GH200 Grace Hopper Superchip datasheet: up to 512 GB/s, less with some capacities";
static const char c2c_sheet[] = "NVIDIA datasheets: NVLink-C2C 900 GB/s, both directions together";
static const char scf_cmem[] = "tuning guide: 8 requests per cycle, each a cache line of 64 bytes";
static const char scf_gmem[] = "tuning guide: 4 requests per cycle, each a cache line of 64 bytes";
static const char scf_remote[] = "tuning guide: 2 requests per cycle, each a cache line of 64 bytes";
static const char ports[] = "tuning guide: 10 ports, each with a request of 32 bytes per cycle";

#define SCF_CLOCK(_requests)	\
	.peak = (_requests) * LINE, .cycles = true, .clock = GPMU_PMU_SCF
#define PORT_CLOCK(_kind)	.peak = 10 * 32, .cycles = true, .clock = (_kind)

const struct traffic_peak_rule traffic_peak_rules[] = {
	{ SUPERCHIP, 1, EACH_LOCAL, "CMEM %s, reads and writes", TRAFFIC_BOTH,
	  PARTS(PLUS(CMEM, HOME), PLUS(PCIE_LOC, HOME), PLUS(C2C0_LOC, HOME)),
	  .peak = 500e9, .origin = grace_sheet },
	{ HOPPER, 1, EACH_LOCAL, "CMEM %s, reads and writes", TRAFFIC_BOTH,
	  PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM), CNVLINK_TO(CMEM)),
	  .peak = 512e9, .origin = hopper_sheet },
	{ SUPERCHIP, 2, EACH_ONE, "NVLink-C2C, reads and writes", TRAFFIC_BOTH,
	  PARTS(PLUS(REMOTE, ALL), PLUS(PCIE_REM, ALL)), .peak = 900e9, .origin = c2c_sheet },
	{ ONE, 1, EACH_LOCAL, "NVLink-C2C %s, reads and writes", TRAFFIC_BOTH,
	  PARTS(PLUS(GMEM, HOME), PLUS(C2C0_LOC, HOME), PLUS(C2C1_LOC, HOME),
		TO(GMEM, PCIE_LOC, HOME)),
	  .peak = 900e9, .origin = c2c_sheet },
	{ MANY, 1, EACH_LOCAL, "NVLink-C2C %s, reads and writes", TRAFFIC_BOTH,
	  PARTS(PLUS(GMEM, HOME), PLUS(C2C0_LOC, HOME), PLUS(C2C1_LOC, HOME),
		PLUS(C2C0_REM, SOURCE), PLUS(C2C1_REM, SOURCE), TO(GMEM, PCIE_LOC, HOME),
		CNVLINK_TO(GMEM)),
	  .peak = 900e9, .origin = c2c_sheet },
	{ SUPERCHIP | HOPPER, 1, EACH_LOCAL, "CPUs to CMEM %s, reads", TRAFFIC_READ,
	  PARTS(PLUS(CMEM, HOME)), SCF_CLOCK(8), .origin = scf_cmem },
	{ SUPERCHIP | HOPPER, 1, EACH_LOCAL, "CPUs to CMEM %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(CMEM, HOME)), SCF_CLOCK(8), .origin = scf_cmem },
	{ HOPPER, 1, EACH_LOCAL, "CPUs to GMEM %s, reads", TRAFFIC_READ,
	  PARTS(PLUS(GMEM, HOME)), SCF_CLOCK(4), .origin = scf_gmem },
	{ HOPPER, 1, EACH_LOCAL, "CPUs to GMEM %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(GMEM, HOME)), SCF_CLOCK(4), .origin = scf_gmem },
	{ SUPERCHIP | MANY, 2, EACH_REMOTE, "CPU %s to socket %s, reads", TRAFFIC_READ,
	  PARTS(PLUS(SOCKET, SOURCE)), SCF_CLOCK(2), .origin = scf_remote },
	{ SUPERCHIP | MANY, 2, EACH_REMOTE, "CPU %s to socket %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(SOCKET, SOURCE)), SCF_CLOCK(2), .origin = scf_remote },
	{ SUPERCHIP, 1, EACH_LOCAL, "PCIe %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE), PLUS(PCIE_REM, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE),
	  .origin = ports },
	{ ONE, 1, EACH_LOCAL, "PCIe %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE), .origin = ports },
	{ MANY, 1, EACH_LOCAL, "PCIe %s, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE), PLUS(PCIE_REM, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE),
	  .origin = ports },
	{ HOPPER, 1, EACH_LOCAL, "GPU %s ATS to CMEM, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(C2C0_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_C2C0), .origin = ports },
	{ HOPPER, 1, EACH_LOCAL, "GPU %s non-ATS to CMEM and GMEM, writes", TRAFFIC_WRITE,
	  PARTS(PLUS(C2C1_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_C2C1), .origin = ports },
};

const size_t traffic_n_peak_rules = ARRAY_SIZE(traffic_peak_rules);
