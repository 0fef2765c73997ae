// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "event/event_fd.h"
#include "plan/plan_build.h"

struct gpmu_plan *gpmu_plan_new(const struct gpmu_machine *machine,
				const struct gpmu_catalog *catalog,
				const struct gpmu_plan_options *options, struct gpmu_error *error)
{
	struct gpmu_plan_options all = { 0 };
	int ret = sized_options(&all, sizeof(all), options, error);
	struct gpmu_plan *plan = ret ? NULL : calloc(1, sizeof(*plan));

	if (!ret && !plan)
		ret = error_no_memory(error);
	if (ret) {
		errno = -ret;
		return NULL;
	}
	plan->machine = machine;
	plan->catalog = catalog;
	plan->options = all;
	/* This kernel's settings do not apply to the machine of another root directory. */
	if (plan->options.user_only < 0)
		plan->options.user_only = !strcmp(gpmu_machine_root(machine), "/") &&
					  event_fd_user_only();
	return plan;
}

void gpmu_plan_free(struct gpmu_plan *plan)
{
	if (!plan)
		return;
	plan_rewind(plan, (struct plan_mark){ .item_count = 0 });
	while (plan->warning_count)
		free(plan->warnings[--plan->warning_count]);
	plan_facts_free(plan->facts);
	plan_cgroups_release(plan);
	free(plan->warnings);
	free(plan->metrics);
	free(plan->events);
	free(plan->items);
	free(plan->groups);
	free(plan->slots);
	free(plan);
}

static bool item_lacks_room(const struct gpmu_plan *plan, const struct plan_item *item)
{
	return item->kind == PLAN_ITEM_METRIC && plan->metrics[item->index].is_without_room;
}

/* Warns once of all metrics that a GPU's pass has no room for. */
static int warn_of_room(struct gpmu_plan *plan)
{
	char *names = NULL, *longer;
	size_t n = 0;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count; i++) {
		if (!item_lacks_room(plan, &plan->items[i]))
			continue;
		longer = text_print("%s%s%s", n ? names : "", n ? ", " : "", gpmu_plan_item(plan, i));
		n++;
		free(names);
		names = longer;
		if (!names)
			return -ENOMEM;
	}
	if (n)
		ret = plan_warn(plan, "%s: no room in the one pass of the GPU beside what was requested before; leave %s out "
				"or count %s in another run", names, n > 1 ? "them" : "it", n > 1 ? "them" : "it");
	free(names);
	return ret;
}

/*
 * Collects the reasons why requested metrics and events are not counted, in the order of
 * the request.
 */
static int warn_of_items(struct gpmu_plan *plan)
{
	const char *label, *why;
	size_t index;
	int ret = warn_of_room(plan);

	for (size_t i = 0; i < plan->item_count && !ret; i++) {
		index = plan->items[i].index;
		if (item_lacks_room(plan, &plan->items[i]))
			continue;
		if (plan->items[i].kind == PLAN_ITEM_METRIC) {
			label = plan->metrics[index].label;
			why = plan->metrics[index].why;
		} else {
			label = plan->events[index].label;
			why = plan->events[index].why;
		}
		if (why)
			ret = plan_warn(plan, "%s: %s", label, why);
	}
	return ret;
}

static int make(struct gpmu_plan *plan)
{
	struct plan_needs needs = { .length = 0 };
	int ret;

	ret = plan_add_thresholds(plan);
	if (!ret)
		ret = plan_leave_out(plan);
	if (!ret)
		ret = plan_needs_init(&needs, plan);
	if (!ret)
		ret = plan_pack(&needs, plan);
	if (!ret)
		ret = plan_number(&needs, plan);
	plan_needs_release(&needs);
	if (ret)
		return ret;
	plan_drop_thresholds(plan);
	return warn_of_items(plan);
}

int gpmu_plan_make(struct gpmu_plan *plan, struct gpmu_error *error)
{
	int ret;

	if (plan_is_made(plan, error))
		return -EBUSY;
	plan->is_made = true;
	ret = make(plan);
	if (ret)
		error_no_memory(error);
	return ret;
}

const char *gpmu_plan_warning(const struct gpmu_plan *plan, size_t index)
{
	return index < plan->warning_count ? plan->warnings[index] : NULL;
}

size_t gpmu_plan_group_count(const struct gpmu_plan *plan)
{
	return plan->group_count;
}

const struct gpmu_pmu *gpmu_plan_group_pmu(const struct gpmu_plan *plan, size_t group)
{
	return group < plan->group_count ? plan->groups[group].pmu : NULL;
}

const char *gpmu_plan_group_event(const struct gpmu_plan *plan, size_t group, size_t index)
{
	if (group >= plan->group_count || index >= plan->groups[group].length)
		return NULL;
	return plan->slots[plan->groups[group].first + index].instance->name;
}
