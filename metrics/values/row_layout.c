// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps counts to rows: the counts of each sum, the inputs of each evaluation, and the row of each item in each unit. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "machine/pmu.h"
#include "values/row_maker.h"

/* A set of PMUs: one, several of one kind, or different ones */
struct pmus {
	const struct gpmu_pmu *pmu;
	const char *kind;	/* of @length */
	size_t length;
	bool has_several, is_different;
	bool has_sources;	/* of more than one */
};

/*
 * Returns whether a target of a slot belongs to a unit. A slot without targets belongs to each unit if its number in
 * the unit's scope is not known, but that of a core PMU only to the PMU's CPUs.
 */
static bool has_target(const struct row_unit *unit, const struct row_slot *slot, const struct row_target *target)
{
	int number = target->numbers[unit->scope];

	if (number >= 0 || !row_has_no_target(target))
		return number == unit->number;
	return unit->scope != GPMU_SCOPE_CPU || !slot->pmu || !slot->pmu->cpus.len ||
	       cpus_contain(&slot->pmu->cpus, unit->number);
}

static int add_parts(struct row_maker *maker, size_t index, const struct row_unit *unit)
{
	const struct row_slot *slot = &maker->slots[index];
	const struct row_target *targets = &maker->targets[slot->first];
	size_t i = 0, end = slot->length;
	int ret = 0;

	/* Valid if CPUs are numbered without gaps */
	if (unit->scope == GPMU_SCOPE_CPU && (size_t)unit->number < end &&
	    targets[unit->number].numbers[GPMU_SCOPE_CPU] == unit->number) {
		i = (size_t)unit->number;
		end = i + 1;
	}
	for (; i < end && !ret; i++)
		if (has_target(unit, slot, &targets[i]))
			ret = vector_append_value(maker->parts, maker->part_count,
						  (struct row_part){ index, targets[i].index });
	return ret;
}

static int add_sum(struct row_maker *maker, const struct row_set *set, const struct row_unit *unit, bool is_scaled,
		   size_t *index)
{
	struct row_sum sum = { .first = maker->part_count, .is_scaled = is_scaled };
	int ret = 0;

	for (size_t i = 0; i < set->length && !ret; i++)
		ret = add_parts(maker, set->slots[i], unit);
	sum.length = maker->part_count - sum.first;
	*index = maker->sum_count;
	return ret ? ret : vector_append_value(maker->sums, maker->sum_count, sum);
}

static int add_eval(struct row_maker *maker, size_t metric, size_t unit, size_t *index);

/*
 * Appends the inputs of an expression contiguously, after the sums and evaluations that they
 * refer to
 */
static int add_inputs(struct row_maker *maker, const struct plan_input *planned, size_t length, size_t unit,
		      size_t *first)
{
	struct row_input *inputs = calloc(length + 1, sizeof(*inputs));
	int ret = inputs ? 0 : -ENOMEM;

	for (size_t i = 0; i < length && !ret; i++) {
		const struct row_set set = { planned[i].slots, planned[i].length };

		switch (planned[i].kind) {
		case PLAN_SLOTS:
			inputs[i].kind = ROW_SUM;
			ret = add_sum(maker, &set, &maker->units[unit], false, &inputs[i].index);
			break;
		case PLAN_METRIC:
			inputs[i].kind = ROW_EVAL;
			ret = add_eval(maker, planned[i].metric, unit, &inputs[i].index);
			break;
		case PLAN_DURATION:
			inputs[i].kind = ROW_DURATION;
			break;
		}
	}
	*first = maker->input_count;
	for (size_t i = 0; i < length && !ret; i++)
		ret = vector_append_value(maker->inputs, maker->input_count, inputs[i]);
	free(inputs);
	return ret;
}

/*
 * Adds a metric in a unit, once. Its threshold is added afterwards, because it may refer to the
 * metric.
 */
