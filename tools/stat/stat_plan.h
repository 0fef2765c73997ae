/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of gpmu stat: requested events and metrics, or the default ones */
#ifndef GPMU_STAT_PLAN_H
#define GPMU_STAT_PLAN_H

#include "gpmu.h"
#include "stat/stat_options.h"

/* Events of tasks without -e and -M */
extern const char stat_default_events[];

/* A new plan, made, after common_open(); the caller frees it. Prints its warnings. Dies on failure. */
struct gpmu_plan *stat_plan(struct stat_options *options);

#endif /* GPMU_STAT_PLAN_H */
