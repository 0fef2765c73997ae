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

/* RFC 4180 */
static void put_quoted(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n") && *text != '#') {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

/* A file gets the bytes of a text, a terminal the shown text. */
static void put_text(FILE *file, const char *text, bool is_terminal)
{
	char *shown = is_terminal ? gpmu_shown(print_text("%s", text)) : NULL;

	put_quoted(file, shown ? shown : text);
	free(shown);
}

static void put_csv(FILE *file, const struct report_view *view, bool is_terminal)
{
	const struct gpmu_report_table *table = view->table;

	fprintf(file, "# gpmu-report-csv 1 %s\n", table->name);
	for (size_t column = 0; column < table->column_count; column++)
		fprintf(file, "%s%s", column ? "," : "", table->columns[column].name);
	putc('\n', file);
	for (size_t row = 0; row < view->n; row++) {
		for (size_t column = 0; column < table->column_count; column++) {
			const struct gpmu_report_cell *cell = report_cell(view, row, column);

			if (column)
				putc(',', file);
			if (cell->known && table->columns[column].kind == GPMU_REPORT_TEXT)
				put_text(file, cell->text, is_terminal);
			else if (cell->known)
				put_number(file, table->columns[column].kind, cell->number);
		}
		putc('\n', file);
	}
}

void report_write_csv(const struct report_output *output)
{
	const bool is_terminal = isatty(fileno(output->file));

	for (size_t i = 0; i < output->view_count; i++)
		put_csv(output->file, &output->views[i], is_terminal);
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
