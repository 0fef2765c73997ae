// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory: allocations, and migrations of unified memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

static struct record_allocated *allocated_of(struct record_map *map, struct record_process *process,
					     const struct record_gpu *gpu)
{
	struct record_allocated *allocated;
	union map_cell *value;
	char name[32];

	value = map_add(&process->allocated, (uint64_t)gpu->number, NULL);
	if (!value || value->pointer)
		return value ? value->pointer : NULL;
	allocated = calloc(1, sizeof(*allocated));
	if (!allocated)
		return NULL;
	snprintf(name, sizeof(name), "memory of GPU %d", gpu->number);
	allocated->track = gpmu_trace_counter(map->trace, process->track, name, "B");
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

int record_memory(struct record_map *map, struct record_process *process,
		  const struct activity_memory *memory)
{
	const struct record_gpu *gpu;
	struct record_allocated *allocated;
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
	allocated = gpu ? allocated_of(map, process, gpu) : NULL;
	if (!allocated)
		return -ENOMEM;
	ret = change(process, memory, &bytes);
	if (ret || !bytes)
		return ret;
	allocated->bytes += bytes;
	return gpmu_trace_count(map->trace, allocated->track, memory->time, allocated->bytes);
}

int record_unified(struct record_map *map, struct record_process *process,
		   const struct activity_unified *unified)
{
	uint32_t device = unified->to != UINT32_MAX ? unified->to : unified->from;
	struct gpmu_trace_event event = { .time = unified->begin, .category = "unified" };
	struct record_args args = { .count = 0 };
	struct record_gpu *gpu = record_process_gpu(map, process, device);

	if (!gpu)
		return -ENOMEM;
	record_arg(&args, "value", (int64_t)unified->value);
	record_arg(&args, "address", (int64_t)unified->address);
	event.name = record_string(process, unified->name);
	return record_slice(map, record_gpu_subtracks(map, process, gpu, "unified memory", 1),
			    &event, &args, unified->end);
}
