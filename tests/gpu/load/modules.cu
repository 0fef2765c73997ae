// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Activity beside the work of streams, a known number of times: a module of PTX that the driver compiles, a memory pool with
 * allocations, and a graph whose nodes are captured in NVTX ranges.
 */
#include <dlfcn.h>

#include <nvtx3/nvToolsExt.h>

#include "load.h"

#define BYTES		((size_t)40 << 20)
#define ALLOCATIONS	3
#define LAUNCHES	4

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

__global__ void first(int *number)
{
	*number += 1;
}

__global__ void second(int *number)
{
	*number += 2;
}

static void load_ptx(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY), *module;
	int (*load)(void **module, const void *image) = (int (*)(void **, const void *))dlsym(driver, "cuModuleLoadData");
	int code = load(&module, ptx);

	if (code) {
		fprintf(stderr, "modules: cuModuleLoadData: %d\n", code);
		exit(1);
	}
}

static void use_pool(cudaStream_t stream)
{
	cudaMemPoolProps properties = {};
	unsigned long long threshold = 64 << 20;
	cudaMemPool_t pool;
	void *memory;

	properties.allocType = cudaMemAllocationTypePinned;
	properties.location.type = cudaMemLocationTypeDevice;
	LOAD_CHECK(cudaMemPoolCreate(&pool, &properties));
	LOAD_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
	for (int i = 0; i < ALLOCATIONS; i++) {
		LOAD_CHECK(cudaMallocFromPoolAsync(&memory, BYTES, pool, stream));
		LOAD_CHECK(cudaFreeAsync(memory, stream));
		LOAD_CHECK(cudaStreamSynchronize(stream));
	}
	LOAD_CHECK(cudaMemPoolTrimTo(pool, 0));
	LOAD_CHECK(cudaMemPoolDestroy(pool));
}

static void launch_graph(cudaStream_t stream)
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;
	int *number;

	LOAD_CHECK(cudaMalloc(&number, sizeof(*number)));
	LOAD_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	nvtxRangePushA("layer one");
	first<<<1, 1, 0, stream>>>(number);
	first<<<1, 1, 0, stream>>>(number);
	nvtxRangePop();
	nvtxRangePushA("layer two");
	second<<<1, 1, 0, stream>>>(number);
	nvtxRangePop();
	LOAD_CHECK(cudaStreamEndCapture(stream, &graph));
	LOAD_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < LAUNCHES; i++)
		LOAD_CHECK(cudaGraphLaunch(executable, stream));
	LOAD_CHECK(cudaStreamSynchronize(stream));
}

int main(void)
{
	cudaStream_t stream;

	LOAD_CHECK(cudaStreamCreate(&stream));
	load_ptx();
	use_pool(stream);
	launch_graph(stream);
	return 0;
}
