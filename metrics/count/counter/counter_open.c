// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens a group on all its targets and finds the cause of a refusal. The cause can be one
 * event, without which the others are opened; the combination of events; or a target, such
 * as a CPU that has gone offline. The kernel reports all of these by the same errno for
 * one event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "count/counter/counter_ring.h"
#include "base/error.h"
#include "base/log.h"

struct opening {
	struct counter_group *group;
	const struct source_selection *selection;
	struct gpmu_counts *counts;
	struct gpmu_error *error;
};

static const struct event_instance *instance_of(const struct opening *o, size_t slot)
{
	return o->group->plan->slots[slot].instance;
}

/* The modifier W applies to the group, whichever event has it. */
static bool is_weak(const struct opening *o)
{
	const struct gpmu_group *planned = &o->group->plan->groups[o->group->index];

	for (size_t i = 0; i < planned->length; i++)
		if (instance_of(o, planned->first + i)->is_weak)
			return true;
	return false;
}

static int open_one(const struct opening *o, const struct event_instance *instance,
		    struct perf_evsel *leader, const struct target *target,
		    struct perf_evsel **event)
{
	return counter_event_open(event, instance, leader, target, o->group->wants_inherit,
				  o->group->is_on_exec);
}

/* Opens all events of the set; @bad is the slot that cannot be opened. */
static int open_events(const struct opening *o, struct counter_set *set,
		       struct counter_target *target, bool is_mapped, size_t *bad)
{
	int ret;

	for (size_t i = 0; i < set->slot_count; i++) {
		struct event_instance instance = *instance_of(o, set->slots[i]);

		if (is_mapped)
			counter_map_ask(&instance);
		ret = open_one(o, &instance, target->events[0], &target->target, &target->events[i]);
		if (ret) {
			*bad = i;
			counter_set_close_target(set, target);
			return ret;
		}
	}
	target->fd = counter_evsel_fd(target->events[0]);
	return 0;
}

/* A set that the kernel refuses to map is opened to be read by read(2). */
static int open_target(const struct opening *o, struct counter_set *set,
		      struct counter_target *target, size_t *bad)
{
	int ret;

	if (!counter_map_suits(o->group, set, &target->target))
		return open_events(o, set, target, false, bad);
	ret = open_events(o, set, target, true, bad);
	if (!ret)
		target->map = counter_map_new(set, target);
	else if (counter_error_is_refusal(-ret))
		ret = open_events(o, set, target, false, bad);
	return ret;
}

static int try_alone(const struct opening *o, size_t slot, const struct target *target)
{
	struct perf_evsel *event;
	int ret = open_one(o, instance_of(o, slot), NULL, target, &event);

	if (!ret)
		counter_event_close(event);
	return ret;
}

/* Returns whether an event that cannot be opened on one target opens on another: 1, 0, or -errno. */
static int opens_elsewhere(const struct opening *o, const struct counter_set *set, size_t slot,
			   size_t index)
{
	int ret;

	for (size_t i = 0; i < index; i++)
		if (set->targets[i].fd >= 0)
			return 1;
	for (size_t i = index + 1; i < set->target_count; i++) {
		ret = try_alone(o, slot, &set->targets[i].target);
		if (!ret)
			return 1;
		if (ret != -ESRCH && !counter_error_is_refusal(-ret))
			return ret;
	}
	return 0;
}

static int report_slot(const struct opening *o, size_t slot, int err, size_t together,
		       const struct target *target)
{
	struct gpmu_error why = { .size = sizeof(why) };

	counter_error_why(&why, err, together, instance_of(o, slot), target);
	return counts_set_lost(o->counts, slot,
			       together ? COUNT_NOT_SUPPORTED : counter_error_state(err),
			       why.text);
}

/* Removes an event so that the others are opened without it. */
static int remove_slot(const struct opening *o, struct counter_set *set, size_t index, int err,
		       const struct target *target)
{
	struct target where = *target;
	int ret;

	/* The refusal applies to all CPUs. */
	if (set->target_count > 1)
		where.cpu = -1;
	ret = report_slot(o, set->slots[index], err, 0, &where);
	if (ret)
		return ret;
	counter_set_remove_slot(set, index);
	return 0;
}

