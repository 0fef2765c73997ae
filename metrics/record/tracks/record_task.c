// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Shows when threads of the command run. A CPU that runs none of them is shown as idle,
 * because other tasks are not recorded. What a thread did from the begin of the recorded time to
 * its first switch is known only then, and is written then, or at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/task_status.h"
#include "record/tracks/record_map.h"
#include "trace/trace.h"

#define CPUS_MAX	1024	/* CPUs, limit of gpmu_trace_switch */
#define TRACKS_MAX	4096	/* later threads have no process on the timeline */
#define PRIO		120	/* nice 0; threads' priorities are not recorded */
#define TICKS		20000000	/* ns; the kernel has updated the time of a thread that has run for so long */

/* Values of gpmu_trace_switch's prev_state */
enum { STATE_SLEEPS = 1, STATE_ENDED = 16, STATE_PREEMPTED = 256 };

struct record_known_task {
	int32_t pid;
	int track, samples;	/* 0: none yet */
	enum record_task_state state;	/* at the begin; UNKNOWN: it runs, or this is written */
	uint32_t cpu;		/* of the state ACTIVE */
	uint64_t named, ran;	/* when that was known, and the ns for which it had run; 0: not known */
	bool is_switched;
	char comm[16];
};

void record_map_tasks_release(struct record_map *map)
{
	map_release_objects(&map->tasks, free);
	free(map->task_runs);
}

static struct record_known_task *task_of(struct record_map *map, int32_t pid, int32_t tid)
{
	union map_cell *cell = map_add(&map->tasks, (uint64_t)tid, NULL);
	struct record_known_task *task;

	if (!cell)
		return NULL;
	if (!cell->pointer)
		cell->pointer = calloc(1, sizeof(*task));
	task = cell->pointer;
	if (task)
		task->pid = pid;
	return task;
}

/* Prefer the name from CUDA's records, which is not limited to 15 characters. */
static bool has_name(const struct record_map *map, int32_t pid)
{
	for (size_t i = 0; i < map->process_count; i++)
		if (map->processes[i]->pid == (uint32_t)pid)
			return true;
	return false;
}

/* Names the process and the thread; Perfetto shows a thread's running time below them. */
static int name_tracks(struct record_map *map, struct record_known_task *task, int32_t tid,
		       bool is_process)
{
	const char *name = task->comm[0] ? task->comm : NULL;
	int ret;

	if (!task->track && map->task_track_count >= TRACKS_MAX)
		return 0;
	ret = gpmu_trace_process(map->trace, task->pid,
				 is_process && !has_name(map, task->pid) ? name : NULL);
	if (ret > 0)
		ret = gpmu_trace_thread(map->trace, task->pid, tid, name);
	if (ret < 0)
		return ret;
	map->task_track_count += !task->track;
	task->track = ret;
	return 0;
}

/* Switches the CPU to thread @next; 0: none of the command's. */
static int change(struct record_map *map, uint64_t time, bool is_shown, uint32_t cpu, int32_t next,
		  int64_t state)
{
	int32_t *runs = &map->task_runs[cpu], tid = next ? next : *runs;
	struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = cpu, .time = time, .prev = *runs, .next = next,
		.prev_prio = PRIO, .next_prio = PRIO, .prev_state = state,
	};
	struct record_known_task *task = map_object(&map->tasks, (uint64_t)tid);
	int ret = 0;

	*runs = next;
	if (!is_shown || !task)
		return 0;
	if (!task->track)
		ret = name_tracks(map, task, tid, tid == task->pid);
	event.track = task->track;
	/* A thread that has executed another program since it was started has a new name. */
	if (task->comm[0] && next)
		event.next_name = task->comm;
	else if (task->comm[0])
		event.prev_name = task->comm;
	return ret ? ret : gpmu_trace_sched_switch(map->trace, &event);
}

int record_map_tasks_begin(struct record_map *map, struct record_span window)
{
	int ret = 0;

	if (map->has_shown_tasks || !map->task_runs || window.begin == window.end)
		return 0;
	map->has_shown_tasks = true;
	for (uint32_t cpu = 0; cpu < CPUS_MAX && !ret; cpu++) {
		int32_t tid = map->task_runs[cpu];

		map->task_runs[cpu] = 0;
		if (tid)
			ret = change(map, window.begin, true, cpu, tid, 0);
	}
	return ret;
}

