// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trace-make KIND FILE: writes a trace by libgpmu, which trace-sql.t checks.
 *
 *   gpu   a program with two threads, two streams of a GPU, counters, arrows, arguments
 *   edge  slices that touch, that begin or end together, that have no length or no end; arrows
 *         over three slices; numbers and texts at their limits; tracks of one name
 *   long  1,000 slices, counters and launches out of order, with many restarts; the length
 *         of the file after each flush is printed
 *   work  kernels, copies and counters of two GPUs, 1,000 of each, with many restarts; calls that submit them
 *   samples  1,000 samples of two events with call stacks, with many restarts, and operations of SPE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/gpmu_trace_gpu.h"

#define BEGIN	5000000000000ULL	/* ns since the start: 83 minutes */

static void check(int ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "trace-make: %s\n", strerror(-ret));
	exit(1);
}

static int known(int track)
{
	check(track);
	return track;
}

static void slice(struct gpmu_trace *trace, struct gpmu_trace_event event, uint64_t time,
		  uint64_t duration)
{
	event.size = sizeof(event);
	event.time = BEGIN + time;
	check(gpmu_trace_slice(trace, &event, duration));
}

/* Launches on a thread, and the work launched, which begins later and overlaps */
static void launches(struct gpmu_trace *trace, int thread, const int streams[2])
{
	static const struct gpmu_trace_arg kernel[] = {
		{ .name = "grid", .kind = GPMU_TRACE_NAME, .text = "128x1x1" },
		{ .name = "registers", .integer = 255 },
		{ .name = "occupancy", .kind = GPMU_TRACE_DOUBLE, .real = 0.75 },
	};
	static const struct gpmu_trace_arg copy[] = {
		{ .name = "bytes", .integer = INT64_MAX },
		{ .name = "offset", .integer = -4096 },
	};
	struct gpmu_trace_event event = { .track = thread, .category = "runtime" };

	event.name = "cudaLaunchKernel";
	event.flow = 7;
	slice(trace, event, 1000, 500);
	event.flow = 8;
	slice(trace, event, 2000, 400);
	event = (struct gpmu_trace_event){ .category = "kernel", .flow_ends = 1 };
	event.track = streams[0];
	event.name = "gemm";
	event.flow = 7;
	event.args = kernel;
	event.arg_count = 3;
	slice(trace, event, 1800, 10000);
	event.track = streams[1];
	event.name = "copy";
	event.category = "memcpy";
	event.flow = 8;
	event.args = copy;
	event.arg_count = 2;
	slice(trace, event, 2600, 1000);
}

static void nested(struct gpmu_trace *trace, int thread)
{
	struct gpmu_trace_event event = { .size = sizeof(event), .track = thread };

	event.time = BEGIN + 20000;
	event.name = "step \xff";
	event.category = "nvtx";
	check(gpmu_trace_begin(trace, &event));
	event.time = BEGIN + 20100;
	event.name = "forward";
	check(gpmu_trace_begin(trace, &event));
	event.time = BEGIN + 20150;
	event.name = "mark";
	check(gpmu_trace_instant(trace, &event));
	check(gpmu_trace_end(trace, thread, BEGIN + 20200));
	check(gpmu_trace_end(trace, thread, BEGIN + 20300));
	/* An earlier time on the same track, later in the file */
	slice(trace, (struct gpmu_trace_event){ .track = thread, .name = "early" }, 100, 50);
}

static void counters(struct gpmu_trace *trace, int gpu)
{
	int bytes = known(gpmu_trace_counter(trace, gpu, "DRAM read", "B"));
	int share = known(gpmu_trace_counter(trace, 0, "SM active", "%"));

	check(gpmu_trace_count(trace, bytes, BEGIN + 30000, -5));
	check(gpmu_trace_count(trace, bytes, BEGIN + 31000, INT64_C(1) << 40));
	check(gpmu_trace_value(trace, share, BEGIN + 30500, 99.5));
	check(gpmu_trace_value(trace, share, BEGIN + 31500, NAN));
	check(gpmu_trace_value(trace, share, BEGIN + 32500, 0.25));
}