static int add_eval(struct row_maker *maker, size_t metric, size_t unit, size_t *index)
{
	const struct plan_metric *planned = &maker->plan->metrics[metric];
	size_t *known = &maker->eval_of[metric * maker->unit_count + unit];
	struct row_eval eval = { .metric = planned, .length = row_id_count(planned), .alert = -1 };
	size_t first;
	int ret;

	if (*known) {
		*index = *known - 1;
		return 0;
	}
	ret = add_inputs(maker, planned->inputs, eval.length, unit, &eval.first);
	if (!ret)
		ret = vector_append_value(maker->evals, maker->eval_count, eval);
	if (ret)
		return ret;
	*known = maker->eval_count;
	*index = maker->eval_count - 1;
	if (planned->why || !planned->expr || !planned->threshold)
		return 0;
	ret = add_inputs(maker, planned->threshold_inputs, gpmu_expr_id_count(planned->threshold), unit, &first);
	maker->evals[*index].threshold = first;
	maker->evals[*index].thresholds = gpmu_expr_id_count(planned->threshold);
	return ret;
}

/* The length of the name without the number of gpmu_pmu_number() */
static size_t kind_length(const struct gpmu_pmu *pmu)
{
	const char *name = gpmu_pmu_name(pmu), *end = strstr(name, "_inst_");
	size_t length = end ? (size_t)(end - name) : strlen(name);

	if (gpmu_pmu_number(pmu) < 0)
		return strlen(name);
	while (length && name[length - 1] != '_')
		length--;
	return length ? length - 1 : strlen(name);
}

static void note_pmu(struct pmus *pmus, const struct gpmu_pmu *pmu)
{
	size_t length;

	if (pmus->pmu && gpmu_pmu_source(pmus->pmu) != (pmu ? gpmu_pmu_source(pmu) : NULL))
		pmus->has_sources = true;
	if (!pmu || pmus->pmu == pmu) {
		pmus->is_different = pmus->is_different || !pmu;
		return;
	}
	length = kind_length(pmu);
	if (pmus->pmu) {
		pmus->has_several = true;
		if (length != pmus->length ||
		    memcmp(pmus->kind, gpmu_pmu_name(pmu), length) != 0)
			pmus->is_different = true;
		return;
	}
	pmus->pmu = pmu;
	pmus->kind = gpmu_pmu_name(pmu);
	pmus->length = length;
}

static void note_sum(const struct row_maker *maker, const struct row_sum *sum, struct pmus *pmus)
{
	for (size_t i = sum->first; i < sum->first + sum->length; i++)
		if (maker->parts[i].target != ROW_TOOL)
			note_pmu(pmus, maker->plan->slots[maker->parts[i].slot].instance->pmu);
}

/* Each evaluation is visited once for a row, as gather_sets() does. */
static void note_eval(const struct row_maker *maker, struct row_eval *eval, struct pmus *pmus)
{
	if (eval->noted == maker->rows.length + 1)
		return;
	eval->noted = maker->rows.length + 1;
	for (size_t i = eval->first; i < eval->first + eval->length; i++) {
		const struct row_input *input = &maker->inputs[i];

		if (input->kind == ROW_SUM)
			note_sum(maker, &maker->sums[input->index], pmus);
		else if (input->kind == ROW_EVAL)
			note_eval(maker, &maker->evals[input->index], pmus);
	}
}

/* The text for member pmu of a row; NULL: none */
static int pmus_text(struct row_maker *maker, const struct pmus *pmus, const char **text)
{
	*text = NULL;
	if (!pmus->pmu || pmus->is_different)
		return 0;
	if (!pmus->has_several) {
		*text = gpmu_pmu_name(pmus->pmu);
		return 0;
	}
	*text = row_maker_text(maker, pmus->kind, pmus->length);
	return *text ? 0 : -ENOMEM;
}

/* Sets the members that name the unit of a row. */
static void set_unit(const struct row_maker *maker, const struct row_unit *unit, struct gpmu_row *row)
{
	row->scope = unit->scope;
	row->node = unit->node;
	row->package = unit->topology.package;
	row->die = unit->topology.die;
	row->core = unit->topology.core;
	row->cpu = unit->cpu;
	row->tid = unit->scope == GPMU_SCOPE_THREAD ? unit->number : -1;
	row->comm = unit->comm;
	row->pid = unit->scope == GPMU_SCOPE_PROCESS || unit->scope == GPMU_SCOPE_THREAD ?
		   maker->options.pid : -1;
	row->gpu_number = -1;
	if (unit->scope == GPMU_SCOPE_GPU) {
		row->gpu_number = unit->number;
		row->gpu = gpmu_gpu_uuid(gpmu_machine_gpu(maker->plan->machine, (size_t)unit->number));
	}
}

