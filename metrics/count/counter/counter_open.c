// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens a group on all its places and finds the cause of a refusal. The cause can be one
 * event, without which the others are opened; the combination of events; or a place, such
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
	const struct source_target *target;
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
		if (instance_of(o, planned->first + i)->weak)
			return true;
	return false;
}

static int open_one(const struct opening *o, const struct event_instance *instance,
		    struct perf_evsel *leader, const struct place *place,
		    struct perf_evsel **event)
{
	return counter_event_open(event, instance, leader, place, o->group->inherit,
				  o->group->on_exec);
}

/* Opens all events of the set; @bad is the slot that cannot be opened. */
static int open_events(const struct opening *o, struct counter_set *set,
		       struct counter_place *place, bool mapped, size_t *bad)
{
	int ret;

	for (size_t i = 0; i < set->slot_count; i++) {
		struct event_instance instance = *instance_of(o, set->slots[i]);

		if (mapped)
			counter_map_ask(&instance);
		ret = open_one(o, &instance, place->events[0], &place->place, &place->events[i]);
		if (ret) {
			*bad = i;
			counter_set_close_place(set, place);
			return ret;
		}
	}
	place->fd = counter_evsel_fd(place->events[0]);
	return 0;
}

/* A set that the kernel refuses to map is opened to be read by read(2). */
static int open_place(const struct opening *o, struct counter_set *set,
		      struct counter_place *place, size_t *bad)
{
	int ret;

	if (!counter_map_suits(o->group, set, &place->place))
		return open_events(o, set, place, false, bad);
	ret = open_events(o, set, place, true, bad);
	if (!ret)
		place->map = counter_map_new(set, place);
	else if (counter_error_is_refusal(-ret))
		ret = open_events(o, set, place, false, bad);
	return ret;
}

static int try_alone(const struct opening *o, size_t slot, const struct place *place)
{
	struct perf_evsel *event;
	int ret = open_one(o, instance_of(o, slot), NULL, place, &event);

	if (!ret)
		counter_event_close(event);
	return ret;
}

/* Whether an event that cannot be opened on one place opens on another: 1, 0, or -errno */
static int opens_elsewhere(const struct opening *o, const struct counter_set *set, size_t slot,
			   size_t index)
{
	int ret;

	for (size_t i = 0; i < index; i++)
		if (set->places[i].fd >= 0)
			return 1;
	for (size_t i = index + 1; i < set->place_count; i++) {
		ret = try_alone(o, slot, &set->places[i].place);
		if (!ret)
			return 1;
		if (ret != -ESRCH && !counter_error_is_refusal(-ret))
			return ret;
	}
	return 0;
}

static int report_slot(const struct opening *o, size_t slot, int err, size_t together,
		       const struct place *place)
{
	struct gpmu_error why = { .size = sizeof(why) };

	counter_error_why(&why, err, together, instance_of(o, slot), place);
	return counts_set_lost(o->counts, slot,
			       together ? COUNT_NOT_SUPPORTED : counter_error_state(err),
			       why.text);
}

/* Removes an event so that the others are opened without it. */
static int remove_slot(const struct opening *o, struct counter_set *set, size_t index, int err,
		       const struct place *place)
{
	struct place where = *place;
	int ret;

	/* The refusal applies to all CPUs. */
	if (set->place_count > 1)
		where.cpu = -1;
	ret = report_slot(o, set->slots[index], err, 0, &where);
	if (ret)
		return ret;
	counter_set_remove_slot(set, index);
	return 0;
}

/* Whether the events are grouped only to be read at once */
static bool is_apart(const struct opening *o, const struct counter_set *set)
{
	return o->group->plan->groups[o->group->index].apart && set->slot_count > 1;
}

/*
 * Handles a refused event. Returns 0 to continue with the next place, 1 to reopen all
 * places with one event less, 2 to open each event by itself, or -errno.
 */
static int refused(const struct opening *o, struct counter_set *set, size_t index, size_t bad,
		   int err)
{
	struct counter_place *place = &set->places[index];
	size_t slot = set->slots[bad];
	int ret = -err;

	if (is_apart(o, set))
		return 2;
	/* A leader is always opened alone, so its error is its own. */
	if (bad)
		ret = try_alone(o, slot, &place->place);
	if (!ret) {
		if (is_weak(o))
			return 2;
		place->refused = err;
		place->together = true;
		return 0;
	}
	if (!counter_error_is_refusal(-ret))
		return ret;
	err = -ret;
	ret = opens_elsewhere(o, set, slot, index);
	if (ret < 0)
		return ret;
	if (ret) {
		place->refused = err;
		return 0;
	}
	ret = remove_slot(o, set, bad, err, &place->place);
	return ret ? ret : 1;
}