/* Two CPUs, a thread of the program that migrates, and a thread of another program */
static void scheduling(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_switch switches[] = {
		{ .cpu = 3, .time = 900, .next = 101, .next_prio = 120, .prev_name = "swapper/3", .next_name = "kernel name" },
		{ .cpu = 3, .time = 1300, .prev = 101, .prev_prio = 120, .prev_state = 1, .next = 7, .next_prio = -1,
		  .prev_name = "kernel name", .next_name = "other \xff" },
		{ .cpu = 1023, .time = 1400, .next = 101, .next_prio = 120, .prev_name = "swapper/1023" },
		{ .cpu = 3, .time = 1450, .prev = 7, .prev_prio = -1, .prev_state = 256, .next = 0, .next_prio = 120,
		  .prev_name = "other \xff" },
		{ .cpu = 1023, .time = 2500, .prev = 101, .prev_prio = 120, .prev_state = 2, .next = 0, .next_prio = 120 },
	};
	struct gpmu_trace_waking waking = {
		.size = sizeof(waking), .cpu = 3, .time = BEGIN + 1350, .waker = 7, .tid = 101, .prio = 120,
		.target_cpu = 1023, .name = "kernel name",
	};

	check(gpmu_trace_sched_waking(trace, &waking));
	for (size_t i = sizeof(switches) / sizeof(switches[0]); i-- > 0;) {
		struct gpmu_trace_switch event = switches[i];

		event.size = sizeof(event);
		event.time += BEGIN;
		check(gpmu_trace_sched_switch(trace, &event));
	}
}

static void make_gpu(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg clock[] = { { .name = "bound_ns", .integer = 381 } };
	int process = known(gpmu_trace_process(trace, 100, "app"));
	int thread = known(gpmu_trace_thread(trace, 100, 101, "main"));
	int other = known(gpmu_trace_thread(trace, 100, 102, NULL));
	int gpu = known(gpmu_trace_track(trace, 0, "GPU 0"));
	int streams[2];

	streams[0] = known(gpmu_trace_track(trace, gpu, "stream 7"));
	streams[1] = known(gpmu_trace_track(trace, gpu, "stream 13"));
	launches(trace, thread, streams);
	nested(trace, other);
	counters(trace, gpu);
	scheduling(trace);
	slice(trace, (struct gpmu_trace_event){ .track = process, .name = "exec" }, 10, 5);
	known(gpmu_trace_process(trace, 100, "renamed"));
	known(gpmu_trace_thread(trace, 100, 101, "worker"));
	check(gpmu_trace_audit(trace, BEGIN + 40000, "clock", clock, 1));
}

static void touching(struct gpmu_trace *trace, int track)
{
	static const struct {
		const char *name;
		uint64_t begin, duration;
	} slices[] = {
		{ "outer", 0, 100 }, { "inner", 0, 40 }, { "next", 40, 60 }, { "in next", 90, 10 },
		{ "behind", 100, 50 }, { "none", 150, 0 }, { "last", 150, 10 }, { "none inside", 160, 0 },
	};

	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++)
		slice(trace, (struct gpmu_trace_event){ .track = track, .name = slices[i].name },
		      slices[i].begin, slices[i].duration);
}

/* One flow number links three slices, ends, and is used again. */
static void chain(struct gpmu_trace *trace, int from, int to)
{
	struct gpmu_trace_event event = { .category = "arrow", .flow = UINT64_MAX };

	for (unsigned int i = 0; i < 6; i++) {
		event.track = i % 3 ? to : from;
		event.name = i < 3 ? "first" : "second";
		event.flow_ends = i % 3 == 2;
		slice(trace, event, 1000 + i * 100, 10);
	}
}

static void limits(struct gpmu_trace *trace, int track, int counter)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "least", .integer = INT64_MIN },
		{ .name = "small", .kind = GPMU_TRACE_DOUBLE, .real = -1e-3 },
		{ .name = "a.b[1]", .kind = GPMU_TRACE_TEXT, .text = "x, y | \"z\" 'w'" },
		{ .name = "empty", .kind = GPMU_TRACE_TEXT },
	};
	struct gpmu_trace_event event = {
		.size = sizeof(event), .track = track, .time = BEGIN + 3000, .name = "", .args = args, .arg_count = 4,
	};
	char longest[16385];

	check(gpmu_trace_instant(trace, &event));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	slice(trace, (struct gpmu_trace_event){ .track = track, .name = longest }, 3000, 1);
	slice(trace, (struct gpmu_trace_event){ .track = track, .category = "no name" }, 3002, 1);
	check(gpmu_trace_count(trace, counter, BEGIN + 3000, INT64_MIN));
	check(gpmu_trace_count(trace, counter, BEGIN + 3001, 0));
	check(gpmu_trace_value(trace, counter, BEGIN + 3002, -0.5));
}

