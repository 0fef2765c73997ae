// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/row.h"

struct gpmu_rows *rows_new(const struct gpmu_plan *plan, const struct rows_options *options)
{
	struct gpmu_rows *rows = calloc(1, sizeof(*rows));
	size_t most = 1;

	if (!rows)
		return NULL;
	rows->plan = plan;
	rows->options = *options;
	for (size_t i = 0; i < plan->metric_count; i++) {
		const struct plan_metric *metric = &plan->metrics[i];

		if (metric->expr && gpmu_expr_id_count(metric->expr) > most)
			most = gpmu_expr_id_count(metric->expr);
		if (metric->threshold && gpmu_expr_id_count(metric->threshold) > most)
			most = gpmu_expr_id_count(metric->threshold);
	}
	rows->values = calloc(most, sizeof(*rows->values));
	if (!rows->values) {
		free(rows);
		return NULL;
	}
	return rows;
}

void rows_free(struct gpmu_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < rows->kind_count; i++)
		free(rows->kinds[i]);
	free(rows->kinds);
	free(rows->units);
	free(rows->parts);
	free(rows->sums);
	free(rows->results);
	free(rows->inputs);
	free(rows->evals);
	free(rows->eval_of);
	free(rows->values);
	free(rows->sources);
	free(rows->rows);
	counts_free(rows->shape);
	free(rows);
}

/* The mean of the times of all counters, rounded */
static uint64_t mean_ns(uint64_t sum, size_t n)
{
	return n ? sum / n + (sum % n * 2 >= n) : 0;
}

/* What a source says names the event, which may be one of a metric's; a row has its name. */
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

static void fill_row(struct gpmu_rows *rows, size_t index, uint64_t begin, uint64_t end)
{
	const struct row_source *source = &rows->sources[index];
	struct gpmu_row *row = &rows->rows[index];
	const struct row_result *result;

	row->time_begin = begin;
	row->time_end = end;
	if (source->index == SIZE_MAX)
		return;
	if (source->metric) {
		const struct row_eval *eval = &rows->evals[source->index];

		result = &eval->result;
		row->value = result->value * gpmu_metric_scale(eval->metric->metric);
		row->alert = eval->alert;
	} else {
		result = &rows->results[source->index];
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

static uint64_t since(uint64_t time, uint64_t start)
{
	return time > start ? time - start : 0;
}

int rows_fill(struct gpmu_rows *rows, const struct gpmu_counts *counts)
{
	uint64_t begin = since(counts->begin, rows->options.start);
	uint64_t end = since(counts->end, rows->options.start);

	if (!rows->shape || !counts_alike(rows->shape, counts)) {
		int ret = rows_layout(rows, counts);

		if (ret)
			return ret;
	}
	for (size_t i = 0; i < rows->sum_count; i++)
		rows_sum(rows, &rows->sums[i], counts, &rows->results[i]);
	for (size_t i = 0; i < rows->eval_count; i++)
		rows_eval(rows, &rows->evals[i], counts);
	for (size_t i = 0; i < rows->eval_count; i++)
		rows_threshold(rows, &rows->evals[i]);
	for (size_t i = 0; i < rows->row_count; i++)
		fill_row(rows, i, begin, end);
	return 0;
}

const struct gpmu_row *gpmu_row_at(const struct gpmu_row *rows, size_t index)
{
	return (const struct gpmu_row *)((const char *)rows + index * rows->size);
}

const struct gpmu_row *rows_get(const struct gpmu_rows *rows, size_t *length)
{
	*length = rows->row_count;
	return rows->rows;
}
