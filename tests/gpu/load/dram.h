/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes over memory hundreds of times larger than the L2, so that next to nothing stays cached until the next pass:
 * an L2 of 60 MB keeps at most 0.2 % of 32 GiB.
 */
#ifndef GPMU_TESTS_DRAM_H
#define GPMU_TESTS_DRAM_H

#include "load.h"

#define DRAM_BLOCKS	2048
#define DRAM_THREADS	512
#define DRAM_STRIDE	((size_t)DRAM_BLOCKS * DRAM_THREADS)
#define DRAM_MAX	((size_t)32 << 30)

struct dram {
	uint4 *from, *to;
	size_t bytes;
};

#endif /* GPMU_TESTS_DRAM_H */