/* Returns whether the events are grouped only to be read at once. */
static bool is_apart(const struct opening *o, const struct counter_set *set)
{
	return o->group->plan->groups[o->group->index].is_apart && set->slot_count > 1;
}

/*
 * Handles a refused event. Returns 0 to continue with the next target, 1 to reopen all
 * targets with one event less, 2 to open each event by itself, or -errno.
 */
static int refused(const struct opening *o, struct counter_set *set, size_t index, size_t bad,
		   int err)
{
	struct counter_target *target = &set->targets[index];
	size_t slot = set->slots[bad];
	int ret = -err;

	if (is_apart(o, set))
		return 2;
	/* A leader is always opened alone, so its error is its own. */
	if (bad)
		ret = try_alone(o, slot, &target->target);
	if (!ret) {
		if (is_weak(o))
			return 2;
		target->refused = err;
		target->is_together = true;
		return 0;
	}
	if (!counter_error_is_refusal(-ret))
		return ret;
	err = -ret;
	ret = opens_elsewhere(o, set, slot, index);
	if (ret < 0)
		return ret;
	if (ret) {
		target->refused = err;
		return 0;
	}
	ret = remove_slot(o, set, bad, err, &target->target);
	return ret ? ret : 1;
}

/* Removes all events of a set whose events the user may not count. */
static int skip_denied(const struct opening *o, struct counter_set *set, int err, const struct target *target)
{
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = 0;

	while (set->slot_count && !ret) {
		counter_error_denied(&why, err, o->group->plan, instance_of(o, set->slots[0]), target);
		ret = counts_set_lost(o->counts, set->slots[0], COUNT_NOT_COUNTED, why.text);
		counter_set_remove_slot(set, 0);
	}
	return ret;
}

/* Returns 0, 1 if each event must be opened by itself, or -errno with the error set. */
static int open_set(struct opening *o, struct counter_set *set)
{
	size_t bad = 0, i = 0;
	int ret = 0;

	while (i < set->target_count && set->slot_count) {
		bad = 0;
		ret = open_target(o, set, &set->targets[i], &bad);
		if (ret < 0 && counter_error_is_refusal(-ret))
			ret = refused(o, set, i, bad, -ret);
		if ((ret == -EACCES || ret == -EPERM) && o->selection->can_skip_denied)
			ret = skip_denied(o, set, -ret, &set->targets[i].target);
		if (ret == 0) {
			i++;
		} else if (ret == 1) {
			i = 0;
		} else if (ret == 2) {
			return 1;
		} else if (ret == -ESRCH && set->target_count > 1) {
			/* The task has ended and counts nothing; its target is removed. */
			counter_set_remove_target(set, i);
			ret = 0;
		} else {
			break;
		}
	}
	if (ret < 0)
		counter_error_set(o->error, -ret, o->group->plan,
				  instance_of(o, set->slots[bad]), &set->targets[i].target,
				  o->selection);
	return ret < 0 ? ret : 0;
}

/* Replaces the group's set by one set for each event. */
static int break_up(struct counter_group *group, const struct target *targets, size_t n)
{
	struct counter_set *all = &group->sets[0];
	struct counter_set *sets = calloc(all->slot_count, sizeof(*sets));
	size_t set_count = 0;
	int ret = sets ? 0 : -ENOMEM;

	for (; !ret && set_count < all->slot_count; set_count++) {
		struct counter_set *set = &sets[set_count];

		set->slots = malloc(sizeof(*set->slots));
		if (!set->slots) {
			ret = -ENOMEM;
			break;
		}
		set->slots[0] = all->slots[set_count];
		set->slot_count = 1;
		ret = counter_set_make_targets(set, targets, n);
	}
	if (ret) {
		for (size_t i = 0; sets && i < all->slot_count; i++)
			counter_set_release(&sets[i]);
		free(sets);
		return ret;
	}
	counter_set_release(all);
	free(group->sets);
	group->sets = sets;
	group->set_count = set_count;
	return 0;
}

