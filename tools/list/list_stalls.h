/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the stall reasons of PC sampling. */
#ifndef GPMU_LIST_STALLS_H
#define GPMU_LIST_STALLS_H

#include "list/list.h"

/* Returns the exit status. */
int list_stalls(const struct list *list);

#endif /* GPMU_LIST_STALLS_H */
