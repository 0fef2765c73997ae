// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Only metrics, as perf stat --metric-only prints them: one line for each part of the machine and each
 * cgroup, with a column for each metric and for each ratio beside an event.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/strings.h"
#include "base/text/gpmu_shown.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "values/sink/sink.h"

#define ONLY_WIDTH	20	/* of a column of a summary, at least */

/* perf prints rates and times beside events only with the events. */
static bool is_shown(const struct gpmu_row *row, const struct sink_beside *beside)
{
	static const char *const omitted[] = { "/sec", "CPUs utilized", "Hz" };

	for (size_t i = 0; !row->metric && i < ARRAY_SIZE(omitted); i++)
		if (strstr(beside->unit, omitted[i]))
			return false;
	return beside->unit[0] != '\0';
}

/* Holds the first row of a line and column; later ones are not shown. */
struct cell {
	enum gpmu_state state;
	double value;			/* NaN: none */
	double share;
	unsigned int decimals;
	bool is_percent;
};

/* The rows of one interval as a table, made in one pass over them */
struct table {
	/* Labels; units, for ratios with the event: in the order of their first rows */
	struct strings lines, columns;
	struct strings units;		/* of the columns */
	const char **headings;		/* of each column */
	size_t *firsts;			/* the first row of each line */
	struct cell *cells;
	size_t heading_count, first_count, cell_count;
	struct map index;		/* by line and column: the index of a cell */
};

static uint64_t key_of(uint32_t line, uint32_t column)
{
	return (uint64_t)line << 32 | column;
}

static int add_line(struct table *table, const struct gpmu_sink *sink, const struct gpmu_row *row,
		    size_t index, uint32_t *line)
{
	char label[SINK_LABEL], *key;
	int ret;

	sink_label(row, sink->options.aggregation, label, sizeof(label));
	key = text_print("%s %s", label, row->cgroup ? row->cgroup : "");
	ret = key ? strings_number(&table->lines, key, line) : -ENOMEM;
	free(key);
	if (ret || *line < table->first_count)
		return ret;
	return vector_append_value(table->firsts, table->first_count, index);
}

/* The heading is the unit alone, as in perf, unless an earlier column has the same unit. */
static int add_heading(struct table *table, const char *unit, uint32_t column)
{
	const size_t known = table->units.texts.n;
	uint32_t number;

	if (strings_number(&table->units, unit, &number))
		return -ENOMEM;
	return vector_append_value(table->headings, table->heading_count,
				   number == known ? strings_text(&table->units, number) :
						     strings_text(&table->columns, column));
}

/* Ratios of several events, such as instructions:u and instructions:k, have the same unit. */
static int add_column(struct table *table, const struct gpmu_row *row, const char *unit,
		      uint32_t *column)
{
	char *ratio = row->metric ? NULL : text_print("%s  %s", unit, row->name);
	int ret = row->metric || ratio ? 0 : -ENOMEM;

	if (!ret)
		ret = strings_number(&table->columns, ratio ? ratio : unit, column);
	free(ratio);
	if (ret || *column < table->heading_count)
		return ret;
	return add_heading(table, unit, *column);
}

static int add_row(struct table *table, struct gpmu_sink *sink, const struct gpmu_rows *rows,
		   size_t index)
{
	const struct gpmu_row *row = &rows->list[index];
	struct sink_beside beside;
	uint32_t line, column, other;
	int ret;

	sink_beside(sink, rows, index, &beside);
	if (!is_shown(row, &beside))
		return 0;
	if (add_line(table, sink, row, index, &line) ||
	    add_column(table, row, beside.unit, &column))
		return -ENOMEM;
	if (map_get(&table->index, key_of(line, column), &other))
		return 0;
	ret = vector_append_value(table->cells, table->cell_count, (struct cell){
		.state = row->state,
		.value = beside.value,
		.share = row->share,
		.decimals = beside.decimals,
		.is_percent = beside.is_percent,
	});
	return ret ? ret : map_set(&table->index, key_of(line, column), (uint32_t)table->cell_count - 1);
}

