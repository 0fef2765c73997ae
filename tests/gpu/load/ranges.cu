// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels whose counts are known, in ranges of NVTX and regions of gpmu-mark.h. It prints the known counts as JSON.
 *
 *	steps N		(default) N times, in a range "step": multiply-adds in "fma", a triad in "triad", a loop of 1000, 2000
 *			and 3000 iterations in "loop"
 *	nest N		N times, ranges "outer", "mid" in it, and "in1" and "in2" in that one, with 1, 2, 4 and 8 blocks of a warp
 *	regions N	the same with regions
 *	many N		N launches of an empty kernel by each of four threads
 *	graph		a graph of five increments, launched twice, after a kernel
 *	time N		N launches each of the kernels of "steps"; prints the us of the fastest
 *	wait		a kernel that waits, at most eight seconds, for one that is launched after it
 */
#include <thread>
#include <vector>

#include <nvtx3/nvToolsExt.h>

#include "../../../metrics/include/gpmu-mark.h"
#include "load.h"

#define BLOCKS		264
#define THREADS		256
#define ITERATIONS	1000
#define TRIAD		((size_t)1 << 28)	/* floats of each array: 1 GiB */
#define NODES		5

extern "C" __global__ void fma_known(float *out, float a, float b)
{
	float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;

#pragma unroll 1
	for (int i = 0; i < ITERATIONS; i++) {
		x = fmaf(x, a, b);
		y = fmaf(y, a, b);
		z = fmaf(z, a, b);
		w = fmaf(w, a, b);
	}
	if (x + y + z + w == 0.123f)
		*out = x;
}

extern "C" __global__ void triad_known(float4 *to, const float4 *a, const float4 *b, float s)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	float4 x = a[i], y = b[i];

	to[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
}

extern "C" __global__ void loop_known(unsigned *out, int n)
{
	unsigned x = threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		asm volatile("mad.lo.u32 %0, %0, %0, 7;" : "+r"(x));
	if (x == 12345)
		*out = x;
}

extern "C" __global__ void warp_known(int *out)
{
	atomicAdd(out, threadIdx.x == 0);
}

extern "C" __global__ void empty_known(void)
{
}

extern "C" __global__ void increment_known(int *out)
{
	++*out;
}

extern "C" __global__ void wait_known(volatile int *flag)
{
	long long begin = clock64();

	while (!*flag && clock64() - begin < 8LL * 1900000000)
		;
}

extern "C" __global__ void raise_known(volatile int *flag)
{
	*flag = 1;
}

static void begin(bool is_region, const char *name)
{
	if (is_region)
		gpmu_mark_begin(name);
	else
		nvtxRangePushA(name);
}

static void end(bool is_region, const char *name)
{
	if (is_region)
		gpmu_mark_end(name);
	else
		nvtxRangePop();
}

static void steps(int count)
{
	float *arrays[3];
	unsigned *out;

	for (int i = 0; i < 3; i++)
		LOAD_CHECK(cudaMalloc(&arrays[i], TRIAD * sizeof(float)));
	LOAD_CHECK(cudaMalloc(&out, 256));
	for (int i = 0; i < 3; i++)
		LOAD_CHECK(cudaMemset(arrays[i], 0, TRIAD * sizeof(float)));
	LOAD_CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < count; i++) {
		begin(false, "step");
		begin(false, "fma");
		fma_known<<<BLOCKS, THREADS>>>((float *)out, 1.0001f, 0.5f);
		end(false, "fma");
		begin(false, "triad");
		triad_known<<<TRIAD / 4 / THREADS, THREADS>>>((float4 *)arrays[0], (float4 *)arrays[1], (float4 *)arrays[2], 3.f);
		end(false, "triad");
		begin(false, "loop");
		for (int n = 1000; n <= 3000; n += 1000)
			loop_known<<<BLOCKS, THREADS>>>(out, n);
		end(false, "loop");
		end(false, "step");
	}
	LOAD_CHECK(cudaDeviceSynchronize());
	printf("{\"steps\": %d, \"fma\": %lld, \"read\": %lld, \"write\": %lld, \"warps\": %d}\n", count,
	       (long long)BLOCKS * THREADS * ITERATIONS * 4, 2LL * TRIAD * 4, (long long)TRIAD * 4, BLOCKS * THREADS / 32);
}

static void launch(int kernel, float **arrays, unsigned *out)
{
	if (kernel == 0)
		fma_known<<<BLOCKS, THREADS>>>((float *)out, 1.0001f, 0.5f);
	else if (kernel == 1)
		triad_known<<<TRIAD / 4 / THREADS, THREADS>>>((float4 *)arrays[0], (float4 *)arrays[1], (float4 *)arrays[2], 3.f);
	else
		loop_known<<<BLOCKS, THREADS>>>(out, 1000);
}

