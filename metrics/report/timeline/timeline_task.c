// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds up how long threads run and wait, and on which CPUs, from the switches of the CPUs. */
#include <errno.h>

#include "report/timeline/timeline.h"

/* The kernel's states of a thread that has ended: EXIT_DEAD and EXIT_ZOMBIE */
#define ENDED	(16 | 32)
/* TASK_REPORT_MAX: the thread is ready, but another one runs */
#define PREEMPTED	256

/* Returns the thread, which is added if it is new; NULL if out of memory. */
static struct timeline_task *task_of(struct timeline *timeline, pid_t tid)
{
	struct timeline_task *task;
	uint32_t index;

	if (map_get(&timeline->task_numbers, (uint64_t)tid, &index) && index != TIMELINE_NONE)
		return &timeline->tasks.list[index];
	if (map_set(&timeline->task_numbers, (uint64_t)tid, (uint32_t)timeline->tasks.n))
		return NULL;
	task = vector_append(timeline->tasks.list, timeline->tasks.n);
	if (!task)
		return NULL;
	task->file = (uint32_t)timeline->files.n - 1;
	task->tid = (uint32_t)tid;
	task->name = task->process = task->cpu = TIMELINE_NONE;
	return task;
}

static int set_name(struct timeline *timeline, struct timeline_task *task, const char *name)
{
	return name ? strings_number(&timeline->strings, name, &task->name) : 0;
}

/* Ends the state that the thread has had. */
static void end_state(struct timeline_task *task, uint64_t time)
{
	uint64_t span = time > task->since ? time - task->since : 0;

	if (task->state == TIMELINE_RUNS)
		task->run += span;
	else if (task->state == TIMELINE_WAITS)
		task->wait += span;
	else if (task->state == TIMELINE_READY)
		task->ready += span;
}

static int stop(struct timeline *timeline, const struct gpmu_trace_switch *change)
{
	struct timeline_task *task = task_of(timeline, change->prev);

	if (!task || set_name(timeline, task, change->prev_name))
		return -ENOMEM;
	end_state(task, change->time);
	task->switches++;
	task->since = change->time;
	task->state = !change->prev_state || change->prev_state & PREEMPTED ? TIMELINE_READY :
									      TIMELINE_WAITS;
	if (!(change->prev_state & ENDED))
		return 0;
	/* A later thread can have the same number. */
	task->state = TIMELINE_UNKNOWN;
	return map_set(&timeline->task_numbers, (uint64_t)change->prev, TIMELINE_NONE);
}

static int start(struct timeline *timeline, const struct gpmu_trace_switch *change)
{
	struct timeline_task *task = task_of(timeline, change->next);

	if (!task || set_name(timeline, task, change->next_name))
		return -ENOMEM;
	/* If the end of its last run was lost, its length is not known. */
	if (task->state != TIMELINE_RUNS)
		end_state(task, change->time);
	task->state = TIMELINE_RUNS;
	task->since = change->time;
	task->migrations += task->cpu != TIMELINE_NONE && task->cpu != change->cpu;
	task->cpu = change->cpu;
	task->cpus[change->cpu / 64] |= (uint64_t)1 << change->cpu % 64;
	return 0;
}

int timeline_take_switch(struct timeline *timeline, const struct gpmu_trace_switch *change)
{
	int ret = change->prev ? stop(timeline, change) : 0;

	return !ret && change->next ? start(timeline, change) : ret;
}

int timeline_take_state(struct timeline *timeline, pid_t tid, uint64_t since,
			enum timeline_task_state state)
{
	struct timeline_task *task = task_of(timeline, tid);

	if (!task)
		return -ENOMEM;
	if (task->state == TIMELINE_UNKNOWN) {
		task->state = state;
		task->since = since;
	}
	return 0;
}

/* Processes and names of threads, from the tracks of the file */
struct names {
	struct map pids, threads, processes;	/* pid by tid; names by tid and by pid */
};

static int learn(struct timeline *timeline, struct names *names,
		 const struct gpmu_trace_track_info *track)
{
	bool is_process = track->kind == GPMU_TRACE_TRACK_PROCESS;
	uint32_t word;

	if (!is_process && track->kind != GPMU_TRACE_TRACK_THREAD)
		return 0;
	if (!is_process && map_set(&names->pids, (uint64_t)track->tid, (uint32_t)track->pid))
		return -ENOMEM;
	if (!track->name)
		return 0;
	if (strings_number(&timeline->strings, track->name, &word))
		return -ENOMEM;
	return is_process ? map_set(&names->processes, (uint64_t)track->pid, word) :
			 map_set(&names->threads, (uint64_t)track->tid, word);
}

static void name_task(const struct names *names, struct timeline_task *task)
{
	map_get(&names->pids, task->tid, &task->pid);
	if (task->name == TIMELINE_NONE)
		map_get(&names->threads, task->tid, &task->name);
	map_get(&names->processes, task->pid, &task->process);
}

static const char *no_name(uint32_t tid)
{
	if (tid == TIMELINE_NONE)
		return "GPU";
	return tid ? "[unknown]" : "idle";
}

/* Adds the samples of a thread to those of all threads with its name. Returns 0 or -ENOMEM. */
static int end_stack(struct timeline *timeline, const struct names *names, const struct timeline_thread_stack *from)
{
	struct timeline_stack *stack;
	uint32_t comm;

	if (!map_get(&names->threads, from->tid, &comm) && strings_number(&timeline->strings, no_name(from->tid), &comm))
		return -ENOMEM;
	stack = vector_element(&timeline->stacks, &timeline->stack_numbers, (uint64_t)from->call << 32 | comm);
	if (!stack)
		return -ENOMEM;
	stack->comm = comm;
	stack->event = from->event;
	stack->stack = from->stack;
	stack->count += from->count;
	stack->period += from->period;
	return 0;
}

int timeline_end_tasks(struct timeline *timeline, struct gpmu_trace_reader *reader)
{
	const uint32_t file = (uint32_t)timeline->files.n - 1;
	const uint64_t end = timeline->files.list[file].end;
	const struct gpmu_trace_track_info *track;
	struct names names = { 0 };
	int ret = 0;

	for (int i = 1; !ret && (track = gpmu_trace_reader_track(reader, i)); i++)
		ret = learn(timeline, &names, track);
	for (size_t i = 0; i < timeline->tasks.n; i++) {
		struct timeline_task *task = &timeline->tasks.list[i];

		if (task->file != file)
			continue;
		end_state(task, end);
		name_task(&names, task);
	}
	for (size_t i = 0; i < timeline->thread_stacks.n && !ret; i++)
		ret = end_stack(timeline, &names, &timeline->thread_stacks.list[i]);
	timeline->thread_stacks.n = 0;
	map_clear(&timeline->thread_stack_numbers);
	map_release(&names.pids);
	map_release(&names.threads);
	map_release(&names.processes);
	return ret;
}
