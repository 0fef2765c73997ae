/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The AUX buffers of SPE: decodes and counts their records. */
#ifndef GPMU_PROFILE_TRACES_H
#define GPMU_PROFILE_TRACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"
#include "profile/profile_count.h"

#define PROFILE_LABELS	32	/* data sources, and nodes, whose texts are kept */

/* Takes a record instead of the counter. Returns 0 or -errno. */
typedef int (*profile_taker)(void *user, const struct gpmu_spe_record *record, const struct profile_sample *sample);

/* Where an AUX record begins. Sorted by buffer, then by offset */
struct profile_aux {
	uint64_t buffer, offset;
	uint32_t tid;
};

/* A thread that runs on a CPU from a time on */
struct profile_switch {
	uint64_t time;
	uint32_t cpu, tid;
};

struct profile_traces {
	struct profile_counter *counter;
	profile_taker taker;		/* NULL: records are counted */
	void *user;			/* of @taker */
	const struct profile_machine *machine;
	struct profile_code *code;
	VECTOR(struct gpmu_perfdata_auxtrace) parts;
	VECTOR(struct profile_aux) auxes;
	VECTOR(struct profile_switch) switches;
	struct map ops;			/* numbers of the texts of operations, plus 1 */
	/* Likewise of tiers and homes, by small numbers; 0: not known yet */
	uint32_t tiers[GPMU_SPE_TIERS][PROFILE_LABELS], homes[GPMU_SPE_HOMES][PROFILE_LABELS];
	bool is_per_thread;		/* a buffer for each thread, not CPU */
	bool is_snapshot;		/* parts overlap */
	uint32_t event;			/* of the records */
	bool has_times;			/* times of records are those of perf's clock */
	struct gpmu_perfdata_time_conv conv;
	struct gpmu_spe_stats stats;
	uint64_t bytes, done;		/* of all parts; of these, those decoded */
	uint64_t samples, memory, physical, outside;
	uint64_t repeated, untimed;	/* of snapshots: records of earlier ones, not counted; records without a time stamp */
};

/* Takes AUXTRACE, AUX and SWITCH records; others are ignored. Returns 0 or -ENOMEM. */
int profile_traces_add(struct profile_traces *traces, const struct gpmu_perfdata_record *record);
/*
 * Decodes all buffers. @progress is called with @user after each chunk. Returns 0; a result of @progress other
 * than 0; or -errno, with @error set.
 */
int profile_traces_read(struct profile_traces *traces, struct gpmu_perfdata *perfdata,
			int (*progress)(void *user, const struct profile_traces *traces), void *user,
			struct gpmu_error *error);
void profile_traces_release(struct profile_traces *traces);

#endif /* GPMU_PROFILE_TRACES_H */
