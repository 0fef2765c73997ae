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
 * A sink writes rows as text: as a summary for people, or for programs as CSV or JSON, two
 * forms that stay stable. metrics/values/output.rst describes each column. Numbers are written in the
 * C locale, whatever the program's locale is. One thread at a time may use a sink.
 */
struct gpmu_sink;

enum gpmu_sink_kind {
	GPMU_SINK_SUMMARY,	/* as perf stat prints it */
	GPMU_SINK_CSV,
	GPMU_SINK_JSON,		/* one object per line */
};

/**
 * struct gpmu_sink_options - how rows are written
 * @size: size of this structure
 * @separator: separator of CSV columns; NULL: ","
 * @title: for a summary, what was counted, "'./app'"; NULL: "system wide"
 * @host: host name in CSV and JSON; NULL: the name of this machine
 * @color: 1: a summary shows a metric beyond its threshold in red
 * @interval: 1: each gpmu_sink_rows() writes an interval, 0: one call writes the whole run
 * @big_numbers: 1: a summary groups digits with commas
 * @per_node: 1: a summary has a column of nodes even if no row covers a node
 * @runs: number of runs that the values are the mean of; 0: 1
 * @continues: 1: the lines before the first CSV row are in the file already
 *
 * Fields that are 0 or NULL take their defaults.
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
 * struct gpmu_sink_end - times at the end of a summary
 * @size: size of this structure
 * @elapsed: elapsed time in seconds; the mean of several runs
 * @deviation: standard deviation of that mean in seconds
 * @user: user time of the command in seconds; below 0: there was no command
 * @system: system time of the command in seconds; below 0: there was no command
 */
struct gpmu_sink_end {
	size_t size;
	double elapsed, deviation;
	double user, system;
};

/**
 * gpmu_sink_new() - creates a sink that writes to a file
 * @kind: summary, CSV or JSON
 * @file: owned by the caller; must stay open as long as the sink exists. Each gpmu_sink_rows()
 *	is written immediately, unless gpmu_sink_hold() delays it
 * @options: copied; NULL: all defaults
 * @error: set on failure, or NULL
 *
 * Return: a new sink; NULL with errno EINVAL (no such kind, or a separator that occurs in
 * numbers and words) or ENOMEM
 */
struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error);
/* Frees @sink; NULL is allowed. The file stays open. */
void gpmu_sink_free(struct gpmu_sink *sink);

/**
 * gpmu_sink_rows() - writes the rows of an interval, or of the whole run
 * @sink: the sink
 * @rows: an array of @n rows; the size of the first row is the distance between rows
 * @n: number of rows, 0 or more
 *
 * Return: 0; -EINVAL if the size of a row is invalid; -ENOMEM, and then nothing is written; or
 * the error of writing, such as -ENOSPC or -EPIPE
 */
int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
/**
 * gpmu_sink_hold() - combines many intervals in one write
 * @sink: the sink
 * @hold: 1: gpmu_sink_rows() buffers its output; 0, the default: the buffered output is written
 *	now, and later output immediately
 *
 * Return: as gpmu_sink_rows()
 */
int gpmu_sink_hold(struct gpmu_sink *sink, int hold);
/* Writes the end of the output after the last row. Returns as gpmu_sink_rows() */
int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SINK_API_H */
