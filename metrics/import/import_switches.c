// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Context switches. If the recording has their CPUs, they are scheduling events of Perfetto. Without, as perf
 * records a command by default, each thread has a track with slices of the time that it runs.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gpmu_outside.h"
#include "import/import.h"

#define CPUS_MAX	1024	/* CPUs, limit of gpmu_trace_switch */
#define PRIO		120	/* nice 0; priorities are not recorded */
#define NOT_KNOWN	UINT32_MAX

/* Values of gpmu_trace_switch's prev_state */
enum { STATE_SLEEPS = 1, STATE_ENDED = 16, STATE_PREEMPTED = 256 };

/*
 * Bits of prev_state of sched:sched_switch: the thread waits or has ended. Others, such as 256, are
 * set for threads that are ready.
 */
#define WAITING_STATES	0xff

/* SEEN is no switch: a task outside the PID namespace was sampled. */
enum change { RUNS, STOPS, PREEMPTED, ENDS, BEGINS, SEEN, NO_CHANGE };

_Static_assert(CPUS_MAX <= GPMU_OUTSIDE_CPUS, "each CPU has a thread for the tasks outside the PID namespace");

/*
 * @cpu: NOT_KNOWN if it is not recorded. @tid: NOT_KNOWN if the kernel had released the thread. @next: the thread that
 * runs next; 0: idle, outside the PID namespace, or not recorded
 */
struct import_switch {
	uint64_t time;
	uint32_t pid, tid, cpu, next;
	enum change change;
	bool has_next;		/* @next is recorded */
	uint32_t order;		/* of the records, for equal times */
};

