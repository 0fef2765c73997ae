// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "chip.h"
#include "pmu-events/cnvlink.h"

#define CPU		(1u << INIT_CPU)
#define PCIE		(1u << INIT_PCIE)
#define ATS		(1u << INIT_GPU_ATS)
#define NATS		(1u << INIT_GPU_NATS)
#define CMEM		(1u << MEM_CMEM)
#define GMEM		(1u << MEM_GMEM)
#define OPS_ALL		(OP_RD | OP_WB | OP_WR | OP_WR_STRONG)
/* Operations of a remote PCIe device over the link's own path ("PCIE2" in the kernel's table) */
#define OPS_RELAXED	(OP_RD | OP_WR)

#define COVER(_init, _mem, _remote, _ops, _kind, _at, _family)		\
	{ .initiators = (_init), .memories = (_mem), .is_remote = (_remote),	\
	  .ops = (_ops), .kind = (_kind), .place = (_at), .family = (_family) }

/* Guide, "Grace CPU Superchip"; kernel documentation, last table. */
static const struct chip_coverage superchip_coverage[] = {
	COVER(CPU, CMEM, false, OPS_ALL, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(CPU, CMEM, false, OPS_ALL, PMU_SCF, AT_HOME, FAM_CACHE),
	COVER(CPU, CMEM, true, OPS_ALL, PMU_SCF, AT_SOURCE, FAM_SOCKET),
	COVER(CPU, CMEM, true, OPS_ALL, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(CPU, CMEM, true, OPS_ALL, PMU_SCF, AT_HOME, FAM_CACHE),
	COVER(PCIE, CMEM, false, OPS_ALL, PMU_PCIE, AT_SOURCE, FAM_LOC),
	COVER(PCIE, CMEM, true, OPS_ALL, PMU_PCIE, AT_SOURCE, FAM_REM),
	COVER(PCIE, CMEM, true, OPS_RELAXED, PMU_C2C0, AT_HOME, FAM_LOC),
	COVER(PCIE, CMEM, true, OP_WR_STRONG, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(PCIE, CMEM, true, OP_WR_STRONG, PMU_SCF, AT_HOME, FAM_CACHE),
};

/* Guide, "Grace Hopper Superchip"; kernel documentation, first table. */
static const struct chip_coverage gracehopper_coverage[] = {
	COVER(CPU, CMEM, false, OPS_ALL, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(CPU, GMEM, false, OPS_ALL, PMU_SCF, AT_HOME, FAM_GMEM),
	COVER(CPU, CMEM | GMEM, false, OPS_ALL, PMU_SCF, AT_HOME, FAM_CACHE),
	COVER(CPU, CMEM | GMEM, true, OPS_ALL, PMU_SCF, AT_SOURCE, FAM_SOCKET),
	COVER(CPU, CMEM, true, OPS_ALL, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(CPU, GMEM, true, OPS_ALL, PMU_SCF, AT_HOME, FAM_GMEM),
	COVER(CPU, CMEM | GMEM, true, OPS_ALL, PMU_SCF, AT_HOME, FAM_CACHE),
	COVER(PCIE, CMEM | GMEM, false, OPS_ALL, PMU_PCIE, AT_SOURCE, FAM_LOC),
	COVER(PCIE, CMEM | GMEM, true, OPS_ALL, PMU_PCIE, AT_SOURCE, FAM_REM),
	COVER(PCIE, CNVLINK_LOC, true, OPS_RELAXED, PMU_CNVLINK, AT_HOME, FAM_LOC),
	COVER(PCIE, CNVLINK_REM, true, OPS_RELAXED, PMU_CNVLINK, AT_HOME, FAM_REM),
	COVER(PCIE, CMEM, true, OP_WR_STRONG, PMU_SCF, AT_HOME, FAM_CMEM),
	COVER(PCIE, GMEM, true, OP_WR_STRONG, PMU_SCF, AT_HOME, FAM_GMEM),
	COVER(PCIE, CMEM | GMEM, true, OP_WR_STRONG, PMU_SCF, AT_HOME, FAM_CACHE),
	/* A GPU's translated traffic to its own memory does not leave the GPU. */
	COVER(ATS, CMEM, false, OPS_ALL, PMU_C2C0, AT_SOURCE, FAM_LOC),
	COVER(ATS, CMEM | GMEM, true, OPS_ALL, PMU_C2C0, AT_SOURCE, FAM_REM),
	COVER(NATS, CMEM | GMEM, false, OPS_ALL, PMU_C2C1, AT_SOURCE, FAM_LOC),
	COVER(NATS, CMEM | GMEM, true, OPS_ALL, PMU_C2C1, AT_SOURCE, FAM_REM),
	COVER(ATS | NATS, CNVLINK_LOC, true, OPS_ALL, PMU_CNVLINK, AT_HOME, FAM_LOC),
	COVER(ATS | NATS, CNVLINK_REM, true, OPS_ALL, PMU_CNVLINK, AT_HOME, FAM_REM),
};

static const struct chip chips[] = {
	{
		.name = "superchip",
		.socket_counts = 1u << 1 | 1u << 2,
		.coverage = superchip_coverage,
		.coverage_len = ARRAY_SIZE(superchip_coverage),
	},
	{
		.name = "gracehopper",
		.socket_counts = 1u << 1 | 1u << 2 | 1u << 4,
		.has_gpu = true,
		.coverage = gracehopper_coverage,
		.coverage_len = ARRAY_SIZE(gracehopper_coverage),
	},
};

#define OPS_WRITE	(OP_WB | OP_WR | OP_WR_STRONG)
#define OPS_UNIQUE	(OP_WR | OP_WR_STRONG)

#define EVENT(_name, _id, _family, _ops, _measure)			\
	{ .name = (_name), .id = (_id), .family = (_family),		\
	  .ops = (_ops), .measure = (_measure), .socket = EVENT_ANY_SOCKET }
#define EVENT_SOCKET(_n, _suffix, _base, _ops, _measure)		\
	{ .name = "socket_" #_n "_" _suffix, .id = (_base) + (_n),	\
	  .family = FAM_SOCKET, .ops = (_ops), .measure = (_measure),	\
	  .socket = (_n) }
#define EVENT_SOCKETS(_suffix, _base, _ops, _measure)			\
	EVENT_SOCKET(0, _suffix, _base, _ops, _measure),		\
	EVENT_SOCKET(1, _suffix, _base, _ops, _measure),		\
	EVENT_SOCKET(2, _suffix, _base, _ops, _measure),		\
	EVENT_SOCKET(3, _suffix, _base, _ops, _measure)

/* Guide, "SCF PMU events". The wr_data events count bytes, wb_data beats. */
static const struct chip_event scf_events[] = {
	EVENT("cycles", CHIP_EVENT_CYCLES, FAM_CLOCK, 0, MEASURE_CYCLES),
	EVENT("bus_cycles", 0x1d, FAM_CLOCK, 0, MEASURE_CYCLES),

	EVENT("scf_cache_allocate", 0xf0, FAM_CACHE, OPS_ALL, MEASURE_ALLOCATED),
	EVENT("scf_cache_refill", 0xf1, FAM_CACHE, OP_RD, MEASURE_MEMORY),
	EVENT("scf_cache", 0xf2, FAM_CACHE, OPS_ALL, MEASURE_REQUESTS),
	EVENT("scf_cache_wb", 0xf3, FAM_CACHE, OP_WB, MEASURE_MEMORY),

	EVENT("cmem_rd_data", 0x1a5, FAM_CMEM, OP_RD, MEASURE_BEATS),
	EVENT("cmem_rd_access", 0x1a6, FAM_CMEM, OP_RD, MEASURE_REQUESTS),
	EVENT("cmem_rd_outstanding", 0x1a7, FAM_CMEM, OP_RD, MEASURE_OUTSTANDING),
	EVENT("cmem_wb_data", 0x1ab, FAM_CMEM, OP_WB, MEASURE_BEATS),
	EVENT("cmem_wb_access", 0x1ac, FAM_CMEM, OP_WB, MEASURE_REQUESTS),
	EVENT("cmem_wr_data", 0x1b1, FAM_CMEM, OPS_UNIQUE, MEASURE_BYTES),
	EVENT("cmem_wr_access", 0x1ca, FAM_CMEM, OPS_UNIQUE, MEASURE_REQUESTS),
	EVENT("cmem_wr_total_bytes", 0x1db, FAM_CMEM, OPS_WRITE, MEASURE_BYTES),

	EVENT("gmem_rd_data", 0x16d, FAM_GMEM, OP_RD, MEASURE_BEATS),
	EVENT("gmem_rd_access", 0x16e, FAM_GMEM, OP_RD, MEASURE_REQUESTS),
	EVENT("gmem_rd_outstanding", 0x16f, FAM_GMEM, OP_RD, MEASURE_OUTSTANDING),
	EVENT("gmem_wb_data", 0x173, FAM_GMEM, OP_WB, MEASURE_BEATS),
	EVENT("gmem_wb_access", 0x174, FAM_GMEM, OP_WB, MEASURE_REQUESTS),
	EVENT("gmem_wr_data", 0x179, FAM_GMEM, OPS_UNIQUE, MEASURE_BYTES),
	EVENT("gmem_wr_access", 0x17b, FAM_GMEM, OPS_UNIQUE, MEASURE_REQUESTS),
	EVENT("gmem_wr_total_bytes", 0x1a0, FAM_GMEM, OPS_WRITE, MEASURE_BYTES),

	EVENT_SOCKETS("rd_data", 0x101, OP_RD, MEASURE_BEATS),
	EVENT_SOCKETS("wb_data", 0x109, OP_WB, MEASURE_BEATS),
	EVENT_SOCKETS("rd_outstanding", 0x115, OP_RD, MEASURE_OUTSTANDING),
	EVENT_SOCKETS("rd_access", 0x12d, OP_RD, MEASURE_REQUESTS),
	EVENT_SOCKETS("wb_access", 0x135, OP_WB, MEASURE_REQUESTS),
	EVENT_SOCKETS("wr_access", 0x139, OPS_UNIQUE, MEASURE_REQUESTS),
	EVENT_SOCKETS("wr_data", 0x17c, OPS_UNIQUE, MEASURE_BYTES),
	EVENT("remote_socket_wr_total_bytes", 0x1a1, FAM_SOCKET, OPS_WRITE, MEASURE_BYTES),
	EVENT("remote_socket_rd_data", 0x1a2, FAM_SOCKET, OP_RD, MEASURE_BEATS),
	EVENT("remote_socket_rd_outstanding", 0x1a3, FAM_SOCKET, OP_RD, MEASURE_OUTSTANDING),
	EVENT("remote_socket_rd_access", 0x1a4, FAM_SOCKET, OP_RD, MEASURE_REQUESTS),
};

/* Guide, "PCIe PMU events" and "NVLink C2C PMU events"; CNVLink has the same. */
static const struct chip_event link_events[] = {
	EVENT("cycles", CHIP_EVENT_CYCLES, FAM_CLOCK, 0, MEASURE_CYCLES),
	EVENT("rd_bytes_loc", 0x0, FAM_LOC, OP_RD, MEASURE_BYTES),
	EVENT("rd_bytes_rem", 0x1, FAM_REM, OP_RD, MEASURE_BYTES),
	EVENT("wr_bytes_loc", 0x2, FAM_LOC, OPS_WRITE, MEASURE_BYTES),
	EVENT("wr_bytes_rem", 0x3, FAM_REM, OPS_WRITE, MEASURE_BYTES),
	EVENT("total_bytes_loc", 0x4, FAM_LOC, OPS_ALL, MEASURE_BYTES),
	EVENT("total_bytes_rem", 0x5, FAM_REM, OPS_ALL, MEASURE_BYTES),
	EVENT("rd_req_loc", 0x6, FAM_LOC, OP_RD, MEASURE_REQUESTS),
	EVENT("rd_req_rem", 0x7, FAM_REM, OP_RD, MEASURE_REQUESTS),
	EVENT("wr_req_loc", 0x8, FAM_LOC, OPS_WRITE, MEASURE_REQUESTS),
	EVENT("wr_req_rem", 0x9, FAM_REM, OPS_WRITE, MEASURE_REQUESTS),
	EVENT("total_req_loc", 0xa, FAM_LOC, OPS_ALL, MEASURE_REQUESTS),
	EVENT("total_req_rem", 0xb, FAM_REM, OPS_ALL, MEASURE_REQUESTS),
	EVENT("rd_cum_outs_loc", 0xc, FAM_LOC, OP_RD, MEASURE_OUTSTANDING),
	EVENT("rd_cum_outs_rem", 0xd, FAM_REM, OP_RD, MEASURE_OUTSTANDING),
};

#define KIND(_name, _events, _clock)	\
	{ .name = (_name), .events = (_events), .events_len = ARRAY_SIZE(_events), .clock = (_clock) }

static const struct {
	const char *name;
	const struct chip_event *events;
	size_t events_len;
	uint64_t clock;
} kinds[PMU_KINDS] = {
	/* Round numbers, all different so that no two clocks are confused. */
	[PMU_SCF] = KIND("scf", scf_events, 3200000000ull),
	[PMU_PCIE] = KIND("pcie", link_events, 2000000000ull),
	[PMU_C2C0] = KIND("c2c0", link_events, 1600000000ull),
	[PMU_C2C1] = KIND("c2c1", link_events, 1500000000ull),
	[PMU_CNVLINK] = KIND("cnvlink", link_events, 1250000000ull),
	[PMU_FOREIGN] = { .name = "foreign" },
};

const struct chip *chip_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}

bool chip_has_sockets(const struct chip *chip, unsigned int sockets)
{
	return sockets <= CHIP_MAX_SOCKETS && chip->socket_counts >> sockets & 1;
}

const char *chip_kind_name(enum pmu_kind kind)
{
	return kinds[kind].name;
}

enum pmu_kind chip_kind_find(const char *name)
{
	enum pmu_kind kind;

	for (kind = 0; kind < PMU_KINDS; kind++)
		if (!strcmp(kinds[kind].name, name))
			break;
	return kind;
}

const struct chip_event *chip_events(enum pmu_kind kind, size_t *len)
{
	*len = kinds[kind].events_len;
	return kinds[kind].events;
}

const struct chip_event *chip_event(enum pmu_kind kind, uint64_t id)
{
	size_t i;

	for (i = 0; i < kinds[kind].events_len; i++)
		if (kinds[kind].events[i].id == id)
			return &kinds[kind].events[i];
	return NULL;
}

uint64_t chip_default_clock(enum pmu_kind kind)
{
	return kinds[kind].clock;
}
