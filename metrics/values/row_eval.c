// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Computes values from counts. Events of a group are enabled and run at the same times, so
 * scaling each by its own times is the same as scaling all by the leader's.
 */
#include <math.h>
#include <string.h>

#include "base/gpmu_double.h"
#include "catalog/catalog.h"
#include "values/row_maker.h"

static void result_init(struct row_result *result)
{
	*result = (struct row_result){ .state = GPMU_STATE_OK, .share = 1 };
}

/* A part is missing, so there is no value; the worst state is reported. */
static void result_lose(struct row_result *result, enum gpmu_state state, const char *why)
{
	if (state > result->state) {
		result->state = state;
		result->why = why;
	}
}

/* The reason of a missing value: from the source, or from the count */
static const char *why_lost(const struct counts_slot *slot, const struct count *count, bool is_task)
{
	if (slot->why)
		return slot->why;
	if (count->state == COUNT_NOT_SUPPORTED)
		return "it is not supported here";
	if (count_never_ran(count))
		return "other events used its PMU's counters all the time";
	if (count->state == COUNT_NOT_COUNTED)
		return "its counter could not be read, or its count has decreased";
	return is_task ? "none of its tasks ran while it was enabled" :
		      "it was enabled for no time: counting is paused, its CPU or PMU is inaccessible, or the time is too short";
}

static void result_share(struct row_result *result, double share)
{
	if (share < result->share)
		result->share = share;
}

static void result_end(struct row_result *result)
{
	if (result->state == GPMU_STATE_OK)
		return;
	result->value = NAN;
	result->raw = 0;
	if (result->state == GPMU_STATE_NOT_COUNTED)
		result->share = 0;
	else if (result->state == GPMU_STATE_NOT_SUPPORTED)
		result->share = NAN;
}

/* The tasks for which a slot is counted */
struct tasks {
	size_t length;
	double value;
	uint64_t enabled, running;	/* ns */
	uint64_t counted;		/* ns enabled, of the tasks in which it ran */
};

static void add_task(struct tasks *tasks, const struct count *count, double value)
{
	tasks->length++;
	tasks->enabled += count->enabled;
	tasks->running += count->running;
	if (!count->running)
		return;
	tasks->counted += count->enabled;
	tasks->value += value;
}

/*
 * A task that ended before its counters were scheduled is estimated from the rates of the
 * others. Otherwise a process with many threads would have no value under multiplexing.
 */
static double end_tasks(struct tasks *tasks, const struct counts_slot *slot, bool is_zero_asleep,
			struct row_result *result)
{
	const struct count all = { .enabled = tasks->enabled };
	double value = tasks->value;

	if (!tasks->length || (is_zero_asleep && !tasks->enabled))
		return 0;
	if (!tasks->running)
		result_lose(result, GPMU_STATE_NOT_COUNTED, why_lost(slot, &all, true));
	else
		result_share(result, (double)tasks->running / (double)tasks->enabled);
	if (tasks->counted < tasks->enabled)
		value *= (double)tasks->enabled / (double)tasks->counted;
	*tasks = (struct tasks){ 0 };
	return value;
}

/* The value of a target: in the event's unit if it was printed, otherwise unscaled */
static double target_value(const struct plan_slot *planned, const struct counts_slot *slot,
			  size_t index)
{
	const struct count *count = &slot->counts[index];

	if (slot->printed)
		return slot->printed[index].value;
	return planned->is_mean ? (double)count->raw / (double)count->running : count_value(count);
}

static void add_count(struct row_result *result, struct tasks *tasks,
		      const struct plan_slot *planned, const struct counts_slot *slot, size_t index)
{
	const struct count *count = &slot->counts[index];
	/* On each CPU the kernel counts a cgroup like one task: only while it runs there. */
	const bool has_tasks = slot->targets[index].tid >= 0 || planned->instance->cgroup;
	const bool has_run = count->running ||
			     (has_tasks && (count->enabled || count->state == COUNT_OK));

	result->counters++;
	result->enabled += count->enabled;
	result->running += count->running;
	if (count->state == COUNT_NOT_SUPPORTED) {
		result_lose(result, GPMU_STATE_NOT_SUPPORTED, why_lost(slot, count, false));
		return;
	}
	/* A counter of a task that was enabled and did not run is estimated from other tasks. */
	if (!has_run || (count->state == COUNT_NOT_COUNTED && count->running)) {
		result_lose(result, GPMU_STATE_NOT_COUNTED, why_lost(slot, count, false));
		return;
	}
	result->raw = count->raw > UINT64_MAX - result->raw ? UINT64_MAX :
		      result->raw + count->raw;
	if (has_tasks) {
		add_task(tasks, count, target_value(planned, slot, index));
		return;
	}
	result->value += target_value(planned, slot, index);
	result->time += count->enabled;
	result->timed++;
	result_share(result, (double)count->running / (double)count->enabled);
}

