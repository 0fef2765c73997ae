/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* section_set: the metrics of sections as metrics of a catalog, which PM sampling counts */
#ifndef GPMU_SECTION_SET_API_H
#define GPMU_SECTION_SET_API_H

#include <gpmu/catalog.h>

#include "section/gpmu_section.h"

/*
 * A set has the metrics of several sections, each once, under its name without the prefix "pmsampling:". A metric
 * becomes a metric of the catalog if the PMUs nvidia_gpu of the machine can count it, and otherwise a reason.
 */
struct gpmu_section_set;

/*
 * Creates an empty set for the GPUs of a machine, which must outlive it. Returns NULL with errno ENOMEM.
 */
struct gpmu_section_set *gpmu_section_set_new(const struct gpmu_machine *machine);
/* Frees @set; NULL is allowed. */
void gpmu_section_set_free(struct gpmu_section_set *set);

/**
 * gpmu_section_set_add() - adds the metrics of a section
 * @set: the set
 * @section: must outlive the set
 * @target: what the metrics are selected for
 * @error: set on failure, or NULL: "FILE:LINE: metric NAME is required: ..."
 *
 * A regular expression becomes the events that the PMUs list and that it matches.
 *
 * Return: 0; -EOPNOTSUPP if the machine cannot count a metric that the section requires; -ENOMEM
 */
int gpmu_section_set_add(struct gpmu_section_set *set, const struct gpmu_section *section,
			 const struct gpmu_section_target *target, struct gpmu_error *error);
/*
 * Adds the metrics to a catalog, each in a group with the identifier of its section. Returns 0, -ENOMEM, or -EINVAL
 * with the error set
 */
int gpmu_section_set_load(const struct gpmu_section_set *set, struct gpmu_catalog *catalog, struct gpmu_error *error);

/*
 * Returns the name of the metric at @index that can be counted; NULL after the last; borrowed. Sets *@section to the
 * section that has it, the first of several.
 */
const char *gpmu_section_set_metric(const struct gpmu_section_set *set, size_t index,
				    const struct gpmu_section **section);
/*
 * Returns the reason at @index why metrics are not counted; NULL after the last; borrowed. Sets *@section to their
 * section and *@names to their names, separated by ", ".
 */
const char *gpmu_section_set_reason(const struct gpmu_section_set *set, size_t index,
				    const struct gpmu_section **section, const char **names);

#endif /* GPMU_SECTION_SET_API_H */
