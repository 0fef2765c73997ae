// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Traces are read as they were written: events, tracks and times; from a pipe, from a restart
 * on, with a cut last packet. The error for other files has the offset and what was expected.
 */
#include "trace-test.h"
#include "trace/reader/gpmu_trace_reader.h"
#include "trace/reader/trace_reader.h"

/* Copies the file from @from to @to, or to its end. */
static int part_of(const struct test_trace *t, size_t from, size_t to, FILE **file)
{
	size_t length;
	uint8_t *bytes = test_trace_bytes(t, &length);

	*file = tmpfile();
	if (to > length)
		to = length;
	if (!*file || fwrite(bytes + from, 1, to - from, *file) != to - from || fflush(*file))
		printf("Bail out! no file\n");
	free(bytes);
	rewind(*file);
	return fileno(*file);
}

static int file_of(const void *bytes, size_t length, FILE **file)
{
	*file = tmpfile();
	if (!*file || fwrite(bytes, 1, length, *file) != length || fflush(*file))
		printf("Bail out! no file\n");
	rewind(*file);
	return fileno(*file);
}

static struct gpmu_trace_reader_stats stats_after(const struct gpmu_trace_reader *reader)
{
	struct gpmu_trace_reader_stats stats = { .size = sizeof(stats) };

	gpmu_trace_reader_get_stats(reader, &stats);
	return stats;
}

/* Counts all events of a file; returns the reader's result. */
static int count_items(int fd, uint64_t kinds[4], struct gpmu_trace_reader_stats *stats,
		       struct gpmu_error *error)
{
	struct gpmu_trace_reader *reader = gpmu_trace_reader_new(fd, "a.pftrace", error);
	const struct gpmu_trace_item *item;
	int ret;

	memset(kinds, 0, 4 * sizeof(*kinds));
	while ((ret = gpmu_trace_reader_next(reader, &item, error)) == 1)
		kinds[item->kind]++;
	*stats = stats_after(reader);
	gpmu_trace_reader_free(reader);
	return ret;
}

/* Writes a process, a thread, and a GPU with a stream and a counter. */
static void write_all(struct test_trace *t)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "bytes", .integer = -4096 },
		{ .name = "share", .kind = GPMU_TRACE_DOUBLE, .real = 0.25 },
		{ .name = "grid", .kind = GPMU_TRACE_TEXT, .text = "1x2x3" },
		{ .name = "block", .kind = GPMU_TRACE_NAME, .text = "4x5x6" },
	};
	struct gpmu_trace *trace = t->trace;
	int process = gpmu_trace_process(trace, 100, "app"), thread = gpmu_trace_thread(trace, 100, 101, "main");
	int gpu = gpmu_trace_track(trace, 0, "GPU 0"), stream = gpmu_trace_track(trace, gpu, "stream");
	int counter = gpmu_trace_counter(trace, gpu, "GpuDramBW", "GB/s");
	struct gpmu_trace_event event = event_on(stream, 1000, "kernel");

	event.category = "kernel";
	event.flow = 7;
	event.args = args;
	event.arg_count = 4;
	gpmu_trace_slice(trace, &event, 500);
	gpmu_trace_value(trace, counter, 900, 1.5);
	gpmu_trace_count(trace, counter, 2000, 42);
	event = event_on(thread, 100, "outer");
	gpmu_trace_begin(trace, &event);
	event = event_on(thread, 200, "inner");
	gpmu_trace_begin(trace, &event);
	gpmu_trace_end(trace, thread, 300);
	gpmu_trace_end(trace, thread, 400);
	event = event_on(process, 450, "moment");
	gpmu_trace_instant(trace, &event);
	gpmu_trace_flush(trace, NULL);
}

