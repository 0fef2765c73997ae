// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps counts to rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/row_maker.h"

/* The sets of a metric */
struct sets {
	struct row_set *list;
	size_t length;
	bool *seen;	/* for each metric of the plan: its sets are in the list */
};

/* The units of an item */
struct item_units {
	size_t *list;
	size_t length;
};

/* A set of PMUs: one, several of one kind, or different ones */
struct pmus {
	const struct gpmu_pmu *one;
	const char *kind;	/* of @length */
	size_t length;
	bool several, different;
	bool sources;		/* of more than one */
};

static bool supported(const struct plan_metric *metric)
{
	return !metric->why && metric->expr;
}

static int add_set(struct sets *sets, const struct plan_input *input)
{
	struct row_set *added = vector_append(sets->list, sets->length);

	if (!added)
		return -ENOMEM;
	*added = (struct row_set){ input->slots, input->length };
	return 0;
}

/*
 * The sets of a metric and of the metrics that it uses. Each metric is visited once, as the paths
 * between metrics that use others twice are exponentially many.
 */
static int gather_sets(const struct row_maker *maker, size_t index, struct sets *sets)
{
	const struct plan_metric *metric = &maker->plan->metrics[index];
	size_t n = supported(metric) ? gpmu_expr_id_count(metric->expr) : 0;
	int ret = 0;

	if (sets->seen[index])
		return 0;
	sets->seen[index] = true;
	for (size_t i = 0; i < n && !ret; i++) {
		const struct plan_input *input = &metric->inputs[i];

		if (input->kind == PLAN_METRIC)
			ret = gather_sets(maker, input->metric, sets);
		else if (input->kind == PLAN_SLOTS)
			ret = add_set(sets, input);
	}
	return ret;
}

static int metric_units(struct row_maker *maker, const struct gpmu_counts *counts,
			size_t index, struct item_units *units)
{
	const struct gpmu_metric *metric = maker->plan->metrics[index].metric;
	struct sets sets = { .seen = calloc(maker->plan->metric_count, sizeof(*sets.seen)) };
	int ret = sets.seen ? gather_sets(maker, index, &sets) : -ENOMEM;

	if (!ret)
		ret = row_maker_units(maker, counts, sets.list, sets.length, &units->list,
				      &units->length);
	/* An unsupported item has the unit that its PMU would have counted. */
	if (!ret && !sets.length)
		ret = row_maker_whole(maker, gpmu_metric_pmu(metric) != NULL, units->list);
	free(sets.list);
	free(sets.seen);
	return ret;
}

static struct row_set event_set(const struct plan_event *event)
{
	if (event->why || !event->event || !event->slots)
		return (struct row_set){ 0 };
	return (struct row_set){ event->slots, event->event->length };
}

static int find_units(struct row_maker *maker, const struct gpmu_counts *counts,
		      struct item_units *units)
{
	const struct gpmu_plan *plan = maker->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count && !ret; i++) {
		size_t index = plan->items[i].index;

		if (plan->items[i].kind == PLAN_ITEM_EVENT) {
			const struct row_set set = event_set(&plan->events[index]);

			ret = row_maker_units(maker, counts, &set, 1, &units[i].list, &units[i].length);
		} else {
			ret = metric_units(maker, counts, index, &units[i]);
		}
	}
	return ret;
}

static int add_part(struct row_maker *maker, size_t slot, size_t target)
{
	struct row_part *added = vector_append(maker->parts, maker->part_count);

	if (!added)
		return -ENOMEM;
	*added = (struct row_part){ slot, target };
	return 0;
}

static int add_parts(struct row_maker *maker, const struct gpmu_counts *counts, size_t index,
		     const struct row_unit *unit)
{
	const struct counts_slot *slot = &counts->slots[index];
	bool one = unit->scope == GPMU_SCOPE_CPU;
	int ret = 0;

	if (maker->plan->slots[index].instance->tool != EVENT_TOOL_NONE)
		return add_part(maker, index, ROW_TOOL);
	if (!slot->length)
		return row_maker_has_lost(maker, unit, index) ? add_part(maker, index, ROW_LOST) : 0;
	/* Valid if CPUs are numbered without gaps */
	if (one && (size_t)unit->number < slot->length &&
	    slot->targets[unit->number].cpu == unit->number)
		return add_part(maker, index, (size_t)unit->number);
	for (size_t i = 0; i < slot->length && !ret; i++)
		if (row_maker_has_target(maker, unit, index, &slot->targets[i]))
			ret = add_part(maker, index, i);
	return ret;
}

