/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many blocks of a launch fit on a multiprocessor of a GPU at once. */
#ifndef GPMU_RECORD_OCCUPANCY_H
#define GPMU_RECORD_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* Limits of a GPU's multiprocessor; major 0: not known */
struct record_limits {
	uint32_t major, minor;		/* compute capability */
	uint32_t multiprocessors;	/* number of them */
	uint32_t warps, blocks, registers;
	uint32_t shared;		/* bytes of shared memory */
};

/* Configuration of a launch without its grid */
struct record_launch {
	uint32_t block[3];
	uint32_t registers;		/* of a thread */
	uint32_t shared_static, shared_dynamic;	/* bytes of a block */
};

/* Blocks of a launch that fit on a multiprocessor, by what limits them, and in total */
struct record_occupancy {
	uint32_t by_blocks, by_warps, by_registers, by_shared;
	uint32_t blocks, warps;
};

/* Returns false if the limits are not known, or no block fits. */
bool record_occupancy(const struct record_limits *limits, const struct record_launch *launch,
		      struct record_occupancy *occupancy);

#endif /* GPMU_RECORD_OCCUPANCY_H */
