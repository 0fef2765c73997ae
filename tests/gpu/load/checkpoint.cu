// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Work that changes its own input, in a range "work" and a range "inner" in it, which the program makes COUNT times:
 *
 *	checkpoint COUNT [HOW [MIB]]
 *
 * A kernel does as many multiply-adds as a number in memory says, 1000 at first; another kernel adds 1000 to this number, and
 * to others in pinned, managed and pooled memory. The program prints the numbers as JSON. It also allocates MIB MiB.
 *
 *	plain		(default)
 *	temporary	the range also allocates and frees memory
 *	graph		the range launches a graph, which was made before
 *	late		the range makes a graph and launches it
 *	pool		pooled memory is freed before the range, and its pool is synchronised in the range
 *	freed		memory that was allocated before is freed after the first range
 *	reset		the context is destroyed at the end
 */
#include <nvtx3/nvToolsExt.h>

#include "load.h"

#define BLOCKS	264
#define THREADS	256
#define STEP	1000

struct numbers {
	int *device, *pinned, *managed, *pooled;
};

extern "C" __global__ void work_known(float *out, const int *iterations, float a, float b)
{
	const int n = *iterations;
	float x = threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		x = fmaf(x, a, b);
	if (x == 0.123f)
		*out = x;
}

extern "C" __global__ void add_known(struct numbers numbers)
{
	*numbers.device += STEP;
	*numbers.pinned += STEP;
	*numbers.managed += STEP;
	*numbers.pooled += STEP;
}

static cudaStream_t stream;

static void launch(const struct numbers *numbers)
{
	work_known<<<BLOCKS, THREADS, 0, stream>>>((float *)(numbers->device + 1), numbers->device, 1.0001f, 0.5f);
	add_known<<<1, 1, 0, stream>>>(*numbers);
}

static cudaGraphExec_t make_graph(const struct numbers *numbers)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	LOAD_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	launch(numbers);
	LOAD_CHECK(cudaStreamEndCapture(stream, &graph));
	LOAD_CHECK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void begin(struct numbers *numbers, int mib)
{
	const int first = STEP;
	void *more;

	LOAD_CHECK(cudaStreamCreate(&stream));
	LOAD_CHECK(cudaMalloc(&numbers->device, 256));
	LOAD_CHECK(cudaMallocHost(&numbers->pinned, 256));
	LOAD_CHECK(cudaMallocManaged(&numbers->managed, 256));
	LOAD_CHECK(cudaMallocAsync(&numbers->pooled, 256, stream));
	if (mib)
		LOAD_CHECK(cudaMalloc(&more, (size_t)mib << 20));
	*numbers->pinned = *numbers->managed = first;
	LOAD_CHECK(cudaMemcpyAsync(numbers->device, &first, sizeof(first), cudaMemcpyHostToDevice, stream));
	LOAD_CHECK(cudaMemcpyAsync(numbers->pooled, &first, sizeof(first), cudaMemcpyHostToDevice, stream));
	LOAD_CHECK(cudaStreamSynchronize(stream));
}

static void print(const struct numbers *numbers)
{
	int device, pooled;

	LOAD_CHECK(cudaMemcpyAsync(&device, numbers->device, sizeof(device), cudaMemcpyDeviceToHost, stream));
	LOAD_CHECK(cudaMemcpyAsync(&pooled, numbers->pooled, sizeof(pooled), cudaMemcpyDeviceToHost, stream));
	LOAD_CHECK(cudaStreamSynchronize(stream));
	printf("{\"device\": %d, \"pinned\": %d, \"managed\": %d, \"pooled\": %d, \"fma\": %lld}\n", device, *numbers->pinned,
	       *numbers->managed, pooled, (long long)BLOCKS * THREADS * STEP);
}

static void work(const struct numbers *numbers, cudaGraphExec_t exec, const char *how)
{
	const bool is_temporary = !strcmp(how, "temporary");
	void *temporary, *pooled;

	nvtxRangePushA("work");
	nvtxRangePushA("inner");
	if (is_temporary) {
		LOAD_CHECK(cudaMalloc(&temporary, 1 << 20));
		LOAD_CHECK(cudaMallocAsync(&pooled, 1 << 20, stream));
	}
	if (!strcmp(how, "late"))
		exec = make_graph(numbers);
	if (exec)
		LOAD_CHECK(cudaGraphLaunch(exec, stream));
	else
		launch(numbers);
	if (is_temporary) {
		LOAD_CHECK(cudaFreeAsync(pooled, stream));
		LOAD_CHECK(cudaFree(temporary));
	}
	LOAD_CHECK(cudaStreamSynchronize(stream));
	nvtxRangePop();
	nvtxRangePop();
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	const char *how = argc > 2 ? argv[2] : "plain";
	struct numbers numbers;
	cudaGraphExec_t exec = NULL;
	void *extra, *pooled;

	begin(&numbers, argc > 3 ? atoi(argv[3]) : 0);
	LOAD_CHECK(cudaMalloc(&extra, 1 << 20));
	if (!strcmp(how, "graph"))
		exec = make_graph(&numbers);
	if (!strcmp(how, "pool")) {
		LOAD_CHECK(cudaMallocAsync(&pooled, (size_t)256 << 20, stream));
		LOAD_CHECK(cudaFreeAsync(pooled, stream));
	}
	for (int i = 0; i < count; i++) {
		work(&numbers, exec, how);
		if (!strcmp(how, "freed") && !i)
			LOAD_CHECK(cudaFree(extra));
	}
	print(&numbers);
	if (!strcmp(how, "reset"))
		LOAD_CHECK(cudaDeviceReset());
	return 0;
}
