// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of the gpmu command: widths, cut texts, notes */
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/table.h"
#include "tap.h"

/* Returns the output of the table to a stream that is no terminal, and releases the table. */
static const char *printed(struct table *table)
{
	static char *text;
	size_t size;

	free(text);
	table->file = open_memstream(&text, &size);
	if (!table->file)
		abort();
	table_print(table);
	fclose(table->file);
	return text;
}

static void add_row(struct table *table, const char *name, const char *number, const char *text)
{
	table_cell(table, "%s", name);
	table_cell(table, "%s", number);
	table_cell(table, "%s", text);
}

static void three(struct table *table, int flags, size_t max)
{
	table_init(table, NULL, "  ");
	table_column(table, "name", 0, 0, 8);
	table_column(table, "GB/s", TABLE_RIGHT, 6, 0);
	table_column(table, "text", flags, 0, max);
}

static void test_widths(void)
{
	struct table table;

	three(&table, 0, 0);
	is_str(printed(&table), "  name    GB/s  text\n", "table: without rows, headings are printed");
	three(&table, 0, 0);
	add_row(&table, "a", "1", "one");
	add_row(&table, "abcdef", "1234567", "");
	is_str(printed(&table), "  name       GB/s  text\n  a             1  one\n  abcdef  1234567\n",
	       "table: a column is as wide as its widest cell, and no line ends in blanks");
	three(&table, 0, 0);
	add_row(&table, "a", "1", "one");
	add_row(&table, "abcdefghij", "2", "two");
	is_str(printed(&table),
	       "  name        GB/s  text\n  a              1  one\n  abcdefghij       2  two\n",
	       "table: a cell wider than its column's limit moves only its own row");
	three(&table, TABLE_OPTIONAL, 0);
	add_row(&table, "a", "1", "");
	is_str(printed(&table), "  name    GB/s\n  a          1\n",
	       "table: an optional column without text is not printed");
	table_init(&table, NULL, "");
	table_column(&table, NULL, 0, 4, 0);
	table_column(&table, NULL, 0, 0, 0);
	table_cell(&table, "a");
	table_cell(&table, "b");
	is_str(printed(&table), "a     b\n", "table: no headings are printed if no column has a name");
}

static void test_texts(void)
{
	struct table table;
	locale_t utf8;

	three(&table, TABLE_CUT, 8);
	add_row(&table, "a\033[1mb", "1", "12345678");
	add_row(&table, "b", "2", "123456789");
	is_str(printed(&table), "  name      GB/s  text\n  a?[1mb       1  12345678\n  b            2  12345...\n",
	       "table: control characters become \"?\", and a text over its limit ends in \"...\"");
	three(&table, TABLE_CUT, 8);
	add_row(&table, "Zähler", "1", "äöüäöüäöü");
	add_row(&table, "b", "2", "\xff\xc3");
	is_str(printed(&table), "  name      GB/s  text\n  Zähler       1  äöüäö...\n  b            2  ??\n",
	       "table: UTF-8 is measured in characters, and each byte that is not UTF-8 becomes \"?\"");
	three(&table, TABLE_CUT | TABLE_CUT_BEGIN, 8);
	add_row(&table, "a", "1", "main;step;solve");
	is_str(printed(&table), "  name    GB/s  text\n  a          1  ...solve\n",
	       "table: the start of a text over its limit is cut in a column of such texts");
	three(&table, TABLE_CUT | TABLE_WRAP, 12);
	add_row(&table, "a", "1", "record again as root");
	add_row(&table, "b", "2", "abcdefghijklmnop qr");
	add_row(&table, "c", "3", "");
	is_str(printed(&table),
	       "  name    GB/s  text\n  a          1  record again\n                as root\n  b          2  abcdefghijkl\n                mnop qr\n  c          3\n",
	       "table: a text over its limit continues below its begin, from the last blank or within a long word");
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	three(&table, TABLE_CUT | TABLE_CUT_BEGIN, 8);
	add_row(&table, "a", "1", "磁盘磁盘磁");
	is_str(printed(&table), utf8 ? "  name    GB/s  text\n  a          1  ...盘磁\n" : "  name    GB/s  text\n  a          1  磁盘磁盘磁\n",
	       "table: the begin is cut by whole characters");
	three(&table, 0, 0);
	add_row(&table, "磁盘", "1", "x");
	is_str(printed(&table), utf8 ? "  name    GB/s  text\n  磁盘       1  x\n" :
				       "  name    GB/s  text\n  磁盘         1  x\n",
	       "table: a wide character takes two columns");
	if (utf8)
		freelocale(utf8);
}

