// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The bytes of a trace: as protobuf-c packs them, whole packets after each flush, texts of any
 * bytes, limits, refused events. trace-sql.t tests their meaning.
 */
#include <math.h>
#include <stddef.h>

#include "trace-test.h"
#include "trace/trace.h"

static void everything(struct gpmu_trace *trace)
{
	static const struct gpmu_trace_arg args[] = {
		{ .name = "integer", .integer = -1 },
		{ .name = "real", .kind = GPMU_TRACE_DOUBLE, .real = 0.1 },
		{ .name = "text", .kind = GPMU_TRACE_TEXT, .text = "value" },
		{ .name = "none", .kind = GPMU_TRACE_TEXT },
		{ .name = "integer", .integer = INT64_MIN },
		{ .name = "word", .kind = GPMU_TRACE_NAME, .text = "value" },
		{ .name = "none", .kind = GPMU_TRACE_NAME },
	};
	int process = gpmu_trace_process(trace, 1, "app"), stream = 0;
	int counter = gpmu_trace_counter(trace, process, "counter", "ns");
	struct gpmu_trace_event event = event_on(gpmu_trace_thread(trace, 1, 2, "main"), 1 << 20, "a");

	event.category = "a";
	event.flow = UINT64_MAX;
	gpmu_trace_begin(trace, &event);
	gpmu_trace_end(trace, event.track, event.time + 128);
	event.args = args;
	event.arg_count = 7;
	event.flow_ends = 1;
	/* Track numbers, times and names that take one, two and more bytes */
	for (unsigned int i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		stream = gpmu_trace_track(trace, process, name);
		event.track = stream;
		event.name = name;
		event.time += 1ULL << i % 40;
		gpmu_trace_slice(trace, &event, i);
		gpmu_trace_count(trace, counter, event.time, i % 2 ? -(int64_t)i : i);
		gpmu_trace_value(trace, counter, event.time / 2, i * 0.1);
	}
	gpmu_trace_audit(trace, event.time, "audit", args, 1);
}

static bool has_no_unknown_fields(const GpmuPb__Trace *trace)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		const GpmuPb__TracePacket *packet = trace->packet[i];

		if (packet->base.n_unknown_fields ||
		    (packet->track_event && packet->track_event->base.n_unknown_fields))
			return false;
	}
	return true;
}

static void bytes(void)
{
	struct test_trace t;
	GpmuPb__Trace *read;
	uint8_t *bytes, *packed;
	size_t length;

	test_trace_init(&t, 0, 20000);
	everything(t.trace);
	ok(!gpmu_trace_finish(t.trace, NULL), "trace: a trace of everything is written");
	bytes = test_trace_bytes(&t, &length);
	read = gpmu_pb__trace__unpack(NULL, length, bytes);
	ok(read && read->n_packet > 1200 && has_no_unknown_fields(read),
	   "trace: protobuf-c reads the trace and knows each field");
	packed = malloc(length);
	ok(read && packed && gpmu_pb__trace__get_packed_size(read) == length &&
		   gpmu_pb__trace__pack(read, packed) == length && !memcmp(packed, bytes, length),
	   "trace: protobuf-c packs the same %zu bytes", length);
	ok(stats_of(&t).bytes == length && stats_of(&t).restarts == 4 && stats_of(&t).back > 200 &&
		   stats_of(&t).events == 903,
	   "trace: bytes, events, restarts and times going back are counted");
	gpmu_pb__trace__free_unpacked(read, NULL);
	free(packed);
	free(bytes);
	test_trace_release(&t);
}

