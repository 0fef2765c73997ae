// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes rows from a table: the plan's rows, and rows for all other records. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gpmu_double.h"
#include "machine/machine.h"
#include "machine/pmu.h"
#include "saved/saved.h"

/* --- rows of the plan --- */

/* Rows have the scope of perf's lines. */
static enum gpmu_aggregation aggregation_of(const struct gpmu_saved *saved)
{
	const unsigned int labels = saved->complete->labels, nodes = 1u << SAVED_NODE | 1u << SAVED_PACKAGE;

	if (labels & 1u << SAVED_CPU)
		return GPMU_AGGREGATE_CPU;
	return labels & nodes || saved->options.per_node ? GPMU_AGGREGATE_NODE : GPMU_AGGREGATE_MACHINE;
}

/* Returns whether perf counted tasks, not CPUs. */
static bool is_of_tasks(const struct gpmu_saved *saved)
{
	const enum saved_label part = saved->complete->part;

	return part == SAVED_ALL ? !saved->options.system : part == SAVED_THREAD;
}

static int make_maker(struct gpmu_saved *saved)
{
	const struct rows_options options = {
		.aggregation = aggregation_of(saved),
		.has_tasks = is_of_tasks(saved),
		.pid = -1,
	};

	if (saved->maker && saved->rows_options.aggregation == options.aggregation &&
	    saved->rows_options.has_tasks == options.has_tasks)
		return 0;
	row_maker_free(saved->maker);
	saved->maker = row_maker_new(saved->plan, &options);
	saved->rows_options = options;
	return saved->maker ? 0 : -ENOMEM;
}

static void lose(struct gpmu_row *row, const char *why)
{
	row->state = GPMU_STATE_NOT_COUNTED;
	row->value = NAN;
	row->share = 0;
	row->why = why;
}

/*
 * Marks times as unknown that perf did not print, or printed as 0, as 7.3 does for a
 * command; counts cannot express this.
 */
static void lose_times(struct gpmu_saved *saved)
{
	const struct gpmu_counts *counts = saved->counts;
	const struct {
		const char *name;
		uint64_t value;
	} times[] = {
		{ "duration_time", counts->end - counts->begin },
		{ "user_time", counts->user_time },
		{ "system_time", counts->system_time },
	};
	struct gpmu_rows *rows = &saved->maker->rows;

	for (size_t i = 0; i < rows->length; i++)
		for (size_t k = 0; k < ARRAY_SIZE(times); k++) {
			struct gpmu_row *row = &rows->list[i];

			if (!row->metric && !times[k].value && !strcmp(row->name, times[k].name))
				lose(row, "it is not in perf's output");
		}
}

/* Returns whether an evaluation, or one that it uses, divides by the elapsed time. */
static bool needs_time(const struct row_maker *maker, const struct row_eval *eval,
		       const bool *needs_rate)
{
	for (size_t i = eval->first; i < eval->first + eval->length; i++) {
		const struct row_input *input = &maker->inputs[i];

		if (input->kind == ROW_DURATION ||
		    (input->kind == ROW_EVAL && needs_rate[input->index]))
			return true;
	}
	return false;
}

/*
 * Without the elapsed time the number of counters that perf added up is unknown, so that their
 * run time gives no rate.
 */
static int lose_rates(struct gpmu_saved *saved)
{
	struct row_maker *maker = saved->maker;
	bool *needs_rate;

	if (saved_wall(saved))
		return 0;
	needs_rate = calloc(maker->eval_count + 1, sizeof(*needs_rate));
	if (!needs_rate)
		return -ENOMEM;
	for (size_t i = 0; i < maker->eval_count; i++)
		needs_rate[i] = needs_time(maker, &maker->evals[i], needs_rate);
	for (size_t i = 0; i < maker->rows.length; i++) {
		const struct row_source *source = &maker->sources[i];
		struct gpmu_row *row = &maker->rows.list[i];

		if (source->is_metric && needs_rate[source->index] && row->state != GPMU_STATE_NOT_SUPPORTED)
			lose(row, "perf's output has neither duration_time nor intervals");
	}
	free(needs_rate);
	return 0;
}

/* The deviation of an event that libgpmu does not count, such as duration_time; NaN: unknown */
static double tool_deviation(const struct gpmu_saved *saved, size_t slot)
{
	const size_t index = saved_slot_last(saved, &saved->slots[slot]);

	return index == SAVED_NONE ? NAN : saved->complete->list[index].count.value *
					saved->complete->list[index].count.deviation / 100;
}

