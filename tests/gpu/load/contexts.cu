// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contexts that end, on all GPUs: two rounds with cudaDeviceReset() between them. Each round has kernels, managed memory
 * that host and GPU touch, and with two GPUs or more copies to the next GPU.
 */
#include "load.h"

#define ROUNDS	2
#define KERNELS	100
#define COPIES	10
#define BYTES	((size_t)16 << 20)

__global__ void stay(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

__global__ void touch(unsigned char *bytes, size_t n)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
		bytes[i] += 1;
}

static void share(unsigned char *bytes)
{
	memset(bytes, 1, BYTES);
	touch<<<64, 256>>>(bytes, BYTES);
	LOAD_CHECK(cudaDeviceSynchronize());
	for (size_t i = 0; i < BYTES; i++) {
		if (bytes[i] == 2)
			continue;
		fprintf(stderr, "contexts: byte %zu is %d, not 2\n", i, bytes[i]);
		exit(1);
	}
}

/* Copies to the next GPU. Returns whether they are direct; otherwise each goes through the host as two copies. */
static int copy_on(int device, int devices)
{
	int next = (device + 1) % devices, direct;
	void *from, *to;

	LOAD_CHECK(cudaDeviceCanAccessPeer(&direct, device, next));
	if (direct)
		LOAD_CHECK(cudaDeviceEnablePeerAccess(next, 0));

	LOAD_CHECK(cudaMalloc(&from, BYTES));
	LOAD_CHECK(cudaSetDevice(next));
	LOAD_CHECK(cudaMalloc(&to, BYTES));
	LOAD_CHECK(cudaSetDevice(device));
	for (int i = 0; i < COPIES; i++)
		LOAD_CHECK(cudaMemcpyPeerAsync(to, next, from, device, BYTES, 0));
	LOAD_CHECK(cudaDeviceSynchronize());
	LOAD_CHECK(cudaFree(from));
	LOAD_CHECK(cudaFree(to));
	return direct;
}

static int work_on(int device, int devices)
{
	unsigned char *managed;
	int *numbers;

	LOAD_CHECK(cudaSetDevice(device));
	LOAD_CHECK(cudaMalloc((void **)&numbers, 4096));
	for (int i = 0; i < KERNELS; i++)
		stay<<<1, 32>>>(numbers);
	LOAD_CHECK(cudaMallocManaged((void **)&managed, BYTES));
	share(managed);
	LOAD_CHECK(cudaFree(managed));
	LOAD_CHECK(cudaFree(numbers));
	return devices > 1 && copy_on(device, devices);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("contexts", "", argc, argv);
	char more[64];
	int devices, direct = 1;

	LOAD_CHECK(cudaGetDeviceCount(&devices));
	load.start = load_time();
	for (; load.done < ROUNDS; load.done++) {
		for (int device = 0; device < devices; device++)
			direct &= work_on(device, devices);
		for (int device = 0; device < devices && load.done + 1 < ROUNDS; device++) {
			LOAD_CHECK(cudaSetDevice(device));
			LOAD_CHECK(cudaDeviceReset());
		}
	}
	load.end = load_time();
	snprintf(more, sizeof(more), ",\"devices\":%d,\"direct\":%d", devices, direct);
	load_print(&load, ROUNDS * BYTES, ROUNDS * BYTES, more);
	return 0;
}