static void test_rows(void)
{
	struct table table;

	three(&table, 0, 0);
	add_row(&table, "a", "1", "one");
	table_note(&table, 1, "-> %s", "why");
	table_cell(&table, "b");
	table_end_row(&table);
	table_end_row(&table);
	add_row(&table, "c", "3", "three");
	is_str(printed(&table),
	       "  name    GB/s  text\n  a          1  one\n        -> why\n  b\n  c          3  three\n",
	       "table: a note begins below its column, and a row may end early");
	table_init(&table, NULL, "");
	table_column(&table, NULL, 0, 4, 0);
	table_column(&table, NULL, 0, 0, 0);
	table_colored(&table, "\033[31m", "a");
	table_colored(&table, NULL, "b");
	is_str(printed(&table), "\033[31ma\033[m     b\n", "table: a color does not change the width of its cell");
}

/* Returns the output of a table of a heading and a row to a terminal of this width. */
static const char *on_terminal(struct table *table, unsigned short width)
{
	const struct winsize size = { .ws_row = 10, .ws_col = width };
	static char text[4096];
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	size_t length = 0;
	ssize_t n = 1;

	if (master < 0 || grantpt(master) || unlockpt(master))
		return NULL;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size))
		return NULL;
	table->file = fdopen(slave, "w");
	table_print(table);
	fflush(table->file);
	/* Each line may arrive by itself. */
	for (text[0] = '\0'; n > 0 && strchr(text, '\n') == strrchr(text, '\n'); text[length] = '\0') {
		n = read(master, text + length, sizeof(text) - 1 - length);
		length += n > 0 ? (size_t)n : 0;
	}
	fclose(table->file);
	close(master);
	return text;
}

static void test_terminal(void)
{
	struct table table;
	const char *text;

	three(&table, TABLE_CUT, 0);
	add_row(&table, "a", "1", "A description of this row that is long");
	text = on_terminal(&table, 40);
	if (!text) {
		ok(true, "table: the last column is cut to the terminal's width # SKIP no pseudoterminals");
		ok(true, "table: a narrow terminal leaves 20 columns of a text # SKIP no pseudoterminals");
		ok(true, "table: wide columns before the last one are reduced to the terminal's width # SKIP no pseudoterminals");
		return;
	}
	is_str(text, "  name    GB/s  text\r\n  a          1  A description of this...\r\n",
	       "table: the last column is cut to the terminal's width");
	three(&table, TABLE_CUT, 0);
	add_row(&table, "a", "1", "A description of this row that is long");
	is_str(on_terminal(&table, 10), "  name    GB/s  text\r\n  a          1  A description of ...\r\n",
	       "table: a narrow terminal leaves 20 columns of a text");
	table_init(&table, NULL, "");
	table_column(&table, "function", TABLE_CUT, 0, 160);
	table_column(&table, "object", TABLE_CUT, 0, 160);
	table_column(&table, "n", TABLE_RIGHT, 0, 0);
	table_cell(&table, "a_function_with_a_name_of_40_characters_");
	table_cell(&table, "an_object");
	table_cell(&table, "1");
	is_str(on_terminal(&table, 40), "function                    object     n\r\na_function_with_a_name_...  an_object  1\r\n",
	       "table: wide columns before the last one are reduced to the terminal's width");
}

int main(void)
{
	test_widths();
	test_texts();
	test_rows();
	test_terminal();
	return done_testing();
}
