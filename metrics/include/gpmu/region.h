/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region: what parts of a program count */
#ifndef GPMU_REGION_API_H
#define GPMU_REGION_API_H

#include <stdio.h>

#include <gpmu/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gpmu_region_begin() and gpmu_region_end() around a part of a program add up, under
 * a name, what the session counts in between: each of them reads all counters once. They
 * may be called again and again, and inside each other; what is inside counts
 * for both. A region inside itself, as of a function that calls itself, is one.
 * They allocate nothing but the first time a name is begun. Below "gpmu record --capture-range=region" they
 * are also what is recorded.
 */

/**
 * gpmu_region_begin() - begins a region
 * @session: it is enabled
 * @name: any text; a string literal is found the fastest. Copied
 *
 * Return: 0; -EINVAL (it is not enabled) or -ENOMEM
 */
int gpmu_region_begin(struct gpmu_session *session, const char *name);
/* Returns 0, -EINVAL (the region that was begun last is another one) or -ENOMEM */
int gpmu_region_end(struct gpmu_session *session, const char *name);

/* How many there are; by number from 0, in the order in which they were first begun */
size_t gpmu_session_regions(const struct gpmu_session *session);
/* Borrowed from the session; NULL after the last */
const char *gpmu_region_name(const struct gpmu_session *session, size_t index);
/* How often it was ended */
uint64_t gpmu_region_visits(const struct gpmu_session *session, size_t index);
/*
 * The rows of all visits that have ended, from time 0 to the time that was spent in them.
 * As gpmu_session_interval(); -EINVAL: there is no such region
 */
int gpmu_region_rows(struct gpmu_session *session, size_t index, const struct gpmu_row **rows,
		     size_t *length);
/*
 * Prints a table for people: a line for each counter of each region; nothing if there are no
 * regions. 0, -ENOMEM, or what writing failed with
 */
int gpmu_regions_print(struct gpmu_session *session, FILE *file);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_REGION_API_H */
