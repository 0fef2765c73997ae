// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two kernels alternately, of which hot_three takes three times as long as hot_one: the same chain of multiplications
 * on all multiprocessors, three times as often.
 */
#include "load.h"

#define BLOCKS		4	/* for each multiprocessor */
#define THREADS		256
#define ROUNDS		20000	/* of hot_one; some 0.3 ms */

struct pcs {
	float *out;
	int blocks;
};

static __device__ __forceinline__ float chain(float x, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		x = x * 1.0001f + 0.5f;
		x = x * 0.9999f - 0.5f;
	}
	return x;
}

extern "C" __global__ void hot_one(float *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = chain((float)threadIdx.x, ROUNDS);
}

extern "C" __global__ void hot_three(float *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = chain((float)threadIdx.x, 3 * ROUNDS);
}

static void once(struct load *load, void *arg)
{
	const struct pcs *pcs = (const struct pcs *)arg;

	(void)load;
	hot_one<<<pcs->blocks, THREADS>>>(pcs->out);
	hot_three<<<pcs->blocks, THREADS>>>(pcs->out);
	LOAD_CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
	struct load load = load_begin("pcs", "", argc, argv);
	struct pcs pcs = {};

	pcs.blocks = BLOCKS * load.gpu.multiProcessorCount;
	LOAD_CHECK(cudaMalloc(&pcs.out, (size_t)pcs.blocks * THREADS * sizeof(*pcs.out)));
	load_run(&load, once, &pcs);
	load_print(&load, 0, 0, "");
	return 0;
}
