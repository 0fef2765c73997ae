// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pools of memory (cudaMallocAsync): counters of what a pool has reserved and of what is allocated of it, and operations
 * on pools. The difference is memory of the GPU that only the process's next allocations from the pool can use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/tracks/record_map.h"

/* Makes a counter "pool 1 of GPU 0: reserved". Returns its track or -errno. */
static int make_counter(struct record_map *map, const struct record_process *process, const struct record_gpu *gpu,
			const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "pool %u of GPU %d: %s", process->pool_count, gpu->number, what);
	return gpmu_trace_counter(map->trace, process->track, name, "B");
}

static struct record_pool *make_pool(struct record_map *map, struct record_process *process, const struct record_gpu *gpu)
{
	struct record_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->number = ++process->pool_count;
	pool->reserved = make_counter(map, process, gpu, "reserved");
	pool->used = make_counter(map, process, gpu, "used");
	if (pool->reserved > 0 && pool->used > 0)
		return pool;
	free(pool);
	return NULL;
}

static struct record_pool *pool_of(struct record_map *map, struct record_process *process,
				   const struct activity_memory *memory)
{
	const struct record_gpu *gpu = record_process_gpu(map, process, memory->device);
	union map_cell *value = gpu ? map_add(&process->pools, memory->pool, NULL) : NULL;

	if (value && !value->pointer)
		value->pointer = make_pool(map, process, gpu);
	return value ? value->pointer : NULL;
}

/* Writes an operation on the pool itself. */
static int put_operation(struct record_map *map, struct record_process *process, const struct record_pool *pool,
			 const struct activity_memory *memory)
{
	static const char *const names[ACTIVITY_MEMORY_OPERATIONS] = {
		[ACTIVITY_MEMORY_POOL_CREATED] = "pool created", [ACTIVITY_MEMORY_POOL_DESTROYED] = "pool destroyed",
		[ACTIVITY_MEMORY_POOL_TRIMMED] = "pool trimmed",
	};
	struct gpmu_trace_event event = { .time = memory->time, .category = "pool" };
	struct record_args args = { .count = 0 };

	if (memory->operation >= ACTIVITY_MEMORY_OPERATIONS || !names[memory->operation])
		return 0;
	/* CUPTI has a record of each pool at each synchronization, although most release nothing. */
	if (memory->operation == ACTIVITY_MEMORY_POOL_TRIMMED && memory->reserved == pool->last_reserved)
		return 0;
	if (!process->pool_subtracks)
		process->pool_subtracks = record_subtracks_new(map->trace, process->track, 0, "memory pools", false);
	event.name = names[memory->operation];
	record_arg(&args, "pool", pool->number);
	record_arg(&args, "threshold", (int64_t)memory->threshold);
	return record_slice(map, process->pool_subtracks, &event, &args, memory->time);
}

/* Sets a counter if its value changes: most allocations from a pool leave its size unchanged. */
static int set_counter(struct record_map *map, int track, uint64_t time, uint64_t value, uint64_t *last)
{
	if (value == *last)
		return 0;
	*last = value;
	return gpmu_trace_count(map->trace, track, time, (int64_t)value);
}

int record_pool(struct record_map *map, struct record_process *process, const struct activity_memory *memory)
{
	struct record_pool *pool = pool_of(map, process, memory);
	const bool is_destroyed = memory->operation == ACTIVITY_MEMORY_POOL_DESTROYED;
	int ret;

	if (!pool)
		return -ENOMEM;
	ret = put_operation(map, process, pool, memory);
	if (!ret)
		ret = set_counter(map, pool->reserved, memory->time, is_destroyed ? 0 : memory->reserved, &pool->last_reserved);
	if (!ret)
		ret = set_counter(map, pool->used, memory->time, is_destroyed ? 0 : memory->used, &pool->last_used);
	/* A later pool may get the address. */
	if (is_destroyed && map_take(&process->pools, memory->pool, &(union map_cell){ 0 }))
		free(pool);
	return ret;
}
