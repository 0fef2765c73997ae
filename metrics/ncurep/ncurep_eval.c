// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of a catalog from those of an action. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "expr/gpmu_expr.h"
#include "ncurep/ncurep.h"

#define PMU	"nvidia_gpu"

/* Finds the value of an event, "nvidia_gpu@dram__bytes_read.sum@". Returns 0, -ENOENT or -ENOMEM. */
static int find_value(const struct gpmu_ncu_action *action, const char *id, double *value)
{
	const bool is_time = !strcmp(id, "duration_time");
	const bool is_event = !strncmp(id, PMU "@", sizeof(PMU)) && strlen(id) > sizeof(PMU);
	struct gpmu_ncu_value found = { .size = sizeof(found) };
	const struct gpmu_ncu_metric *metric;
	char *name;

	if (!is_time && !is_event)
		return -ENOENT;
	name = is_time ? strdup("gpu__time_duration.sum") : strndup(id + sizeof(PMU), strlen(id) - sizeof(PMU) - 1);
	if (!name)
		return -ENOMEM;
	metric = gpmu_ncu_action_find(action, name);
	free(name);
	if (!metric || gpmu_ncu_metric_value(metric, &found) || found.kind == GPMU_NCU_TEXT ||
	    found.kind == GPMU_NCU_MISSING)
		return -ENOENT;
	*value = is_time ? found.number / 1e9 : found.number;
	return 0;
}

static int eval(const struct gpmu_ncu_action *action, const struct gpmu_expr *expr, double *value)
{
	size_t n = gpmu_expr_id_count(expr);
	struct gpmu_expr_value *values = calloc(n + 1, sizeof(*values));
	int ret = values ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++) {
		values[i] = (struct gpmu_expr_value){ .sources = 1, .lines = 1 };
		ret = find_value(action, gpmu_expr_id(expr, i), &values[i].value);
	}
	if (!ret)
		*value = gpmu_expr_idle(expr, values) ? NAN : gpmu_expr_eval(expr, values);
	free(values);
	return ret;
}

int gpmu_ncu_action_eval(const struct gpmu_ncu_action *action, const struct gpmu_metric *metric, double *value)
{
	struct gpmu_expr *expr;
	int ret;

	if (!gpmu_metric_pmu(metric) || strcmp(gpmu_metric_pmu(metric), PMU) != 0)
		return -ENOENT;
	expr = gpmu_expr_new(gpmu_metric_expr(metric), NULL, NULL);
	if (!expr)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	ret = eval(action, expr, value);
	gpmu_expr_free(expr);
	if (!ret)
		*value *= metric_scale(metric);
	return ret;
}
