// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "count/counter/counter_ring.h"

struct perf_evsel *counter_set_leader(const struct counter_target *target)
{
	return target->clock ? target->clock : target->events[0];
}

void counter_set_close_target(const struct counter_set *set, struct counter_target *target)
{
	counter_ring_free(target->ring);
	target->ring = NULL;
	counter_map_free(target->map);
	target->map = NULL;
	/* Close the leader last, so that no event of a group is ever without it. */
	for (size_t i = set->slot_count; target->events && i-- > 0;) {
		counter_event_close(target->events[i]);
		target->events[i] = NULL;
	}
	counter_event_close(target->clock);
	target->clock = NULL;
	target->fd = -1;
}

void counter_set_close(struct counter_set *set)
{
	for (size_t i = 0; i < set->target_count; i++) {
		counter_set_close_target(set, &set->targets[i]);
		set->targets[i].refused = 0;
		set->targets[i].is_together = false;
	}
}

void counter_set_release(struct counter_set *set)
{
	counter_set_close(set);
	for (size_t i = 0; i < set->target_count; i++)
		free(set->targets[i].events);
	free(set->targets);
	free(set->slots);
	*set = (struct counter_set){ 0 };
}

void counter_set_remove_slot(struct counter_set *set, size_t index)
{
	counter_set_close(set);
	set->slot_count--;
	memmove(&set->slots[index], &set->slots[index + 1],
		(set->slot_count - index) * sizeof(*set->slots));
}

int counter_set_make_targets(struct counter_set *set, const struct target *targets, size_t n)
{
	set->targets = calloc(n ? n : 1, sizeof(*set->targets));
	if (!set->targets)
		return -ENOMEM;
	for (; set->target_count < n; set->target_count++) {
		struct counter_target *target = &set->targets[set->target_count];

		target->target = targets[set->target_count];
		target->fd = -1;
		target->events = calloc(set->slot_count, sizeof(struct perf_evsel *));
		if (!target->events)
			return -ENOMEM;
	}
	return 0;
}

void counter_set_remove_target(struct counter_set *set, size_t index)
{
	counter_set_close_target(set, &set->targets[index]);
	free(set->targets[index].events);
	set->target_count--;
	memmove(&set->targets[index], &set->targets[index + 1],
		(set->target_count - index) * sizeof(*set->targets));
}