/* Reports in the counts which targets are open and which are not. */
static int report_set(const struct opening *o, const struct counter_set *set)
{
	const struct counter_target *bad = NULL;
	struct target *targets = calloc(set->target_count, sizeof(*targets));
	bool is_open = false;
	int ret = targets ? 0 : -ENOMEM;

	for (size_t i = 0; targets && i < set->target_count; i++) {
		targets[i] = set->targets[i].target;
		is_open = is_open || set->targets[i].fd >= 0;
		if (set->targets[i].refused && !bad)
			bad = &set->targets[i];
	}
	for (size_t i = 0; !ret && i < set->slot_count; i++) {
		size_t slot = set->slots[i];

		if (is_open)
			ret = counts_set_targets(o->counts, slot, targets, set->target_count);
		if (!ret && bad)
			ret = report_slot(o, slot, bad->refused,
					  bad->is_together ? set->slot_count : 0, &bad->target);
		for (size_t j = 0; !ret && is_open && j < set->target_count; j++)
			if (set->targets[j].fd >= 0)
				o->counts->slots[slot].counts[j] = (struct count){ 0 };
	}
	free(targets);
	return ret;
}

static int report_sets(const struct opening *o)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < o->group->set_count; i++)
		ret = report_set(o, &o->group->sets[i]);
	if (ret)
		error_no_memory(o->error);
	return ret;
}

static int no_target(const struct opening *o, const struct gpmu_pmu *pmu)
{
	const struct counter_set *set = &o->group->sets[0];
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = 0;

	if (!o->selection->is_system_wide && !(pmu && gpmu_pmu_has_cpumask(pmu))) {
		error_set(o->error, 0, "there is no task to count");
		return -ESRCH;
	}
	if (pmu && gpmu_pmu_has_cpumask(pmu))
		error_set(&why, 0, "%s has no CPU that is online", gpmu_pmu_name(pmu));
	else
		error_set(&why, 0, "%s counts on none of these CPUs",
			  pmu ? gpmu_pmu_name(pmu) : "its PMU");
	for (size_t i = 0; !ret && i < set->slot_count; i++)
		ret = counts_set_lost(o->counts, set->slots[i], COUNT_NOT_SUPPORTED, why.text);
	if (ret)
		error_no_memory(o->error);
	return ret;
}

/* Opens the group with rings, so that the kernel can sample it; false if it cannot */
static bool opens_rings(const struct opening *o)
{
	int ret;

	if (!o->selection->interval)
		return false;
	ret = counter_ring_open(o->group, &o->group->sets[0]);
	if (ret)
		log_line(GPMU_LOG_INFO, "the kernel does not sample the counters: %s%s", error_text(-ret),
			 ret == -EPERM ? ": more than kernel.perf_event_mlock_kb" : "");
	return !ret;
}

int counter_open_sets(struct counter_group *group, const struct source_selection *selection,
		      struct gpmu_counts *counts, struct gpmu_error *error)
{
	const struct gpmu_group *planned = &group->plan->groups[group->index];
	struct opening o = { group, selection, counts, error };
	size_t n = counter_targets(NULL, 0, group->plan, planned, selection);
	struct target *targets;
	int ret;

	if (!n)
		return no_target(&o, planned->pmu);
	targets = calloc(n, sizeof(*targets));
	if (!targets)
		goto no_memory;
	counter_targets(targets, n, group->plan, planned, selection);
	if (counter_set_make_targets(&group->sets[0], targets, n))
		goto no_memory;
	if (opens_rings(&o)) {
		free(targets);
		return report_sets(&o);
	}
	/*
	 * When a task ends, the kernel adds the inherited counts of a group to the
	 * parent's events one after the other; a read in between would be wrong.
	 */
	ret = is_apart(&o, &group->sets[0]) && group->wants_inherit;
	if (!ret)
		ret = open_set(&o, &group->sets[0]);
	if (ret == 1) {
		if (break_up(group, targets, n))
			goto no_memory;
		ret = 0;
		for (size_t i = 0; !ret && i < group->set_count; i++)
			ret = open_set(&o, &group->sets[i]);
	}
	free(targets);
	return ret ? ret : report_sets(&o);
no_memory:
	free(targets);
	return error_no_memory(error);
}
