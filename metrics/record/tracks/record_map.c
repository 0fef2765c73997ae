// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "base/log.h"
#include "record/tracks/record_map.h"

void record_map_init(struct record_map *map, struct gpmu_trace *trace,
		     const struct gpmu_machine *machine)
{
	*map = (struct record_map){ .trace = trace, .machine = machine };
}

void record_map_release(struct record_map *map)
{
	for (size_t i = 0; i < map->process_count; i++)
		record_process_free(map->processes[i]);
	free(map->processes);
	while (map->logged_count)
		free(map->logged[--map->logged_count]);
	free(map->logged);
	record_gpus_release(map);
	record_counters_release(map);
	record_map_tasks_release(map);
	map_release(&map->switched);
	gpmu_spe_memory_release(&map->memory);
	record_subtracks_free(map->overhead);
}

int record_map_process(struct record_map *map)
{
	struct record_process *process = calloc(1, sizeof(*process));
	struct record_process **added = process ? vector_append(map->processes, map->process_count) : NULL;

	if (!added) {
		free(process);
		return -ENOMEM;
	}
	*added = process;
	process->number = (uint32_t)map->process_count - 1;
	return (int)process->number;
}

/* --- records without a time --- */

/*
 * A process that uses CUDA and marks regions has two channels, one of each library, and after
 * execve() more. They describe the same threads, and their first records arrive in any order.
 */
static void join(struct record_map *map, struct record_process *process)
{
	for (size_t i = 0; i < map->process_count; i++) {
		struct record_process *other = map->processes[i];
		struct record_process *second = process->has_regions ? process : other;

		if (other == process || other->pid != process->pid || !second->has_regions)
			continue;
		if (!process->first)
			process->first = other->first ? other->first : other;
		map->joined_count += !second->is_joined;
		second->is_joined = true;
	}
}

static int name_process(struct record_map *map, struct record_process *process,
			const struct activity_process *data)
{
	char *program = strdup(data->text);

	if (!program)
		return -ENOMEM;
	free(process->program);
	process->program = program;
	process->pid = data->pid;
	process->cupti = data->cupti;
	process->driver = data->driver;
	process->has_regions = data->head.flags & ACTIVITY_PROCESS_REGIONS;
	map->cuda_count += !process->has_regions;
	join(map, process);
	process->track = gpmu_trace_process(map->trace, (pid_t)data->pid, program);
	return process->track < 0 ? process->track : 0;
}

static int add_device(struct record_map *map, struct record_process *process,
		      const struct activity_device *device)
{
	char uuid[sizeof(device->uuid) + 1];
	union map_cell *value;
	int gpu;

	memcpy(uuid, device->uuid, sizeof(device->uuid));
	uuid[sizeof(device->uuid)] = '\0';
	gpu = record_gpu_of(map, uuid, device->text);
	if (gpu < 0)
		return gpu;
	value = map_add(&process->devices, device->device, NULL);
	if (!value)
		return -ENOMEM;
	value->number = (uint64_t)gpu;
	map->gpus[gpu].limits = (struct record_limits){
		.major = device->major, .minor = device->minor, .multiprocessors = device->multiprocessors,
		.warps = device->warps, .blocks = device->blocks, .registers = device->registers, .shared = device->shared,
	};
	return 0;
}

static int add_context(struct record_process *process, const struct activity_context *data)
{
	struct record_context *context;
	union map_cell *value;
	bool is_other = false;

	for (size_t i = 0; i < process->contexts.room; i++) {
		const struct record_context *known = process->contexts.slots[i].cell.pointer;

		is_other = is_other || (process->contexts.slots[i].is_used && known->device == data->device);
	}
	value = map_add(&process->contexts, data->context, NULL);
	if (!value || value->pointer)
		return value ? 0 : -ENOMEM;
	context = malloc(sizeof(*context));
	if (!context) {
		map_take(&process->contexts, data->context, &(union map_cell){ 0 });
		return -ENOMEM;
	}
	*context = (struct record_context){ .id = data->context, .device = data->device, .is_other = is_other };
	value->pointer = context;
	return 0;
}

/* Notes until when ends of ranges may have been lost. Records of any kind have the kind 0. */
static void note_lost_ends(struct record_process *process, const struct activity_lost *data)
{
	union map_cell *cell = NULL;
	uint64_t *until = &process->ends_lost;

	if ((data->kind && data->kind != ACTIVITY_MARKER) || data->thread == ACTIVITY_NO_END)
		return;
	if (data->thread)
		cell = map_add(&process->ends_lost_by, data->thread, NULL);
	if (cell)
		until = &cell->number;
	if (data->to > *until)
		*until = data->to;
}

static void add_lost(struct record_process *process, const struct activity_lost *data)
{
	struct record_lost *lost;

	if (data->why >= ACTIVITY_LOST_REASONS || data->kind >= ACTIVITY_KINDS)
		return;
	note_lost_ends(process, data);
	lost = &process->lost[data->why][data->kind];
	/* Records without a possible time are counted with a span of 0 to 0. */
	if (!lost->to || data->from < lost->from)
		lost->from = data->from;
	if (data->to > lost->to)
		lost->to = data->to;
	lost->count += data->count;
}

