/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the metrics and events of CUPTI's former APIs, and what counts them now. Needs no GPU. */
#ifndef GPMU_LIST_LEGACY_H
#define GPMU_LIST_LEGACY_H

#include "catalog/gpmu_legacy.h"
#include "list/list.h"

/* Returns the exit status. */
int list_legacy(const struct list *list);
/* Adds the lines of -v below the row of a name: its formula, how well it matches, and why it cannot be counted. */
void list_legacy_more(struct table *table, const struct gpmu_legacy *legacy);
/* Prints the members of a name after ,"name":... */
void list_legacy_json(const struct gpmu_legacy *legacy);

#endif /* GPMU_LIST_LEGACY_H */
