// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of the kernel's events, with their call stacks */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "import/import.h"
#include "profile/profile_dwarf.h"
#include "trace/trace.h"

#define PLACES	16384	/* slots of the cache: a power of 2 */

/* A place of code. The result of looking up an address holds as long as it is in the same map. */
struct import_place {
	const struct profile_map *map;
	uint64_t address;
	uint32_t pid;
	bool is_used;
	struct profile_place found;
};

int import_samples_init(struct import *import)
{
	import->places = calloc(PLACES, sizeof(*import->places));
	return import->places ? 0 : -ENOMEM;
}

/* Finds the place of an address. Returns NULL if out of memory. */
static const struct profile_place *find(struct import *import, uint32_t pid, uint64_t address, uint64_t time)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	const struct profile_map *map = profile_tasks_map(&import->input.tasks, pid, address, time, &range);
	struct import_place *slot = &import->places[(address ^ (uint64_t)pid << 32) * 0x9e3779b97f4a7c15ULL >> 40 & (PLACES - 1)];

	if (slot->is_used && slot->map == map && slot->address == address && slot->pid == pid)
		return &slot->found;
	*slot = (struct import_place){ .map = map, .address = address, .pid = pid };
	if (profile_code_find(&import->input.code, pid, address, time, &range, &slot->found))
		return NULL;
	slot->is_used = true;
	return &slot->found;
}

/* Makes a frame at a place. @function: number of the function's text, plus 1; 0: not known */
static struct gpmu_trace_frame frame_of(const struct import *import, uint32_t function,
					const struct profile_place *place, uint64_t address)
{
	return (struct gpmu_trace_frame){
		.function = function ? strings_text(&import->input.texts, function - 1) : NULL,
		.object = place->object ? strings_text(&import->input.texts, place->object - 1) : NULL,
		.address = address,
	};
}

/* Adds the frames of an address: of the inlined functions, innermost first, then of the function with a symbol. */
static void add_frames(const struct import *import, const struct profile_place *place, uint64_t address,
		       struct gpmu_trace_frame *frames, size_t *count)
{
	for (const struct profile_inlined *inlined = place->inlined; inlined && *count < TRACE_FRAMES_MAX;
	     inlined = inlined->caller)
		frames[(*count)++] = frame_of(import, inlined->text, place, address);
	if (*count < TRACE_FRAMES_MAX)
		frames[(*count)++] = frame_of(import, place->function, place, address);
}

/* The space of the addresses after a mark of the call chain; a guest's are not known. Returns whether they are known. */
static bool enter(uint64_t mark, uint32_t pid, uint32_t *space)
{
	*space = mark == (uint64_t)PERF_CONTEXT_KERNEL || mark == (uint64_t)PERF_CONTEXT_HV ? PROFILE_KERNEL : pid;
	return mark == (uint64_t)PERF_CONTEXT_KERNEL || mark == (uint64_t)PERF_CONTEXT_HV ||
	       mark == (uint64_t)PERF_CONTEXT_USER;
}

/*
 * Finds the frames of a sample's call chain, whose user space is that of the process @pid. After a mark, all addresses but the first are
 * return addresses: the byte before is in the call, and so in the function that calls.
 */
static int find_chain(struct import *import, const struct gpmu_perfdata_record *record, uint32_t pid, uint64_t time,
		      struct gpmu_trace_frame *frames, size_t *count)
{
	uint32_t space = profile_is_kernel(record) ? PROFILE_KERNEL : pid;
	bool is_known = !profile_is_guest(record), is_first = true;
	uint64_t unwound[PROFILE_UNWIND_CHAIN];
	const struct profile_place *place;
	const uint64_t *chain;
	size_t length;

	*count = 0;
	if (profile_chain(&import->input, record, unwound, &chain, &length))
		return -ENOMEM;
	for (size_t i = 0; i < length && *count < TRACE_FRAMES_MAX; i++) {
		if (chain[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			is_known = enter(chain[i], pid, &space);
			is_first = true;
			continue;
		}
		/* The outermost frame has the return address 0. */
		if (!is_known || !chain[i])
			continue;
		place = find(import, space, is_first ? chain[i] : chain[i] - 1, time);
		if (!place)
			return -ENOMEM;
		add_frames(import, place, chain[i], frames, count);
		is_first = false;
	}
	return 0;
}

static int sampler_of(struct import *import, const struct gpmu_perfdata_event *event)
{
	int *sampler;

	while (import->samplers.n <= event->index)
		if (!vector_append(import->samplers.list, import->samplers.n))
			return -ENOMEM;
	sampler = &import->samplers.list[event->index];
	if (!*sampler)
		*sampler = gpmu_trace_sampler(import->trace, event->name);
	return *sampler;
}

static int find_frames(struct import *import, const struct gpmu_perfdata_record *record, uint32_t pid,
		       struct gpmu_trace_frame *frames, size_t *count)
{
	uint64_t time = record->has & PERF_SAMPLE_TIME ? record->time : UINT64_MAX;
	const struct profile_place *place;
	int ret = find_chain(import, record, pid, time, frames, count);

	if (ret || *count || !(record->has & PERF_SAMPLE_IP) || profile_is_guest(record))
		return ret;
	place = find(import, profile_is_kernel(record) ? PROFILE_KERNEL : pid, record->sample.ip, time);
	if (!place)
		return -ENOMEM;
	/* As in a profile, a sample without a call stack has no inlined functions. */
	frames[(*count)++] = frame_of(import, place->function, place, record->sample.ip);
	return 0;
}

int import_sample(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time)
{
	unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct gpmu_trace_frame frames[TRACE_FRAMES_MAX];
	struct gpmu_trace_sample sample = {
		.size = sizeof(sample), .time = time, .frames = frames, .cpu = record->has & PERF_SAMPLE_CPU ? record->cpu : UINT32_MAX,
		.mode = profile_is_kernel(record) ? GPMU_TRACE_KERNEL :
			mode == PERF_RECORD_MISC_USER ? GPMU_TRACE_USER : GPMU_TRACE_MODE_UNKNOWN,
		.period = profile_period(record),
	};
	const struct import_thread *thread;
	int ret;

	thread = import_record_thread(import, record, &ret);
	if (!thread)
		return ret;
	sample.track = thread->track;
	if (thread->tid <= INT_MAX && thread->pid <= INT_MAX) {
		sample.pid = (pid_t)thread->pid;
		sample.tid = (pid_t)thread->tid;
	}
	ret = sampler_of(import, record->event);
	if (ret < 0)
		return ret;
	sample.sampler = ret;
	if (sample.cpu != UINT32_MAX && sample.cpu >= TRACE_CPUS_MAX)
		sample.cpu = UINT32_MAX;
	if (find_frames(import, record, thread->pid, frames, &sample.frame_count))
		return -ENOMEM;
	return gpmu_trace_sample(import->trace, &sample);
}
