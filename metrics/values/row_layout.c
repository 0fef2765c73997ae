// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps counts to rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/row.h"

/* The sets of a metric */
struct sets {
	struct row_set *list;
	size_t length;
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
	struct row_set *list = vector_room(sets->list, sets->length, sizeof(*list));

	if (!list)
		return -ENOMEM;
	sets->list = list;
	list[sets->length++] = (struct row_set){ input->slots, input->length };
	return 0;
}

/* The sets of a metric and of the metrics that it uses */
static int gather_sets(const struct gpmu_rows *rows, const struct plan_metric *metric,
		       struct sets *sets)
{
	size_t n = supported(metric) ? gpmu_expr_id_count(metric->expr) : 0;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		const struct plan_input *input = &metric->inputs[i];

		if (input->kind == PLAN_METRIC)
			ret = gather_sets(rows, &rows->plan->metrics[input->metric], sets);
		else if (input->kind == PLAN_SLOTS)
			ret = add_set(sets, input);
	}
	return ret;
}

static int metric_units(struct gpmu_rows *rows, const struct gpmu_counts *counts,
			const struct plan_metric *metric, struct item_units *units)
{
	struct sets sets = { 0 };
	int ret = gather_sets(rows, metric, &sets);

	if (!ret)
		ret = rows_units(rows, counts, sets.list, sets.length, &units->list,
				 &units->length);
	/* An unsupported item has the unit that its PMU would have counted. */
	if (!ret && !sets.length)
		ret = rows_whole(rows, gpmu_metric_pmu(metric->metric) != NULL, units->list);
	free(sets.list);
	return ret;
}

static struct row_set event_set(const struct plan_event *event)
{
	if (event->why || !event->event || !event->slots)
		return (struct row_set){ 0 };
	return (struct row_set){ event->slots, event->event->length };
}

static int find_units(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		      struct item_units *units)
{
	const struct gpmu_plan *plan = rows->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count && !ret; i++) {
		size_t index = plan->items[i].index;

		if (plan->items[i].kind == PLAN_ITEM_EVENT) {
			const struct row_set set = event_set(&plan->events[index]);

			ret = rows_units(rows, counts, &set, 1, &units[i].list, &units[i].length);
		} else {
			ret = metric_units(rows, counts, &plan->metrics[index], &units[i]);
		}
	}
	return ret;
}

