// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin.h"

/* Allocates a group's counters from the free counters of its PMU. */
static bool take(const struct plugin_group *group, unsigned int *counters,
		 unsigned int *cycle_counters)
{
	if (group->counters > *counters || group->cycle_counters > *cycle_counters)
		return false;
	*counters -= group->counters;
	*cycle_counters -= group->cycle_counters;
	return true;
}

bool plugin_group_fits(const struct plugin_group *group)
{
	unsigned int counters = group->pmu->counters, cycle_counters = 1;

	return take(group, &counters, &cycle_counters);
}

/* Returns whether the group counts in a slice. */
static bool is_counting(const struct plugin_group *group, uint64_t slice)
{
	const struct plugin_pmu *pmu = group->pmu;
	unsigned int counters = pmu->counters, cycle_counters = 1;
	size_t index = slice % pmu->groups_len;

	while (take(pmu->groups[index], &counters, &cycle_counters)) {
		if (pmu->groups[index] == group)
			return true;
		index = (index + 1) % pmu->groups_len;
	}
	return false;
}

static bool can_all_run(const struct plugin_pmu *pmu)
{
	unsigned int counters = pmu->counters, cycle_counters = 1;

	for (size_t i = 0; i < pmu->groups_len; i++)
		if (!take(pmu->groups[i], &counters, &cycle_counters))
			return false;
	return true;
}

static void count(struct plugin_group *group, uint64_t from, uint64_t to)
{
	const struct model *model = group->pmu->model;

	if (from >= to)
		return;
	group->running += to - from;
	for (size_t i = 0; i < group->length; i++)
		group->raw[i] += model_count(model, &group->events[i], to) -
				 model_count(model, &group->events[i], from);
}

/* Consecutive slices in which the group runs are counted as one. */
static void count_turns(struct plugin_group *group, uint64_t from, uint64_t to)
{
	uint64_t begin = group->pmu->begin, time, end, since = from;

	for (time = from; time < to; time = end) {
		uint64_t slice = (time - begin) / PLUGIN_SLICE, left = PLUGIN_SLICE - (time - begin) % PLUGIN_SLICE;

		end = left < to - time ? time + left : to;
		if (!is_counting(group, slice)) {
			count(group, since, time);
			since = end;
		}
	}
	count(group, since, to);
}

void plugin_group_settle(struct plugin_group *group, uint64_t time)
{
	if (time <= group->settled)
		return;
	group->enabled += time - group->settled;
	if (can_all_run(group->pmu))
		count(group, group->settled, time);
	else
		count_turns(group, group->settled, time);
	group->settled = time;
}
