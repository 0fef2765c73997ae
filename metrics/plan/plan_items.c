// SPDX-License-Identifier: LGPL-2.1-or-later
/* Describes a plan to people: which group counts which metric. */
#include "plan/plan_build.h"

const char *gpmu_plan_item(const struct gpmu_plan *plan, size_t index)
{
	const struct plan_item *item;

	if (index >= plan->item_count)
		return NULL;
	item = &plan->items[index];
	return item->kind == PLAN_ITEM_METRIC ? plan->metrics[item->index].label :
						plan->events[item->index].label;
}

const char *gpmu_plan_item_why(const struct gpmu_plan *plan, size_t index)
{
	const struct plan_item *item;

	if (index >= plan->item_count)
		return NULL;
	item = &plan->items[index];
	return item->kind == PLAN_ITEM_METRIC ? plan->metrics[item->index].why :
						plan->events[item->index].why;
}

static bool has_slot(const struct gpmu_group *group, const size_t *slots, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (slots[i] != PLAN_NONE && slots[i] - group->first < group->length)
			return true;
	return false;
}

/* Metrics that a formula uses have the same root and are counted with it. */
static bool has_metric(const struct gpmu_plan *plan, const struct gpmu_group *group, size_t root)
{
	for (size_t i = 0; i < plan->metric_count; i++) {
		const struct plan_metric *metric = &plan->metrics[i];

		if (metric->root != root || plan->metrics[root].why)
			continue;
		for (size_t k = 0; k < plan_ids(metric->expr); k++) {
			const struct plan_input *input = &metric->inputs[k];

			if (input->kind == PLAN_SLOTS &&
			    has_slot(group, input->slots, input->length))
				return true;
		}
	}
	return false;
}

int gpmu_plan_group_has_item(const struct gpmu_plan *plan, size_t group, size_t index)
{
	const struct plan_event *event;

	if (group >= plan->group_count || index >= plan->item_count)
		return 0;
	if (plan->items[index].kind == PLAN_ITEM_METRIC)
		return has_metric(plan, &plan->groups[group], plan->items[index].index);
	event = &plan->events[plan->items[index].index];
	return event->slots && event->event &&
	       has_slot(&plan->groups[group], event->slots, event->event->length);
}

int gpmu_plan_group_counter_count(const struct gpmu_plan *plan, size_t group)
{
	const struct gpmu_group *chosen;
	int counters = 0, cycles = 0;

	if (group >= plan->group_count)
		return -1;
	chosen = &plan->groups[group];
	if (!chosen->pmu || gpmu_pmu_counter_count(chosen->pmu) < 0)
		return -1;
	for (size_t i = 0; i < chosen->length; i++) {
		if (plan->slots[chosen->first + i].instance->is_cycle_counter)
			cycles++;
		else
			counters++;
	}
	return gpmu_pmu_cycle_counter(chosen->pmu) == 1 && cycles ? counters + cycles - 1 :
								counters + cycles;
}
