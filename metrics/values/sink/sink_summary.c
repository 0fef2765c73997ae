// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The summary for people, with the columns and words of perf stat. A row with another scope
 * than the heading's has it after its name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/gpmu_shown.h"
#include "values/sink/sink.h"

#define VALUE_WIDTH	18
#define NAME_WIDTH	32
#define GROUPED_WIDTH	24	/* of a name before a cgroup */
#define TIME_WIDTH	16
#define CLEAR		"\033[H\033[2J"
#define BESIDE_WIDTH	8
#define METRIC_WIDTH	38	/* of the column of a number beside a count */

static const char *scope_text(enum gpmu_scope scope)
{
	return scope == GPMU_SCOPE_CPU ? "CPU" : scope == GPMU_SCOPE_GPU ? "GPU" :
	       sink_scope_name(scope);
}

static void label_of(const struct gpmu_sink *sink, const struct gpmu_row *row, char *label)
{
	sink_label(row, sink->options.aggregation, label, SINK_LABEL);
}

/* Widens the columns for these rows; they never become narrower. */
static void widen(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	char label[SINK_LABEL];

	if (sink->options.aggregation != GPMU_AGGREGATE_MACHINE && sink->labels < 2)
		sink->labels = 2;
	for (size_t i = 0; i < rows->length; i++) {
		size_t width;

		label_of(sink, &rows->list[i], label);
		width = gpmu_shown_width(label);
		if (width > sink->labels)
			sink->labels = width;
		width = rows->list[i].unit ? gpmu_shown_width(rows->list[i].unit) : 0;
		if (width > sink->units)
			sink->units = width;
		width = rows->list[i].cgroup ? gpmu_shown_width(rows->list[i].cgroup) : 0;
		if (width > sink->cgroups)
			sink->cgroups = width;
	}
}

/* The scope in the heading: the first one in this order that a row has */
static enum gpmu_scope scope_of(const struct gpmu_rows *rows)
{
	static const enum gpmu_scope order[] = {
		GPMU_SCOPE_THREAD, GPMU_SCOPE_PROCESS, GPMU_SCOPE_CPU, GPMU_SCOPE_CORE,
		GPMU_SCOPE_DIE, GPMU_SCOPE_SOCKET, GPMU_SCOPE_NODE,
	};
	unsigned int scopes = 0;	/* bits of all that rows have */

	for (size_t i = 0; i < rows->length; i++)
		scopes |= 1u << rows->list[i].scope;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (scopes & 1u << order[i])
			return order[i];
	return scopes == 1u << GPMU_SCOPE_GPU ? GPMU_SCOPE_GPU : GPMU_SCOPE_MACHINE;
}

/* The columns before the value; NULL: their names */
static void front(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;
	char label[SINK_LABEL] = "";

	if (sink->options.interval && row) {
		label[number_seconds(label, row->time_end)] = '\0';
		buffer_right(buffer, label, TIME_WIDTH);
		buffer_char(buffer, ' ');
	} else if (sink->options.interval) {
		buffer_char(buffer, '#');
		buffer_right(buffer, "time", TIME_WIDTH - 1);
		buffer_char(buffer, ' ');
	}
	if (sink->labels) {
		if (row)
			label_of(sink, row, label);
		buffer_left(buffer, row ? label : "", sink->labels + 1);
	}
	if (sink->options.metric_only && sink->cgroups)
		buffer_left(buffer, row && row->cgroup ? row->cgroup : "", sink->cgroups + 1);
}

static void put_header(struct gpmu_sink *sink)
{
	struct sink_buffer *buffer = &sink->buffer;

	front(sink, NULL);
	buffer_right(buffer, "counts", VALUE_WIDTH);
	buffer_char(buffer, ' ');
	if (sink->units) {
		buffer_left(buffer, "unit", sink->units);
		buffer_char(buffer, ' ');
	}
	buffer_text(buffer, "events [");
	buffer_text(buffer, scope_text(sink->scope));
	buffer_text(buffer, "]\n");
}