static void make_edge(struct gpmu_trace *trace)
{
	int gpu = known(gpmu_trace_track(trace, 0, "GPU 0: NVIDIA H200 (GPU-0)"));
	int stream = known(gpmu_trace_track(trace, gpu, "9 app: stream 7"));
	int again = known(gpmu_trace_track(trace, gpu, "9 app: stream 7"));
	int main_thread = known(gpmu_trace_thread(trace, 9, 9, NULL));
	int counter = known(gpmu_trace_counter(trace, stream, "deep", "ns"));
	struct gpmu_trace_event event = {
		.size = sizeof(event), .track = main_thread, .time = BEGIN + 5000, .name = "never ends",
	};

	touching(trace, stream);
	slice(trace, (struct gpmu_trace_event){ .track = again, .name = "beside" }, 50, 100);
	chain(trace, main_thread, again);
	limits(trace, stream, counter);
	check(gpmu_trace_begin(trace, &event));
	event.name = "moment";
	for (unsigned int i = 0; i < 3; i++)
		check(gpmu_trace_instant(trace, &event));
	slice(trace, (struct gpmu_trace_event){ .track = main_thread, .name = "after" }, 5000, 5);
	check(gpmu_trace_end(trace, again, BEGIN + 5100));
}

static void make_long(struct gpmu_trace *trace, int fd)
{
	int thread = known(gpmu_trace_thread(trace, 1, 1, "main"));
	int gpu = known(gpmu_trace_track(trace, 0, "GPU 0"));
	int stream = known(gpmu_trace_track(trace, gpu, "stream 7"));
	int counter = known(gpmu_trace_counter(trace, gpu, "bytes", "B"));
	struct gpmu_trace_event event = { 0 };
	char name[32];

	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "kernel %u", i % 97);
		event.name = name;
		event.category = "kernel";
		event.track = stream;
		event.flow = i + 1;
		event.flow_ends = 1;
		slice(trace, event, 1000ULL * i + 500, 400);
		event.track = thread;
		event.name = "launch";
		event.category = "runtime";
		event.flow_ends = 0;
		slice(trace, event, 1000ULL * i, 300);
		check(gpmu_trace_count(trace, counter, BEGIN + 1000ULL * i, i));
		if (i % 100)
			continue;
		check(gpmu_trace_flush(trace, NULL));
		printf("%" PRIdMAX "\n", (intmax_t)lseek(fd, 0, SEEK_CUR));
	}
}

static void describe_gpus(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_gpu gpus[] = {
		{ sizeof(gpus[0]), 0, "H200", "GPU-6f2a1c00-0001-4a00-8000-00000000000a", "0000:01:00.0" },
		{ sizeof(gpus[0]), 1, "H200 MIG 1g", "MIG-7", NULL },
	};

	for (size_t i = 0; i < 2; i++)
		check(gpmu_trace_gpu(trace, &gpus[i]));
}

static void submit(struct gpmu_trace *trace, int thread, unsigned int i)
{
	struct gpmu_trace_event call = { .track = thread, .category = "runtime", .name = "cudaLaunchKernel", .submits = 1000 + i };

	slice(trace, call, 1000ULL * i, 300);
}

/* Work i is on GPU i % 2; each fourth is a copy. Works 2 and 3 follow work 1, of another call. */
static void make_work(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg configuration[] = {
		{ .name = "registers_per_thread", .integer = 32 },
		{ .name = "sm__maximum_warps_per_active_cycle_pct", .kind = GPMU_TRACE_DOUBLE, .real = 62.5 },
	};
	static const struct gpmu_trace_kernel described = {
		.size = sizeof(described), .name = "_Z3addPf", .demangled = "add(float*)", .arch = "sm_90", .args = configuration,
		.arg_count = 2,
	};
	static const struct gpmu_trace_arg bytes[] = {
		{ .name = "bytes", .integer = 4096 }, { .name = "from", .kind = GPMU_TRACE_NAME, .text = "pinned" },
	};
	static const struct gpmu_trace_arg grid[] = { { .name = "grid_size", .integer = 256 } };
	static const struct gpmu_trace_gpu_counter counters[] = {
		{ sizeof(counters[0]), 0, "GpuDramBW", "GB/s", "Bandwidth.", GPMU_TRACE_MEMORY },
		{ sizeof(counters[0]), 1, "sm__cycles_active.avg", "gpc_cycle", NULL, GPMU_TRACE_COMPUTE },
	};
	int thread, kernel, queues[2], tracks[2];

	known(gpmu_trace_process(trace, 100, "app"));
	thread = known(gpmu_trace_thread(trace, 100, 101, "main"));
	describe_gpus(trace);
	kernel = known(gpmu_trace_kernel(trace, &described));
	for (int i = 0; i < 2; i++) {
		queues[i] = known(gpmu_trace_queue(trace, i, known(gpmu_trace_context(trace, 100)), "100 app: stream 7"));
		tracks[i] = known(gpmu_trace_gpu_counter(trace, &counters[i]));
	}
	for (unsigned int i = 0; i < 1000; i++) {
		const bool is_copy = i % 4 == 3;
		const struct gpmu_trace_work work = {
			.size = sizeof(work), .queue = queues[i % 2], .time = BEGIN + 1000ULL * i + 500, .duration = 700,
			.kind = is_copy ? GPMU_TRACE_WORK_COPY : GPMU_TRACE_WORK_KERNEL,
			.name = is_copy ? "memcpy HtoD" : "add(float*)", .id = 1000 + i,
			.after = i == 2 || i == 3 ? 999 + i : 0, .submission = i, .kernel = is_copy ? 0 : kernel,
			.grid = { 256, 1, 1 }, .block = { 128, 1, 1 }, .args = is_copy ? bytes : grid, .arg_count = is_copy ? 2 : 1,
		};

		check(gpmu_trace_work(trace, &work));
		if (i < 2 || i > 3)
			submit(trace, thread, i);
		check(i % 3 ? gpmu_trace_value(trace, tracks[i % 2], BEGIN + 1000ULL * i, i * 0.5) :
			      gpmu_trace_count(trace, tracks[i % 2], BEGIN + 1000ULL * i, i));
	}
}

