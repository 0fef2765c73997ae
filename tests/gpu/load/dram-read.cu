// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads memory and writes none: the sum is stored only if it has a value that it never has. */
#include "dram.h"

static __global__ void reduce(const uint4 *from, size_t n, unsigned int *out)
{
	unsigned int sum = 0;

	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * DRAM_STRIDE) {
		uint4 a = __ldcs(from + i), b = __ldcs(from + i + DRAM_STRIDE);
		uint4 c = __ldcs(from + i + 2 * DRAM_STRIDE), d = __ldcs(from + i + 3 * DRAM_STRIDE);

		sum |= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
		sum |= c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
	}
	if (sum)
		*out = sum;
}

static void pass(struct load *load, void *arg)
{
	const struct dram *dram = (const struct dram *)arg;

	(void)load;
	reduce<<<DRAM_BLOCKS, DRAM_THREADS>>>(dram->from, dram->bytes / sizeof(uint4),
					      (unsigned int *)dram->to);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("dram-read", "", argc, argv);
	struct dram dram = {};

	dram.bytes = load_bytes(DRAM_MAX);
	LOAD_CHECK(cudaMalloc(&dram.from, dram.bytes));
	LOAD_CHECK(cudaMalloc(&dram.to, sizeof(uint4)));
	LOAD_CHECK(cudaMemset(dram.from, 0, dram.bytes));
	load_run(&load, pass, &dram);
	load_print(&load, load.done * dram.bytes, 0, "");
	return 0;
}
