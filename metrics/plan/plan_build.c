// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds items and warnings to a plan that is being made, and takes them back. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

int plan_warn(struct gpmu_plan *plan, const char *fmt, ...)
{
	char **warnings, *line;
	va_list args;
	size_t i;

	va_start(args, fmt);
	line = text_vprint(fmt, args);
	va_end(args);
	if (!line)
		return -ENOMEM;
	for (i = 0; i < plan->n_warnings; i++) {
		if (!strcmp(plan->warnings[i], line)) {
			free(line);
			return 0;
		}
	}
	warnings = vector_room(plan->warnings, plan->n_warnings, sizeof(*warnings));
	if (!warnings) {
		free(line);
		return -ENOMEM;
	}
	plan->warnings = warnings;
	plan->warnings[plan->n_warnings++] = line;
	return 0;
}

int plan_add_item(struct gpmu_plan *plan, int kind, size_t index)
{
	struct plan_item *items = vector_room(plan->items, plan->n_items, sizeof(*items));

	if (!items)
		return -ENOMEM;
	plan->items = items;
	items[plan->n_items].kind = kind;
	items[plan->n_items++].index = index;
	return 0;
}

static void release_inputs(struct plan_input *inputs, const struct gpmu_expr *expr)
{
	size_t i;

	for (i = 0; inputs && i < plan_ids(expr); i++)
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
		.n_metrics = plan->n_metrics, .n_events = plan->n_events,
		.n_items = plan->n_items, .n_braces = plan->n_braces,
	};
}

void plan_rewind(struct gpmu_plan *plan, struct plan_mark mark)
{
	while (plan->n_metrics > mark.n_metrics)
		release_metric(&plan->metrics[--plan->n_metrics]);
	while (plan->n_events > mark.n_events)
		release_event(&plan->events[--plan->n_events]);
	plan->n_items = mark.n_items;
	plan->n_braces = mark.n_braces;
}
