// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows sampled call stacks, with the functions that the recorder's owner finds. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "record/tracks/record_map.h"

#define CONTEXTS	((uint64_t)-4095)	/* PERF_CONTEXT_MAX: from here on a value is a mark */

struct stack_sample {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t count;
	uint64_t addresses[];	/* the innermost first, with PERF_CONTEXT_ marks */
};

static int find(const struct record_map *map, const struct stack_sample *of, bool is_kernel, uint64_t address,
		struct gpmu_trace_frame *frame)
{
	const struct gpmu_recorder_symbols *symbols = map->symbols;

	*frame = (struct gpmu_trace_frame){ "[unknown]", is_kernel ? "[kernel]" : "[unknown]" };
	return symbols ? symbols->find(symbols->user, is_kernel ? 0 : (pid_t)of->pid, address, of->time, &frame->function,
				       &frame->object) : 0;
}

static int put_stack(struct record_map *map, const struct stack_sample *of)
{
	struct gpmu_trace_sample sample = { .size = sizeof(sample), .time = of->time, .cpu = of->cpu,
					    .pid = (pid_t)of->pid, .tid = (pid_t)of->tid };
	struct gpmu_trace_frame frames[GPMU_TRACE_FRAMES_MOST];
	bool is_kernel = false, is_first = true;
	size_t at = GPMU_TRACE_FRAMES_MOST;
	int ret = 0;

	for (uint64_t i = 0; i < of->count && at && !ret; i++) {
		const uint64_t address = of->addresses[i];

		if (address >= CONTEXTS) {
			is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			is_first = true;
			continue;
		}
		if (at == GPMU_TRACE_FRAMES_MOST)
			sample.is_kernel = is_kernel;
		/* A return address can be that of the next function: the call is before it. */
		ret = find(map, of, is_kernel, address - !is_first, &frames[--at]);
		is_first = false;
	}
	if (ret || at == GPMU_TRACE_FRAMES_MOST)
		return ret;
	sample.frames = frames + at;
	sample.frame_count = GPMU_TRACE_FRAMES_MOST - at;
	sample.track = record_map_task_track(map, (int32_t)of->pid, (int32_t)of->tid);
	return sample.track < 0 ? sample.track : gpmu_trace_sample(map->trace, &sample);
}

int record_map_raw(struct record_map *map, const void *raw, size_t size)
{
	const struct perf_event_header *header = raw;
	const struct stack_sample *of = (const void *)(header + 1);

	if (header->type != PERF_RECORD_SAMPLE)
		return map->symbols ? map->symbols->take(map->symbols->user, header) : 0;
	size -= sizeof(*header);
	if (size < sizeof(*of) || of->count > (size - sizeof(*of)) / sizeof(of->addresses[0]) || !of->pid || !of->tid)
		return 0;
	return put_stack(map, of);
}