static void check_kernel(struct gpmu_trace_reader *reader, const struct gpmu_trace_item *item)
{
	const struct gpmu_trace_track_info *track = gpmu_trace_reader_track(reader, item->track);
	int gpu;

	is_str(item->name, "kernel", "trace reader: a slice has its name");
	is_str(item->category, "kernel", "trace reader: a slice has its category");
	ok(item->begin == 1000 && item->end == 1500 && !item->is_open,
	   "trace reader: a slice has its begin and end");
	is_u64(item->flow, 7, "trace reader: a slice has its flow number");
	ok(item->arg_count == 4 && item->args[0].kind == GPMU_TRACE_INT && item->args[0].integer == -4096 &&
	   !strcmp(item->args[0].name, "bytes"), "trace reader: a slice has its integer argument");
	ok(item->arg_count == 4 && item->args[1].kind == GPMU_TRACE_DOUBLE && item->args[1].real == 0.25,
	   "trace reader: a slice has its real argument");
	ok(item->arg_count == 4 && item->args[2].kind == GPMU_TRACE_TEXT &&
	   !strcmp(item->args[2].text, "1x2x3"), "trace reader: a slice has its text argument");
	ok(item->arg_count == 4 && item->args[3].kind == GPMU_TRACE_TEXT &&
	   !strcmp(item->args[3].text, "4x5x6"),
	   "trace reader: a slice has its interned text argument");
	is_str(track->name, "stream", "trace reader: a slice is on its stream");
	gpu = track->parent;
	track = gpmu_trace_reader_track(reader, gpu);
	is_str(track->name, "GPU 0", "trace reader: the stream's parent is the GPU");
	ok(!track->parent && track->kind == GPMU_TRACE_TRACK_PLAIN,
	   "trace reader: the GPU's track has no parent");
	ok(!gpmu_trace_reader_track(reader, 0) && !gpmu_trace_reader_track(reader, 1000),
	   "trace reader: other numbers are no tracks");
}

static void check_rest(struct gpmu_trace_reader *reader)
{
	const struct gpmu_trace_track_info *track;
	const struct gpmu_trace_item *item = NULL;

	gpmu_trace_reader_next(reader, &item, NULL);
	track = gpmu_trace_reader_track(reader, item->track);
	ok(item->kind == GPMU_TRACE_COUNT && item->begin == 900 && item->value == 1.5,
	   "trace reader: a counter's value may be earlier than the slice before");
	ok(track->kind == GPMU_TRACE_TRACK_COUNTER && !strcmp(track->name, "GpuDramBW") &&
	   !strcmp(track->unit, "GB/s"), "trace reader: a counter has its name and unit");
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(item->value == 42 && item->begin == 2000,
	   "trace reader: a counter may have an integer value");
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(!strcmp(item->name, "inner") && item->begin == 200 && item->end == 300,
	   "trace reader: the inner slice comes first, as it ends first");
	track = gpmu_trace_reader_track(reader, item->track);
	ok(track->kind == GPMU_TRACE_TRACK_THREAD && track->pid == 100 && track->tid == 101 &&
	   !strcmp(track->name, "main"),
	   "trace reader: a thread's track has its name, pid and tid");
	track = gpmu_trace_reader_track(reader, track->parent);
	ok(track->kind == GPMU_TRACE_TRACK_PROCESS && track->pid == 100 && !strcmp(track->name, "app"),
	   "trace reader: the thread's parent is the process");
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(!strcmp(item->name, "outer") && item->begin == 100 && item->end == 400,
	   "trace reader: the outer slice comes after the inner one");
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(item->kind == GPMU_TRACE_INSTANT && item->begin == 450 && item->end == 450,
	   "trace reader: an instant has one time");
	is_u64((uint64_t)gpmu_trace_reader_next(reader, &item, NULL), 0,
	       "trace reader: there are no further events");
	is_u64(stats_after(reader).others, 0, "trace reader: all packets are of our writer");
}

static void test_all(void)
{
	const struct gpmu_trace_item *item = NULL;
	struct gpmu_trace_reader *reader;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	write_all(&t);
	lseek(t.fd, 0, SEEK_SET);
	reader = gpmu_trace_reader_new(t.fd, "a.pftrace", NULL);
	if (ok(gpmu_trace_reader_next(reader, &item, NULL) == 1,
	       "trace reader: the first event is read")) {
		check_kernel(reader, item);
		check_rest(reader);
	}
	gpmu_trace_reader_free(reader);
	test_trace_release(&t);
	gpmu_trace_reader_free(NULL);
}

/* Writes 2,000 slices and values with a restart every 2 KiB. */
static void write_many(struct test_trace *t)
{
	int gpu = gpmu_trace_track(t->trace, 0, "GPU 0"), counter = gpmu_trace_counter(t->trace, gpu, "c", "B");
	char name[16];

	for (unsigned int i = 0; i < 2000; i++) {
		struct gpmu_trace_event event = event_on(gpu, 1000 + i * 10, name);

		snprintf(name, sizeof(name), "n%u", i % 50);
		gpmu_trace_slice(t->trace, &event, 5);
		gpmu_trace_count(t->trace, counter, 1000 + i * 10, i);
	}
	gpmu_trace_flush(t->trace, NULL);
}

