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
	record_table_release(&map->nodes);
	if (map->overhead)
		record_subtracks_release(map->overhead);
	free(map->overhead);
}

int record_map_process(struct record_map *map)
{
	struct record_process **processes = vector_room(map->processes, map->process_count,
						      sizeof(struct record_process *));
	struct record_process *process;

	if (!processes)
		return -ENOMEM;
	map->processes = processes;
	process = calloc(1, sizeof(*process));
	if (!process)
		return -ENOMEM;
	process->number = (uint32_t)map->process_count;
	processes[map->process_count++] = process;
	return (int)process->number;
}

/* --- records without a time --- */

static int name_process(struct record_map *map, struct record_process *process,
			const struct activity_process *of)
{
	char *program = strdup(of->text);

	if (!program)
		return -ENOMEM;
	free(process->program);
	process->program = program;
	process->pid = of->pid;
	process->cupti = of->cupti;
	process->driver = of->driver;
	process->track = gpmu_trace_process(map->trace, (pid_t)of->pid, program);
	return process->track < 0 ? process->track : 0;
}

static int add_device(struct record_map *map, struct record_process *process,
		      const struct activity_device *device)
{
	char uuid[sizeof(device->uuid) + 1];
	union record_cell *value;
	bool added;
	int gpu;

	memcpy(uuid, device->uuid, sizeof(device->uuid));
	uuid[sizeof(device->uuid)] = '\0';
	gpu = record_gpu_of(map, uuid, device->text);
	if (gpu < 0)
		return gpu;
	value = record_table_add(&process->devices, device->device, &added);
	if (!value)
		return -ENOMEM;
	value->number = (uint64_t)gpu;
	return 0;
}

static int add_context(struct record_process *process, const struct activity_context *of)
{
	struct record_context *context;
	union record_cell *value;
	bool added, other = false;

	for (size_t i = 0; i < process->contexts.room; i++) {
		const struct record_context *known = process->contexts.slots[i].cell.of;

		other = other || (process->contexts.slots[i].used && known->device == of->device);
	}
	value = record_table_add(&process->contexts, of->context, &added);
	if (!value || value->of)
		return value ? 0 : -ENOMEM;
	context = malloc(sizeof(*context));
	if (!context) {
		record_table_take(&process->contexts, of->context, &(union record_cell){ 0 });
		return -ENOMEM;
	}
	*context = (struct record_context){ of->context, of->device, other };
	value->of = context;
	return 0;
}

static void add_lost(struct record_process *process, const struct activity_lost *of)
{
	struct record_lost *lost;

	if (of->why >= ACTIVITY_LOST_REASONS)
		return;
	lost = &process->lost[of->why];
	if (!lost->count || of->from < lost->from)
		lost->from = of->from;
	if (of->to > lost->to)
		lost->to = of->to;
	lost->count += of->count;
}

static void note_clocks(struct record_map *map, struct record_process *process,
			const struct activity_environment *of)
{
	struct record_gpu *gpu = record_process_gpu(map, process, of->device);

	if (!gpu || of->what != 1)
		return;
	if (!gpu->clock_min || of->values[0] < gpu->clock_min)
		gpu->clock_min = of->values[0];
	if (of->values[0] > gpu->clock_max)
		gpu->clock_max = of->values[0];
	gpu->throttle |= of->values[2];
}

/* Whether no process has logged this text yet; 100 workers of a program would repeat it */
static bool is_new(struct record_map *map, const char *text)
{
	char **logged;

	for (size_t i = 0; i < map->logged_count; i++)
		if (!strcmp(map->logged[i], text))
			return false;
	logged = vector_room(map->logged, map->logged_count, sizeof(char *));
	if (!logged)
		return true;
	map->logged = logged;
	logged[map->logged_count] = strdup(text);
	map->logged_count += logged[map->logged_count] != NULL;
	return true;
}

/* Logs a note at once, and adds it to the audit. */
static int log_note(struct record_map *map, const struct record_process *process,
		    const struct activity_note *note)
{
	static const char *const levels[] = { "info", "warning", "fatal" };
	const struct gpmu_trace_arg args[] = {
		{ .name = "text", .kind = GPMU_TRACE_TEXT, .text = note->text },
		{ .name = "level", .kind = GPMU_TRACE_TEXT,
		  .text = levels[note->level <= ACTIVITY_FATAL ? note->level : ACTIVITY_INFO] },
		{ .name = "pid", .integer = process->pid },
	};

	if (is_new(map, note->text))
		log_line(GPMU_LOG_WARNING, "%u %.32s: %s", process->pid, process->program,
			 note->text);
	return gpmu_trace_audit(map->trace, note->time, "note", args,
				sizeof(args) / sizeof(args[0]));
}

/*
 * Makes the process's track, which its other tracks need. A channel that lacks the initial
 * record gets a placeholder.
 */
