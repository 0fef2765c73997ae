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

#define PLUS(_pair, _at)	{ .pair = PAIR_##_pair, .sockets = AT_##_at }
#define MINUS(_pair, _at)	{ .pair = PAIR_##_pair, .sockets = AT_##_at, .is_subtracted = true }
#define TO(_memory, _pair, _at)	{ .pair = PAIR_##_pair, .sockets = AT_##_at, .memory = (_memory) }
/* PMUs that count several memories, or that pmu-events/cnvlink.h assigns to memories */
#define LOCAL_TO(_memory)	TO(_memory, PCIE_LOC, HOME), TO(_memory, C2C1_LOC, HOME)
#define CNVLINK_TO(_memory)	TO(_memory, CNVLINK_LOC, HOME_FROM_ALL), \
				TO(_memory, CNVLINK_REM, HOME_FROM_ALL)
#define CNVLINK(_at)		PLUS(CNVLINK_LOC, _at), PLUS(CNVLINK_REM, _at)
#define LIST(...)	{ .list = { __VA_ARGS__ }, .count = ARRAY_SIZE(((struct traffic_part[]){ __VA_ARGS__ })) }
#define PARTS(...)	.parts = LIST(__VA_ARGS__)

#define READS(_name, _bytes)	{ .name = (_name), .bytes = (_bytes), .way = TRAFFIC_READ }
#define WRITES(_name, _bytes)	{ .name = (_name), .bytes = (_bytes), .way = TRAFFIC_WRITE }
#define LINK_EVENTS(_suffix)	\
	.events = { READS("rd_bytes_" _suffix, 1), WRITES("wr_bytes_" _suffix, 1) }

const struct traffic_pair traffic_pairs[TRAFFIC_PAIRS] = {
	[PAIR_CMEM] = { .kind = GPMU_PMU_SCF, .memories = CMEM, .events = {
		READS("cmem_rd_data", BEAT),
		WRITES("cmem_wr_total_bytes", 1) } },
	[PAIR_GMEM] = { .kind = GPMU_PMU_SCF, .memories = GMEM, .events = {
		READS("gmem_rd_data", BEAT),
		WRITES("gmem_wr_total_bytes", 1) } },
	[PAIR_REMOTE] = { .kind = GPMU_PMU_SCF, .memories = CMEM | GMEM, .events = {
		READS("remote_socket_rd_data", BEAT),
		WRITES("remote_socket_wr_total_bytes", 1) } },
	[PAIR_SOCKET] = { .kind = GPMU_PMU_SCF, .is_numbered = true, .memories = CMEM | GMEM, .events = {
		READS("socket_%d_rd_data", BEAT),
		WRITES("socket_%d_wb_data", BEAT),
		WRITES("socket_%d_wr_data", 1) } },
	[PAIR_PCIE_LOC] = { .kind = GPMU_PMU_PCIE, .filter = "root_port", .memories = CMEM | GMEM,
			    LINK_EVENTS("loc") },
	[PAIR_PCIE_REM] = { .kind = GPMU_PMU_PCIE, .filter = "root_port", .memories = CMEM | GMEM,
			    LINK_EVENTS("rem") },
	[PAIR_C2C0_LOC] = { .kind = GPMU_PMU_C2C0, .memories = CMEM, LINK_EVENTS("loc") },
	[PAIR_C2C0_REM] = { .kind = GPMU_PMU_C2C0, .memories = CMEM | GMEM, LINK_EVENTS("rem") },
	[PAIR_C2C1_LOC] = { .kind = GPMU_PMU_C2C1, .memories = CMEM | GMEM, LINK_EVENTS("loc") },
	[PAIR_C2C1_REM] = { .kind = GPMU_PMU_C2C1, .memories = CMEM | GMEM, LINK_EVENTS("rem") },
	[PAIR_CNVLINK_LOC] = { .kind = GPMU_PMU_CNVLINK, .is_numbered = true, .filter = "rem_socket",
			       .memories = CNVLINK_LOC, LINK_EVENTS("loc") },
	[PAIR_CNVLINK_REM] = { .kind = GPMU_PMU_CNVLINK, .is_numbered = true, .filter = "rem_socket",
			       .memories = CNVLINK_REM, LINK_EVENTS("rem") },
};

