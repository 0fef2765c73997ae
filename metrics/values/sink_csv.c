// SPDX-License-Identifier: LGPL-2.1-or-later
/* Comma-separated values (RFC 4180), except that lines end in a newline. */
#include <math.h>
#include <stdlib.h>
#include <sys/types.h>

#include "values/sink.h"

#define NUMBERS		8	/* numbers of a row that change with each interval */

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

/* The length of a text that needs no quotes, or -1. strcspn() is slower for short texts. */
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

/* --- texts that seldom change, made in sink->part --- */

static void next(struct gpmu_sink *sink)
{
	buffer_bytes(&sink->part, sink->separator, sink->separator_length);
}

static void put_text(struct gpmu_sink *sink, const char *text)
{
	struct sink_buffer *buffer = &sink->part;
	ssize_t length = text ? plain_length(sink, text) : 0;

	if (length >= 0) {
		buffer_bytes(buffer, text ? text : "", (size_t)length);
		next(sink);
		return;
	}
	buffer_char(buffer, '"');
	for (; *text; text++) {
		if (*text == '"')
			buffer_char(buffer, '"');
		buffer_char(buffer, *text);
	}
	buffer_char(buffer, '"');
	next(sink);
}

static void put_number(struct gpmu_sink *sink, int number)
{
	if (number >= 0)
		buffer_int(&sink->part, number);
	next(sink);
}

static void put_size(struct gpmu_sink *sink, uint64_t size)
{
	buffer_u64(&sink->part, size);
	next(sink);
}

/* The columns between the times and the value */
static void put_place(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	put_text(sink, sink->host);
	put_text(sink, sink_scope_name(row->scope));
	put_number(sink, row->node);
	put_number(sink, row->package);
	put_number(sink, row->cpu);
	put_number(sink, row->pid);
	put_text(sink, row->pmu);
	put_text(sink, row->metric ? "metric" : "event");
	put_text(sink, row->name);
}

/* The columns between the value and the share */
static void put_state(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	next(sink);
	put_text(sink, row->unit);
	put_text(sink, sink_state_name(row->state));
}

