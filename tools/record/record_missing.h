/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports the counters that a timeline lacks, and those of GPUs that NVML counts instead of CUPTI. */
#ifndef GPMU_RECORD_MISSING_H
#define GPMU_RECORD_MISSING_H

#include <stdbool.h>

#include "gpmu.h"

/*
 * Warns, also in the trace, of the counters that are missing in the first rows of a run. @wants_cupti: CUPTI was requested for GPUs. Metrics
 * and events that are not in @plan have already been reported.
 */
void record_missing_report(const struct gpmu_rows *rows, const struct gpmu_plan *plan, bool wants_cupti,
			   struct gpmu_recorder *recorder);

#endif /* GPMU_RECORD_MISSING_H */
