/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mean and deviation over several runs. */
#ifndef GPMU_STATS_H
#define GPMU_STATS_H

#include <stddef.h>

#include "gpmu.h"
#include "base/strings.h"
#include "values/rows.h"

/* A running mean of numbers; zeroed: empty */
struct stat_value {
	unsigned int n;
	double mean;
	double squares;		/* sum of squared deviations from the mean */
};

void stat_add(struct stat_value *stat, double value);
/* Standard deviation of the mean; 0 for fewer than two numbers */
double stat_deviation(const struct stat_value *stat);

struct stats_row {
	struct gpmu_row row;	/* the row to show; why is a text of gpmu_stats.whys */
	struct stat_value value, raw, enabled, running, begin, end;
};

struct gpmu_stats {
	struct stats_row *list;		/* one for each row */
	struct gpmu_rows rows;
	struct strings whys;
};

/* Initialises empty statistics. */
void stats_init(struct gpmu_stats *stats);
void stats_release(struct gpmu_stats *stats);

/*
 * Adds the rows of a run, matched by position. The first run's rows are copied; their
 * texts other than why must stay valid. Rows that are not OK are left out of the mean.
 * Returns 0, or -EINVAL (other rows: another name, CPU or thread) or -ENOMEM with nothing
 * added.
 */
int stats_add(struct gpmu_stats *stats, const struct gpmu_rows *rows);

/*
 * Returns the means. runs is the number of runs in the mean; a row that was OK in no run
 * is that of the last run. share is the lowest of all runs, and a threshold counts as
 * exceeded if it was in any run.
 */
const struct gpmu_rows *stats_rows(struct gpmu_stats *stats);

#endif /* GPMU_STATS_H */
