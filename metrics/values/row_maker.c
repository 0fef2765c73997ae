// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "values/row_maker.h"

static const enum gpmu_scope scopes[] = {
	[GPMU_AGGREGATE_MACHINE] = GPMU_SCOPE_MACHINE,
	[GPMU_AGGREGATE_NODE] = GPMU_SCOPE_NODE,
	[GPMU_AGGREGATE_CPU] = GPMU_SCOPE_CPU,
	[GPMU_AGGREGATE_SOCKET] = GPMU_SCOPE_SOCKET,
	[GPMU_AGGREGATE_DIE] = GPMU_SCOPE_DIE,
	[GPMU_AGGREGATE_CORE] = GPMU_SCOPE_CORE,
	[GPMU_AGGREGATE_THREAD] = GPMU_SCOPE_THREAD,
};

struct row_maker *row_maker_new(const struct gpmu_plan *plan, const struct rows_options *options)
{
	struct row_maker *maker = calloc(1, sizeof(*maker));
	size_t max = 1;

	if (!maker)
		return NULL;
	maker->plan = plan;
	maker->options = *options;
	maker->scope = scopes[options->aggregation];
	for (size_t i = 0; i < plan->metric_count; i++) {
		const struct plan_metric *metric = &plan->metrics[i];

		if (metric->expr && gpmu_expr_id_count(metric->expr) > max)
			max = gpmu_expr_id_count(metric->expr);
		if (metric->threshold && gpmu_expr_id_count(metric->threshold) > max)
			max = gpmu_expr_id_count(metric->threshold);
	}
	maker->values = calloc(max, sizeof(*maker->values));
	if (!maker->values) {
		free(maker);
		return NULL;
	}
	return maker;
}

const char *row_maker_text(struct row_maker *maker, const char *text, size_t length)
{
	uint32_t number;

	return strings_number_of(&maker->texts, text, length, &number) ? NULL :
								      strings_text(&maker->texts, number);
}

void row_maker_free(struct row_maker *maker)
{
	if (!maker)
		return;
	strings_release(&maker->texts);
	free(maker->cpus);
	free(maker->groups);
	free(maker->slots);
	free(maker->targets);
	free(maker->units);
	free(maker->parts);
	free(maker->sums);
	free(maker->results);
	free(maker->inputs);
	free(maker->evals);
	free(maker->eval_of);
	free(maker->values);
	free(maker->sources);
	free(maker->rows.list);
	counts_free(maker->counts);
	free(maker);
}
