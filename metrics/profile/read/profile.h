/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a profile, each in a file of its own */
#ifndef GPMU_PROFILE_PARTS_H
#define GPMU_PROFILE_PARTS_H

#include "profile/gpmu_profile.h"
#include "profile/profile_input.h"

struct gpmu_profile {
	struct gpmu_profile_options options;
	enum gpmu_profile_key keys[GPMU_PROFILE_KEYS_MAX];
	size_t key_count;
	struct profile_input input;
	VECTOR(struct gpmu_profile_event) events;
	VECTOR(uint64_t) counts;	/* last count of each id of leader sampling */
	struct map count_numbers;	/* by id */
	struct gpmu_profile_facts facts;
	bool is_order_known;		/* @is_in_order is set */
	/* Maps, names and threads have no times: a record's time is its position in the file. */
	bool is_in_order;
	char *skipped;
};

/* --- profile_order.c */

/*
 * Returns a record of the current pass. If maps, names and threads have no times, returns a copy whose time is the
 * record's position in the file, even if the record has a time. The functions of a jitdump have times between the times
 * of two records.
 */
const struct gpmu_perfdata_record *profile_in_order(struct gpmu_profile *profile,
						    const struct gpmu_perfdata_record *record,
						    struct gpmu_perfdata_record *copy);

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
/* Counts a PERF_RECORD_SAMPLE for a profile, @user; others are ignored. Returns 0 or -ENOMEM. */
int profile_sample_take(void *user, const struct gpmu_perfdata_record *record);

/* --- profile_facts.c */

/* Sets the facts that are known after both passes. */
void profile_set_facts(struct gpmu_profile *profile);

#endif /* GPMU_PROFILE_PARTS_H */
