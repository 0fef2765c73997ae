// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs --iterations kernels in a stream, which read the GPU's clock (%globaltimer) at their begin and end. Before and
 * after them another kernel answers requests of the host with the GPU's time. The line of JSON has "tick", the clock's
 * resolution; a line follows for each pair of times and each kernel:
 *
 * pair BEFORE GPU AFTER	the GPU's time, and the host's CLOCK_MONOTONIC_RAW before the request and after the answer
 * kernel BEGIN END		the GPU's times of a kernel, in the order of the launches
 *
 * All times are in ns.
 */
#include "load.h"

#define ITERATIONS	3000
#define LENGTH		20000	/* ns, duration of a kernel */
#define PAIRS		2000

struct times {
	uint64_t begin, end;
};

/* Requests of the host and answers of a kernel, in a cache line each */
struct talk {
	volatile uint64_t asked, pad[15];
	volatile uint64_t answered, time;
};

struct pair {
	uint64_t before, gpu, after;
};

static __device__ __forceinline__ uint64_t gpu_time(void)
{
	uint64_t time;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
	return time;
}

static __global__ void timed(struct times *times)
{
	uint64_t begin = gpu_time(), end;

	times->begin = begin;
	do
		end = gpu_time();
	while (end - begin < LENGTH);
	times->end = end;
}

static __global__ void answer(struct talk *talk, uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++) {
		while (talk->asked != i)
			;
		talk->time = gpu_time();
		__threadfence_system();
		talk->answered = i;
	}
}

static __global__ void find_tick(uint64_t *tick)
{
	uint64_t last = gpu_time(), now, min = ~(uint64_t)0;

	for (int i = 0; i < 20000; i++, last = now) {
		now = gpu_time();
		if (now > last && now - last < min)
			min = now - last;
	}
	*tick = min;
}

static void ask(struct talk *talk, struct pair *pairs)
{
	talk->asked = talk->answered = 0;
	answer<<<1, 1>>>(talk, PAIRS);
	LOAD_CHECK(cudaGetLastError());
	for (uint64_t i = 1; i <= PAIRS; i++) {
		struct pair *pair = &pairs[i - 1];

		pair->before = load_time();
		talk->asked = i;
		while (talk->answered != i)
			;
		pair->after = load_time();
		__sync_synchronize();
		pair->gpu = talk->time;
	}
	LOAD_CHECK(cudaDeviceSynchronize());
}

static void print_pairs(const struct pair *pairs)
{
	for (int i = 0; i < PAIRS; i++)
		printf("pair %llu %llu %llu\n", (unsigned long long)pairs[i].before,
		       (unsigned long long)pairs[i].gpu, (unsigned long long)pairs[i].after);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("ktime", "", argc, argv);
	static struct pair first[PAIRS], last[PAIRS];
	uint64_t n = load.iterations ? load.iterations : ITERATIONS, *tick;
	struct times *times, *on_gpu;
	struct talk *talk;
	char more[48];

	LOAD_CHECK(cudaMallocHost(&talk, sizeof(*talk)));
	LOAD_CHECK(cudaMallocHost(&tick, sizeof(*tick)));
	LOAD_CHECK(cudaMallocHost(&times, n * sizeof(*times)));
	LOAD_CHECK(cudaMalloc(&on_gpu, n * sizeof(*on_gpu)));
	find_tick<<<1, 1>>>(tick);
	LOAD_CHECK(cudaDeviceSynchronize());
	ask(talk, first);
	load.start = load_time();
	for (uint64_t i = 0; i < n; i++)
		timed<<<1, 1>>>(on_gpu + i);
	LOAD_CHECK(cudaGetLastError());
	LOAD_CHECK(cudaDeviceSynchronize());
	load.end = load_time();
	load.done = n;
	ask(talk, last);
	LOAD_CHECK(cudaMemcpy(times, on_gpu, n * sizeof(*times), cudaMemcpyDeviceToHost));
	snprintf(more, sizeof(more), ",\"tick\":%llu", (unsigned long long)*tick);
	load_print(&load, 0, 0, more);
	print_pairs(first);
	print_pairs(last);
	for (uint64_t i = 0; i < n; i++)
		printf("kernel %llu %llu\n", (unsigned long long)times[i].begin,
		       (unsigned long long)times[i].end);
	return 0;
}