static int need_process(struct record_map *map, struct record_process *process)
{
	if (process->track)
		return 0;
	process->pid = INT32_MAX - process->number;
	process->program = strdup("?");
	process->track = process->program ? gpmu_trace_process(map->trace, (pid_t)process->pid, "?") :
					    -ENOMEM;
	return process->track < 0 ? process->track : 0;
}

int record_map_early(struct record_map *map, uint32_t number, const struct activity_head *record)
{
	struct record_process *process = map->processes[number];
	const void *of = record;
	int ret;

	if (record->kind == ACTIVITY_PROCESS)
		return name_process(map, process, of);
	ret = need_process(map, process);
	if (ret)
		return ret;
	switch (record->kind) {
	case ACTIVITY_NAME:
		return record_string_add(process, ((const struct activity_name *)of)->id,
					 ((const struct activity_name *)of)->text);
	case ACTIVITY_DEVICE:
		return add_device(map, process, of);
	case ACTIVITY_CONTEXT:
		return add_context(process, of);
	case ACTIVITY_NOTE:
		return log_note(map, process, of);
	case ACTIVITY_LOST:
		add_lost(process, of);
		return 0;
	case ACTIVITY_EXTERNAL:
		process->record_count++;
		return record_external(process, of);
	case ACTIVITY_ENVIRONMENT:
		process->record_count++;
		note_clocks(map, process, of);
		return 0;
	default:
		return record->kind > ACTIVITY_CAPTURE && record->kind < ACTIVITY_KINDS;
	}
}

/* --- records with a time --- */

struct record_span record_map_span(const struct activity_head *record)
{
	const void *of = record;
	uint64_t time = 0;

	switch (record->kind) {
	case ACTIVITY_MARKER:
		time = ((const struct activity_marker *)of)->time;
		break;
	case ACTIVITY_MEMORY:
		time = ((const struct activity_memory *)of)->time;
		break;
	default: {
		/* All other records have begin and end behind the head. */
		const struct activity_call *call = of;

		return (struct record_span){ call->begin,
					     call->end > call->begin ? call->end : call->begin };
	}
	}
	return (struct record_span){ time, time };
}

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
	event.args = args.list;
	event.arg_count = args.count;
	return record_slice(map, record_gpu_subtracks(map, process, gpu, "synchronization", 0), &event,
			    sync->end);
}

static int put_overhead(struct record_map *map, const struct record_process *process,
			const struct activity_overhead *overhead)
{
	struct gpmu_trace_event event = { .time = overhead->begin, .category = "overhead" };
	struct record_args args = { .count = 0 };

	if (!map->overhead) {
		map->overhead = calloc(1, sizeof(*map->overhead));
		if (!map->overhead)
			return -ENOMEM;
		if (record_subtracks_init(map->overhead, map->trace, 0, 0, "CUPTI", false)) {
			free(map->overhead);
			map->overhead = NULL;
			return -ENOMEM;
		}
	}
	if (overhead->thread)
		record_arg(&args, "thread", overhead->thread);
	event.name = record_string(process, overhead->name);
	event.args = args.list;
	event.arg_count = args.count;
	return record_slice(map, map->overhead, &event, overhead->end);
}

static bool ends_before_it_begins(const struct activity_head *record)
{
	const struct activity_call *of = (const void *)record;

	return record->kind != ACTIVITY_MARKER && record->kind != ACTIVITY_MEMORY &&
	       of->end < of->begin;
}

int record_map_event(struct record_map *map, uint32_t number, const struct activity_head *record)
{
	struct record_process *process = map->processes[number];
	struct record_span span = record_map_span(record);
	const void *of = record;

	process->record_count++;
	if (ends_before_it_begins(record)) {
		add_lost(process, &(struct activity_lost){ .from = span.begin, .to = span.end,
							   .count = 1, .why = ACTIVITY_LOST_TIMES });
		return 0;
	}
	if (!map->first || span.begin < map->first)
		map->first = span.begin;
	if (span.end > map->last)
		map->last = span.end;
	switch (record->kind) {
	case ACTIVITY_KERNEL:
		return record_kernel(map, process, of);
	case ACTIVITY_COPY:
		return record_copy(map, process, of);
	case ACTIVITY_SET:
		return record_set(map, process, of);
	case ACTIVITY_GRAPH:
		return record_graph(map, process, of);
	case ACTIVITY_RUNTIME:
	case ACTIVITY_DRIVER:
		return record_call(map, process, of);
	case ACTIVITY_SYNC:
		return put_sync(map, process, of);
	case ACTIVITY_MARKER:
		return record_marker(map, process, of);
	case ACTIVITY_MEMORY:
		return record_memory(map, process, of);
	case ACTIVITY_OVERHEAD:
		return put_overhead(map, process, of);
	case ACTIVITY_UNIFIED:
		return record_unified(map, process, of);
	default:
		return 0;
	}
}

int record_map_end(struct record_map *map)
{
	int ret = record_counters_end(map);

	for (size_t i = 0; i < map->process_count && !ret; i++)
		ret = record_nvtx_end(map, map->processes[i]);
	return ret;
}
