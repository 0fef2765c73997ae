// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes a plan as arguments of "perf stat -e". */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

#define DURATION	"duration_time"

/* Whether a counted metric divides by time while duration_time itself was not requested */
static bool needs_duration(const struct gpmu_plan *plan)
{
	const struct plan_metric *metric;
	bool needed = false;
	size_t i, j;

	for (i = 0; i < plan->slot_count; i++)
		if (plan->slots[i].instance->tool == EVENT_TOOL_DURATION_TIME)
			return false;
	for (i = 0; i < plan->metric_count; i++) {
		metric = &plan->metrics[i];
		for (j = 0; j < plan_ids(metric->expr) && !plan->metrics[metric->root].why; j++)
			needed |= metric->inputs[j].kind == PLAN_DURATION;
	}
	return needed;
}

static size_t room(const struct gpmu_plan *plan)
{
	size_t i, size = sizeof(DURATION ",");

	for (i = 0; i < plan->slot_count; i++)
		size += strlen(plan->slots[i].instance->name) + strlen("{,}");
	return size;
}

static char *put_group(const struct gpmu_plan *plan, const struct gpmu_group *group, char *at)
{
	bool braces = (group->length > 1 && !group->apart) || group->given;
	size_t i;

	if (braces)
		*at++ = '{';
	for (i = 0; i < group->length; i++) {
		if (i)
			*at++ = ',';
		at = stpcpy(at, plan->slots[group->first + i].instance->name);
	}
	if (braces)
		*at++ = '}';
	return at;
}

char *gpmu_plan_text(const struct gpmu_plan *plan)
{
	char *text = malloc(room(plan)), *at = text;
	size_t i;

	if (!text)
		return NULL;
	if (needs_duration(plan))
		at = stpcpy(at, DURATION);
	for (i = 0; i < plan->group_count; i++) {
		if (at > text)
			*at++ = ',';
		at = put_group(plan, &plan->groups[i], at);
	}
	*at = '\0';
	return text;
}
