/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records which task runs on which CPU, from kernel rings: of the whole machine by a
 * tracepoint or, without permission for that, of the command's threads.
 */
#ifndef GPMU_RECORD_SCHED_H
#define GPMU_RECORD_SCHED_H

#include "record/recorder.h"
#include "record/sched/record_ring.h"

/*
 * Fields of the tracepoint: prev_comm, prev_pid, prev_prio, prev_state, next_comm,
 * next_pid, next_prio
 */
#define RECORD_SCHED_FIELDS	7

struct record_sched {
	struct record_rings rings;
	record_ring_take *take;		/* user data: a struct gpmu_recorder */
	struct {
		size_t offset, size;
	} fields[RECORD_SCHED_FIELDS];
};

/* Sets @error to the permission that is missing according to @ret; 0: nothing */
void record_sched_refused(int ret, const char *whose, int paranoid, struct gpmu_error *error);

/* --- record_tracepoint.c: returns 0, or -errno with @error set */
int record_tracepoint_open(struct gpmu_recorder *recorder, struct gpmu_error *error);

/* --- record_context_switch.c: likewise */
int record_context_switch_open(struct gpmu_recorder *recorder, struct gpmu_error *error);

#endif /* GPMU_RECORD_SCHED_H */