/* Returns 0, 1 if each event must be opened by itself, or -errno with the error set. */
static int open_set(struct opening *o, struct counter_set *set)
{
	size_t bad = 0, i = 0;
	int ret = 0;

	while (i < set->place_count && set->slot_count) {
		bad = 0;
		ret = open_place(o, set, &set->places[i], &bad);
		if (ret < 0 && counter_error_is_refusal(-ret))
			ret = refused(o, set, i, bad, -ret);
		if (ret == 0) {
			i++;
		} else if (ret == 1) {
			i = 0;
		} else if (ret == 2) {
			return 1;
		} else if (ret == -ESRCH && set->place_count > 1) {
			/* The task has ended and counts nothing; its place is removed. */
			counter_set_remove_place(set, i);
			ret = 0;
		} else {
			break;
		}
	}
	if (ret < 0)
		counter_error_set(o->error, -ret, o->group->plan,
				  instance_of(o, set->slots[bad]), &set->places[i].place,
				  o->target);
	return ret < 0 ? ret : 0;
}

/* Replaces the group's set by one set for each event. */
static int break_up(struct counter_group *group, const struct place *places, size_t n)
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
		ret = counter_set_make_places(set, places, n);
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

/* Reports in the counts which places are open and which are not. */
static int report_set(const struct opening *o, const struct counter_set *set)
{
	const struct counter_place *bad = NULL;
	struct place *places = calloc(set->place_count, sizeof(*places));
	bool open = false;
	int ret = places ? 0 : -ENOMEM;

	for (size_t i = 0; places && i < set->place_count; i++) {
		places[i] = set->places[i].place;
		open = open || set->places[i].fd >= 0;
		if (set->places[i].refused && !bad)
			bad = &set->places[i];
	}
	for (size_t i = 0; !ret && i < set->slot_count; i++) {
		size_t slot = set->slots[i];

		if (open)
			ret = counts_set_places(o->counts, slot, places, set->place_count);
		if (!ret && bad)
			ret = report_slot(o, slot, bad->refused,
					  bad->together ? set->slot_count : 0, &bad->place);
		for (size_t j = 0; !ret && open && j < set->place_count; j++)
			if (set->places[j].fd >= 0)
				o->counts->slots[slot].counts[j] = (struct count){ 0 };
	}
	free(places);
	return ret;
}

static int report_sets(const struct opening *o)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < o->group->set_count; i++)
		ret = report_set(o, &o->group->sets[i]);
	if (ret)
		error_set(o->error, 0, "out of memory");
	return ret;
}

static int no_place(const struct opening *o, const struct gpmu_pmu *pmu)
{
	const struct counter_set *set = &o->group->sets[0];
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = 0;

	if (!o->target->system && !(pmu && gpmu_pmu_has_cpumask(pmu))) {
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
		error_set(o->error, 0, "out of memory");
	return ret;
}

/* Opens the group with rings, so that the kernel can sample it; false if it cannot */
static bool opens_rings(const struct opening *o)
{
	int ret;

	if (!o->target->interval)
		return false;
	ret = counter_ring_open(o->group, &o->group->sets[0]);
	if (ret)
		log_line(GPMU_LOG_INFO, "the kernel does not time the intervals: %s%s", strerror(-ret),
			 ret == -EPERM ? ": more than kernel.perf_event_mlock_kb" : "");
	return !ret;
}

int counter_open_sets(struct counter_group *group, const struct source_target *target,
		      struct gpmu_counts *counts, struct gpmu_error *error)
{
	const struct gpmu_group *planned = &group->plan->groups[group->index];
	struct opening o = { group, target, counts, error };
	size_t n = counter_places(NULL, 0, group->plan, planned, target);
	struct place *places;
	int ret;

	if (!n)
		return no_place(&o, planned->pmu);
	places = calloc(n, sizeof(*places));
	if (!places)
		goto no_memory;
	counter_places(places, n, group->plan, planned, target);
	if (counter_set_make_places(&group->sets[0], places, n))
		goto no_memory;
	if (opens_rings(&o)) {
		free(places);
		return report_sets(&o);
	}
	/*
	 * When a task ends, the kernel adds the inherited counts of a group to the
	 * parent's events one after the other; a read in between would be wrong.
	 */
	ret = is_apart(&o, &group->sets[0]) && group->inherit;
	if (!ret)
		ret = open_set(&o, &group->sets[0]);
	if (ret == 1) {
		if (break_up(group, places, n))
			goto no_memory;
		ret = 0;
		for (size_t i = 0; !ret && i < group->set_count; i++)
			ret = open_set(&o, &group->sets[i]);
	}
	free(places);
	return ret ? ret : report_sets(&o);
no_memory:
	free(places);
	error_set(error, 0, "out of memory");
	return -ENOMEM;
}