/* Values that libgpmu itself measures, as counts */
static struct count tool_count(enum event_tool tool, const struct gpmu_counts *counts)
{
	uint64_t time = counts_since(counts->end, counts->begin);
	struct count count = { .enabled = time, .running = time };

	switch (tool) {
	case EVENT_TOOL_USER_TIME:
		count.raw = counts->user_time;
		break;
	case EVENT_TOOL_SYSTEM_TIME:
		count.raw = counts->system_time;
		break;
	default:
		count.raw = time;
	}
	return count;
}

static void add_tool(const struct row_sum *sum, enum event_tool tool,
		     const struct gpmu_counts *counts, struct row_result *result)
{
	const struct count count = tool_count(tool, counts);

	result->counters++;
	result->enabled += count.enabled;
	if (tool != EVENT_TOOL_DURATION_TIME && counts->times_why) {
		result_lose(result, GPMU_STATE_NOT_COUNTED, counts->times_why);
		return;
	}
	result->running += count.running;
	result->raw = count.raw;
	/* In formulas these are seconds, as in perf. */
	result->value += sum->is_scaled ? (double)count.raw : (double)count.raw / 1e9;
}

/* 1e-6 is not exact as a double, but 1e6 is. Returns 0 if @scale is no such fraction. */
static double divisor_of(double scale)
{
	double divisor;

	if (!(scale < 1))
		return 0;
	divisor = gpmu_double_round(1 / scale);
	return divisor > 1 && !(1 / divisor < scale) && !(1 / divisor > scale) ? divisor : 0;
}

static double scaled(double value, double scale)
{
	double divisor = divisor_of(scale);

	return divisor > 0 ? value / divisor : value * scale;
}

static double unscaled(double value, double scale)
{
	double divisor = divisor_of(scale);

	if (divisor > 0)
		return value * divisor;
	return scale > 0 ? value / scale : value;
}

/* Converts the sum of a slot's targets to the event's unit, or to a formula's number. */
static double converted(const struct row_sum *sum, const struct plan_slot *planned,
			const struct counts_slot *slot, double value)
{
	bool is_in_unit = sum->is_scaled || planned->is_mean;

	if (is_in_unit == (slot->printed != NULL))
		return value;
	return is_in_unit ? scaled(value, planned->scale) : unscaled(value, planned->scale);
}

/* The PMUs that a unit's part of a slot counts */
static double sources_of(const struct row_maker *maker, const struct counts_slot *slot,
			 size_t first, size_t end)
{
	const size_t index = maker->parts[first].slot;
	unsigned int sources = 0;

	for (size_t i = first; slot->printed && i < end && maker->parts[i].slot == index; i++)
		if (maker->parts[i].target < slot->length)
			sources += slot->printed[maker->parts[i].target].sources;
	return sources ? sources : 1;
}

/* The parts of one slot; returns the next part. */
static size_t sum_slot(const struct row_maker *maker, const struct row_sum *sum, size_t first,
		       const struct gpmu_counts *counts, struct row_result *result)
{
	const size_t index = maker->parts[first].slot, end = sum->first + sum->length;
	const struct plan_slot *planned = &maker->plan->slots[index];
	const struct counts_slot *slot = &counts->slots[index];
	const double before = result->value;
	struct tasks tasks = { 0 };
	size_t i;

	result->value = 0;
	result->sources += sources_of(maker, slot, first, end);
	/* Deviations of several counts cannot be added up, as perf does not print each run. */
	result->deviation = sum->length == 1 && slot->printed &&
			    maker->parts[first].target < slot->length ?
			    slot->printed[maker->parts[first].target].deviation : NAN;
	for (i = first; i < end && maker->parts[i].slot == index; i++) {
		size_t target = maker->parts[i].target;

		if (target == ROW_TOOL)
			add_tool(sum, planned->instance->tool, counts, result);
		else if (target == ROW_LOST)
			result_lose(result,
				    slot->state == COUNT_NOT_SUPPORTED ? GPMU_STATE_NOT_SUPPORTED :
									 GPMU_STATE_NOT_COUNTED,
				    slot->why);
		else
			add_count(result, &tasks, planned, slot, target);
	}
	result->value += end_tasks(&tasks, slot, maker->options.is_zero_asleep, result);
	result->value = before + converted(sum, planned, slot, result->value);
	return i;
}

