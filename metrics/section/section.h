/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A section, and the steps that select its metrics */
#ifndef GPMU_SECTION_H
#define GPMU_SECTION_H

#include <stdbool.h>

#include "section/gpmu_section.h"
#include "section/section_field.h"
#include "section/section_parse.h"

struct gpmu_section {
	char *file;
	struct section_field root;
	struct section_warnings warnings;
};

#define SECTION_MAX_FILTERS	8

/* Filters around a metric, the innermost first */
struct section_filters {
	const struct section_field *list[SECTION_MAX_FILTERS];
	size_t n;
};

/* --- section_filter.c */

/* Adds the filter of a message to the filters outside it; a message without a filter adds none. */
struct section_filters section_filters_inside(const struct section_filters *outer, const struct section_field *message);
/*
 * Returns whether the filters accept the target. For each criterion (architecture, driver, vGPU, scope) the innermost
 * filter that has it decides.
 */
bool section_filters_accept(const struct section_filters *filters, const struct gpmu_section_target *target);
/* Returns the importance that the innermost filter with one gives. */
enum gpmu_section_importance section_filters_importance(const struct section_filters *filters);

/* --- section_pattern.c */

#define SECTION_PATTERN	"regex:"	/* prefix of a name that is an extended regular expression */

bool section_is_pattern(const char *name);
/* Warns of patterns that are malformed, and of those outside tables and charts. Returns 0 or -ENOMEM. */
int section_check_patterns(struct gpmu_section *section);

#endif /* GPMU_SECTION_H */
