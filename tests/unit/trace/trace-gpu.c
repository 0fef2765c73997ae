// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Work and counters of GPUs: as protobuf-c packs them, read back, refused; and packets by the rules of
 * trace_processor's parser that gpmu_trace does not write. trace-sql.t tests their meaning.
 */
#include <stddef.h>

#include "base/array.h"
#include "trace-test.h"
#include "trace/gpmu_trace_gpu.h"
#include "trace/reader/gpmu_trace_reader.h"

#define UUID	"GPU-6f2a1c00-0001-4a00-8000-00000000000a"

static const struct gpmu_trace_arg kernel_args[] = {
	{ .name = "registers_per_thread", .integer = 32 },
	{ .name = "share", .kind = GPMU_TRACE_DOUBLE, .real = 0.5 },
	{ .name = "cache", .kind = GPMU_TRACE_TEXT, .text = "prefer \xff" },
};
static const struct gpmu_trace_arg launch_args[] = {
	{ .name = "grid_size", .integer = -1 },
	{ .name = "address", .kind = GPMU_TRACE_ADDRESS, .integer = INT64_MIN },
	{ .name = "from", .kind = GPMU_TRACE_NAME, .text = "pinned" },
	{ .name = "none", .kind = GPMU_TRACE_TEXT },
};

struct gpus {
	int queue, kernel, counter;
};

static struct gpus describe(struct gpmu_trace *trace)
{
	const struct gpmu_trace_gpu gpu = { sizeof(gpu), 3, "H200", UUID, "0000:01:00.0" };
	const struct gpmu_trace_kernel kernel = {
		.size = sizeof(kernel), .name = "_Z1kv", .demangled = "k()", .arch = "sm_90", .args = kernel_args, .arg_count = 3,
	};
	const struct gpmu_trace_gpu_counter counter = {
		.size = sizeof(counter), .gpu = 3, .name = "GpuDramBW", .unit = "GB/s", .group = GPMU_TRACE_MEMORY,
	};
	struct gpus gpus;

	gpmu_trace_gpu(trace, &gpu);
	gpus.queue = gpmu_trace_queue(trace, 3, gpmu_trace_context(trace, 7), "7 app: stream 1");
	gpus.kernel = gpmu_trace_kernel(trace, &kernel);
	gpus.counter = gpmu_trace_gpu_counter(trace, &counter);
	return gpus;
}

/* Work @id, whose grid has @id blocks in a row */
static struct gpmu_trace_work work_of(const struct gpus *gpus, uint64_t id, uint64_t time)
{
	return (struct gpmu_trace_work){
		.size = sizeof(struct gpmu_trace_work), .queue = gpus->queue, .time = time, .duration = 5, .name = "k()",
		.id = id, .after = id > 1 ? id - 1 : 0, .submission = (uint32_t)id + 100, .kernel = gpus->kernel,
		.grid = { (uint32_t)id, 2, 1 }, .block = { 128, 1, 3 }, .args = launch_args, .arg_count = 4,
	};
}

/* Returns whether protobuf-c packs the bytes of the trace in the same way, and knows each field. */
static bool packs_same(const struct test_trace *t)
{
	size_t length;
	uint8_t *bytes = test_trace_bytes(t, &length), *packed = malloc(length);
	GpmuPb__Trace *read = gpmu_pb__trace__unpack(NULL, length, bytes);
	bool is_same = read && packed && gpmu_pb__trace__get_packed_size(read) == length &&
		       gpmu_pb__trace__pack(read, packed) == length && !memcmp(packed, bytes, length);

	for (size_t i = 0; read && i < read->n_packet; i++) {
		const GpmuPb__TracePacket *packet = read->packet[i];

		is_same = is_same && !packet->base.n_unknown_fields &&
			  (!packet->gpu_render_stage_event || !packet->gpu_render_stage_event->base.n_unknown_fields);
	}
	gpmu_pb__trace__free_unpacked(read, NULL);
	free(packed);
	free(bytes);
	return is_same;
}

