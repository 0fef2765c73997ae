/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runs: means over several runs */
#ifndef GPMU_RUNS_API_H
#define GPMU_RUNS_API_H

#include <gpmu/row.h>
#include <gpmu/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpmu_runs;

/* New; NULL with errno ENOMEM */
struct gpmu_runs *gpmu_runs_new(void);
/* NULL is allowed. */
void gpmu_runs_free(struct gpmu_runs *runs);

/**
 * gpmu_runs_add() - adds a run
 * @runs: it is as it was if this fails
 * @rows: of the same plan and the same CPUs in each run; copied, with their texts
 * @n: how many
 * @end: copied; below 0 its user and system are not known
 *
 * Return: 0; -EINVAL (another number of rows than in the first run) or -ENOMEM
 */
int gpmu_runs_add(struct gpmu_runs *runs, const struct gpmu_row *rows, size_t n,
		  const struct gpmu_sink_end *end);

/*
 * The means, with their deviations: of each row over those runs in which it was OK; borrowed,
 * until the next call for @runs. metrics/values/output.rst says what the rest of a row is
 */
const struct gpmu_row *gpmu_runs_rows(struct gpmu_runs *runs, size_t *n);
/* Likewise of the ends */
void gpmu_runs_end(const struct gpmu_runs *runs, struct gpmu_sink_end *end);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_RUNS_API_H */
