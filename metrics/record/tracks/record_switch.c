// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps a switch to another task on a CPU. */
#include "record/tracks/record_map.h"

int record_map_switch(struct record_map *map, uint64_t time, const struct record_switch *of)
{
	const struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = of->cpu, .time = time,
		.prev = of->prev_pid, .next = of->next_pid,
		.prev_prio = of->prev_prio, .next_prio = of->next_prio,
		.prev_state = of->prev_state,
		.prev_name = of->prev_comm, .next_name = of->next_comm,
	};

	return gpmu_trace_sched_switch(map->trace, &event);
}
