/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What eval and perf share: options of output, and rows of perf's output through a sink. */
#ifndef GPMU_SAVED_RUN_H
#define GPMU_SAVED_RUN_H

#include <stdbool.h>

#include "common.h"
#include "output.h"

/* Bytes: those of perf have some hundred, and what never ends is not read on. */
#define SAVED_RUN_LINE	(1u << 20)

struct saved_run {
	const struct common *common;
	const char *path;		/* -o */
	bool append, json, no_big_num;
	const char *separator;		/* of CSV; NULL: none */
	const char *title;		/* of a summary */
	const char *host;		/* NULL: this machine */
	bool per_node;
	time_t started;			/* for a summary's file to begin with; 0: it does not */
	bool others;			/* what is not of the plan has rows too */
	const char *hidden;		/* but the first of these events; NULL: all of them */
	/* From saved_run_begin() on */
	struct output output;
	struct gpmu_sink *sink;
	struct gpmu_row *rows;		/* of both */
	size_t n, n_planned;		/* the plan's are the first */
	double end;			/* seconds, of the last table */
};

/* Opens the output. Dies if that fails */
void saved_run_begin(struct saved_run *run, bool intervals);
/* The rows of the table that is complete. Dies if that fails */
void saved_run_rows(struct saved_run *run, struct gpmu_saved *saved,
		    const struct gpmu_plan *plan);
/* @elapsed: seconds; 0: not known */
void saved_run_end(struct saved_run *run, double elapsed);
void saved_run_release(struct saved_run *run);

#endif /* GPMU_SAVED_RUN_H */
