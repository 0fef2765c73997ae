/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From counts to rows. The layout, which counts a value is of, is made once for a
 * plan and the places of its slots; to fill the rows is arithmetic and no more.
 *
 * What is added up in a unit is a sum: an event's slots, or those of one id of a
 * metric. A metric is evaluated once in each unit that it has a row in.
 */
#ifndef GPMU_ROW_H
#define GPMU_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values/counts.h"
#include "gpmu.h"
#include "base/list.h"
#include "plan/plan.h"

enum rows_aggregation {
	ROWS_MACHINE,
	ROWS_NODE,	/* --per-node */
	ROWS_CPU,	/* --no-aggr */
};

struct rows_options {
	enum rows_aggregation aggregation;
	bool tasks;	/* what is not outside the cores is counted of tasks */
	int pid;	/* of their process; -1: several, or not known */
	uint64_t start;	/* of the session, CLOCK_MONOTONIC_RAW ns */
};

/* What a row is of: all, a node, a CPU, or a GPU */
struct row_unit {
	enum gpmu_scope scope;
	int number;	/* of the node, CPU or GPU; -1 */
	int node;	/* of rows; -1 */
	int package;
};

/* A count of a sum */
struct row_part {
	size_t slot;
	size_t place;	/* ROW_LOST: the slot has none; ROW_TOOL: it needs none */
};

#define ROW_LOST	SIZE_MAX
#define ROW_TOOL	(SIZE_MAX - 1)

/* What counts, or metrics of them, come to */
struct row_result {
	enum gpmu_state state;
	double value;		/* NaN unless GPMU_OK */
	const char *why;
	double share;		/* NaN: not known */
	uint64_t raw;		/* as much as it can hold */
	double enabled, running;	/* ns, of all counters */
	size_t counters;
	double sources;		/* PMUs */
	/* The base of rates: ns of those counters that are not of tasks */
	double time;
	size_t timed;		/* of how many */
};

struct row_sum {
	size_t first, length;	/* parts, those of a slot follow each other */
	bool scaled;		/* by the event's scale: of an event, not of a metric's id */
};

struct row_input {
	enum { ROW_SUM, ROW_DURATION, ROW_EVAL } kind;
	size_t index;		/* of the sum or the evaluation */
};

/* A metric in a unit */
struct row_eval {
	const struct plan_metric *metric;
	size_t first, length;		/* inputs */
	size_t threshold, thresholds;	/* the inputs of its threshold */
	double duration;		/* s */
	struct row_result result;	/* not yet times the metric's scale */
	int alert;
};

struct row_source {
	bool metric;
	size_t index;		/* of the evaluation or the sum; SIZE_MAX: it is not supported */
};

struct gpmu_rows {
	const struct gpmu_plan *plan;
	struct rows_options options;
	struct gpmu_counts *shape;	/* the places that the layout is of; or NULL */
	struct row_unit *units;
	size_t n_units, last_unit;
	struct row_part *parts;
	size_t n_parts;
	struct row_sum *sums;
	size_t n_sums;
	struct row_result *results;	/* of the sums */
	struct row_input *inputs;
	size_t n_inputs;
	struct row_eval *evals;		/* those that others use before these */
	size_t n_evals;
	size_t *eval_of;		/* metrics x units: index + 1, or 0 */
	struct gpmu_expr_value *values;	/* as many as any expression has ids */
	struct row_source *sources;	/* one for each row */
	struct gpmu_row *rows;
	size_t n_rows;
	char **kinds;			/* of PMUs, which rows point to */
	size_t n_kinds;
};

/* For the counts of a plan, which has to outlive it; new; NULL with ENOMEM */
struct gpmu_rows *rows_new(const struct gpmu_plan *plan, const struct rows_options *options);
/* NULL is allowed. */
void rows_free(struct gpmu_rows *rows);

/*
 * The rows of an interval: in the order in which they were asked for, inside by
 * node and CPU. Places that are not those of the last call make another layout,
 * else nothing is allocated. 0 or -ENOMEM; there are no rows then
 */
int rows_fill(struct gpmu_rows *rows, const struct gpmu_counts *counts);
/* They change with the next rows_fill(); their texts are the plan's, why @counts' too. */
const struct gpmu_row *rows_get(const struct gpmu_rows *rows, size_t *length);

/* --- row_unit.c */

/* The slots of one id, or of an event */
struct row_set {
	const size_t *slots;
	size_t length;
};

/*
 * The units in which something that is counted by all these sets has rows, as
 * indices; new, the caller's to free(). 0 or -ENOMEM
 */
int rows_units(struct gpmu_rows *rows, const struct gpmu_counts *counts,
	       const struct row_set *sets, size_t n_sets, size_t **units, size_t *n_units);
/* The unit of all that is counted, for something that is of PMUs outside the cores or not */
int rows_whole(struct gpmu_rows *rows, bool uncore, size_t *unit);
/* Whether a place is in a unit, and whether a slot without places is */
bool rows_has_place(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot,
		    const struct place *place);
bool rows_has_lost(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot);
/* The slot counts something outside the cores. */
bool rows_uncore(const struct gpmu_rows *rows, size_t slot);

/* --- row_layout.c */

int rows_layout(struct gpmu_rows *rows, const struct gpmu_counts *counts);

/* --- row_eval.c */

void rows_sum(const struct gpmu_rows *rows, const struct row_sum *sum,
	      const struct gpmu_counts *counts, struct row_result *result);
void rows_eval(struct gpmu_rows *rows, struct row_eval *eval, const struct gpmu_counts *counts);
/* After all evaluations, as it may be of others */
void rows_threshold(struct gpmu_rows *rows, struct row_eval *eval);

#endif /* GPMU_ROW_H */