/* Returns the offset of the packet of a restart, computed from protobuf-c's reading of the file. */
static size_t restart_offset(const struct test_trace *t, unsigned int which)
{
	GpmuPb__Trace *trace = test_trace_read(t);
	size_t offset = 0;

	for (size_t i = 0; i < trace->n_packet; i++) {
		size_t length = gpmu_pb__trace_packet__get_packed_size(trace->packet[i]);

		if (trace->packet[i]->clock_snapshot && !which--)
			break;
		offset += length + (length < 128 ? 2 : 3);
	}
	gpmu_pb__trace__free_unpacked(trace, NULL);
	return offset;
}

static void test_restarts(void)
{
	struct gpmu_trace_reader_stats stats;
	struct test_trace t;
	uint64_t kinds[4], all;
	size_t from;
	FILE *file;
	int fd;

	test_trace_init(&t, 0, 2048);
	write_many(&t);
	lseek(t.fd, 0, SEEK_SET);
	ok(!count_items(t.fd, kinds, &stats, NULL) && kinds[GPMU_TRACE_SLICE] == 2000 &&
	   kinds[GPMU_TRACE_COUNT] == 2000,
	   "trace reader: a trace with restarts is read, each event once");
	ok(stats.restarts > 10 && stats.restarts == stats_of(&t).restarts,
	   "trace reader: all restarts are counted");
	is_u64(stats.bytes, stats_of(&t).bytes, "trace reader: all bytes are counted");
	all = stats.restarts;
	from = restart_offset(&t, 5);
	fd = part_of(&t, from, SIZE_MAX, &file);
	ok(!count_items(fd, kinds, &stats, NULL) && stats.restarts == all - 5 && !stats.early &&
	   kinds[GPMU_TRACE_SLICE] > 1000 && kinds[GPMU_TRACE_SLICE] < 2000,
	   "trace reader: a trace without its first five restarts is read from the sixth on");
	fclose(file);
	test_trace_release(&t);
}

/* The first packet is missing, which all events up to the second restart need. */
static void test_front(void)
{
	struct gpmu_trace_reader_stats stats;
	GpmuPb__Trace *trace;
	struct test_trace t;
	uint64_t kinds[4];
	size_t length;
	FILE *file;
	int fd;

	test_trace_init(&t, 0, 2048);
	write_many(&t);
	trace = test_trace_read(&t);
	length = gpmu_pb__trace_packet__get_packed_size(trace->packet[0]);
	gpmu_pb__trace__free_unpacked(trace, NULL);
	fd = part_of(&t, length + (length < 128 ? 2 : 3), SIZE_MAX, &file);
	ok(!count_items(fd, kinds, &stats, NULL) && stats.early > 20 && kinds[GPMU_TRACE_SLICE] > 1800,
	   "trace reader: without the first packet, events up to the next restart are left out and "
	   "counted");
	fclose(file);
	test_trace_release(&t);
}

static void test_cut(void)
{
	struct gpmu_trace_reader_stats stats;
	bool is_quiet = true, is_growing = true;
	uint64_t kinds[4], last = 0;
	struct test_trace t;
	size_t length;

	test_trace_init(&t, 0, 0);
	write_all(&t);
	free(test_trace_bytes(&t, &length));
	for (size_t n = 0; n <= length; n++) {
		uint64_t sum;
		FILE *file;
		int fd = part_of(&t, 0, n, &file);

		is_quiet = is_quiet && !count_items(fd, kinds, &stats, NULL) && stats.bytes + stats.cut == n;
		sum = kinds[0] + kinds[1] + kinds[2];
		is_growing = is_growing && sum >= last;
		last = sum;
		fclose(file);
	}
	ok(is_quiet,
	   "trace reader: a file cut at any byte is read, and the bytes of no packet are counted");
	ok(is_growing && last == 6, "trace reader: a cut file has all events of its whole packets");
	test_trace_release(&t);
}

