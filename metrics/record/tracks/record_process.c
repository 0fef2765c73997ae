// SPDX-License-Identifier: LGPL-2.1-or-later
/* State of a process: GPUs, contexts, threads, calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/task_status.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "record/tracks/record_map.h"

static void free_subtracks(void *object)
{
	record_subtracks_free(object);
}

static void free_thread(void *object)
{
	struct record_thread *thread = object;

	record_subtracks_free(thread->subtracks);
	free(thread->open);
	free(thread);
}

void record_process_free(struct record_process *process)
{
	map_release_objects(&process->strings, record_string_free);
	map_release(&process->devices);
	map_release_objects(&process->contexts, free);
	map_release_objects(&process->streams, free);
	vector_free(&process->kernels);
	map_release(&process->kernel_numbers);
	map_release_objects(&process->threads, free_thread);
	map_release_objects(&process->ranges, free);
	map_release(&process->addresses);
	map_release(&process->sources);
	map_release(&process->ends_lost_by);
	map_release_objects(&process->allocated, free);
	map_release_objects(&process->nodes, free);
	map_release_objects(&process->pools, free);
	map_release_objects(&process->subtracks, free_subtracks);
	record_subtracks_free(process->nvtx);
	record_subtracks_free(process->pool_subtracks);
	record_pcs_release(&process->pcs);
	free(process->calls);
	free(process->program);
	free(process);
}

/* Returns whether no process has logged this text yet; 100 workers of a program would repeat it. */
static bool is_new(struct record_map *map, const char *text)
{
	char **added;

	for (size_t i = 0; i < map->logged_count; i++)
		if (!strcmp(map->logged[i], text))
			return false;
	added = vector_append(map->logged, map->logged_count);
	if (added)
		*added = strdup(text);
	if (added && !*added)
		map->logged_count--;
	return true;
}

int record_note(struct record_map *map, const struct record_process *process,
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
				ARRAY_SIZE(args));
}

struct record_gpu *record_process_gpu(struct record_map *map, struct record_process *process,
				      uint32_t device)
{
	const union map_cell *index = map_find(&process->devices, device);
	int gpu;

	if (index)
		return &map->gpus[index->number];
	/* The device's record was lost: show an unknown GPU. */
	gpu = record_gpu_of(map, NULL, NULL);
	return gpu < 0 ? NULL : &map->gpus[gpu];
}

struct record_context *record_context_of(const struct record_process *process, uint32_t id)
{
	return map_object(&process->contexts, id);
}

static int make_thread(struct record_map *map, struct record_process *process, uint32_t tid,
		       struct record_thread *thread)
{
	struct task_status status;
	char text[64];
	/* In another pid namespace the process has other numbers. */
	bool is_known = !task_status_read((pid_t)tid, &status) && status.pid == (pid_t)process->pid;

	thread->track = gpmu_trace_thread(map->trace, (pid_t)process->pid, (pid_t)tid,
					  is_known ? status.comm : NULL);
	if (thread->track < 0)
		return thread->track;
	snprintf(text, sizeof(text), "thread %u", tid);
	thread->subtracks = record_subtracks_new(map->trace, process->track, thread->track, text, true);
	return thread->subtracks ? 0 : -ENOMEM;
}

struct record_thread *record_thread_of(struct record_map *map, struct record_process *process,
				       uint32_t tid)
{
	struct record_thread *thread;
	union map_cell *value;

	if (process->first)
		process = process->first;
	value = map_add(&process->threads, tid, NULL);
	if (!value || value->pointer)
		return value ? value->pointer : NULL;
	thread = calloc(1, sizeof(*thread));
	if (thread && make_thread(map, process, tid, thread)) {
		free(thread);
		thread = NULL;
	}
	value->pointer = thread;
	return thread;
}

struct record_subtracks *record_gpu_subtracks(struct record_map *map,
					      struct record_process *process,
					      struct record_gpu *gpu, const char *what,
					      uint32_t number)
{
	union map_cell *value = map_add(&process->subtracks, (uint64_t)gpu->number << 32 | number, NULL);
	char *name;

	if (!value || value->pointer)
		return value ? value->pointer : NULL;
	name = text_print("%u %s: %s", process->pid, process->program, what);
	if (name)
		value->pointer = record_subtracks_new(map->trace, gpu->track, 0, name, false);
	free(name);
	return value->pointer;
}

struct record_call *record_call_of(struct record_process *process, uint32_t correlation)
{
	struct record_call *call;

	if (!process->calls)
		process->calls = calloc(RECORD_CALLS, sizeof(*process->calls));
	if (!process->calls)
		return NULL;
	call = &process->calls[correlation & (RECORD_CALLS - 1)];
	if (call->correlation != correlation)
		*call = (struct record_call){ .correlation = correlation, .shown = correlation };
	return call;
}

/* Combines the correlation with the process, as processes use the same correlations. */
uint64_t record_flow(const struct record_process *process, uint32_t correlation)
{
	return correlation ? (uint64_t)(process->number + 1) << 32 | correlation : 0;
}

int record_slice(struct record_map *map, struct record_subtracks *subtracks, struct gpmu_trace_event *event,
		 const struct record_args *args, uint64_t end)
{
	bool is_crossing;
	int track;

	if (!subtracks)
		return -ENOMEM;
	track = record_subtracks_place(subtracks, event->time, end, &is_crossing);
	if (track < 0)
		return track;
	event->size = sizeof(*event);
	event->track = track;
	if (args) {
		event->args = args->list;
		event->arg_count = args->count;
	}
	return gpmu_trace_slice(map->trace, event, end - event->time);
}