/* perf prints the deviation of events, and not how many runs there were. */
static void set_runs(struct gpmu_saved *saved)
{
	const struct row_maker *maker = saved->maker;

	if (!saved->complete->is_repeated)
		return;
	for (size_t i = 0; i < maker->rows.length; i++) {
		const struct row_source *source = &maker->sources[i];
		struct gpmu_row *row = &saved->maker->rows.list[i];
		const struct row_sum *sum;
		const struct row_part *part;

		row->runs = 0;
		row->deviation = NAN;
		if (source->is_metric || source->index == SIZE_MAX)
			continue;
		sum = &maker->sums[source->index];
		part = &maker->parts[sum->first];
		row->deviation = sum->length && part->target == ROW_TOOL ?
				 tool_deviation(saved, part->slot) :
				 maker->results[source->index].deviation;
	}
}

int gpmu_saved_rows(struct gpmu_saved *saved, const struct gpmu_plan *plan,
		    const struct gpmu_rows **rows)
{
	int ret;

	if (!saved->complete || !plan->is_made)
		return -EINVAL;
	ret = saved_slots_match(saved, plan) ?: make_maker(saved) ?: saved_counts_fill(saved) ?:
	      row_maker_rows(saved->maker, saved->counts, 0, rows) ?: lose_rates(saved);
	if (ret)
		return ret;
	lose_times(saved);
	set_runs(saved);
	return 0;
}

/* --- other rows --- */

static const char *text_of(const struct gpmu_saved *saved, size_t index)
{
	return index == SAVED_NONE ? NULL : saved->texts.list[index].text;
}

static void set_scope(const struct gpmu_saved *saved, const struct saved_record *record,
		      struct gpmu_row *row)
{
	const struct gpmu_machine *machine = saved->plan ? saved->plan->machine : NULL;
	const struct gpmu_node *node;
	const char *pmu = record->event == SAVED_NONE ? NULL : saved->texts.list[record->event].pmu;
	int number = -1;
	bool is_grace = pmu && pmu_name_parse(pmu, &number) != GPMU_PMU_OTHER;

	row->scope = saved->options.system || is_grace ? GPMU_SCOPE_MACHINE : GPMU_SCOPE_PROCESS;
	if (record->count.label == SAVED_CPU && !is_grace) {
		row->scope = GPMU_SCOPE_CPU;
		row->cpu = record->count.number;
		row->node = saved_node(machine, record);
	} else if (record->count.label == SAVED_THREAD) {
		row->scope = GPMU_SCOPE_PROCESS;
		row->pid = record->count.number;
	} else if (record->count.label != SAVED_ALL) {
		row->scope = GPMU_SCOPE_NODE;
		row->node = is_grace ? number : saved_node(machine, record);
	}
	node = machine_find_node(machine, row->node);
	if (node)
		row->package = gpmu_node_package(node);
}

static struct gpmu_row row_of(const struct gpmu_saved *saved, const struct saved_record *record)
{
	const struct saved_table *table = saved->complete;
	struct gpmu_row row = {
		.size = sizeof(row),
		.time_begin = table->begin,
		.time_end = table->begin + saved_wall(saved),
		.node = -1, .package = -1, .cpu = -1, .pid = -1,
		.value = NAN,
		.share = NAN,
		.alert = -1,
		.runs = table->is_repeated ? 0 : 1,
		.source = "perf",
	};

	set_scope(saved, record, &row);
	return row;
}

/*
 * Converts a value to a count: one without a unit is a count, and clocks are in ns.
 * Returns 0 for other units, whose scale perf does not print.
 */
static uint64_t raw_of(const char *unit, double value)
{
	if (unit && !strcmp(unit, "msec"))
		value *= 1e6;
	else if (unit && strcmp(unit, "ns"))
		return 0;
	return value >= 0 && value < 18446744073709551615.0 ? (uint64_t)(value + 0.5) : 0;
}

static int add_event(const struct gpmu_saved *saved, const struct saved_record *record, struct gpmu_rows *rows)
{
	static const enum gpmu_state states[] = {
		[COUNT_OK] = GPMU_STATE_OK, [COUNT_NOT_COUNTED] = GPMU_STATE_NOT_COUNTED,
		[COUNT_NOT_SUPPORTED] = GPMU_STATE_NOT_SUPPORTED,
	};
	const struct saved_table *table = saved->complete;
	struct gpmu_row row = row_of(saved, record);

	row.name = text_of(saved, record->event);
	row.pmu = saved->texts.list[record->event].pmu;
	row.unit = text_of(saved, record->unit);
	row.state = states[record->count.state];
	row.counters = record->count.counters ? record->count.counters : 1;
	if (record->count.state != COUNT_OK) {
		row.share = record->count.state == COUNT_NOT_COUNTED ? 0 : NAN;
		row.why = saved_why(record->count.state);
		return gpmu_rows_add(rows, &row);
	}
	saved_times(saved, record, true, &row.enabled, &row.running);
	row.value = record->count.value;
	row.share = gpmu_double_min(record->count.share, 100) / 100;
	row.raw = raw_of(row.unit, record->count.value * row.share);
	if (table->is_repeated)
		row.deviation = record->count.value * record->count.deviation / 100;
	return gpmu_rows_add(rows, &row);
}

