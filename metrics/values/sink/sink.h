/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink and the functions of its three kinds. It collects text and writes it at once. */
#ifndef GPMU_SINK_H
#define GPMU_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpmu.h"
#include "base/strings.h"
#include "values/rows.h"
#include "values/sink/sink_text.h"

struct gpmu_sink;

struct sink_ops {
	/* Writes the text before the rows of the first interval; NULL: there is none, as for @end. */
	void (*begin)(struct gpmu_sink *sink, const struct gpmu_rows *rows);
	void (*rows)(struct gpmu_sink *sink, const struct gpmu_rows *rows);
	void (*end)(struct gpmu_sink *sink, const struct gpmu_sink_end *end);
	/* Writes what precedes the metrics of a line with metrics only; NULL: of the line of names. */
	void (*front)(struct gpmu_sink *sink, const struct gpmu_row *row);
};

/* Two numbers of a CSV row as they were last written; length 0: none */
struct sink_pair {
	uint64_t first, second;
	size_t length;
	char text[64];
};

#define SINK_PARTS	5	/* of a CSV row, between its numbers */
#define SINK_LABEL	64	/* bytes of a label; names of tasks have 15 characters */

/* A number that perf prints beside the count of an event, or the value of a metric */
struct sink_beside {
	double value;		/* NaN: none */
	unsigned int decimals;
	bool is_percent;	/* a summary prints "%" after the value */
	char unit[160];		/* "CPUs utilized", "K/sec", "GB/s  GraceMemBW"; "" without a number */
};

/* The row that a row is divided by, found once for successive intervals */
struct sink_partner {
	const char *name, *other_name;	/* of both rows; NULL: not searched yet; there is none */
	size_t other;
	int kind;			/* enum beside_kind */
};

/*
 * The text between the numbers of a CSV row, made once for successive rows: in most intervals a row
 * differs from the row of the previous interval only by its numbers.
 */
struct sink_line {
	struct gpmu_row row;		/* row that it was made from; its texts are copies in text */
	char *text;			/* NULL: not made yet */
	size_t lengths[SINK_PARTS];	/* of its parts, one after the other */
	size_t length;			/* of all parts */
};

struct gpmu_sink {
	const struct sink_ops *ops;
	FILE *file;
	struct gpmu_sink_options options;
	char *separator, *title, *host;
	size_t separator_length;
	struct sink_buffer buffer;
	bool has_begun;
	struct sink_partner *partners;	/* for each row */
	size_t partner_count;
	/* CSV */
	struct sink_pair times;		/* begin and end */
	struct sink_pair counted;	/* enabled and running */
	struct sink_line *lines;	/* one for each row of an interval */
	size_t line_count;
	struct sink_buffer part;	/* the line that is being made */
	/* Summary */
	enum gpmu_scope scope;		/* scope in its heading */
	size_t labels, units, cgroups;	/* width of these columns */
	struct strings whys;		/* reasons already shown */
};

/* --- sink_beside.c */

void sink_beside(struct gpmu_sink *sink, const struct gpmu_rows *rows, size_t index,
		 struct sink_beside *beside);

/* --- sink_only.c */

void sink_only_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows);
/* Writes "KEY" : "VALUE" in JSON, after a comma unless it is the first of its line. */
void sink_json_pair(struct gpmu_sink *sink, const char *key, const char *value);

/* --- sink_notes.c */

/* Writes a note below the rows, after an empty line if @is_first. */
void sink_note(struct gpmu_sink *sink, const char *name, const char *text, const char *more, bool *is_first);
/* Writes the reasons of missing values, each once, after an empty line if @is_first. */
void sink_whys(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first);

/* --- sink_balance.c */

void sink_balance(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first);

/* --- sink_perf.c: columns and keys of perf */

/* Writes "12.50" or "<not counted>". Returns the length. */
size_t sink_perf_value(char *text, const struct gpmu_row *row, unsigned int decimals);
/* Decimals as in perf: 2 if the event's scale makes counts fractional, otherwise 0 */
unsigned int sink_perf_decimals(const struct gpmu_row *row);
/* ns, the sum of all counters */
uint64_t sink_perf_running(const struct gpmu_row *row);
/* Percent of the time that the counters ran; 100 for counters that were not enabled */
double sink_perf_share(const struct gpmu_row *row);
/* Percent of the mean */
double sink_variance(const struct gpmu_row *row);

extern const struct sink_ops sink_summary, sink_csv, sink_json;

#endif /* GPMU_SINK_H */