static void flushes(void)
{
	struct test_trace t;
	bool is_whole = true;
	size_t before = 1;
	int track;

	test_trace_init(&t, 1000, 0);
	track = gpmu_trace_track(t.trace, 0, "track");
	for (unsigned int i = 0; i < 500; i++) {
		struct gpmu_trace_event event = event_on(track, i, "event");

		gpmu_trace_slice(t.trace, &event, 1);
		if (!(i % 7) && gpmu_trace_flush(t.trace, NULL))
			is_whole = false;
		if (lseek(t.fd, 0, SEEK_END) == 0 || i % 5)
			continue;
		is_whole = is_whole && test_trace_packets(&t) >= before && before < 1000;
		before = test_trace_packets(&t);
	}
	ok(is_whole, "trace: after each flush the file has whole packets");
	gpmu_trace_flush(t.trace, NULL);
	ok(test_trace_packets(&t) == 2 + 1000,
	   "trace: each event is written, names and the track once");
	test_trace_release(&t);
	test_trace_init(&t, 1000, 0);
	track = gpmu_trace_counter(t.trace, 0, "counter", NULL);
	for (unsigned int i = 0; i < 100; i++)
		gpmu_trace_count(t.trace, track, i, i);
	ok(test_trace_packets(&t) > 40,
	   "trace: events beyond the buffer are written without a flush");
	test_trace_release(&t);
}

/* Returns whether the event and its track have the name @want. */
static bool name_is(const char *name, const char *want, size_t length)
{
	struct gpmu_trace_event event;
	struct test_trace t;
	GpmuPb__Trace *read;
	bool is_same = false;

	test_trace_init(&t, 0, 0);
	event = event_on(gpmu_trace_track(t.trace, 0, name), 5, name);
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	if (read && read->n_packet == 4 && read->packet[1]->track_descriptor) {
		const char *track = read->packet[1]->track_descriptor->name;
		const char *text = read->packet[2]->interned_data->event_names[0]->name;

		is_same = strlen(text) == length && !memcmp(text, want, length) &&
			  !strcmp(track, text) && !read->packet[3]->interned_data;
	}
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
	return is_same;
}

#define U "\xef\xbf\xbd"

static void texts(void)
{
	static const struct {
		const char *text, *want, *what;
	} cases[] = {
		{ "", "", "of no bytes" },
		{ "a\x7f\n", "a\x7f\n", "of ASCII characters" },
		{ "\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf", "of two bytes per character" },
		{ "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", "of three bytes per character" },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "of four bytes per character" },
		{ "\x80" "a\xff", U "a" U, "with bytes that begin no character" },
		{ "\xc0\xaf", U U, "with two bytes for a character that needs one" },
		{ "\xe0\x9f\xbf", U U U, "with three bytes for a character that needs two" },
		{ "\xf0\x8f\xbf\xbf", U U U U, "with four bytes for a character that needs three" },
		{ "\xed\xa0\x80", U U U, "with a surrogate" },
		{ "\xf4\x90\x80\x80", U U U U, "beyond U+10FFFF" },
		{ "\xf5", U, "with a byte that UTF-8 never uses" },
		{ "a\xc3", "a" U, "that ends after one of two bytes" },
		{ "\xe2\x82", U U, "that ends after two of three bytes" },
		{ "\xf0\x9f\x98", U U U, "that ends after three of four bytes" },
		{ "\xe2\x28\xa1", U "(" U, "with a wrong second byte" },
		{ "\xe2\x82(", U U "(", "with a wrong third byte" },
	};
	char name[TRACE_NAME_MAX + 8];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(name_is(cases[i].text, cases[i].want, strlen(cases[i].want)),
		   "trace: a text %s is written as UTF-8",
		   cases[i].what);
	memset(name, 'x', sizeof(name));
	name[TRACE_NAME_MAX] = '\0';
	ok(name_is(name, name, TRACE_NAME_MAX), "trace: a name of 16384 bytes is kept");
	name[TRACE_NAME_MAX] = 'x';
	name[TRACE_NAME_MAX + 4] = '\0';
	ok(name_is(name, name, TRACE_NAME_MAX), "trace: a longer name is cut");
	memcpy(name + TRACE_NAME_MAX - 2, "\xe2\x82\xac", 3);
	ok(name_is(name, name, TRACE_NAME_MAX - 2),
	   "trace: a longer name is not cut within a character");
}

