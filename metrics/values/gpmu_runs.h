/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runs: means of several runs */
#ifndef GPMU_RUNS_API_H
#define GPMU_RUNS_API_H

#include <gpmu/row.h>
#include <gpmu/sink.h>

struct gpmu_runs;

/* Creates an object without runs. Returns a new object, or NULL with errno ENOMEM. */
struct gpmu_runs *gpmu_runs_new(void);
/* Frees @runs; NULL is allowed. */
void gpmu_runs_free(struct gpmu_runs *runs);

/**
 * gpmu_runs_add() - adds the rows of a run
 * @runs: unchanged on failure
 * @rows: rows of the same plan, and of the same CPUs or threads, in each run; copied, with their texts
 * @end: times of the run; copied. A user or system below 0 is not known
 *
 * Return: 0; -EINVAL if a name, CPU, thread or other place, or the number of rows, differs from the
 * first run's; -ENOMEM
 */
int gpmu_runs_add(struct gpmu_runs *runs, const struct gpmu_rows *rows,
		  const struct gpmu_sink_end *end);

/*
 * Returns rows with means and standard deviations. A mean is over the runs in which the row's
 * state was GPMU_STATE_OK. The rows are borrowed until the next call for @runs.
 * metrics/values/output.rst describes the other members.
 */
const struct gpmu_rows *gpmu_runs_rows(struct gpmu_runs *runs);
/* Sets *@end to the means of the times of all runs */
void gpmu_runs_end(const struct gpmu_runs *runs, struct gpmu_sink_end *end);

#endif /* GPMU_RUNS_API_H */
