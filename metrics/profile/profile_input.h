/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording that is read twice, for tables or a timeline: threads, maps and AUX buffers first, then samples. */
#ifndef GPMU_PROFILE_INPUT_H
#define GPMU_PROFILE_INPUT_H

#include "profile/profile_jitdump.h"
#include "profile/profile_traces.h"
#include "profile/profile_unwind.h"

#define PROFILE_STOPPED	1	/* progress() or waiting() has ended the read */

/*
 * @progress, @user: as in struct gpmu_profile_options. @has_spe: the AUX buffers are from SPE. @is_foreign: they are
 * from another PMU
 */
struct profile_input {
	int (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
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
	struct gpmu_perfdata_stats stats;	/* after the second pass */
	uint64_t size;			/* of the file; 0: not known */
	uint64_t number;		/* of the record that is taken, from 1 in each pass */
	uint64_t stopped;		/* number of the record at which progress() ended reading; 0: none */
	bool has_spe, is_foreign;
	bool is_damaged, is_stopped;	/* a part of the recording cannot be read, or was not read */
};

/* Takes a record. Returns 0 or -errno. */
typedef int profile_take(void *user, const struct gpmu_perfdata_record *record);

/* Connects the parts of a zeroed struct. */
void profile_input_init(struct profile_input *input);
/* Opens a recording. Returns 0 or -errno. */
int profile_input_open(struct profile_input *input, const char *path, struct gpmu_error *error);
/* Adds a record of the first pass. Returns 0 or -ENOMEM. */
int profile_input_add(struct profile_input *input, const struct gpmu_perfdata_record *record);
/* Reads all records, up to damage or a stop, which it notes. Only the first damage sets @error. Returns 0 or -errno. */
int profile_input_pass(struct profile_input *input, profile_take *take, void *user, struct gpmu_error *error);
/*
 * Ends the first pass. @event: as for profile_jitdumps_read(). @take_jit: takes a map of a function that was made by a
 * just-in-time compiler. Returns 0 or -ENOMEM.
 */
int profile_input_begin(struct profile_input *input, const struct gpmu_perfdata_event *event, profile_take *take_jit,
			void *user);
/* Reads the records for the second time, then the AUX buffers of SPE. Returns as profile_input_pass(). */
int profile_input_read(struct profile_input *input, profile_take *take, void *user, struct gpmu_error *error);
void profile_input_release(struct profile_input *input);

/* Returns whether the address of a sample is a guest's, or the kernel's. */
bool profile_is_guest(const struct gpmu_perfdata_record *record);
bool profile_is_kernel(const struct gpmu_perfdata_record *record);
/* Number of events that a sample stands for */
uint64_t profile_period(const struct gpmu_perfdata_record *record);
/*
 * Finds the call chain, with PERF_CONTEXT_ marks. It is in the record or in @unwound, or valid until the next call.
 * Returns 0 or -ENOMEM.
 */
int profile_chain(struct profile_input *input, const struct gpmu_perfdata_record *record,
		  uint64_t unwound[PROFILE_UNWIND_CHAIN], const uint64_t **chain, size_t *count);

#endif /* GPMU_PROFILE_INPUT_H */
