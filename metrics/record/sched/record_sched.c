// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
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
static int open_tasks(struct gpmu_recorder *recorder, const struct gpmu_error *why,
		      struct gpmu_error *error)
{
	int ret;

	record_rings_release(&recorder->sched->rings);
	ret = record_context_switch_open(recorder, error);
	if (ret)
		return ret;
	recorder->sched_note = text_print("of scheduling only the command's own threads are recorded; %s",
					why->text);
	if (!recorder->sched_note) {
		error_set(error, 0, "no memory");
		return -ENOMEM;
	}
	log_line(GPMU_LOG_WARNING, "%s", recorder->sched_note);
	return 0;
}

int record_sched_open(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct gpmu_error why = { .text = "no memory" };
	int ret = -ENOMEM;

	recorder->sched = calloc(1, sizeof(*recorder->sched));
	if (recorder->sched)
		ret = record_tracepoint_open(recorder, &why);
	if (ret && ret != -ENOMEM && recorder->pid)
		return open_tasks(recorder, &why, error);
	if (ret)
		error_set(error, 0, "%s", why.text);
	return ret;
}

void record_sched_release(struct gpmu_recorder *recorder)
{
	if (recorder->sched)
		record_rings_release(&recorder->sched->rings);
	free(recorder->sched);
	recorder->sched = NULL;
}

/* Queues the number of records lost since @known; returns the current total. */
static uint64_t put_lost(struct gpmu_recorder *recorder, uint64_t known, bool last)
{
	const uint64_t lost = record_rings_lost(&recorder->sched->rings, last), more = lost - known;
	struct record_item item = { .kind = RECORD_LOST };

	if (more)
		record_queue_put(&recorder->queues[RECORDER_SCHED], &item, &more, sizeof(more));
	return lost;
}

void *record_sched_run(void *data)
{
	struct gpmu_recorder *recorder = data;
	uint64_t lost = 0;
	bool last = false;

	while (!last) {
		struct record_item mark = { .kind = RECORD_MARK };

		last = atomic_load(&recorder->ending);
		mark.begin = raw_clock_now() - ON_ITS_WAY;
		record_rings_drain(&recorder->sched->rings, recorder->sched->take, recorder);
		lost = put_lost(recorder, lost, last);
		if (record_queue_has_room(&recorder->queues[RECORDER_SCHED], 0))
			record_queue_put(&recorder->queues[RECORDER_SCHED], &mark, NULL, 0);
		if (!last)
			poll(NULL, 0, LOOK_EACH);
	}
	return NULL;
}
