// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Comma-separated values. First the columns of perf stat -x, which are never quoted, as perf's
 * are not; then gpmu's, quoted as in RFC 4180. Lines end in a newline. Texts are shown ones, because CSV
 * is printed to terminals too and no name that perf accepts has a control character.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text/gpmu_shown.h"
#include "base/vector.h"
#include "values/sink/sink.h"

#define NUMBERS		16	/* numbers of a row that change with each interval */

static bool needs_quotes(const struct gpmu_sink *sink, const char *text, size_t length)
{
	if (length && *text == '#')
		return true;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '"' || (text[i] == *sink->separator && length - i >= sink->separator_length &&
				       !memcmp(text + i, sink->separator, sink->separator_length)))
			return true;
	return false;
}

/* Quotes the end of the buffer from @begin. */
static void quote(struct sink_buffer *buffer, size_t begin)
{
	size_t quotes = 2;
	char *from, *to;

	for (size_t i = begin; i < buffer->length; i++)
		quotes += buffer->data[i] == '"';
	if (!buffer_room(buffer, quotes))
		return;
	from = buffer->data + buffer->length;
	buffer_added(buffer, quotes);
	to = buffer->data + buffer->length;
	*--to = '"';
	while (from > buffer->data + begin) {
		*--to = *--from;
		if (*from == '"')
			*--to = '"';
	}
	*--to = '"';
}

/* --- texts that seldom change, made in sink->part --- */

static void next(struct gpmu_sink *sink)
{
	buffer_bytes(&sink->part, sink->separator, sink->separator_length);
}

static void put_text(struct gpmu_sink *sink, const char *text)
{
	struct sink_buffer *buffer = &sink->part;
	const size_t begin = buffer->length;

	if (text)
		buffer_shown(buffer, text);
	if (!buffer->has_failed && needs_quotes(sink, buffer->data + begin, buffer->length - begin))
		quote(buffer, begin);
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

/* A label has the name of a task, which can be any text; what CSV could not parse becomes "_". */
static void put_word(struct gpmu_sink *sink, const char *text)
{
	for (const char *c = text; *c; c++) {
		const bool is_separator = (unsigned char)*c < ' ' || *c == *sink->separator ||
					  *c == '"' || (*c == '#' && c == text);

		buffer_char(&sink->part, is_separator ? '_' : *c);
	}
}

/* perf's columns between the time and the value */
static void put_label(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	const enum gpmu_aggregation aggregation = sink->options.aggregation;
	char label[SINK_LABEL];

	if (aggregation == GPMU_AGGREGATE_MACHINE)
		return;
	sink_label(row, aggregation, label, sizeof(label));
	put_word(sink, label);
	next(sink);
	if (aggregation != GPMU_AGGREGATE_CPU && aggregation != GPMU_AGGREGATE_THREAD)
		put_size(sink, row->counters);
}

/* A column of perf, without quotes */
static void put_plain(struct gpmu_sink *sink, const char *text)
{
	if (text)
		buffer_shown(&sink->part, text);
	next(sink);
}

/* perf's columns between the value and the running time */
static void put_event(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	next(sink);
	put_plain(sink, row->metric ? NULL : row->unit);
	put_plain(sink, row->metric ? NULL : row->name);
	if (sink->options.cgroups)
		put_plain(sink, row->cgroup);
	if (sink->options.runs < 2)
		return;
	buffer_fixed(&sink->part, sink_variance(row), 2);
	buffer_char(&sink->part, '%');
	next(sink);
}

/* gpmu's columns between the times and the value */
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

/* gpmu's columns between the value and the share */
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
	put_number(sink, row->runs ? (int)row->runs : -1);
	if (row->state == GPMU_STATE_OK && isfinite(row->deviation))
		buffer_shortest(&sink->part, row->deviation);
	next(sink);
	put_number(sink, row->alert);
	put_text(sink, row->why);
	put_text(sink, row->gpu);
	put_number(sink, row->gpu ? row->gpu_number : -1);
	put_text(sink, row->source);
	sink->part.length -= sink->part.has_failed ? 0 : sink->separator_length;
	buffer_char(&sink->part, '\n');
}

