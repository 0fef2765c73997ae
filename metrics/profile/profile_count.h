/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts samples by keys, with caches of the functions, data and threads that were found. */
#ifndef GPMU_PROFILE_COUNT_H
#define GPMU_PROFILE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_code.h"
#include "profile/profile_machine.h"
#include "profile/profile_stack.h"

#define PROFILE_NO_TID	UINT32_MAX

/* A sample; times of UINT64_MAX are not known. @tier, @home, @op: numbers of texts, plus 1; 0: none */
struct profile_sample {
	uint32_t event, cpu, tid, pid;	/* UINT32_MAX: not known; a @pid that is not known is that of @tid */
	int node;			/* of the CPU */
	uint64_t time, ip, data, period;
	bool has_ip, is_kernel, has_data, has_latency;
	bool is_outside;		/* of a task outside the PID namespace of the recording */
	uint32_t latency;
	uint32_t tier, home, op;
	const uint64_t *chain;		/* call stack from the innermost frame on, with PERF_CONTEXT_ marks; or NULL */
	size_t chain_count;
};

/* --- rows: samples counted by a tuple of keys, in a hash table */

/* @keys: values, whose texts profile_key_text() makes; unused ones are 0. 64 bytes, as there are many */
struct profile_row {
	uint32_t keys[GPMU_PROFILE_KEYS_MAX];
	uint32_t event, latency_max;
	uint64_t samples, period, latency, latency_samples;
};

/* Zeroed: empty */
struct profile_rows {
	struct profile_row *list;
	size_t n;
	uint32_t *slots;	/* index in the list, plus 1; 0: free */
	size_t room;		/* of slots: a power of 2, or 0 */
};

/* Adds the counts of a row to those of the row with its event and keys. Returns 0 or -ENOMEM. */
int profile_rows_add(struct profile_rows *rows, const struct profile_row *row);
void profile_rows_release(struct profile_rows *rows);

/* --- the counter */

struct profile_counter {
	struct profile_code *code;
	const struct profile_tasks *tasks;
	const enum gpmu_profile_key *keys;
	size_t key_count;
	uint32_t wanted;		/* bit for each key */
	VECTOR(uint64_t) changes;	/* sorted times at which maps or names changed */
	uint64_t since, until;		/* no change after the first up to the last */
	uint32_t epoch;			/* number of changes until @since, plus 1 */
	struct profile_rows rows;
	struct place_slot *places;
	struct data_slot *data;
	VECTOR(uint64_t) pages;		/* addresses */
	struct map page_numbers;	/* index in these */
	struct profile_stacks stacks;
	struct who_slot *whos;
	uint64_t no_thread, outside;	/* samples */
};

/* Returns 0 or -ENOMEM; to be released in both cases. */
int profile_counter_init(struct profile_counter *counter);
/* Takes the time of a record that changes maps or names. Returns 0 or -ENOMEM. */
int profile_counter_add(struct profile_counter *counter, const struct gpmu_perfdata_record *record);
/* Ends adding. */
void profile_counter_begin(struct profile_counter *counter);
/* Returns 0 or -ENOMEM. */
int profile_count(struct profile_counter *counter, const struct profile_sample *sample);
void profile_counter_release(struct profile_counter *counter);

/* Text of a key's value in a row, to be freed; NULL: the key does not apply, or out of memory */
char *profile_key_text(const struct profile_counter *counter, enum gpmu_profile_key key, uint32_t value);

#endif /* GPMU_PROFILE_COUNT_H */
