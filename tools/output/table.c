// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "common.h"
#include "output/table.h"

#define GAP		"  "
#define COLOR_END	"\033[m"
#define CUT_MIN	20	/* columns of a cut text on a narrow terminal */
#define DOTS		"..."

void table_init(struct table *table, FILE *file, const char *indent)
{
	*table = (struct table){ .file = file, .indent = indent };
}

void table_column(struct table *table, const char *name, int flags, size_t min, size_t max)
{
	if (table->column_count == TABLE_COLUMNS)
		return;
	table->columns[table->column_count++] = (struct table_column){
		.name = name, .flags = flags, .min = min, .max = max,
	};
}

/* --- cells --- */

static struct table_cell *add(struct table *table, char *text)
{
	struct table_cell *cell;

	if (table->n == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = need_memory(reallocarray(table->cells, table->room, sizeof(*table->cells)));
	}
	cell = &table->cells[table->n++];
	*cell = (struct table_cell){ .text = text, .below = -1 };
	return cell;
}

static char *format(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		die_no_memory();
	return gpmu_shown(text);
}

void table_cell(struct table *table, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(table, format(fmt, args));
	va_end(args);
}

void table_colored(struct table *table, const char *color, const char *text)
{
	add(table, gpmu_shown(print_text("%s", text)))->color = color;
}

void table_end_row(struct table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		n += table->cells[i].below < 0;
	for (; n % table->column_count; n++)
		add(table, print_text("%s", ""));
}

void table_note(struct table *table, size_t below, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(table, format(fmt, args))->below = (int)below;
	va_end(args);
}

/* --- widths --- */

static void widen(struct table_column *column, const char *text)
{
	size_t width = gpmu_shown_width(text);

	if (column->max && width > column->max)
		width = column->max;
	if (width > column->width)
		column->width = width;
}

/* Sets the widths of all columns. Returns whether there are headings. */
static bool measure(struct table *table)
{
	bool has_headings = false;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		if (table->cells[i].below < 0)
			widen(&table->columns[n++ % table->column_count], table->cells[i].text);
	for (size_t i = 0; i < table->column_count; i++) {
		struct table_column *column = &table->columns[i];

		if (!column->width && (column->flags & TABLE_OPTIONAL))
			continue;
		if (column->width < column->min)
			column->width = column->min;
		if (!column->name)
			continue;
		has_headings = true;
		if (column->width < gpmu_shown_width(column->name))
			column->width = gpmu_shown_width(column->name);
	}
	return has_headings;
}

/* The columns of the terminal that is written to, or SIZE_MAX */
static size_t terminal_width(FILE *file)
{
	struct winsize size;
	int fd = fileno(file);

	return fd >= 0 && isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : SIZE_MAX;
}

/* The column that can be reduced most, except the last one, whose text is cut at the end of the line; NULL: none */
static struct table_column *widest(struct table *table, const struct table_column *last)
{
	struct table_column *found = NULL;

	for (struct table_column *column = table->columns; column < last; column++)
		if (column->flags & TABLE_CUT && column->width > CUT_MIN && (!found || column->width > found->width))
			found = column;
	return found;
}

/* Reduces columns until a row fits into @room columns of a terminal, or all are small. */
static void narrow(struct table *table, size_t room)
{
	struct table_column *last = NULL, *column;
	size_t used = strlen(table->indent);

	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].width) {
			last = &table->columns[i];
			used += last->width + strlen(GAP);
		}
	if (!last)
		return;
	used -= strlen(GAP);
	if (last->flags & TABLE_CUT && last->width > CUT_MIN)
		used -= last->width - CUT_MIN;
	while (used > room && (column = widest(table, last))) {
		size_t excess = used - room, max = column->width - CUT_MIN;

		column->max = column->width -= excess < max ? excess : max;
		used -= excess < max ? excess : max;
	}
}

/* --- output --- */

struct printer {
	struct table *table;
	size_t terminal;
	size_t column;		/* the next one */
	size_t used;		/* columns of the terminal */
	size_t blanks;		/* to print before the next text */
};

static void put_blanks(struct printer *printer)
{
	fprintf(printer->table->file, "%*s", (int)printer->blanks, "");
	printer->used += printer->blanks;
	printer->blanks = 0;
}

static bool is_last(const struct table *table, size_t column)
{
	for (column++; column < table->column_count; column++)
		if (table->columns[column].width)
			return false;
	return true;
}

/* The columns of the terminal that a text has */
static size_t room_for(const struct printer *printer, bool is_cut)
{
	const struct table_column *column = &printer->table->columns[printer->column];
	size_t room = is_cut && column->max ? column->max : SIZE_MAX, used = printer->used + printer->blanks;

	if (!is_cut || !is_last(printer->table, printer->column) || printer->terminal == SIZE_MAX)
		return room;
	if (printer->terminal < used + CUT_MIN)
		return CUT_MIN < room ? CUT_MIN : room;
	return printer->terminal - used < room ? printer->terminal - used : room;
}

