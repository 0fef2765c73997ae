// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records which task runs on which CPU, for all tasks, by the tracepoint sched:sched_switch. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/trace_format.h"
#include "machine/sysfs.h"
#include "record/sched/record_sched.h"

#define FORMAT_SIZE	8192	/* bytes of a buffer; the format of Linux 7.3 has less than 2 KiB */
#define OFFSET_MAX	512	/* bytes of a record */

static const char *const formats[] = {
	"/sys/kernel/tracing/events/sched/sched_switch/format",
	"/sys/kernel/debug/tracing/events/sched/sched_switch/format",
};

enum {
	PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, FIELDS
};

static const char *const fields[FIELDS] = {
	"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio",
};

_Static_assert(FIELDS == RECORD_SCHED_FIELDS, "fields of the tracepoint");

/* --- format of the tracepoint's records --- */

static void take_field(struct record_sched *sched, const struct trace_field *field)
{
	for (int i = 0; i < FIELDS; i++) {
		if (strcmp(fields[i], field->name) != 0)
			continue;
		sched->fields[i].offset = field->offset;
		sched->fields[i].size = field->size;
	}
}

static int read_format(struct record_sched *sched, uint64_t *id, const char *path)
{
	struct trace_format format;
	struct trace_field field;
	char text[FORMAT_SIZE];
	ssize_t length = sysfs_read(AT_FDCWD, path, text, sizeof(text));
	int ret = length < 0 ? (int)length : trace_format_begin(&format, text);

	if (ret)
		return ret;
	while ((ret = trace_format_next(&format, &field)) > 0)
		take_field(sched, &field);
	for (int i = 0; i < FIELDS && !ret; i++)
		if (!sched->fields[i].size || sched->fields[i].offset > OFFSET_MAX)
			ret = -EINVAL;
	*id = format.id;
	return ret;
}

static int read_tracepoint(struct record_sched *sched, uint64_t *id, struct gpmu_error *error)
{
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(formats) && ret == -ENOENT; i++)
		ret = read_format(sched, id, formats[i]);
	if (ret == -ENOENT)
		error_set(error, 0, "scheduling of the whole machine requires tracepoints: "
			  "mount -t tracefs tracefs /sys/kernel/tracing");
	else if (ret == -EACCES)
		error_set(error, 0, "scheduling of the whole machine requires root, or CAP_PERFMON "
			  "and permission to read /sys/kernel/tracing");
	else if (ret)
		error_set(error, 0, "scheduling of the whole machine requires the format of "
			  "sched_switch in /sys/kernel/tracing: %s", error_text(-ret));
	return ret;
}

/* --- records --- */

static int64_t number_of(const struct record_sched *sched, int field, const char *raw, size_t size)
{
	size_t length = sched->fields[field].size, offset = sched->fields[field].offset;
	int64_t large = 0;
	int32_t small = 0;

	if (offset + length > size)
		return 0;
	if (length == sizeof(large)) {
		memcpy(&large, raw + offset, sizeof(large));
		return large;
	}
	if (length == sizeof(small))
		memcpy(&small, raw + offset, sizeof(small));
	return small;
}

/* Returns the tid of a thread; 0: idle. */
static int32_t tid_of(const struct record_sched *sched, int field, const char *raw, size_t size)
{
	const int32_t tid = (int32_t)number_of(sched, field, raw, size);

	return tid > 0 ? tid + sched->shift : tid;
}

static void text_of(const struct record_sched *sched, int field, const char *raw, size_t size,
		    char text[16])
{
	size_t length = sched->fields[field].size, offset = sched->fields[field].offset;

	memset(text, 0, 16);
	if (offset + length <= size)
		memcpy(text, raw + offset, length < 15 ? length : 15);
}

/* Parses PERF_RECORD_SAMPLE: the time, the size of the tracepoint's data, the data. false: it is malformed */
static bool put_sample(const struct record_sched *sched, const struct record_ring *ring,
		       const char *data, size_t size)
{
	struct record_switch change = { .cpu = (uint32_t)ring->cpu };
	uint32_t length;
	uint64_t time;

	if (size < sizeof(time) + sizeof(length))
		return false;
	memcpy(&time, data, sizeof(time));
	memcpy(&length, data + sizeof(time), sizeof(length));
	data += sizeof(time) + sizeof(length);
	size -= sizeof(time) + sizeof(length);
	if (length < size)
		size = length;
	change.prev_pid = tid_of(sched, PREV_PID, data, size);
	change.next_pid = tid_of(sched, NEXT_PID, data, size);
	change.prev_prio = (int32_t)number_of(sched, PREV_PRIO, data, size);
	change.next_prio = (int32_t)number_of(sched, NEXT_PRIO, data, size);
	change.prev_state = number_of(sched, PREV_STATE, data, size);
	text_of(sched, PREV_COMM, data, size, change.prev_comm);
	text_of(sched, NEXT_COMM, data, size, change.next_comm);
	if (record_window_has(sched->reader.window, time))
		record_queue_put_at(sched->reader.queue, RECORD_SWITCH, time, &change, sizeof(change));
	return true;
}

static bool take(void *user, const struct record_ring *ring, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	return header->type != PERF_RECORD_SAMPLE || put_sample(user, ring, data, size);
}

int record_tracepoint_event(struct record_sched *sched, struct perf_event_attr *attr,
			    struct gpmu_error *error)
{
	uint64_t id = 0;
	int ret = read_tracepoint(sched, &id, error);

	if (ret)
		return ret;
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	};
	sched->take = take;
	return 0;
}