static int add_sum(struct row_maker *maker, const struct gpmu_counts *counts,
		   const struct row_set *set, const struct row_unit *unit, bool scaled,
		   size_t *index)
{
	struct row_sum *sum = vector_append(maker->sums, maker->sum_count);
	int ret = 0;

	if (!sum)
		return -ENOMEM;
	*index = maker->sum_count - 1;
	*sum = (struct row_sum){ .first = maker->part_count, .scaled = scaled };
	for (size_t i = 0; i < set->length && !ret; i++)
		ret = add_parts(maker, counts, set->slots[i], unit);
	sum->length = maker->part_count - sum->first;
	return ret;
}

static int add_eval(struct row_maker *maker, const struct gpmu_counts *counts, size_t metric,
		    size_t unit, size_t *index);

static int add_input(struct row_maker *maker, const struct row_input *input)
{
	struct row_input *added = vector_append(maker->inputs, maker->input_count);

	if (!added)
		return -ENOMEM;
	*added = *input;
	return 0;
}

/*
 * Appends the inputs of an expression contiguously, after the sums and evaluations that they
 * refer to
 */
static int add_inputs(struct row_maker *maker, const struct gpmu_counts *counts,
		      const struct plan_input *planned, size_t length, size_t unit, size_t *first)
{
	struct row_input *inputs = calloc(length + 1, sizeof(*inputs));
	int ret = inputs ? 0 : -ENOMEM;

	for (size_t i = 0; i < length && !ret; i++) {
		const struct row_set set = { planned[i].slots, planned[i].length };

		switch (planned[i].kind) {
		case PLAN_SLOTS:
			inputs[i].kind = ROW_SUM;
			ret = add_sum(maker, counts, &set, &maker->units[unit], false,
				      &inputs[i].index);
			break;
		case PLAN_METRIC:
			inputs[i].kind = ROW_EVAL;
			ret = add_eval(maker, counts, planned[i].metric, unit, &inputs[i].index);
			break;
		case PLAN_DURATION:
			inputs[i].kind = ROW_DURATION;
			break;
		}
	}
	*first = maker->input_count;
	for (size_t i = 0; i < length && !ret; i++)
		ret = add_input(maker, &inputs[i]);
	free(inputs);
	return ret;
}

/*
 * Adds a metric in a unit, once. Its threshold is added afterwards, because it may refer to the
 * metric.
 */
static int add_eval(struct row_maker *maker, const struct gpmu_counts *counts, size_t metric,
		    size_t unit, size_t *index)
{
	const struct plan_metric *planned = &maker->plan->metrics[metric];
	size_t *known = &maker->eval_of[metric * maker->unit_count + unit];
	struct row_eval eval = { .metric = planned, .alert = -1 };
	struct row_eval *added;
	size_t first;
	int ret;

	if (*known) {
		*index = *known - 1;
		return 0;
	}
	if (supported(planned))
		eval.length = gpmu_expr_id_count(planned->expr);
	ret = add_inputs(maker, counts, planned->inputs, eval.length, unit, &eval.first);
	if (ret)
		return ret;
	added = vector_append(maker->evals, maker->eval_count);
	if (!added)
		return -ENOMEM;
	*added = eval;
	*known = maker->eval_count;
	*index = maker->eval_count - 1;
	if (!supported(planned) || !planned->threshold)
		return 0;
	ret = add_inputs(maker, counts, planned->threshold_inputs,
			 gpmu_expr_id_count(planned->threshold), unit, &first);
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

	if (pmus->one && gpmu_pmu_source(pmus->one) != (pmu ? gpmu_pmu_source(pmu) : NULL))
		pmus->sources = true;
	if (!pmu || pmus->one == pmu) {
		pmus->different = pmus->different || !pmu;
		return;
	}
	length = kind_length(pmu);
	if (pmus->one) {
		pmus->several = true;
		if (length != pmus->length ||
		    memcmp(pmus->kind, gpmu_pmu_name(pmu), length) != 0)
			pmus->different = true;
		return;
	}
	pmus->one = pmu;
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
	if (!pmus->one || pmus->different)
		return 0;
	if (!pmus->several) {
		*text = gpmu_pmu_name(pmus->one);
		return 0;
	}
	*text = row_maker_text(maker, pmus->kind, pmus->length);
	return *text ? 0 : -ENOMEM;
}

static int add_row(struct row_maker *maker, size_t unit, const struct row_source *source,
		   struct gpmu_row row)
{
	const struct row_unit *target = &maker->units[unit];
	struct row_source *added = vector_append(maker->sources, maker->source_count);
	struct pmus pmus = { 0 };
	int ret;