/*
 * The argument refers to string @number; the packet defines it as @text, or not at all if @text
 * is NULL.
 */
static bool refers_to(const GpmuPb__TracePacket *packet, uint64_t number, const char *text)
{
	const GpmuPb__DebugAnnotation *arg = packet->track_event->debug_annotations[0];
	const GpmuPb__InternedData *data = packet->interned_data;

	if (arg->string_value || arg->string_value_iid != number)
		return false;
	if (!text)
		return !data || !data->n_debug_annotation_string_values;
	return data && data->n_debug_annotation_string_values == 1 &&
	       data->debug_annotation_string_values[0]->iid == number &&
	       !strcmp(data->debug_annotation_string_values[0]->name, text);
}

static void strings(void)
{
	struct gpmu_trace_arg arg = { .name = "grid", .kind = GPMU_TRACE_NAME, .text = "128x1x1" };
	struct gpmu_trace_event event;
	struct test_trace t;
	GpmuPb__Trace *read;

	test_trace_init(&t, 0, 0);
	event = event_on(gpmu_trace_track(t.trace, 0, "track"), 100, "event");
	event.args = &arg;
	event.arg_count = 1;
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_instant(t.trace, &event);
	arg.text = NULL;
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	ok(read && read->n_packet == 5 && refers_to(read->packet[2], 3, "128x1x1") && refers_to(read->packet[3], 3, NULL),
	   "trace: an interned argument's text is written once");
	ok(read && read->n_packet == 5 && refers_to(read->packet[4], 4, ""),
	   "trace: an interned argument without a text is an empty string");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

static void counts(void)
{
	struct gpmu_trace_stats small = { .size = offsetof(struct gpmu_trace_stats, events) };
	struct gpmu_trace_arg arg = { .name = "a", .kind = GPMU_TRACE_TEXT, .text = "\xff" };
	char *name = calloc(1, TRACE_NAME_MAX + 2);
	struct gpmu_trace_event event;
	struct test_trace t;
	int counter;

	test_trace_init(&t, 0, 0);
	counter = gpmu_trace_counter(t.trace, 0, "counter", "GB/s");
	ok(!gpmu_trace_value(t.trace, counter, 1, NAN) && !gpmu_trace_value(t.trace, counter, 1, INFINITY) &&
		   !gpmu_trace_value(t.trace, counter, 1, -INFINITY) && stats_of(&t).gaps == 3 &&
		   stats_of(&t).events == 0 && stats_of(&t).bytes == 0,
	   "trace: values that are not finite are counted and not written");
	event = event_on(gpmu_trace_track(t.trace, 0, "track"), 100, "\xff");
	event.args = &arg;
	event.arg_count = 1;
	gpmu_trace_instant(t.trace, &event);
	gpmu_trace_instant(t.trace, &event);
	ok(stats_of(&t).mended == 3,
	   "trace: texts with invalid UTF-8 are counted, an interned name once");
	memset(name, 'x', TRACE_NAME_MAX + 1);
	event.name = name;
	gpmu_trace_instant(t.trace, &event);
	ok(stats_of(&t).cut == 1, "trace: a name that is cut is counted");
	event.time = 99;
	gpmu_trace_instant(t.trace, &event);
	event.time = 100;
	gpmu_trace_instant(t.trace, &event);
	ok(stats_of(&t).back == 1 && stats_of(&t).events == 5,
	   "trace: events whose time goes back are counted");
	ok(!gpmu_trace_get_stats(t.trace, &small) && small.bytes && !small.events,
	   "trace: statistics of an older size are filled to their end");
	small.size = 0;
	ok(gpmu_trace_get_stats(t.trace, &small) == -EINVAL,
	   "trace: statistics without a size are refused");
	free(name);
	test_trace_release(&t);
}

/* Perfetto refuses a clock that goes back between two snapshots. */
static void clocks(void)
{
	uint64_t last[TRACE_CLOCK_ENDS + 1] = { 0 };
	bool is_forward = true, is_time_right = true;
	size_t snapshots = 0, events = 0;
	struct test_trace t;
	GpmuPb__Trace *read;
	int counter;

	test_trace_init(&t, 0, 1);
	counter = gpmu_trace_counter(t.trace, 0, "counter", NULL);
	for (unsigned int i = 0; i < 10; i++)
		gpmu_trace_count(t.trace, counter, 1000 - i, 1);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	for (size_t i = 0; read && i < read->n_packet; i++) {
		const GpmuPb__TracePacket *packet = read->packet[i];
		const GpmuPb__ClockSnapshot *all = packet->clock_snapshot;

		snapshots += all != NULL;
		for (size_t k = 0; all && k < all->n_clocks; k++) {
			uint64_t *before = &last[all->clocks[k]->clock_id];

			is_forward = is_forward && all->clocks[k]->timestamp >= *before;
			*before = all->clocks[k]->clock_id == TRACE_CLOCK_REALTIME ? 0 :
				  all->clocks[k]->timestamp;
		}
		if (!packet->track_event)
			continue;
		is_time_right = is_time_right && (events ? packet->timestamp_clock_id == TRACE_CLOCK_RAW &&
						   packet->timestamp == 1000 - events :
					   packet->timestamp == 0);
		events++;
	}
	ok(is_forward && snapshots == 10,
	   "trace: clocks of ten restarts do not go back if the events' times do");
	ok(is_time_right && events == 10, "trace: each event keeps its time over restarts");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

/* More names than the string table keeps */
static void many_names(void)
{
	struct gpmu_trace_event event;
	struct test_trace t;
	char name[1024];
	int ret = 0;

	test_trace_init(&t, 0, UINT64_MAX);
	event = event_on(gpmu_trace_track(t.trace, 0, "track"), 1, name);
	for (unsigned int i = 0; i < TRACE_NAMES_MAX + 10 && !ret; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		ret = gpmu_trace_instant(t.trace, &event);
	}
	ok(!ret && stats_of(&t).restarts == 2 && t.trace->names.count == 10,
	   "trace: more than 65536 names make the trace restart");
	memset(name, 'x', sizeof(name));
	for (unsigned int i = 0; i < 10000 && !ret; i++) {
		snprintf(name + 1000, sizeof(name) - 1000, "%u", i);
		ret = gpmu_trace_instant(t.trace, &event);
	}
	ok(!ret && stats_of(&t).restarts == 3 && t.trace->names.bytes < TRACE_NAMES_BYTES,
	   "trace: more than 16 MiB of names make the trace restart");
	test_trace_release(&t);
}

static void refused(void)
{
	struct gpmu_trace_arg args[33] = { { .name = "a" } };
	struct gpmu_trace_options no_size = { 0 };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_trace_event event;
	struct test_trace t;
	int track, counter, deep;

	ok(!gpmu_trace_new(1, &no_size, &error) && errno == EINVAL && error.text[0],
	   "trace: options without a size are refused");
	gpmu_trace_free(NULL);
	test_trace_init(&t, 0, 0);
	track = deep = gpmu_trace_track(t.trace, 0, "track");
	counter = gpmu_trace_counter(t.trace, track, "counter", NULL);
	ok(gpmu_trace_process(t.trace, 0, "a") == -EINVAL && gpmu_trace_thread(t.trace, 0, 1, "a") == -EINVAL &&
		   gpmu_trace_thread(t.trace, 1, -1, "a") == -EINVAL,
	   "trace: impossible processes and threads are refused");
	ok(gpmu_trace_track(t.trace, counter + 1, "a") == -EINVAL && gpmu_trace_track(t.trace, -1, "a") == -EINVAL &&
		   gpmu_trace_track(t.trace, counter, "a") == -EINVAL && gpmu_trace_counter(t.trace, 0, NULL, "") == -EINVAL,
	   "trace: an unknown parent, a counter as parent and a counter without a name are refused");
	for (int i = 1; i < TRACE_DEPTH_MAX; i++)
		deep = gpmu_trace_track(t.trace, deep, "deeper");
	ok(deep > 0 && gpmu_trace_track(t.trace, deep, "too deep") == -EINVAL,
	   "trace: a track 17 levels deep is refused");
	event = event_on(counter, 1, "a");
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL && gpmu_trace_end(t.trace, counter, 1) == -EINVAL &&
		   gpmu_trace_count(t.trace, track, 1, 1) == -EINVAL && gpmu_trace_value(t.trace, track, 1, NAN) == -EINVAL,
	   "trace: slices on a counter and values on another track are refused");
	event = event_on(track, UINT64_C(1) << 63, "a");
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL && gpmu_trace_count(t.trace, counter, UINT64_MAX, 1) == -EINVAL &&
		   gpmu_trace_value(t.trace, counter, UINT64_MAX, NAN) == -EINVAL,
	   "trace: times from 2^63 on are refused");
	event.time = 1;
	ok(gpmu_trace_slice(t.trace, &event, (UINT64_C(1) << 63) - 1) == -EINVAL &&
		   gpmu_trace_slice(t.trace, &event, UINT64_MAX) == -EINVAL,
	   "trace: a slice that ends at 2^63 or later is refused");
	event.args = args;
	event.arg_count = 33;
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL, "trace: 33 arguments are refused");
	event.arg_count = 2;
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL,
	   "trace: an argument without a name is refused");
	args[1].name = "b";
	args[1].kind = (enum gpmu_trace_arg_kind)7;
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL,
	   "trace: an argument of an unknown kind is refused");
	event.args = NULL;
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL, "trace: arguments at NULL are refused");
	event.size = 4;
	ok(gpmu_trace_begin(t.trace, &event) == -EINVAL,
	   "trace: an event smaller than the first version's is refused");
	ok(stats_of(&t).bytes == 0 && stats_of(&t).events == 0,
	   "trace: refused events write nothing");
	test_trace_release(&t);
}

