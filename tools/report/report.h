/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How gpmu report writes tables. */
#ifndef GPMU_TOOLS_REPORT_H
#define GPMU_TOOLS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "gpmu.h"
#include "report/gpmu_report.h"

/* The shown part of a table */
struct report_view {
	const struct gpmu_report_table *table;
	size_t *order;		/* row indices in display order */
	size_t n;		/* shown rows */
};

struct report_output {
	FILE *file;
	const struct report_view *views;
	size_t view_count;
	size_t file_count;
	const char *separator;	/* of CSV; NULL: "," */
};

void report_write_text(const struct report_output *output);
void report_write_csv(const struct report_output *output);
void report_write_json(const struct report_output *output);

/* Prints to a file, or to standard output if @path is NULL. Dies if it cannot. Returns EXIT_SUCCESS. */
int report_write(const char *path, void (*write)(const struct report_output *output), struct report_output *output);
/* Sorts a view: numbers in descending order, text alphabetically. Returns whether the table has the column. */
bool report_sort(struct report_view *view, const char *column);
/* Dies with the columns that the table has. */
void report_refuse_column(const char *column, const struct gpmu_report_table *table) __attribute__((noreturn));

/*
 * Reads the first bytes of a file, or of standard input if @path is "-", without consuming them. Returns their number;
 * -1 if it cannot, or if @path is no regular file.
 */
ssize_t report_peek(const char *path, char *bytes, size_t size);

/* The cell of a row, in display order */
const struct gpmu_report_cell *report_cell(const struct report_view *view, size_t row, size_t column);

#endif /* GPMU_TOOLS_REPORT_H */
