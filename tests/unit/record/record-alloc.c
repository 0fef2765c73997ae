// SPDX-License-Identifier: LGPL-2.1-or-later
/* Allocations fail while records become a timeline: only the affected records are lost. */
#include <fcntl.h>
#include <unistd.h>

#include "alloc.h"
#include "record/queue/record_queue.h"
#include "record/tracks/record_map.h"

struct text_record {
	union {
		struct activity_head head;
		struct activity_name name;
		struct activity_process process;
		struct activity_device device;
		struct activity_note note;
	};
	char text[32];
};

static int failed;	/* records refused */
static bool is_odd;	/* with an error other than -ENOMEM */

static void see(int ret)
{
	failed += ret < 0;
	is_odd = is_odd || (ret < 0 && ret != -ENOMEM);
}

static void early(struct record_map *map, const void *record)
{
	see(record_map_early(map, 0, record));
}

static void event(struct record_map *map, const void *record)
{
	see(record_map_event(map, 0, record));
}

#define HEAD(type, which)	{ .size = sizeof(struct type), .kind = (which) }

static void describe(struct record_map *map)
{
	struct text_record type = { .process = { .head = { .kind = ACTIVITY_PROCESS }, .pid = 5 } };
	struct text_record name = { .name = { .head = { .kind = ACTIVITY_NAME }, .id = 1 } };
	struct text_record device = { .device = { .head = { .kind = ACTIVITY_DEVICE }, .uuid = "GPU-1" } };
	struct text_record note = { .note = { .head = { .kind = ACTIVITY_NOTE }, .time = 1 } };
	const struct activity_context context = { HEAD(activity_context, ACTIVITY_CONTEXT), .context = 1 };

	memcpy(type.process.text, "app", 4);
	/* libstdc++ allocates the demangled name, which is not counted here. */
	memcpy(name.name.text, "kernel", 7);
	memcpy(device.device.text, "H200", 5);
	memcpy(note.note.text, "note", 5);
	early(map, &type);
	early(map, &name);
	early(map, &device);
	early(map, &context);
	early(map, &note);
}

static void happen(struct record_map *map)
{
	const struct activity_call call = { HEAD(activity_call, ACTIVITY_RUNTIME), .begin = 10, .end = 20,
					    .thread = 6, .correlation = 1, .name = 1 };
	const struct activity_work work = { HEAD(activity_kernel, ACTIVITY_KERNEL), .begin = 30, .end = 40,
					    .context = 1, .stream = 7, .correlation = 1 };
	const struct activity_kernel kernel = { .work = work, .name = 1,
						.grid = { UINT32_MAX, UINT32_MAX, UINT32_MAX } };
	struct activity_kernel over = kernel;
	struct activity_marker marker = { HEAD(activity_marker, ACTIVITY_MARKER), .time = 50, .id = 1,
					  .thread = 6, .name = 1 };
	const struct activity_memory memory = { HEAD(activity_memory, ACTIVITY_MEMORY), .time = 60,
						.address = 1, .bytes = 8, .memory = ACTIVITY_MEMORY_DEVICE, .source = 1 };
	const struct activity_memory trim = { HEAD(activity_memory, ACTIVITY_MEMORY), .time = 61, .address = 2, .pool = 2,
					      .operation = ACTIVITY_MEMORY_POOL_TRIMMED, .reserved = 8, .used = 4 };
	const struct activity_memory destroy = { HEAD(activity_memory, ACTIVITY_MEMORY), .time = 62, .address = 2, .pool = 2,
						 .operation = ACTIVITY_MEMORY_POOL_DESTROYED };
	const struct activity_sync sync = { HEAD(activity_sync, ACTIVITY_SYNC), .begin = 70, .end = 80,
					    .context = 1 };
	const struct activity_overhead overhead = { HEAD(activity_overhead, ACTIVITY_OVERHEAD),
						    .begin = 90, .end = 100, .name = 1 };
	const struct activity_unified unified = { HEAD(activity_unified, ACTIVITY_UNIFIED), .begin = 90,
						  .end = 95, .name = 1 };
	const struct activity_host_memory host = { HEAD(activity_host_memory, ACTIVITY_HOST_MEMORY), .time = 60, .address = 1,
						   .bytes = 8, .event = ACTIVITY_HOST_ON_NODE };
	const struct activity_module module = { HEAD(activity_module, ACTIVITY_MODULE), .begin = 96, .end = 98,
						.bytes = 1, .thread = 6, .what = 1, .path = 1 };
	const struct activity_openacc openacc = { HEAD(activity_openacc, ACTIVITY_OPENACC), .begin = 98, .end = 99, .bytes = 1,
						  .thread = 6, .file = 1, .function = 1, .subject = 1 };
	struct activity_node node = { HEAD(activity_node, ACTIVITY_NODE), .begin = 56, .end = 56, .node = 1, .thread = 6 };

	over.work.begin = 35;
	event(map, &call);
	event(map, &kernel);
	event(map, &over);
	event(map, &marker);
	marker.time = 55;
	marker.thread = 7;
	marker.marker = ACTIVITY_MARKER_END;
	event(map, &marker);
	marker.id = 2;
	marker.marker = ACTIVITY_MARKER_BEGIN;
	event(map, &marker);
	event(map, &node);
	node.original = 1;
	node.node = 2;
	event(map, &node);
	event(map, &memory);
	event(map, &trim);
	event(map, &destroy);
	event(map, &sync);
	event(map, &overhead);
	event(map, &unified);
	event(map, &host);
	event(map, &module);
	event(map, &openacc);
}

