// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes a plan as arguments of "perf stat -e". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

#define DURATION	"duration_time"

/* Returns whether a counted metric divides by time while duration_time itself was not requested. */
static bool needs_duration(const struct gpmu_plan *plan)
{
	const struct plan_metric *metric;
	bool is_needed = false;

	for (size_t i = 0; i < plan->slot_count; i++)
		if (plan->slots[i].instance->tool == EVENT_TOOL_DURATION_TIME)
			return false;
	for (size_t i = 0; i < plan->metric_count; i++) {
		metric = &plan->metrics[i];
		for (size_t j = 0; j < plan_ids(metric->expr) && !plan->metrics[metric->root].why; j++)
			is_needed |= metric->inputs[j].kind == PLAN_DURATION;
	}
	return is_needed;
}

/* Length of the whole text, with its NUL. @names: names of the slots; NULL: the instance's name */
static size_t room(const struct gpmu_plan *plan, char *const *names)
{
	size_t size = sizeof(DURATION ",");

	for (size_t i = 0; i < plan->slot_count; i++)
		size += strlen(names[i] ? names[i] : plan->slots[i].instance->name) + strlen("{,}");
	return size;
}

static char *put_group(const struct gpmu_plan *plan, const struct gpmu_group *group,
		       char *const *names, char *cursor)
{
	bool has_braces = (group->length > 1 && !group->is_apart) || group->is_given;

	if (has_braces)
		*cursor++ = '{';
	for (size_t i = 0; i < group->length; i++) {
		if (i)
			*cursor++ = ',';
		cursor = stpcpy(cursor, names[group->first + i] ? names[group->first + i] :
				plan->slots[group->first + i].instance->name);
	}
	if (has_braces)
		*cursor++ = '}';
	return cursor;
}

static char *write_text(const struct gpmu_plan *plan, char *const *names)
{
	char *text = malloc(room(plan, names)), *cursor = text;

	if (!text)
		return NULL;
	if (needs_duration(plan))
		cursor = stpcpy(cursor, DURATION);
	for (size_t i = 0; i < plan->group_count; i++) {
		if (cursor > text)
			*cursor++ = ',';
		cursor = put_group(plan, &plan->groups[i], names, cursor);
	}
	*cursor = '\0';
	return text;
}

char *gpmu_plan_text(const struct gpmu_plan *plan)
{
	char **names = calloc(plan->slot_count + 1, sizeof(*names)), *text = NULL;
	int ret = names ? 0 : -ENOMEM;

	for (size_t i = 0; i < plan->slot_count && !ret; i++)
		ret = event_perf_name(plan->machine, plan->slots[i].instance, &names[i]);
	if (!ret)
		text = write_text(plan, names);
	for (size_t i = 0; names && i < plan->slot_count; i++)
		free(names[i]);
	free(names);
	return text;
}
