// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables as text: numbers with units, long names in the last column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_shown.h"
#include "common.h"
#include "message.h"
#include "output/table.h"
#include "report/report.h"

#define TEXT_MAX	160	/* shown characters of a line of a text */

struct unit {
	double from;
	const char *name;
};

static void with_unit(char *text, size_t size, double number, const struct unit *units, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && fabs(number) < units[i].from)
		i++;
	if (i + 1 == n || number == 0)
		snprintf(text, size, "%.0f %s", number / units[n - 1].from, units[n - 1].name);
	else
		snprintf(text, size, "%.3f %s", number / units[i].from, units[i].name);
}

static void write_number(char *text, size_t size, enum gpmu_report_kind kind, double number)
{
	static const struct unit times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	static const struct unit bytes[] = { { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "KB" }, { 1, "B" } };
	static const struct unit rates[] = { { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "KB/s" }, { 1, "B/s" } };

	switch (kind) {
	case GPMU_REPORT_TIME:
		with_unit(text, size, number, times, 4);
		break;
	case GPMU_REPORT_BYTES:
		with_unit(text, size, number, bytes, 4);
		break;
	case GPMU_REPORT_RATE:
		with_unit(text, size, number, rates, 4);
		break;
	case GPMU_REPORT_SHARE:
		snprintf(text, size, "%.1f %%", number * 100);
		break;
	case GPMU_REPORT_COUNT:
		snprintf(text, size, "%.0f", number);
		break;
	default:
		snprintf(text, size, "%.4g", number);
	}
}

static size_t column_of(const struct gpmu_report_table *table, const char *name)
{
	size_t column = 0;

	while (column < table->column_count && strcmp(table->columns[column].name, name) != 0)
		column++;
	return column;
}

/* A number with its unit in another column is formatted with that unit. */
static enum gpmu_report_kind kind_of(const struct report_view *view, size_t row, size_t column)
{
	enum gpmu_report_kind kind = view->table->columns[column].kind;
	size_t unit = column_of(view->table, "unit");
	const char *text;

	if (kind != GPMU_REPORT_NUMBER || unit == view->table->column_count)
		return kind;
	text = report_cell(view, row, unit)->text;
	if (!*text && !strcmp(view->table->columns[column].name, "total"))
		return GPMU_REPORT_COUNT;
	return !strcmp(text, "ns") ? GPMU_REPORT_TIME : !strcmp(text, "B") ? GPMU_REPORT_BYTES : kind;
}

static void add_cell(struct table *table, const struct report_view *view, size_t row, size_t column)
{
	const struct gpmu_report_cell *cell = report_cell(view, row, column);
	bool is_text = view->table->columns[column].kind == GPMU_REPORT_TEXT;
	char number[64];

	if (!cell->known || is_text) {
		table_cell(table, "%s", !is_text ? "-" : cell->known ? cell->text : "");
		return;
	}
	write_number(number, sizeof(number), kind_of(view, row, column), cell->number);
	table_cell(table, "%s", number);
}

/* Returns whether all shown cells have the same text. */
static bool is_constant(const struct report_view *view, size_t column)
{
	for (size_t row = 1; row < view->n; row++)
		if (strcmp(report_cell(view, row, column)->text, report_cell(view, 0, column)->text) != 0)
			return false;
	return true;
}

/* The column is empty, or constant for a single rank or event, or part of another column. */
static bool is_hidden(const struct report_output *output, const struct report_view *view, size_t column)
{
	const char *name = view->table->columns[column].name;

	if (output->file_count < 2 && (!strcmp(name, "rank") || !strcmp(name, "host")))
		return true;
	if (!strcmp(name, "uuid") || (!strcmp(view->table->name, "imbalance") && !strcmp(name, "unit")))
		return true;
	if (!strcmp(name, "event"))
		return is_constant(view, column);
	for (size_t row = 0; row < view->n; row++) {
		const struct gpmu_report_cell *cell = report_cell(view, row, column);

		if (cell->known && (!cell->text || *cell->text))
			return false;
	}
	return true;
}

/* Audit lines that are equal for several ranks are printed once. */
static bool is_repeated(const struct report_view *view, size_t row)
{
	size_t text = column_of(view->table, "text");

	if (strcmp(view->table->name, "audit") != 0)
		return false;
	for (size_t i = 0; i < row; i++)
		if (!strcmp(report_cell(view, i, text)->text, report_cell(view, row, text)->text))
			return true;
	return false;
}

