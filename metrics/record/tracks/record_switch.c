// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps a switch to another task on a CPU. */
#include <errno.h>

#include "record/tracks/record_map.h"

/* Unless switches were lost, the task that a CPU's first switch stops has run since the begin of the recorded time. */
static int put_first(struct record_map *map, uint64_t begin, const struct record_switch *change)
{
	const struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = change->cpu, .time = begin, .next = change->prev_pid, .next_prio = change->prev_prio,
		.next_name = change->prev_comm,
	};

	return gpmu_trace_sched_switch(map->trace, &event);
}

int record_map_switch(struct record_map *map, uint64_t time, uint64_t begin, const struct record_switch *change)
{
	const struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = change->cpu, .time = time,
		.prev = change->prev_pid, .next = change->next_pid,
		.prev_prio = change->prev_prio, .next_prio = change->next_prio,
		.prev_state = change->prev_state,
		.prev_name = change->prev_comm, .next_name = change->next_comm,
	};
	bool is_first;
	int ret = 0;

	if (!map_add(&map->switched, change->cpu, &is_first))
		return -ENOMEM;
	if (is_first && change->prev_pid)
		ret = put_first(map, begin, change);
	if (ret)
		return ret;
	return gpmu_trace_sched_switch(map->trace, &event);
}
