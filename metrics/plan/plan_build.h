/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps of making a plan. Functions that return int return 0 or -errno. They leave the
 * error unset for -ENOMEM; the outermost caller sets it.
 */
#ifndef GPMU_PLAN_BUILD_H
#define GPMU_PLAN_BUILD_H

#include "base/text/text.h"
#include "base/vector.h"
#include "plan/plan.h"

/* --- plan_build.c */

/* Returns whether the groups have been made, after which nothing can be added; the error is then set. */
bool plan_is_made(const struct gpmu_plan *plan, struct gpmu_error *error);
/* Adds a warning unless the plan already has an equal one. */
__attribute__((format(printf, 2, 3)))
int plan_warn(struct gpmu_plan *plan, const char *fmt, ...);
/* Returns whether a metric was requested. */
bool plan_has_metric(const struct gpmu_plan *plan, size_t metric);

/* Number of gpmu_expr_id_count(); 0 if @expr is NULL */
static inline size_t plan_ids(const struct gpmu_expr *expr)
{
	return expr ? gpmu_expr_id_count(expr) : 0;
}

/* Lengths of the plan's lists, to restore them if adding fails */
struct plan_mark {
	size_t metric_count, event_count, item_count, brace_count;
};

struct plan_mark plan_mark(const struct gpmu_plan *plan);
void plan_rewind(struct gpmu_plan *plan, struct plan_mark mark);

/* --- plan_cgroup.c */

/*
 * Binds an event that is being added to the plan's cgroup. Returns -ENODEV with @why set if the
 * event does not count tasks.
 */
int plan_bind_cgroup(const struct gpmu_plan *plan, struct plan_event *event, struct gpmu_error *why);
void plan_cgroups_release(struct gpmu_plan *plan);

/* --- plan_event.c */

/*
 * Adds an event of a metric by its text. An event that the machine does not have is added
 * with its reason. @is_strict: treat EINVAL as the user's error and return it, not as a
 * defect of the metric
 */
int plan_metric_event(struct gpmu_plan *plan, const char *text, bool is_strict, size_t *index,
		      struct gpmu_error *error);
/* Removes instances whose PMU has no online CPU. */
int plan_leave_out(struct gpmu_plan *plan);

/* --- plan_facts.c */

struct gpmu_expr_env;
/* Environment in which expressions query the plan's machine; valid as long as the plan */
int plan_env(struct gpmu_plan *plan, struct gpmu_expr_env *env);
/* Returns whether a query has failed for lack of memory since the last call. */
bool plan_env_no_memory(struct gpmu_plan *plan);
/* Value of the literal #NAME; NaN if it is unknown */
double plan_literal(struct gpmu_plan *plan, const char *name);
void plan_facts_free(struct plan_facts *facts);

/* --- plan_filter.c: a metric's filter, "root_port=0x3,..." */

struct plan_term {
	char *text;		/* "root_port=0x3" */
	char *name;		/* "root_port" */
	bool is_used;		/* at least one event has applied the term */
};

struct plan_filter {
	struct plan_term *terms;
	size_t length;
};

/*
 * Splits @text, which begins at @offset of the user's string; NULL is an empty filter.
 * Returns -EINVAL with the error set.
 */
int plan_filter_init(struct plan_filter *filter, const char *text, size_t offset,
		     struct gpmu_error *error);
void plan_filter_release(struct plan_filter *filter);
/*
 * Replaces the caller's string @event by one that includes the terms its PMUs have formats
 * for. @is_taken: at least one term was applied
 */
int plan_filter_apply(struct plan_filter *filter, const struct gpmu_machine *machine, char **event,
		      bool *is_taken);
/*
 * Returns -EINVAL with the error set if no event of the metrics from @first on applied a
 * term.
 */
int plan_filter_check(const struct plan_filter *filter, const struct gpmu_plan *plan, size_t first,
		      size_t offset, struct gpmu_error *error);

/* --- plan_metric.c: a metric with all events and metrics that its formula uses */

/* A request for a metric */
struct plan_request {
	struct plan_filter *filter;
	const char *filter_text;	/* NULL: none, likewise modifiers */
	const char *modifiers;
	size_t offset;			/* position of the request in the user's string, for errors */
};