/* Writes that the thread has slept, or was ready to run, since the begin. */
static int put_state(struct record_map *map, uint64_t time, struct record_span window,
		     struct record_known_task *task, int32_t tid)
{
	struct record_args args = { .count = 0 };
	int ret = task->track ? 0 : name_tracks(map, task, tid, tid == task->pid);

	record_arg(&args, "tid", tid);
	record_arg_text(&args, "state", task->state == RECORD_TASK_SLEEPS ? "sleeps" : "ready");
	record_arg(&args, "since", (int64_t)window.begin);
	task->state = RECORD_TASK_UNKNOWN;
	if (!ret && task->track)
		ret = trace_prepare(map->trace, task->track, time);
	if (ret || !task->track)
		return ret;
	return gpmu_trace_audit(map->trace, time, "thread", args.list, args.count);
}

/* Writes what the thread did from the begin to its first switch, @event. */
static int put_first(struct record_map *map, uint64_t time, struct record_span window,
		     struct record_known_task *task, const struct record_task *event)
{
	const bool is_running = event->change == RECORD_TASK_RUNS;

	task->is_switched = true;
	if (!map->has_shown_tasks) {
		task->state = is_running ? RECORD_TASK_UNKNOWN :
			      event->change == RECORD_TASK_WAITS ? RECORD_TASK_SLEEPS : RECORD_TASK_READY;
		return 0;
	}
	if (!task->state)
		return 0;
	if (is_running || task->state != RECORD_TASK_ACTIVE || map->task_runs[event->cpu])
		return put_state(map, time, window, task, event->tid);
	task->state = RECORD_TASK_UNKNOWN;
	return change(map, window.begin, true, event->cpu, event->tid, 0);
}

int record_map_tasks_end(struct record_map *map, struct record_span window)
{
	int ret = 0;

	for (size_t i = 0; i < map->tasks.room && map->has_shown_tasks && !ret; i++) {
		const struct map_slot *slot = &map->tasks.slots[i];
		struct record_known_task *task = slot->is_used ? slot->cell.pointer : NULL;

		if (!task || !task->state)
			continue;
		if (task->state != RECORD_TASK_ACTIVE || map->task_runs[task->cpu]) {
			ret = put_state(map, window.end, window, task, (int32_t)slot->key);
			continue;
		}
		task->state = RECORD_TASK_UNKNOWN;
		ret = change(map, window.begin, true, task->cpu, (int32_t)slot->key, 0);
	}
	return ret;
}

static int name(struct record_map *map, uint64_t time, struct record_known_task *task,
		const struct record_task *event)
{
	bool is_process = event->pid == event->tid && event->change == RECORD_TASK_EXECUTES;

	memcpy(task->comm, event->comm, sizeof(task->comm));
	if (event->state && !task->is_switched) {
		task->state = event->state;
		task->cpu = event->cpu;
		task->named = time;
		task->ran = event->ran;
	}
	return task->track ? name_tracks(map, task, event->tid, is_process) : 0;
}

static void inherit(struct record_map *map, struct record_known_task *task, int32_t parent)
{
	const struct record_known_task *by = map_object(&map->tasks, (uint64_t)parent);

	task->track = task->samples = 0;
	if (by)
		memcpy(task->comm, by->comm, sizeof(task->comm));
}

/*
 * Handles a thread that stops. If the record of its start was lost, that time is unknown,
 * but another thread shown on the CPU has stopped, too.
 */
static int stop(struct record_map *map, uint64_t time, bool is_shown, const struct record_task *event)
{
	static const int64_t states[] = {
		[RECORD_TASK_WAITS] = STATE_SLEEPS, [RECORD_TASK_PREEMPTED] = STATE_PREEMPTED,
		[RECORD_TASK_ENDS] = STATE_ENDED,
	};
	int32_t runs = map->task_runs[event->cpu];

	if (!runs)
		return 0;
	return change(map, time, is_shown, event->cpu, 0, runs == event->tid ? states[event->change] : 0);
}

static void forget(struct record_map *map, int32_t tid)
{
	union map_cell cell;

	if (map_take(&map->tasks, (uint64_t)tid, &cell))
		free(cell.pointer);
}

/*
 * Handles exec: it ends all other threads of the process, and the caller takes over the
 * main thread's tid.
 */
static int become(struct record_map *map, uint64_t time, bool is_shown, const struct record_task *event)
{
	int32_t before = map->task_runs[event->cpu];
	const struct record_known_task *known = map_object(&map->tasks, (uint64_t)before);
	int ret;

	if (before == event->tid || !known || known->pid != event->pid)
		return 0;
	ret = change(map, time, is_shown, event->cpu, event->tid, STATE_ENDED);
	forget(map, before);
	return ret;
}

