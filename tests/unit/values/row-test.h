/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans and counts made by hand, for tests of rows */
#ifndef GPMU_TESTS_ROW_TEST_H
#define GPMU_TESTS_ROW_TEST_H

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "catalog/catalog.h"
#include "values/row_maker.h"
#include "tap.h"

#define ROW_TEST_MAX	32

struct test_plan {
	struct gpmu_plan plan;
	struct plan_slot slots[ROW_TEST_MAX];
	struct event_instance instances[ROW_TEST_MAX];
	struct plan_event events[ROW_TEST_MAX];
	struct gpmu_event given[ROW_TEST_MAX];
	struct plan_metric metrics[ROW_TEST_MAX];
	struct gpmu_metric defs[ROW_TEST_MAX];
	struct plan_item items[ROW_TEST_MAX];
	struct gpmu_counts *counts;
};

__attribute__((unused))
static void test_plan_init(struct test_plan *t, const struct gpmu_machine *machine)
{
	memset(t, 0, sizeof(*t));
	t->plan = (struct gpmu_plan){
		.machine = machine, .slots = t->slots, .metrics = t->metrics,
		.events = t->events, .items = t->items,
	};
}

static void test_inputs_free(struct plan_input *inputs, const struct gpmu_expr *expr)
{
	for (size_t i = 0; inputs && i < gpmu_expr_id_count(expr); i++)
		free(inputs[i].slots);
	free(inputs);
}

__attribute__((unused))
static void test_plan_release(struct test_plan *t)
{
	for (size_t i = 0; i < t->plan.event_count; i++)
		free(t->events[i].slots);
	for (size_t i = 0; i < t->plan.metric_count; i++) {
		test_inputs_free(t->metrics[i].inputs, t->metrics[i].expr);
		test_inputs_free(t->metrics[i].threshold_inputs, t->metrics[i].threshold);
		gpmu_expr_free(t->metrics[i].expr);
		gpmu_expr_free(t->metrics[i].threshold);
	}
	counts_free(t->counts);
}

/* Adds a slot of the named PMU, or of none if @pmu is NULL. */
__attribute__((unused))
static size_t test_slot(struct test_plan *t, const char *pmu)
{
	size_t n = t->plan.slot_count++;

	t->instances[n].pmu = pmu ? gpmu_machine_find_pmu(t->plan.machine, pmu) : NULL;
	if (pmu && !t->instances[n].pmu)
		diag("no PMU %s", pmu);
	t->slots[n] = (struct plan_slot){ .instance = &t->instances[n], .scale = 1 };
	return n;
}

static size_t *slot_list(size_t n, size_t first)
{
	size_t *slots = calloc(n + 1, sizeof(*slots));

	for (size_t i = 0; slots && i < n; i++)
		slots[i] = first + i;
	return slots;
}

static void test_item(struct test_plan *t, int kind, size_t index)
{
	t->items[t->plan.item_count].kind = kind;
	t->items[t->plan.item_count++].index = index;
}

/* Adds an event of @n slots from @first on; @n 0: the event is not supported. */
__attribute__((unused))
static struct plan_event *test_event(struct test_plan *t, const char *label, size_t n, size_t first)
{
	size_t index = t->plan.event_count++;

	t->given[index] = (struct gpmu_event){ .scale = 1, .length = n };
	t->events[index] = (struct plan_event){
		.event = n ? &t->given[index] : NULL, .label = (char *)label,
		.slots = slot_list(n, first),
	};
	test_item(t, PLAN_ITEM_EVENT, index);
	return &t->events[index];
}

/* All ids are NaN until they get slots; duration_time has its usual meaning. */
static struct plan_input *test_inputs(const struct gpmu_expr *expr)
{
	struct plan_input *inputs = calloc(gpmu_expr_id_count(expr) + 1, sizeof(*inputs));

	for (size_t i = 0; inputs && i < gpmu_expr_id_count(expr); i++)
		if (!strcmp(gpmu_expr_id(expr, i), "duration_time"))
			inputs[i].kind = PLAN_DURATION;
	return inputs;
}

/* Adds a metric that is not yet an item. */
__attribute__((unused))
static size_t test_metric(struct test_plan *t, const char *label, const char *expr,
			  const char *threshold)
{
	size_t index = t->plan.metric_count++;
	struct plan_metric *metric = &t->metrics[index];

	t->defs[index] = (struct gpmu_metric){ .entry.scale = 1 };
	metric->metric = &t->defs[index];
	metric->label = (char *)label;
	metric->root = index;
	if (expr) {
		metric->expr = gpmu_expr_new(expr, NULL, NULL);
		metric->inputs = test_inputs(metric->expr);
	}
	if (threshold) {
		metric->threshold = gpmu_expr_new(threshold, NULL, NULL);
		metric->threshold_inputs = test_inputs(metric->threshold);
	}
	return index;
}