/* The us of the fastest of @count launches */
static float time_kernel(int kernel, int count, float **arrays, unsigned *out)
{
	float best = 0, ms;
	cudaEvent_t begin, end;

	LOAD_CHECK(cudaEventCreate(&begin));
	LOAD_CHECK(cudaEventCreate(&end));
	for (int i = 0; i < count; i++) {
		LOAD_CHECK(cudaEventRecord(begin));
		launch(kernel, arrays, out);
		LOAD_CHECK(cudaEventRecord(end));
		LOAD_CHECK(cudaEventSynchronize(end));
		LOAD_CHECK(cudaEventElapsedTime(&ms, begin, end));
		best = !i || ms * 1000 < best ? ms * 1000 : best;
	}
	return best;
}

static void times(int count)
{
	float *arrays[3], us[3];
	unsigned *out;

	for (auto &array : arrays)
		LOAD_CHECK(cudaMalloc(&array, TRIAD * sizeof(float)));
	LOAD_CHECK(cudaMalloc(&out, 256));
	for (int i = 0; i < 3; i++)
		us[i] = time_kernel(i, count, arrays, out);
	printf("{\"fma\": %.1f, \"triad\": %.1f, \"loop\": %.1f}\n", us[0], us[1], us[2]);
}

static void nest(bool is_region, int count)
{
	static const struct {
		const char *name;
		int blocks, pops;
	} parts[] = { { "outer", 1, 0 }, { "mid", 2, 0 }, { "in1", 4, 1 }, { "in2", 8, 1 } };
	int *out;

	LOAD_CHECK(cudaMalloc(&out, 256));
	LOAD_CHECK(cudaMemset(out, 0, 256));
	for (int i = 0; i < count; i++) {
		for (auto &part : parts) {
			begin(is_region, part.name);
			warp_known<<<part.blocks, 32>>>(out);
			if (part.pops)
				end(is_region, part.name);
		}
		end(is_region, "mid");
		end(is_region, "outer");
	}
	LOAD_CHECK(cudaDeviceSynchronize());
	printf("{\"count\": %d}\n", count);
}

static void many(int count)
{
	std::vector<std::thread> threads;

	LOAD_CHECK(cudaFree(NULL));
	for (int i = 0; i < 4; i++)
		threads.emplace_back([count] {
			for (int launch = 0; launch < count; launch++)
				empty_known<<<1, 32>>>();
			LOAD_CHECK(cudaDeviceSynchronize());
		});
	for (auto &thread : threads)
		thread.join();
	printf("{\"launches\": %d}\n", 4 * count);
}

static void graph(void)
{
	int *out, result;
	cudaStream_t stream;
	cudaGraph_t made;
	cudaGraphExec_t exec;

	LOAD_CHECK(cudaMalloc(&out, 256));
	LOAD_CHECK(cudaMemset(out, 0, 256));
	LOAD_CHECK(cudaStreamCreate(&stream));
	increment_known<<<1, 1, 0, stream>>>(out);
	LOAD_CHECK(cudaStreamSynchronize(stream));
	LOAD_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < NODES; i++)
		increment_known<<<1, 1, 0, stream>>>(out);
	LOAD_CHECK(cudaStreamEndCapture(stream, &made));
	LOAD_CHECK(cudaGraphInstantiate(&exec, made, 0));
	nvtxRangePushA("graphs");
	for (int i = 0; i < 2; i++)
		LOAD_CHECK(cudaGraphLaunch(exec, stream));
	nvtxRangePop();
	increment_known<<<1, 1, 0, stream>>>(out);
	LOAD_CHECK(cudaStreamSynchronize(stream));
	LOAD_CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
	printf("{\"increments\": %d, \"expected\": %d}\n", result, 2 * NODES + 2);
}

static void wait_for_later(void)
{
	cudaStream_t streams[2];
	int *flag;

	LOAD_CHECK(cudaMalloc(&flag, 256));
	LOAD_CHECK(cudaMemset(flag, 0, 256));
	for (auto &stream : streams)
		LOAD_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	LOAD_CHECK(cudaDeviceSynchronize());
	/* Modules are loaded lazily, which would wait for the first kernel. */
	cudaFuncAttributes attributes;
	LOAD_CHECK(cudaFuncGetAttributes(&attributes, raise_known));
	nvtxRangePushA("wait");
	wait_known<<<1, 1, 0, streams[0]>>>(flag);
	raise_known<<<1, 1, 0, streams[1]>>>(flag);
	LOAD_CHECK(cudaDeviceSynchronize());
	nvtxRangePop();
	printf("{\"waited\": 1}\n");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "steps";
	int count = argc > 2 ? atoi(argv[2]) : 1;

	if (!strcmp(what, "nest"))
		nest(false, count);
	else if (!strcmp(what, "regions"))
		nest(true, count);
	else if (!strcmp(what, "many"))
		many(count);
	else if (!strcmp(what, "graph"))
		graph();
	else if (!strcmp(what, "time"))
		times(count);
	else if (!strcmp(what, "wait"))
		wait_for_later();
	else
		steps(count);
	return 0;
}
