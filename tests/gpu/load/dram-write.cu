// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes whole cache lines of memory and reads none. */
#include "dram.h"

static __global__ void fill(uint4 *to, size_t n, unsigned int value)
{
	uint4 all = make_uint4(value, ~value, value * 7, value ^ blockIdx.x);

	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += DRAM_STRIDE)
		__stcs(to + i, all);
}

static void pass(struct load *load, void *arg)
{
	const struct dram *dram = (const struct dram *)arg;

	fill<<<DRAM_BLOCKS, DRAM_THREADS>>>(dram->to, dram->bytes / sizeof(uint4),
					    (unsigned int)load->done);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("dram-write", "", argc, argv);
	struct dram dram = {};

	dram.bytes = load_bytes(DRAM_MAX);
	LOAD_CHECK(cudaMalloc(&dram.to, dram.bytes));
	load_run(&load, pass, &dram);
	load_print(&load, 0, load.done * dram.bytes, "");
	return 0;
}
