// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Turns bins into the plan's groups and slots. Groups, and the events in a group, are in
 * the order in which the request needs them, except that a PMU's cycles lead their group:
 * perf 7.3 omits a socket whose leading event is 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

/* Orders each bin's members by first need. */
static void order_members(struct plan_needs *needs)
{
	struct plan_bin *bin;
	struct plan_need *need;
	struct plan_member member;
	size_t j, rank_count = 0;

	for (size_t i = 0; i < needs->bin_count; i++)
		if (!needs->bins[i].is_given)
			needs->bins[i].length = 0;
	for (size_t i = 0; i < needs->length; i++) {
		need = &needs->list[i];
		bin = &needs->bins[need->bin];
		if (bin->rank == PLAN_NONE)
			bin->rank = rank_count++;
		for (j = 0; j < need->length && !bin->is_given; j++) {
			/* Each member was in the bin before, so there is room. */
			if (!plan_has_member(bin->members, bin->length, need->members[j].number) ||
			    need->metric == PLAN_NONE)
				bin->members[bin->length++] = need->members[j];
		}
	}
	for (size_t i = 0; i < needs->bin_count; i++) {
		bin = &needs->bins[i];
		for (j = 0; j < bin->length && !bin->members[j].instance->is_cycle_counter; j++)
			;
		if (bin->is_given || j == bin->length)
			continue;
		member = bin->members[j];
		memmove(bin->members + 1, bin->members, j * sizeof(member));
		bin->members[0] = member;
	}
}

/* PMU of a group; a core's group may also hold software events */
static const struct gpmu_pmu *pmu_of(const struct plan_bin *bin)
{
	for (size_t i = 0; i < bin->length; i++)
		if (!plan_is_software(bin->members[i].instance))
			return bin->members[i].instance->pmu;
	return bin->members[0].instance->pmu;
}

static void fill_group(struct gpmu_plan *plan, const struct plan_bin *bin, size_t index)
{
	const struct plan_member *member;

	plan->groups[index] = (struct gpmu_group){
		.pmu = pmu_of(bin), .first = plan->slot_count, .length = bin->length,
		.is_given = bin->is_given, .is_apart = bin->is_apart,
	};
	for (size_t i = 0; i < bin->length; i++) {
		member = &bin->members[i];
		plan->slots[plan->slot_count++] = (struct plan_slot){
			.instance = member->instance, .scale = member->event->scale,
			.unit = member->event->unit, .is_mean = member->event->is_mean,
			.group = index,
		};
	}
}

static int fill_groups(const struct plan_needs *needs, struct gpmu_plan *plan)
{
	const struct plan_bin **bins;
	size_t slot_count = 0;

	for (size_t i = 0; i < needs->bin_count; i++)
		slot_count += needs->bins[i].length;
	bins = calloc(needs->bin_count + 1, sizeof(const struct plan_bin *));
	plan->groups = calloc(needs->bin_count + 1, sizeof(*plan->groups));
	plan->slots = calloc(slot_count + 1, sizeof(*plan->slots));
	if (!bins || !plan->groups || !plan->slots) {
		free(bins);
		return -ENOMEM;
	}
	for (size_t i = 0; i < needs->bin_count; i++)
		bins[needs->bins[i].rank] = &needs->bins[i];
	for (size_t i = 0; i < needs->bin_count; i++)
		fill_group(plan, bins[i], i);
	plan->group_count = needs->bin_count;
	for (size_t i = 0; i < plan->group_count; i++)
		plan->groups[i].is_always = plan_always_counts(plan, i);
	free(bins);
	return 0;
}

/* Finds the slot of a metric's member, which is in the bin of one of the metric's needs. */
static size_t find_slot(const struct plan_needs *needs, const struct gpmu_plan *plan,
			size_t need, const struct plan_member *member)
{
	const struct plan_bin *bin;
	size_t i;

	while (!plan_has_member(needs->list[need].members, needs->list[need].length,
				member->number))
		need++;
	bin = &needs->bins[needs->list[need].bin];
	for (i = 0; bin->members[i].number != member->number; i++)
		;
	return plan->groups[bin->rank].first + i;
}

static int fill_input(struct plan_needs *needs, const struct gpmu_plan *plan, size_t need,
		      struct plan_input *input)
{
	struct plan_member member = { .event = plan->events[input->event].event };
	int ret;

	input->slots = calloc(member.event->length, sizeof(*input->slots));
	if (!input->slots)
		return -ENOMEM;
	input->length = member.event->length;
	for (size_t i = 0; i < input->length; i++) {
		member.instance = &member.event->instances[i];
		ret = plan_number_member(needs, &member);
		if (ret)
			return ret;
		input->slots[i] = find_slot(needs, plan, need, &member);
	}
	return 0;
}

/* Fills the inputs of the metric whose first need is @need, and of the metrics that it uses. */
static int fill_metric(struct plan_needs *needs, struct gpmu_plan *plan, size_t need)
{
	size_t root = needs->list[need].metric;
	struct plan_metric *metric;
	int ret = 0;

	for (size_t i = root; i < plan->metric_count && plan->metrics[i].root == root; i++) {
		metric = &plan->metrics[i];
		for (size_t j = 0; j < plan_ids(metric->expr) && !ret; j++)
			if (metric->inputs[j].kind == PLAN_SLOTS)
				ret = fill_input(needs, plan, need, &metric->inputs[j]);
	}
	return ret;
}

/* Each slot of a requested event has its own instance. */
static int fill_events(struct gpmu_plan *plan)
{
	struct plan_event *event;
	size_t k;

	for (size_t i = 0; i < plan->event_count; i++) {
		event = &plan->events[i];
		if (event->is_of_metrics || !event->event)
			continue;
		event->slots = calloc(event->event->length, sizeof(*event->slots));
		if (!event->slots)
			return -ENOMEM;
		for (size_t j = 0; j < event->event->length; j++) {
			for (k = 0; plan->slots[k].instance != &event->event->instances[j]; k++)
				;
			event->slots[j] = k;
		}
	}
	return 0;
}

int plan_number(struct plan_needs *needs, struct gpmu_plan *plan)
{
	int ret;

	order_members(needs);
	ret = fill_groups(needs, plan);
	if (!ret)
		ret = fill_events(plan);
	for (size_t i = 0; i < needs->length && !ret; i++)
		if (needs->list[i].metric != PLAN_NONE &&
		    (!i || needs->list[i - 1].metric != needs->list[i].metric))
			ret = fill_metric(needs, plan, i);
	return ret;
}
