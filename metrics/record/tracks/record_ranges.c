// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters of ranges, which are passed on to the functions of struct gpmu_recorder_ranges. */
#include <errno.h>
#include <stdlib.h>

#include "base/text/demangle.h"
#include "record/tracks/record_map.h"

static int put_range(const struct gpmu_recorder_ranges *ranges, pid_t pid, const struct activity_range *range)
{
	const size_t room = (range->head.size - sizeof(*range)) / sizeof(range->values[0]);

	/* A process may write anything to its channel. */
	if (range->value_count != ranges->metric_count || range->value_count > room)
		return 0;
	return ranges->range(ranges->user, pid, range->name, range->number, range->count, range->values, range->value_count);
}

static int put_numbers(const struct gpmu_recorder_ranges *ranges, pid_t pid, const struct activity_ranges *from)
{
	struct gpmu_recorder_range_numbers numbers = {
		.size = sizeof(numbers), .seen = from->seen, .counted = from->counted, .passes = from->passes,
		.is_complete = from->is_complete != 0,
		.checkpoints = {
			.saved = from->checkpoints.saved, .restored = from->checkpoints.restored,
			.failed = from->checkpoints.failed, .bytes = from->checkpoints.bytes,
			.device_bytes = from->checkpoints.device_bytes, .save_time = from->checkpoints.save_time,
			.restore_time = from->checkpoints.restore_time,
		},
	};

	_Static_assert((int)GPMU_RECORDER_RANGE_REASONS == (int)ACTIVITY_RANGES_REASONS, "the reasons are the same");
	for (int i = 0; i < GPMU_RECORDER_RANGE_REASONS; i++)
		numbers.lost[i] = from->lost[i];
	return ranges->end(ranges->user, pid, &numbers);
}

static int put_name(const struct gpmu_recorder_ranges *ranges, pid_t pid, const struct activity_range_name *name)
{
	char *text = demangle(name->text);
	int ret = text ? ranges->name(ranges->user, pid, name->id, name->parent, text) : -ENOMEM;

	free(text);
	return ret;
}

int record_ranges(struct record_map *map, const struct record_process *process, const struct activity_head *record)
{
	const struct gpmu_recorder_ranges *ranges = map->ranges;
	const pid_t pid = (pid_t)process->pid;

	if (!ranges)
		return 0;
	if (record->kind == ACTIVITY_RANGE)
		return put_range(ranges, pid, (const void *)record);
	if (record->kind == ACTIVITY_RANGES)
		return put_numbers(ranges, pid, (const void *)record);
	return put_name(ranges, pid, (const void *)record);
}
