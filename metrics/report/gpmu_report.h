/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: tables from traces of gpmu record */
#ifndef GPMU_REPORT_API_H
#define GPMU_REPORT_API_H

#include <stddef.h>

#include <gpmu/error.h>

/*
 * A report makes tables of one or several traces. metrics/record/timeline.rst describes the
 * content of a trace. Several traces are the ranks of one program. A GPU that several traces
 * contain, as identified by its UUID, is one GPU. Times are those of the traces. Ranks are
 * compared by durations, never by points in time.
 *
 * A program calls gpmu_report_new(), gpmu_report_add() for each trace, gpmu_report_make(), and
 * then gpmu_report_table(). A report takes about 120 bytes of memory per slice and 50 per sample of SPE.
 */
struct gpmu_report;

enum gpmu_report_kind {
	GPMU_REPORT_TEXT,
	GPMU_REPORT_COUNT,	/* an integer */
	GPMU_REPORT_TIME,	/* integer ns */
	GPMU_REPORT_BYTES,	/* integer bytes; values of counters are rounded */
	GPMU_REPORT_RATE,	/* bytes per second */
	GPMU_REPORT_SHARE,	/* a fraction; 1 is all. Some columns can be below 0 or above 1 */
	GPMU_REPORT_NUMBER,
};

/**
 * struct gpmu_report_column - a column of a table
 * @size: size of this structure
 * @name: name, a word in lower case, "total"
 * @kind: kind of all its cells
 * @is_long: 1: a text that may be long, such as the name of a kernel
 */
struct gpmu_report_column {
	size_t size;
	const char *name;
	enum gpmu_report_kind kind;
	int is_long;
};

/**
 * struct gpmu_report_cell - a value of a table
 * @known: 0: the value is not known or does not apply
 * @number: the value, for all kinds except GPMU_REPORT_TEXT; integers are exact up to 2^53
 * @text: the value, for GPMU_REPORT_TEXT
 */
struct gpmu_report_cell {
	int known;
	double number;
	const char *text;
};

/**
 * struct gpmu_report_table - a table
 * @size: size of this structure
 * @name: name, a word, "kernels"
 * @title: title for people, "kernels"
 * @note: why the table has no rows, or a caveat about them, one line; or NULL
 * @columns: array of @column_count columns
 * @column_count: number of columns, the same for all traces
 * @cells: @row_count times @column_count cells, row by row
 * @row_count: number of rows, 0 or more
 * @sorted_by: index of the column by which the rows are sorted, largest first; -1: the rows of
 *	GPUs, ranks, counters and the audit keep their own order
 */
struct gpmu_report_table {
	size_t size;
	const char *name, *title, *note;
	const struct gpmu_report_column *columns;
	size_t column_count;
	const struct gpmu_report_cell *cells;
	size_t row_count;
	int sorted_by;
};

/**
 * struct gpmu_report_options - what to report
 * @size: size of this structure
 * @link: link whose bytes are attributed to kernels and copies: "c2c", "pcie", "nvlink" or
 *	"dram"; NULL: "c2c"
 * @pc_keys: keys of the rows of PC samples, of "function", "line", "offset" and "stall", separated by ","; NULL:
 *	"function,line,stall"
 *
 * Fields that are 0 or NULL take their defaults.
 */
struct gpmu_report_options {
	size_t size;
	const char *link;
	const char *pc_keys;
};

/* Returns the name of a link; NULL after the last */
const char *gpmu_report_link(size_t index);

/**
 * gpmu_report_new() - creates a report without traces
 * @options: copied; NULL: all defaults
 * @error: set on failure, or NULL
 *
 * Return: a new report; NULL with errno EINVAL (options without a size, no such link or key) or ENOMEM
 */
struct gpmu_report *gpmu_report_new(const struct gpmu_report_options *options,
				    struct gpmu_error *error);
/* Frees @report; NULL is allowed. */
void gpmu_report_free(struct gpmu_report *report);
/**
 * gpmu_report_add() - reads a trace to its end and adds it
 * @report: a report before gpmu_report_make()
 * @fd: file descriptor of a file or pipe, open for reading; owned by the caller
 * @path: name of the trace in tables and messages; copied
 * @error: set on failure, or NULL
 *
 * Return: 0; -EINVAL if it is no trace of gpmu record, or after gpmu_report_make(); -ENOMEM; or
 * the error of reading. After a failure the report can only be freed
 */
int gpmu_report_add(struct gpmu_report *report, int fd, const char *path, struct gpmu_error *error);
/* Makes the tables. Returns 0; -EINVAL if the tables have been made; -ENOMEM */
int gpmu_report_make(struct gpmu_report *report, struct gpmu_error *error);
/*
 * Returns a table, which may be empty; borrowed. NULL after the last, and before
 * gpmu_report_make().
 */
const struct gpmu_report_table *gpmu_report_table(const struct gpmu_report *report, size_t index);

#endif /* GPMU_REPORT_API_H */
