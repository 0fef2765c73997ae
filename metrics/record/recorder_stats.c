// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Statistics. The writing thread adds processes, whose array it reallocates, while the owner
 * asks for statistics: so it publishes a snapshot after each round.
 */
#include <errno.h>
#include <string.h>

#include "record/recorder.h"

static void count_processes(const struct record_map *map, struct gpmu_recorder_stats *stats)
{
	stats->processes = map->process_count;
	for (size_t i = 0; i < map->process_count; i++) {
		stats->records += map->processes[i]->records;
		for (size_t why = 0; why < ACTIVITY_LOST_REASONS; why++)
			stats->lost += map->processes[i]->lost[why].count;
	}
}

void recorder_stats_publish(struct gpmu_recorder *recorder)
{
	const struct record_causality *causality = &recorder->map.causality;
	struct gpmu_recorder_stats stats = {
		.early = causality->early, .overlaps = causality->overlaps,
		.outside = causality->outside, .checked = causality->checked,
		.late = recorder->merge.late, .lost = recorder->no_memory,
		.bytes = recorder_file_size(&recorder->file, recorder->trace),
	};

	count_processes(&recorder->map, &stats);
	if (stats.processes)
		stats.clock_bound = RECORDER_CUPTI_BOUND;
	for (int i = 0; i < RECORDER_SOURCES; i++) {
		stats.records += recorder->source_records[i];
		stats.lost += recorder->source_lost[i];
	}
	pthread_mutex_lock(&recorder->stats_lock);
	recorder->stats = stats;
	pthread_mutex_unlock(&recorder->stats_lock);
}

int gpmu_recorder_get_stats(struct gpmu_recorder *recorder, struct gpmu_recorder_stats *stats)
{
	struct gpmu_recorder_stats own;
	size_t size = stats->size;
	uint64_t dropped;

	if (size < sizeof(stats->size))
		return -EINVAL;
	pthread_mutex_lock(&recorder->stats_lock);
	own = recorder->stats;
	pthread_mutex_unlock(&recorder->stats_lock);
	own.size = size;
	for (int i = 0; i < RECORDER_SOURCES && recorder->started; i++) {
		record_queue_count(&recorder->queues[i], &dropped);
		own.lost += dropped;
	}
	memset(stats, 0, size);
	memcpy(stats, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}
