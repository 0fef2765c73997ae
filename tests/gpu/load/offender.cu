// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs three kernels alternately: "reads_host" reads the host's memory over the link, "reads_own" reads the GPU's
 * memory, "computes" reads none. "bytes" are those of reads_host.
 */
#include "load.h"

#define BYTES ((size_t)256 << 20)

struct offender {
	const ulonglong2 *host, *own;
	unsigned long long *sink;
};

static __device__ void add_up(const ulonglong2 *from, size_t length, unsigned long long *sink)
{
	unsigned long long sum = 0;

	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < length;
	     i += (size_t)gridDim.x * blockDim.x) {
		const ulonglong2 pair = from[i];

		sum += pair.x ^ pair.y;
	}
	if (sum == 42)
		*sink = sum;
}

__global__ void reads_host(const ulonglong2 *from, size_t length, unsigned long long *sink)
{
	add_up(from, length, sink);
}

__global__ void reads_own(const ulonglong2 *from, size_t length, unsigned long long *sink)
{
	for (int i = 0; i < 32; i++)
		add_up(from, length, sink + i % 2);
}

__global__ void computes(long long cycles, unsigned long long *sink)
{
	long long begin = clock64();

	while (clock64() - begin < cycles)
		;
	if (begin == 42)
		*sink = 1;
}

static void once(struct load *load, void *arg)
{
	const struct offender *offender = (const struct offender *)arg;
	int blocks = load->gpu.multiProcessorCount * 8;

	reads_host<<<blocks, 256>>>(offender->host, BYTES / sizeof(ulonglong2), offender->sink);
	reads_own<<<blocks, 256>>>(offender->own, BYTES / sizeof(ulonglong2), offender->sink);
	computes<<<blocks / 8, 256>>>(8000000, offender->sink);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("offender", "", argc, argv);
	struct offender offender = {};
	void *host, *own;

	LOAD_CHECK(cudaHostAlloc(&host, BYTES, cudaHostAllocMapped));
	LOAD_CHECK(cudaMalloc(&own, BYTES));
	LOAD_CHECK(cudaMalloc((void **)&offender.sink, 64));
	memset(host, 0x5a, BYTES);
	LOAD_CHECK(cudaMemset(own, 0x5a, BYTES));
	offender.host = (const ulonglong2 *)host;
	offender.own = (const ulonglong2 *)own;
	load_run(&load, once, &offender);
	load_print(&load, load.done * BYTES, 0, "");
	return 0;
}