static bool is_same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool is_of(const struct gpmu_sink *sink, const struct sink_line *line,
		  const struct gpmu_row *row)
{
	const struct gpmu_row *made = &line->row;

	return line->text && row->state == made->state && row->cpu == made->cpu &&
	       row->scope == made->scope && row->node == made->node &&
	       row->package == made->package && row->pid == made->pid &&
	       row->metric == made->metric && row->counters == made->counters &&
	       row->runs == made->runs && row->alert == made->alert &&
	       row->gpu_number == made->gpu_number &&
	       row->die == made->die && row->core == made->core && row->tid == made->tid &&
	       (sink->options.runs < 2 || is_same_number(row->value, made->value)) &&
	       is_same_number(row->deviation, made->deviation) && text_is_same(row->comm, made->comm) &&
	       text_is_same(row->name, made->name) && text_is_same(row->pmu, made->pmu) &&
	       text_is_same(row->unit, made->unit) && text_is_same(row->why, made->why) &&
	       text_is_same(row->gpu, made->gpu) && text_is_same(row->source, made->source) &&
	       text_is_same(row->cgroup, made->cgroup);
}

/* Stores a copy of the text after the columns, to compare the next row with. Returns its offset */
static size_t keep_text(struct gpmu_sink *sink, const char *text)
{
	size_t offset = sink->part.length;

	if (text)
		buffer_bytes(&sink->part, text, strlen(text) + 1);
	return offset;
}

static void (*const parts[SINK_PARTS])(struct gpmu_sink *sink, const struct gpmu_row *row) = {
	put_label, put_event, put_place, put_state, put_rest,
};

