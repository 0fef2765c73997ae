/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes rows from counts. The layout, which maps counts to values, is made once for a plan
 * and the places of its slots; filling the rows is arithmetic only.
 *
 * A unit is what a row covers. A sum adds up the counts of an event, or of one id of a metric, in
 * a unit. A metric is evaluated once in each unit in which it has a row.
 */
#ifndef GPMU_ROW_H
#define GPMU_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values/counts.h"
#include "gpmu.h"
#include "base/text.h"
#include "base/vector.h"
#include "plan/plan.h"

enum rows_aggregation {
	ROWS_MACHINE,
	ROWS_NODE,	/* --per-node */
	ROWS_CPU,	/* --no-aggr */
};

struct rows_options {
	enum rows_aggregation aggregation;
	bool tasks;	/* events of the cores are counted for tasks */
	int pid;	/* process of the tasks; -1: several, or not known */
	uint64_t start;	/* of the session, CLOCK_MONOTONIC_RAW ns */
};

/* A unit: the machine, a node, a CPU, or a GPU */
struct row_unit {
	enum gpmu_scope scope;
	int number;	/* of the node, CPU or GPU; -1 */
	int node;	/* of rows; -1 */
	int package;
};

/* A count of a sum */
struct row_part {
	size_t slot;
	size_t place;	/* ROW_LOST: the slot has no place; ROW_TOOL: it needs none */
};

#define ROW_LOST	SIZE_MAX
#define ROW_TOOL	(SIZE_MAX - 1)

/* The value of a sum or of a metric */
struct row_result {
	enum gpmu_state state;
	double value;		/* NaN unless GPMU_STATE_OK */
	const char *why;
	double share;		/* NaN: not known */
	uint64_t raw;		/* saturates at UINT64_MAX */
	uint64_t enabled, running;	/* ns, sums of all counters */
	size_t counters;
	double sources;		/* PMUs */
	/* Divisor of rates: ns enabled of the counters that do not count tasks */
	uint64_t time;
	size_t timed;		/* number of these counters */
};

struct row_sum {
	size_t first, length;	/* parts, sorted by slot */
	bool scaled;		/* multiplied by the event's scale: for an event, not for an id of a metric */
};

struct row_input {
	enum { ROW_SUM, ROW_DURATION, ROW_EVAL } kind;
	size_t index;		/* of the sum or the evaluation */
};

/* A metric in a unit */
struct row_eval {
	const struct plan_metric *metric;
	size_t first, length;		/* inputs */
	size_t threshold, thresholds;	/* inputs of its threshold */
	double duration;		/* s */
	struct row_result result;	/* before multiplication with the metric's scale */
	int alert;
};

struct row_source {
	bool metric;
	size_t index;		/* of the evaluation or the sum; SIZE_MAX: not supported */
};

struct gpmu_rows {
	const struct gpmu_plan *plan;
	struct rows_options options;
	struct gpmu_counts *shape;	/* places of the layout; or NULL */
	struct row_unit *units;
	size_t unit_count, last_unit;
	struct row_part *parts;
	size_t part_count;
	struct row_sum *sums;
	size_t sum_count;
	struct row_result *results;	/* of the sums */
	struct row_input *inputs;
	size_t input_count;
	struct row_eval *evals;		/* a metric that others use comes before them */
	size_t eval_count;
	size_t *eval_of;		/* metrics x units: index + 1, or 0 */
	struct gpmu_expr_value *values;	/* room for the ids of any expression */
	struct row_source *sources;	/* one for each row */
	struct gpmu_row *rows;
	size_t row_count;
	char **kinds;			/* of PMUs, which rows point to */
	size_t kind_count;
};

/* Creates rows for the counts of a plan, which must outlive them. NULL with errno ENOMEM. */
struct gpmu_rows *rows_new(const struct gpmu_plan *plan, const struct rows_options *options);
/* NULL is allowed. */
void rows_free(struct gpmu_rows *rows);

/*
 * Computes the rows of an interval, in the order of the plan's items, and for each item by node and
 * CPU. If the places differ from those of the last call, a new layout is made; otherwise nothing is
 * allocated. 0, or -ENOMEM and then there are no rows
 */
int rows_fill(struct gpmu_rows *rows, const struct gpmu_counts *counts);
/* Valid until the next rows_fill(); the plan owns their texts, and the counts own why. */
const struct gpmu_row *rows_get(const struct gpmu_rows *rows, size_t *length);

/* --- row_unit.c */

/* The slots of one id, or of an event */
struct row_set {
	const size_t *slots;
	size_t length;
};

/*
 * Finds the units, as indices, in which an item that needs all these sets has rows. The caller
 * frees *units. 0 or -ENOMEM
 */
int rows_units(struct gpmu_rows *rows, const struct gpmu_counts *counts,
	       const struct row_set *sets, size_t set_count, size_t **units, size_t *unit_count);
/* The unit that covers all counts, for an item of PMUs outside the cores or of others */
int rows_whole(struct gpmu_rows *rows, bool uncore, size_t *unit);
/* Return whether a place, and a slot without places, belong to a unit. */
bool rows_has_place(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot,
		    const struct place *place);
bool rows_has_lost(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot);
/* Returns whether the slot is of a PMU outside the cores. */
bool rows_uncore(const struct gpmu_rows *rows, size_t slot);

/* --- row_layout.c */

int rows_layout(struct gpmu_rows *rows, const struct gpmu_counts *counts);

/* --- row_eval.c */

void rows_sum(const struct gpmu_rows *rows, const struct row_sum *sum,
	      const struct gpmu_counts *counts, struct row_result *result);
void rows_eval(struct gpmu_rows *rows, struct row_eval *eval, const struct gpmu_counts *counts);
/* Called after all evaluations, as the threshold may use other metrics */
void rows_threshold(struct gpmu_rows *rows, struct row_eval *eval);

#endif /* GPMU_ROW_H */
