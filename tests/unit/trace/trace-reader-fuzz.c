// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace with random damage: bits, field numbers, pieces missing or repeated. The fuzzer's
 * target makes the checks and ends the program if one fails.
 */
#include "damage.h"
#include "trace-test.h"
#include "trace/gpmu_trace_gpu.h"

static const char *const tokens[] = {
	"\x0a", "\x5a\x02\x48\x02", "\x48\x01", "\x48\x04", "\xff\xff\xff\xff\x7f", "\x12", "\x6a", "\x7f",
	"\x58\x01", "\x50\x01", "kernel", "memcpy", "nvtx", "\xaa\x03", "\xa2\x03", "\xc2\x3e", "\xca\x3e", "\x82\x08", "\x98\x01",
};

/* Work and values of a GPU that another track describes, too */
static void write_work(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "bytes", .integer = 4096 }, { .name = "from", .kind = GPMU_TRACE_NAME, .text = "pinned" },
	};
	static const struct gpmu_trace_gpu gpu = { sizeof(gpu), 0, "X", "GPU-6f2a1c00-0001-4a00-8000-00000000000a", "0000:01:00.0" };
	static const struct gpmu_trace_gpu_counter described = { .size = sizeof(described), .name = "GpuC2cTxBW", .unit = "GB/s" };
	static const struct gpmu_trace_kernel kernel = { .size = sizeof(kernel), .name = "k", .args = args, .arg_count = 2 };
	struct gpmu_trace_work work = { .size = sizeof(work), .duration = 5, .name = "k", .args = args, .arg_count = 2 };
	int counter;

	gpmu_trace_gpu(trace, &gpu);
	work.queue = gpmu_trace_queue(trace, 0, gpmu_trace_context(trace, 1), "1 app: stream 9");
	counter = gpmu_trace_gpu_counter(trace, &described);
	work.kernel = gpmu_trace_kernel(trace, &kernel);
	for (unsigned int i = 0; i < 8; i++) {
		work.id = i + 1;
		work.after = i;
		work.time = 1000 + i * 10;
		work.kind = i % GPMU_TRACE_WORK_KINDS;
		gpmu_trace_work(trace, &work);
		gpmu_trace_value(trace, counter, work.time, i);
	}
}

static size_t make_seed(char *seed)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "bytes", .integer = 4096 }, { .name = "share", .kind = GPMU_TRACE_DOUBLE, .real = 0.5 },
	};
	static const char *const categories[] = {
		"kernel", "memcpy", "memset", "graph", "runtime", "driver", "nvtx", "sync", "gap", "unified",
	};
	struct test_trace t;
	int gpu, stream, counter, thread;
	uint8_t *bytes;
	size_t length;

	test_trace_init(&t, 0, 1024);
	gpu = gpmu_trace_track(t.trace, 0, "GPU 0: X (GPU-1)");
	stream = gpmu_trace_track(t.trace, gpu, "1 app: stream 7");
	counter = gpmu_trace_counter(t.trace, gpu, "GpuC2cRxBW", "GB/s");
	gpmu_trace_process(t.trace, 1, "app");
	thread = gpmu_trace_thread(t.trace, 1, 1, "main");
	write_work(t.trace);
	for (unsigned int i = 0; i < 20; i++) {
		struct gpmu_trace_event event = event_on(i % 10 < 4 ? stream : thread, 1000 + i * 10, "memcpy HtoD");

		event.category = categories[i % 10];
		event.args = args;
		event.arg_count = i % 3 ? 2 : 0;
		gpmu_trace_slice(t.trace, &event, 5);
		gpmu_trace_value(t.trace, counter, 1000 + i * 10, i);
	}
	gpmu_trace_audit(t.trace, 1, "gpmu", args, 2);
	gpmu_trace_flush(t.trace, NULL);
	bytes = test_trace_bytes(&t, &length);
	length = length < DAMAGE_MAX / 2 ? length : DAMAGE_MAX / 2;
	memcpy(seed, bytes, length);
	free(bytes);
	test_trace_release(&t);
	return length;
}

int main(void)
{
	char seed[DAMAGE_MAX], text[DAMAGE_MAX];
	size_t length = make_seed(seed);

	ok(length > 1000, "trace reader: the sample trace has more than 1000 bytes");
	for (int i = 0; i < 20000; i++) {
		size_t n;

		memcpy(text, seed, length);
		n = damage(text, length, sizeof(text), tokens, DAMAGE_LENGTH(tokens), 4);
		LLVMFuzzerTestOneInput((const uint8_t *)text, n);
	}
	ok(true, "trace reader: 20000 damaged traces are read or refused");
	return done_testing();
}
