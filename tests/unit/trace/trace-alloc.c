// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: the error is ENOMEM, nothing leaks, and a trace that met the
 * failure continues with complete packets.
 */
#include "alloc.h"
#include "trace-test.h"
#include "trace/gpmu_trace_gpu.h"
#include "trace/trace.h"

static struct test_trace t;
static int file_fd;

static int sample(struct gpmu_trace *trace, int sampler)
{
	static const struct gpmu_trace_frame frames[] = { { "a \xff", "b \xff", 1 }, { "c", "d", 2 } };
	struct gpmu_trace_sample sample = {
		.size = sizeof(sample), .sampler = sampler, .frames = frames, .frame_count = 2,
	};

	return gpmu_trace_sample(trace, &sample);
}

/* Work and a value of a counter of a GPU */
static int work(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg args[] = { { .name = "arg \xff", .kind = GPMU_TRACE_TEXT, .text = "\xff" } };
	static const struct gpmu_trace_gpu gpu = { sizeof(gpu), 1, "name \xff", "uuid \xff", "address \xff" };
	static const struct gpmu_trace_gpu_counter described = {
		.size = sizeof(described), .gpu = 1, .name = "counter \xff", .unit = "un\xff", .description = "text \xff",
	};
	static const struct gpmu_trace_kernel kernel = {
		.size = sizeof(kernel), .name = "k \xff", .demangled = "d \xff", .arch = "a \xff", .args = args, .arg_count = 1,
	};
	struct gpmu_trace_work work = { .size = sizeof(work), .name = "work \xff", .id = 1, .args = args, .arg_count = 1 };
	int ret = gpmu_trace_gpu(trace, &gpu), counter;

	counter = ret ? ret : gpmu_trace_gpu_counter(trace, &described);
	ret = counter < 0 ? counter : gpmu_trace_context(trace, 1);
	work.queue = ret < 0 ? ret : gpmu_trace_queue(trace, 1, ret, "queue \xff");
	work.kernel = work.queue < 0 ? work.queue : gpmu_trace_kernel(trace, &kernel);
	ret = work.kernel < 0 ? work.kernel : gpmu_trace_work(trace, &work);
	return ret ? ret : gpmu_trace_count(trace, counter, 20, 1);
}

static int all_of_it(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "text", .kind = GPMU_TRACE_TEXT, .text = "\xff" },
		{ .name = "other \xff", .kind = GPMU_TRACE_TEXT, .text = "\xfe" },
	};
	static const struct gpmu_trace_switch change = {
		.size = sizeof(change), .prev = 1, .prev_name = "prev \xff", .next = 2, .next_name = "next \xff",
	};
	static const struct gpmu_trace_waking waking = { .size = sizeof(waking), .tid = 3, .name = "woken \xff" };
	int process = gpmu_trace_process(trace, 1, "app \xff"), thread, stream, counter, ret;
	struct gpmu_trace_event event;

	thread = process < 0 ? process : gpmu_trace_thread(trace, 1, 1, "main");
	stream = thread < 0 ? thread : gpmu_trace_track(trace, process, "stream");
	counter = stream < 0 ? stream : gpmu_trace_counter(trace, stream, "counter", "un\xff");
	if (counter < 0)
		return counter;
	event = event_on(stream, 10, "slice \xff");
	event.category = "category";
	event.args = args;
	event.arg_count = 2;
	ret = gpmu_trace_slice(trace, &event, 5);
	for (unsigned int i = 0; i < 600 && !ret; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		event.name = name;
		ret = gpmu_trace_slice(trace, &event, 5);
	}
	if (!ret)
		ret = gpmu_trace_count(trace, counter, 20, 1);
	if (!ret)
		ret = work(trace);
	if (!ret)
		ret = gpmu_trace_sched_switch(trace, &change);
	if (!ret)
		ret = gpmu_trace_sched_waking(trace, &waking);
	process = ret ? ret : gpmu_trace_sampler(trace, "event \xff");
	ret = process < 0 ? process : sample(trace, process);
	process = ret ? ret : gpmu_trace_process(trace, 1, "renamed");
	ret = process < 0 ? process : gpmu_trace_thread(trace, 1, 1, "renamed");
	return ret < 0 ? ret : gpmu_trace_finish(trace, NULL);
}

static int whole_life(void)
{
	const struct gpmu_trace_options options = { .size = sizeof(options), .path = "a" };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_trace *trace = gpmu_trace_new(file_fd, &options, &error);
	int ret;

	if (!trace)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	ret = all_of_it(trace);
	gpmu_trace_free(trace);
	return ret;
}

/* Each slice refers to names and tracks that are in the file. */
static bool is_right(const GpmuPb__Trace *trace)
{
	size_t begins = 0, ends = 0, names = 0, tracks = 0;

	for (size_t i = 0; i < trace->n_packet; i++) {
		const GpmuPb__TracePacket *packet = trace->packet[i];
		const GpmuPb__TrackEvent *event = packet->track_event;

		names += packet->interned_data ? packet->interned_data->n_event_names : 0;
		tracks += packet->track_descriptor != NULL;
		if (!event)
			continue;
		begins += event->type == 1;
		ends += event->type == 2;
		if (!tracks || (event->has_name_iid && !names))
			return false;
	}
	return begins == ends && names >= 600;
}

/* A trace meets one failure and is used again. */
static void goes_on(void)
{
	bool is_as_written = true;
	int n, failures = 0;

	for (n = 0; n < 100; n++) {
		GpmuPb__Trace *read;
		int ret;

		test_trace_init(&t, 0, 30000);
		alloc_left = n;
		ret = all_of_it(t.trace);
		failures += alloc_left < 0;
		alloc_left = -1;
		if (ret == -ENOMEM)
			ret = all_of_it(t.trace);
		read = test_trace_read(&t);
		is_as_written = is_as_written && !ret && read && is_right(read);
		gpmu_pb__trace__free_unpacked(read, NULL);
		test_trace_release(&t);
	}
	ok(failures > 30, "trace alloc: more than 30 traces meet a failure, here %d", failures);
	ok(is_as_written, "trace alloc: a trace that met a failure has all later events");
}

/* The string table was reset, and there is no memory for the packet that announces it. */
static void restarts(void)
{
	struct gpmu_trace_event event;
	char name[16] = "";

	test_trace_init(&t, 0, UINT64_MAX);
	event = event_on(gpmu_trace_track(t.trace, 0, "track"), 1, name);
	for (unsigned int i = 0; i < TRACE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		gpmu_trace_instant(t.trace, &event);
	}
	gpmu_trace_flush(t.trace, NULL);
	t.trace->out.room = 0;
	alloc_left = 0;
	ok(gpmu_trace_instant(t.trace, &event) == -ENOMEM && stats_of(&t).restarts == 1,
	   "trace alloc: a restart without memory is ENOMEM");
	alloc_left = -1;
	ok(!gpmu_trace_instant(t.trace, &event) && stats_of(&t).restarts == 2,
	   "trace alloc: the next event makes up for a failed restart");
	test_trace_release(&t);
}

int main(void)
{
	FILE *file = fopen("/dev/null", "w");

	if (!file)
		return 1;
	file_fd = fileno(file);
	alloc_fail_each(whole_life, 30, "trace: writing one of each packet");
	goes_on();
	restarts();
	fclose(file);
	return done_testing();
}
