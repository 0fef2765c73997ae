// SPDX-License-Identifier: LGPL-2.1-or-later
/* Comma-separated values as RFC 4180 has them, but for the line ends, which are the system's. */
#include <math.h>
#include <sys/types.h>

#include "sink.h"

static const char *const columns[] = {
	"time_begin", "time_end", "host", "scope", "node", "package", "cpu", "pid", "pmu", "kind",
	"name", "value", "unit", "state", "share", "raw", "enabled_ns", "running_ns", "counters",
	"runs", "deviation", "alert", "why", "gpu", "gpu_number", "source",
};

static void begin(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	struct sink_buffer *buffer = &sink->buffer;

	(void)rows;
	(void)n;
	if (sink->options.continues)
		return;
	buffer_text(buffer, "# gpmu-csv " SINK_SCHEMA "\n");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (i)
			buffer_text(buffer, sink->separator);
		buffer_text(buffer, columns[i]);
	}
	buffer_char(buffer, '\n');
}

/* How long it is if it needs no quotes, or -1. Short texts: a call of strcspn() takes longer. */
static ssize_t plain_length(const struct gpmu_sink *sink, const char *text)
{
	const char *separator = sink->separator, *at;

	if (*text == '#')
		return -1;
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\r' || *at == '\n')
			return -1;
		if (*at == *separator && !strncmp(at, separator, sink->separator_length))
			return -1;
	}
	return at - text;
}

static void put_text(struct gpmu_sink *sink, const char *text)
{
	struct sink_buffer *buffer = &sink->buffer;
	ssize_t length;

	if (!text)
		return;
	length = plain_length(sink, text);
	if (length >= 0) {
		buffer_bytes(buffer, text, (size_t)length);
		return;
	}
	buffer_char(buffer, '"');
	for (; *text; text++) {
		if (*text == '"')
			buffer_char(buffer, '"');
		buffer_char(buffer, *text);
	}
	buffer_char(buffer, '"');
}

static void next(struct gpmu_sink *sink)
{
	if (sink->separator_length == 1)
		buffer_char(&sink->buffer, *sink->separator);
	else
		buffer_bytes(&sink->buffer, sink->separator, sink->separator_length);
}

static void put_number(struct gpmu_sink *sink, int number)
{
	if (number >= 0)
		buffer_int(&sink->buffer, number);
	next(sink);
}

static void put_double(struct gpmu_sink *sink, double value)
{
	if (isfinite(value))
		buffer_shortest(&sink->buffer, value);
	next(sink);
}

static void put_u64(struct gpmu_sink *sink, bool known, uint64_t value)
{
	if (known)
		buffer_u64(&sink->buffer, value);
	next(sink);
}

/* Most rows have those of the row before. */
static void put_seconds(struct gpmu_sink *sink, double seconds, struct sink_time *last)
{
	if (isfinite(seconds)) {
		if (!last->length || last->seconds != seconds) {
			last->length = number_fixed(last->text, seconds, 9, false);
			last->seconds = seconds;
		}
		buffer_bytes(&sink->buffer, last->text, last->length);
	}
	next(sink);
}

/* Where and of what */
static void put_place(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;

	put_seconds(sink, row->begin, &sink->begin);
	put_seconds(sink, row->end, &sink->end);
	put_text(sink, sink->host);
	next(sink);
	buffer_text(buffer, sink_scope_name(row->scope));
	next(sink);
	put_number(sink, row->node);
	put_number(sink, row->package);
	put_number(sink, row->cpu);
	put_number(sink, row->pid);
	put_text(sink, row->pmu);
	next(sink);
	buffer_text(buffer, row->metric ? "metric" : "event");
	next(sink);
	put_text(sink, row->name);
	next(sink);
}

static void put_row(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;
	bool counted = sink_knows_times(row);

	put_place(sink, row);
	put_double(sink, row->state == GPMU_OK ? row->value : NAN);
	put_text(sink, row->unit);
	next(sink);
	buffer_text(buffer, sink_state_name(row->state));
	next(sink);
	put_double(sink, row->share);
	put_u64(sink, sink_knows_raw(row), row->raw);
	put_u64(sink, counted, row->enabled);
	put_u64(sink, counted, row->running);
	buffer_u64(buffer, row->counters);
	next(sink);
	buffer_u64(buffer, row->runs);
	next(sink);
	put_double(sink, row->state == GPMU_OK ? row->deviation : NAN);
	put_number(sink, row->alert);
	put_text(sink, row->why);
	next(sink);
	put_text(sink, row->gpu);
	next(sink);
	put_number(sink, row->gpu ? row->gpu_number : -1);
	put_text(sink, row->source);
	buffer_char(buffer, '\n');
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_row(sink, &rows[i]);
}

static void end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	(void)sink;
	(void)end;
}

const struct sink_ops sink_csv = { .begin = begin, .rows = put_rows, .end = end };