static const char own_memory[] =
	"a GPU's traffic to its own memory does not leave the GPU: its own counters count it";
static const char local_cpu[] =
	"CMEM's count minus the traffic of other sockets' CPUs; too low if caches answer that traffic; strongly-ordered PCIe writes of other sockets count here and in the row of PCIe, so twice in the total";
static const char local_cpus[] =
	"the counts of CMEM and GMEM minus the traffic of other sockets' CPUs, whose division between the two is unknown; strongly-ordered PCIe writes of other sockets count here and in the row of PCIe, so twice in the total";

#define RULE(_chips, _initiator, _each, _memories)	\
	.chips = (_chips), .initiator = TRAFFIC_##_initiator, .each = EACH_##_each, .memories = (_memories)

const struct traffic_rule traffic_rules[] = {
	{ RULE(SUPERCHIP, CPU, LOCAL, CMEM),
	  PARTS(PLUS(CMEM, HOME), MINUS(REMOTE, NOT_HOME)), .note = local_cpu },
	{ RULE(SUPERCHIP, CPU, REMOTE, CMEM), PARTS(PLUS(REMOTE, SOURCE)) },
	{ RULE(SUPERCHIP, PCIE, LOCAL, CMEM), PARTS(PLUS(PCIE_LOC, SOURCE)) },
	{ RULE(SUPERCHIP, PCIE, REMOTE, CMEM), PARTS(PLUS(PCIE_REM, SOURCE)) },

	{ RULE(ONE, CPU, LOCAL, CMEM), PARTS(PLUS(CMEM, HOME)) },
	{ RULE(ONE, CPU, LOCAL, GMEM), PARTS(PLUS(GMEM, HOME)) },

	{ RULE(MANY, CPU, LOCAL, CMEM | GMEM),
	  PARTS(PLUS(CMEM, HOME), PLUS(GMEM, HOME), MINUS(SOCKET, NOT_HOME)), .note = local_cpus },
	{ RULE(MANY, CPU, LOCAL, CMEM), .is_view = true,
	  PARTS(PLUS(CMEM, HOME), MINUS(SOCKET, NOT_HOME)), .note = local_cpus },
	{ RULE(MANY, CPU, LOCAL, GMEM), .is_view = true,
	  PARTS(PLUS(GMEM, HOME), MINUS(SOCKET, NOT_HOME)), .note = local_cpus },
	{ RULE(MANY, CPU, REMOTE, CMEM | GMEM), PARTS(PLUS(SOCKET, SOURCE)) },

	{ RULE(HOPPER, PCIE, LOCAL, CMEM | GMEM), PARTS(PLUS(PCIE_LOC, SOURCE)) },
	{ RULE(MANY, PCIE, OTHERS, CMEM | GMEM), PARTS(PLUS(PCIE_REM, SOURCE)) },
	{ RULE(HOPPER, ATS, LOCAL, CMEM), PARTS(PLUS(C2C0_LOC, SOURCE)) },
	{ RULE(HOPPER, ATS, LOCAL, GMEM), .note = own_memory },
	{ RULE(MANY, ATS, OTHERS, CMEM | GMEM), PARTS(PLUS(C2C0_REM, SOURCE)) },
	{ RULE(HOPPER, NATS, LOCAL, CMEM | GMEM), PARTS(PLUS(C2C1_LOC, SOURCE)) },
	{ RULE(MANY, NATS, OTHERS, CMEM | GMEM), PARTS(PLUS(C2C1_REM, SOURCE)) },
};

const size_t traffic_n_rules = ARRAY_SIZE(traffic_rules);

static const char not_own[] = "excludes the GPU's traffic to its own memory";