static void test_open(void)
{
	struct gpmu_trace_reader *reader;
	const struct gpmu_trace_item *item = NULL;
	struct gpmu_trace_event event;
	struct test_trace t;
	int track;

	test_trace_init(&t, 0, 0);
	track = gpmu_trace_track(t.trace, 0, "t");
	event = event_on(track, 10, "outer");
	gpmu_trace_begin(t.trace, &event);
	event = event_on(track, 50, "inner");
	gpmu_trace_begin(t.trace, &event);
	gpmu_trace_end(t.trace, track, 40);
	gpmu_trace_end(t.trace, track, 5);
	event = event_on(track, 70, "last");
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_flush(t.trace, NULL);
	lseek(t.fd, 0, SEEK_SET);
	reader = gpmu_trace_reader_new(t.fd, NULL, NULL);
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(item && !strcmp(item->name, "outer") && item->end == 40,
	   "trace reader: an end belongs to a slice that began before it");
	gpmu_trace_reader_next(reader, &item, NULL);
	gpmu_trace_reader_next(reader, &item, NULL);
	ok(item && !strcmp(item->name, "inner") && item->is_open && item->begin == 50 && item->end == 70,
	   "trace reader: a slice without an end ends with the trace");
	ok(gpmu_trace_reader_next(reader, &item, NULL) == 0,
	   "trace reader: an open slice comes once");
	ok(stats_after(reader).unmatched == 1 && stats_after(reader).open == 1,
	   "trace reader: unmatched ends and open slices are counted");
	gpmu_trace_reader_free(reader);
	test_trace_release(&t);
}

static void test_corrupt(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *text, *what;
	} cases[] = {
		{ "\x00\x01", 2, "a.pftrace:0: expected a packet of a trace", "a field number of 0" },
		{ "\x0c", 1, "a.pftrace:0: expected a packet of a trace", "a wire type that proto2 lacks" },
		{ "not a trace", 11, "a.pftrace:0: expected a packet of a trace", "a text file" },
		{ "\x10\x01\x0a\x02\x0f\x0f", 6,
		  "a.pftrace:2: expected a packet of a trace, found 2 other bytes",
		  "a packet of random bytes" },
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "a.pftrace:0: expected the length of a packet",
		  "a length of 2^64 - 1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpmu_trace_reader_stats stats;
		struct gpmu_error error = { .size = sizeof(error) };
		uint64_t kinds[4];
		FILE *file;
		int ret = count_items(file_of(cases[i].bytes, cases[i].length, &file), kinds, &stats, &error);

		ok(ret == -EINVAL, "trace reader: %s is refused", cases[i].what);
		is_str(error.text, cases[i].text,
		       "trace reader: the error has the offset and what was expected");
		fclose(file);
	}
}

/* Packets of another writer: alone in a file, and after a trace */
static void test_others(void)
{
	static const char other[] = "\x0a\x04\x10\x01\x50\x09" "\x12\x03" "abc";
	struct gpmu_trace_reader_stats stats;
	char large[64] = "\x0a\xff\xff\xff\xff\x0f", both[4096];
	uint64_t kinds[4];
	struct test_trace t;
	uint8_t *bytes;
	size_t length;
	FILE *file;
	int fd;

	fd = file_of(other, sizeof(other) - 1, &file);
	ok(!count_items(fd, kinds, &stats, NULL) && stats.others == 2 && !stats.restarts,
	   "trace reader: packets of other writers are skipped and counted");
	fclose(file);
	test_trace_init(&t, 0, 0);
	write_all(&t);
	bytes = test_trace_bytes(&t, &length);
	length = length < 4000 ? length : 4000;
	memcpy(both, bytes, length);
	memcpy(both + length, other, sizeof(other) - 1);
	fd = file_of(both, length + sizeof(other) - 1, &file);
	ok(!count_items(fd, kinds, &stats, NULL) && stats.others == 2 && kinds[GPMU_TRACE_SLICE] == 3,
	   "trace reader: packets of other writers after a trace are skipped");
	fclose(file);
	fd = file_of(large, sizeof(large), &file);
	ok(!count_items(fd, kinds, &stats, NULL) && stats.cut == sizeof(large),
	   "trace reader: a length of 4 GiB in a short file allocates nothing and is cut");
	fclose(file);
	free(bytes);
	test_trace_release(&t);
}

