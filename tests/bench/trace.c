// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trace: time and bytes per event, beside protobuf-c packing the same packets. Slices of four streams overlap and have
 * 1,000 names; a counter has a value per microsecond. Work and values of counters of a GPU are compared with slices and
 * values with the same content.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "trace.pb-c.h"
#include "trace/gpmu_trace_gpu.h"

#define EVENTS		1000000
#define NAMES		1000
#define STREAMS		4
#define ROUNDS		5
#define GOAL_NS		1000.0	/* a million events per second on one core */
#define GOAL_BYTES	40.0
#define GOAL_GPU	1.1	/* of the former format */

enum { SLICES, VALUES, KERNEL_SLICES, WORK, GPU_VALUES, RUNS };

static char names[NAMES][64];
static uint64_t sizes[RUNS];	/* bytes of each run */

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void check(int ret)
{
	if (ret < 0)
		exit(2);
}

static void slices(struct gpmu_trace *trace, const int *streams, int counter)
{
	struct gpmu_trace_event event = { .size = sizeof(event), .category = "kernel" };

	(void)counter;
	for (unsigned int i = 0; i < EVENTS; i++) {
		event.track = streams[i % STREAMS];
		event.time = 1000000000 + i * 1000ULL;
		event.name = names[(i * 7919ULL) % NAMES];
		check(gpmu_trace_slice(trace, &event, 2000 + i % 1500));
	}
}

static void values(struct gpmu_trace *trace, const int *streams, int counter)
{
	(void)streams;
	for (unsigned int i = 0; i < EVENTS; i++)
		check(gpmu_trace_value(trace, counter, 1000000000 + i * 1000ULL, i * 0.1));
}

/* Kernels as slices, with arguments and arrows */
static void kernel_slices(struct gpmu_trace *trace, const int *streams, int counter)
{
	struct gpmu_trace_arg args[] = {
		{ .name = "correlation" }, { .name = "grid", .kind = GPMU_TRACE_NAME, .text = "128x1x1" },
		{ .name = "block", .kind = GPMU_TRACE_NAME, .text = "256x1x1" }, { .name = "registers", .integer = 64 },
		{ .name = "shared", .integer = 49152 },
	};
	struct gpmu_trace_event event = {
		.size = sizeof(event), .category = "kernel", .flow_ends = 1, .args = args, .arg_count = 5,
	};

	(void)counter;
	for (unsigned int i = 0; i < EVENTS; i++) {
		event.track = streams[i % STREAMS];
		event.time = 1000000000 + i * 1000ULL;
		event.name = names[(i * 7919ULL) % NAMES];
		event.flow = 1ULL << 32 | i;
		args[0].integer = i;
		check(gpmu_trace_slice(trace, &event, 2000 + i % 1500));
	}
}

/* Kernels as work of a GPU */
static void works(struct gpmu_trace *trace, const int *streams, int counter)
{
	static const struct gpmu_trace_arg args[] = { { .name = "grid_size", .integer = 128 } };
	struct gpmu_trace_work work = {
		.size = sizeof(work), .grid = { 128, 1, 1 }, .block = { 256, 1, 1 }, .args = args, .arg_count = 1,
	};
	int queues[STREAMS], kernels[NAMES];

	(void)streams;
	(void)counter;
	for (int i = 0; i < STREAMS; i++)
		queues[i] = gpmu_trace_queue(trace, 0, gpmu_trace_context(trace, 1), "stream");
	for (int i = 0; i < NAMES; i++) {
		const struct gpmu_trace_kernel kernel = { .size = sizeof(kernel), .name = names[i], .demangled = names[i] };

		kernels[i] = gpmu_trace_kernel(trace, &kernel);
	}
	for (unsigned int i = 0; i < EVENTS; i++) {
		work.queue = queues[i % STREAMS];
		work.time = 1000000000 + i * 1000ULL;
		work.duration = 2000 + i % 1500;
		work.name = names[(i * 7919ULL) % NAMES];
		work.kernel = kernels[(i * 7919ULL) % NAMES];
		work.id = 1ULL << 32 | i;
		work.submission = i;
		check(gpmu_trace_work(trace, &work));
	}
}

static void gpu_values(struct gpmu_trace *trace, const int *streams, int counter)
{
	const struct gpmu_trace_gpu_counter described = { .size = sizeof(described), .name = "DRAM read", .unit = "B" };

	(void)counter;
	values(trace, streams, gpmu_trace_gpu_counter(trace, &described));
}

