// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Statistics. The writing thread reallocates the array of processes while the owner asks for
 * statistics, so it publishes a snapshot after each round of draining the queues.
 */
#include <errno.h>
#include <string.h>

#include "record/recorder.h"

static void count_processes(const struct record_map *map, struct gpmu_recorder_stats *stats)
{
	stats->process_count = map->process_count - map->joined_count;
	for (size_t i = 0; i < map->process_count; i++) {
		stats->record_count += map->processes[i]->record_count;
		/* Only calls of work are counted when they are made: other records may be missing. */
		stats->lost_process_count +=
			map->processes[i]->end == RECORD_VANISHED && !map->processes[i]->has_regions;
		for (size_t why = 0; why < ACTIVITY_LOST_REASONS; why++)
			for (size_t kind = 0; kind < ACTIVITY_KINDS; kind++)
				stats->lost_count += map->processes[i]->lost[why][kind].count;
	}
}

void recorder_stats_publish(struct gpmu_recorder *recorder)
{
	const struct record_causality *causality = &recorder->map.causality;
	struct gpmu_recorder_stats stats = {
		.early_count = causality->early, .overlap_count = causality->overlaps,
		.outside_count = causality->outside, .checked_count = causality->checked,
		.late_count = recorder->merge.late, .lost_count = recorder->no_memory_count,
		.thread_count = recorder->map.task_track_count,
		.lost_process_count = recorder->refused_count,
		.bytes = recorder_file_size(&recorder->file, recorder->trace),
	};

	count_processes(&recorder->map, &stats);
	if (recorder->map.cuda_count)
		stats.clock_bound = RECORDER_CUPTI_BOUND;
	for (int i = 0; i < RECORDER_SOURCES; i++) {
		stats.record_count += recorder->source_record_count[i];
		for (int why = 0; why < RECORD_KERNEL_REASONS; why++)
			stats.lost_count += recorder->source_lost_count[i][why];
	}
	/* After a failed write the trace has the records of earlier writes only. */
	if (recorder->failed) {
		stats.record_count = recorder->safe_count;
		stats.lost_count += recorder->put_count - recorder->safe_count +
				    recorder->unwritten_count;
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
	for (int i = 0; i < RECORDER_SOURCES && recorder->is_started; i++) {
		record_queue_count(&recorder->queues[i], &dropped);
		own.lost_count += dropped;
	}
	memset(stats, 0, size);
	memcpy(stats, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}