/* Finds an equal metric in the plan or adds a new one. */
int plan_add_metric(struct gpmu_plan *plan, const struct gpmu_metric *metric,
		    const struct plan_request *request, size_t *index, struct gpmu_error *error);
/* Compiles the thresholds of all requested metrics and adds the metrics that they use. */
int plan_add_thresholds(struct gpmu_plan *plan);
/* Drops thresholds that use a metric without counts. */
void plan_drop_thresholds(struct gpmu_plan *plan);

/* --- plan_nearest.c */

/* Sets the error to the names nearest to an unknown name. Returns -ENOENT. */
int plan_unknown(const struct gpmu_plan *plan, const char *name, size_t offset,
		 struct gpmu_error *error);
/* Metric with the nearest name; NULL if none is near */
const char *plan_nearest_metric(const struct gpmu_plan *plan, const char *wanted);

/* --- plan_need.c: the events that each metric and event needs on each PMU */

/* An instance. Instances that are equal to the kernel have the same number. */
struct plan_member {
	const struct event_instance *instance;
	const struct gpmu_event *event;
	size_t number;
};

/* Members of one PMU to count together */
struct plan_need {
	size_t metric;			/* the root metric; PLAN_NONE: a requested event */
	struct plan_member *members;
	size_t length;
	size_t width;			/* number of the metric's needs that are groups */
	size_t bin;			/* index in plan_needs.bins of the group that counts it */
	bool is_alone;			/* shares its group with no other need */
	bool is_given;			/* set by the user's braces */
	bool is_apart;			/* gpmu_group.is_apart */
};

/* A group under construction */
struct plan_bin {
	struct plan_member *members;
	size_t length;
	/* position in the order of groups, from 0; PLAN_NONE: not yet known */
	size_t rank;
	bool is_alone, is_given, is_apart;
};

struct plan_needs {
	/* needs of one metric are contiguous, as are those of one pair of braces */
	struct plan_need *list;
	size_t length;
	struct plan_member *numbers;	/* one member for each number */
	size_t number_count;
	struct plan_bin *bins;
	size_t bin_count;
};

/*
 * Collects all needs of the plan in the order of its items. Metrics that cannot fit become
 * unsupported, with the reason.
 */
int plan_needs_init(struct plan_needs *needs, struct gpmu_plan *plan);
void plan_needs_release(struct plan_needs *needs);
/* Sets the member's number: that of an equal instance, or a new one. */
int plan_number_member(struct plan_needs *needs, struct plan_member *member);
bool plan_has_member(const struct plan_member *members, size_t length, size_t number);

/* --- plan_fit.c */

/* Returns whether the PMU can count the members at the same time: 1, 0, or < 0 if unknown. */
int plan_fits(const struct gpmu_plan *plan, const struct plan_member *members, size_t length);
/* Returns whether the PMU counts all groups of a run at the same time, so that it cannot multiplex them */
bool plan_counts_at_once(const struct gpmu_pmu *pmu);
/*
 * Returns whether the plan's other groups can never take a group's counters. Must be called in the
 * order of groups: it uses "always" of the groups before.
 */
bool plan_always_counts(const struct gpmu_plan *plan, size_t group);
/* Text of the reason why the members do not fit; NULL if out of memory */
char *plan_misfit(const struct plan_member *members, size_t length);
/* Warns that the capacity of this instance's PMU is unknown. */
int plan_warn_unknown(struct gpmu_plan *plan, const struct event_instance *instance);
/* Returns whether both instances are of one PMU and count the same tasks. */
bool plan_is_same_pmu(const struct event_instance *a, const struct event_instance *b);
/*
 * Returns whether it is a software event or tracepoint; the kernel counts any number of these in
 * any CPU or task group
 */
bool plan_is_software(const struct event_instance *instance);

/* --- plan_pack.c: from needs to groups */

/* Gives each need a bin. */
int plan_pack(struct plan_needs *needs, struct gpmu_plan *plan);

/* --- plan_slots.c: from bins to the plan's groups and slots */

int plan_number(struct plan_needs *needs, struct gpmu_plan *plan);

#endif /* GPMU_PLAN_BUILD_H */
