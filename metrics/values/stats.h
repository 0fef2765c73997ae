/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mean and deviation over runs. */
#ifndef GPMU_STATS_H
#define GPMU_STATS_H

#include <stddef.h>

#include "gpmu.h"

/* Of numbers as they come; all 0 is of none */
struct stat_value {
	unsigned int n;
	double mean;
	double squares;		/* sum of squared distances from the mean */
};

void stat_add(struct stat_value *stat, double value);
/* Standard deviation of the mean; 0 of fewer than two */
double stat_deviation(const struct stat_value *stat);

struct stats_row {
	struct gpmu_row row;	/* as shown; its why is a copy */
	struct stat_value value, raw, enabled, running, begin, end;
};

struct gpmu_stats {
	struct stats_row *list;
	struct gpmu_row *rows;
	size_t length;
};

/* All 0 */
void stats_init(struct gpmu_stats *stats);
void stats_release(struct gpmu_stats *stats);

/*
 * Adds the rows of a run. Rows are matched by position; those of the first run are
 * copied, but texts other than why, which have to stay. A row that is not OK is not in
 * the mean. 0; -EINVAL (another number of rows) or -ENOMEM, and nothing is added
 */
int stats_add(struct gpmu_stats *stats, const struct gpmu_row *rows, size_t length);

/*
 * The means. runs is of how many; a row that was OK in none is as in the last run.
 * share is the lowest, and a threshold is passed if it was in any.
 */
const struct gpmu_row *stats_rows(struct gpmu_stats *stats, size_t *length);

#endif /* GPMU_STATS_H */
