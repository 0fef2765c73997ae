/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of one region, added up over sessions of the same plan. */
#ifndef GPMU_REGION_SUM_H
#define GPMU_REGION_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "values/counts.h"

/* Zeroed: empty */
struct region_sum {
	uint64_t visits, time, user, system;
	const char *times_why;	/* as in struct gpmu_counts; borrowed from a session */
	struct count *counts;
	size_t length;
};

/*
 * Returns the index of a region in a session; SIZE_MAX if the session has no region of this name.
 */
size_t region_find(const struct gpmu_session *session, const char *name);
/* Allocates the memory of region_sum_add(), which then cannot fail. 0 or -ENOMEM */
int region_sum_reserve(struct region_sum *sum, const struct gpmu_session *session);
/* Returns the sum of a region, whose counts are borrowed from the session. */
struct region_sum region_sum_of(const struct gpmu_session *session, size_t index);
/* Adds a region of a session. 0 or -ENOMEM */
int region_sum_add(struct region_sum *sum, const struct gpmu_session *session, size_t index);
/* Adds another sum of the same plan. 0 or -ENOMEM */
int region_sum_merge(struct region_sum *sum, const struct region_sum *other);
/*
 * Computes the rows of a sum with a session of the same plan, which lends its memory. Returns as
 * gpmu_region_rows().
 */
int region_sum_rows(const struct region_sum *sum, struct gpmu_session *session,
		    const struct gpmu_rows **rows);
void region_sum_release(struct region_sum *sum);

#endif /* GPMU_REGION_SUM_H */