static struct plan_input *find_input(struct plan_input *inputs, const struct gpmu_expr *expr,
				     const char *id)
{
	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++)
		if (!strcmp(gpmu_expr_id(expr, i), id))
			return &inputs[i];
	diag("no id %s", id);
	exit(1);
}

/* Makes the id the sum of @n slots from @first on. */
__attribute__((unused))
static void test_counts_of(struct test_plan *t, size_t metric, const char *id, size_t n,
			   size_t first)
{
	struct plan_input *input = find_input(t->metrics[metric].inputs, t->metrics[metric].expr,
					      id);

	input->kind = PLAN_SLOTS;
	input->slots = slot_list(n, first);
	input->length = n;
}

/* Makes the id another metric. */
__attribute__((unused))
static void test_metric_of(struct test_plan *t, size_t metric, const char *id, size_t other)
{
	struct plan_input *input = find_input(t->metrics[metric].inputs, t->metrics[metric].expr,
					      id);

	input->kind = PLAN_METRIC;
	input->metric = other;
}

__attribute__((unused))
static void test_threshold_of(struct test_plan *t, size_t metric, const char *id, size_t other)
{
	struct plan_input *input = find_input(t->metrics[metric].threshold_inputs,
					      t->metrics[metric].threshold, id);

	input->kind = PLAN_METRIC;
	input->metric = other;
}

/*
 * Makes the counts of all slots, without targets, for an interval from 1 s to 3 s of the
 * session.
 */
__attribute__((unused))
static void test_counts(struct test_plan *t)
{
	t->counts = counts_new(t->plan.slot_count);
	t->counts->begin = 11000000000;
	t->counts->end = 13000000000;
}

/* Adds a target to a slot, which was enabled for 2 s and ran for @running. */
__attribute__((unused))
static struct count *test_target(struct test_plan *t, size_t index, int cpu, int node, int tid,
				uint64_t raw, uint64_t running)
{
	struct counts_slot *slot = &t->counts->slots[index];
	static uint64_t shape = UINT64_MAX;
	size_t n = slot->length++;

	t->counts->shape = shape--;
	slot->targets = realloc(slot->targets, slot->length * sizeof(*slot->targets));
	slot->counts = realloc(slot->counts, slot->length * sizeof(*slot->counts));
	slot->targets[n] = (struct target){ cpu, node, tid };
	slot->counts[n] = (struct count){ raw, 2000000000, running, COUNT_OK };
	return &slot->counts[n];
}

#define ALL	2000000000	/* ns, as in test_target() */

#define START	10000000000	/* ns, of the session */

/* Returns 0 or -ENOMEM. */
__attribute__((unused))
static int test_fill(struct row_maker *maker, const struct gpmu_counts *counts)
{
	const struct gpmu_rows *rows;

	return row_maker_rows(maker, counts, START, &rows);
}

/* Makes rows of the plan's counts; free them with row_maker_free(). */
__attribute__((unused))
static struct row_maker *test_rows(const struct test_plan *t, enum gpmu_aggregation aggregation,
				   bool has_tasks)
{
	const struct rows_options options = {
		.aggregation = aggregation, .has_tasks = has_tasks, .pid = 77,
	};
	struct row_maker *maker = row_maker_new(&t->plan, &options);

	if (!maker || test_fill(maker, t->counts)) {
		printf("Bail out! no rows\n");
		exit(1);
	}
	return maker;
}

/*
 * Formats a row as one line, such as "N1 name 12.5 GB/s ok". It begins with N1 for a node, C3
 * for a CPU, M for the machine or P for the process.
 */
__attribute__((unused))
static const char *row_text(const struct row_maker *maker, size_t index)
{
	static const char *const states[] = { "ok", "idle", "not counted", "not supported" };
	static char text[256];
	const struct gpmu_row *row = gpmu_rows_at(&maker->rows, index);
	char target[16], value[32];

	if (!row)
		return "no such row";
	snprintf(target, sizeof(target), row->scope == GPMU_SCOPE_NODE ? "N%d" :
		 row->scope == GPMU_SCOPE_CPU ? "C%d" :
		 row->scope == GPMU_SCOPE_PROCESS ? "P" : "M",
		 row->scope == GPMU_SCOPE_NODE ? row->node : row->cpu);
	snprintf(value, sizeof(value), " %.15g", row->value);
	snprintf(text, sizeof(text), "%s %s%s%s%s %s", target, row->name,
		 row->state == GPMU_STATE_OK ? value : "", row->unit ? " " : "",
		 row->unit ? row->unit : "", states[row->state]);
	return text;
}

__attribute__((unused))
static size_t row_count(const struct row_maker *maker)
{
	return maker->rows.length;
}

__attribute__((unused))
static const struct gpmu_row *row_at(const struct row_maker *maker, size_t index)
{
	return gpmu_rows_at(&maker->rows, index);
}

#endif /* GPMU_TESTS_ROW_TEST_H */