/* false: no memory; the buffer is marked as failed */
static bool make_line(struct gpmu_sink *sink, struct sink_line *line, const struct gpmu_row *row)
{
	const char **const texts[] = { &line->row.name, &line->row.pmu, &line->row.unit,
				       &line->row.why, &line->row.gpu, &line->row.source,
				       &line->row.comm, &line->row.cgroup };
	size_t offsets[ARRAY_SIZE(texts)];
	char *text;

	sink->part.length = 0;
	for (size_t i = 0; i < SINK_PARTS; i++) {
		const size_t before = sink->part.length;

		parts[i](sink, row);
		line->lengths[i] = sink->part.length - before;
	}
	line->length = sink->part.length;
	line->row = *row;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		offsets[i] = keep_text(sink, *texts[i]);
	text = sink->part.has_failed ? NULL : realloc(line->text, sink->part.length);
	if (!text) {
		sink->buffer.has_failed = true;
		sink->part.has_failed = false;
		free(line->text);
		line->text = NULL;
		return false;
	}
	memcpy(text, sink->part.data, sink->part.length);
	line->text = text;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		*texts[i] = *texts[i] ? text + offsets[i] : NULL;
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

/* Writes two numbers. In most rows they are those of the previous row. */
static char *add_pair(char *to, const struct gpmu_sink *sink, struct sink_pair *last, uint64_t first, uint64_t second,
		      size_t (*put)(char *text, uint64_t number))
{
	char *end;

	if (last->length && first == last->first && second == last->second)
		return add(to, last->text, last->length);
	end = add_next(to + put(to, first), sink);
	end = add_next(end + put(end, second), sink);
	last->length = (size_t)(end - to);
	if (last->length > sizeof(last->text)) {
		last->length = 0;
		return end;
	}
	memcpy(last->text, to, last->length);
	last->first = first;
	last->second = second;
	return end;
}

/* perf's columns of the value; the line's texts that follow are in @text. */
static char *add_perf(char *to, struct gpmu_sink *sink, const struct sink_line *line,
		      const struct gpmu_row *row, const struct sink_beside *beside)
{
	const char *text = line->text;

	if (sink->options.interval)
		to = add_seconds(to, sink, row->time_end);
	to = add(to, text, line->lengths[0]);
	if (!row->metric)
		to += sink_perf_value(to, row, sink_perf_decimals(row));
	to = add(to, text + line->lengths[0], line->lengths[1]);
	if (!row->metric)
		to += number_u64(to, sink_perf_running(row));
	to = add_next(to, sink);
	if (!row->metric)
		to += number_fixed(to, sink_perf_share(row), 2, false);
	to = add_next(to, sink);
	if (isfinite(beside->value))
		to += number_fixed(to, beside->value, beside->decimals, false);
	to = add_next(to, sink);
	to = add(to, beside->unit, strlen(beside->unit));
	return add_next(to, sink);
}

/* Replaces a text by the text that is shown. Most texts are the same. */
static void show(char *text)
{
	for (const char *c = text; *c; c++)
		if (*c < ' ' || *c > '~') {
			gpmu_shown(text);
			return;
		}
}

static void put_row(struct gpmu_sink *sink, struct sink_line *line, const struct gpmu_rows *rows,
		    size_t index)
{
	const struct gpmu_row *row = &rows->list[index];
	struct sink_beside beside;
	const char *text;
	char *room, *cursor;

	if (!is_of(sink, line, row) && !make_line(sink, line, row))
		return;
	sink_beside(sink, rows, index, &beside);
	show(beside.unit);
	room = buffer_room(&sink->buffer, line->length + sizeof(beside.unit) +
			   NUMBERS * (NUMBER_SIZE + sink->separator_length));
	if (!room)
		return;
	cursor = add_perf(room, sink, line, row, &beside);
	cursor = add_next(add(cursor, SINK_SCHEMA, strlen(SINK_SCHEMA)), sink);
	cursor = add_pair(cursor, sink, &sink->times, row->time_begin, row->time_end, number_seconds);
	text = line->text + line->lengths[0] + line->lengths[1];
	cursor = add(cursor, text, line->lengths[2]);
	if (row->state == GPMU_STATE_OK && isfinite(row->value))
		cursor += number_shortest(cursor, row->value);
	cursor = add(cursor, text += line->lengths[2], line->lengths[3]);
	if (isfinite(row->share))
		cursor += number_shortest(cursor, row->share);
	cursor = add_next(cursor, sink);
	if (sink_knows_raw(row))
		cursor += number_u64(cursor, row->raw);
	cursor = add_next(cursor, sink);
	if (sink_knows_times(row))
		cursor = add_pair(cursor, sink, &sink->counted, row->enabled, row->running, number_u64);
	else
		cursor = add_next(add_next(cursor, sink), sink);
	cursor = add(cursor, text + line->lengths[3], line->lengths[4]);
	buffer_added(&sink->buffer, (size_t)(cursor - room));
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	bool has_intervals = sink->options.interval;

	while (sink->line_count < (has_intervals ? rows->length : 1))
		if (!vector_append(sink->lines, sink->line_count)) {
			sink->buffer.has_failed = true;
			return;
		}
	for (size_t i = 0; i < rows->length; i++)
		put_row(sink, &sink->lines[has_intervals ? i : 0], rows, i);
}

static void front(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	static const char *const names[] = {
		[GPMU_AGGREGATE_NODE] = "node", [GPMU_AGGREGATE_CPU] = "cpu",
		[GPMU_AGGREGATE_SOCKET] = "socket", [GPMU_AGGREGATE_DIE] = "die",
		[GPMU_AGGREGATE_CORE] = "core", [GPMU_AGGREGATE_THREAD] = "comm-pid",
	};
	const enum gpmu_aggregation aggregation = sink->options.aggregation;
	struct sink_buffer *buffer = &sink->buffer;
	char *room;

	if (row) {
		sink->part.length = 0;
		put_label(sink, row);
		if (sink->options.cgroups)
			put_plain(sink, row->cgroup);
		room = buffer_room(buffer, NUMBER_SIZE + sink->separator_length);
		if (room && sink->options.interval)
			buffer_added(buffer, (size_t)(add_seconds(room, sink, row->time_end) - room));
		buffer_bytes(buffer, sink->part.data ? sink->part.data : "", sink->part.length);
		return;
	}
	if (sink->options.interval) {
		buffer_text(buffer, "time");
		buffer_text(buffer, sink->separator);
	}
	if (aggregation != GPMU_AGGREGATE_MACHINE) {
		buffer_text(buffer, names[aggregation]);
		buffer_text(buffer, sink->separator);
		if (aggregation != GPMU_AGGREGATE_CPU && aggregation != GPMU_AGGREGATE_THREAD) {
			buffer_text(buffer, "ctrs");
			buffer_text(buffer, sink->separator);
		}
	}
	if (sink->options.cgroups) {
		buffer_text(buffer, "cgroup");
		buffer_text(buffer, sink->separator);
	}
}

const struct sink_ops sink_csv = {
	.rows = put_rows, .front = front,
};