/* An event of an application built with another gpmu.h */
static void sizes(void)
{
	struct {
		struct gpmu_trace_event event;
		double more;
	} larger;
	struct gpmu_trace_event older;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	larger.event = older = event_on(gpmu_trace_track(t.trace, 0, "track"), 1, "larger");
	larger.event.size = sizeof(larger);
	older.size = offsetof(struct gpmu_trace_event, category);
	older.category = "nothing is read here";
	ok(!gpmu_trace_instant(t.trace, &larger.event) && !gpmu_trace_instant(t.trace, &older) &&
		   t.trace->names.count == 1,
	   "trace: events of a larger and of an older size are accepted");
	test_trace_release(&t);
}

static void same_tracks(void)
{
	struct test_trace t;
	int process, thread;

	test_trace_init(&t, 0, 0);
	process = gpmu_trace_process(t.trace, 5, NULL);
	thread = gpmu_trace_thread(t.trace, 5, 5, "a");
	ok(process > 0 && gpmu_trace_process(t.trace, 5, "b") == process && gpmu_trace_process(t.trace, 6, "b") != process,
	   "trace: a process has one track");
	ok(thread > 0 && thread != process && gpmu_trace_thread(t.trace, 5, 5, NULL) == thread &&
		   gpmu_trace_thread(t.trace, 6, 5, "a") != thread,
	   "trace: a thread of a process has one track");
	thread = gpmu_trace_track(t.trace, 0, "a");
	ok(gpmu_trace_track(t.trace, 0, "a") == thread + 1,
	   "trace: other tracks of one name are different");
	test_trace_release(&t);
}

int main(void)
{
	bytes();
	flushes();
	texts();
	strings();
	counts();
	clocks();
	many_names();
	refused();
	sizes();
	same_tracks();
	return done_testing();
}
