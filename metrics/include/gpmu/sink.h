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
 * forms that begin with the columns and keys of perf stat. metrics/values/output.rst describes
 * them. Numbers are written in the C locale, whatever the program's locale is. One thread at a
 * time may use a sink.
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
 * @color: 1: a summary shows a metric beyond its threshold in red
 * @interval: 1: each gpmu_sink_rows() writes an interval, 0: one call writes the whole run
 * @big_numbers: 1: a summary groups digits with commas
 * @aggregation: the aggregation of the session. Unless it is GPMU_AGGREGATE_MACHINE, CSV and JSON
 *	have a label in each row, and a summary has a column of labels even if no row has one
 * @runs: number of runs that the values are the mean of; 0: 1
 * @held: 1: the sink holds rows until gpmu_sink_rows() with NULL or gpmu_sink_end() writes all of
 *	them at once; gpmu_sink_free() drops held rows. 0: each gpmu_sink_rows() writes immediately
 * @metric_only: 1: writes only metrics and ratios of events, as perf stat --metric-only does
 * @clear: 1: a summary clears the terminal before each interval
 * @cgroups: 1: each row has the name of its cgroup, which is empty for a row without one
 * @separator: separator of CSV columns; NULL: ","
 * @title: for a summary, what was counted, "'./app'"; NULL: "'system wide'"
 * @host: host name in CSV and JSON; NULL: the name of this machine
 * @heading: returns a text for the name of a row. A summary writes the text above the row if it
 *	differs from that of the row before; the text NULL ends a group. NULL: no headings
 * @user: passed to @heading
 *
 * Fields that are 0 or NULL take their defaults.
 */
struct gpmu_sink_options {
	size_t size;
	int color;
	int interval;
	int big_numbers;
	enum gpmu_aggregation aggregation;
	unsigned int runs;
	int held;
	int metric_only;
	int clear;
	int cgroups;
	const char *separator;
	const char *title;
	const char *host;
	const char *(*heading)(const char *name, void *user);
	void *user;
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
 * @file: owned by the caller; must stay open as long as the sink exists
 * @options: copied; NULL: all defaults
 * @error: set on failure, or NULL
 *
 * Return: a new sink; NULL with errno EINVAL (no such kind, or a separator that occurs in
 * numbers or names) or ENOMEM
 */
struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error);
/* Frees @sink; NULL is allowed. The file stays open. */
void gpmu_sink_free(struct gpmu_sink *sink);

/**
 * gpmu_sink_rows() - writes the rows of an interval, or of the whole run
 * @sink: the sink
 * @rows: the rows; the list may be empty. NULL: writes the held rows
 *
 * Return: 0; -ENOMEM with none of @rows written or held; or the error of writing, such as -ENOSPC
 * or -EPIPE. Held rows that are not written stay held, and the next call writes them
 */
int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows);
/*
 * Writes held rows, and the end of the output after the last row. Returns as gpmu_sink_rows();
 * -EINVAL if the size of @end is too small, -E2BIG if a member that only a newer libgpmu has is set
 */
int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SINK_API_H */
