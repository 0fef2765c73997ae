/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernels whose block takes all shared memory of a multiprocessor: a multiprocessor has room for one block, so that
 * the number of blocks is the number of busy multiprocessors.
 */
#ifndef GPMU_TESTS_SM_H
#define GPMU_TESTS_SM_H

#include "load.h"

#define SM_KERNELS	8	/* queued at a time, so that there is no gap between kernels */
#define SM_THREADS	1024

struct sm {
	int blocks;
	size_t shared;
	float *out;
	long long *cycles;	/* of block 0, over all kernels */
};

static inline struct sm sm_new(const struct load *load, const void *kernel)
{
	struct sm sm = {};

	sm.blocks = (int)(load->share * load->gpu.multiProcessorCount + 0.5);
	sm.shared = load->gpu.sharedMemPerBlockOptin;
	if (sm.blocks < 1)
		sm.blocks = 1;
	LOAD_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sm.shared));
	LOAD_CHECK(cudaMalloc(&sm.out, sizeof(*sm.out)));
	LOAD_CHECK(cudaMalloc(&sm.cycles, sizeof(*sm.cycles)));
	LOAD_CHECK(cudaMemset(sm.cycles, 0, sizeof(*sm.cycles)));
	return sm;
}

/* @rate: share of the busy multiprocessors' peak; 0: not known */
static inline void sm_print(const struct load *load, const struct sm *sm, double rate)
{
	char more[160];

	snprintf(more, sizeof(more), ",\"share\":%.6f,\"rate\":%.6f",
		 (double)sm->blocks / load->gpu.multiProcessorCount, rate);
	load_print(load, 0, 0, more);
}

#endif /* GPMU_TESTS_SM_H */
