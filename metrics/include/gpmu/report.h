/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: what the traces of gpmu record say, as tables */
#ifndef GPMU_REPORT_API_H
#define GPMU_REPORT_API_H

#include <stddef.h>

#include <gpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Tables of one or several traces, which metrics/record/timeline.rst describes. Several traces are ranks of one
 * program; a GPU that is in several of them, by its UUID, is one GPU. All times are as the traces have
 * them: ranks are compared by how long things took, never by when.
 *
 * gpmu_report_new(), gpmu_report_add() for each trace, gpmu_report_make(), then gpmu_report_table().
 * Memory is some 120 bytes for each slice.
 */
struct gpmu_report;

enum gpmu_report_kind {
	GPMU_REPORT_TEXT,
	GPMU_REPORT_COUNT,	/* a whole number */
	GPMU_REPORT_TIME,	/* ns, whole */
	GPMU_REPORT_BYTES,	/* whole; of counters rounded */
	GPMU_REPORT_RATE,	/* bytes a second */
	GPMU_REPORT_SHARE,	/* 1 is all; more, and less than 0, where a column says so */
	GPMU_REPORT_NUMBER,
};

/**
 * struct gpmu_report_column - of a table
 * @size: of this structure
 * @name: a word in lower case: "total"
 * @kind: of all its cells
 * @is_long: 1: a text that may be long: a kernel's name
 */
struct gpmu_report_column {
	size_t size;
	const char *name;
	enum gpmu_report_kind kind;
	int is_long;
};

/**
 * struct gpmu_report_cell - a value
 * @known: 0: it is not known, or does not apply
 * @number: of all kinds but GPMU_REPORT_TEXT; a whole one is exact up to 2^53
 * @text: of GPMU_REPORT_TEXT
 */
struct gpmu_report_cell {
	int known;
	double number;
	const char *text;
};

/**
 * struct gpmu_report_table - rows, the largest first; those of GPUs, ranks, counters and of the audit in their order
 * @size: of this structure
 * @name: a word: "kernels"
 * @title: of it, for people: "kernels"
 * @note: why it has no rows, or what to know of them: one line; or NULL
 * @columns: @n_columns of them
 * @n_columns: the same for all traces
 * @cells: @n_rows times @n_columns, a row after the other
 * @n_rows: may be 0
 * @sorted_by: the column that the order is of; -1: it is none's
 */
struct gpmu_report_table {
	size_t size;
	const char *name, *title, *note;
	const struct gpmu_report_column *columns;
	size_t n_columns;
	const struct gpmu_report_cell *cells;
	size_t n_rows;
	int sorted_by;
};

/**
 * struct gpmu_report_options - what is 0 or NULL is the default
 * @size: of this structure
 * @link: whose bytes are paid for: "c2c", "pcie", "nvlink", "dram"; NULL: "c2c"
 */
struct gpmu_report_options {
	size_t size;
	const char *link;
};

/* The links, by their index; NULL after the last */
const char *gpmu_report_link(size_t index);

/**
 * gpmu_report_new() - a report of no trace yet
 * @options: copied; NULL: all are the default
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (options without a size, no such link) or ENOMEM
 */
struct gpmu_report *gpmu_report_new(const struct gpmu_report_options *options, struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_report_free(struct gpmu_report *report);
/**
 * gpmu_report_add() - reads a trace, to its end
 * @report: not made yet
 * @fd: the caller's, open for reading; a pipe will do
 * @path: as it is to be called, copied
 * @error: set on failure, or NULL
 *
 * Return: 0; -EINVAL: it is no trace of gpmu record, or the report is made; -ENOMEM; what reading failed
 * with. After a failure the report can only be freed
 */
int gpmu_report_add(struct gpmu_report *report, int fd, const char *path, struct gpmu_error *error);
/* Makes the tables, once. Return: 0; -EINVAL: it is made; -ENOMEM */
int gpmu_report_make(struct gpmu_report *report, struct gpmu_error *error);
/* Borrowed; those without rows are there too. NULL after the last, and before gpmu_report_make() */
const struct gpmu_report_table *gpmu_report_table(const struct gpmu_report *report, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_REPORT_API_H */
