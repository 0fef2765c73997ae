// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of the kernel's perf events, through libperf.
 *
 * libperf is GPL-2.0. This file and all other files of libgpmu remain LGPL-2.1-or-later; a
 * libgpmu that is linked with libperf is GPL-2.0 as a whole.
 *
 * Uncore PMUs count on their own CPUs regardless of the target; all other PMUs count on
 * the target's CPUs or tasks. On each of these the kernel's group holds the events of the
 * plan's group.
 */
#include <errno.h>
#include <perf/evsel.h>
#include <stdlib.h>

#include "count/counter/counter.h"
#include "base/error.h"
#include "gpmu.h"

static void free_group(struct counter_group *group)
{
	for (size_t i = 0; i < group->set_count; i++)
		counter_set_release(&group->sets[i]);
	free(group->sets);
	free(group->buffer);
	free(group);
}

/*
 * Makes a group with one set of the slots that the kernel counts. libgpmu measures the
 * times of rows itself.
 */
static struct counter_group *new_group(const struct gpmu_plan *plan, size_t index)
{
	const struct gpmu_group *planned = &plan->groups[index];
	struct counter_group *group = calloc(1, sizeof(*group));
	struct counter_set *set;

	if (!group)
		return NULL;
	group->base.ops = &source_perf;
	group->plan = plan;
	group->index = index;
	group->buffer = calloc(COUNTER_HEAD + 2 + planned->length, sizeof(*group->buffer));
	group->sets = calloc(1, sizeof(*group->sets));
	if (!group->buffer || !group->sets)
		goto no_memory;
	group->set_count = 1;
	set = &group->sets[0];
	set->slots = calloc(planned->length, sizeof(*set->slots));
	if (!set->slots)
		goto no_memory;
	for (size_t i = planned->first; i < planned->first + planned->length; i++)
		if (plan->slots[i].instance->tool == EVENT_TOOL_NONE)
			set->slots[set->slot_count++] = i;
	return group;
no_memory:
	free_group(group);
	return NULL;
}

static int counter_open(void *self, const struct gpmu_plan *plan, size_t index,
			const struct source_selection *selection, struct gpmu_counts *counts,
			struct source_group **result, struct gpmu_error *error)
{
	const struct gpmu_pmu *pmu = plan->groups[index].pmu;
	struct counter_group *group = new_group(plan, index);
	bool has_tasks = !selection->is_system_wide && !(pmu && gpmu_pmu_has_cpumask(pmu));
	int ret = 0;

	(void)self;
	if (!group) {
		ret = error_no_memory(error);
	} else if (group->sets[0].slot_count) {
		group->wants_inherit = has_tasks && selection->wants_inherit;
		group->is_on_exec = has_tasks && selection->is_on_exec;
		ret = counter_open_sets(group, selection, counts, error);
	}
	if (!ret)
		*result = &group->base;
	else if (group)
		free_group(group);
	return ret;
}

/* Ignores errors: the next read finds events that are lost. */
static void switch_group(struct counter_group *group, int (*change)(struct perf_evsel *event),
			 bool wants_retry)
{
	for (size_t i = 0; i < group->set_count; i++) {
		for (size_t j = 0; j < group->sets[i].target_count; j++) {
			struct counter_target *target = &group->sets[i].targets[j];

			/* Enabling gives a pinned event another chance to get a counter. */
			if (wants_retry)
				target->is_lost = false;
			if (target->fd >= 0 && !target->is_lost)
				change(counter_set_leader(target));
		}
	}
}

static int counter_enable(struct source_group *source, uint64_t time)
{
	struct counter_group *group = counter_group_of(source);

	(void)time;
	/* The first time the kernel enables the group, when the task calls exec. */
	if (!group->is_on_exec)
		switch_group(group, perf_evsel__enable, true);
	group->is_on_exec = false;
	return 0;
}

static int counter_disable(struct source_group *source, uint64_t time)
{
	(void)time;
	switch_group(counter_group_of(source), perf_evsel__disable, false);
	return 0;
}

static int counter_resume(struct source_group *source, uint64_t time)
{
	(void)time;
	switch_group(counter_group_of(source), perf_evsel__enable, false);
	return 0;
}

static void counter_close(struct source_group *source)
{
	free_group(counter_group_of(source));
}

const struct source_ops source_perf = {
	.open = counter_open,
	.enable = counter_enable,
	.disable = counter_disable,
	.resume = counter_resume,
	.read = counter_read,
	.close = counter_close,
	.fits = counter_fits,
};
