/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by eval and perf: output options, and rows of perf's output written to a sink. */
#ifndef GPMU_SAVED_RUN_H
#define GPMU_SAVED_RUN_H

#include <stdbool.h>

#include "common.h"
#include "output/output.h"
#include "saved/gpmu_saved.h"

/* Limit of a line in bytes. perf's lines have some hundred; an endless line must not fill the memory. */
#define SAVED_RUN_LINE	(1u << 20)

struct saved_run {
	const struct common *common;
	const char *path;		/* -o */
	FILE *standard;			/* written without -o */
	bool wants_append, wants_json, wants_no_big_num;
	const char *separator;		/* of CSV; NULL: no CSV */
	const char *title;		/* of a summary */
	const char *host;		/* NULL: this machine */
	bool wants_per_node;
	time_t started;			/* written at the begin of a summary's file; 0: not written */
	bool wants_others;		/* events and metrics that are not in the plan have rows too */
	const char *hidden;		/* name of an event whose first row is hidden, or NULL */
	/* Set by saved_run_begin() */
	struct output output;
	bool has_intervals;
	struct gpmu_sink *sink;		/* NULL until the first table */
	struct gpmu_rows *rows;		/* of the plan, then others */
	size_t planned_count;		/* the first planned_count rows are the plan's */
	size_t missing;			/* rows of the plan that were not counted, or not supported */
	double end;			/* seconds; end of the last table */
};

/* Opens the output. Dies on failure. */
void saved_run_begin(struct saved_run *run, bool has_intervals);
/* Writes the rows of the completed table. Dies on failure. */
void saved_run_rows(struct saved_run *run, struct gpmu_saved *saved,
		    const struct gpmu_plan *plan);
/* @elapsed: seconds; 0 if unknown */
void saved_run_end(struct saved_run *run, double elapsed);
void saved_run_release(struct saved_run *run);

#endif /* GPMU_SAVED_RUN_H */
