/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables as text: columns as wide as their widest cell, two blanks between them. Widths are
 * counted in columns of the terminal, in UTF-8 in every locale.
 *
 *	table_init(&table, stdout, "  ");
 *	table_column(&table, "memory", TABLE_RIGHT, 9, 0);
 *	table_column(&table, "name", TABLE_CUT, 0, 0);
 *	table_cell(&table, "%.1f GiB", used);
 *	table_cell(&table, "%s", name);
 *	table_print(&table);
 *
 * Cells fill the rows from left to right. Their text is printed as gpmu_shown() makes it.
 * The functions die if there is no memory.
 */
#ifndef GPMU_TABLE_H
#define GPMU_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS	32

enum table_flags {
	TABLE_RIGHT = 1,	/* numbers */
	/* Longer cells end in "..." at the column's limit. On a terminal the widest of these columns are reduced to its width. */
	TABLE_CUT = 2,
	TABLE_CUT_BEGIN = 8,	/* of TABLE_CUT: begin with "..." instead */
	TABLE_WRAP = 16,	/* of TABLE_CUT, in the last column: continue on further lines instead */
	TABLE_OPTIONAL = 4,	/* not printed if all cells are empty */
};

struct table {
	FILE *file;
	const char *indent;
	struct table_column {
		const char *name;
		int flags;
		size_t min, max;
		size_t width;	/* 0: not printed */
	} columns[TABLE_COLUMNS];
	size_t column_count;
	struct table_cell {
		char *text;
		const char *color;
		int below;	/* the column below which a note begins; -1: a cell */
	} *cells;
	size_t n, room;
};

void table_init(struct table *table, FILE *file, const char *indent);
/*
 * Adds a column; all come before the first cell. No headings are printed if all @name are NULL.
 * The column is at least @min wide. Cells wider than @max, unless it is 0, do not widen it:
 * they move the rest of their own row, or are cut.
 */
void table_column(struct table *table, const char *name, int flags, size_t min, size_t max);
/* Adds the next cell of the row. */
void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds the next cell, which is printed in a color: an escape sequence, or NULL. */
void table_colored(struct table *table, const char *color, const char *text);
/* Leaves the rest of the row empty. */
void table_end_row(struct table *table);
/* Adds a line below the row, which begins where the column @below does. */
void table_note(struct table *table, size_t below, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints the table and releases it. */
void table_print(struct table *table);

#endif /* GPMU_TABLE_H */