static void bytes(void)
{
	struct gpmu_trace_event call;
	struct test_trace t;
	struct gpus gpus;

	test_trace_init(&t, 0, 5000);
	gpus = describe(t.trace);
	call = event_on(gpmu_trace_thread(t.trace, 7, 7, "main"), 1, "cudaLaunchKernel");
	for (uint64_t i = 1; i < 300; i++) {
		struct gpmu_trace_work work = work_of(&gpus, i << i % 40, i % 7 ? i * 1000 : i * 10);

		work.kind = i % GPMU_TRACE_WORK_KINDS;
		work.kernel = work.kind ? 0 : gpus.kernel;
		call.submits = work.id;
		gpmu_trace_work(t.trace, &work);
		gpmu_trace_instant(t.trace, &call);
		gpmu_trace_value(t.trace, gpus.counter, i * 1000, i * 0.1);
		gpmu_trace_count(t.trace, gpus.counter, i * 1000, -(int64_t)i);
	}
	gpmu_trace_flush(t.trace, NULL);
	ok(stats_of(&t).events == 299 * 4 && stats_of(&t).restarts > 5 && packs_same(&t),
	   "trace: protobuf-c packs work, calls and counters of GPUs to the same bytes, and knows each field");
	test_trace_release(&t);
}

/* --- reading back */

static struct gpmu_trace_reader *reader_of(const struct test_trace *t)
{
	lseek(t->fd, 0, SEEK_SET);
	return gpmu_trace_reader_new(t->fd, "a.pftrace", NULL);
}

static const struct gpmu_trace_item *next_item(struct gpmu_trace_reader *reader)
{
	const struct gpmu_trace_item *item;

	return gpmu_trace_reader_next(reader, &item, NULL) == 1 ? item : NULL;
}

static bool is_arg(const struct gpmu_trace_arg *got, const struct gpmu_trace_arg *want, const char *text)
{
	if (strcmp(got->name, want->name) != 0)
		return false;
	if (text)
		return got->kind == GPMU_TRACE_TEXT && !strcmp(got->text, text);
	return got->integer == want->integer && got->real == want->real;
}

static void is_work(const struct gpmu_trace_item *item, const struct gpmu_trace_work *want, const char *when)
{
	const struct gpmu_trace_work *got = item ? item->work : NULL;
	static const char *const texts[] = { "kernel_name", "kernel_demangled_name", "arch" };

	ok(got && item->kind == GPMU_TRACE_SLICE && item->begin == want->time && item->end == want->time + want->duration &&
		   !strcmp(item->name, "k()") && !strcmp(item->category, "kernel") && item->flow == want->id,
	   "trace reader: work %s has its times, name, kind and id", when);
	ok(got && got->id == want->id && got->after == want->after && got->submission == want->submission &&
		   got->time == want->time && got->duration == want->duration && !memcmp(got->grid, want->grid, sizeof(got->grid)) &&
		   !memcmp(got->block, want->block, sizeof(got->block)),
	   "trace reader: work %s has its order, submission, grid and block", when);
	ok(got && item->arg_count == 16 && !strcmp(item->args[0].name, texts[0]) && !strcmp(item->args[0].text, "_Z1kv") &&
		   !strcmp(item->args[1].name, texts[1]) && !strcmp(item->args[1].text, "k()") &&
		   !strcmp(item->args[2].name, texts[2]) && !strcmp(item->args[2].text, "sm_90") &&
		   is_arg(&item->args[3], &kernel_args[0], NULL) && is_arg(&item->args[4], &kernel_args[1], NULL) &&
		   is_arg(&item->args[5], &kernel_args[2], "prefer \xef\xbf\xbd"),
	   "trace reader: work %s has the arguments of its kernel", when);
	ok(got && item->arg_count == 16 && !strcmp(item->args[6].name, "launch.grid_size.x") &&
		   item->args[6].integer == want->grid[0] && !strcmp(item->args[11].name, "launch.workgroup_size.z") &&
		   item->args[11].integer == 3 && is_arg(&item->args[12], &launch_args[0], NULL) &&
		   is_arg(&item->args[13], &launch_args[1], NULL) && is_arg(&item->args[14], &launch_args[2], "pinned") &&
		   is_arg(&item->args[15], &launch_args[3], ""),
	   "trace reader: work %s has the arguments of its launch", when);
}

static void check_track(struct gpmu_trace_reader *reader, int number, enum gpmu_trace_track_kind kind, const char *name)
{
	const struct gpmu_trace_track_info *info = gpmu_trace_reader_track(reader, number);

	ok(info && info->kind == kind && info->gpu == 3 && !strcmp(info->name, name) && !info->parent,
	   "trace reader: the track %s has its kind and GPU", name);
}