static int set_event(struct row_maker *maker, const struct plan_event *event, struct row_source *source,
		     struct gpmu_row *row)
{
	const struct row_set set = row_event_set(event);

	/* "name=" of its terms */
	row->name = event->event && event->event->label ? event->event->label : event->label;
	row->cgroup = event->cgroup ? event->cgroup->name : NULL;
	row->value = row->share = NAN;
	if (!set.length) {
		row->state = GPMU_STATE_NOT_SUPPORTED;
		row->why = event->why;
		return 0;
	}
	row->unit = maker->plan->slots[set.slots[0]].unit;
	row->mean = maker->plan->slots[set.slots[0]].is_mean;
	return add_sum(maker, &set, &maker->units[source->unit], true, &source->index);
}

static int set_metric(struct row_maker *maker, size_t index, struct row_source *source, struct gpmu_row *row)
{
	const struct plan_metric *metric = &maker->plan->metrics[index];

	row->name = metric->label;
	row->unit = gpmu_metric_unit(metric->metric);
	row->cgroup = metric->cgroup ? metric->cgroup->name : NULL;
	row->metric = true;
	return add_eval(maker, index, source->unit, &source->index);
}

static int add_row(struct row_maker *maker, struct row_source *source)
{
	const size_t index = maker->plan->items[source->item].index;
	struct gpmu_row row = { .alert = -1, .runs = 1 };
	struct pmus pmus = { 0 };
	int ret;

	ret = source->is_metric ? set_metric(maker, index, source, &row) :
	      set_event(maker, &maker->plan->events[index], source, &row);
	if (ret)
		return ret;
	if (source->is_metric)
		note_eval(maker, &maker->evals[source->index], &pmus);
	else if (source->index != SIZE_MAX)
		note_sum(maker, &maker->sums[source->index], &pmus);
	set_unit(maker, &maker->units[source->unit], &row);
	if (pmus.pmu && gpmu_pmu_source(pmus.pmu) && !pmus.has_sources)
		row.source = gpmu_source_name(gpmu_pmu_source(pmus.pmu));
	ret = pmus_text(maker, &pmus, &row.pmu);
	return ret ? ret : gpmu_rows_add(&maker->rows, &row);
}

/* Adds the row of each source, with its sums and evaluations. */
static int add_rows(struct row_maker *maker)
{
	int ret = 0;

	maker->eval_of = calloc(maker->plan->metric_count * maker->unit_count + 1, sizeof(*maker->eval_of));
	if (!maker->eval_of)
		return -ENOMEM;
	for (size_t i = 0; i < maker->source_count && !ret; i++)
		ret = add_row(maker, &maker->sources[i]);
	maker->results = calloc(maker->sum_count + 1, sizeof(*maker->results));
	return maker->results ? ret : -ENOMEM;
}

static void clear(struct row_maker *maker)
{
	maker->target_count = maker->group_count = 0;
	maker->unit_count = maker->last_unit = 0;
	maker->part_count = maker->sum_count = 0;
	maker->input_count = maker->eval_count = maker->source_count = 0;
	gpmu_rows_clear(&maker->rows);
	free(maker->slots);
	maker->slots = NULL;
	free(maker->eval_of);
	maker->eval_of = NULL;
	free(maker->results);
	maker->results = NULL;
	counts_free(maker->counts);
	maker->counts = NULL;
	maker->shape = 0;
}

int row_maker_layout(struct row_maker *maker, const struct gpmu_counts *counts)
{
	int ret = 0;

	if (!maker->counts || !counts_are_alike(maker->counts, counts)) {
		clear(maker);
		ret = row_targets_make(maker, counts);
		if (!ret)
			ret = row_units_make(maker);
		if (!ret)
			ret = add_rows(maker);
		maker->counts = ret ? NULL : counts_copy(counts);
		if (!maker->counts) {
			clear(maker);
			return -ENOMEM;
		}
	}
	maker->shape = counts->shape;
	return 0;
}
