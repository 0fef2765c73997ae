// SPDX-License-Identifier: GPL-2.0-only
/*
 * The five PMU variants of Grace, and any other PMU of NVIDIA: names, events, filters.
 *
 * Events and their numbers are those of the in-tree driver and of the Grace
 * performance tuning guide. The maximum increments per cycle, which the timer in
 * poll.c needs, follow from figures in the guide. An event without such a figure
 * is UNBOUNDED.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include "cspmu.h"

/* JEP106 code of NVIDIA: bank 3 (continuation codes), 0x6b */
#define NVIDIA_IMPLEMENTER	0x36b

#define UNBOUNDED		0
#define LINE			64	/* maximum bytes of a request */
#define BEATS			2	/* data beats of 32 bytes in a line */

/*
 * SCF requests per cycle, for reads and for writes (guide, maximum transport
 * request utilisation). REM applies to one remote socket, REMS to the events that
 * sum up to three remote sockets.
 */
#define CMEM			8
#define GMEM			4
#define REM			2
#define REMS			(3 * REM)

/* PCIe and C2C memory clients: ten ports of one request per cycle; a write has 32 bytes */
#define PORTS			10
#define PORT_WRITE		32

static const struct grace_event scf_events[] = {
	{ "bus_cycles",				0x01d, 1 },
	{ "scf_cache_allocate",			0x0f0, UNBOUNDED },
	{ "scf_cache_refill",			0x0f1, UNBOUNDED },
	{ "scf_cache",				0x0f2, UNBOUNDED },
	{ "scf_cache_wb",			0x0f3, UNBOUNDED },
	{ "socket_0_rd_data",			0x101, REM * BEATS },
	{ "socket_1_rd_data",			0x102, REM * BEATS },
	{ "socket_2_rd_data",			0x103, REM * BEATS },
	{ "socket_3_rd_data",			0x104, REM * BEATS },
	{ "socket_0_wb_data",			0x109, REM * BEATS },
	{ "socket_1_wb_data",			0x10a, REM * BEATS },
	{ "socket_2_wb_data",			0x10b, REM * BEATS },
	{ "socket_3_wb_data",			0x10c, REM * BEATS },
	{ "socket_0_rd_outstanding",		0x115, UNBOUNDED },
	{ "socket_1_rd_outstanding",		0x116, UNBOUNDED },
	{ "socket_2_rd_outstanding",		0x117, UNBOUNDED },
	{ "socket_3_rd_outstanding",		0x118, UNBOUNDED },
	{ "socket_0_rd_access",			0x12d, REM },
	{ "socket_1_rd_access",			0x12e, REM },
	{ "socket_2_rd_access",			0x12f, REM },
	{ "socket_3_rd_access",			0x130, REM },
	{ "socket_0_wb_access",			0x135, REM },
	{ "socket_1_wb_access",			0x136, REM },
	{ "socket_2_wb_access",			0x137, REM },
	{ "socket_3_wb_access",			0x138, REM },
	{ "socket_0_wr_access",			0x139, REM },
	{ "socket_1_wr_access",			0x13a, REM },
	{ "socket_2_wr_access",			0x13b, REM },
	{ "socket_3_wr_access",			0x13c, REM },
	{ "gmem_rd_data",			0x16d, GMEM * BEATS },
	{ "gmem_rd_access",			0x16e, GMEM },
	{ "gmem_rd_outstanding",		0x16f, UNBOUNDED },
	{ "gmem_wb_data",			0x173, GMEM * BEATS },
	{ "gmem_wb_access",			0x174, GMEM },
	{ "gmem_wr_data",			0x179, GMEM * LINE },
	{ "gmem_wr_access",			0x17b, GMEM },
	{ "socket_0_wr_data",			0x17c, REM * LINE },
	{ "socket_1_wr_data",			0x17d, REM * LINE },
	{ "socket_2_wr_data",			0x17e, REM * LINE },
	{ "socket_3_wr_data",			0x17f, REM * LINE },
	{ "gmem_wr_total_bytes",		0x1a0, GMEM * LINE },
	/* also counts atomics, which may use the bandwidth of reads */
	{ "remote_socket_wr_total_bytes",	0x1a1, 2 * REMS * LINE },
	{ "remote_socket_rd_data",		0x1a2, REMS * BEATS },
	{ "remote_socket_rd_outstanding",	0x1a3, UNBOUNDED },
	{ "remote_socket_rd_access",		0x1a4, REMS },
	{ "cmem_rd_data",			0x1a5, CMEM * BEATS },
	{ "cmem_rd_access",			0x1a6, CMEM },
	{ "cmem_rd_outstanding",		0x1a7, UNBOUNDED },
	{ "cmem_wb_data",			0x1ab, CMEM * BEATS },
	{ "cmem_wb_access",			0x1ac, CMEM },
	{ "cmem_wr_data",			0x1b1, CMEM * LINE },
	{ "cmem_wr_access",			0x1ca, CMEM },
	{ "cmem_wr_total_bytes",		0x1db, CMEM * LINE },
	{ "cycles",				GRACE_CYCLES, 1 },
	{ }
};