static void begin(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	struct sink_buffer *buffer = &sink->buffer;

	sink->scope = scope_of(rows);
	widen(sink, rows);
	if (sink->options.interval) {
		if (!sink->options.metric_only && !sink->options.clear)
			put_header(sink);
		return;
	}
	buffer_text(buffer, "\n Performance counter stats for ");
	buffer_shown(buffer, sink->title);
	if (rows->length) {
		buffer_text(buffer, " [");
		buffer_text(buffer, scope_text(sink->scope));
		buffer_char(buffer, ']');
	}
	if (sink->options.runs > 1) {
		buffer_text(buffer, " (");
		buffer_u64(buffer, sink->options.runs);
		buffer_text(buffer, " runs)");
	}
	buffer_text(buffer, ":\n\n");
}

static void put_value(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;
	char text[NUMBER_SIZE + 1];

	sink_value(text, row, sink->options.big_numbers);
	buffer_right(buffer, text, VALUE_WIDTH);
}

static void put_deviation(struct gpmu_sink *sink, double deviation, double mean)
{
	struct sink_buffer *buffer = &sink->buffer;
	char text[NUMBER_SIZE + 1];
	double percent = mean != 0 ? 100 * deviation / fabs(mean) : 0;

	if (!isfinite(percent))
		return;
	text[number_fixed(text, percent, 2, false)] = '\0';
	buffer_text(buffer, "  ( +-");
	buffer_right(buffer, text, 6);
	buffer_text(buffer, "% )");
}

/* The reliability of a value */
static void put_quality(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;

	if (row->state == GPMU_STATE_OK && (sink->options.runs > 1 || !row->runs)) {
		put_deviation(sink, row->deviation, row->value);
		if (row->runs && row->runs < sink->options.runs) {
			buffer_text(buffer, "  (");
			buffer_u64(buffer, row->runs);
			buffer_text(buffer, " of ");
			buffer_u64(buffer, sink->options.runs);
			buffer_text(buffer, " runs)");
		}
	}
	if (row->state <= GPMU_STATE_IDLE && row->share < 1) {
		buffer_text(buffer, "  (");
		buffer_fixed(buffer, 100 * row->share, 2);
		buffer_text(buffer, "%)");
	}
}

/* perf's column "#    0.013 CPUs utilized", with blanks up to the next column */
static void put_beside(struct gpmu_sink *sink, const struct sink_beside *beside)
{
	struct sink_buffer *buffer = &sink->buffer;
	char text[NUMBER_SIZE + 2];
	size_t length = number_fixed(text, beside->value, beside->decimals, false);

	if (beside->is_percent)
		text[length++] = '%';
	text[length] = '\0';
	buffer_text(buffer, " # ");
	buffer_right(buffer, text, BESIDE_WIDTH);
	buffer_char(buffer, ' ');
	buffer_shown(buffer, beside->unit);
}

/* The name, followed by the cgroup. Returns the number of characters. */
static size_t put_name(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;
	size_t width = buffer_shown(buffer, row->name);

	if (!row->cgroup)
		return width;
	buffer_blanks(buffer, width < GROUPED_WIDTH ? GROUPED_WIDTH - width : 0);
	buffer_char(buffer, ' ');
	return (width < GROUPED_WIDTH ? GROUPED_WIDTH : width) + 1 + buffer_shown(buffer, row->cgroup);
}

