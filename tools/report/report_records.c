// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables as CSV and as a JSON object, with unscaled numbers. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gpmu_json.h"
#include "base/text/gpmu_shown.h"
#include "message.h"
#include "output/output.h"
#include "report/report.h"

/* Rates in whole bytes per second; fractions with 12 digits */
static void put_number(FILE *file, enum gpmu_report_kind kind, double number)
{
	bool is_whole = kind == GPMU_REPORT_COUNT || kind == GPMU_REPORT_TIME || kind == GPMU_REPORT_BYTES ||
			kind == GPMU_REPORT_RATE;

	fprintf(file, is_whole ? "%.0f" : "%.12g", number);
}

/* The columns of CSV */
struct columns {
	FILE *file;
	const char *separator;
	bool is_terminal;
};

/* As RFC 4180, with any separator */
static void put_quoted(const struct columns *columns, const char *text)
{
	if (!strpbrk(text, "\"\r\n") && *text != '#' && !strstr(text, columns->separator)) {
		fputs(text, columns->file);
		return;
	}
	putc('"', columns->file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', columns->file);
		putc(*text, columns->file);
	}
	putc('"', columns->file);
}

/* A file gets the bytes of a text, a terminal the shown text. */
static void put_text(const struct columns *columns, const char *text)
{
	char *shown = columns->is_terminal ? gpmu_shown(print_text("%s", text)) : NULL;

	put_quoted(columns, shown ? shown : text);
	free(shown);
}

static void put_csv(const struct columns *columns, const struct report_view *view)
{
	const struct gpmu_report_table *table = view->table;
	FILE *file = columns->file;

	fprintf(file, "# gpmu-report-csv 1 %s\n", table->name);
	for (size_t column = 0; column < table->column_count; column++)
		fprintf(file, "%s%s", column ? columns->separator : "", table->columns[column].name);
	putc('\n', file);
	for (size_t row = 0; row < view->n; row++) {
		for (size_t column = 0; column < table->column_count; column++) {
			const struct gpmu_report_cell *cell = report_cell(view, row, column);

			if (column)
				fputs(columns->separator, file);
			if (cell->known && table->columns[column].kind == GPMU_REPORT_TEXT)
				put_text(columns, cell->text);
			else if (cell->known)
				put_number(file, table->columns[column].kind, cell->number);
		}
		putc('\n', file);
	}
}

void report_write_csv(const struct report_output *output)
{
	const struct columns columns = {
		.file = output->file, .separator = output->separator ? output->separator : ",",
		.is_terminal = isatty(fileno(output->file)),
	};

	for (size_t i = 0; i < output->view_count; i++)
		put_csv(&columns, &output->views[i]);
}

static void put_json(FILE *file, const struct report_view *view)
{
	const struct gpmu_report_table *table = view->table;

	fprintf(file, ",\n\"%s\":[", table->name);
	for (size_t row = 0; row < view->n; row++) {
		fputs(row ? ",\n{" : "\n{", file);
		for (size_t column = 0; column < table->column_count; column++) {
			const struct gpmu_report_cell *cell = report_cell(view, row, column);

			fprintf(file, "%s\"%s\":", column ? "," : "", table->columns[column].name);
			if (!cell->known)
				fputs("null", file);
			else if (table->columns[column].kind == GPMU_REPORT_TEXT)
				gpmu_json_print(file, cell->text);
			else
				put_number(file, table->columns[column].kind, cell->number);
		}
		putc('}', file);
	}
	putc(']', file);
}

void report_write_json(const struct report_output *output)
{
	bool is_first = true;

	fputs("{\"gpmu_report\":1,\"notes\":{", output->file);
	for (size_t i = 0; i < output->view_count; i++) {
		const struct gpmu_report_table *table = output->views[i].table;

		if (!table->note)
			continue;
		fprintf(output->file, "%s\"%s\":", is_first ? "" : ",", table->name);
		gpmu_json_print(output->file, table->note);
		is_first = false;
	}
	putc('}', output->file);
	for (size_t i = 0; i < output->view_count; i++)
		put_json(output->file, &output->views[i]);
	fputs("}\n", output->file);
}
