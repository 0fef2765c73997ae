// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records when the command's own threads run, and on which CPU. This needs no privilege:
 * it uses the switch records (PERF_RECORD_SWITCH) of an inherited event that counts
 * nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "record/sched/record_sched.h"

#define RING	(256u << 10) /* bytes; the default limit of locked memory is 516 KiB for each CPU */

/* Behind each record because of sample_id_all */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

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

static bool describe_fork(struct record_task *task, const char *data, size_t size, bool ends)
{
	struct fork_record of;

	if (size < sizeof(of))
		return false;
	memcpy(&of, data, sizeof(of));
	task->change = ends ? RECORD_TASK_ENDS : RECORD_TASK_FORKED;
	task->pid = (int32_t)of.pid;
	task->tid = (int32_t)of.tid;
	task->parent = (int32_t)of.ptid;
	return true;
}

static bool describe_name(struct record_task *task, const char *data, size_t size, bool executes)
{
	uint32_t ids[2];

	if (size < sizeof(ids))
		return false;
	memcpy(ids, data, sizeof(ids));
	task->change = executes ? RECORD_TASK_EXECUTES : RECORD_TASK_NAMED;
	task->pid = (int32_t)ids[0];
	task->tid = (int32_t)ids[1];
	data += offsetof(struct comm_record, comm);
	size -= offsetof(struct comm_record, comm);
	memcpy(task->comm, data, strnlen(data, size < sizeof(task->comm) ? size : sizeof(task->comm) - 1));
	return true;
}

/* Describes a record, whose last bytes are @id; false if it is not about a thread. */
static bool describe(struct record_task *task, const struct perf_event_header *header,
		     const struct sample_id *id, const char *data, size_t size)
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

static void take(void *user, const struct record_ring *ring, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	struct record_sched *sched = user;
	struct record record = { .type = RECORD_TASK };
	struct record_task task = { .change = 0 };
	struct sample_id id;

	(void)ring;
	if (size < sizeof(id))
		return;
	size -= sizeof(id);
	memcpy(&id, data + size, sizeof(id));
	record.begin = record.end = id.time;
	if (describe(&task, header, &id, data, size))
		record_queue_put(sched->queue, &record, &task, sizeof(task));
}

int record_context_switch_open(struct record_sched *sched, struct gpmu_error *error)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = INT32_MAX,
		.disabled = 1,
	};
	int ret;

	sched->take = take;
	ret = record_rings_open(&sched->rings, sched->machine, &attr, sched->pid, RING);
	record_sched_refused(ret, "the command", 2, error);
	return ret;
}
