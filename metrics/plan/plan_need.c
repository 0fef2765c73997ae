// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects the events that each metric and each requested event needs on each PMU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "plan/plan_build.h"

/* --- lists --- */

bool plan_has_member(const struct plan_member *members, size_t length, size_t number)
{
	for (size_t i = 0; i < length; i++)
		if (members[i].number == number)
			return true;
	return false;
}

/* Appends an empty need; NULL if out of memory. */
static struct plan_need *add_need(struct plan_needs *needs, size_t metric)
{
	const struct plan_need need = { .metric = metric, .bin = PLAN_NONE, .width = 1 };

	return vector_append_value(needs->list, needs->length, need) ? NULL : &needs->list[needs->length - 1];
}

static int add_member(struct plan_need *need, const struct plan_member *member)
{
	return vector_append_value(need->members, need->length, *member);
}

void plan_needs_release(struct plan_needs *needs)
{
	for (size_t i = 0; i < needs->length; i++)
		free(needs->list[i].members);
	for (size_t i = 0; i < needs->bin_count; i++)
		free(needs->bins[i].members);
	free(needs->list);
	free(needs->bins);
	free(needs->numbers);
}

/* --- numbers of instances that are equal to the kernel --- */

static bool is_same_to_kernel(const struct event_instance *a, const struct event_instance *b)
{
	return plan_is_same_pmu(a, b) && a->attr.config == b->attr.config &&
	       !memcmp(&a->attr, &b->attr, sizeof(a->attr));
}

int plan_number_member(struct plan_needs *needs, struct plan_member *member)
{
	for (size_t i = 0; i < needs->number_count; i++) {
		if (is_same_to_kernel(needs->numbers[i].instance, member->instance)) {
			member->number = i;
			return 0;
		}
	}
	member->number = needs->number_count;
	return vector_append_value(needs->numbers, needs->number_count, *member);
}

/* --- metrics --- */

static size_t watchdog(const struct gpmu_plan *plan)
{
	char text[16];

	return gpmu_machine_read(plan->machine, "proc/sys/kernel/nmi_watchdog", text,
				 sizeof(text)) > 0 && strcmp(text, "0");
}

/*
 * Handles MetricConstraint as perf does: the events of a constrained metric are counted one by
 * one. The NMI watchdog or the core's other thread occupies a counter that one of the events
 * needs, or the events never fit together.
 */
static bool is_grouped(struct gpmu_plan *plan, const struct plan_metric *metric)
{
	const char *constraint = metric->metric->constraint;

	if (!constraint)
		return true;
	if (!strcmp(constraint, "NO_GROUP_EVENTS_NMI") ||
	    !strcmp(constraint, "NO_NMI_WATCHDOG") ||
	    !strcmp(constraint, "NO_THRESHOLD_AND_NMI"))
		return !watchdog(plan);
	if (!strcmp(constraint, "NO_GROUP_EVENTS_SMT"))
		return plan_literal(plan, "smt_on") != 1;
	return strcmp(constraint, "NO_GROUP_EVENTS") != 0;
}

/*
 * Adds an instance to the metric's need of its PMU. Events that libgpmu counts itself have
 * no group.
 */
static int need_instance(struct plan_needs *needs, size_t root, size_t from, bool is_grouped,
			 struct plan_member *member)
{
	struct plan_need *need;
	int ret;

	ret = plan_number_member(needs, member);
	if (ret)
		return ret;
	for (size_t i = from; i < needs->length; i++) {
		need = &needs->list[i];
		if (plan_has_member(need->members, need->length, member->number))
			return 0;
		if (is_grouped && !need->is_alone &&
		    plan_is_same_pmu(need->members[0].instance, member->instance))
			return add_member(need, member);
	}
	need = add_need(needs, root);
	if (!need)
		return -ENOMEM;
	need->is_alone = !is_grouped;
	return add_member(need, member);
}

/* Collects the needs of the metric @root and of all metrics that it uses. */
static int gather(struct plan_needs *needs, struct gpmu_plan *plan, size_t root)
{
	bool has_group = is_grouped(plan, &plan->metrics[root]);
	struct plan_member member = { .number = 0 };
	const struct plan_metric *metric;
	size_t from = needs->length;
	int ret = 0;

	for (size_t i = root; i < plan->metric_count && plan->metrics[i].root == root; i++) {
		metric = &plan->metrics[i];
		for (size_t j = 0; j < plan_ids(metric->expr); j++) {
			if (metric->inputs[j].kind != PLAN_SLOTS)
				continue;
			member.event = plan->events[metric->inputs[j].event].event;
			for (size_t k = 0; k < member.event->length && !ret; k++) {
				member.instance = &member.event->instances[k];
				ret = need_instance(needs, root, from, has_group, &member);
			}
		}
	}
	return ret;
}

