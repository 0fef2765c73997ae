// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The hot path: one system call for each set and target, none where the set is mapped, and no
 * allocation.
 *
 * The kernel reads an event of another CPU by an interrupt of that CPU. perf instead moves
 * itself to each CPU in turn, which is cheaper if a CPU has many events that are read one
 * by one. libgpmu reads a set at once; moving would cost as much as about five interrupts
 * (tests/bench/counter.c).
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "count/counter/counter_ring.h"
#include "base/error.h"

#define AT_ONCE	20	/* immediate retries of a read; later ones follow after 1 ms each */
#define TRIES	60

static const char why_late[] = "it was read while tasks were being started";

static const struct plan_slot *leader_of(const struct counter_group *group,
					 const struct counter_set *set)
{
	return &group->plan->slots[set->slots[0]];
}

static void set_states(const struct counter_set *set, size_t target, enum count_state state,
		       struct gpmu_counts *counts)
{
	for (size_t i = 0; i < set->slot_count; i++)
		counts->slots[set->slots[i]].counts[target] = (struct count){ .state = state };
}

/*
 * ECHILD: a task that inherits the group is being created and does not have all of its
 * events yet. This lasts until the task is created or, if it was created while the events
 * were being opened, until it ends. Therefore only the first such read of a target waits.
 */
static ssize_t read_group(struct counter_target *target, uint64_t *buffer, size_t size)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	ssize_t got = read(target->fd, buffer, size);

	for (int i = 0; got < 0 && errno == ECHILD && !target->is_late && i < TRIES; i++) {
		if (i < AT_ONCE)
			sched_yield();
		else
			nanosleep(&pause, NULL);
		got = read(target->fd, buffer, size);
	}
	target->is_late = got < 0 && errno == ECHILD;
	return got;
}

/*
 * Records why the set's slots are incomplete; the first permanent loss wins. Returns 0 or
 * -ENOMEM.
 */
static int tell(const struct counter_set *set, const char *why, struct gpmu_counts *counts)
{
	for (size_t i = 0; i < set->slot_count; i++) {
		struct counts_slot *slot = &counts->slots[set->slots[i]];

		if (slot->why && (why == why_late || strcmp(slot->why, why_late) != 0))
			continue;
		if (counts_set_why(slot, why))
			return -ENOMEM;
	}
	return 0;
}

/* Marks a target that no longer counts. Returns 0 or -ENOMEM. */
static int lose(const struct counter_group *group, const struct counter_set *set, size_t index,
		ssize_t got, struct gpmu_counts *counts)
{
	const struct event_instance *leader = leader_of(group, set)->instance;
	struct counter_target *target = &set->targets[index];
	struct gpmu_error why = { .size = sizeof(why) };
	char where[32] = "";

	target->is_lost = true;
	if (target->target.cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", target->target.cpu);
	/*
	 * perf_event_open(2): reading a pinned event that got no counter returns end of
	 * file.
	 */
	if (!got && leader->attr.pinned)
		error_set(&why, 0, "it is pinned, and no counter was free%s", where);
	else
		error_set(&why, 0, "no longer counted%s: its CPU or PMU went offline", where);
	return tell(set, why.text, counts);
}

/* A target that is not open, or whose read failed */
static int not_read(const struct counter_group *group, const struct counter_set *set, size_t index,
		    ssize_t got, struct gpmu_counts *counts)
{
	const struct counter_target *target = &set->targets[index];

	if (target->fd >= 0 && !target->is_lost) {
		set_states(set, index, COUNT_NOT_COUNTED, counts);
		return target->is_late ? tell(set, why_late, counts) :
				     lose(group, set, index, got, counts);
	}
	set_states(set, index, target->is_lost ? COUNT_NOT_COUNTED :
		   target->is_together ? COUNT_NOT_SUPPORTED : counter_error_state(target->refused),
		   counts);
	return 0;
}

/* Not inline, because reads in user space would then save its registers too. */
__attribute__((noinline))
static int read_target(struct counter_group *group, const struct counter_set *set, size_t index,
		      struct gpmu_counts *counts)
{
	struct counter_target *target = &set->targets[index];
	const uint64_t *buffer = group->buffer;
	size_t clock = target->clock ? 1 : 0;
	size_t n = clock + set->slot_count + (target->ring ? counter_ring_timer_count(target) : 0);
	size_t size = (COUNTER_HEAD + n) * sizeof(*buffer);
	struct count count = { 0 };
	ssize_t got = 0;

	/* Slots of a set that is open nowhere have no targets. */
	if (!set->slot_count || !counts->slots[set->slots[0]].length)
		return 0;
	if (target->fd >= 0 && !target->is_lost)
		got = read_group(target, group->buffer, size);
	/* A CPU that goes offline splits its groups, so the read returns fewer events. */
	if (got != (ssize_t)size || buffer[0] != n)
		return not_read(group, set, index, got, counts);
	count.enabled = buffer[1];
	count.running = buffer[2];
	if (target->ring)
		counter_ring_times(target->ring, buffer[COUNTER_HEAD], &count);
	if (target->map)
		counter_map_settle(target->map, &count);
	count.state = count_never_ran(&count) ? COUNT_NOT_COUNTED : COUNT_OK;
	for (size_t i = 0; i < set->slot_count; i++) {
		count.raw = buffer[COUNTER_HEAD + clock + i];
		counts->slots[set->slots[i]].counts[index] = count;
	}
	return 0;
}

int counter_read(struct source_group *source, uint64_t time, struct gpmu_counts *counts)
{
	struct counter_group *group = counter_group_of(source);
	int ret = 0, failed;

	(void)time;
	for (size_t i = 0; i < group->set_count; i++) {
		const struct counter_set *set = &group->sets[i];

		for (size_t j = 0; j < set->target_count; j++) {
			const struct counter_target *target = &set->targets[j];

			if (target->map && !target->is_lost &&
			    counter_map_read(target->map, set, j, counts))
				continue;
			failed = read_target(group, set, j, counts);
			if (failed)
				ret = failed;
		}
	}
	return ret;
}
