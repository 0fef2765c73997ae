/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the filters of perf script that print a table instead of samples. The interface lets
 * one build of a filter run in several releases of perf; perf 6.1, 6.12 and 7.3 have been tested:
 *
 *   perf_dlfilter_fns     perf copies its own structure into the variable, whose size is
 *                         1,024 bytes in each release; a function that perf lacks is NULL
 *   perf_dlfilter_sample  perf gives its size, see sample_has()
 *   perf_dlfilter_al      the caller sets the size, and perf fills at most this size
 */
#ifndef GPMU_DLFILTER_H
#define GPMU_DLFILTER_H

#include <stddef.h>

#include <perf/perf_dlfilter.h>

_Static_assert(sizeof(struct perf_dlfilter_fns) == 1024, "perf writes 1,024 bytes");

/* Tells whether perf's sample has the member. */
#define sample_has(sample, member) \
	((sample)->size >= offsetof(struct perf_dlfilter_sample, member) + sizeof((sample)->member))

/* Return values of a filter for a sample */
enum {
	SAMPLE_KEEP = 0,
	SAMPLE_DROP = 1,
};

#endif /* GPMU_DLFILTER_H */
