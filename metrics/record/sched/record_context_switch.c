// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records when the command's own threads run, and on which CPU. This needs no privilege:
 * it uses the switch records (PERF_RECORD_SWITCH) of an inherited event that counts
 * nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/raw_clock.h"
#include "base/task_status.h"
#include "record/sched/record_sched.h"

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct fork_record {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* PERF_RECORD_COMM; the name takes up to 16 bytes */
struct comm_record {
	uint32_t pid, tid;
	char comm[];
};

static bool describe_fork(struct record_task *task, const char *data, size_t size, bool is_exit)
{
	struct fork_record record;

	if (size < sizeof(record))
		return false;
	memcpy(&record, data, sizeof(record));
	task->change = is_exit ? RECORD_TASK_ENDS : RECORD_TASK_FORKED;
	task->pid = (int32_t)record.pid;
	task->tid = (int32_t)record.tid;
	task->parent = (int32_t)record.ptid;
	return true;
}

static bool describe_name(struct record_task *task, const char *data, size_t size, bool is_exec)
{
	uint32_t ids[2];

	if (size < sizeof(ids))
		return false;
	memcpy(ids, data, sizeof(ids));
	task->change = is_exec ? RECORD_TASK_EXECUTES : RECORD_TASK_NAMED;
	task->pid = (int32_t)ids[0];
	task->tid = (int32_t)ids[1];
	data += offsetof(struct comm_record, comm);
	size -= offsetof(struct comm_record, comm);
	memcpy(task->comm, data,
	       strnlen(data, size < sizeof(task->comm) ? size : sizeof(task->comm) - 1));
	return true;
}

/* Records of other types are not about threads. */
static bool is_of_thread(const struct perf_event_header *header)
{
	return header->type == PERF_RECORD_SWITCH || header->type == PERF_RECORD_FORK ||
	       header->type == PERF_RECORD_EXIT || header->type == PERF_RECORD_COMM;
}

/* Describes a record, whose last bytes are @id; false if it is malformed. */
static bool describe(struct record_task *task, const struct perf_event_header *header,
		     const struct record_sample_id *id, const char *data, size_t size)
{
	task->cpu = id->cpu;
	switch (header->type) {
	case PERF_RECORD_SWITCH:
		task->pid = (int32_t)id->pid;
		task->tid = (int32_t)id->tid;
		task->change = RECORD_TASK_RUNS;
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			task->change = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ?
				     RECORD_TASK_PREEMPTED : RECORD_TASK_WAITS;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return describe_fork(task, data, size, header->type == PERF_RECORD_EXIT);
	case PERF_RECORD_COMM:
		return describe_name(task, data, size, header->misc & PERF_RECORD_MISC_COMM_EXEC);
	default:
		return false;
	}
}

static bool take(void *user, const struct record_ring *ring, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	struct record_sched *sched = user;
	struct record_task task = { .change = 0 };
	struct record_sample_id id;

	(void)ring;
	if (!is_of_thread(header))
		return true;
	if (size < sizeof(id))
		return false;
	size -= sizeof(id);
	memcpy(&id, data + size, sizeof(id));
	if (!describe(&task, header, &id, data, size))
		return false;
	record_queue_put_at(sched->reader.queue, RECORD_TASK, id.time, &task, sizeof(task));
	return true;
}

void record_context_switch_event(struct record_sched *sched, struct perf_event_attr *attr)
{
	/* Without a watermark the kernel wakes whenever half a ring is full. */
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.exclude_kernel = 1,
	};
	sched->take = take;
}

/* The CPU on which the thread has run last: field 39 of its stat, where field 2 may have blanks. */
static uint32_t cpu_of(pid_t tid)
{
	char text[1024], *cursor;

	proc_read(tid, "stat", text, sizeof(text));
	cursor = strrchr(text, ')');
	for (int field = 2; cursor && field < 39; field++)
		cursor = strchr(cursor + 1, ' ');
	return cursor ? (uint32_t)strtoul(cursor, NULL, 10) : 0;
}

static enum record_task_state state_of(char letter)
{
	if (strchr("ZXx", letter))
		return RECORD_TASK_UNKNOWN;
	return letter == 'R' ? RECORD_TASK_ACTIVE : RECORD_TASK_SLEEPS;
}

/* ns for which the thread has run; 0: not known. The kernel updates the time of a running thread at its timer's ticks. */
static uint64_t ran_of(pid_t tid)
{
	char text[128];

	proc_read(tid, "schedstat", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

void record_context_switch_check(struct record_sched *sched, pid_t tid)
{
	const struct record_task task = { .change = RECORD_TASK_CHECKED, .pid = tid, .tid = tid, .ran = ran_of(tid) };

	record_queue_put_at(sched->reader.queue, RECORD_TASK, raw_clock_now(), &task, sizeof(task));
}

bool record_context_switch_name(struct record_sched *sched, pid_t tid)
{
	struct record_task task = { .change = RECORD_TASK_NAMED, .tid = tid };
	struct task_status status;

	if (task_status_read(tid, &status))
		return false;
	task.pid = status.pid;
	task.state = state_of(status.state);
	memcpy(task.comm, status.comm, sizeof(task.comm));
	task.cpu = cpu_of(tid);
	task.ran = ran_of(tid);
	record_queue_put_at(sched->reader.queue, RECORD_TASK, raw_clock_now(), &task, sizeof(task));
	return task.state == RECORD_TASK_ACTIVE;
}