static void read_back(void)
{
	const struct gpmu_trace_item *item;
	struct gpmu_trace_reader *reader;
	const struct gpmu_trace_gpu *gpu;
	struct gpmu_trace_work works[3];
	struct test_trace t;
	struct gpus gpus;

	test_trace_init(&t, 0, 1);	/* restarts before each event */
	gpus = describe(t.trace);
	for (size_t i = 0; i < 3; i++) {
		works[i] = work_of(&gpus, i + 1, 1000 - 100 * i);
		gpmu_trace_work(t.trace, &works[i]);
	}
	gpmu_trace_value(t.trace, gpus.counter, 2000, 0.5);
	gpmu_trace_count(t.trace, gpus.counter, 1500, -3);
	gpmu_trace_flush(t.trace, NULL);
	reader = reader_of(&t);
	for (size_t i = 0; i < 3; i++) {
		static const char *const when[] = { "at first", "that begins earlier", "of a third restart" };

		item = next_item(reader);
		is_work(item, &works[i], when[i]);
		ok(item && item->track == 1, "trace reader: work %s is on the queue's track", when[i]);
	}
	check_track(reader, 1, GPMU_TRACE_TRACK_QUEUE, "7 app: stream 1");
	ok(gpmu_trace_reader_track(reader, 1)->pid == 7, "trace reader: the track of a queue has its process");
	item = next_item(reader);
	ok(item && item->kind == GPMU_TRACE_COUNT && item->begin == 2000 && item->value == 0.5 && item->track == 2,
	   "trace reader: a value of a counter of a GPU is read");
	item = next_item(reader);
	ok(item && item->begin == 1500 && item->value == -3 && item->track == 2 && !next_item(reader),
	   "trace reader: a count that goes back in time is on the same track");
	check_track(reader, 2, GPMU_TRACE_TRACK_COUNTER, "GpuDramBW");
	is_str(gpmu_trace_reader_track(reader, 2)->unit, "GB/s", "trace reader: the unit of a counter of a GPU is read");
	gpu = gpmu_trace_reader_gpu(reader, 3);
	ok(gpu && !strcmp(gpu->name, "H200") && !strcmp(gpu->uuid, UUID) && !strcmp(gpu->address, "0000:01:00.0"),
	   "trace reader: a GPU has its name, UUID and PCI address");
	ok(!gpmu_trace_reader_gpu(reader, 4) && !gpmu_trace_reader_gpu(reader, -1), "trace reader: other GPUs are not described");
	gpmu_trace_reader_free(reader);
	test_trace_release(&t);
}

/* --- refusals */

static int write_with(struct gpmu_trace *trace, struct gpmu_trace_work work, size_t offset, int64_t value, size_t size)
{
	memcpy((char *)&work + offset, &value, size);
	return gpmu_trace_work(trace, &work);
}

static int write_args(struct gpmu_trace *trace, struct gpmu_trace_work work, const struct gpmu_trace_arg *args)
{
	work.args = args;
	return gpmu_trace_work(trace, &work);
}

#define WITH(member, value) write_with(t.trace, work, offsetof(struct gpmu_trace_work, member), value, sizeof(work.member))

