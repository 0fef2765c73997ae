// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation of the reader and of a report fails in turn: the error is ENOMEM, and nothing
 * leaks.
 */
#include "alloc.h"
#include "trace-test.h"
#include "report/gpmu_report.h"
#include "trace/gpmu_trace_gpu.h"
#include "trace/reader/gpmu_trace_reader.h"

static struct test_trace t;

/* Work and a counter of a GPU, in a trace with restarts */
static void write_work(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg args[] = { { .name = "registers", .integer = 1 } };
	static const struct gpmu_trace_gpu gpu = { sizeof(gpu), 0, "X", "GPU-1", "0000:01:00.0" };
	static const struct gpmu_trace_gpu_counter described = { .size = sizeof(described), .name = "GpuDramBW", .unit = "x" };
	static const struct gpmu_trace_kernel kernel = { .size = sizeof(kernel), .name = "k", .args = args, .arg_count = 1 };
	struct gpmu_trace_work work = { .size = sizeof(work), .duration = 50, .name = "k", .args = args, .arg_count = 1 };
	int counter;

	gpmu_trace_gpu(trace, &gpu);
	work.queue = gpmu_trace_queue(trace, 0, gpmu_trace_context(trace, 1), "1 app: stream 9");
	work.kernel = gpmu_trace_kernel(trace, &kernel);
	counter = gpmu_trace_gpu_counter(trace, &described);
	for (unsigned int i = 0; i < 40; i++) {
		work.id = i + 1;
		work.time = 1000 + i * 100;
		gpmu_trace_work(trace, &work);
		gpmu_trace_count(trace, counter, 1000 + i * 100, i);
	}
}

/* Events for each table of a report, in a trace with restarts */
static void write_all(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg bytes[] = {
		{ .name = "bytes", .integer = 4096 },
		{ .name = "from", .kind = GPMU_TRACE_TEXT, .text = "pinned" },
		{ .name = "to", .kind = GPMU_TRACE_TEXT, .text = "device" },
	};
	static const struct gpmu_trace_arg facts[] = {
		{ .name = "counter", .kind = GPMU_TRACE_TEXT, .text = "GpuC2cRxBW" },
		{ .name = "of", .kind = GPMU_TRACE_TEXT, .text = "GPU-1" },
		{ .name = "kind", .kind = GPMU_TRACE_TEXT, .text = "total" },
	};
	static const char *const categories[] = { "kernel", "memcpy", "graph" };
	int gpu = gpmu_trace_track(trace, 0, "GPU 0: X (GPU-1)"), thread, stream, counter;
	struct gpmu_trace_event event;

	gpmu_trace_process(trace, 1, "app");
	thread = gpmu_trace_thread(trace, 1, 1, "main");
	stream = gpmu_trace_track(trace, gpu, "1 app: stream 7");
	counter = gpmu_trace_counter(trace, gpu, "GpuC2cRxBW", "GB/s");
	for (unsigned int i = 0; i < 40; i++) {
		event = event_on(stream, 1000 + i * 100, "memcpy HtoD");
		event.category = categories[i % 3];
		event.args = bytes;
		event.arg_count = 3;
		gpmu_trace_slice(trace, &event, 50);
		event = event_on(thread, 1000 + i * 100, "cudaMalloc");
		event.category = i % 2 ? "runtime" : "nvtx";
		gpmu_trace_begin(trace, &event);
		gpmu_trace_end(trace, thread, 1050 + i * 100);
		event = event_on(thread, 1000 + i * 100, "stream");
		event.category = i % 2 ? "sync" : "gap";
		event.args = facts;
		event.arg_count = 2;
		gpmu_trace_slice(trace, &event, 10);
		gpmu_trace_count(trace, counter, 1000 + i * 100, i);
	}
	gpmu_trace_audit(trace, 1, "gpmu", bytes, 3);
	gpmu_trace_audit(trace, 1, "counters", bytes, 3);
	gpmu_trace_audit(trace, 1, "counters", facts, 3);
	event = event_on(stream, 6000, "open");
	gpmu_trace_begin(trace, &event);
	gpmu_trace_flush(trace, NULL);
}

static int read_all(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_trace_item *item;
	struct gpmu_trace_reader *reader;
	int ret;

	lseek(t.fd, 0, SEEK_SET);
	reader = gpmu_trace_reader_new(t.fd, "a", &error);
	if (!reader)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	do
		ret = gpmu_trace_reader_next(reader, &item, &error);
	while (ret == 1);
	gpmu_trace_reader_free(reader);
	return ret && strcmp(error.text, "out of memory") != 0 ? 1 : ret;
}

static int report_all(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_report *report;
	int ret;

	lseek(t.fd, 0, SEEK_SET);
	report = gpmu_report_new(NULL, &error);
	if (!report)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	ret = gpmu_report_add(report, t.fd, "a", &error);
	if (!ret) {
		lseek(t.fd, 0, SEEK_SET);
		ret = gpmu_report_add(report, t.fd, "b", &error);
	}
	if (!ret)
		ret = gpmu_report_make(report, &error);
	gpmu_report_free(report);
	return ret && strcmp(error.text, "out of memory") != 0 ? 1 : ret;
}

int main(void)
{
	test_trace_init(&t, 0, 2048);
	write_work(t.trace);
	write_all(t.trace);
	alloc_fail_each(read_all, 100, "trace reader: reading a trace");
	alloc_fail_each(report_all, 500, "report: reading and making one");
	test_trace_release(&t);
	return done_testing();
}
