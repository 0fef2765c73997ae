// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps a switch to another task on a CPU. */
#include <errno.h>

#include "record/tracks/record_map.h"

/* Unless switches were lost, the task that a CPU's first switch stops has run since the begin of the recorded time. */
static int put_first(struct record_map *map, uint64_t begin, const struct record_switch *of)
{
	const struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = of->cpu, .time = begin, .next = of->prev_pid, .next_prio = of->prev_prio,
		.next_name = of->prev_comm,
	};

	return gpmu_trace_sched_switch(map->trace, &event);
}

int record_map_switch(struct record_map *map, uint64_t time, uint64_t begin, const struct record_switch *of)
{
	const struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = of->cpu, .time = time,
		.prev = of->prev_pid, .next = of->next_pid,
		.prev_prio = of->prev_prio, .next_prio = of->next_prio,
		.prev_state = of->prev_state,
		.prev_name = of->prev_comm, .next_name = of->next_comm,
	};
	bool is_first;
	int ret = 0;

	if (!map_add(&map->switched, of->cpu, &is_first))
		return -ENOMEM;
	if (is_first && of->prev_pid)
		ret = put_first(map, begin, of);
	if (ret)
		return ret;
	return gpmu_trace_sched_switch(map->trace, &event);
}