static void note_clocks(struct record_map *map, struct record_process *process,
			const struct activity_environment *data)
{
	struct record_gpu *gpu = record_process_gpu(map, process, data->device);

	if (!gpu || data->what != 1)
		return;
	if (!gpu->clock_min || data->values[0] < gpu->clock_min)
		gpu->clock_min = data->values[0];
	if (data->values[0] > gpu->clock_max)
		gpu->clock_max = data->values[0];
	gpu->throttle |= data->values[2];
}

/*
 * Makes the process's track, which its other tracks need. A channel that lacks the initial
 * record, or whose initial record has no possible pid, gets a placeholder.
 */
static int need_process(struct record_map *map, struct record_process *process, const char *program)
{
	if (process->track)
		return 0;
	process->pid = INT32_MAX - process->number;
	map->cuda_count++;
	process->program = strdup(program);
	process->track = process->program ?
				 gpmu_trace_process(map->trace, (pid_t)process->pid, program) :
				 -ENOMEM;
	return process->track < 0 ? process->track : 0;
}

bool record_map_has_span(const struct activity_head *record)
{
	return record->kind > ACTIVITY_CAPTURE && record->kind < ACTIVITY_CALLS &&
	       record->kind != ACTIVITY_EXTERNAL && record->kind != ACTIVITY_ENVIRONMENT &&
	       record->kind != ACTIVITY_PC_TOTAL && record->kind != ACTIVITY_CUBIN;
}

struct record_span record_map_span(const struct activity_head *record)
{
	const void *data = record;
	uint64_t time = 0;

	switch (record->kind) {
	case ACTIVITY_MARKER:
		time = ((const struct activity_marker *)data)->time;
		break;
	case ACTIVITY_MEMORY:
		time = ((const struct activity_memory *)data)->time;
		break;
	case ACTIVITY_HOST_MEMORY:
		time = ((const struct activity_host_memory *)data)->time;
		break;
	default: {
		/* All other records have begin and end after the head. */
		const struct activity_call *call = data;

		return (struct record_span){ call->begin, call->end };
	}
	}
	return (struct record_span){ time, time };
}

static bool is_id(uint32_t id)
{
	return id && id <= INT32_MAX;
}

/*
 * Returns why no timeline can have the record, or ACTIVITY_NOT_REFUSED. A process may write
 * anything to its channel, and the trace refuses impossible numbers, which would end the recording
 * of all processes.
 */
static enum activity_lost_why refusal_of(const struct activity_head *record)
{
	const void *data = record;
	const struct activity_call *call = data;
	const struct activity_marker *marker = data;
	struct record_span span = { 0 };

	switch (record->kind) {
	case ACTIVITY_PROCESS:
		return is_id(((const struct activity_process *)data)->pid) ? ACTIVITY_NOT_REFUSED :
									   ACTIVITY_LOST_IDS;
	case ACTIVITY_NOTE:
		span.end = ((const struct activity_note *)data)->time;
		break;
	case ACTIVITY_RUNTIME:
	case ACTIVITY_DRIVER:
		if (!is_id(call->thread))
			return ACTIVITY_LOST_IDS;
		break;
	case ACTIVITY_OPENACC:
		if (!is_id(((const struct activity_openacc *)data)->thread))
			return ACTIVITY_LOST_IDS;
		break;
	case ACTIVITY_MODULE:
		if (!is_id(((const struct activity_module *)data)->thread))
			return ACTIVITY_LOST_IDS;
		break;
	case ACTIVITY_NODE:
		if (!is_id(((const struct activity_node *)data)->thread))
			return ACTIVITY_LOST_IDS;
		break;
	case ACTIVITY_MARKER:
		if (marker->thread && !is_id(marker->thread))
			return ACTIVITY_LOST_IDS;
		break;
	}
	if (record_map_has_span(record))
		span = record_map_span(record);
	return span.end <= INT64_MAX && span.begin <= span.end ? ACTIVITY_NOT_REFUSED :
								 ACTIVITY_LOST_TIMES;
}

