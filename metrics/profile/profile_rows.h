/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples counted by a tuple of keys, in a hash table */
#ifndef GPMU_PROFILE_ROWS_H
#define GPMU_PROFILE_ROWS_H

#include <stdint.h>

#include "base/vector.h"
#include "profile/gpmu_profile.h"

/* @keys: values, whose texts profile_key_text() makes; unused ones are 0. 64 bytes, as there are many */
struct profile_row {
	uint32_t keys[GPMU_PROFILE_KEYS_MAX];
	uint32_t event, latency_max;
	uint64_t samples, period, latency, latency_samples;
};

/* Zeroed: empty */
struct profile_rows {
	struct vector list;	/* struct profile_row */
	uint32_t *slots;	/* index in the list, plus 1; 0: free */
	size_t room;		/* of slots: a power of 2, or 0 */
};

/* Adds the counts of a row to those of the row with its event and keys. Returns 0 or -ENOMEM. */
int profile_rows_add(struct profile_rows *rows, const struct profile_row *row);
void profile_rows_release(struct profile_rows *rows);

#endif /* GPMU_PROFILE_ROWS_H */
