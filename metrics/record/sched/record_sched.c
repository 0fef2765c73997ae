// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/task_status.h"
#include "base/text/text.h"
#include "record/sched/record_sched.h"

/*
 * Bytes of a ring, powers of 2 and multiples of a page on kernels with pages of 4, 16 and 64 KiB. While all CPUs are
 * busy, the thread that drains the rings may wait tens of milliseconds for one, and 16 threads that switch all the time
 * write 64 KiB in 10 ms. By default all recordings of a user together can lock 512 KiB and a page for each CPU: smaller
 * rings leave memory for the user's next recording, and for the other ranks on the machine.
 */
#define FULL_RING	(512u << 10)
#define SHARED_RING	(256u << 10)
#define RANK_RING	(64u << 10)

#define MACHINE		"scheduling of the whole machine"
#define COMMAND		"scheduling of the command"

static int refuse(int ret, const char *what, const char *rings, const char *paranoid, struct gpmu_error *error)
{
	if (!record_rings_refuse(ret, what, rings, paranoid, error))
		error_set(error, 0, "%s cannot be recorded: %s", what, error_text(-ret));
	return ret;
}

/* Keeps a text for the audit, and logs it. NULL: out of memory */
static int keep_note(struct record_sched *sched, char *note, struct gpmu_error *error)
{
	sched->note = note;
	if (!note)
		return error_no_memory(error);
	log_line(GPMU_LOG_WARNING, "%s", note);
	return 0;
}

/* Keeps the tracepoint's tids apart from those of this process's PID namespace, if that is not the initial one. */
static int shift_numbers(struct record_sched *sched, struct gpmu_error *error)
{
	if (task_status_is_initial())
		return 0;
	sched->shift = RECORD_SCHED_SHIFT;
	return keep_note(sched, text_print("sched: this process is in another PID namespace than the initial one: threads on CPUs "
					   "have their initial numbers plus %d", RECORD_SCHED_SHIFT), error);
}

static int open_machine(struct record_sched *sched, struct gpmu_error *error)
{
	const struct record_reader all = { .machine = sched->reader.machine };
	struct perf_event_attr attr;
	int ret = record_tracepoint_event(sched, &attr, error);

	if (ret)
		return ret;
	ret = record_rings_open(&sched->rings, &all, &attr, FULL_RING);
	return ret ? refuse(ret, MACHINE, "the rings for " MACHINE, "-1 or less", error) : shift_numbers(sched, error);
}

/* Returns whether ulimit -l allows full rings, without the memory that all recordings of the user share. */
static bool locks_full_rings(void)
{
	const uint64_t each = FULL_RING + (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	return !geteuid() || (!getrlimit(RLIMIT_MEMLOCK, &limit) &&
			      limit.rlim_cur / each >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
}

static size_t command_ring(const struct record_sched *sched)
{
	if (sched->is_rank)
		return RANK_RING;
	return locks_full_rings() ? FULL_RING : SHARED_RING;
}

static int open_command(struct record_sched *sched, struct gpmu_error *error)
{
	struct perf_event_attr attr;
	int ret;

	record_context_switch_event(sched, &attr);
	ret = record_rings_open(&sched->rings, &sched->reader, &attr, command_ring(sched));
	for (size_t i = 0; !ret && i < sched->reader.tid_count; i++) {
		const pid_t tid = sched->reader.tids[i];

		if (!record_context_switch_name(sched, tid))
			continue;
		sched->reader.tids[i] = sched->reader.tids[sched->active_count];
		sched->reader.tids[sched->active_count++] = tid;
	}
	return ret ? refuse(ret, COMMAND, "the rings for " COMMAND, "2 or less", error) : 0;
}

/* Records the command's threads. @why: the permission that the whole machine needs */
static int fall_back(struct record_sched *sched, const struct gpmu_error *why,
		     struct gpmu_error *error)
{
	int ret;

	record_rings_release(&sched->rings);
	ret = open_command(sched, error);
	return ret ? ret : keep_note(sched, text_print("scheduling is recorded for the command's own threads only: %s",
						       why->text), error);
}

/* Records the command's threads; a refusal is only a note, because no option requests them. */
static int open_own(struct record_sched *sched, struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = open_command(sched, &why);

	if (!ret)
		return 0;
	record_rings_release(&sched->rings);
	return keep_note(sched, text_print("the command's threads are not recorded: %s", why.text), error);
}

int record_sched_open(struct record_sched *sched, struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why), .text = ERROR_NO_MEMORY };
	int ret;

	if (sched->is_own)
		return open_own(sched, error);
	ret = open_machine(sched, &why);
	if (ret && ret != -ENOMEM && sched->reader.tid_count)
		return fall_back(sched, &why, error);
	if (ret)
		error_set(error, 0, "%s", why.text);
	return ret;
}

void record_sched_release(struct record_sched *sched)
{
	record_rings_release(&sched->rings);
	free(sched->note);
	sched->note = NULL;
}

/* Queues for how long threads that may run have run. */
static void check_active(void *user)
{
	struct record_sched *sched = user;

	for (size_t i = 0; i < sched->active_count; i++)
		record_context_switch_check(sched, sched->reader.tids[i]);
}

void *record_sched_run(void *data)
{
	struct record_sched *sched = data;

	record_rings_run(&sched->rings, &sched->reader, sched->take, check_active, sched);
	return NULL;
}
