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
static int open_tasks(struct gpmu_record *record, const struct gpmu_error *why,
		      struct gpmu_error *error)
{
	int ret;

	record_rings_release(&record->sched->rings);
	ret = record_context_switch_open(record, error);
	if (ret)
		return ret;
	record->sched_note = text_print("of scheduling only the command's own threads are recorded; %s",
					why->text);
	if (!record->sched_note) {
		error_set(error, 0, "no memory");
		return -ENOMEM;
	}
	log_line(GPMU_LOG_WARNING, "%s", record->sched_note);
	return 0;
}

int record_sched_open(struct gpmu_record *record, struct gpmu_error *error)
{
	struct gpmu_error why = { .text = "no memory" };
	int ret = -ENOMEM;

	record->sched = calloc(1, sizeof(*record->sched));
	if (record->sched)
		ret = record_tracepoint_open(record, &why);
	if (ret && ret != -ENOMEM && record->pid)
		return open_tasks(record, &why, error);
	if (ret)
		error_set(error, 0, "%s", why.text);
	return ret;
}

void record_sched_release(struct gpmu_record *record)
{
	if (record->sched)
		record_rings_release(&record->sched->rings);
	free(record->sched);
	record->sched = NULL;
}

/* Queues the number of records lost since @known; returns the current total. */
static uint64_t put_lost(struct gpmu_record *record, uint64_t known, bool last)
{
	const uint64_t lost = record_rings_lost(&record->sched->rings, last), more = lost - known;
	struct record_item item = { .kind = RECORD_LOST };

	if (more)
		record_queue_put(&record->queues[RECORD_SCHED], &item, &more, sizeof(more));
	return lost;
}

void *record_sched_run(void *data)
{
	struct gpmu_record *record = data;
	uint64_t lost = 0;
	bool last = false;

	while (!last) {
		struct record_item mark = { .kind = RECORD_MARK };

		last = atomic_load(&record->ending);
		mark.begin = raw_clock_now() - ON_ITS_WAY;
		record_rings_drain(&record->sched->rings, record->sched->take, record);
		lost = put_lost(record, lost, last);
		if (record_queue_has_room(&record->queues[RECORD_SCHED], 0))
			record_queue_put(&record->queues[RECORD_SCHED], &mark, NULL, 0);
		if (!last)
			poll(NULL, 0, LOOK_EACH);
	}
	return NULL;
}
