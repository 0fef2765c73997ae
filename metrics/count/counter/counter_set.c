// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "count/counter/counter_ring.h"

struct perf_evsel *counter_set_leader(const struct counter_place *place)
{
	return place->clock ? place->clock : place->events[0];
}

void counter_set_close_place(const struct counter_set *set, struct counter_place *place)
{
	counter_ring_free(place->ring);
	place->ring = NULL;
	counter_map_free(place->map);
	place->map = NULL;
	/* Close the leader last, so that no event of a group is ever without it. */
	for (size_t i = set->slot_count; place->events && i-- > 0;) {
		counter_event_close(place->events[i]);
		place->events[i] = NULL;
	}
	counter_event_close(place->clock);
	place->clock = NULL;
	place->fd = -1;
}

void counter_set_close(struct counter_set *set)
{
	for (size_t i = 0; i < set->place_count; i++) {
		counter_set_close_place(set, &set->places[i]);
		set->places[i].refused = 0;
		set->places[i].together = false;
	}
}

void counter_set_release(struct counter_set *set)
{
	counter_set_close(set);
	for (size_t i = 0; i < set->place_count; i++)
		free(set->places[i].events);
	free(set->places);
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

int counter_set_make_places(struct counter_set *set, const struct place *places, size_t n)
{
	set->places = calloc(n ? n : 1, sizeof(*set->places));
	if (!set->places)
		return -ENOMEM;
	for (; set->place_count < n; set->place_count++) {
		struct counter_place *place = &set->places[set->place_count];

		place->place = places[set->place_count];
		place->fd = -1;
		place->events = calloc(set->slot_count, sizeof(struct perf_evsel *));
		if (!place->events)
			return -ENOMEM;
	}
	return 0;
}

void counter_set_remove_place(struct counter_set *set, size_t index)
{
	counter_set_close_place(set, &set->places[index]);
	free(set->places[index].events);
	set->place_count--;
	memmove(&set->places[index], &set->places[index + 1],
		(set->place_count - index) * sizeof(*set->places));
}
