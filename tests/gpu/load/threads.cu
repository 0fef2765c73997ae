// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * --threads threads launch --iterations kernels each, as fast as possible, every thread in a stream of its own; before
 * every 100th launch it copies and sets memory. A kernel takes about 1 us. With --exec 1 a child that executes the same
 * program does the same at the same time. Prints "launches", "copies" and "sets" of all threads and processes, "ns", the
 * time per launch of all threads together, and "rss", the peak memory of this process in KiB.
 */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "load.h"

#define ITERATIONS	5000
#define EACH		100
#define BYTES		65536
#define THREADS_MAX	256

static struct {
	int threads, exec;
	uint64_t iterations;
	pthread_barrier_t begin;
} task = { 8, 0, ITERATIONS, {} };

static __global__ void short_one(unsigned int *memory)
{
	if (memory)
		*memory += 1;
}

static void *work(void *)
{
	void *host, *device;
	cudaStream_t stream;

	LOAD_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	LOAD_CHECK(cudaMallocHost(&host, BYTES));
	LOAD_CHECK(cudaMalloc(&device, BYTES));
	pthread_barrier_wait(&task.begin);
	for (uint64_t i = 0; i < task.iterations; i++) {
		if (i % EACH == 0) {
			LOAD_CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
			LOAD_CHECK(cudaMemsetAsync(device, 0, BYTES, stream));
		}
		short_one<<<1, 32, 0, stream>>>((unsigned int *)device);
	}
	LOAD_CHECK(cudaGetLastError());
	LOAD_CHECK(cudaStreamSynchronize(stream));
	pthread_barrier_wait(&task.begin);
	return NULL;
}

static pid_t start_child(char **argv)
{
	pid_t pid = fork();

	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	return pid;
}

/* Takes its own options out of @argv */
static int own_options(int argc, char **argv)
{
	int left = 1;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--threads") && i + 1 < argc)
			task.threads = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--exec") && i + 1 < argc)
			task.exec = atoi(argv[++i]);
		else
			argv[left++] = argv[i];
	}
	argv[left] = NULL;
	if (task.threads < 1 || task.threads > THREADS_MAX) {
		fprintf(stderr, "threads: --threads takes 1 to %d\n", THREADS_MAX);
		exit(2);
	}
	return left;
}

/* Options of the child: the same, and no line of its own */
static pid_t child_of(char *threads, char *iterations)
{
	char program[] = "threads", count[] = "--threads", n[] = "--iterations", warm[] = "--warm", single[] = "-1";
	char *argv[] = { program, count, threads, n, iterations, warm, single, NULL };

	return start_child(argv);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	char count[16], iterations[32], more[160];
	unsigned long long times;
	struct rusage usage;
	struct load load;
	pid_t child = 0;
	int status = 0;

	argc = own_options(argc, argv);
	for (int i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--iterations"))
			task.iterations = strtoull(argv[i + 1], NULL, 10);
	/* CUDA does not survive a fork: the child starts first. */
	if (task.exec) {
		snprintf(count, sizeof(count), "%d", task.threads);
		snprintf(iterations, sizeof(iterations), "%llu", (unsigned long long)task.iterations);
		child = child_of(count, iterations);
	}
	load = load_begin("threads", " [--threads N] [--exec 1]", argc, argv);
	pthread_barrier_init(&task.begin, NULL, (unsigned int)task.threads + 1);
	for (int i = 0; i < task.threads; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	pthread_barrier_wait(&task.begin);
	load.start = load_time();
	pthread_barrier_wait(&task.begin);
	load.end = load_time();
	for (int i = 0; i < task.threads; i++)
		pthread_join(threads[i], NULL);
	if (child > 0 && (waitpid(child, &status, 0) != child || status))
		return 1;
	if (load.warm < 0)
		return 0;
	times = child > 0 ? 2 : 1;
	load.done = task.iterations * (uint64_t)task.threads;
	getrusage(RUSAGE_SELF, &usage);
	snprintf(more, sizeof(more), ",\"launches\":%llu,\"copies\":%llu,\"sets\":%llu,\"ns\":%.1f,\"rss\":%ld",
		 times * load.done, times * ((task.iterations + EACH - 1) / EACH) * task.threads,
		 times * ((task.iterations + EACH - 1) / EACH) * task.threads,
		 (double)(load.end - load.start) / (double)load.done, usage.ru_maxrss);
	load_print(&load, 0, 0, more);
	return 0;
}