static int put(struct record_map *map, uint64_t time, bool is_shown, struct record_known_task *task,
	       const struct record_task *event)
{
	int ret;

	switch ((enum record_task_change)event->change) {
	case RECORD_TASK_RUNS:
		return change(map, time, is_shown, event->cpu, event->tid, 0);
	case RECORD_TASK_WAITS:
	case RECORD_TASK_PREEMPTED:
		return stop(map, time, is_shown, event);
	case RECORD_TASK_FORKED:
		inherit(map, task, event->parent);
		return 0;
	case RECORD_TASK_NAMED:
		return name(map, time, task, event);
	case RECORD_TASK_EXECUTES:
		ret = name(map, time, task, event);
		return ret ? ret : become(map, time, is_shown, event);
	case RECORD_TASK_CHECKED:
		return 0;
	case RECORD_TASK_ENDS:
		break;
	}
	ret = stop(map, time, is_shown, event);
	forget(map, event->tid);
	return ret;
}

/* A thread that was active and has neither run nor switched: other tasks have had its CPU all the time. */
static void check(struct record_map *map, uint64_t time, const struct record_task *event)
{
	struct record_known_task *task = map_object(&map->tasks, (uint64_t)event->tid);

	if (task && task->state == RECORD_TASK_ACTIVE && event->ran && event->ran == task->ran &&
	    time >= task->named + TICKS)
		task->state = RECORD_TASK_READY;
}

static bool is_switch(const struct record_task *event)
{
	return event->change == RECORD_TASK_RUNS || event->change == RECORD_TASK_WAITS ||
	       event->change == RECORD_TASK_PREEMPTED || event->change == RECORD_TASK_ENDS;
}

int record_map_task(struct record_map *map, uint64_t time, struct record_span window,
		    const struct record_task *event)
{
	struct record_known_task *task;
	int ret = 0;

	if (event->cpu >= CPUS_MAX || event->tid <= 0 || event->pid <= 0)
		return 0;
	if (event->change == RECORD_TASK_CHECKED) {
		check(map, time, event);
		return 0;
	}
	if (!map->task_runs)
		map->task_runs = calloc(CPUS_MAX, sizeof(*map->task_runs));
	task = map->task_runs ? task_of(map, event->pid, event->tid) : NULL;
	if (!task)
		return -ENOMEM;
	if (time >= window.begin)
		ret = record_map_tasks_begin(map, window);
	if (!ret && is_switch(event))
		ret = put_first(map, time, window, task, event);
	if (ret)
		return ret;
	return put(map, time, time >= window.begin && (!window.end || time <= window.end), task,
		   event);
}

/* Sets the process and the name of a thread that no record has described. Returns false if there is no such thread. */
static bool look_up(int32_t tid, struct record_task *event)
{
	struct task_status status;

	if (task_status_read(tid, &status))
		return false;
	event->pid = status.pid;
	memcpy(event->comm, status.comm, sizeof(event->comm));
	return true;
}

/* Sets *@known to the thread, which then has a track if it can have one; NULL: it is not known. */
static int know(struct record_map *map, int32_t pid, int32_t tid, struct record_known_task **known)
{
	struct record_known_task *task = map_object(&map->tasks, (uint64_t)tid);
	struct record_task event = { .pid = pid };

	*known = task;
	if (!task) {
		if (!look_up(tid, &event) && !pid)
			return 0;
		*known = task = task_of(map, event.pid, tid);
		if (!task)
			return -ENOMEM;
		memcpy(task->comm, event.comm, sizeof(task->comm));
	}
	return task->track ? 0 : name_tracks(map, task, tid, tid == task->pid);
}

int record_map_task_track(struct record_map *map, int32_t pid, int32_t tid)
{
	struct record_known_task *task;
	int ret = know(map, pid, tid, &task);

	return ret ? ret : task ? task->track : 0;
}

int32_t record_map_task_process(const struct record_map *map, int32_t tid)
{
	const struct record_known_task *task = map_object(&map->tasks, (uint64_t)tid);

	return task ? task->pid : 0;
}

int record_map_task_samples(struct record_map *map, int32_t pid, int32_t tid)
{
	struct record_known_task *task;
	int ret = know(map, pid, tid, &task);

	if (ret || !task || !task->track)
		return ret;
	if (!task->samples) {
		ret = gpmu_trace_track(map->trace, task->track, "SPE");
		if (ret < 0)
			return ret;
		task->samples = ret;
	}
	return task->samples;
}