static void refusals(void)
{
	const struct gpmu_trace_arg bad = { .name = NULL };
	struct gpmu_trace_gpu gpu = { .size = sizeof(gpu), .number = GPMU_TRACE_GPUS_MAX };
	struct gpmu_trace_gpu_counter counter = { .size = sizeof(counter), .gpu = 0 };
	struct gpmu_trace_kernel kernel = { .size = sizeof(kernel) };
	struct gpmu_trace_work work;
	struct gpmu_trace_event event;
	struct test_trace t;
	struct gpus gpus;

	test_trace_init(&t, 0, 0);
	gpus = describe(t.trace);
	work = work_of(&gpus, 1, 10);
	ok(WITH(size, 4) == -EINVAL && WITH(queue, gpus.counter) == -EINVAL && WITH(queue, 99) == -EINVAL &&
		   WITH(time, INT64_MIN) == -EINVAL && WITH(duration, INT64_MAX) == -EINVAL && WITH(name, 0) == -EINVAL &&
		   WITH(kind, GPMU_TRACE_WORK_KINDS) == -EINVAL && WITH(kernel, 2) == -EINVAL && WITH(kernel, -1) == -EINVAL &&
		   WITH(arg_count, 33) == -EINVAL && write_args(t.trace, work, NULL) == -EINVAL &&
		   write_args(t.trace, work, &bad) == -EINVAL,
	   "trace: work with an impossible member is refused");
	ok(gpmu_trace_gpu(t.trace, &gpu) == -EINVAL && gpmu_trace_context(t.trace, 0) == -EINVAL &&
		   gpmu_trace_queue(t.trace, 0, 2, "q") == -EINVAL && gpmu_trace_queue(t.trace, -1, 1, "q") == -EINVAL &&
		   gpmu_trace_queue(t.trace, 0, 1, NULL) == -EINVAL && gpmu_trace_gpu_counter(t.trace, &counter) == -EINVAL &&
		   gpmu_trace_kernel(t.trace, &kernel) == -EINVAL,
	   "trace: GPUs, contexts, queues, counters and kernels with an impossible member are refused");
	event = event_on(gpus.queue, 10, "a");
	ok(gpmu_trace_instant(t.trace, &event) == -EINVAL && gpmu_trace_value(t.trace, gpus.queue, 10, 1) == -EINVAL &&
		   gpmu_trace_end(t.trace, gpus.queue, 10) == -EINVAL && gpmu_trace_track(t.trace, gpus.queue, "a") == -EINVAL &&
		   gpmu_trace_value(t.trace, gpus.counter, UINT64_MAX, 1) == -EINVAL,
	   "trace: a queue takes work only, and a counter of a GPU no time beyond 2^63");
	is_u64(stats_of(&t).bytes, 0, "trace: nothing is written of what is refused");
	test_trace_release(&t);
}

/* --- packets that gpmu_trace does not write */

static GpmuPb__TracePacket *packet_with(GpmuPb__Trace *trace, bool wants_work)
{
	for (size_t i = 0; i < trace->n_packet; i++)
		if (wants_work ? trace->packet[i]->gpu_render_stage_event != NULL : trace->packet[i]->gpu_counter_event != NULL)
			return trace->packet[i];
	return NULL;
}

enum change {
	NO_ID, NO_QUEUE, UNKNOWN_QUEUE, NEGATIVE_GPU, NO_CONTEXT, UNKNOWN_STAGE, NAME, NAME_IID, UNKNOWN_KERNEL, UNKNOWN_ARG,
	NO_TIME, LATE, UNKNOWN_CLOCK, NO_DESCRIPTOR, UNKNOWN_COUNTER, NO_VALUE, NO_VALUE_TIME,
};

static void change_work(GpmuPb__TracePacket *packet, enum change change)
{
	static char name[] = "own name";
	GpmuPb__GpuRenderStageEvent *work = packet->gpu_render_stage_event;

	switch (change) {
	case NO_ID:
		work->has_event_id = 0;
		break;
	case NO_QUEUE:
		work->has_hw_queue_iid = 0;
		break;
	case UNKNOWN_QUEUE:
		work->hw_queue_iid = 999;
		break;
	case NEGATIVE_GPU:
		work->gpu_id = -1;
		break;
	case NO_CONTEXT:
		work->has_context = 0;
		work->context = 0;
		break;
	case UNKNOWN_STAGE:
		work->stage_iid = 998;
		break;
	case NAME:
		free(work->name);
		work->name = strdup(name);
		break;
	case NAME_IID:
		work->has_name_iid = 1;
		work->name_iid = 77;
		break;
	case UNKNOWN_KERNEL:
		work->kernel_iid = 99;
		break;
	case UNKNOWN_ARG:
		work->launch->args[0]->name_iid = 99;
		break;
	case NO_TIME:
		packet->has_timestamp = 0;
		break;
	case LATE:
		work->duration = UINT64_MAX;
		break;
	case UNKNOWN_CLOCK:
		packet->has_timestamp_clock_id = 1;
		packet->timestamp_clock_id = 3;
		break;
	default:
		break;
	}
}

static void change_value(GpmuPb__TracePacket *packet, enum change change)
{
	GpmuPb__GpuCounterEvent *event = packet->gpu_counter_event;

	if (change == NO_DESCRIPTOR)
		event->counter_descriptor_iid = 99;
	else if (change == UNKNOWN_COUNTER)
		event->counters[0]->counter_id = 5;
	else if (change == NO_VALUE)
		event->counters[0]->has_double_value = 0;
	else
		packet->has_timestamp = 0;
}

