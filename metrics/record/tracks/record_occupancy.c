// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The units in which a multiprocessor allocates registers and shared memory are those of NVIDIA's CUDA C++ programming
 * guide, appendix "Compute capabilities", and of cuda_occupancy.h of the toolkit. All of the shared memory that a
 * multiprocessor can have is taken as configured.
 */
#include "record/tracks/record_occupancy.h"

#define WARP		32	/* threads */
#define WARPS_UNIT	4	/* warps that get registers together, one for each part of a multiprocessor */
#define REGISTERS_UNIT	256	/* of a warp */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t by_registers(const struct record_limits *limits, uint32_t registers, uint32_t block_warps)
{
	const uint64_t warp = round_up((uint64_t)registers * WARP, REGISTERS_UNIT);

	return warp ? (uint32_t)(limits->registers / warp / WARPS_UNIT * WARPS_UNIT / block_warps) : limits->blocks;
}

/* From compute capability 8.0 on, the system reserves 1 KiB of each block, and the unit is smaller. */
static uint32_t by_shared(const struct record_limits *limits, const struct record_launch *launch)
{
	const bool is_ampere = limits->major >= 8;
	const uint64_t bytes = (uint64_t)launch->shared_static + launch->shared_dynamic + (is_ampere ? 1024 : 0);
	const uint64_t block = round_up(bytes, is_ampere ? 128 : 256);

	return block ? (uint32_t)(limits->shared / block) : limits->blocks;
}

bool record_occupancy(const struct record_limits *limits, const struct record_launch *launch,
		      struct record_occupancy *occupancy)
{
	const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
	const uint64_t block_warps = round_up(threads, WARP) / WARP;

	if (!limits->major || !block_warps || block_warps > limits->warps)
		return false;
	occupancy->by_blocks = limits->blocks;
	occupancy->by_warps = limits->warps / (uint32_t)block_warps;
	occupancy->by_registers = by_registers(limits, launch->registers, (uint32_t)block_warps);
	occupancy->by_shared = by_shared(limits, launch);
	occupancy->blocks = lower(lower(occupancy->by_blocks, occupancy->by_warps),
				  lower(occupancy->by_registers, occupancy->by_shared));
	occupancy->warps = occupancy->blocks * (uint32_t)block_warps;
	return occupancy->blocks > 0;
}