const struct traffic_total_rule traffic_total_rules[] = {
	{ .chips = SUPERCHIP, .memory = CMEM,
	  PARTS(PLUS(CMEM, HOME), PLUS(PCIE_LOC, HOME), PLUS(C2C0_LOC, HOME)) },
	{ .chips = ONE, .memory = CMEM, PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM)) },
	{ .chips = ONE, .memory = GMEM, PARTS(PLUS(GMEM, HOME), LOCAL_TO(GMEM)), .note = not_own },
	{ .chips = MANY, .memory = CMEM,
	  PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM), CNVLINK_TO(CMEM)) },
	{ .chips = MANY, .memory = GMEM, PARTS(PLUS(GMEM, HOME), LOCAL_TO(GMEM), CNVLINK_TO(GMEM)),
	  .note = not_own },
	{ .chips = SUPERCHIP, PARTS(PLUS(CMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL)) },
	{ .chips = ONE,
	  PARTS(PLUS(CMEM, ALL), PLUS(GMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL),
		PLUS(C2C1_LOC, ALL)),
	  .note = not_own },
	{ .chips = MANY,
	  PARTS(PLUS(CMEM, ALL), PLUS(GMEM, ALL), PLUS(PCIE_LOC, ALL), PLUS(C2C0_LOC, ALL),
		PLUS(C2C1_LOC, ALL), CNVLINK(ALL)),
	  .note = not_own },
};

const size_t traffic_n_total_rules = ARRAY_SIZE(traffic_total_rules);

#define SOURCE(...)	.source = LIST(__VA_ARGS__)
#define HOME(...)	.home = LIST(__VA_ARGS__)
/* The machines and the combinations of sockets for which a rule is applied */
#define FOR(_chips, _sockets, _each)	\
	.chips = (_chips), .sockets_min = (_sockets), .each = EACH_##_each

static const char all_cpus[] =
	"the home's count includes CPUs of all sockets and excludes requests that its cache answers";
static const char strong[] =
	"the home's SCF counts strongly-ordered writes as writes of CPUs, so they are not included here";