/* The end of a text that fits into @room columns */
static const char *fit_end(const char *text, size_t room, size_t *width)
{
	size_t left = gpmu_shown_width(text), step;

	for (; left > room; left -= step)
		text += gpmu_shown_fit(text, 1, &step) ?: gpmu_shown_fit(text, 2, &step);
	*width = left;
	return text;
}

static void put_text(struct printer *printer, const char *text, const char *color, bool is_cut)
{
	const struct table_column *column = &printer->table->columns[printer->column];
	size_t room = room_for(printer, is_cut), width, length = gpmu_shown_fit(text, room, &width);
	const char *before = "", *after = "";
	FILE *file = printer->table->file;
	size_t padding;

	if (text[length] && column->flags & TABLE_CUT_BEGIN) {
		text = fit_end(text, room - strlen(DOTS), &width);
		length = strlen(text);
		before = DOTS;
	} else if (text[length]) {
		length = gpmu_shown_fit(text, room - strlen(DOTS), &width);
		after = DOTS;
	}
	width += strlen(before) + strlen(after);
	padding = column->width > width ? column->width - width : 0;
	printer->blanks += column->flags & TABLE_RIGHT ? padding : 0;
	if (width) {
		put_blanks(printer);
		fprintf(file, "%s%s%.*s%s%s", color ? color : "", before, (int)length, text, after, color ? COLOR_END : "");
	}
	printer->used += width;
	printer->blanks += column->flags & TABLE_RIGHT ? 0 : padding;
}

/*
 * The bytes of a text's next line of at most @room columns; @rest: the begin of the line after it. A line ends at a
 * blank or, in a longer word, anywhere.
 */
static size_t next_line(const char *text, size_t room, const char **rest)
{
	size_t width, length = gpmu_shown_fit(text, room, &width), end = length;

	*rest = text + length;
	if (!text[length])
		return length;
	while (end && text[end] != ' ')
		end--;
	if (!end)
		return length;
	*rest = text + end + 1;
	return end;
}

/* Prints a text, in further lines below its begin if it does not fit into one. */
static void put_wrapped(struct printer *printer, const char *text, const char *color)
{
	const size_t begin = printer->used + printer->blanks, room = room_for(printer, true);
	FILE *file = printer->table->file;
	const char *rest;

	do {
		size_t length = next_line(text, room, &rest);

		if (length) {
			put_blanks(printer);
			fprintf(file, "%s%.*s%s", color ? color : "", (int)length, text, color ? COLOR_END : "");
		}
		if (*rest)
			putc('\n', file);
		printer->used = 0;
		printer->blanks = begin;
		text = rest;
	} while (*rest);
}

/* Prints the next cell or heading of a row, and the end of the line after the last one. */
static void put_cell(struct printer *printer, const struct table_cell *cell, bool is_cut)
{
	struct table *table = printer->table;
	struct table_column *column = &table->columns[printer->column];

	if (!printer->column) {
		printer->used = 0;
		printer->blanks = strlen(table->indent);
	}
	if (column->width && is_cut && column->flags & TABLE_WRAP && is_last(table, printer->column)) {
		put_wrapped(printer, cell->text, cell->color);
	} else if (column->width) {
		put_text(printer, cell->text, cell->color, is_cut && (column->flags & TABLE_CUT));
		printer->blanks += strlen(GAP);
	}
	printer->column = (printer->column + 1) % table->column_count;
	if (!printer->column)
		putc('\n', table->file);
}

static void put_headings(struct printer *printer)
{
	const struct table *table = printer->table;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_cell cell = { .text = (char *)(table->columns[i].name ?: "") };

		put_cell(printer, &cell, false);
	}
}

static void put_note(const struct table *table, const struct table_cell *cell)
{
	size_t width = strlen(table->indent);

	for (size_t i = 0; i < (size_t)cell->below; i++)
		if (table->columns[i].width)
			width += table->columns[i].width + strlen(GAP);
	fprintf(table->file, "%*s%s\n", (int)width, "", cell->text);
}

void table_print(struct table *table)
{
	struct printer printer = { .table = table, .terminal = terminal_width(table->file) };

	const bool has_headings = measure(table);

	narrow(table, printer.terminal);
	if (has_headings)
		put_headings(&printer);
	for (size_t i = 0; i < table->n; i++) {
		if (table->cells[i].below >= 0)
			put_note(table, &table->cells[i]);
		else
			put_cell(&printer, &table->cells[i], true);
		free(table->cells[i].text);
	}
	free(table->cells);
	table_init(table, table->file, table->indent);
}