struct layout {
	size_t columns[TABLE_COLUMNS];	/* in display order */
	char names[TABLE_COLUMNS][64];
	size_t n;
};

/* A text column's flags: the innermost functions of a stack are shown, and sentences as a whole. */
static int text_flags(const char *name)
{
	static const struct {
		const char *name;
		int flags;
	} columns[] = { { "stack", TABLE_CUT_BEGIN }, { "text", TABLE_WRAP }, { "value", TABLE_WRAP } };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcmp(columns[i].name, name))
			return TABLE_CUT | columns[i].flags;
	return TABLE_CUT;
}

static void add_column(struct table *table, struct layout *layout, const struct gpmu_report_table *from,
		       size_t column)
{
	bool is_text = from->columns[column].kind == GPMU_REPORT_TEXT;
	char *name = layout->names[layout->n];

	layout->columns[layout->n++] = column;
	snprintf(name, sizeof(layout->names[0]), "%s", from->columns[column].name);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	table_column(table, name, is_text ? text_flags(name) : TABLE_RIGHT, 0, is_text ? TEXT_MAX : 0);
}

/* Advice is too long for a column: it is a line below its row. */
static bool is_below(const struct report_view *view, size_t column)
{
	return !strcmp(view->table->columns[column].name, "advice");
}

static void add_below(struct table *table, const struct report_view *view, size_t row)
{
	size_t column = column_of(view->table, "advice");

	if (column < view->table->column_count && *report_cell(view, row, column)->text)
		table_note(table, 0, "  advice: %s", report_cell(view, row, column)->text);
}

/* Adds the columns that are shown, the long ones last. */
static void lay_out(struct table *table, const struct report_output *output, const struct report_view *view,
		    struct layout *layout)
{
	layout->n = 0;
	for (int is_long = 0; is_long < 2; is_long++)
		for (size_t i = 0; i < view->table->column_count && layout->n < TABLE_COLUMNS; i++)
			if (view->table->columns[i].is_long == is_long && !is_below(view, i) && !is_hidden(output, view, i))
				add_column(table, layout, view->table, i);
}

static void put_title(const struct report_output *output, const struct report_view *view)
{
	fputs(view == output->views ? "" : "\n", output->file);
	gpmu_shown_print(output->file, view->table->title);
	putc('\n', output->file);
}

static void put_table(const struct report_output *output, const struct report_view *view)
{
	struct layout layout;
	struct table table;

	put_title(output, view);
	table_init(&table, output->file, "  ");
	lay_out(&table, output, view, &layout);
	for (size_t row = 0; row < view->n; row++) {
		if (is_repeated(view, row))
			continue;
		for (size_t i = 0; i < layout.n; i++)
			add_cell(&table, view, row, layout.columns[i]);
		add_below(&table, view, row);
	}
	table_print(&table);
	if (view->n < view->table->row_count)
		fprintf(output->file, "  %zu more: --top=%zu\n", view->table->row_count - view->n,
			view->table->row_count);
}

static void put_named(const struct report_output *output, const struct report_view *view, size_t row, const char *column)
{
	gpmu_shown_print(output->file, report_cell(view, row, column_of(view->table, column))->text);
}

/* Advice has two long texts, which a table would cut: each is a line below that of the kernel. */
static void put_advice(const struct report_output *output, const struct report_view *view)
{
	const size_t count = column_of(view->table, "count");

	put_title(output, view);
	for (size_t row = 0; row < view->n; row++) {
		double n = report_cell(view, row, count)->number;

		fputs("  ", output->file);
		put_named(output, view, row, "rule");
		fputs(": ", output->file);
		put_named(output, view, row, "kernel");
		fprintf(output->file, ", %.0f %s: ", n, n == 1 ? "launch" : "launches");
		put_named(output, view, row, "observation");
		fputs("\n    ", output->file);
		put_named(output, view, row, "values");
		fputs("\n    ", output->file);
		put_named(output, view, row, "advice");
		putc('\n', output->file);
	}
}

void report_write_text(const struct report_output *output)
{
	for (size_t i = 0; i < output->view_count; i++) {
		const struct report_view *view = &output->views[i];

		if (view->n) {
			(strcmp(view->table->name, "advice") ? put_table : put_advice)(output, view);
			continue;
		}
		put_title(output, view);
		fputs("  ", output->file);
		gpmu_shown_print(output->file, view->table->note ? view->table->note : "none");
		putc('\n', output->file);
	}
}
