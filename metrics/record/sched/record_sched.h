/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who runs on which CPU, from rings of the kernel: of the whole machine by a tracepoint, or, where
 * that may not be, of the command's own threads.
 */
#ifndef GPMU_RECORD_SCHED_H
#define GPMU_RECORD_SCHED_H

#include "record/record.h"
#include "record/sched/record_ring.h"

/* prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio of the tracepoint */
#define RECORD_SCHED_FIELDS	7

struct record_sched {
	struct record_rings rings;
	record_ring_take *take;		/* of a struct gpmu_record */
	struct {
		size_t offset, size;
	} fields[RECORD_SCHED_FIELDS];
};

/* Says in @error what it takes that was refused by @ret; 0: nothing */
void record_sched_refused(int ret, const char *whose, int paranoid, struct gpmu_error *error);

/* --- record_tracepoint.c: 0 or -errno, and what it takes in @error */
int record_tracepoint_open(struct gpmu_record *record, struct gpmu_error *error);

/* --- record_context_switch.c: likewise */
int record_context_switch_open(struct gpmu_record *record, struct gpmu_error *error);

#endif /* GPMU_RECORD_SCHED_H */