/* The guide bounds requests and bytes per write, but not bytes per read */
static const struct grace_event port_events[] = {
	{ "rd_bytes_loc",			0x0, UNBOUNDED },
	{ "rd_bytes_rem",			0x1, UNBOUNDED },
	{ "wr_bytes_loc",			0x2, PORTS * PORT_WRITE },
	{ "wr_bytes_rem",			0x3, PORTS * PORT_WRITE },
	{ "total_bytes_loc",			0x4, UNBOUNDED },
	{ "total_bytes_rem",			0x5, UNBOUNDED },
	{ "rd_req_loc",				0x6, PORTS },
	{ "rd_req_rem",				0x7, PORTS },
	{ "wr_req_loc",				0x8, PORTS },
	{ "wr_req_rem",				0x9, PORTS },
	{ "total_req_loc",			0xa, 2 * PORTS },
	{ "total_req_rem",			0xb, 2 * PORTS },
	{ "rd_cum_outs_loc",			0xc, UNBOUNDED },
	{ "rd_cum_outs_rem",			0xd, UNBOUNDED },
	{ "cycles",				GRACE_CYCLES, 1 },
	{ }
};

/* Like port_events, but the guide has no figures for CNVLink */
static const struct grace_event cnvlink_events[] = {
	{ "rd_bytes_loc",			0x0, UNBOUNDED },
	{ "rd_bytes_rem",			0x1, UNBOUNDED },
	{ "wr_bytes_loc",			0x2, UNBOUNDED },
	{ "wr_bytes_rem",			0x3, UNBOUNDED },
	{ "total_bytes_loc",			0x4, UNBOUNDED },
	{ "total_bytes_rem",			0x5, UNBOUNDED },
	{ "rd_req_loc",				0x6, UNBOUNDED },
	{ "rd_req_rem",				0x7, UNBOUNDED },
	{ "wr_req_loc",				0x8, UNBOUNDED },
	{ "wr_req_rem",				0x9, UNBOUNDED },
	{ "total_req_loc",			0xa, UNBOUNDED },
	{ "total_req_rem",			0xb, UNBOUNDED },
	{ "rd_cum_outs_loc",			0xc, UNBOUNDED },
	{ "rd_cum_outs_rem",			0xd, UNBOUNDED },
	{ "cycles",				GRACE_CYCLES, 1 },
	{ }
};

/* The clock rate of an unknown PMU has no known bound */
static const struct grace_event unknown_events[] = {
	{ "cycles",				GRACE_CYCLES, UNBOUNDED },
	{ }
};

static const struct grace_variant variants[] = {
	{
		.part		= 0x2cf00,
		.name		= "nvidia_scf_pmu",
		.events		= scf_events,
	},
	{
		.part		= 0x10300,
		.name		= "nvidia_pcie_pmu",
		.events		= port_events,
		.filter_name	= "root_port",
		.filter_format	= "config1:0-9",
		.filter_mask	= GENMASK(9, 0),
	},
	{
		.part		= 0x10500,
		.name		= "nvidia_nvlink_c2c0_pmu",
		.events		= port_events,
		.filter_name	= "port",
		.filter_format	= "config1:0-1",
		.filter_mask	= GENMASK(1, 0),
	},
	{
		.part		= 0x10400,
		.name		= "nvidia_nvlink_c2c1_pmu",
		.events		= port_events,
		.filter_name	= "port",
		.filter_format	= "config1:0-1",
		.filter_mask	= GENMASK(1, 0),
	},
	{
		.part		= 0x10600,
		.name		= "nvidia_cnvlink_pmu",
		.events		= cnvlink_events,
		.filter_name	= "rem_socket",
		.filter_format	= "config1:0-3",
		.filter_mask	= GENMASK(3, 0),
	},
};

/* Another product or revision: name and formats are those of the in-tree driver */
static const struct grace_variant unknown = {
	.name		= "nvidia_uncore_pmu",
	.events		= unknown_events,
	.filter_name	= "filter",
	.filter_format	= "config1:0-31",
	.filter_mask	= U32_MAX,
	.filter2_mask	= U32_MAX,
};

/**
 * grace_is_unknown() - whether the tables do not have a PMU of NVIDIA
 * @variant: from grace_variant_of(), not NULL
 *
 * Return: true if only event numbers can be used
 */
bool grace_is_unknown(const struct grace_variant *variant)
{
	return variant == &unknown;
}

/**
 * grace_variant_of() - look up the variant of a PMU
 * @iidr: identification of the PMU, in the layout of PMIIDR
 *
 * Return: the variant, or NULL if it is not a PMU of NVIDIA
 */
const struct grace_variant *grace_variant_of(u32 iidr)
{
	if (FIELD_GET(PMIIDR_IMPLEMENTER, iidr) != NVIDIA_IMPLEMENTER)
		return NULL;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (variants[i].part == FIELD_GET(PMIIDR_PART, iidr))
			return &variants[i];
	}
	return &unknown;
}

/**
 * grace_event_of() - look up an event in the tables
 * @variant: the variant of the PMU
 * @id: number of the event
 *
 * Return: the entry, or NULL if the event has no name
 */
const struct grace_event *grace_event_of(const struct grace_variant *variant, u64 id)
{
	for (const struct grace_event *event = variant->events; event->name; event++) {
		if (event->id == id)
			return event;
	}
	return NULL;
}
