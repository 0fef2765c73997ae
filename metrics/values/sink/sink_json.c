// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON, one object per line: first the keys of perf stat -j, then gpmu's. */
#include <math.h>

#include "base/gpmu_json.h"
#include "values/sink/sink.h"

/* --- text at @to, which has room for it; each function returns the end --- */

static char *add_bytes(char *to, const char *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* Inline, because the compiler then knows the length of most texts */
static inline char *add(char *to, const char *text)
{
	return add_bytes(to, text, strlen(text));
}

static char *add_number(char *to, int number)
{
	return number < 0 ? add(to, "null") : to + number_int(to, number);
}

static char *add_double(char *to, double value)
{
	return isfinite(value) ? to + number_shortest(to, value) : add(to, "null");
}

static char *add_u64(char *to, bool is_known, uint64_t value)
{
	return is_known ? to + number_u64(to, value) : add(to, "null");
}

static char *add_seconds(char *to, uint64_t ns)
{
	return to + number_seconds(to, ns);
}

/* The key of a label in perf; NULL: rows have none */
static const char *label_key(enum gpmu_aggregation aggregation)
{
	static const char *const keys[] = {
		[GPMU_AGGREGATE_NODE] = "\"node\" : ", [GPMU_AGGREGATE_CPU] = "\"cpu\" : ",
		[GPMU_AGGREGATE_SOCKET] = "\"socket\" : ", [GPMU_AGGREGATE_DIE] = "\"die\" : ",
		[GPMU_AGGREGATE_CORE] = "\"core\" : ", [GPMU_AGGREGATE_THREAD] = "\"thread\" : ",
	};

	return keys[aggregation];
}

/* perf's keys before the value. A row without a label, such as one of the machine, has no key. */
static char *add_label(char *to, const struct gpmu_sink *sink, const struct gpmu_row *row)
{
	const enum gpmu_aggregation aggregation = sink->options.aggregation;
	char label[SINK_LABEL];
	const char *number;
	bool is_cpu = aggregation == GPMU_AGGREGATE_CPU;

	if (sink->options.interval)
		to = add(add_seconds(add(to, "\"interval\" : "), row->time_end), ", ");
	if (aggregation == GPMU_AGGREGATE_MACHINE || row->scope == GPMU_SCOPE_GPU ||
	    !sink_label(row, aggregation, label, sizeof(label)))
		return to;
	/* A node whose first CPU is not known has the label N<n>. */
	number = is_cpu && !strncmp(label, "CPU", strlen("CPU")) ? label + strlen("CPU") : label;
	to = gpmu_json_add(add(to, label_key(aggregation)), number);
	if (!is_cpu && aggregation != GPMU_AGGREGATE_THREAD)
		to = add_u64(add(to, ", \"aggregate-number\" : "), true, row->counters);
	return add(to, ", ");
}

/* perf's key after the event */
static char *add_cgroup(char *to, const struct gpmu_sink *sink, const struct gpmu_row *row)
{
	if (!sink->options.cgroups)
		return to;
	to = gpmu_json_add(add(to, "\"cgroup\" : "), row->cgroup ? row->cgroup : "");
	return add(to, ", ");
}

static char *add_count(char *to, const struct gpmu_sink *sink, const struct gpmu_row *row)
{
	to = add(to, "\"counter-value\" : \"");
	to += sink_perf_value(to, row, 6);
	to = gpmu_json_add(add(to, "\", \"unit\" : "), row->unit ? row->unit : "");
	to = gpmu_json_add(add(to, ", \"event\" : "), row->name);
	to = add_cgroup(add(to, ", "), sink, row);
	if (sink->options.runs > 1) {
		to = add(to, "\"variance\" : ");
		to += number_fixed(to, sink_variance(row), 2, false);
		to = add(to, ", ");
	}
	to = add_u64(add(to, "\"event-runtime\" : "), true, sink_perf_running(row));
	to = add(to, ", \"pcnt-running\" : ");
	to += number_fixed(to, sink_perf_share(row), 2, false);
	return add(to, ", ");
}

/* perf's keys after the count. "nan" is perf's word for a metric without a value. */
static char *add_beside(char *to, const struct gpmu_row *row, const struct sink_beside *beside)
{
	to = add(to, "\"metric-value\" : \"");
	if (isfinite(beside->value))
		to += number_fixed(to, beside->value, 6, false);
	else
		to = add(to, row->metric ? "nan" : "0.000000");
	return gpmu_json_add(add(to, "\", \"metric-unit\" : "), beside->unit);
}

static char *add_place(char *to, const struct gpmu_sink *sink, const struct gpmu_row *row)
{
	to = add(to, ",\"gpmu\":" SINK_SCHEMA);
	to = add_seconds(add(to, ",\"time_begin\":"), row->time_begin);
	to = add_seconds(add(to, ",\"time_end\":"), row->time_end);
	to = gpmu_json_add(add(to, ",\"host\":"), *sink->host ? sink->host : NULL);
	to = gpmu_json_add(add(to, ",\"scope\":"), sink_scope_name(row->scope));
	to = add_number(add(to, ",\"numa_node\":"), row->node);
	to = add_number(add(to, ",\"package\":"), row->package);
	to = add_number(add(to, ",\"cpu_number\":"), row->cpu);
	to = add_number(add(to, ",\"pid\":"), row->pid);
	to = gpmu_json_add(add(to, ",\"pmu\":"), row->pmu);
	to = add(to, row->metric ? ",\"kind\":\"metric\"" : ",\"kind\":\"event\"");
	return gpmu_json_add(add(to, ",\"name\":"), row->name);
}

static char *add_value(char *to, const struct gpmu_row *row)
{
	const bool is_counted = sink_knows_times(row), is_ok = row->state == GPMU_STATE_OK;

	to = add_double(add(to, ",\"value\":"), is_ok ? row->value : NAN);
	/* An event's unit is among perf's keys. */
	if (row->metric)
		to = gpmu_json_add(add(to, ",\"unit\":"), row->unit);
	to = gpmu_json_add(add(to, ",\"state\":"), sink_state_name(row->state));
	to = add_double(add(to, ",\"share\":"), row->share);
	to = add_u64(add(to, ",\"raw\":"), sink_knows_raw(row), row->raw);
	to = add_u64(add(to, ",\"enabled_ns\":"), is_counted, row->enabled);
	to = add_u64(add(to, ",\"running_ns\":"), is_counted, row->running);
	to = add_u64(add(to, ",\"counters\":"), true, row->counters);
	to = add_u64(add(to, ",\"runs\":"), row->runs, row->runs);
	to = add_double(add(to, ",\"deviation\":"), is_ok ? row->deviation : NAN);
	return add_number(add(to, ",\"alert\":"), row->alert);
}

/* --- a row --- */

#define NUMBERS		21	/* at most, of a row */
#define KEYS		1024	/* bytes; more than the keys, null and the other texts need */

static size_t room_of(const char *text)
{
	return text ? strlen(text) * GPMU_JSON_MAX : 0;
}

static void put_row(struct gpmu_sink *sink, const struct gpmu_rows *rows, size_t index)
{
	const struct gpmu_row *row = &rows->list[index];
	const size_t size = KEYS + NUMBERS * NUMBER_SIZE + room_of(sink->host) +
			    room_of(row->pmu) + 2 * room_of(row->name) + room_of(row->unit) +
			    room_of(row->why) + room_of(row->gpu) + room_of(row->source) +
			    room_of(row->cgroup) +
			    (SINK_LABEL + sizeof(struct sink_beside)) * GPMU_JSON_MAX;
	char *room = buffer_room(&sink->buffer, size), *to = room;
	struct sink_beside beside;

	if (!room)
		return;
	sink_beside(sink, rows, index, &beside);
	to = add_label(add(to, "{"), sink, row);
	if (!row->metric)
		to = add_count(to, sink, row);
	else
		to = add_cgroup(to, sink, row);
	to = add_beside(to, row, &beside);
	to = add_place(to, sink, row);
	to = add_value(to, row);
	to = gpmu_json_add(add(to, ",\"why\":"), row->why);
	to = gpmu_json_add(add(to, ",\"gpu\":"), row->gpu);
	to = add_number(add(to, ",\"gpu_number\":"), row->gpu ? row->gpu_number : -1);
	to = gpmu_json_add(add(to, ",\"source\":"), row->source);
	to = add(to, "}\n");
	buffer_added(&sink->buffer, (size_t)(to - room));
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	for (size_t i = 0; i < rows->length; i++)
		put_row(sink, rows, i);
}

static void front(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	char *room = buffer_room(&sink->buffer, KEYS + SINK_LABEL * GPMU_JSON_MAX +
				 room_of(row->cgroup)), *to;
	size_t length;

	if (!room)
		return;
	*room = '{';
	to = add_cgroup(add_label(room + 1, sink, row), sink, row);
	length = (size_t)(to - room);
	/* sink_json_pair() writes the comma. */
	buffer_added(&sink->buffer, length > 1 ? length - strlen(", ") : length);
}

void sink_json_pair(struct gpmu_sink *sink, const char *key, const char *value)
{
	struct sink_buffer *buffer = &sink->buffer;
	char *room = buffer_room(buffer, strlen(", \"\" : \"\"") +
				 (strlen(key) + strlen(value)) * GPMU_JSON_MAX), *to = room;

	if (!room)
		return;
	if (buffer->data[buffer->length - 1] != '{')
		to = add(to, ", ");
	to = gpmu_json_add(add(gpmu_json_add(to, key), " : "), value);
	buffer_added(buffer, (size_t)(to - room));
}

const struct sink_ops sink_json = {
	.rows = put_rows, .front = front,
};
