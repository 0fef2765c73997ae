/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What "gpmu list" lists: gathered from catalog and machine, sorted, each name once. */
#ifndef GPMU_LIST_ITEMS_H
#define GPMU_LIST_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

enum item_kind {
	ITEM_METRIC,
	ITEM_GROUP,
	ITEM_EVENT,
	ITEM_PMU,
	ITEM_TRACEPOINT,
	ITEM_KINDS,
};

/* Texts are NULL where there is none, and borrowed but for the name. */
struct item {
	enum item_kind kind;
	char *name;			/* as -e or -M take it */
	bool here;			/* this machine has it */
	const char *description;
	const char *unit;
	const struct gpmu_metric *metric;	/* of a metric */
	const struct gpmu_event_def *event;	/* of an event, if the catalog has it */
	const struct gpmu_pmu *pmu;	/* of an event in sysfs, the first one; of a PMU */
	const char *terms;		/* of an event in sysfs */
};

struct items {
	struct item *list;
	size_t length, room;
	char *tracepoints;		/* which their names are taken from */
};

void items_init(struct items *items);
void items_release(struct items *items);
/* Adds all items of a kind. Dies on failure. Without tracefs it only prints a message. */
void items_add(struct items *items, const struct common *common, enum item_kind kind);
/*
 * Sorts by kind and name, and merges items of the same kind and name; one that exists here takes
 * precedence.
 */
void items_sort(struct items *items);

#endif /* GPMU_LIST_ITEMS_H */