static void sample_spe(struct gpmu_trace *trace, int thread)
{
	int track = known(gpmu_trace_track(trace, thread, "SPE"));
	static const struct gpmu_spe_record record = {
		.fields = 1 << GPMU_SPE_PC | 1 << GPMU_SPE_PA | 1 << GPMU_SPE_VA | 1 << GPMU_SPE_TOTAL | 1 << GPMU_SPE_ISSUE |
			  1 << GPMU_SPE_TRANSLATION | 1 << GPMU_SPE_EVENTS,
		.value = { [GPMU_SPE_PC] = 0xc000000000401000, [GPMU_SPE_VA] = 0xffff800012340000, [GPMU_SPE_TOTAL] = 513,
			   [GPMU_SPE_TRANSLATION] = 7, [GPMU_SPE_EVENTS] = 0x16 },
	};
	const struct gpmu_trace_spe load = {
		.size = sizeof(load), .track = track, .time = BEGIN + 10, .op = "load", .tier = "DRAM (0xe)",
		.home = "local CPU memory (node 0)", .function = "solve", .object = "/bin/app", .data = "[heap]",
		.cpu = 3, .record = &record,
	};
	const struct gpmu_trace_spe branch = {
		.size = sizeof(branch), .track = track, .time = BEGIN + 20, .op = "branch", .cpu = -1,
	};

	check(gpmu_trace_spe(trace, &load));
	check(gpmu_trace_spe(trace, &branch));
}

/* Sample i is of CPU i % 4, and each tenth is in the kernel. */
static void make_samples(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_frame frames[] = {
		{ "copy_page", "[kernel]", 0xffffffff81000000 }, { "solve", "/bin/app", 0x1234 },
		{ NULL, NULL, 0x99 }, { "main", "/bin/app", 0x1000 },
	};
	int samplers[2], thread;

	known(gpmu_trace_process(trace, 7, "app"));
	thread = known(gpmu_trace_thread(trace, 7, 8, "worker"));
	samplers[0] = known(gpmu_trace_sampler(trace, "cycles"));
	samplers[1] = known(gpmu_trace_sampler(trace, "page-faults"));
	for (unsigned int i = 0; i < 1000; i++) {
		const unsigned int kernel = !(i % 10);
		const struct gpmu_trace_sample sample = {
			.size = sizeof(sample), .sampler = samplers[i % 2], .time = BEGIN + 1000 * i, .cpu = i % 4, .pid = 7,
			.tid = 8, .mode = kernel ? GPMU_TRACE_KERNEL : GPMU_TRACE_USER, .period = 10, .track = thread,
			.frames = frames + !kernel, .frame_count = 4 - !kernel,
		};

		check(gpmu_trace_sample(trace, &sample));
	}
	sample_spe(trace, thread);
}

int main(int argc, char **argv)
{
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = argc == 3 ? argv[2] : "", .restart = 10000,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_trace *trace;
	int fd;

	if (argc != 3)
		return 2;
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	trace = gpmu_trace_new(fd, &options, &error);
	if (fd < 0 || !trace)
		return 2;
	if (!strcmp(argv[1], "gpu"))
		make_gpu(trace);
	else if (!strcmp(argv[1], "edge"))
		make_edge(trace);
	else if (!strcmp(argv[1], "work"))
		make_work(trace);
	else if (!strcmp(argv[1], "samples"))
		make_samples(trace);
	else
		make_long(trace, fd);
	if (gpmu_trace_finish(trace, &error)) {
		fprintf(stderr, "trace-make: %s\n", error.text);
		return 1;
	}
	gpmu_trace_free(trace);
	return close(fd) != 0;
}
