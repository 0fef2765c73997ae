// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each kind of work that a timeline shows, a known number of times: kernels of three streams, copies, memsets, a graph,
 * NVTX ranges of one thread and across two. With --end it kills itself or calls _exit() after half of the steps and
 * --quiet seconds.
 */
#include <signal.h>
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "load.h"

#define STEPS	50
#define NODES	5
#define GRAPHS	10
#define BYTES	((size_t)4 << 20)

struct timeline {
	cudaStream_t streams[3];
	cudaGraphExec_t graph;
	void *host, *gpu;
	int *numbers;
};

template <typename T>
__global__ void stretch(T *numbers, long long cycles)
{
	long long begin = clock64();

	while (clock64() - begin < cycles)
		;
	numbers[threadIdx.x] += 1;
}

__global__ void nod(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

static void make_graph(struct timeline *work)
{
	cudaGraph_t graph;

	LOAD_CHECK(cudaStreamBeginCapture(work->streams[0], cudaStreamCaptureModeGlobal));
	for (int i = 0; i < NODES; i++)
		nod<<<1, 32, 0, work->streams[0]>>>(work->numbers);
	LOAD_CHECK(cudaStreamEndCapture(work->streams[0], &graph));
	LOAD_CHECK(cudaGraphInstantiate(&work->graph, graph, 0));
	LOAD_CHECK(cudaGraphDestroy(graph));
}

/* A step: six kernels, a copy to the GPU and one to the host, a memset */
static void step(struct timeline *work)
{
	nvtxRangePushA("step");
	for (int i = 0; i < 3; i++) {
		stretch<int><<<2, 64, 0, work->streams[0]>>>(work->numbers, 20000);
		stretch<float><<<1, 32, 0, work->streams[1]>>>((float *)work->numbers + 64, 10000);
	}
	nvtxRangePushA("copies");
	LOAD_CHECK(cudaMemcpyAsync(work->gpu, work->host, BYTES, cudaMemcpyHostToDevice, work->streams[2]));
	LOAD_CHECK(cudaMemcpyAsync(work->host, work->gpu, BYTES / 2, cudaMemcpyDeviceToHost, work->streams[2]));
	LOAD_CHECK(cudaMemsetAsync(work->gpu, 0, BYTES / 4, work->streams[2]));
	nvtxRangePop();
	LOAD_CHECK(cudaStreamSynchronize(work->streams[2]));
	nvtxRangePop();
}

static void end(struct load *load, const char *how)
{
	LOAD_CHECK(cudaDeviceSynchronize());
	load_sleep(load->quiet);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	_exit(3);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 && !strcmp(argv[1], "--end") ? argv[2] : NULL;
	struct load load = load_begin("timeline", " [--end kill|exit, which comes first]",
				      how ? argc - 2 : argc, how ? argv + 2 : argv);
	struct timeline work = {};
	nvtxRangeId_t across;

	LOAD_CHECK(cudaMallocHost(&work.host, BYTES));
	LOAD_CHECK(cudaMalloc(&work.gpu, BYTES));
	LOAD_CHECK(cudaMalloc((void **)&work.numbers, 4096));
	for (int i = 0; i < 3; i++)
		LOAD_CHECK(cudaStreamCreateWithFlags(&work.streams[i], cudaStreamNonBlocking));
	make_graph(&work);
	across = nvtxRangeStartA("across");
	load.start = load_time();
	for (int i = 0; i < STEPS; i++) {
		if (how && i == STEPS / 2)
			end(&load, how);
		step(&work);
	}
	for (int i = 0; i < GRAPHS; i++)
		LOAD_CHECK(cudaGraphLaunch(work.graph, work.streams[0]));
	LOAD_CHECK(cudaDeviceSynchronize());
	load.end = load_time();
	std::thread([across]() { nvtxRangeEnd(across); }).join();
	load.done = STEPS;
	load_print(&load, STEPS * BYTES, STEPS * BYTES / 2, "");
	return 0;
}
