/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a profile, each in a file of its own */
#ifndef GPMU_PROFILE_PARTS_H
#define GPMU_PROFILE_PARTS_H

#include "profile/gpmu_profile.h"
#include "profile/profile_count.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_traces.h"
#include "profile/profile_unwind.h"

struct gpmu_profile {
	struct gpmu_profile_options options;
	enum gpmu_profile_key keys[GPMU_PROFILE_KEYS_MAX];
	size_t key_count;
	struct gpmu_perfdata *perfdata;
	struct profile_tasks tasks;
	struct profile_machine machine;
	struct strings texts;
	struct profile_code code;
	struct profile_counter counter;
	struct profile_traces traces;
	struct profile_jitdumps jitdumps;
	struct profile_unwind unwind;
	struct profile_deferred deferred;
	struct vector events;		/* struct gpmu_profile_event */
	struct vector counts;		/* uint64_t: last count of each id of leader sampling */
	struct map count_numbers;	/* by id */
	struct gpmu_profile_facts facts;
	uint64_t size;			/* of the file; 0: not known */
	bool knows_order;		/* @is_in_order is set */
	/* Maps, names and threads have no times: a record's time is its position in the file. */
	bool is_in_order;
	char *skipped;
	uint64_t stopped;		/* record at which progress() ended reading; 0: none */
};

/* --- profile_pass.c */

#define PROFILE_STOPPED	1	/* progress() or waiting() has ended the read */

typedef int profile_take(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record);

/* Calls progress(). Returns 0 or PROFILE_STOPPED. */
int profile_progress(const struct gpmu_profile *profile, uint64_t done, uint64_t total);
/* Reads all records. Returns 0, PROFILE_STOPPED, or -errno. */
int profile_pass(struct gpmu_profile *profile, profile_take *take, struct gpmu_error *error);

/* --- profile_event.c: the events, and the one that SPE's records are counted by */

/* Lists and names the events after the first pass. Returns 0 or -ENOMEM. */
int profile_events_begin(struct gpmu_profile *profile);
/* Counts a sample for its event. Returns 0 or -ENOMEM. */
int profile_event_count(struct gpmu_profile *profile, const struct profile_sample *sample);
/* Counts the records of SPE for their event. */
void profile_event_count_spe(struct gpmu_profile *profile);

/* --- profile_sample.c */

/* Returns whether the caller has selected a key. */
bool profile_is_selected(const struct gpmu_profile *profile, enum gpmu_profile_key key);
/* Counts a PERF_RECORD_SAMPLE; others are ignored. Returns 0 or -ENOMEM. */
int profile_sample_take(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record);

/* --- profile_facts.c */

/* Sets the facts that are known after both passes. */
void profile_set_facts(struct gpmu_profile *profile);

#endif /* GPMU_PROFILE_PARTS_H */
