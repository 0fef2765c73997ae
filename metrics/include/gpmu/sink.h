/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sink: rows as text */
#ifndef GPMU_SINK_API_H
#define GPMU_SINK_API_H

#include <stdio.h>

#include <gpmu/error.h>
#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Rows for people, or for programs in two forms that do not change:
 * metrics/values/output.rst says what each column is. Numbers are in the C locale in any
 * locale. A sink belongs to one thread at a time.
 */
struct gpmu_sink;

enum gpmu_sink_kind {
	GPMU_SINK_SUMMARY,	/* as perf stat prints it */
	GPMU_SINK_CSV,
	GPMU_SINK_JSON,		/* an object a line */
};

/**
 * struct gpmu_sink_options - how rows are written; what is 0 or NULL is the default
 * @size: of this structure
 * @separator: of a CSV file's columns; NULL: ","
 * @title: of a summary, what was counted: "'./app'"; NULL: "system wide"
 * @host: of CSV and JSON; NULL: this machine's name
 * @color: 1: a metric beyond its threshold is red in a summary
 * @interval: 1: each gpmu_sink_rows() is an interval, 0: there is one of the whole run
 * @big_numbers: 1: a summary's numbers have a comma before each three digits
 * @per_node: 1: a summary has a column of nodes even if no row is of one
 * @runs: how many runs the values are the mean of; 0: 1
 * @continues: 1: what is written before the first row of CSV is there already
 */
struct gpmu_sink_options {
	size_t size;
	const char *separator;
	const char *title;
	const char *host;
	int color;
	int interval;
	int big_numbers;
	int per_node;
	unsigned int runs;
	int continues;
};

/**
 * struct gpmu_sink_end - what a summary ends with
 * @size: of this structure
 * @elapsed: seconds, the mean of several runs
 * @deviation: the standard deviation of that mean
 * @user: seconds of the command; below 0: there was none
 * @system: likewise
 */
struct gpmu_sink_end {
	size_t size;
	double elapsed, deviation;
	double user, system;
};

/**
 * gpmu_sink_new() - a sink that writes to a file
 * @kind: which of them
 * @file: the caller's; it stays open, and is to be there as long as the sink. Each
 *	gpmu_sink_rows() is written at once and is not buffered; but gpmu_sink_hold()
 * @options: copied; NULL: all are the default
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (no such kind, or a separator that is part of
 * numbers and words) or ENOMEM
 */
struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_sink_free(struct gpmu_sink *sink);

/**
 * gpmu_sink_rows() - writes the rows of an interval, or of the whole run
 * @sink: the sink
 * @rows: @n of them, one after the other in steps of the first one's size
 * @n: 0 is allowed
 *
 * Return: 0; -EINVAL (the size is none), -ENOMEM (nothing is written), or what
 * writing failed with: -ENOSPC, -EPIPE, ...
 */
int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
/**
 * gpmu_sink_hold() - many intervals in one write
 * @sink: the sink
 * @hold: 1: gpmu_sink_rows() keeps what it would write; 0: that is written now, and what
 *	follows at once, as it is in the beginning
 *
 * Return: as gpmu_sink_rows()
 */
int gpmu_sink_hold(struct gpmu_sink *sink, int hold);
/* Writes what comes after the last row. Returns as gpmu_sink_rows() */
int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SINK_API_H */
