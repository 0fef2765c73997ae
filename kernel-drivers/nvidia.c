// SPDX-License-Identifier: GPL-2.0-only
/*
 * The five PMU variants of Grace: names, events, filters.
 *
 * Events and their numbers are those of the in-tree driver and of the Grace
 * performance tuning guide.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include "cspmu.h"

/* JEP106 code of NVIDIA: bank 3 (continuation codes), 0x6b */
#define NVIDIA_IMPLEMENTER	0x36b

static const struct grace_event scf_events[] = {
	{ "bus_cycles",				0x01d },
	{ "scf_cache_allocate",			0x0f0 },
	{ "scf_cache_refill",			0x0f1 },
	{ "scf_cache",				0x0f2 },
	{ "scf_cache_wb",			0x0f3 },
	{ "socket_0_rd_data",			0x101 },
	{ "socket_1_rd_data",			0x102 },
	{ "socket_2_rd_data",			0x103 },
	{ "socket_3_rd_data",			0x104 },
	{ "socket_0_wb_data",			0x109 },
	{ "socket_1_wb_data",			0x10a },
	{ "socket_2_wb_data",			0x10b },
	{ "socket_3_wb_data",			0x10c },
	{ "socket_0_rd_outstanding",		0x115 },
	{ "socket_1_rd_outstanding",		0x116 },
	{ "socket_2_rd_outstanding",		0x117 },
	{ "socket_3_rd_outstanding",		0x118 },
	{ "socket_0_rd_access",			0x12d },
	{ "socket_1_rd_access",			0x12e },
	{ "socket_2_rd_access",			0x12f },
	{ "socket_3_rd_access",			0x130 },
	{ "socket_0_wb_access",			0x135 },
	{ "socket_1_wb_access",			0x136 },
	{ "socket_2_wb_access",			0x137 },
	{ "socket_3_wb_access",			0x138 },
	{ "socket_0_wr_access",			0x139 },
	{ "socket_1_wr_access",			0x13a },
	{ "socket_2_wr_access",			0x13b },
	{ "socket_3_wr_access",			0x13c },
	{ "gmem_rd_data",			0x16d },
	{ "gmem_rd_access",			0x16e },
	{ "gmem_rd_outstanding",		0x16f },
	{ "gmem_wb_data",			0x173 },
	{ "gmem_wb_access",			0x174 },
	{ "gmem_wr_data",			0x179 },
	{ "gmem_wr_access",			0x17b },
	{ "socket_0_wr_data",			0x17c },
	{ "socket_1_wr_data",			0x17d },
	{ "socket_2_wr_data",			0x17e },
	{ "socket_3_wr_data",			0x17f },
	{ "gmem_wr_total_bytes",		0x1a0 },
	{ "remote_socket_wr_total_bytes",	0x1a1 },
	{ "remote_socket_rd_data",		0x1a2 },
	{ "remote_socket_rd_outstanding",	0x1a3 },
	{ "remote_socket_rd_access",		0x1a4 },
	{ "cmem_rd_data",			0x1a5 },
	{ "cmem_rd_access",			0x1a6 },
	{ "cmem_rd_outstanding",		0x1a7 },
	{ "cmem_wb_data",			0x1ab },
	{ "cmem_wb_access",			0x1ac },
	{ "cmem_wr_data",			0x1b1 },
	{ "cmem_wr_access",			0x1ca },
	{ "cmem_wr_total_bytes",		0x1db },
	{ "cycles",				GRACE_CYCLES },
	{ }
};

static const struct grace_event port_events[] = {
	{ "rd_bytes_loc",			0x0 },
	{ "rd_bytes_rem",			0x1 },
	{ "wr_bytes_loc",			0x2 },
	{ "wr_bytes_rem",			0x3 },
	{ "total_bytes_loc",			0x4 },
	{ "total_bytes_rem",			0x5 },
	{ "rd_req_loc",				0x6 },
	{ "rd_req_rem",				0x7 },
	{ "wr_req_loc",				0x8 },
	{ "wr_req_rem",				0x9 },
	{ "total_req_loc",			0xa },
	{ "total_req_rem",			0xb },
	{ "rd_cum_outs_loc",			0xc },
	{ "rd_cum_outs_rem",			0xd },
	{ "cycles",				GRACE_CYCLES },
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
		.events		= port_events,
		.filter_name	= "rem_socket",
		.filter_format	= "config1:0-3",
		.filter_mask	= GENMASK(3, 0),
	},
};

/**
 * grace_find_variant() - look up the variant of a PMU
 * @iidr: identification of the PMU, in the layout of PMIIDR
 *
 * Return: the variant, or NULL if it is not a PMU of Grace
 */
const struct grace_variant *grace_find_variant(u32 iidr)
{
	if (FIELD_GET(PMIIDR_IMPLEMENTER, iidr) != NVIDIA_IMPLEMENTER)
		return NULL;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (variants[i].part == FIELD_GET(PMIIDR_PART, iidr))
			return &variants[i];
	}
	return NULL;
}
