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
		saved_name_release(&saved->slots[i].other);
		free(saved->slots[i].events);
	}
	free(saved->slots);
	counts_free(saved->counts);
	row_maker_free(saved->maker);
	saved->slots = NULL;
	saved->counts = NULL;
	saved->maker = NULL;
	saved->plan = NULL;
	saved->matched = 0;
}

/* The name for perf, if it differs from the instance's */
static int init_other(struct saved_slot *slot, const struct gpmu_plan *plan,
		      const struct event_instance *instance)
{
	char *name;
	int ret = event_perf_name(plan->machine, instance, &name);

	if (!ret && name)
		ret = saved_name_init(&slot->other, name, strlen(name));
	free(name);
	return ret;
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

		if (saved_name_init(&slot->name, name, strlen(name)) ||
		    init_other(slot, plan, plan->slots[i].instance))
			return -ENOMEM;
		for (size_t k = 0; k < i; k++)
			slot->occurrence += !strcmp(saved->slots[k].name.text, slot->name.text);
	}
	return 0;
}

size_t saved_slot_last(const struct gpmu_saved *saved, const struct saved_slot *slot)
{
	const struct saved_table *table = saved->complete;

	return slot->length != 1 || slot->events[0] >= table->last_room ? SAVED_NONE : table->last[slot->events[0]];
}

static int match_slot(struct gpmu_saved *saved, size_t index)
{
	const struct gpmu_pmu *pmu = saved->plan->slots[index].instance->pmu;
	struct saved_slot *slot = &saved->slots[index];

	for (size_t i = saved->matched; i < saved->texts.length; i++) {
		int fits = saved_name_fits(&saved->texts.list[i], &slot->name, pmu);
		size_t *added;

		if (!fits && slot->other.text)
			fits = saved_name_fits(&saved->texts.list[i], &slot->other, pmu);
		if (!fits || fits < slot->fits)
			continue;
		if (fits > slot->fits)
			slot->length = 0;
		added = vector_append(slot->events, slot->length);
		if (!added)
			return -ENOMEM;
		*added = i;
		slot->fits = fits;
	}
	return 0;
}

/* Returns whether all records are those that are @period before them. */
static bool repeats_after(const struct saved_table *table, size_t period)
{
	const struct saved_record *list = table->list;
	size_t i = period;

	while (i < table->length && list[i].event == list[i - period].event &&
	       list[i].target == list[i - period].target)
		i++;
	return i == table->length;
}

int gpmu_saved_repeats(const struct gpmu_saved *saved)
{
	const struct saved_table *table = saved->complete;

	if (!table || table->is_timed || !saved->plan)
		return 0;
	for (size_t i = 0; i < saved->plan->slot_count; i++)
		if (saved->slots[i].occurrence)
			return 0;
	for (size_t period = 1; period <= table->length / 2; period++)
		if (table->length % period == 0 && repeats_after(table, period))
			return 1;
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
