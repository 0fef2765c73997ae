/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of metrics for PM sampling, and how a metric becomes a MetricExpr */
#ifndef GPMU_SECTION_SET_H
#define GPMU_SECTION_SET_H

#include "base/vector.h"
#include "section/gpmu_section_set.h"

#define SECTION_PMU	"nvidia_gpu"

/* A metric that can be counted */
struct section_counted {
	const struct gpmu_section *section;
	char *name, *formula;
	char *unit;		/* or NULL */
};

/* Metrics of a section that cannot be counted for one reason */
struct section_reason {
	const struct gpmu_section *section;
	char *names, *text;
};

struct gpmu_section_set {
	const struct gpmu_machine *machine;
	VECTOR(struct section_counted) counted;
	VECTOR(struct section_reason) reasons;
};

/* --- section_formula.c */

struct section_formula {
	char *text;		/* MetricExpr; NULL: the metric cannot be counted */
	char *unit;		/* or NULL */
	char *why;		/* reason, if it cannot be counted */
};

/* Returns the name without the prefixes that CUPTI does not have. */
const char *section_bare_name(const char *name);
/*
 * Makes the MetricExpr of a metric. @metrics: has the definitions that it may refer to. Returns 0 with either a text or
 * a reason; or -ENOMEM with neither
 */
int section_formula(const struct gpmu_machine *machine, const struct gpmu_section_metrics *metrics,
		    const struct gpmu_section_metric *metric, struct section_formula *formula);
void section_formula_release(struct section_formula *formula);

#endif /* GPMU_SECTION_SET_H */
