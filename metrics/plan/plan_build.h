/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps in which a plan is made. Functions that return int return 0 or -errno;
 * -ENOMEM without a message in the error, which the outermost sets.
 */
#ifndef GPMU_PLAN_BUILD_H
#define GPMU_PLAN_BUILD_H

#include "base/list.h"
#include "plan/plan.h"

/* --- plan.c */

/* A warning, unless there is the same already */
__attribute__((format(printf, 2, 3)))
int plan_warn(struct gpmu_plan *plan, const char *fmt, ...);
/* Adds what was asked for. */
int plan_add_item(struct gpmu_plan *plan, int kind, size_t index);

/* gpmu_expr_ids(), 0 of NULL */
static inline size_t plan_ids(const struct gpmu_expr *expr)
{
	return expr ? gpmu_expr_ids(expr) : 0;
}

/* How long the plan's lists are, to go back to when adding fails */
struct plan_mark {
	size_t n_metrics, n_events, n_items, n_braces;
};

struct plan_mark plan_mark(const struct gpmu_plan *plan);
void plan_rewind(struct gpmu_plan *plan, struct plan_mark mark);

/* --- plan_event.c */

/*
 * An event that metrics use, by its text; one that the machine does not have is one too.
 * @strict: EINVAL is the user's fault, not the metric's, and an error
 */
int plan_metric_event(struct gpmu_plan *plan, const char *text, bool strict, size_t *index,
		      struct gpmu_error *error);
/* Leaves out what cannot be counted as no CPU of its PMU is online. */
int plan_leave_out(struct gpmu_plan *plan);

/* --- plan_facts.c */

struct gpmu_expr_env;
/* What expressions ask of the plan's machine; valid as long as the plan */
int plan_env(struct gpmu_plan *plan, struct gpmu_expr_env *env);
/* Whether an answer failed for lack of memory since the last call */
bool plan_env_no_memory(struct gpmu_plan *plan);
/* Value of #NAME, NaN: not known */
double plan_literal(struct gpmu_plan *plan, const char *name);
void plan_facts_free(struct plan_facts *facts);

/* --- plan_filter.c: "root_port=0x3,..." of a metric */

struct plan_filter {
	char **terms;		/* "root_port=0x3" */
	char **names;		/* "root_port" */
	bool *used;		/* an event took it */
	size_t length;
};

/* Splits @text, @offset bytes into what the user gave; NULL is none. -EINVAL with the error set */
int plan_filter_init(struct plan_filter *filter, const char *text, size_t offset,
		     struct gpmu_error *error);
void plan_filter_release(struct plan_filter *filter);
/* @event, the caller's, with the terms that its PMUs have; @taken: there was one */
int plan_filter_apply(struct plan_filter *filter, const struct gpmu_machine *machine, char **event,
		      bool *taken);
/* -EINVAL with the error set if a term is of no use to the metrics from @first on */
int plan_filter_check(const struct plan_filter *filter, const struct gpmu_plan *plan, size_t first,
		      size_t offset, struct gpmu_error *error);

/* --- plan_metric.c: a metric with all that its formula uses */

/* What a metric is asked for with */
struct plan_request {
	struct plan_filter *filter;
	const char *filter_text;	/* or NULL, as the modifiers */
	const char *modifiers;
	size_t offset;			/* of the text, for errors */
};

/* The one there is, or a new one */
int plan_add_metric(struct gpmu_plan *plan, const struct gpmu_metric *metric,
		    const struct plan_request *request, size_t *index, struct gpmu_error *error);
/* Compiles the thresholds of all that was asked for, and adds the metrics that they use. */
int plan_add_thresholds(struct gpmu_plan *plan);
/* Thresholds that rest on a metric without counts are none. */
void plan_drop_thresholds(struct gpmu_plan *plan);

/* --- plan_nearest.c */

/* What a name is near to: the error's text, errno ENOENT */
int plan_unknown(const struct gpmu_plan *plan, const char *name, size_t offset,
		 struct gpmu_error *error);
/* The metric whose name is nearest, or NULL: none is near */
const char *plan_nearest_metric(const struct gpmu_plan *plan, const char *wanted);

/* --- plan_need.c: what each metric and event needs of each PMU */

/* An instance; those that are the same to the kernel have the same number */
struct plan_member {
	const struct event_instance *instance;
	const struct gpmu_event *event;
	size_t number;
};

/* Members that are to be counted together, of one PMU */
struct plan_need {
	size_t metric;			/* the root, or PLAN_NONE: of events that were given */
	struct plan_member *members;
	size_t length;
	size_t width;			/* how many of the metric's needs are groups */
	size_t bin;			/* where it is counted: of plan_needs.bins */
	bool alone;			/* shares its group with nothing else */
	bool given;			/* by braces */
	bool apart;			/* gpmu_group.apart */
};

/* A group while it is made */
struct plan_bin {
	struct plan_member *members;
	size_t length;
	size_t rank;			/* in the order of groups, from 0; PLAN_NONE: none yet */
	bool alone, given, apart;
};

struct plan_needs {
	struct plan_need *list;		/* a metric's are next to each other, as those of braces */
	size_t length;
	struct plan_member *numbers;	/* one of each number */
	size_t n_numbers;
	struct plan_bin *bins;
	size_t n_bins;
};

/* All needs of the plan, in the order of its items; metrics that cannot fit say why. */
int plan_needs_init(struct plan_needs *needs, struct gpmu_plan *plan);
void plan_needs_release(struct plan_needs *needs);
/* Sets the number of what a metric's event is, a new one if there is none like it. */
int plan_number_member(struct plan_needs *needs, struct plan_member *member);
bool plan_has_member(const struct plan_member *members, size_t length, size_t number);
int plan_add_member(struct plan_member **members, size_t *length, const struct plan_member *member);

/* --- plan_fit.c */

/* Whether the PMU can count these at a time: 1, 0, < 0: not known */
int plan_fits(const struct gpmu_plan *plan, const struct plan_member *members, size_t length);
/* Whether a group is counted all the time, whatever else of the plan is; those before it know. */
bool plan_always_counts(const struct gpmu_plan *plan, size_t group);
/* Why not; NULL if there is no memory */
char *plan_misfit(const struct plan_member *members, size_t length);
/* Warns that it was not known whether events of this one's PMU fit. */
int plan_warn_unknown(struct gpmu_plan *plan, const struct event_instance *instance);
/* Whether these instances are of one PMU */
bool plan_same_pmu(const struct event_instance *a, const struct event_instance *b);
/* Of software, of which the kernel counts any number, in any group of CPUs or tasks */
bool plan_is_software(const struct event_instance *instance);

/* --- plan_pack.c: from needs to groups */

/* Gives each need a bin. */
int plan_pack(struct plan_needs *needs, struct gpmu_plan *plan);

/* --- plan_slots.c: from bins to the plan's groups and slots */

int plan_number(struct plan_needs *needs, struct gpmu_plan *plan);

#endif /* GPMU_PLAN_BUILD_H */