/* The columns after enabled_ns and running_ns */
static void put_rest(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	put_size(sink, row->counters);
	put_size(sink, row->runs);
	if (row->state == GPMU_STATE_OK && isfinite(row->deviation))
		buffer_shortest(&sink->part, row->deviation);
	next(sink);
	put_number(sink, row->alert);
	put_text(sink, row->why);
	put_text(sink, row->gpu);
	put_number(sink, row->gpu ? row->gpu_number : -1);
	put_text(sink, row->source);
	sink->part.length -= sink->part.failed ? 0 : sink->separator_length;
	buffer_char(&sink->part, '\n');
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool is_of(const struct sink_line *line, const struct gpmu_row *row)
{
	const struct gpmu_row *made = &line->row;

	return line->text && row->state == made->state && row->cpu == made->cpu &&
	       row->scope == made->scope && row->node == made->node &&
	       row->package == made->package && row->pid == made->pid &&
	       row->metric == made->metric && row->counters == made->counters &&
	       row->runs == made->runs && row->alert == made->alert &&
	       row->gpu_number == made->gpu_number &&
	       same_number(row->deviation, made->deviation) &&
	       same_text(row->name, made->name) && same_text(row->pmu, made->pmu) &&
	       same_text(row->unit, made->unit) && same_text(row->why, made->why) &&
	       same_text(row->gpu, made->gpu) && same_text(row->source, made->source);
}

/* The text as it was given, behind the columns; the line is then of this one. */
static size_t keep_text(struct gpmu_sink *sink, const char *text)
{
	size_t at = sink->part.length;

	if (text)
		buffer_bytes(&sink->part, text, strlen(text) + 1);
	return at;
}

/* false: no memory; the buffer is marked as failed */
static bool make_line(struct gpmu_sink *sink, struct sink_line *line, const struct gpmu_row *row)
{
	const char **const texts[] = { &line->row.name, &line->row.pmu, &line->row.unit,
				       &line->row.why, &line->row.gpu, &line->row.source };
	size_t at[sizeof(texts) / sizeof(texts[0])];
	char *text;

	sink->part.length = 0;
	put_place(sink, row);
	line->place = sink->part.length;
	put_state(sink, row);
	line->state = sink->part.length - line->place;
	put_rest(sink, row);
	line->rest = sink->part.length - line->place - line->state;
	line->row = *row;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		at[i] = keep_text(sink, *texts[i]);
	text = sink->part.failed ? NULL : realloc(line->text, sink->part.length);
	if (!text) {
		sink->buffer.failed = true;
		sink->part.failed = false;
		free(line->text);
		line->text = NULL;
		return false;
	}
	memcpy(text, sink->part.data, sink->part.length);
	line->text = text;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = *texts[i] ? text + at[i] : NULL;
	return true;
}

/* --- a row --- */

static char *add(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	return to + length;
}

static char *add_next(char *to, const struct gpmu_sink *sink)
{
	if (sink->separator_length != 1)
		return add(to, sink->separator, sink->separator_length);
	*to = *sink->separator;
	return to + 1;
}

static char *add_seconds(char *to, const struct gpmu_sink *sink, uint64_t ns)
{
	return add_next(to + number_seconds(to, ns), sink);
}

/* Most rows have the times of the previous row. */
static char *add_times(char *to, struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_times *last = &sink->times;
	char *end;

	if (last->length && row->time_begin == last->begin && row->time_end == last->end)
		return add(to, last->text, last->length);
	end = add_seconds(to, sink, row->time_begin);
	end = add_seconds(end, sink, row->time_end);
	last->length = (size_t)(end - to);
	if (last->length > sizeof(last->text)) {
		last->length = 0;
		return end;
	}
	memcpy(last->text, to, last->length);
	last->begin = row->time_begin;
	last->end = row->time_end;
	return end;
}

/* Events that are counted together have the same enabled and running times. */
static char *add_counted(char *to, struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_counted *last = &sink->counted;
	char *end;

	if (last->length && row->enabled == last->enabled && row->running == last->running)
		return add(to, last->text, last->length);
	end = add_next(to + number_u64(to, row->enabled), sink);
	end = add_next(end + number_u64(end, row->running), sink);
	last->length = (size_t)(end - to);
	if (last->length > sizeof(last->text)) {
		last->length = 0;
		return end;
	}
	memcpy(last->text, to, last->length);
	last->enabled = row->enabled;
	last->running = row->running;
	return end;
}

static void put_row(struct gpmu_sink *sink, struct sink_line *line, const struct gpmu_row *row)
{
	const char *text;
	char *room, *at;

	if (!is_of(line, row) && !make_line(sink, line, row))
		return;
	text = line->text;
	room = buffer_room(&sink->buffer, line->place + line->state + line->rest +
			   NUMBERS * (NUMBER_SIZE + sink->separator_length));
	if (!room)
		return;
	at = add_times(room, sink, row);
	at = add(at, text, line->place);
	if (row->state == GPMU_STATE_OK && isfinite(row->value))
		at += number_shortest(at, row->value);
	at = add(at, text + line->place, line->state);
	if (isfinite(row->share))
		at += number_shortest(at, row->share);
	at = add_next(at, sink);
	if (sink_knows_raw(row))
		at += number_u64(at, row->raw);
	at = add_next(at, sink);
	if (sink_knows_times(row))
		at = add_counted(at, sink, row);
	else
		at = add_next(add_next(at, sink), sink);
	at = add(at, text + line->place + line->state, line->rest);
	buffer_added(&sink->buffer, (size_t)(at - room));
}

/* For each row of an interval, or for whichever row is written */
static struct sink_line *get_lines(struct gpmu_sink *sink, size_t n)
{
	struct sink_line *lines;

	if (n <= sink->line_count)
		return sink->lines;
	lines = reallocarray(sink->lines, n, sizeof(*lines));
	if (!lines) {
		sink->buffer.failed = true;
		return NULL;
	}
	memset(lines + sink->line_count, 0, (n - sink->line_count) * sizeof(*lines));
	sink->lines = lines;
	sink->line_count = n;
	return lines;
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	bool each = sink->options.interval;
	struct sink_line *lines = get_lines(sink, each ? n : 1);

	for (size_t i = 0; lines && i < n; i++)
		put_row(sink, &lines[each ? i : 0], &rows[i]);
}

static void end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	(void)sink;
	(void)end;
}

const struct sink_ops sink_csv = { .begin = begin, .rows = put_rows, .end = end };