/*
 * Reads the changed trace. Returns its number of events, or -errno. *@item: the first event, until the reader is freed
 */
static int read_changed(enum change change, struct gpmu_trace_reader **reader, struct test_trace *t,
			const struct gpmu_trace_item **item)
{
	const struct gpmu_trace_item *next;
	GpmuPb__Trace *trace;
	struct gpmu_trace_work work;
	struct gpus gpus;
	uint8_t *bytes;
	size_t length;
	int ret;

	test_trace_init(t, 0, 0);
	gpus = describe(t->trace);
	work = work_of(&gpus, 1, 1000);
	if (change < NO_DESCRIPTOR)
		gpmu_trace_work(t->trace, &work);
	else
		gpmu_trace_value(t->trace, gpus.counter, 1000, 0.5);
	gpmu_trace_flush(t->trace, NULL);
	trace = test_trace_read(t);
	if (change < NO_DESCRIPTOR)
		change_work(packet_with(trace, true), change);
	else
		change_value(packet_with(trace, false), change);
	length = gpmu_pb__trace__get_packed_size(trace);
	bytes = malloc(length);
	if (!bytes || ftruncate(t->fd, 0) || pwrite(t->fd, bytes, gpmu_pb__trace__pack(trace, bytes), 0) != (ssize_t)length)
		exit(1);
	gpmu_pb__trace__free_unpacked(trace, NULL);
	free(bytes);
	*reader = reader_of(t);
	ret = gpmu_trace_reader_next(*reader, &next, NULL);
	if (ret == 1)
		*item = next;
	return ret;
}

static void changes(void)
{
	static const struct {
		enum change change;
		int ret;
		const char *name;	/* of the event; NULL: none */
		size_t args;
		const char *what;
	} cases[] = {
		{ NO_ID, 0, NULL, 0, "work without an id is no event" },
		{ NO_QUEUE, 0, NULL, 0, "work without a queue is no event" },
		{ UNKNOWN_QUEUE, 0, NULL, 0, "work on a queue that is not in the string table is no event" },
		{ NEGATIVE_GPU, 0, NULL, 0, "work on a negative GPU is no event" },
		{ NO_CONTEXT, 1, "k()", 16, "work without a context is of no process" },
		{ UNKNOWN_STAGE, 1, NULL, 16, "work of an unknown stage has no name" },
		{ NAME, 1, "own name", 16, "the work's own name precedes that of its stage" },
		{ NAME_IID, 1, NULL, 16, "the number of a name precedes the stage, and an unknown one is no name" },
		{ UNKNOWN_KERNEL, 1, "k()", 10, "work of an unknown kernel has the arguments of its launch only" },
		{ UNKNOWN_ARG, 1, "k()", 15, "an argument with an unknown name is left out" },
		{ NO_TIME, 1, "k()", 16, "work without a time has the latest time" },
		{ LATE, -EINVAL, NULL, 0, "work that ends beyond 2^63 is an error" },
		{ UNKNOWN_CLOCK, 0, NULL, 0, "work on another clock is no event" },
		{ NO_DESCRIPTOR, 0, NULL, 0, "a value without a descriptor is no event" },
		{ UNKNOWN_COUNTER, 0, NULL, 0, "a value of a counter that its descriptor lacks is no event" },
		{ NO_VALUE, 0, NULL, 0, "a counter without a value is no event" },
		{ NO_VALUE_TIME, 0, NULL, 0, "a value without a time is no event" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct gpmu_trace_item *item = NULL;
		struct gpmu_trace_reader *reader;
		struct test_trace t;
		int ret = read_changed(cases[i].change, &reader, &t, &item);
		bool is_right = ret == cases[i].ret;

		if (is_right && item)
			is_right = (cases[i].name ? item->name && !strcmp(item->name, cases[i].name) : !item->name) &&
				   item->arg_count == cases[i].args &&
				   gpmu_trace_reader_track(reader, item->track)->pid == (cases[i].change == NO_CONTEXT ? 0 : 7);
		ok(is_right, "trace reader: %s", cases[i].what);
		gpmu_trace_reader_free(reader);
		test_trace_release(&t);
	}
}

int main(void)
{
	bytes();
	read_back();
	refusals();
	changes();
	return done_testing();
}