/*
 * A shortcut for the common case of one slot that all CPUs counted all the time: the same
 * result with fewer instructions for each row of each interval. false: another case, result
 * unchanged
 */
static bool sum_is_plain(const struct row_maker *maker, const struct row_sum *sum,
			 const struct gpmu_counts *counts, struct row_result *result)
{
	const struct row_part *parts = &maker->parts[sum->first];
	struct row_result all = { .state = GPMU_STATE_OK, .share = 1, .sources = 1 };
	const struct plan_slot *planned;
	const struct counts_slot *slot;
	size_t i;

	if (!sum->length || parts->target == ROW_TOOL || parts->target == ROW_LOST)
		return false;
	planned = &maker->plan->slots[parts->slot];
	slot = &counts->slots[parts->slot];
	for (i = 0; i < sum->length && parts[i].slot == parts->slot; i++) {
		const struct count *count = &slot->counts[parts[i].target];

		if (count->state != COUNT_OK || count->running != count->enabled ||
		    !count->running || count->raw > UINT64_MAX - all.raw)
			return false;
		all.raw += count->raw;
		all.value += (double)count->raw;
		all.enabled += count->enabled;
	}
	if (i < sum->length || planned->is_mean || slot->printed ||
	    slot->targets[parts->target].tid >= 0 || planned->instance->cgroup)
		return false;
	all.running = all.time = all.enabled;
	all.counters = all.timed = i;
	if (sum->is_scaled)
		all.value = scaled(all.value, planned->scale);
	*result = all;
	return true;
}

static void compute_sum(const struct row_maker *maker, const struct row_sum *sum,
			const struct gpmu_counts *counts, struct row_result *result)
{
	if (sum_is_plain(maker, sum, counts, result))
		return;
	result_init(result);
	if (!sum->length)
		result_lose(result, GPMU_STATE_NOT_COUNTED, "the machine has none of its counters");
	for (size_t i = sum->first; i < sum->first + sum->length;)
		i = sum_slot(maker, sum, i, counts, result);
	if (result->sources > 1 && maker->plan->slots[maker->parts[sum->first].slot].is_mean)
		result_lose(result, GPMU_STATE_NOT_SUPPORTED,
			    "means of several GPUs cannot be added up: count it in a run with events of GPUs only");
	result_end(result);
}

static const struct row_result *input_result(const struct row_maker *maker,
					     const struct row_input *input)
{
	return input->kind == ROW_SUM ? &maker->results[input->index] :
	       &maker->evals[input->index].result;
}

/* Combines the inputs' state, share and times, without the value. */
static void add_input(struct row_result *result, const struct row_result *input)
{
	if (input->state >= GPMU_STATE_NOT_COUNTED)
		result_lose(result, input->state, input->why);
	result_share(result, input->share);
	result->enabled += input->enabled;
	result->running += input->running;
	result->counters += input->counters;
	result->time += input->time;
	result->timed += input->timed;
}

/*
 * Rates are divided by the time that counters were enabled. Counters of tasks are enabled only
 * while their task runs, so if all counters are of tasks, rates are divided by the elapsed
 * time.
 */
static double duration_of(const struct row_result *result, const struct gpmu_counts *counts)
{
	if (result->timed)
		return (double)result->time / (double)result->timed / 1e9;
	return (double)counts_since(counts->end, counts->begin) / 1e9;
}

/* Sets maker->values, NaN for an idle metric. Returns whether an input is idle. */
static bool set_values(struct row_maker *maker, size_t first, size_t length, double duration)
{
	bool is_idle = false;

	for (size_t i = 0; i < length; i++) {
		const struct row_input *input = &maker->inputs[first + i];
		struct gpmu_expr_value *value = &maker->values[i];
		const struct row_result *result;

		*value = (struct gpmu_expr_value){ duration, 1, 1 };
		if (input->kind == ROW_DURATION)
			continue;
		result = input_result(maker, input);
		value->value = result->value;
		if (input->kind == ROW_SUM) {
			value->sources = result->sources;
			value->lines = (double)result->counters;
		}
		is_idle = is_idle || result->state == GPMU_STATE_IDLE;
	}
	return is_idle;
}