static double measure(int which)
{
	static void (*const runs[RUNS])(struct gpmu_trace *, const int *, int) = {
		[SLICES] = slices, [VALUES] = values, [KERNEL_SLICES] = kernel_slices, [WORK] = works, [GPU_VALUES] = gpu_values,
	};
	struct gpmu_trace_stats stats = { .size = sizeof(stats) };
	int streams[STREAMS], fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct gpmu_trace *trace = gpmu_trace_new(fd, NULL, NULL);
	double begin;
	int gpu;

	if (!trace)
		exit(2);
	gpu = gpmu_trace_track(trace, 0, "GPU 0");
	for (int i = 0; i < STREAMS; i++)
		streams[i] = gpmu_trace_track(trace, gpu, "stream");
	begin = cpu_ns();
	runs[which](trace, streams, gpmu_trace_counter(trace, gpu, "DRAM read", "B"));
	check(gpmu_trace_flush(trace, NULL));
	begin = cpu_ns() - begin;
	gpmu_trace_get_stats(trace, &stats);
	sizes[which] = stats.bytes;
	gpmu_trace_free(trace);
	close(fd);
	return begin / EVENTS;
}

/* A packet packed by protobuf-c from existing structures */
static size_t pack(uint8_t *out, GpmuPb__Trace *file, GpmuPb__TrackEvent *event, uint64_t time)
{
	GpmuPb__TracePacket *packet = file->packet[0];

	packet->timestamp = time;
	packet->has_timestamp = packet->has_trusted_packet_sequence_id = 1;
	packet->has_sequence_flags = 1;
	packet->trusted_packet_sequence_id = 1;
	packet->sequence_flags = 2;
	packet->track_event = event;
	return gpmu_pb__trace__pack(file, out);
}

static double measure_pack(int which)
{
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT, *packets[] = { &packet };
	GpmuPb__TrackEvent event = GPMU_PB__TRACK_EVENT__INIT;
	GpmuPb__Trace file = GPMU_PB__TRACE__INIT;
	uint64_t category = 1, total = 0;
	static uint8_t out[4096];
	double begin = cpu_ns();

	file.n_packet = 1;
	file.packet = packets;
	event.has_type = event.has_track_uuid = 1;
	event.category_iids = &category;
	for (unsigned int i = 0; i < EVENTS; i++) {
		event.track_uuid = 2 + i % STREAMS;
		event.type = which ? 4 : 1;
		event.has_name_iid = event.n_category_iids = !which;
		event.name_iid = i % NAMES;
		event.has_double_counter_value = which;
		event.double_counter_value = i * 0.1;
		total += pack(out, &file, &event, 1000);
		if (which)
			continue;
		event.type = 2;
		event.has_name_iid = event.n_category_iids = 0;
		total += pack(out, &file, &event, 1000);
	}
	begin = cpu_ns() - begin;
	return total ? begin / EVENTS : INFINITY;
}

/* Rows of work or values of a GPU, beside those of the former format */
static void compare(const char *what, int which, int former)
{
	double best = INFINITY, other = INFINITY;
	char text[80], ours[24], theirs[24];

	for (int i = 0; i < ROUNDS; i++) {
		best = fmin(best, measure(which));
		other = fmin(other, measure(former));
	}
	snprintf(text, sizeof(text), "trace: %s of a GPU, beside the former format", what);
	snprintf(ours, sizeof(ours), "%.0f ns", best);
	snprintf(theirs, sizeof(theirs), "%.0f ns", other);
	bench_row(text, ours, theirs, best / other, GOAL_GPU);
	snprintf(text, sizeof(text), "trace: bytes of %s of a GPU, likewise", what);
	snprintf(ours, sizeof(ours), "%.1f", (double)sizes[which] / EVENTS);
	snprintf(theirs, sizeof(theirs), "%.1f", (double)sizes[former] / EVENTS);
	bench_row(text, ours, theirs, (double)sizes[which] / (double)sizes[former], GOAL_GPU);
}

int main(void)
{
	static const char *const what[] = { "a slice", "a counter's value" };
	char text[80], ours[24], theirs[24];

	for (unsigned int i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "void gemm_kernel_%u<float, 128, 64>(float const*)",
			 i);
	for (int which = 0; which < 2; which++) {
		double best = INFINITY, packed = INFINITY;

		/* The best of several rounds, as the machine may have other load */
		for (int i = 0; i < ROUNDS; i++) {
			best = fmin(best, measure(which));
			packed = fmin(packed, measure_pack(which));
		}
		snprintf(text, sizeof(text), "trace: %s beside protobuf-c's packing", what[which]);
		snprintf(ours, sizeof(ours), "%.0f ns", best);
		snprintf(theirs, sizeof(theirs), "%.0f ns", packed);
		bench_row(text, ours, theirs, best / packed, 0);
		snprintf(text, sizeof(text), "trace: %s, beside a microsecond", what[which]);
		bench_row(text, ours, "1000 ns", best / GOAL_NS, 1);
		snprintf(text, sizeof(text), "trace: bytes of %s", what[which]);
		snprintf(ours, sizeof(ours), "%.1f", (double)sizes[which] / EVENTS);
		bench_row(text, ours, "40", (double)sizes[which] / EVENTS / GOAL_BYTES, 1);
	}
	compare("a kernel", WORK, KERNEL_SLICES);
	compare("a value", GPU_VALUES, VALUES);
	return 0;
}