	if (!added)
		return -ENOMEM;
	*added = *source;
	if (source->metric)
		note_eval(maker, &maker->evals[source->index], &pmus);
	else if (source->index != SIZE_MAX)
		note_sum(maker, &maker->sums[source->index], &pmus);
	row.metric = source->metric;
	row.scope = target->scope;
	row.node = target->node;
	row.package = target->topology.package;
	row.die = target->topology.die;
	row.core = target->topology.core;
	row.cpu = target->cpu;
	row.tid = target->scope == GPMU_SCOPE_THREAD ? target->number : -1;
	row.comm = target->comm;
	row.pid = target->scope == GPMU_SCOPE_PROCESS || target->scope == GPMU_SCOPE_THREAD ?
		  maker->options.pid : -1;
	row.alert = -1;
	row.runs = 1;
	row.gpu_number = -1;
	if (target->scope == GPMU_SCOPE_GPU) {
		row.gpu_number = target->number;
		row.gpu = gpmu_gpu_uuid(gpmu_machine_gpu(maker->plan->machine,
							 (size_t)target->number));
	}
	if (pmus.one && gpmu_pmu_source(pmus.one) && !pmus.sources)
		row.source = gpmu_source_name(gpmu_pmu_source(pmus.one));
	ret = pmus_text(maker, &pmus, &row.pmu);
	return ret ? ret : gpmu_rows_add(&maker->rows, &row);
}

static int event_row(struct row_maker *maker, const struct gpmu_counts *counts,
		     const struct plan_event *event, size_t unit)
{
	const struct row_set set = event_set(event);
	struct row_source source = { .index = SIZE_MAX };
	struct gpmu_row row = { .name = event->label, .value = NAN, .share = NAN };
	int ret = 0;

	if (event->cgroup)
		row.cgroup = event->cgroup->name;
	/* "name=" of its terms */
	if (event->event && event->event->label)
		row.name = event->event->label;
	if (set.length) {
		row.unit = maker->plan->slots[set.slots[0]].unit;
		row.mean = maker->plan->slots[set.slots[0]].mean;
		ret = add_sum(maker, counts, &set, &maker->units[unit], true, &source.index);
	} else {
		row.state = GPMU_STATE_NOT_SUPPORTED;
		row.why = event->why;
	}
	return ret ? ret : add_row(maker, unit, &source, row);
}

static int metric_row(struct row_maker *maker, const struct gpmu_counts *counts, size_t metric,
		      size_t unit)
{
	const struct plan_metric *planned = &maker->plan->metrics[metric];
	struct gpmu_row row = { .name = planned->label, .unit = gpmu_metric_unit(planned->metric) };
	struct row_source source = { .metric = true };
	int ret = add_eval(maker, counts, metric, unit, &source.index);

	if (planned->cgroup)
		row.cgroup = planned->cgroup->name;
	return ret ? ret : add_row(maker, unit, &source, row);
}

static int add_rows(struct row_maker *maker, const struct gpmu_counts *counts,
		    const struct item_units *units)
{
	const struct gpmu_plan *plan = maker->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count; i++)
		for (size_t k = 0; k < units[i].length && !ret; k++) {
			size_t index = plan->items[i].index, unit = units[i].list[k];

			ret = plan->items[i].kind == PLAN_ITEM_EVENT ?
			      event_row(maker, counts, &plan->events[index], unit) :
			      metric_row(maker, counts, index, unit);
		}
	return ret;
}

static void clear(struct row_maker *maker)
{
	maker->unit_count = maker->last_unit = 0;
	maker->part_count = maker->sum_count = 0;
	maker->input_count = maker->eval_count = maker->source_count = 0;
	gpmu_rows_clear(&maker->rows);
	free(maker->eval_of);
	maker->eval_of = NULL;
	free(maker->results);
	maker->results = NULL;
	counts_free(maker->targets);
	maker->targets = NULL;
	maker->shape = 0;
}

int row_maker_layout(struct row_maker *maker, const struct gpmu_counts *counts)
{
	struct item_units *units;
	int ret;

	if (maker->targets && counts_alike(maker->targets, counts)) {
		maker->shape = counts->shape;
		return 0;
	}
	clear(maker);
	units = calloc(maker->plan->item_count + 1, sizeof(*units));
	ret = units ? row_groups_make(maker, counts) : -ENOMEM;
	if (!ret)
		ret = find_units(maker, counts, units);
	if (!ret) {
		maker->eval_of = calloc(maker->plan->metric_count * maker->unit_count + 1,
				       sizeof(*maker->eval_of));
		ret = maker->eval_of ? add_rows(maker, counts, units) : -ENOMEM;
	}
	if (!ret) {
		maker->results = calloc(maker->sum_count + 1, sizeof(*maker->results));
		maker->targets = counts_copy(counts);
		maker->shape = counts->shape;
		ret = maker->results && maker->targets ? 0 : -ENOMEM;
	}
	for (size_t i = 0; units && i < maker->plan->item_count; i++)
		free(units[i].list);
	free(units);
	if (ret)
		clear(maker);
	return ret;
}