static enum change change_of(const struct gpmu_perfdata_record *record)
{
	if (record->type == PERF_RECORD_EXIT)
		return ENDS;
	if (record->type == PERF_RECORD_FORK)
		return BEGINS;
	if (!(record->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return RUNS;
	return record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? PREEMPTED : STOPS;
}

static bool is_switch(enum change change)
{
	return change == RUNS || change == STOPS || change == PREEMPTED;
}

/* Returns whether the thread is known or can be found: if the kernel released a thread before its last switch, that record has the number -1. */
static bool has_thread(const struct import_switch *change)
{
	return change->tid <= INT_MAX || (change->tid == NOT_KNOWN && change->cpu != NOT_KNOWN &&
					  (change->change == STOPS || change->change == PREEMPTED));
}

int import_switch(struct import *import, const struct gpmu_perfdata_record *record)
{
	struct import_switch from = {
		.pid = record->pid, .tid = record->tid, .cpu = record->has & PERF_SAMPLE_CPU ? record->cpu : NOT_KNOWN,
		.change = change_of(record), .order = (uint32_t)import->switches.n,
	};

	if (!is_switch(from.change)) {
		from.pid = record->task.pid;
		from.tid = record->task.tid;
	}
	if (is_switch(from.change) ? !(record->has & PERF_SAMPLE_TID) : gpmu_outside_number(from.tid))
		return 0;
	if (!has_thread(&from) || (from.cpu != NOT_KNOWN && from.cpu >= CPUS_MAX))
		return 0;
	if (!(is_switch(from.change) ? import_record_time : import_task_time)(import, record, &from.time))
		return 0;
	from.has_next = record->type == PERF_RECORD_SWITCH_CPU_WIDE && from.change != RUNS && record->other.tid <= INT_MAX;
	if (from.has_next)
		from.next = record->other.tid;
	import->facts.switches += is_switch(from.change);
	return vector_push(&import->switches, &from);
}

int import_switch_outside(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time)
{
	if (!import->has_switches || !(record->has & PERF_SAMPLE_CPU) || record->cpu >= CPUS_MAX)
		return 0;
	return vector_push(&import->switches, &(struct import_switch){
		.time = time, .cpu = record->cpu, .change = SEEN, .order = (uint32_t)import->switches.n });
}

/* --- samples of sched:sched_switch, as perf sched record records them */

/* Gets the number of a field. Returns whether the sample has it. */
static bool get_number(const struct gpmu_perfdata_record *record,
		       const struct gpmu_perfdata_tracepoint *tracepoint, const char *name,
		       uint64_t *number)
{
	struct gpmu_perfdata_content content;

	for (size_t i = 0; i < tracepoint->field_count; i++) {
		if (strcmp(tracepoint->fields[i].name, name) != 0)
			continue;
		if (!gpmu_perfdata_content(&tracepoint->fields[i], record->sample.raw,
					   record->sample.raw_size, &content))
			return false;
		*number = content.number;
		return true;
	}
	return false;
}

/*
 * Returns whether a sample has a switch. Inside a PID namespace the fields have other thread ids
 * than the sample.
 */
static bool is_switch_sample(const struct gpmu_perfdata_record *record,
			     const struct gpmu_perfdata_tracepoint *tracepoint)
{
	const uint64_t needed = PERF_SAMPLE_CPU | PERF_SAMPLE_TID;
	uint64_t prev;

	return !strcmp(tracepoint->name, "sched:sched_switch") &&
	       (record->has & needed) == needed && record->cpu < CPUS_MAX &&
	       get_number(record, tracepoint, "prev_pid", &prev) && record->tid == prev;
}

int import_switch_sample(struct import *import, const struct gpmu_perfdata_record *record,
			 uint64_t time, const struct gpmu_perfdata_tracepoint *tracepoint)
{
	struct import_switch from = {
		.time = time,
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.has_next = true,
		.order = (uint32_t)import->switches.n,
	};
	uint64_t next, state;

	if (import->has_switches || !is_switch_sample(record, tracepoint) ||
	    !get_number(record, tracepoint, "next_pid", &next) ||
	    !get_number(record, tracepoint, "prev_state", &state) || next > INT_MAX)
		return 0;
	import->has_idle_switch |= !record->tid;
	from.change = state & WAITING_STATES ? STOPS : PREEMPTED;
	from.next = (uint32_t)next;
	import->facts.switches++;
	import->switch_samples++;
	if (vector_push(&import->switches, &from))
		return -ENOMEM;
	/*
	 * If the kernel lost switches of the CPU, another thread seems to run, and only this entry
	 * has an effect.
	 */
	return vector_push(&import->switches, &(struct import_switch){
		.time = time,
		.pid = profile_tasks_pid(&import->input.tasks, from.next, record->time),
		.tid = from.next,
		.cpu = from.cpu,
		.change = RUNS,
		.order = (uint32_t)import->switches.n });
}

/* --- all switches */

static int compare(const void *a, const void *b)
{
	const struct import_switch *left = a, *right = b;

	return COMPARE(left->time, right->time) ?: COMPARE(left->order, right->order);
}

/* Sets the thread of each switch that lacks it: the thread that ran last on the CPU. */
static void find_released(struct import_switch *list, size_t n)
{
	const struct import_switch *ran[CPUS_MAX] = { NULL };

	for (struct import_switch *change = list; change < list + n; change++) {
		if (change->cpu == NOT_KNOWN)
			continue;
		if (change->change == RUNS) {
			ran[change->cpu] = change;
		} else if (change->tid == NOT_KNOWN && ran[change->cpu]) {
			change->pid = ran[change->cpu]->pid;
			change->tid = ran[change->cpu]->tid;
		}
	}
}

/*
 * If all threads are recorded, a thread still runs after its EXIT record, and can be preempted. It ends with its last switch.
 * A later thread can have the same number.
 */
static int move_ends(struct import_switch *list, size_t n)
{
	struct map lasts = { 0 };	/* index of a thread's last switch, by tid */
	uint32_t last;
	int ret = 0;

	for (size_t i = n; i-- && !ret;) {
		if (!map_get(&lasts, list[i].tid, &last))
			last = NOT_KNOWN;
		if (list[i].change == BEGINS) {
			ret = map_set(&lasts, list[i].tid, NOT_KNOWN);
		} else if (list[i].change != ENDS) {
			ret = last == NOT_KNOWN ? map_set(&lasts, list[i].tid, (uint32_t)i) : 0;
		} else if (last != NOT_KNOWN) {
			list[i].change = NO_CHANGE;
			if (list[last].change != RUNS)
				list[last].change = ENDS;
		}
	}
	map_release(&lasts);
	return ret;
}

/* --- tasks outside the PID namespace, which have the tid 0, as idle tasks have */

/* Gives a switch of the tid 0 the thread of @process on its CPU. */
static void set_outside(struct import_switch *entry, uint32_t process)
{
	entry->pid = entry->tid = process;
	if (entry->cpu != NOT_KNOWN)
		entry->tid -= 1 + entry->cpu;
}

/*
 * Finds the times in which a task outside the namespace ran on a CPU: it was sampled, or it went to sleep, as idle tasks never do.
 * @can_sleep: the kernel flags tasks that are preempted (since Linux 4.17), so the others go to sleep. In a recording without CPUs
 * the tid 0 is never an idle task. Returns whether there are such times.
 */
static bool find_outside(struct import_switch *list, size_t n, bool can_sleep)
{
	struct import_switch *runs[CPUS_MAX] = { NULL };	/* the CPU's last switch to the tid 0 */
	bool is_seen[CPUS_MAX] = { false }, is_found = false;

	for (struct import_switch *entry = list; entry < list + n; entry++) {
		const bool is_stop = entry->change == STOPS || entry->change == PREEMPTED;

		if (entry->cpu == NOT_KNOWN) {
			if (is_switch(entry->change) && !entry->tid)
				set_outside(entry, GPMU_OUTSIDE_NUMBER);
			continue;
		}
		is_seen[entry->cpu] |= entry->change == SEEN;
		if (is_stop && !entry->tid && (is_seen[entry->cpu] || (can_sleep && entry->change == STOPS))) {
			set_outside(entry, GPMU_OUTSIDE_NUMBER);
			is_found = true;
		}
		if (runs[entry->cpu] && (entry->change == SEEN || entry->pid == GPMU_OUTSIDE_NUMBER))
			set_outside(runs[entry->cpu], GPMU_OUTSIDE_NUMBER);
		if (entry->change < BEGINS) {
			runs[entry->cpu] = entry->change == RUNS && !entry->tid ? entry : NULL;
			is_seen[entry->cpu] = false;
		}
	}
	return is_found;
}

/* Gives the tasks that ran with the tid 0 their threads, and sets these as the next threads of the switches before. */
static void name_outside(const struct import *import, struct import_switch *list, size_t n)
{
	struct import_switch *lasts[CPUS_MAX] = { NULL };
	bool can_sleep = false;

	for (size_t i = 0; i < n && !can_sleep; i++)
		can_sleep = list[i].change == PREEMPTED;
	if (!find_outside(list, n, can_sleep) && !import->has_outside)
		return;
	for (struct import_switch *entry = list; entry < list + n; entry++) {
		if (entry->change >= BEGINS || entry->cpu == NOT_KNOWN)
			continue;
		if (!entry->tid)
			set_outside(entry, GPMU_OUTSIDE_MAYBE);
		if (entry->change == RUNS && gpmu_outside_name(entry->tid) && lasts[entry->cpu] &&
		    lasts[entry->cpu]->has_next)
			lasts[entry->cpu]->next = entry->tid;
		lasts[entry->cpu] = entry->change == RUNS ? NULL : entry;
	}
}

/* --- with CPUs */

static int put(struct import *import, const struct import_switch *change, uint32_t prev, uint32_t next, int64_t state)
{
	struct gpmu_trace_switch event = {
		.size = sizeof(event), .cpu = change->cpu, .time = change->time, .prev = (pid_t)prev, .next = (pid_t)next,
		.prev_prio = PRIO, .next_prio = PRIO, .prev_state = state,
	};
	const uint64_t recorded = change->time - import->clock.shift;
	struct import_thread *thread;
	int ret;

	/* Threads with the same number can have different names. */
	event.prev_name = prev ? import_name(import, prev, recorded) : NULL;
	event.next_name = next ? import_name(import, next, recorded) : NULL;
	thread = import_thread(import, change->pid, change->tid, &ret);
	if (!thread)
		return ret;
	event.track = thread->track;
	return gpmu_trace_sched_switch(import->trace, &event);
}

/* @running: the threads that run on CPUs; NOT_KNOWN before the first switch */
static int take_scheduled(struct import *import, uint32_t running[CPUS_MAX], const struct import_switch *change)
{
	static const int64_t states[] = {
		[RUNS] = 0, [STOPS] = STATE_SLEEPS, [PREEMPTED] = STATE_PREEMPTED, [ENDS] = STATE_ENDED,
	};
	uint32_t *runs = &running[change->cpu], prev = *runs;
	uint32_t next = change->change == RUNS ? change->tid : change->next;
	int64_t state = states[change->change];

	if (prev == next || (change->change != RUNS && prev != change->tid && prev != NOT_KNOWN))
		return 0;
	if (prev == NOT_KNOWN)
		prev = change->change == RUNS ? 0 : change->tid;
	*runs = next;
	return prev == next ? 0 : put(import, change, prev, next, state);
}

/* --- without */

static int take_slice(struct import *import, const struct import_switch *change)
{
	static const char *const ends[] = { [STOPS] = "waits", [PREEMPTED] = "preempted", [ENDS] = "exit" };
	struct gpmu_trace_arg then = { .name = "then", .kind = GPMU_TRACE_NAME, .text = ends[change->change] };
	struct gpmu_trace_event event = { .size = sizeof(event), .name = "running", .category = "sched", .args = &then,
					  .arg_count = 1 };
	struct import_thread *thread;
	int ret;

	thread = import_thread(import, change->pid, change->tid, &ret);
	if (!thread)
		return ret;
	if (change->change == RUNS) {
		thread->since = change->time;
		return 0;
	}
	if (thread->since == IMPORT_NO_TIME)
		return 0;
	ret = import_track(import, thread, &thread->run_track, "running");
	if (ret < 0)
		return ret;
	event.track = ret;
	event.time = thread->since;
	thread->since = IMPORT_NO_TIME;
	return gpmu_trace_slice(import->trace, &event, change->time - event.time);
}

/*
 * Returns whether at least nine of ten switches of a CPU are from the thread that the switch before
 * was to. The kernel may lose some.
 */
static bool is_continuous(const struct import_switch *list, size_t n)
{
	uint32_t nexts[CPUS_MAX];
	size_t all = 0, gaps = 0;

	memset(nexts, 0xff, sizeof(nexts));
	for (const struct import_switch *change = list; change < list + n; change++) {
		if (!change->has_next)
			continue;
		all++;
		gaps += nexts[change->cpu] != NOT_KNOWN && nexts[change->cpu] != change->tid;
		nexts[change->cpu] = change->next;
	}
	return gaps * 10 <= all;
}

/*
 * Drops the samples of switches unless those of all tasks are recorded. Samples of some tasks lack
 * the switches to these tasks. Only if all are recorded are there switches from idle tasks; a busy
 * CPU has none.
 */
static void check_samples(struct import *import)
{
	if (!import->switch_samples || import->has_idle_switch ||
	    (!import_is_of_command(import) &&
	     is_continuous(import->switches.list, import->switches.n)))
		return;
	import->facts.switches -= import->switch_samples;
	import->switch_samples = 0;
	import->has_partial_switches = true;
}

int import_switches_end(struct import *import)
{
	struct import_switch *list = import->switches.list;
	const size_t n = import->switches.n;
	uint32_t running[CPUS_MAX];
	int ret;

	vector_sort(&import->switches, compare);
	check_samples(import);
	if (!import->facts.switches)
		return 0;
	memset(running, 0xff, sizeof(running));
	find_released(list, n);
	ret = move_ends(list, n);
	name_outside(import, list, n);
	for (size_t i = 0; i < n && !ret; i++) {
		if (list[i].change >= BEGINS || list[i].tid == NOT_KNOWN)
			continue;
		ret = list[i].cpu == NOT_KNOWN ? take_slice(import, &list[i]) :
						 take_scheduled(import, running, &list[i]);
	}
	return ret;
}
