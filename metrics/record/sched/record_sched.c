// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "record/sched/record_sched.h"

#define LOOK_EACH	10	/* ms */
#define ON_ITS_WAY	1000000	/* ns after which an event has reached the ring */

void record_sched_refused(int ret, const char *whose, int paranoid, struct gpmu_error *error)
{
	char why[96];

	if (ret == -EACCES || ret == -EPERM)
		error_set(error, 0, "scheduling of %s takes CAP_PERFMON, or the sysctl "
			  "kernel.perf_event_paranoid at %d", whose, paranoid);
	else if (ret == -ENOBUFS)
		error_set(error, 0, "scheduling of %s takes more memory for its rings than ulimit -l and the "
			  "sysctl kernel.perf_event_mlock_kb allow", whose);
	else if (ret)
		error_set(error, 0, "scheduling of %s cannot be recorded: %s", whose,
			  strerror_r(-ret, why, sizeof(why)));
}

/*
 * Falls back to the command's threads; @why names the permission that the whole machine
 * needs.
 */
static int open_tasks(struct record_sched *sched, const struct gpmu_error *why,
		      struct gpmu_error *error)
{
	int ret;

	record_rings_release(&sched->rings);
	ret = record_context_switch_open(sched, error);
	if (ret)
		return ret;
	sched->note = text_print("of scheduling only the command's own threads are recorded; %s",
				 why->text);
	if (!sched->note) {
		error_set(error, 0, "no memory");
		return -ENOMEM;
	}
	log_line(GPMU_LOG_WARNING, "%s", sched->note);
	return 0;
}

int record_sched_open(struct record_sched *sched, struct gpmu_error *error)
{
	struct gpmu_error why = { .text = "no memory" };
	int ret = record_tracepoint_open(sched, &why);

	if (ret && ret != -ENOMEM && sched->pid)
		return open_tasks(sched, &why, error);
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

/* Queues the number of records lost since @known; returns the current total. */
static uint64_t put_lost(struct record_sched *sched, uint64_t known, bool last)
{
	const uint64_t lost = record_rings_lost(&sched->rings, last), more = lost - known;
	struct record record = { .type = RECORD_LOST };

	if (more)
		record_queue_put(sched->queue, &record, &more, sizeof(more));
	return lost;
}

void *record_sched_run(void *data)
{
	struct record_sched *sched = data;
	uint64_t lost = 0;
	bool last = false;

	while (!last) {
		struct record mark = { .type = RECORD_MARK };

		last = atomic_load(sched->ending);
		mark.begin = raw_clock_now() - ON_ITS_WAY;
		record_rings_drain(&sched->rings, sched->take, sched);
		lost = put_lost(sched, lost, last);
		if (record_queue_has_room(sched->queue, 0))
			record_queue_put(sched->queue, &mark, NULL, 0);
		if (!last)
			poll(NULL, 0, LOOK_EACH);
	}
	return NULL;
}
