// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Launches --iterations empty kernels one after the other. Prints "ns", the time per launch, and "launches", their
 * number including warm-up.
 */
#include "load.h"

#define ITERATIONS	200000
#define WARM		10000

static __global__ void nothing(void)
{
}

static void launch(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		nothing<<<1, 32>>>();
	LOAD_CHECK(cudaGetLastError());
	LOAD_CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	struct load load = load_begin("launch", "", argc, argv);
	char more[96];

	if (!load.iterations)
		load.iterations = ITERATIONS;
	if (!load.warm)
		load.warm = WARM;
	launch((uint64_t)load.warm);
	load_sleep(load.quiet);
	load.start = load_time();
	launch(load.iterations);
	load.end = load_time();
	load.done = load.iterations;
	load_sleep(load.quiet);
	snprintf(more, sizeof(more), ",\"launches\":%llu,\"ns\":%.1f",
		 (unsigned long long)load.done + (unsigned long long)load.warm,
		 (double)(load.end - load.start) / (double)load.done);
	load_print(&load, 0, 0, more);
	return 0;
}
