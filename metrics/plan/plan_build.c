// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds items and warnings to a plan that is being made, and takes them back. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plan/plan_build.h"

bool plan_is_made(const struct gpmu_plan *plan, struct gpmu_error *error)
{
	if (plan->is_made)
		error_set(error, 0, "the groups of the plan have already been made");
	return plan->is_made;
}

int plan_warn(struct gpmu_plan *plan, const char *fmt, ...)
{
	va_list args;
	char *line;

	va_start(args, fmt);
	line = text_vprint(fmt, args);
	va_end(args);
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < plan->warning_count; i++) {
		if (!strcmp(plan->warnings[i], line)) {
			free(line);
			return 0;
		}
	}
	if (!vector_append_value(plan->warnings, plan->warning_count, line))
		return 0;
	free(line);
	return -ENOMEM;
}

bool plan_has_metric(const struct gpmu_plan *plan, size_t metric)
{
	for (size_t i = 0; i < plan->item_count; i++)
		if (plan->items[i].kind == PLAN_ITEM_METRIC && plan->items[i].index == metric)
			return true;
	return false;
}

static void release_inputs(struct plan_input *inputs, const struct gpmu_expr *expr)
{
	for (size_t i = 0; inputs && i < plan_ids(expr); i++)
		free(inputs[i].slots);
	free(inputs);
}

static void release_metric(struct plan_metric *metric)
{
	release_inputs(metric->inputs, metric->expr);
	release_inputs(metric->threshold_inputs, metric->threshold);
	gpmu_expr_free(metric->expr);
	gpmu_expr_free(metric->threshold);
	free(metric->label);
	free(metric->filter);
	free(metric->modifiers);
	free(metric->why);
}

static void release_event(struct plan_event *event)
{
	gpmu_event_free(event->event);
	free(event->label);
	free(event->slots);
	free(event->why);
}

struct plan_mark plan_mark(const struct gpmu_plan *plan)
{
	return (struct plan_mark){
		.metric_count = plan->metric_count, .event_count = plan->event_count,
		.item_count = plan->item_count, .brace_count = plan->brace_count,
	};
}

void plan_rewind(struct gpmu_plan *plan, struct plan_mark mark)
{
	while (plan->metric_count > mark.metric_count)
		release_metric(&plan->metrics[--plan->metric_count]);
	while (plan->event_count > mark.event_count)
		release_event(&plan->events[--plan->event_count]);
	plan->item_count = mark.item_count;
	plan->brace_count = mark.brace_count;
}
