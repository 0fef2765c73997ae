// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Matches names in the output with the plan's slots. An event in several groups is printed
 * as many times, in the same order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "saved/saved.h"

void saved_slots_release(struct gpmu_saved *saved)
{
	for (size_t i = 0; saved->slots && i < saved->plan->slot_count; i++) {
		saved_name_release(&saved->slots[i].name);
		free(saved->slots[i].events);
	}
	free(saved->slots);
	counts_free(saved->counts);
	rows_free(saved->rows);
	saved->slots = NULL;
	saved->counts = NULL;
	saved->rows = NULL;
	saved->plan = NULL;
	saved->matched = 0;
}

static int init_slots(struct gpmu_saved *saved, const struct gpmu_plan *plan)
{
	saved->plan = plan;
	saved->counts = counts_new(plan->slot_count);
	saved->slots = calloc(plan->slot_count + 1, sizeof(*saved->slots));
	if (!saved->counts || !saved->slots)
		return -ENOMEM;
	for (size_t i = 0; i < plan->slot_count; i++) {
		struct saved_slot *slot = &saved->slots[i];
		const char *name = plan->slots[i].instance->name;

		if (saved_name_init(&slot->name, name, strlen(name)))
			return -ENOMEM;
		for (size_t k = 0; k < i; k++)
			slot->turn += !strcmp(saved->slots[k].name.text, slot->name.text);
	}
	return 0;
}

static int match_slot(struct gpmu_saved *saved, size_t index)
{
	const struct gpmu_pmu *pmu = saved->plan->slots[index].instance->pmu;
	struct saved_slot *slot = &saved->slots[index];

	for (size_t i = saved->matched; i < saved->texts.length; i++) {
		int fits = saved_name_fits(&saved->texts.list[i], &slot->name, pmu);
		size_t *events;

		if (!fits || fits < slot->fits)
			continue;
		if (fits > slot->fits)
			slot->length = 0;
		events = vector_room(slot->events, slot->length, sizeof(*events));
		if (!events)
			return -ENOMEM;
		slot->events = events;
		events[slot->length++] = i;
		slot->fits = fits;
	}
	return 0;
}

int saved_slots_match(struct gpmu_saved *saved, const struct gpmu_plan *plan)
{
	int ret = 0;

	if (saved->plan != plan) {
		if (saved->plan)
			saved_slots_release(saved);
		ret = init_slots(saved, plan);
	}
	for (size_t i = 0; !ret && i < plan->slot_count; i++)
		ret = match_slot(saved, i);
	if (ret)
		saved_slots_release(saved);
	else
		saved->matched = saved->texts.length;
	return ret;
}