static int add_part(struct gpmu_rows *rows, size_t slot, size_t place)
{
	struct row_part *parts = vector_room(rows->parts, rows->part_count, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	rows->parts = parts;
	parts[rows->part_count++] = (struct row_part){ slot, place };
	return 0;
}

static int add_parts(struct gpmu_rows *rows, const struct gpmu_counts *counts, size_t index,
		     const struct row_unit *unit)
{
	const struct counts_slot *slot = &counts->slots[index];
	bool one = unit->scope == GPMU_SCOPE_CPU;
	int ret = 0;

	if (rows->plan->slots[index].instance->tool != EVENT_TOOL_NONE)
		return add_part(rows, index, ROW_TOOL);
	if (!slot->length)
		return rows_has_lost(rows, unit, index) ? add_part(rows, index, ROW_LOST) : 0;
	/* If CPUs are numbered without gaps */
	if (one && (size_t)unit->number < slot->length &&
	    slot->places[unit->number].cpu == unit->number)
		return add_part(rows, index, (size_t)unit->number);
	for (size_t i = 0; i < slot->length && !ret; i++)
		if (rows_has_place(rows, unit, index, &slot->places[i]))
			ret = add_part(rows, index, i);
	return ret;
}

static int add_sum(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		   const struct row_set *set, const struct row_unit *unit, bool scaled,
		   size_t *index)
{
	struct row_sum sum = { .first = rows->part_count, .scaled = scaled };
	struct row_sum *sums = vector_room(rows->sums, rows->sum_count, sizeof(*sums));
	int ret = 0;

	if (!sums)
		return -ENOMEM;
	rows->sums = sums;
	for (size_t i = 0; i < set->length && !ret; i++)
		ret = add_parts(rows, counts, set->slots[i], unit);
	if (ret)
		return ret;
	sum.length = rows->part_count - sum.first;
	*index = rows->sum_count++;
	sums[*index] = sum;
	return 0;
}

static int add_eval(struct gpmu_rows *rows, const struct gpmu_counts *counts, size_t metric,
		    size_t unit, size_t *index);

static int add_input(struct gpmu_rows *rows, const struct row_input *input)
{
	struct row_input *inputs = vector_room(rows->inputs, rows->input_count, sizeof(*inputs));

	if (!inputs)
		return -ENOMEM;
	rows->inputs = inputs;
	inputs[rows->input_count++] = *input;
	return 0;
}

/* Those of an expression, one after the other, once all that they are of is there */
static int add_inputs(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		      const struct plan_input *planned, size_t length, size_t unit, size_t *first)
{
	struct row_input *inputs = calloc(length + 1, sizeof(*inputs));
	int ret = inputs ? 0 : -ENOMEM;

	for (size_t i = 0; i < length && !ret; i++) {
		const struct row_set set = { planned[i].slots, planned[i].length };

		switch (planned[i].kind) {
		case PLAN_SLOTS:
			inputs[i].kind = ROW_SUM;
			ret = add_sum(rows, counts, &set, &rows->units[unit], false,
				      &inputs[i].index);
			break;
		case PLAN_METRIC:
			inputs[i].kind = ROW_EVAL;
			ret = add_eval(rows, counts, planned[i].metric, unit, &inputs[i].index);
			break;
		case PLAN_DURATION:
			inputs[i].kind = ROW_DURATION;
			break;
		}
	}
	*first = rows->input_count;
	for (size_t i = 0; i < length && !ret; i++)
		ret = add_input(rows, &inputs[i]);
	free(inputs);
	return ret;
}

/* A metric in a unit, once. A threshold may be of the metric itself, so it comes after. */
static int add_eval(struct gpmu_rows *rows, const struct gpmu_counts *counts, size_t metric,
		    size_t unit, size_t *index)
{
	const struct plan_metric *planned = &rows->plan->metrics[metric];
	size_t *known = &rows->eval_of[metric * rows->unit_count + unit];
	struct row_eval eval = { .metric = planned, .alert = -1 };
	struct row_eval *evals;
	size_t first;
	int ret;

	if (*known) {
		*index = *known - 1;
		return 0;
	}
	if (supported(planned))
		eval.length = gpmu_expr_id_count(planned->expr);
	ret = add_inputs(rows, counts, planned->inputs, eval.length, unit, &eval.first);
	if (ret)
		return ret;
	evals = vector_room(rows->evals, rows->eval_count, sizeof(*evals));
	if (!evals)
		return -ENOMEM;
	rows->evals = evals;
	*index = rows->eval_count++;
	*known = rows->eval_count;
	evals[*index] = eval;
	if (!supported(planned) || !planned->threshold)
		return 0;
	ret = add_inputs(rows, counts, planned->threshold_inputs,
			 gpmu_expr_id_count(planned->threshold), unit, &first);
	rows->evals[*index].threshold = first;
	rows->evals[*index].thresholds = gpmu_expr_id_count(planned->threshold);
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

static void note_sum(const struct gpmu_rows *rows, const struct row_sum *sum, struct pmus *pmus)
{
	for (size_t i = sum->first; i < sum->first + sum->length; i++)
		if (rows->parts[i].place != ROW_TOOL)
			note_pmu(pmus, rows->plan->slots[rows->parts[i].slot].instance->pmu);
}

static void note_eval(const struct gpmu_rows *rows, const struct row_eval *eval,
		      struct pmus *pmus)
{
	for (size_t i = eval->first; i < eval->first + eval->length; i++) {
		const struct row_input *input = &rows->inputs[i];

		if (input->kind == ROW_SUM)
			note_sum(rows, &rows->sums[input->index], pmus);
		else if (input->kind == ROW_EVAL)
			note_eval(rows, &rows->evals[input->index], pmus);
	}
}

static int add_kind(struct gpmu_rows *rows, const char *name, size_t length)
{
	char **kinds = vector_room(rows->kinds, rows->kind_count, sizeof(*kinds));
	char *kind;

	if (!kinds)
		return -ENOMEM;
	rows->kinds = kinds;
	kind = malloc(length + 1);
	if (!kind)
		return -ENOMEM;
	memcpy(kind, name, length);
	kind[length] = '\0';
	kinds[rows->kind_count++] = kind;
	return 0;
}

/* The text for member pmu of a row; NULL: none */
static int pmus_text(struct gpmu_rows *rows, const struct pmus *pmus, const char **text)
{
	size_t i;
	int ret = 0;

	*text = NULL;
	if (!pmus->one || pmus->different)
		return 0;
	if (!pmus->several) {
		*text = gpmu_pmu_name(pmus->one);
		return 0;
	}
	for (i = 0; i < rows->kind_count; i++)
		if (strlen(rows->kinds[i]) == pmus->length &&
		    !memcmp(rows->kinds[i], pmus->kind, pmus->length))
			break;
	if (i == rows->kind_count)
		ret = add_kind(rows, pmus->kind, pmus->length);
	if (!ret)
		*text = rows->kinds[i];
	return ret;
}

static int add_row(struct gpmu_rows *rows, size_t unit, const struct row_source *source,
		   struct gpmu_row row)
{
	const struct row_unit *of = &rows->units[unit];
	struct row_source *sources;
	struct pmus pmus = { 0 };
	struct gpmu_row *list;

	list = vector_room(rows->rows, rows->row_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	rows->rows = list;
	sources = vector_room(rows->sources, rows->row_count, sizeof(*sources));
	if (!sources)
		return -ENOMEM;
	rows->sources = sources;
	if (source->metric)
		note_eval(rows, &rows->evals[source->index], &pmus);
	else if (source->index != SIZE_MAX)
		note_sum(rows, &rows->sums[source->index], &pmus);
	row.size = sizeof(row);
	row.metric = source->metric;
	row.scope = of->scope;
	row.node = of->node;
	row.package = of->package;
	row.cpu = of->scope == GPMU_SCOPE_CPU ? of->number : -1;
	row.pid = of->scope == GPMU_SCOPE_PROCESS ? rows->options.pid : -1;
	row.alert = -1;
	row.runs = 1;
	row.gpu_number = -1;
	if (of->scope == GPMU_SCOPE_GPU) {
		row.gpu_number = of->number;
		row.gpu = gpmu_gpu_uuid(gpmu_machine_gpu(rows->plan->machine,
							 (size_t)of->number));
	}
	if (pmus.one && gpmu_pmu_source(pmus.one) && !pmus.sources)
		row.source = gpmu_source_name(gpmu_pmu_source(pmus.one));
	sources[rows->row_count] = *source;
	list[rows->row_count] = row;
	return pmus_text(rows, &pmus, &list[rows->row_count++].pmu);
}

static int event_row(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		     const struct plan_event *event, size_t unit)
{
	const struct row_set set = event_set(event);
	struct row_source source = { .index = SIZE_MAX };
	struct gpmu_row row = { .name = event->label, .value = NAN, .share = NAN };
	int ret = 0;

	/* "name=" of its terms */
	if (event->event && event->event->label)
		row.name = event->event->label;
	if (set.length) {
		row.unit = rows->plan->slots[set.slots[0]].unit;
		row.mean = rows->plan->slots[set.slots[0]].mean;
		ret = add_sum(rows, counts, &set, &rows->units[unit], true, &source.index);
	} else {
		row.state = GPMU_STATE_NOT_SUPPORTED;
		row.why = event->why;
	}
	return ret ? ret : add_row(rows, unit, &source, row);
}

static int metric_row(struct gpmu_rows *rows, const struct gpmu_counts *counts, size_t metric,
		      size_t unit)
{
	const struct plan_metric *planned = &rows->plan->metrics[metric];
	struct gpmu_row row = { .name = planned->label, .unit = gpmu_metric_unit(planned->metric) };
	struct row_source source = { .metric = true };
	int ret = add_eval(rows, counts, metric, unit, &source.index);

	return ret ? ret : add_row(rows, unit, &source, row);
}

static int add_rows(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		    const struct item_units *units)
{
	const struct gpmu_plan *plan = rows->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count; i++)
		for (size_t k = 0; k < units[i].length && !ret; k++) {
			size_t index = plan->items[i].index, unit = units[i].list[k];

			ret = plan->items[i].kind == PLAN_ITEM_EVENT ?
			      event_row(rows, counts, &plan->events[index], unit) :
			      metric_row(rows, counts, index, unit);
		}
	return ret;
}

static void clear(struct gpmu_rows *rows)
{
	rows->unit_count = rows->last_unit = 0;
	rows->part_count = rows->sum_count = 0;
	rows->input_count = rows->eval_count = rows->row_count = 0;
	free(rows->eval_of);
	rows->eval_of = NULL;
	free(rows->results);
	rows->results = NULL;
	counts_free(rows->shape);
	rows->shape = NULL;
}

int rows_layout(struct gpmu_rows *rows, const struct gpmu_counts *counts)
{
	struct item_units *units = calloc(rows->plan->item_count + 1, sizeof(*units));
	int ret = units ? 0 : -ENOMEM;

	clear(rows);
	if (!ret)
		ret = find_units(rows, counts, units);
	if (!ret) {
		rows->eval_of = calloc(rows->plan->metric_count * rows->unit_count + 1,
				       sizeof(*rows->eval_of));
		ret = rows->eval_of ? add_rows(rows, counts, units) : -ENOMEM;
	}
	if (!ret) {
		rows->results = calloc(rows->sum_count + 1, sizeof(*rows->results));
		rows->shape = counts_copy(counts);
		ret = rows->results && rows->shape ? 0 : -ENOMEM;
	}
	for (size_t i = 0; units && i < rows->plan->item_count; i++)
		free(units[i].list);
	free(units);
	if (ret)
		clear(rows);
	return ret;
}
