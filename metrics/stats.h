/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mean and standard deviation over runs */
#ifndef GPMU_STATS_H
#define GPMU_STATS_H

#include <stddef.h>

#include "gpmu.h"

/* Running mean of numbers; all members 0: no numbers yet */
struct stat_value {
	unsigned int n;
	double mean;
	double squares;		/* sum of squared distances from the mean */
};

void stat_add(struct stat_value *stat, double value);
/* Standard deviation of the mean; 0 with fewer than two numbers */
double stat_deviation(const struct stat_value *stat);

struct stats_row {
	struct gpmu_row row;	/* the row to show; its why is a copy */
	struct stat_value value, raw, enabled, running, begin, end;
};

struct gpmu_stats {
	struct stats_row *list;
	struct gpmu_row *rows;
	size_t length;
};

/* Sets all members to 0. */
void stats_init(struct gpmu_stats *stats);
void stats_release(struct gpmu_stats *stats);

/*
 * Adds the rows of a run, which are matched by position. The rows of the first run are copied
 * with why; their other texts must stay valid. Rows that are not GPMU_STATE_OK are not in the mean.
 * 0; -EINVAL for another number of rows, or -ENOMEM, and then nothing is added
 */
int stats_add(struct gpmu_stats *stats, const struct gpmu_row *rows, size_t length);

/*
 * Returns the means. runs is the number of runs in the mean. A row that was never GPMU_STATE_OK is
 * that of the last run. share is the lowest of all runs, and alert is 1 if it was 1 in any run.
 */
const struct gpmu_row *stats_rows(struct gpmu_stats *stats, size_t *length);

#endif /* GPMU_STATS_H */