static void count(struct record_map *map)
{
	struct {
		struct record_counter_head head;
		char texts[32];
	} counter = { .head = { .has_unit = 1 }, .texts = "name\0unit\0node 0" },
	  of_gpu = { .head = { .has_unit = 1, .has_gpu = 1 }, .texts = "nvidia_gpu/a.b__c/\0x\0GPU-1\0text" };
	const struct record_value there = { .counted = 1, .value = 1, .share = 1 }, gap = { .share = 1 };

	see(record_map_counter(map, &counter.head));
	see(record_map_counter(map, &of_gpu.head));
	see(record_map_value(map, (struct record_span){ 1, 2 }, &there));
	see(record_map_value(map, (struct record_span){ 2, 3 }, &gap));
}

static void schedule(struct record_map *map)
{
	const struct record_task tasks[] = {
		{ .change = RECORD_TASK_EXECUTES, .pid = 5, .tid = 5, .comm = "app" },
		{ .change = RECORD_TASK_FORKED, .pid = 5, .tid = 8, .parent = 5 },
		{ .change = RECORD_TASK_RUNS, .pid = 5, .tid = 8 },
		{ .change = RECORD_TASK_WAITS, .pid = 5, .tid = 8 },
		{ .change = RECORD_TASK_ENDS, .pid = 5, .tid = 8 },
	};

	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		see(record_map_task(map, 10 + i, (struct record_span){ 1, 0 }, &tasks[i]));
}

/* Returns the number of refused records. */
static int run(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct gpmu_trace *trace = gpmu_trace_new(fd, NULL, NULL);
	struct record_map map;

	failed = 0;
	if (trace) {
		record_map_init(&map, trace, NULL);
		see(record_map_process(&map));
		if (!failed) {
			describe(&map);
			happen(&map);
			count(&map);
			schedule(&map);
			see(record_map_end(&map));
		}
		record_map_release(&map);
	}
	gpmu_trace_free(trace);
	close(fd);
	return failed;
}

/* A queue that was refused is released as any other. */
static int make_queue(void)
{
	struct record_queue queue;
	int ret = record_queue_init(&queue, 4096);

	record_queue_release(&queue);
	record_queue_release(&queue);
	return ret;
}

/* A buffer that cannot grow drops records, and has its room again when they are taken. */
static void full_queue(void)
{
	static const char data[64 << 10];
	struct record record = { .type = 3 };
	struct record_queue queue;
	const char *records;
	uint64_t dropped, count;

	record_queue_init(&queue, 2 * RECORD_QUEUE_MIN);
	do
		alloc_left = 0;
	while (record_queue_put(&queue, &record, data, sizeof(data)));
	alloc_left = 0;
	ok(!record_queue_has_room(&queue, sizeof(data)),
	   "record queue: a buffer without memory to grow has no room");
	count = record_queue_count(&queue, &dropped);
	ok(dropped == 1 && record_queue_take(&queue, &records) > count * sizeof(data),
	   "record queue: a record that finds no memory is counted as dropped, and the others are kept");
	alloc_left = -1;
	ok(record_queue_put(&queue, &record, data, sizeof(data)),
	   "record queue: a record is accepted after a buffer could not grow");
	record_queue_release(&queue);
}

int main(void)
{
	bool is_freed = true;
	long held;
	int n, some = 0;

	ok(run() == 0 && !is_odd, "record map: no record is refused while memory suffices");
	held = alloc_held;
	for (n = 0; n < ALLOC_MAX; n++) {
		alloc_left = n;
		some += run() > 0;
		if (alloc_left >= 0)
			break;
		is_freed = is_freed && alloc_held == held;
	}
	alloc_left = -1;
	ok(n > 60 && some > n / 2,
	   "record map: each of %d allocations fails, and most failures lose a record", n);
	ok(!is_odd, "record map: the only error of a failed allocation is ENOMEM");
	ok(is_freed && alloc_held == held, "record map: failed allocations leak no memory");
	ok(run() == 0, "record map: no record is refused after the failures");
	alloc_fail_each(make_queue, 2, "record queue");
	full_queue();
	return done_testing();
}
