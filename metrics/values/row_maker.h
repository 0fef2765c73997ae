/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes rows from counts. The layout, which maps counts to values, is made once for a plan
 * and the targets of its slots; filling the rows is arithmetic only.
 *
 * A unit is what a row covers. A sum adds up the counts of an event, or of one id of a metric, in
 * a unit. A metric is evaluated once in each unit in which it has a row.
 */
#ifndef GPMU_ROW_MAKER_H
#define GPMU_ROW_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expr/gpmu_expr.h"
#include "values/counts.h"
#include "gpmu.h"
#include "base/strings.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "values/rows.h"

struct rows_options {
	enum gpmu_aggregation aggregation;
	bool has_tasks;	/* events of the cores are counted for tasks */
	int pid;	/* process of the tasks; -1: several, or not known */
	bool is_zero_asleep;	/* an event of tasks that did not run is 0 */
};

/* A unit: the machine, a node, a socket, a die, a core, a CPU, a task, or a GPU */
struct row_unit {
	enum gpmu_scope scope;
	int number;	/* of the node, CPU, task or GPU; of a socket, die or core its index; -1 */
	int node;	/* of rows; -1 */
	int cpu;	/* of rows; -1 */
	struct cpu_topology topology;
	const char *comm;	/* of a task; NULL */
};

/* A CPU with counts, or the first one of a node */
struct row_cpu {
	bool is_known;
	struct cpu_topology topology;
};

#define ROW_SCOPES	(GPMU_SCOPE_THREAD + 1)

/* A target of a slot. A slot without targets, and one that needs none, have a single entry. */
struct row_target {
	size_t index;	/* of the target; ROW_LOST: the slot has no target; ROW_TOOL: it needs none */
	/* of the units that it belongs to, by their scope; -1: unknown, or it needs none */
	int numbers[ROW_SCOPES];
};

#define ROW_LOST	SIZE_MAX
#define ROW_TOOL	(SIZE_MAX - 1)

struct row_slot {
	const struct gpmu_pmu *pmu;
	size_t first, length;	/* entries of row_maker.targets */
	bool is_uncore;		/* of a PMU outside the cores */
	int gpu;		/* number of the GPU that it counts; -1 */
};

/* A count of a sum */
struct row_part {
	size_t slot;
	size_t target;	/* as in struct row_target */
};

/* The value of a sum or a metric */
struct row_result {
	enum gpmu_state state;
	double value;		/* NaN unless GPMU_STATE_OK */
	const char *why;
	double share;		/* NaN: not known */
	double deviation;	/* of the mean of several runs; NaN: unknown */
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
	bool is_scaled;		/* multiplied by the event's scale: for an event, not for an id of a metric */
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
	/* number, from 1, of the last row whose PMUs include this metric's */
	size_t noted;
	int alert;
};

/* The item and the unit of a row, and where its value comes from */
struct row_source {
	size_t item, unit;
	bool is_metric;
	size_t index;		/* of the evaluation or the sum; SIZE_MAX: not supported */
};

struct row_maker {
	const struct gpmu_plan *plan;
	struct rows_options options;
	enum gpmu_scope scope;		/* of rows of PMUs of the cores */
	struct gpmu_counts *counts;	/* that the layout was made for; or NULL */
	uint64_t shape;			/* of the counts that the layout fits; 0: none */
	struct row_slot *slots;		/* one for each slot of the plan */
	struct row_target *targets;	/* of all slots */
	size_t target_count;
	struct cpu_topology *groups;	/* sockets, dies or cores, sorted */
	size_t group_count;
	struct row_cpu *cpus;		/* by number; NULL: rows cover no groups of CPUs */
	size_t cpu_count;
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
	size_t source_count;
	struct gpmu_rows rows;
	struct strings texts;		/* kinds of PMUs and names of tasks, to which rows point */
};

/* Creates a maker for the counts of a plan, which must outlive it. NULL with errno ENOMEM. */
struct row_maker *row_maker_new(const struct gpmu_plan *plan, const struct rows_options *options);
/* NULL is allowed. */
void row_maker_free(struct row_maker *maker);

/* --- row_eval.c */

/*
 * Computes the rows of an interval, in the order of the plan's items, and for each item by node and
 * CPU. Their times are relative to @start, CLOCK_MONOTONIC_RAW ns. If the targets differ from those
 * of the last call, a new layout is made; otherwise nothing is allocated. The rows are valid until
 * the next call; the plan owns their texts, and the counts own why. 0, or -ENOMEM and then there
 * are no rows
 */
int row_maker_rows(struct row_maker *maker, const struct gpmu_counts *counts, uint64_t start,
		   const struct gpmu_rows **rows);

/* --- the steps of a layout, each called once for it. 0 or -ENOMEM */

/* row_target.c: sets the maker's slots, targets and groups. */
int row_targets_make(struct row_maker *maker, const struct gpmu_counts *counts);
/* row_unit.c: sets the units, and the item and unit of each row. */
int row_units_make(struct row_maker *maker);
/* row_layout.c: calls these, and adds the sums and evaluations of each row, unless the last layout fits the counts. */
int row_maker_layout(struct row_maker *maker, const struct gpmu_counts *counts);

/* --- row_maker.c */

/* Copies a text that rows point to, once. Returns NULL without memory. */
const char *row_maker_text(struct row_maker *maker, const char *text, size_t length);

/* --- row_target.c */

static inline bool row_is_group(enum gpmu_scope scope)
{
	return scope == GPMU_SCOPE_SOCKET || scope == GPMU_SCOPE_DIE || scope == GPMU_SCOPE_CORE;
}

/* Returns whether the entry stands for a slot without targets. */
static inline bool row_has_no_target(const struct row_target *target)
{
	return target->index == ROW_LOST || target->index == ROW_TOOL;
}

/* Returns the first CPU of a node; -1: not known. */
int row_first_cpu(const struct row_maker *maker, int node);

/* --- the slots of an id of a metric, or of an event */

struct row_set {
	const size_t *slots;
	size_t length;
};

static inline struct row_set row_event_set(const struct plan_event *event)
{
	if (event->why || !event->event || !event->slots)
		return (struct row_set){ 0 };
	return (struct row_set){ event->slots, event->event->length };
}

/* Returns the number of ids of a metric; 0: it is not supported, or has none. */
static inline size_t row_id_count(const struct plan_metric *metric)
{
	return metric->why || !metric->expr ? 0 : gpmu_expr_id_count(metric->expr);
}

#endif /* GPMU_ROW_MAKER_H */