/*
 * Reason why a formula's event is missing; for an unknown name, also the formula's file
 * and line
 */
static char *why_of_event(const struct gpmu_plan *plan, const struct plan_metric *used,
			  const struct plan_event *event)
{
	const struct gpmu_metric *metric = used->metric;
	const bool is_part = used->root != (size_t)(used - plan->metrics);
	const char *near = NULL;

	if (!event->is_unknown)
		return strdup(event->why);
	if (!strstr(event->why, "did you mean"))
		near = plan_nearest_metric(plan, event->label);
	return text_print("%s%s (%s:%u): %s%s%s%s", is_part ? "the formula of " : "its formula",
			  is_part ? used->label : "", gpmu_metric_file(metric),
			  gpmu_metric_line(metric), event->why,
			  near ? ", did you mean the metric " : "", near ? near : "",
			  near ? "?" : "");
}

/* Finds a missing event or metric: @*why is a new text, or NULL if all are there. */
static int missing(const struct gpmu_plan *plan, size_t root, char **why)
{
	const struct plan_metric *metric;
	const struct plan_event *event;

	*why = NULL;
	for (size_t i = root; i < plan->metric_count && plan->metrics[i].root == root; i++) {
		metric = &plan->metrics[i];
		if (metric->why) {
			*why = strdup(metric->why);
			return *why ? 0 : -ENOMEM;
		}
		for (size_t j = 0; j < plan_ids(metric->expr); j++) {
			if (metric->inputs[j].kind != PLAN_SLOTS)
				continue;
			event = &plan->events[metric->inputs[j].event];
			if (!event->why)
				continue;
			*why = why_of_event(plan, metric, event);
			return *why ? 0 : -ENOMEM;
		}
	}
	return 0;
}

/* Sets @*why to the reason why a need does not fit, or to NULL. */
static int misfit(struct gpmu_plan *plan, const struct plan_need *need, char **why)
{
	int fits = plan_fits(plan, need->members, need->length);

	*why = NULL;
	if (fits < 0)
		return plan_warn_unknown(plan, need->members[0].instance);
	if (fits)
		return 0;
	*why = plan_misfit(need->members, need->length);
	return *why ? 0 : -ENOMEM;
}

/*
 * Makes a metric unsupported and takes ownership of @why. Its inputs are freed because
 * they would have no slots.
 */
static void not_supported(struct gpmu_plan *plan, size_t root, char *why)
{
	struct plan_metric *metric = &plan->metrics[root];

	free(metric->why);
	metric->why = why;
	free(metric->inputs);
	gpmu_expr_free(metric->expr);
	metric->inputs = NULL;
	metric->expr = NULL;
}

/*
 * Sets @*why to the reason if the PMU, which counts all groups at the same time, cannot count a need together with the needs
 * before it; otherwise to NULL.
 */
static int lack_room(const struct gpmu_plan *plan, const struct plan_needs *needs, size_t index, char **why)
{
	const struct event_instance *first = needs->list[index].members[0].instance;
	struct plan_member *all = NULL;
	size_t length = 0;
	int ret = 0, fits;

	*why = NULL;
	if (!plan_counts_at_once(first->pmu))
		return 0;
	for (size_t i = 0; i <= index; i++)
		for (size_t j = 0; j < needs->list[i].length && !ret; j++)
			if (plan_is_same_pmu(needs->list[i].members[j].instance, first))
				ret = vector_append_value(all, length, needs->list[i].members[j]);
	fits = ret ? ret : plan_fits(plan, all, length);
	free(all);
	if (ret || fits)
		return ret;
	*why = text_print("no room in the one pass of %s beside what was requested before; leave it out or count it in "
			  "another run", gpmu_pmu_name(first->pmu));
	return *why ? 0 : -ENOMEM;
}

static int need_metric(struct plan_needs *needs, struct gpmu_plan *plan, size_t root)
{
	size_t from = needs->length, width = 0;
	char *why = NULL;
	int ret;

	ret = missing(plan, root, &why);
	if (!ret && !why)
		ret = gather(needs, plan, root);
	for (size_t i = from; i < needs->length && !ret && !why; i++)
		ret = misfit(plan, &needs->list[i], &why);
	for (size_t i = from; i < needs->length && !ret && !why; i++) {
		ret = lack_room(plan, needs, i, &why);
		plan->metrics[root].is_without_room = why;
	}
	if (why) {
		while (needs->length > from)
			free(needs->list[--needs->length].members);
		not_supported(plan, root, why);
	}
	for (size_t i = from; i < needs->length; i++)
		width += !needs->list[i].is_alone;
	for (size_t i = from; i < needs->length; i++)
		needs->list[i].width = width;
	return ret;
}