const struct traffic_link_rule traffic_link_rules[] = {
	{ FOR(SUPERCHIP, 2, REMOTE), .name = "CPU %s -> CMEM %s",
	  SOURCE(PLUS(REMOTE, SOURCE)), HOME(PLUS(CMEM, HOME)), .note = all_cpus },
	{ FOR(SUPERCHIP, 2, REMOTE), .name = "PCIe %s -> CMEM %s",
	  SOURCE(PLUS(PCIE_REM, SOURCE)), HOME(PLUS(C2C0_LOC, HOME)), .is_alike = true, .note = strong },
	{ FOR(MANY, 2, REMOTE), .name = "CPU %s -> CMEM, GMEM %s",
	  SOURCE(PLUS(SOCKET, SOURCE)), HOME(PLUS(CMEM, HOME), PLUS(GMEM, HOME)), .note = all_cpus },
	{ FOR(MANY, 2, OTHERS), .name = "PCIe, GPU %s -> other sockets",
	  SOURCE(PLUS(PCIE_REM, SOURCE), PLUS(C2C0_REM, SOURCE), PLUS(C2C1_REM, SOURCE)),
	  HOME(CNVLINK(NOT_SOURCE)), .is_alike = true, .note = strong },
	{ FOR(MANY, 3, REMOTE), .name = "PCIe, GPU %s -> CMEM, GMEM %s",
	  HOME(CNVLINK(HOME)), .note = strong },
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
	.peak = (_requests) * LINE, .is_cycles = true, .clock = GPMU_PMU_SCF
#define PORT_CLOCK(_kind)	.peak = 10 * 32, .is_cycles = true, .clock = (_kind)

const struct traffic_peak_rule traffic_peak_rules[] = {
	{ FOR(SUPERCHIP, 1, LOCAL), .name = "CMEM %s, reads and writes", .way = TRAFFIC_BOTH,
	  PARTS(PLUS(CMEM, HOME), PLUS(PCIE_LOC, HOME), PLUS(C2C0_LOC, HOME)),
	  .peak = 500e9, .origin = grace_sheet },
	{ FOR(HOPPER, 1, LOCAL), .name = "CMEM %s, reads and writes", .way = TRAFFIC_BOTH,
	  PARTS(PLUS(CMEM, HOME), PLUS(C2C0_LOC, HOME), LOCAL_TO(CMEM), CNVLINK_TO(CMEM)),
	  .peak = 512e9, .origin = hopper_sheet },
	{ FOR(SUPERCHIP, 2, ONE), .name = "NVLink-C2C, reads and writes", .way = TRAFFIC_BOTH,
	  PARTS(PLUS(REMOTE, ALL), PLUS(PCIE_REM, ALL)), .peak = 900e9, .origin = c2c_sheet },
	{ FOR(ONE, 1, LOCAL), .name = "NVLink-C2C %s, reads and writes", .way = TRAFFIC_BOTH,
	  PARTS(PLUS(GMEM, HOME), PLUS(C2C0_LOC, HOME), PLUS(C2C1_LOC, HOME),
		TO(GMEM, PCIE_LOC, HOME)),
	  .peak = 900e9, .origin = c2c_sheet },
	{ FOR(MANY, 1, LOCAL), .name = "NVLink-C2C %s, reads and writes", .way = TRAFFIC_BOTH,
	  PARTS(PLUS(GMEM, HOME), PLUS(C2C0_LOC, HOME), PLUS(C2C1_LOC, HOME),
		PLUS(C2C0_REM, SOURCE), PLUS(C2C1_REM, SOURCE), TO(GMEM, PCIE_LOC, HOME),
		CNVLINK_TO(GMEM)),
	  .peak = 900e9, .origin = c2c_sheet },
	{ FOR(SUPERCHIP | HOPPER, 1, LOCAL), .name = "CPUs to CMEM %s, reads", .way = TRAFFIC_READ,
	  PARTS(PLUS(CMEM, HOME)), SCF_CLOCK(8), .origin = scf_cmem },
	{ FOR(SUPERCHIP | HOPPER, 1, LOCAL), .name = "CPUs to CMEM %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(CMEM, HOME)), SCF_CLOCK(8), .origin = scf_cmem },
	{ FOR(HOPPER, 1, LOCAL), .name = "CPUs to GMEM %s, reads", .way = TRAFFIC_READ,
	  PARTS(PLUS(GMEM, HOME)), SCF_CLOCK(4), .origin = scf_gmem },
	{ FOR(HOPPER, 1, LOCAL), .name = "CPUs to GMEM %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(GMEM, HOME)), SCF_CLOCK(4), .origin = scf_gmem },
	{ FOR(SUPERCHIP | MANY, 2, REMOTE), .name = "CPU %s to socket %s, reads", .way = TRAFFIC_READ,
	  PARTS(PLUS(SOCKET, SOURCE)), SCF_CLOCK(2), .origin = scf_remote },
	{ FOR(SUPERCHIP | MANY, 2, REMOTE), .name = "CPU %s to socket %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(SOCKET, SOURCE)), SCF_CLOCK(2), .origin = scf_remote },
	{ FOR(SUPERCHIP, 1, LOCAL), .name = "PCIe %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE), PLUS(PCIE_REM, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE),
	  .origin = ports },
	{ FOR(ONE, 1, LOCAL), .name = "PCIe %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE), .origin = ports },
	{ FOR(MANY, 1, LOCAL), .name = "PCIe %s, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(PCIE_LOC, SOURCE), PLUS(PCIE_REM, SOURCE)), PORT_CLOCK(GPMU_PMU_PCIE),
	  .origin = ports },
	{ FOR(HOPPER, 1, LOCAL), .name = "GPU %s ATS to CMEM, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(C2C0_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_C2C0), .origin = ports },
	{ FOR(HOPPER, 1, LOCAL), .name = "GPU %s non-ATS to CMEM and GMEM, writes", .way = TRAFFIC_WRITE,
	  PARTS(PLUS(C2C1_LOC, SOURCE)), PORT_CLOCK(GPMU_PMU_C2C1), .origin = ports },
};

const size_t traffic_n_peak_rules = ARRAY_SIZE(traffic_peak_rules);