static void release(struct table *table)
{
	strings_release(&table->lines);
	strings_release(&table->columns);
	strings_release(&table->units);
	free(table->headings);
	free(table->firsts);
	free(table->cells);
	map_release(&table->index);
}

/* "190.72", "12.50%  (65.32%)" with the share of a multiplexed value, "<not counted>" */
static void put_summary(struct gpmu_sink *sink, const char *column, const struct cell *cell)
{
	char text[2 * NUMBER_SIZE + sizeof("%  (%)")] = "", share[NUMBER_SIZE + 1];
	const size_t width = gpmu_shown_width(column);
	size_t length = 0;

	if (cell && isfinite(cell->value))
		length = number_fixed(text, cell->value, 2, false);
	else if (cell)
		snprintf(text, sizeof(text), "%s", sink_state_word(cell->state));
	if (length && cell->is_percent)
		text[length++] = '%';
	if (length && cell->share < 1) {
		share[number_fixed(share, 100 * cell->share, 2, false)] = '\0';
		snprintf(text + length, sizeof(text) - length, "  (%s%%)", share);
	}
	buffer_right(&sink->buffer, text, width < ONLY_WIDTH ? ONLY_WIDTH : width);
	buffer_char(&sink->buffer, ' ');
}

/* @cell: NULL if the line has no row of the column */
static void put_cell(struct gpmu_sink *sink, const char *column, const struct cell *cell)
{
	const bool is_known = cell && isfinite(cell->value);
	char text[NUMBER_SIZE + 1] = "";

	if (sink->ops == &sink_summary) {
		put_summary(sink, column, cell);
		return;
	}
	if (is_known)
		text[number_fixed(text, cell->value, cell->decimals, false)] = '\0';
	if (sink->ops == &sink_csv) {
		buffer_text(&sink->buffer, text);
		buffer_text(&sink->buffer, sink->separator);
	} else {
		sink_json_pair(sink, column, is_known ? text : "none");
	}
}

static void put_line(struct gpmu_sink *sink, const struct gpmu_rows *rows,
		     const struct table *table, uint32_t line)
{
	uint32_t index;

	sink->ops->front(sink, &rows->list[table->firsts[line]]);
	for (uint32_t i = 0; i < table->heading_count; i++)
		put_cell(sink, table->headings[i],
			 map_get(&table->index, key_of(line, i), &index) ? &table->cells[index] : NULL);
	buffer_text(&sink->buffer, sink->ops == &sink_json ? "}\n" : "\n");
}

/* The columns' names; JSON has them in each line. */
static void put_names(struct gpmu_sink *sink, const struct table *table)
{
	struct sink_buffer *buffer = &sink->buffer;

	if (sink->ops == &sink_json)
		return;
	sink->ops->front(sink, NULL);
	for (uint32_t i = 0; i < table->heading_count; i++) {
		if (sink->ops == &sink_csv) {
			buffer_shown(buffer, table->headings[i]);
			buffer_text(buffer, sink->separator);
		} else {
			buffer_right(buffer, table->headings[i], ONLY_WIDTH);
			buffer_char(buffer, ' ');
		}
	}
	buffer_char(buffer, '\n');
}

void sink_only_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	bool is_first = !sink->options.interval;
	struct table table = { 0 };
	int ret = 0;

	for (size_t i = 0; i < rows->length && !ret; i++)
		ret = add_row(&table, sink, rows, i);
	if (ret)
		sink->buffer.has_failed = true;
	else if (!sink->has_begun || sink->options.clear)
		put_names(sink, &table);
	for (uint32_t i = 0; i < table.first_count && !ret; i++)
		put_line(sink, rows, &table, i);
	if (!ret && sink->ops == &sink_summary)
		sink_whys(sink, rows, &is_first);
	release(&table);
}
