// SPDX-License-Identifier: LGPL-2.1-or-later
/* Copies memory: reads as many bytes as it writes. */
#include "dram.h"

static __global__ void copy(uint4 *to, const uint4 *from, size_t n)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * DRAM_STRIDE) {
		uint4 a = __ldcs(from + i), b = __ldcs(from + i + DRAM_STRIDE);
		uint4 c = __ldcs(from + i + 2 * DRAM_STRIDE), d = __ldcs(from + i + 3 * DRAM_STRIDE);

		__stcs(to + i, a);
		__stcs(to + i + DRAM_STRIDE, b);
		__stcs(to + i + 2 * DRAM_STRIDE, c);
		__stcs(to + i + 3 * DRAM_STRIDE, d);
	}
}

static void pass(struct load *load, void *arg)
{
	const struct dram *dram = (const struct dram *)arg;

	(void)load;
	copy<<<DRAM_BLOCKS, DRAM_THREADS>>>(dram->to, dram->from, dram->bytes / sizeof(uint4));
}

int main(int argc, char **argv)
{
	struct load load = load_begin("dram-copy", "", argc, argv);
	struct dram dram = {};

	dram.bytes = load_bytes(DRAM_MAX) / 2;
	LOAD_CHECK(cudaMalloc(&dram.from, dram.bytes));
	LOAD_CHECK(cudaMalloc(&dram.to, dram.bytes));
	LOAD_CHECK(cudaMemset(dram.from, 0x5a, dram.bytes));
	load_run(&load, pass, &dram);
	load_print(&load, load.done * dram.bytes, load.done * dram.bytes, "");
	return 0;
}
