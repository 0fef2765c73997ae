// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/raw_clock.h"
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
#define DRAIN_EACH	10	/* ms */
#define DELAY		1000000	/* ns after which an event has reached the ring */

/*
 * Sets @error to the reason of @ret. @whose: the tasks that the rings record; @paranoid: the
 * largest value of kernel.perf_event_paranoid that allows the rings
 */
static int refuse(int ret, const char *whose, int paranoid, struct gpmu_error *error)
{
	if (ret == -EACCES || ret == -EPERM)
		error_set(error, 0, "scheduling of %s requires CAP_PERFMON, or the sysctl "
			  "kernel.perf_event_paranoid at %d or less", whose, paranoid);
	else if (ret == -ENOBUFS)
		error_set(error, 0, "the rings for scheduling of %s exceed the limit of locked "
			  "memory: raise ulimit -l or the sysctl kernel.perf_event_mlock_kb", whose);
	else if (ret == -EMFILE)
		error_set(error, 0, "scheduling of %s requires a file descriptor for each CPU and each "
			  "existing thread: raise ulimit -n", whose);
	else
		error_set(error, 0, "scheduling of %s cannot be recorded: %s", whose,
			  error_text(-ret));
	return ret;
}

/* Keeps the tracepoint's tids apart from those of this process's PID namespace, if that is not the initial one. */
static int shift_numbers(struct record_sched *sched, struct gpmu_error *error)
{
	if (task_status_is_initial())
		return 0;
	sched->shift = RECORD_SCHED_SHIFT;
	sched->note = text_print("sched: this process is in another PID namespace than the initial one: threads on CPUs have their "
				 "initial numbers plus %d", RECORD_SCHED_SHIFT);
	if (!sched->note)
		return error_no_memory(error);
	log_line(GPMU_LOG_WARNING, "%s", sched->note);
	return 0;
}

static int open_machine(struct record_sched *sched, struct gpmu_error *error)
{
	struct perf_event_attr attr;
	int ret = record_tracepoint_event(sched, &attr, error);

	if (ret)
		return ret;
	ret = record_rings_open(&sched->rings, sched->machine, &attr, NULL, 0, FULL_RING);
	return ret ? refuse(ret, "the whole machine", -1, error) : shift_numbers(sched, error);
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
	ret = record_rings_open(&sched->rings, sched->machine, &attr, sched->tids, sched->tid_count,
				command_ring(sched));
	for (size_t i = 0; !ret && i < sched->tid_count; i++) {
		const pid_t tid = sched->tids[i];

		if (!record_context_switch_name(sched, tid))
			continue;
		sched->tids[i] = sched->tids[sched->active_count];
		sched->tids[sched->active_count++] = tid;
	}
	return ret ? refuse(ret, "the command", 2, error) : 0;
}

/* Records the command's threads. @why: the permission that the whole machine needs */
static int fall_back(struct record_sched *sched, const struct gpmu_error *why,
		     struct gpmu_error *error)
{
	int ret;

	record_rings_release(&sched->rings);
	ret = open_command(sched, error);
	if (ret)
		return ret;
	sched->note = text_print("scheduling is recorded for the command's own threads only: %s",
				 why->text);
	if (!sched->note)
		return error_no_memory(error);
	log_line(GPMU_LOG_WARNING, "%s", sched->note);
	return 0;
}

/* Records the command's threads; a refusal is only a note, because no option requests them. */
static int open_own(struct record_sched *sched, struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = open_command(sched, &why);

	if (!ret)
		return 0;
	record_rings_release(&sched->rings);
	sched->note = text_print("the command's threads are not recorded: %s", why.text);
	if (!sched->note)
		return error_no_memory(error);
	log_line(GPMU_LOG_WARNING, "%s", sched->note);
	return 0;
}

int record_sched_open(struct record_sched *sched, struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why), .text = ERROR_NO_MEMORY };
	int ret;

	if (sched->own)
		return open_own(sched, error);
	ret = open_machine(sched, &why);
	if (ret && ret != -ENOMEM && sched->tid_count)
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
	free(sched->tids);
	sched->tids = NULL;
	sched->tid_count = 0;
}

void *record_sched_run(void *data)
{
	struct record_sched *sched = data;
	uint64_t lost[RECORD_KERNEL_REASONS] = { 0 };
	bool last = false;

	while (!last) {
		struct record mark = { .type = RECORD_MARK };

		last = atomic_load(sched->ending);
		mark.begin = raw_clock_now() - DELAY;
		record_rings_drain(&sched->rings, sched->take, sched);
		for (size_t i = 0; last && i < sched->active_count; i++)
			record_context_switch_check(sched, sched->tids[i]);
		record_rings_put_lost(&sched->rings, sched->queue, lost, last);
		if (record_queue_has_room(sched->queue, 0))
			record_queue_put(sched->queue, &mark, NULL, 0);
		if (!last)
			record_rings_wait(&sched->rings, DRAIN_EACH);
	}
	return NULL;
}
