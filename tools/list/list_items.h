/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The items of "gpmu list", from the catalog and the machine, sorted, each name once. */
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

/* Unknown strings are NULL. All but the name are borrowed. */
struct item {
	enum item_kind kind;
	char *name;			/* the argument for -e or -M */
	bool is_here;			/* exists on this machine */
	bool needs_gpu;			/* only --gpu determines whether it exists on this machine */
	const struct gpmu_legacy *legacy;	/* of a name of CUPTI's former APIs */
	const char *description;
	const char *unit;
	const struct gpmu_metric *metric;	/* of a metric */
	const struct gpmu_event_def *event;	/* of an event in the catalog */
	const struct gpmu_pmu *pmu;	/* of a PMU; of an event in sysfs the first PMU that has it */
	const char *terms;		/* of an event in sysfs */
};

/* Returns whether an item is a metric of GPUs. */
bool items_is_gpu(const struct item *item);

struct items {
	struct item *list;
	size_t length, room;
	char *tracepoints;		/* text of available_events, or NULL */
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
