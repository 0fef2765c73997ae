/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the regions of a program within a session. */
#ifndef GPMU_REGION_API_H
#define GPMU_REGION_API_H

#include <gpmu/session.h>

/*
 * A region is a named part of a program between gpmu_region_begin() and gpmu_region_end(). Each
 * of the two reads all counters of the session once. A region adds up the counts of all its
 * visits. Regions may be nested, and the counts of the inner one are in both. A region nested
 * in itself, as in a recursive function, counts once. Memory is allocated only when a name is
 * begun for the first time.
 *
 * If all events of a group are of one core PMU and count the calling thread without its children,
 * and if the kernel allows it, their counters are read in user space, at a fifth of the cost.
 * gpmu-doctor(1) reports whether the kernel allows it, and how to allow it.
 *
 * Under "gpmu record --capture-range=region" regions also select the time in which CUDA is
 * recorded.
 */

/**
 * gpmu_region_begin() - begins a region
 * @session: an enabled session
 * @name: any text; copied. A string literal is found fastest
 *
 * Return: 0; -EINVAL if the session is not enabled; -ENOMEM
 */
int gpmu_region_begin(struct gpmu_session *session, const char *name);
/*
 * Ends the innermost region. Returns 0; -EINVAL if that region has another name; -ENOMEM: the region
 * has ended, and this visit is not counted
 */
int gpmu_region_end(struct gpmu_session *session, const char *name);

/*
 * Returns the number of regions. Indices are from 0, in the order in which regions were first
 * begun.
 */
size_t gpmu_session_region_count(const struct gpmu_session *session);
/* Returns the name of a region, borrowed from the session; NULL after the last */
const char *gpmu_region_name(const struct gpmu_session *session, size_t index);
/* Returns how often the region was ended */
uint64_t gpmu_region_visit_count(const struct gpmu_session *session, size_t index);
/*
 * Gets the rows of all visits that have ended. Their times are from 0 to the time spent in the
 * visits. Until a visit has ended, no row has a value. Returns as gpmu_session_total(); -EINVAL
 * if there is no such region.
 */
int gpmu_region_rows(struct gpmu_session *session, size_t index,
		     const struct gpmu_rows **rows);

#endif /* GPMU_REGION_API_H */
