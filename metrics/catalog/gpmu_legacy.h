/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics and events of CUPTI's former Event and Metric APIs, which nvprof had, and what counts
 * them now: pmu-events/gpu/legacy.tsv.
 */
#ifndef GPMU_LEGACY_H
#define GPMU_LEGACY_H

#include <stdbool.h>
#include <stddef.h>

struct gpmu_error;
struct gpmu_metric;

/* The mode of CUPTI that collects a name */
enum gpmu_legacy_mode {
	LEGACY_NONE,
	LEGACY_SAMPLING,	/* PM sampling, the mode of the source plugin cupti */
	LEGACY_RANGE,		/* ranges only */
	LEGACY_PASSES,		/* ranges only: more than the one pass of PM sampling */
	LEGACY_SASS,		/* ranges, or SASS metrics */
	LEGACY_MODES,
};

struct gpmu_legacy {
	const char *name;
	bool is_metric, is_event;	/* at least one */
	enum gpmu_legacy_mode mode;
	const char *match;		/* "exact", "mapped", "near" or "none" */
	const char *unit;		/* or NULL */
	const char *formula;		/* NULL: nothing counts it */
	const char *description;
	const char *note;		/* or NULL; the reason if @formula is NULL */
	const struct gpmu_metric *metric;	/* NULL: PM sampling cannot count it */
};

/* Returns a name by its number in alphabetical order; NULL: there are no more. */
const struct gpmu_legacy *gpmu_legacy(size_t index);
/* Returns the entry of a name of any case, or NULL. */
const struct gpmu_legacy *gpmu_legacy_find(const char *name);
/* Returns "sampling", "range", "sass" or "none". */
const char *gpmu_legacy_mode(const struct gpmu_legacy *legacy);
/*
 * Returns a sentence with the reason why PM sampling cannot count the name, and with the option of
 * gpmu that can, if one does; the caller frees it. NULL: no memory, or PM sampling can.
 */
char *gpmu_legacy_why_not(const struct gpmu_legacy *legacy);
/*
 * Sets the error to the sentence of gpmu_legacy_why_not(). Returns -ENOTSUP, -ENOMEM, or 0 if the
 * name is not in the table, or PM sampling can count it.
 */
int gpmu_legacy_refuse(const char *name, size_t offset, struct gpmu_error *error);

#endif /* GPMU_LEGACY_H */
