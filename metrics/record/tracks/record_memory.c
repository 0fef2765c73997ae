// SPDX-License-Identifier: LGPL-2.1-or-later
/* Allocated memory of GPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "record/tracks/record_map.h"

static const char *const memory_names[ACTIVITY_MEMORY_KINDS] = {
	[ACTIVITY_MEMORY_UNKNOWN] = "unknown", [ACTIVITY_MEMORY_PAGEABLE] = "pageable",
	[ACTIVITY_MEMORY_PINNED] = "pinned", [ACTIVITY_MEMORY_DEVICE] = "device",
	[ACTIVITY_MEMORY_ARRAY] = "array", [ACTIVITY_MEMORY_MANAGED] = "managed",
	[ACTIVITY_MEMORY_DEVICE_STATIC] = "device static",
	[ACTIVITY_MEMORY_MANAGED_STATIC] = "managed static",
};

const char *record_memory_name(uint32_t memory)
{
	return memory_names[memory < ACTIVITY_MEMORY_KINDS ? memory : ACTIVITY_MEMORY_UNKNOWN];
}

/* "memory of GPU 0", or "memory of GPU 0: libc10_cuda.so" for what a library has allocated; the caller frees it. */
static char *counter_name(const struct record_process *process, const struct record_gpu *gpu, uint32_t source)
{
	const char *path = source ? record_string(process, source) : "", *slash = strrchr(path, '/');

	return text_print("memory of GPU %d%s%s", gpu->number, source ? ": " : "", slash ? slash + 1 : path);
}

/* @source: the library; 0: all memory */
static struct record_allocated *allocated_of(struct record_map *map, struct record_process *process,
					     const struct record_gpu *gpu, uint32_t source)
{
	union map_cell *value = map_add(&process->allocated, (uint64_t)source << 32 | (uint32_t)gpu->number, NULL);
	struct record_allocated *allocated;
	char *name;

	if (!value || value->pointer)
		return value ? value->pointer : NULL;
	allocated = calloc(1, sizeof(*allocated));
	name = counter_name(process, gpu, source);
	if (!allocated || !name) {
		free(allocated);
		free(name);
		return NULL;
	}
	allocated->track = gpmu_trace_counter(map->trace, process->track, name, "B");
	free(name);
	if (allocated->track < 0) {
		free(allocated);
		return NULL;
	}
	value->pointer = allocated;
	return allocated;
}

/* Sets the change in allocated bytes; a free has the size that was allocated at its address. */
static int change(struct record_process *process, const struct activity_memory *memory,
		  int64_t *bytes)
{
	union map_cell value, *kept;

	*bytes = 0;
	if (memory->operation == ACTIVITY_MEMORY_FREED) {
		if (map_take(&process->addresses, memory->address, &value))
			*bytes = -(int64_t)value.number;
		return 0;
	}
	kept = map_add(&process->addresses, memory->address, NULL);
	if (!kept)
		return -ENOMEM;
	*bytes = (int64_t)(memory->bytes - kept->number);
	kept->number = memory->bytes;
	return 0;
}

static int count_bytes(struct record_map *map, struct record_allocated *allocated, uint64_t time, int64_t bytes)
{
	if (!allocated)
		return -ENOMEM;
	allocated->bytes += bytes;
	return gpmu_trace_count(map->trace, allocated->track, time, allocated->bytes);
}

/* The library that has allocated the memory, also if it is freed; 0: not known */
static uint32_t source_of(struct record_process *process, const struct activity_memory *memory)
{
	union map_cell value;

	if (memory->operation == ACTIVITY_MEMORY_FREED)
		return map_take(&process->sources, memory->address, &value) ? (uint32_t)value.number : 0;
	/* Without room the free of this memory is not counted for the library. */
	return memory->source && !map_set(&process->sources, memory->address, memory->source) ? memory->source : 0;
}

int record_memory(struct record_map *map, struct record_process *process,
		  const struct activity_memory *memory)
{
	const struct record_gpu *gpu;
	uint32_t source;
	int64_t bytes;
	int ret;

	if (memory->pool) {
		ret = record_pool(map, process, memory);
		if (ret)
			return ret;
	}
	/* Host memory is not counted. */
	if (memory->operation > ACTIVITY_MEMORY_FREED || memory->memory == ACTIVITY_MEMORY_PAGEABLE ||
	    memory->memory == ACTIVITY_MEMORY_PINNED)
		return 0;
	gpu = record_process_gpu(map, process, memory->device);
	if (!gpu)
		return -ENOMEM;
	source = source_of(process, memory);
	ret = change(process, memory, &bytes);
	if (ret || !bytes)
		return ret;
	ret = count_bytes(map, allocated_of(map, process, gpu, 0), memory->time, bytes);
	if (!ret && source)
		ret = count_bytes(map, allocated_of(map, process, gpu, source), memory->time, bytes);
	return ret;
}