int record_map_early(struct record_map *map, uint32_t number, const struct activity_head *record)
{
	const enum activity_lost_why refusal = refusal_of(record);
	struct record_process *process = map->processes[number];
	const void *data = record;
	int ret;

	if (record->kind == ACTIVITY_PROCESS && refusal == ACTIVITY_NOT_REFUSED)
		return name_process(map, process, data);
	/* A channel that was full at once reports its loss before the initial record. */
	record_balance_add(process, record);
	if (record->kind == ACTIVITY_LOST) {
		add_lost(process, data);
		return 0;
	}
	ret = need_process(map, process, record->kind != ACTIVITY_PROCESS ? "?" :
			   ((const struct activity_process *)data)->text);
	if (ret)
		return ret;
	if (refusal != ACTIVITY_NOT_REFUSED) {
		process->lost[refusal][record->kind].count++;
		return 0;
	}
	switch (record->kind) {
	case ACTIVITY_NAME:
		return record_string_add(process, ((const struct activity_name *)data)->id,
					 ((const struct activity_name *)data)->text);
	case ACTIVITY_DEVICE:
		return add_device(map, process, data);
	case ACTIVITY_CONTEXT:
		return add_context(process, data);
	case ACTIVITY_NOTE:
		return record_note(map, process, data);
	case ACTIVITY_EXTERNAL:
		process->record_count++;
		return record_external(process, data);
	case ACTIVITY_ENVIRONMENT:
		process->record_count++;
		note_clocks(map, process, data);
		return 0;
	case ACTIVITY_PC:
	case ACTIVITY_PC_TOTAL:
	case ACTIVITY_CUBIN:
		ret = record_pcs_early(process, record);
		return ret ? ret : record_map_has_span(record);
	case ACTIVITY_CALLS:
		process->tally = *(const struct activity_calls *)data;
		return 0;
	case ACTIVITY_RANGE_NAME:
	case ACTIVITY_RANGE:
	case ACTIVITY_RANGES:
		return record_ranges(map, process, record);
	default:
		return record_map_has_span(record);
	}
}

/* --- records with a time --- */

static const char *const syncs[ACTIVITY_SYNC_KINDS] = {
	[ACTIVITY_SYNC_UNKNOWN] = "synchronization", [ACTIVITY_SYNC_EVENT] = "event",
	[ACTIVITY_SYNC_STREAM_WAIT] = "stream wait", [ACTIVITY_SYNC_STREAM] = "stream",
	[ACTIVITY_SYNC_CONTEXT] = "context",
};

static int put_sync(struct record_map *map, struct record_process *process,
		    const struct activity_sync *sync)
{
	const struct record_context *context = record_context_of(process, sync->context);
	struct gpmu_trace_event event = { .time = sync->begin, .category = "sync" };
	struct record_args args = { .count = 0 };
	struct record_gpu *gpu;

	gpu = record_process_gpu(map, process, context ? context->device : 0);
	if (!gpu)
		return -ENOMEM;
	record_arg(&args, "correlation", sync->correlation);
	if (sync->stream != UINT32_MAX)
		record_arg(&args, "stream", sync->stream);
	event.name = syncs[sync->sync < ACTIVITY_SYNC_KINDS ? sync->sync : ACTIVITY_SYNC_UNKNOWN];
	return record_slice(map, record_gpu_subtracks(map, process, gpu, "synchronization", 0),
			    &event, &args, sync->end);
}

static int put_overhead(struct record_map *map, const struct record_process *process,
			const struct activity_overhead *overhead)
{
	struct gpmu_trace_event event = { .time = overhead->begin, .category = "overhead" };
	struct record_args args = { .count = 0 };

	if (!map->overhead)
		map->overhead = record_subtracks_new(map->trace, 0, 0, "CUPTI", false);
	if (overhead->thread)
		record_arg(&args, "thread", overhead->thread);
	event.name = record_string(process, overhead->name);
	return record_slice(map, map->overhead, &event, &args, overhead->end);
}

int record_map_event(struct record_map *map, uint32_t number, const struct activity_head *record)
{
	struct record_process *process = map->processes[number];
	struct record_span span = record_map_span(record);
	const void *data = record;

	process->record_count++;
	if (!map->first || span.begin < map->first)
		map->first = span.begin;
	if (span.end > map->last)
		map->last = span.end;
	switch (record->kind) {
	case ACTIVITY_KERNEL:
		return record_kernel(map, process, data);
	case ACTIVITY_COPY:
		return record_copy(map, process, data);
	case ACTIVITY_SET:
		return record_set(map, process, data);
	case ACTIVITY_GRAPH:
		return record_graph(map, process, data);
	case ACTIVITY_RUNTIME:
	case ACTIVITY_DRIVER:
		return record_call(map, process, data);
	case ACTIVITY_SYNC:
		return put_sync(map, process, data);
	case ACTIVITY_MARKER:
		return record_marker(map, process, data);
	case ACTIVITY_MEMORY:
		return record_memory(map, process, data);
	case ACTIVITY_HOST_MEMORY:
		return record_host_memory(map, process, data);
	case ACTIVITY_OVERHEAD:
		return put_overhead(map, process, data);
	case ACTIVITY_MODULE:
		return record_module(map, process, data);
	case ACTIVITY_OPENACC:
		return record_openacc(map, process, data);
	case ACTIVITY_NODE:
		return record_node(map, process, data);
	case ACTIVITY_PC:
		return record_pc(map, process, data);
	case ACTIVITY_UNIFIED:
		return record_unified(map, process, data);
	default:
		return 0;
	}
}

int record_map_end(struct record_map *map)
{
	int ret = record_counters_end(map);

	for (size_t i = 0; i < map->process_count && !ret; i++)
		ret = record_nvtx_end(map, map->processes[i]);
	for (size_t i = 0; i < map->process_count && !ret; i++)
		ret = record_pcs_end(map, map->processes[i]);
	return ret;
}
