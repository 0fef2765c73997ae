// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads and their tracks. A track has the last name of its thread; instants show when the thread got it. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/gpmu_outside.h"
#include "import/import.h"

#define MISC_EXEC	(1U << 13)	/* PERF_RECORD_MISC_COMM_EXEC */

const char *import_name(const struct import *import, uint32_t tid, uint64_t time)
{
	const char *name = gpmu_outside_name(tid);

	return name ? name : profile_tasks_name(&import->input.tasks, tid, time);
}

static const char *last_name(const struct import *import, uint32_t tid)
{
	return import_name(import, tid, UINT64_MAX - 1);
}

/* The idle task and threads that had ended have no number of their own. */
static int add_track(struct import *import, uint32_t pid, uint32_t tid)
{
	int ret;

	if (!tid || tid > INT_MAX)
		return gpmu_trace_track(import->trace, 0, tid ? "[unknown]" : "idle");
	if (!pid || pid > INT_MAX)
		pid = tid;
	ret = gpmu_trace_process(import->trace, (pid_t)pid, last_name(import, pid));
	if (ret > 0)
		ret = gpmu_trace_thread(import->trace, (pid_t)pid, (pid_t)tid, last_name(import, tid));
	import->facts.threads += ret > 0 && !gpmu_outside_name(tid);
	return ret;
}

struct import_thread *import_thread(struct import *import, uint32_t pid, uint32_t tid, int *ret)
{
	uint64_t key = tid && tid <= INT_MAX ? (uint64_t)pid << 32 | tid : tid != 0;
	struct import_thread *thread = vector_element(&import->threads, &import->thread_numbers, key);

	*ret = -ENOMEM;
	if (!thread)
		return NULL;
	if (!thread->track)
		*thread = (struct import_thread){
			.pid = pid, .tid = tid, .since = IMPORT_NO_TIME, .track = add_track(import, pid, tid),
		};
	*ret = thread->track < 0 ? thread->track : 0;
	return thread->track < 0 ? NULL : thread;
}

struct import_thread *import_record_thread(struct import *import, const struct gpmu_perfdata_record *record, int *ret)
{
	const bool is_task = record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT;

	if (profile_tasks_is_outside(record)) {
		import->has_outside = true;
		return import_thread(import, GPMU_OUTSIDE_NUMBER, GPMU_OUTSIDE_NUMBER, ret);
	}
	return import_thread(import, is_task ? record->task.pid : record->pid, is_task ? record->task.tid : record->tid, ret);
}

int import_track(struct import *import, const struct import_thread *thread, int *track, const char *name)
{
	int ret = *track ? 0 : gpmu_trace_track(import->trace, thread->track, name);

	if (ret > 0)
		*track = ret;
	return ret < 0 ? ret : *track;
}

static int put(struct import *import, const struct import_thread *thread, uint64_t time, const char *name,
	       const struct gpmu_trace_arg *arg)
{
	const struct gpmu_trace_event event = {
		.size = sizeof(event), .track = thread->track, .time = time, .name = name, .category = "task", .args = arg,
		.arg_count = arg != NULL,
	};

	return gpmu_trace_instant(import->trace, &event);
}

static int put_comm(struct import *import, const struct import_thread *thread, uint64_t time,
		    const struct gpmu_perfdata_record *record)
{
	const struct gpmu_trace_arg name = { .name = "name", .kind = GPMU_TRACE_NAME, .text = record->comm };

	return put(import, thread, time, record->misc & MISC_EXEC ? "exec" : "name", &name);
}

int import_task(struct import *import, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_trace_arg parent = { .name = "parent", .integer = record->task.ptid };
	struct import_thread *thread;
	uint64_t time;
	int ret;

	thread = import_record_thread(import, record, &ret);
	if (!thread)
		return ret;
	if (!import_task_time(import, record, &time))
		return 0;
	switch (record->type) {
	case PERF_RECORD_COMM:
		return put_comm(import, thread, time, record);
	case PERF_RECORD_FORK:
		return put(import, thread, time, "fork", &parent);
	default:
		return put(import, thread, time, "exit", NULL);
	}
}
