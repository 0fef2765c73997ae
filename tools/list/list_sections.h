/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints sections of Nsight Compute's section files, and their metrics. */
#ifndef GPMU_LIST_SECTIONS_H
#define GPMU_LIST_SECTIONS_H

#include "list/list.h"
#include "sections.h"

/*
 * Lists the sections whose identifier or name matches a pattern. @chip: selects the metrics for a chip, "GH100"; NULL:
 * the metrics of any architecture, without options. Returns the exit status.
 */
int list_sections(const struct list *list, struct sections *sections, const char *chip);

#endif /* GPMU_LIST_SECTIONS_H */