static void test_switch(void)
{
	const struct gpmu_trace_switch first = {
		.size = sizeof(first), .cpu = 3, .time = 100, .next = 7, .prev_prio = 120, .next_prio = 110,
		.next_name = "app",
	};
	const struct gpmu_trace_switch then = {
		.size = sizeof(then), .cpu = 3, .time = 200, .prev = 7, .prev_state = 256, .next_name = "app",
	};
	const struct gpmu_trace_item *item = NULL;
	struct gpmu_trace_reader *reader;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	gpmu_trace_sched_switch(t.trace, &first);
	gpmu_trace_sched_switch(t.trace, &then);
	gpmu_trace_flush(t.trace, NULL);
	lseek(t.fd, 0, SEEK_SET);
	reader = gpmu_trace_reader_new(t.fd, NULL, NULL);
	ok(gpmu_trace_reader_next(reader, &item, NULL) == 1 && item->kind == GPMU_TRACE_SWITCH && !item->track &&
	   item->begin == 100 && item->end == 100 && item->change->cpu == 3 && item->change->time == 100 &&
	   !item->change->prev && item->change->next == 7 && item->change->next_prio == 110,
	   "trace reader: a switch has its CPU, time, threads and priorities");
	is_str(item->change->next_name, "app", "trace reader: a switch has the name of a new thread");
	ok(gpmu_trace_reader_next(reader, &item, NULL) == 1 && item->change->prev == 7 &&
	   item->change->prev_state == 256 && !item->change->next && !item->change->next_name,
	   "trace reader: a switch has the state of the thread that stops");
	ok(!gpmu_trace_reader_next(reader, &item, NULL) && !stats_after(reader).others,
	   "trace reader: switches are no packets of other writers");
	gpmu_trace_reader_free(reader);
	test_trace_release(&t);
}

static void test_samples(void)
{
	const struct gpmu_trace_frame frames[] = { { "leaf", "a", 1 }, { NULL, NULL, 2 }, { "main", "a", 3 } };
	const char *events[] = { "cycles", "cache-misses" }, *stacks[] = { "main;[unknown];leaf", "main;[unknown]" };
	struct gpmu_trace_sample sample = { .size = sizeof(sample), .cpu = 1, .tid = 7, .pid = 7 };
	const struct gpmu_trace_item *item = NULL;
	struct gpmu_trace_reader *reader;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	for (size_t i = 0; i < 2; i++) {
		sample.sampler = gpmu_trace_sampler(t.trace, events[i]);
		sample.time = i + 1;
		sample.frames = frames + i;
		sample.frame_count = 3 - i;
		gpmu_trace_sample(t.trace, &sample);
	}
	sample.frame_count = 0;
	gpmu_trace_sample(t.trace, &sample);
	gpmu_trace_flush(t.trace, NULL);
	lseek(t.fd, 0, SEEK_SET);
	reader = gpmu_trace_reader_new(t.fd, NULL, NULL);
	for (size_t i = 0; i < 2; i++) {
		ok(gpmu_trace_reader_next(reader, &item, NULL) == 1 && item->kind == GPMU_TRACE_STACK && item->begin == i + 1,
		   "trace reader: a sample of %s has its time", events[i]);
		is_str(item->category, events[i], "trace reader: a sample has its event");
		is_u64(item->tid, 7, "trace reader: a sample has its thread");
		is_str(item->name, stacks[i], "trace reader: a sample has the functions in the table of its event");
	}
	ok(gpmu_trace_reader_next(reader, &item, NULL) == 1 && !item->name, "trace reader: a sample can have no call stack");
	ok(!gpmu_trace_reader_next(reader, &item, NULL) && !stats_after(reader).others,
	   "trace reader: samples are no packets of other writers");
	gpmu_trace_reader_free(reader);
	test_trace_release(&t);
}

static void test_pipe(void)
{
	struct gpmu_trace_reader_stats stats;
	uint64_t kinds[4];
	struct test_trace t;
	uint8_t *bytes;
	size_t length;
	int fds[2];

	test_trace_init(&t, 0, 0);
	write_all(&t);
	bytes = test_trace_bytes(&t, &length);
	if (pipe(fds) || write(fds[1], bytes, length) != (ssize_t)length)
		printf("Bail out! no pipe\n");
	close(fds[1]);
	ok(!count_items(fds[0], kinds, &stats, NULL) && kinds[GPMU_TRACE_SLICE] == 3,
	   "trace reader: a trace is read from a pipe");
	close(fds[0]);
	ok(count_items(-1, kinds, &stats, NULL) == -EBADF,
	   "trace reader: an error of read() is returned");
	free(bytes);
	test_trace_release(&t);
}

int main(void)
{
	test_all();
	test_restarts();
	test_front();
	test_cut();
	test_open();
	test_corrupt();
	test_others();
	test_samples();
	test_pipe();
	test_switch();
	return done_testing();
}
