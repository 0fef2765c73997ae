/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is counted together, and what is shown of it.
 *
 * Metrics and events are added first. gpmu_plan_make() then finds their groups;
 * slots are numbered over all groups, group by group, and nothing of the plan changes
 * any more.
 */
#ifndef GPMU_PLAN_H
#define GPMU_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "gpmu.h"

#define PLAN_NONE	((size_t)-1)

/* An instance that is counted. Slots of a group follow each other; the first is the leader. */
struct plan_slot {
	const struct event_instance *instance;	/* borrowed from the plan's events */
	double scale;				/* of the event; formulas take counts without it */
	bool mean;				/* as in struct gpmu_event; in formulas too, with scale */
	const char *unit;			/* or NULL */
	size_t group;
};

/* Events of one PMU that the kernel counts at the same time, or one event alone */
struct gpmu_group {
	const struct gpmu_pmu *pmu;		/* NULL: of none that sysfs shows */
	size_t first, length;			/* slots */
	bool given;				/* by braces of the user: not changed */
	/*
	 * Events that were given one by one, and can always be counted at the same time: to
	 * read them at once costs less. Nothing else may tell that they are a group.
	 */
	bool apart;
	bool always;				/* it is never without counters because of others of the plan */
};

/* An id of a metric's expression */
struct plan_input {
	enum { PLAN_SLOTS, PLAN_DURATION, PLAN_METRIC } kind;
	size_t *slots;				/* PLAN_SLOTS: counts to add, one of each PMU */
	size_t length;
	size_t event;				/* PLAN_SLOTS: index in gpmu_plan.events */
	size_t metric;				/* PLAN_METRIC: index in gpmu_plan.metrics */
};

/*
 * A metric that was asked for, or one that its formula or its threshold uses. What a
 * formula uses is counted in the groups of the metric that was asked for, so it is not
 * shared with another: metrics[root] and those of that root are counted together.
 */
struct plan_metric {
	const struct gpmu_metric *metric;
	char *label;				/* "GracePcieReadBW/root_port=0x3/" */
	char *filter;				/* "root_port=0x3", or NULL */
	char *modifiers;			/* "u", or NULL */
	bool user_only;				/* an event of it is, by the plan's options */
	size_t root;				/* its own index if it is no part of another */
	struct gpmu_expr *expr;			/* NULL if it is not supported */
	struct gpmu_expr *threshold;		/* or NULL; all its inputs are metrics */
	struct plan_input *inputs;		/* one for each gpmu_expr_ids() */
	struct plan_input *threshold_inputs;
	char *why;				/* it is not supported; else NULL */
};

struct plan_event {
	struct gpmu_event *event;		/* NULL if it is not supported */
	char *label;				/* the text that was given, perhaps with ":u" */
	/*
	 * One for each of event->instances, of which those are left out that cannot be counted
	 * as no CPU of their PMU is online. NULL for an event that only metrics use, as each
	 * has slots of its own: plan_input.
	 */
	size_t *slots;
	char *why;
	bool unknown;				/* there is no such name: why says which */
	bool of_metrics;			/* not asked for by itself */
	bool user_only;				/* by the plan's options */
	size_t braces;				/* which of those that were given, or PLAN_NONE */
};

/* What was asked for, in that order */
struct plan_item {
	enum { PLAN_ITEM_EVENT, PLAN_ITEM_METRIC } kind;
	size_t index;				/* in events or metrics */
};

struct plan_facts;

struct gpmu_plan {
	const struct gpmu_machine *machine;
	const struct gpmu_catalog *catalog;
	struct gpmu_group *groups;
	struct plan_slot *slots;
	struct plan_metric *metrics;		/* also those that others use */
	struct plan_event *events;		/* also those that only metrics use */
	struct plan_item *items;
	size_t n_groups, n_slots, n_metrics, n_events, n_items;
	/* What follows is the builder's. */
	struct gpmu_plan_options options;
	struct plan_facts *facts;		/* what expressions asked of the machine */
	char **warnings;
	size_t n_warnings;
	size_t n_braces;
	bool made;
};

#endif /* GPMU_PLAN_H */
