// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows sampled call stacks, with the functions that the recorder's owner finds. */
#include <errno.h>
#include <linux/perf_event.h>

#include "base/gpmu_outside.h"
#include "record/tracks/record_map.h"
#include "trace/trace.h"

#define CONTEXTS	((uint64_t)-4095)	/* PERF_CONTEXT_MAX: from here on a value is a mark */

struct stack_sample {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
	uint64_t count;
	uint64_t addresses[];	/* as of a chain; of samples with copies of stacks, those of the kernel */
};

/* Addresses of a call stack, innermost first, with PERF_CONTEXT_ marks */
struct chain {
	const uint64_t *addresses;
	uint64_t count;
};

static int find(const struct record_map *map, const struct stack_sample *stack, bool is_kernel, uint64_t address,
		struct gpmu_trace_frame *frame)
{
	const struct gpmu_recorder_symbols *symbols = map->symbols;

	*frame = (struct gpmu_trace_frame){ .object = is_kernel ? "[kernel]" : NULL };
	/* The symbols take the number 0 for the kernel. */
	if (!is_kernel && gpmu_outside_number(stack->pid))
		return 0;
	return symbols ? symbols->find(symbols->user, is_kernel ? 0 : (pid_t)stack->pid, address, stack->time, &frame->function,
				       &frame->object) : 0;
}

/* Sets the frames of a stack. Returns 0 or -ENOMEM. */
static int find_all(const struct record_map *map, const struct stack_sample *stack, const struct chain *chain, bool is_kernel,
		    struct gpmu_trace_frame *frames, size_t *count)
{
	bool is_first = true;

	*count = 0;
	for (uint64_t i = 0; i < chain->count && *count < TRACE_FRAMES_MAX; i++) {
		const uint64_t address = chain->addresses[i];

		if (address >= CONTEXTS) {
			is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			is_first = true;
			continue;
		}
		/* The outermost frame has the return address 0. */
		if (!address)
			continue;
		/* A return address can be that of the next function: the call is before it. */
		if (find(map, stack, is_kernel, address - !is_first, &frames[*count]))
			return -ENOMEM;
		frames[(*count)++].address = address;
		is_first = false;
	}
	return 0;
}

/* The track of all tasks outside the PID namespace */
static int outside_track(struct record_map *map)
{
	int ret = map->outside_track;

	if (!ret)
		ret = gpmu_trace_process(map->trace, GPMU_OUTSIDE_NUMBER, GPMU_OUTSIDE_NAME);
	if (ret > 0 && !map->outside_track)
		map->outside_track = ret = gpmu_trace_thread(map->trace, GPMU_OUTSIDE_NUMBER, GPMU_OUTSIDE_NUMBER,
							     GPMU_OUTSIDE_NAME);
	return ret;
}

/*
 * The track of a sample's thread. The idle thread has the number 0, and a thread that has just ended -1: these have tracks
 * without a thread, as in gpmu import.
 */
static int track_of(struct record_map *map, const struct stack_sample *stack, bool is_outside)
{
	const int32_t tid = (int32_t)stack->tid;
	int *track = tid ? &map->ended_track : &map->idle_track;

	if (is_outside)
		return outside_track(map);
	if (tid > 0 && (int32_t)stack->pid > 0)
		return record_map_task_track(map, (int32_t)stack->pid, tid);
	if (!*track)
		*track = gpmu_trace_track(map->trace, 0, tid ? "[unknown]" : "idle");
	return *track;
}

static int put_stack(struct record_map *map, const struct stack_sample *stack, const struct chain *chain, unsigned int mode)
{
	const bool is_kernel = mode == PERF_RECORD_MISC_KERNEL;
	const bool is_outside = gpmu_outside_sample(stack->tid, mode, gpmu_outside_chain(chain->addresses, chain->count));
	struct gpmu_trace_frame frames[TRACE_FRAMES_MAX];
	struct gpmu_trace_sample sample = {
		.size = sizeof(sample), .sampler = map->sampler, .time = stack->time, .cpu = stack->cpu,
		.period = stack->period, .frames = frames,
		.mode = is_kernel ? GPMU_TRACE_KERNEL : mode == PERF_RECORD_MISC_USER ? GPMU_TRACE_USER : GPMU_TRACE_MODE_UNKNOWN,
	};

	if (find_all(map, stack, chain, is_kernel, frames, &sample.frame_count))
		return -ENOMEM;
	if ((int32_t)stack->pid > 0 && (int32_t)stack->tid > 0) {
		sample.pid = (pid_t)stack->pid;
		sample.tid = (pid_t)stack->tid;
	} else if (is_outside) {
		sample.pid = sample.tid = GPMU_OUTSIDE_NUMBER;
	}
	map->outside_samples += is_outside;
	sample.track = track_of(map, stack, is_outside);
	return sample.track < 0 ? sample.track : gpmu_trace_sample(map->trace, &sample);
}

/* Finds the callers in the copy of the stack. */
static int put_copied(struct record_map *map, const struct perf_event_header *header, const struct stack_sample *stack,
		      unsigned int mode)
{
	uint64_t addresses[GPMU_RECORDER_CHAIN];
	size_t count = 0;

	if (map->symbols->unwind(map->symbols->user, map->copied, header, addresses, &count))
		return -ENOMEM;
	return put_stack(map, stack, &(struct chain){ addresses, count }, mode);
}

int record_map_raw(struct record_map *map, const void *raw, size_t size)
{
	const struct perf_event_header *header = raw;
	const struct stack_sample *stack = (const void *)(header + 1);

	if (header->type != PERF_RECORD_SAMPLE)
		return map->symbols ? map->symbols->take(map->symbols->user, header) : 0;
	size -= sizeof(*header);
	if (size < sizeof(*stack) || stack->count > (size - sizeof(*stack)) / sizeof(stack->addresses[0]))
		return 0;
	if (map->copied)
		return put_copied(map, header, stack, header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
	return put_stack(map, stack, &(struct chain){ stack->addresses, stack->count }, header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
}