static void put_row(struct gpmu_sink *sink, const struct gpmu_rows *rows, size_t index)
{
	const struct gpmu_row *row = &rows->list[index];
	struct sink_beside beside = { .value = NAN };
	bool is_alert = sink->options.color && row->alert == 1;
	struct sink_buffer *buffer = &sink->buffer;
	const size_t named = sink->cgroups ? GROUPED_WIDTH + 1 + sink->cgroups : NAME_WIDTH;
	size_t width, end, column = named;

	front(sink, row);
	if (is_alert)
		buffer_text(buffer, "\033[31m");
	put_value(sink, row);
	buffer_char(buffer, ' ');
	if (sink->units)
		buffer_left(buffer, row->unit ? row->unit : "", sink->units + 1);
	width = put_name(sink, row);
	if (is_alert)
		buffer_text(buffer, "\033[m");
	if (!row->metric)
		sink_beside(sink, rows, index, &beside);
	if (isfinite(beside.value)) {
		buffer_blanks(buffer, width < named ? named - width : 0);
		column = METRIC_WIDTH;
		end = buffer->length;
		put_beside(sink, &beside);
		width = buffer->length - end;
	}
	/* Blanks are written only before further text. */
	end = buffer->length;
	buffer_blanks(buffer, width < column ? column - width : 0);
	width = buffer->length;
	if (row->scope != sink->scope) {
		buffer_text(buffer, "  [");
		buffer_text(buffer, scope_text(row->scope));
		buffer_char(buffer, ']');
	}
	put_quality(sink, row);
	if (buffer->length == width)
		buffer->length = end;
	buffer_char(buffer, '\n');
}

/* Writes the UUID of a GPU, and the plugin that counted it. */
static void put_gpus(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first)
{
	char label[SINK_LABEL], more[80];

	for (size_t i = 0; i < rows->length; i++) {
		if (!rows->list[i].gpu)
			continue;
		label_of(sink, &rows->list[i], label);
		snprintf(more, sizeof(more), "%s%s", rows->list[i].source ? ", by " : "",
			 rows->list[i].source ? rows->list[i].source : "");
		sink_note(sink, label, rows->list[i].gpu, more, is_first);
	}
}

/* Writes the heading of a row above it, unless the row before has the same. Returns the heading. */
static const char *put_heading(struct gpmu_sink *sink, const struct gpmu_row *row, const char *before)
{
	const char *heading = sink->options.heading ? sink->options.heading(row->name, sink->options.user) : NULL;

	if (text_is_same(heading, before))
		return heading;
	if (before)
		buffer_char(&sink->buffer, '\n');
	if (heading) {
		buffer_char(&sink->buffer, ' ');
		buffer_shown(&sink->buffer, heading);
		buffer_text(&sink->buffer, ":\n");
	}
	return heading;
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	bool is_first = !sink->options.interval;
	const char *heading = NULL;

	if (sink->has_begun)
		widen(sink, rows);
	if (sink->options.clear) {
		buffer_text(&sink->buffer, CLEAR);
		put_header(sink);
	}
	for (size_t i = 0; i < rows->length; i++) {
		heading = put_heading(sink, &rows->list[i], heading);
		put_row(sink, rows, i);
	}
	put_gpus(sink, rows, &is_first);
	if (!sink->options.interval)
		sink_balance(sink, rows, &is_first);
	sink_whys(sink, rows, &is_first);
}

static void put_seconds(struct gpmu_sink *sink, double seconds, const char *what)
{
	struct sink_buffer *buffer = &sink->buffer;
	char text[NUMBER_SIZE + 1];

	text[number_fixed(text, seconds, 9, false)] = '\0';
	buffer_char(buffer, ' ');
	buffer_right(buffer, text, 17);
	buffer_text(buffer, what);
}

static void end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	struct sink_buffer *buffer = &sink->buffer;

	if (sink->options.interval)
		return;
	buffer_char(buffer, '\n');
	if (sink->options.runs > 1) {
		put_seconds(sink, end->elapsed, " +- ");
		buffer_fixed(buffer, end->deviation, 9);
		buffer_text(buffer, " seconds time elapsed");
		put_deviation(sink, end->deviation, end->elapsed);
	} else {
		put_seconds(sink, end->elapsed, " seconds time elapsed");
	}
	buffer_text(buffer, "\n\n");
	if (end->user >= 0 && end->system >= 0) {
		put_seconds(sink, end->user, " seconds user\n");
		put_seconds(sink, end->system, " seconds sys\n\n");
	}
}

const struct sink_ops sink_summary = {
	.begin = begin, .rows = put_rows, .end = end, .front = front,
};
