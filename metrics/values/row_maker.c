// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "values/row_maker.h"

struct row_maker *row_maker_new(const struct gpmu_plan *plan, const struct rows_options *options)
{
	struct row_maker *maker = calloc(1, sizeof(*maker));
	size_t max = 1;

	if (!maker)
		return NULL;
	maker->plan = plan;
	maker->options = *options;
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
	char **added;

	for (size_t i = 0; i < maker->text_count; i++)
		if (!strncmp(maker->texts[i], text, length) && !maker->texts[i][length])
			return maker->texts[i];
	added = vector_append(maker->texts, maker->text_count);
	if (!added)
		return NULL;
	*added = strndup(text, length);
	if (!*added)
		maker->text_count--;
	return *added;
}

void row_maker_free(struct row_maker *maker)
{
	if (!maker)
		return;
	for (size_t i = 0; i < maker->text_count; i++)
		free(maker->texts[i]);
	free(maker->texts);
	free(maker->cpus);
	free(maker->groups);
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
	counts_free(maker->targets);
	free(maker);
}