/* --- requested events --- */

/*
 * Returns whether an event may join a group: it is of the same PMU, or one is a software event and
 * the other a core event, a mixture that the kernel allows; and both are of the same cgroup.
 */
static bool may_join(const struct plan_need *need, const struct event_instance *instance)
{
	bool is_software = plan_is_software(instance), is_other;
	const struct event_instance *member;

	for (size_t i = 0; i < need->length; i++) {
		member = need->members[i].instance;
		if (plan_is_same_pmu(member, instance))
			continue;
		if (member->cgroup != instance->cgroup)
			return false;
		is_other = plan_is_software(member);
		if (is_software && is_other)
			continue;
		if (is_software == is_other)
			return false;
		if (is_other)
			member = instance;
		if (!member->pmu || gpmu_pmu_kind(member->pmu) != GPMU_PMU_CORE)
			return false;
	}
	return !instance->tool;
}

static int need_event(struct plan_needs *needs, const struct plan_event *event, size_t from)
{
	struct plan_member member = { .event = event->event, .number = PLAN_NONE };
	bool is_given = event->braces != PLAN_NONE;
	struct plan_need *need;
	size_t j;
	int ret = 0;

	for (size_t i = 0; i < event->event->length && !ret; i++) {
		member.instance = &event->event->instances[i];
		for (j = from; is_given && j < needs->length; j++)
			if (may_join(&needs->list[j], member.instance))
				break;
		need = is_given && j < needs->length ? &needs->list[j] : add_need(needs, PLAN_NONE);
		if (!need)
			return -ENOMEM;
		need->is_given = is_given;
		need->is_alone = true;
		ret = add_member(need, &member);
	}
	return ret;
}

/* Splits a weak group into single events, as perf does when the kernel refuses the group. */
static int break_up(struct plan_needs *needs, size_t index)
{
	struct plan_need *need, *single;
	size_t n = needs->list[index].length;
	int ret = 0;

	for (size_t i = 1; i < n && !ret; i++) {
		single = add_need(needs, PLAN_NONE);
		if (!single)
			return -ENOMEM;
		single->is_alone = true;
		ret = add_member(single, &needs->list[index].members[i]);
	}
	need = &needs->list[index];
	need->is_given = false;
	need->length = 1;
	return ret;
}

/* A group in braces that is not weak stays unchanged, even if the kernel will refuse it. */
static int check_given(struct plan_needs *needs, struct gpmu_plan *plan, size_t index)
{
	const struct plan_need *need = &needs->list[index];
	char *why;
	int ret;

	if (!need->is_given || plan_fits(plan, need->members, need->length))
		return 0;
	if (need->members[0].instance->is_weak)
		return break_up(needs, index);
	why = plan_misfit(need->members, need->length);
	if (!why)
		return -ENOMEM;
	ret = plan_warn(plan, "the group of %s cannot be counted: %s",
			need->members[0].instance->name, why);
	free(why);
	return ret;
}

/* --- needs of the whole plan --- */

/* Adds the needs of metrics that only thresholds use; these come last. */
static int need_hidden(struct plan_needs *needs, struct gpmu_plan *plan)
{
	int ret = 0;

	for (size_t i = 0; i < plan->metric_count && !ret; i++)
		if (plan->metrics[i].root == i && !plan_has_metric(plan, i))
			ret = need_metric(needs, plan, i);
	return ret;
}

int plan_needs_init(struct plan_needs *needs, struct gpmu_plan *plan)
{
	size_t i, n, from = 0, braces = PLAN_NONE;
	const struct plan_event *event;
	int ret = 0;

	*needs = (struct plan_needs){ .length = 0 };
	for (i = 0; i < plan->item_count && !ret; i++) {
		if (plan->items[i].kind == PLAN_ITEM_METRIC) {
			ret = need_metric(needs, plan, plan->items[i].index);
			continue;
		}
		event = &plan->events[plan->items[i].index];
		if (event->braces == PLAN_NONE || event->braces != braces)
			from = needs->length;
		braces = event->braces;
		if (event->event)
			ret = need_event(needs, event, from);
	}
	for (i = 0, n = needs->length; i < n && !ret; i++)
		ret = check_given(needs, plan, i);
	return ret ? ret : need_hidden(needs, plan);
}
