// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Multiplies matrices in registers, on all or a share of the multiprocessors. "rate" is the number of multiplications
 * per cycle of the first block, as a share of the chip's peak: the tensor pipe is active for at least this share.
 */
#include <mma.h>

#include "sm.h"

#define ROUNDS	100000
#define TILES	4	/* independent of each other */
#define WARPS	16

using namespace nvcuda;

static __global__ void multiply(float *out, long long *cycles, float x, int rounds)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[TILES];
	long long begin = clock64();
	float all = 0;

	wmma::fill_fragment(a, __float2half(x));
	wmma::fill_fragment(b, __float2half(x / 2));
#pragma unroll
	for (int t = 0; t < TILES; t++)
		wmma::fill_fragment(sums[t], (float)t);
	for (int i = 0; i < rounds; i++) {
#pragma unroll
		for (int t = 0; t < TILES; t++)
			wmma::mma_sync(sums[t], a, b, sums[t]);
	}
#pragma unroll
	for (int t = 0; t < TILES; t++)
		for (int i = 0; i < sums[t].num_elements; i++)	/* otherwise the compiler drops half of the work */
			all += sums[t].x[i];
	if (all == 12345.678f)
		*out = all;
	if (!blockIdx.x && !threadIdx.x)
		*cycles += clock64() - begin;
}

static void once(struct load *load, void *arg)
{
	const struct sm *sm = (const struct sm *)arg;

	(void)load;
	for (int i = 0; i < SM_KERNELS; i++)
		multiply<<<sm->blocks, WARPS * 32, sm->shared>>>(sm->out, sm->cycles, 0.001f, ROUNDS);
}

/* Multiply-adds of half precision per cycle and multiprocessor: CUDA's guide, GH100 tensor cores */
static double max(const struct load *load)
{
	return load->gpu.major == 9 ? 2048 : 0;
}

int main(int argc, char **argv)
{
	struct load load = load_begin("tensor", " [--share 0..1]", argc, argv);
	struct sm sm = sm_new(&load, (const void *)multiply);
	long long cycles;
	double rate = 0;

	load_run(&load, once, &sm);
	LOAD_CHECK(cudaMemcpy(&cycles, sm.cycles, sizeof(cycles), cudaMemcpyDeviceToHost));
	if (max(&load) && cycles)
		rate = (double)load.done * SM_KERNELS * ROUNDS * TILES * WARPS * 16 * 16 * 16 /
		       ((double)cycles * max(&load));
	sm_print(&load, &sm, rate);
	return 0;
}
