// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Moves known bytes between host and GPU without a copy: kernels read and write pinned memory, and touch managed memory
 * that the host has touched before; another kernel computes while copies run. "in" and "out" are bytes of the kernels
 * that access pinned memory, "migrated" those of managed memory in each direction, "copied" those of the copies.
 */
#include <unistd.h>

#include "load.h"

#define BYTES		((size_t)256 << 20)
#define MANAGED		((size_t)64 << 20)
#define WORDS(bytes)	((bytes) / sizeof(ulonglong2))

struct memory {
	ulonglong2 *from, *to, *managed, *registered, *own;
	cudaStream_t copies;
	unsigned long long *sink;
};

__global__ void reads_pinned(const ulonglong2 *from, size_t length, unsigned long long *sink)
{
	unsigned long long sum = 0;

	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < length; i += (size_t)gridDim.x * blockDim.x)
		sum += from[i].x ^ from[i].y;
	if (sum == 42)
		*sink = sum;
}

__global__ void writes_pinned(ulonglong2 *to, size_t length)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < length; i += (size_t)gridDim.x * blockDim.x)
		to[i] = make_ulonglong2(i, i);
}

__global__ void touches_managed(ulonglong2 *managed, size_t length)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < length; i += (size_t)gridDim.x * blockDim.x)
		managed[i].x += 1;
}

__global__ void computes(long long cycles, unsigned long long *sink)
{
	long long begin = clock64();

	while (clock64() - begin < cycles)
		;
	if (begin == 42)
		*sink = 1;
}

/* Waits for a kernel, and until an interval of the counters has ended, so that the intervals of two kernels differ. */
static void settle(void)
{
	LOAD_CHECK(cudaDeviceSynchronize());
	usleep(5000);
}

static void once(struct load *load, void *arg)
{
	const struct memory *memory = (const struct memory *)arg;
	int blocks = load->gpu.multiProcessorCount * 8;

	reads_pinned<<<blocks, 256>>>(memory->from, WORDS(BYTES), memory->sink);
	settle();
	writes_pinned<<<blocks, 256>>>(memory->to, WORDS(BYTES));
	settle();
	computes<<<blocks / 8, 256>>>(20000000, memory->sink);
	LOAD_CHECK(cudaMemcpyAsync(memory->own, memory->registered, BYTES, cudaMemcpyHostToDevice, memory->copies));
	LOAD_CHECK(cudaDeviceSynchronize());
	memset(memory->managed, 1, MANAGED);
	touches_managed<<<blocks, 256>>>(memory->managed, WORDS(MANAGED));
	LOAD_CHECK(cudaDeviceSynchronize());
}

static void allocate(struct memory *memory)
{
	LOAD_CHECK(cudaHostAlloc((void **)&memory->from, BYTES, cudaHostAllocMapped));
	LOAD_CHECK(cudaMallocHost((void **)&memory->to, BYTES));
	memory->registered = (ulonglong2 *)aligned_alloc(4096, BYTES);
	memset(memory->registered, 1, BYTES);
	LOAD_CHECK(cudaHostRegister(memory->registered, BYTES, cudaHostRegisterDefault));
	LOAD_CHECK(cudaMallocManaged((void **)&memory->managed, MANAGED));
	LOAD_CHECK(cudaMalloc((void **)&memory->own, BYTES));
	LOAD_CHECK(cudaMalloc((void **)&memory->sink, 64));
	LOAD_CHECK(cudaStreamCreateWithFlags(&memory->copies, cudaStreamNonBlocking));
	memset(memory->from, 1, BYTES);
}

/* Reads the managed memory back. */
static void check(const struct memory *memory)
{
	for (size_t i = 0; i < WORDS(MANAGED); i++)
		if (memory->managed[i].x != 0x0101010101010102 || memory->managed[i].y != 0x0101010101010101)
			exit(1);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("bytes", "", argc, argv);
	struct memory memory = {};
	char more[256];

	if (!load.iterations)
		load.iterations = 10;
	allocate(&memory);
	load_run(&load, once, &memory);
	check(&memory);
	snprintf(more, sizeof(more), ",\"in\":%llu,\"out\":%llu,\"migrated\":%llu,\"copied\":%llu",
		 (unsigned long long)(load.done * BYTES), (unsigned long long)(load.done * BYTES),
		 (unsigned long long)(load.done * MANAGED), (unsigned long long)(load.done * BYTES));
	load_print(&load, 2 * load.done * BYTES, 0, more);
	LOAD_CHECK(cudaFreeHost(memory.from));
	LOAD_CHECK(cudaHostUnregister(memory.registered));
	return 0;
}
