/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options that separate values by CPU, node, socket, die or core: -A, --per-node */
#ifndef GPMU_TOOLS_AGGREGATION_H
#define GPMU_TOOLS_AGGREGATION_H

#include <argp.h>
#include <stdbool.h>

#include "gpmu.h"

struct aggregation {
	enum gpmu_aggregation by;
	const char *option;		/* "--per-node"; NULL: none */
};

/* -A, --per-node, --per-socket, --per-die, --per-core; the input is a struct aggregation */
extern const struct argp aggregation_argp;

/* Dies if another option has chosen already. */
void aggregation_choose(struct aggregation *aggregation, const char *option, enum gpmu_aggregation by);

/* Dies, and frees the plan, if it has events of tasks, which have no value for each CPU or group of CPUs. */
void aggregation_check(const struct aggregation *aggregation, bool has_cpus, struct gpmu_plan *plan);

#endif /* GPMU_TOOLS_AGGREGATION_H */
