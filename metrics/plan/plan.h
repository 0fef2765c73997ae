/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan: which events are counted together, and which rows are shown for them.
 *
 * The caller adds metrics and events first. gpmu_plan_make() then forms their groups and
 * numbers the slots over all groups, group by group. The plan does not change after that.
 */
#ifndef GPMU_PLAN_H
#define GPMU_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "expr/gpmu_expr.h"
#include "gpmu.h"

#define PLAN_NONE	((size_t)-1)

/* An instance that is counted. A group's slots are contiguous; the first is the leader. */
struct plan_slot {
	const struct event_instance *instance;	/* borrowed from the plan's events */
	/* the event's scale; formulas use the unscaled count */
	double scale;
	/* gpmu_event.is_mean; formulas use the scaled mean */
	bool is_mean;
	const char *unit;			/* NULL: none */
	size_t group;
};

/* Events of one PMU that the kernel counts at the same time, or a single event */
struct gpmu_group {
	const struct gpmu_pmu *pmu;		/* NULL: sysfs shows no such PMU */
	size_t first, length;			/* range of slots */
	/* set by the user's braces; libgpmu does not change it */
	bool is_given;
	/*
	 * Separate events of the user that always fit their PMU together. They are grouped
	 * because one read is cheaper; no output may show the grouping.
	 */
	bool is_apart;
	/* the group is never multiplexed: no other group of the plan can take its counters */
	bool is_always;
};

/* An identifier of a metric's expression */
struct plan_input {
	enum { PLAN_SLOTS, PLAN_DURATION, PLAN_METRIC } kind;
	/* PLAN_SLOTS: the counts to add, one for each PMU */
	size_t *slots;
	size_t length;
	size_t event;				/* PLAN_SLOTS: index in gpmu_plan.events */
	size_t metric;				/* PLAN_METRIC: index in gpmu_plan.metrics */
};

/*
 * A metric that the user requested, or one that its formula or threshold uses. The events
 * of a used metric are counted in the requested metric's groups, so each requested metric
 * has its own copy of it: metrics[root] and all metrics with that root are counted
 * together.
 */
struct plan_metric {
	const struct gpmu_metric *metric;
	char *label;				/* "GracePcieReadBW/root_port=0x3/" */
	char *filter;				/* "root_port=0x3"; NULL: none */
	char *modifiers;			/* "u"; NULL: none */
	const struct event_cgroup *cgroup;	/* NULL: all tasks */
	/* the plan's options restrict one of its events to user space */
	bool is_user_only;
	/* index of the requested metric; its own index if requested */
	size_t root;
	struct gpmu_expr *expr;			/* NULL: not supported */
	struct gpmu_expr *threshold;		/* NULL: none; all its inputs are metrics */
	struct plan_input *inputs;		/* one for each identifier of gpmu_expr_id_count() */
	struct plan_input *threshold_inputs;
	char *why;				/* why it is not supported; NULL: supported */
	/* the reason is that a PMU that counts all groups at the same time has no room for the metric */
	bool is_without_room;
};

struct plan_event {
	struct gpmu_event *event;		/* NULL: not supported */
	char *label;				/* the user's text, possibly with ":u" appended */
	/*
	 * One for each of event->instances. Instances whose PMU has no online CPU are left
	 * out of both. NULL for an event that only metrics use: each use has its own slots
	 * in struct plan_input.
	 */
	size_t *slots;
	char *why;
	bool is_unknown;			/* no event has this name; @why lists near names */
	bool is_of_metrics;			/* used by metrics only */
	bool is_user_only;			/* the plan's options restrict it to user space */
	const struct event_cgroup *cgroup;	/* NULL: all tasks */
	size_t braces;				/* number of the user's braces, or PLAN_NONE */
};

/* A requested event or metric; items are in the order of the request */
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
	struct plan_metric *metrics;		/* requested metrics, and metrics that they use */
	struct plan_event *events;		/* requested events, and events that metrics use */
	struct plan_item *items;
	size_t group_count, slot_count, metric_count, event_count, item_count;
	struct event_cgroup **cgroups;
	size_t cgroup_count;
	/* Only the code that makes the plan uses the following members. */
	struct gpmu_plan_options options;
	struct plan_facts *facts;		/* cached answers of the machine to expressions */
	char **warnings;
	size_t warning_count;
	size_t brace_count;
	const struct event_cgroup *cgroup;	/* of what is added next; NULL: all tasks */
	bool is_made;
};

#endif /* GPMU_PLAN_H */
