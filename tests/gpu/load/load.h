/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the loads: options, times, and the line of JSON. A load repeats the same work, and knows the number of
 * repetitions and their bytes. It is quiet before and after its work, so that intervals of a counter show the work apart
 * from start and end of the program.
 */
#ifndef GPMU_TESTS_LOAD_H
#define GPMU_TESTS_LOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime.h>

#define LOAD_CHECK(call) load_check(call, #call)

struct load {
	const char *name;
	const char *usage;	/* of its own options */
	int device;
	double seconds;		/* duration of the work */
	uint64_t iterations;	/* number of repetitions; 0: limited by @seconds */
	int warm;		/* repetitions that are not counted */
	double quiet;		/* seconds before and after the work */
	double share;		/* of multiprocessors that work */
	int up;			/* copies go to the GPU, not from it */
	cudaDeviceProp gpu;
	uint64_t start, end;	/* CLOCK_MONOTONIC_RAW */
	uint64_t done;		/* repetitions */
};

static inline void load_check(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
	exit(1);
}

static inline uint64_t load_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void load_options(struct load *load, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--device") && *value) {
			load->device = atoi(value);
		} else if (!strcmp(argv[i], "--seconds") && *value) {
			load->seconds = atof(value);
		} else if (!strcmp(argv[i], "--iterations") && *value) {
			load->iterations = strtoull(value, NULL, 10);
		} else if (!strcmp(argv[i], "--warm") && *value) {
			load->warm = atoi(value);
		} else if (!strcmp(argv[i], "--quiet") && *value) {
			load->quiet = atof(value);
		} else if (!strcmp(argv[i], "--share") && *value) {
			load->share = atof(value);
		} else if (!strcmp(argv[i], "--to") && *value) {
			load->up = !strcmp(value, "gpu");
		} else {
			fprintf(stderr, "usage: %s [--device N] [--seconds S | --iterations N] "
				"[--warm N] [--quiet S]%s\n", load->name, load->usage);
			exit(2);
		}
	}
}

static inline struct load load_begin(const char *name, const char *usage, int argc, char **argv)
{
	struct load load = {};

	load.name = name;
	load.usage = usage;
	load.seconds = 1.5;
	load.quiet = 0.5;
	load.share = 1;
	load.up = 1;
	load_options(&load, argc, argv);
	LOAD_CHECK(cudaSetDevice(load.device));
	LOAD_CHECK(cudaGetDeviceProperties(&load.gpu, load.device));
	return load;
}

static inline void load_sleep(double seconds)
{
	usleep((useconds_t)(seconds * 1e6));
}

/* Repeats @once with @arg for @load's time or repetitions */
static inline void load_run(struct load *load, void (*once)(struct load *load, void *arg), void *arg)
{
	LOAD_CHECK(cudaDeviceSynchronize());
	load_sleep(load->quiet);
	for (int i = 0; i < load->warm; i++)
		once(load, arg);
	LOAD_CHECK(cudaDeviceSynchronize());
	load->start = load_time();
	do {
		once(load, arg);
		LOAD_CHECK(cudaDeviceSynchronize());
		load->end = load_time();
		load->done++;
	} while (load->iterations ? load->done < load->iterations :
				    (double)(load->end - load->start) < load->seconds * 1e9);
	load_sleep(load->quiet);
}

/* Prints the line of JSON; @more has further members and begins with a comma, or is "" */
static inline void load_print(const struct load *load, uint64_t read, uint64_t written,
			      const char *more)
{
	const unsigned char *b = (const unsigned char *)load->gpu.uuid.bytes;

	printf("{\"load\":\"%s\",\"gpu\":\"GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
	       "%02x%02x%02x%02x%02x%02x\",",
	       load->name, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
	       b[12], b[13], b[14], b[15]);
	printf("\"bytes\":%llu,\"read\":%llu,\"written\":%llu,\"start\":%llu,\"end\":%llu,\"iterations\":%llu%s}\n",
	       (unsigned long long)(read + written), (unsigned long long)read,
	       (unsigned long long)written, (unsigned long long)load->start,
	       (unsigned long long)load->end, (unsigned long long)load->done, more);
}

/* The largest power of two that is at most @max and at most half of the free memory */
static inline size_t load_bytes(size_t max)
{
	size_t left, all;

	LOAD_CHECK(cudaMemGetInfo(&left, &all));
	while (max > left / 2)
		max /= 2;
	return max;
}

#endif /* GPMU_TESTS_LOAD_H */