static void evaluate(struct row_maker *maker, struct row_eval *eval)
{
	const struct gpmu_expr *expr = eval->metric->expr;
	struct row_result *result = &eval->result;
	bool is_idle = set_values(maker, eval->first, eval->length, eval->duration);
	double value = gpmu_expr_eval(expr, maker->values);

	result->value = NAN;
	if (gpmu_expr_idle(expr, maker->values) || (is_idle && isnan(value)))
		result->state = GPMU_STATE_IDLE;
	else if (!isfinite(value))
		result_lose(result, GPMU_STATE_NOT_SUPPORTED,
			    "the value of its formula is not a finite number");
	else
		result->value = value;
}

static void compute_metric(struct row_maker *maker, struct row_eval *eval,
			   const struct gpmu_counts *counts)
{
	struct row_result *result = &eval->result;

	result_init(result);
	if (eval->metric->why || !eval->metric->expr)
		result_lose(result, GPMU_STATE_NOT_SUPPORTED, eval->metric->why);
	for (size_t i = eval->first; i < eval->first + eval->length; i++)
		if (maker->inputs[i].kind != ROW_DURATION)
			add_input(result, input_result(maker, &maker->inputs[i]));
	eval->duration = duration_of(result, counts);
	if (result->state == GPMU_STATE_OK)
		evaluate(maker, eval);
	result_end(result);
}

/* Called after all evaluations, as the threshold may use other metrics */
static void compute_alert(struct row_maker *maker, struct row_eval *eval)
{
	const struct gpmu_expr *threshold = eval->metric->threshold;
	double value;

	eval->alert = -1;
	if (!threshold || eval->result.state != GPMU_STATE_OK)
		return;
	for (size_t i = 0; i < eval->thresholds; i++) {
		const struct row_input *input = &maker->inputs[eval->threshold + i];

		if (input->kind != ROW_DURATION && input_result(maker, input)->state != GPMU_STATE_OK)
			return;
	}
	set_values(maker, eval->threshold, eval->thresholds, eval->duration);
	value = gpmu_expr_eval(threshold, maker->values);
	if (!isnan(value) && !gpmu_expr_idle(threshold, maker->values))
		eval->alert = value != 0;
}

/* The mean of the times of all counters, rounded */
static uint64_t mean_ns(uint64_t sum, size_t n)
{
	return n ? sum / n + (sum % n * 2 >= n) : 0;
}

/* Skips the name of the event at the start of a source's reason if it is that of the row. */
static const char *without_name(const char *why, const char *name)
{
	size_t length;

	if (!why || *why != *name)
		return why;
	length = strlen(name);
	if (strncmp(why, name, length) != 0 || strncmp(why + length, ": ", 2) != 0)
		return why;
	return why + length + 2;
}

static void fill_row(struct row_maker *maker, size_t index, uint64_t begin, uint64_t end)
{
	const struct row_source *source = &maker->sources[index];
	struct gpmu_row *row = &maker->rows.list[index];
	const struct row_result *result;

	row->time_begin = begin;
	row->time_end = end;
	if (source->index == SIZE_MAX)
		return;
	if (source->is_metric) {
		const struct row_eval *eval = &maker->evals[source->index];

		result = &eval->result;
		row->value = result->value * metric_scale(eval->metric->metric);
		row->alert = eval->alert;
	} else {
		result = &maker->results[source->index];
		row->value = result->value;
		row->raw = result->raw;
	}
	row->state = result->state;
	row->why = without_name(result->why, row->name);
	row->share = result->share;
	row->enabled = mean_ns(result->enabled, result->counters);
	row->running = mean_ns(result->running, result->counters);
	row->counters = result->counters;
}

int row_maker_rows(struct row_maker *maker, const struct gpmu_counts *counts, uint64_t start,
		   const struct gpmu_rows **rows)
{
	uint64_t begin = counts_since(counts->begin, start), end = counts_since(counts->end, start);

	if (maker->shape != counts->shape) {
		int ret = row_maker_layout(maker, counts);

		if (ret)
			return ret;
	}
	for (size_t i = 0; i < maker->sum_count; i++)
		compute_sum(maker, &maker->sums[i], counts, &maker->results[i]);
	for (size_t i = 0; i < maker->eval_count; i++)
		compute_metric(maker, &maker->evals[i], counts);
	for (size_t i = 0; i < maker->eval_count; i++)
		compute_alert(maker, &maker->evals[i]);
	for (size_t i = 0; i < maker->rows.length; i++)
		fill_row(maker, i, begin, end);
	*rows = &maker->rows;
	return 0;
}