/* Names a rate that perf prints with an event, such as "K/sec", after its event. */
static int name_rate(struct gpmu_saved *saved, struct saved_record *record)
{
	const char *unit = text_of(saved, record->metric), *event = text_of(saved, record->event);
	size_t length = strlen(unit);
	char *text;
	int ret;

	record->metric_name = record->metric;
	if (!event || length < 4 || strcmp(unit + length - 4, "/sec"))
		return 0;
	text = malloc(strlen(event) + 1 + length + 1);
	if (!text)
		return -ENOMEM;
	sprintf(text, "%s %s", event, unit);
	ret = saved_texts_add(&saved->texts, text, strlen(text), &record->metric_name);
	free(text);
	return ret;
}

/* Splits "%  NAME" or "faults/sec  NAME" of perf's own metrics: two blanks follow the unit. */
static int name_metric(struct gpmu_saved *saved, struct saved_record *record)
{
	const char *unit = text_of(saved, record->metric), *name;
	size_t length;

	unit += strspn(unit, " ");
	name = strstr(unit, "  ");
	length = name ? (size_t)(name - unit) : 0;
	name = name ? name + strspn(name, " ") : "";
	record->metric_unit = SAVED_NONE;
	if (!*name)
		return name_rate(saved, record);
	return saved_texts_add(&saved->texts, unit, length, &record->metric_unit) ?:
	       saved_texts_add(&saved->texts, name, strlen(name), &record->metric_name);
}

static bool has_metric(const struct gpmu_saved *saved, const struct saved_record *record)
{
	const char *unit = text_of(saved, record->metric);

	return unit && strcmp(unit, "(null)") && unit[strspn(unit, " ")];
}

/* Adds the row of a metric; perf pads the name with blanks: "  CPUs utilized". */
static int add_metric(const struct gpmu_saved *saved, const struct saved_record *record, struct gpmu_rows *rows)
{
	struct gpmu_row row = row_of(saved, record);

	row.metric = 1;
	row.name = text_of(saved, record->metric_name);
	row.name += strspn(row.name, " ");
	row.unit = text_of(saved, record->metric_unit);
	row.value = record->count.metric_value;
	row.deviation = row.runs ? 0 : NAN;
	row.state = isnan(row.value) || record->count.state != COUNT_OK ? GPMU_STATE_NOT_COUNTED :
								   GPMU_STATE_OK;
	if (row.state != GPMU_STATE_OK) {
		row.value = NAN;
		row.why = saved_why(COUNT_NOT_COUNTED);
	}
	return gpmu_rows_add(rows, &row);
}

/* Makes all names first, because adding a text can move the others. */
static int make_names(struct gpmu_saved *saved)
{
	struct saved_table *table = saved->complete;
	int ret = 0;

	for (size_t i = 0; i < table->length && !ret; i++)
		if (has_metric(saved, &table->list[i]))
			ret = name_metric(saved, &table->list[i]);
	return ret;
}

/* Returns whether it is the event @hidden, which is NULL after the first. */
static bool is_hidden(const struct gpmu_saved *saved, const struct saved_record *record, const char **hidden)
{
	if (!*hidden || strcmp(text_of(saved, record->event), *hidden) != 0)
		return false;
	*hidden = NULL;
	return true;
}

int gpmu_saved_others(struct gpmu_saved *saved, const char *hidden, struct gpmu_rows *rows)
{
	const struct saved_table *table = saved->complete;
	bool is_used = false;
	int ret;

	if (!table)
		return -EINVAL;
	ret = make_names(saved);
	for (size_t i = 0; i < table->length && !ret; i++) {
		const struct saved_record *record = &table->list[i];

		/*
		 * A record with only a metric belongs to the event before it. perf's
		 * metrics for events of the plan are omitted.
		 */
		if (record->event != SAVED_NONE)
			is_used = record->is_used;
		if (record->event != SAVED_NONE && !is_used && !is_hidden(saved, record, &hidden))
			ret = add_event(saved, record, rows);
		if (!ret && !is_used && has_metric(saved, record))
			ret = add_metric(saved, record, rows);
	}
	return ret;
}
