/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reasons why gpmu stat --strict fails */
#ifndef GPMU_STAT_STRICT_H
#define GPMU_STAT_STRICT_H

#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

struct strict {
	char **list;	/* each reason once */
	size_t length;
	bool has_more;	/* there were more than can be printed */
};

/* Adds an allocated reason, and takes ownership of it. */
void strict_add(struct strict *strict, char *reason);
/*
 * Adds the reason if a row has no value, was multiplexed, or was counted in fewer than @runs runs.
 * An idle metric is no failure: there was nothing to measure.
 */
void strict_note(struct strict *strict, const struct gpmu_row *row, unsigned int runs);
/* Prints the reasons. Returns whether there are none. */
bool strict_report(const struct strict *strict);
void strict_release(struct strict *strict);

#endif /* GPMU_STAT_STRICT_H */
