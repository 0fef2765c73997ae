/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan: metrics and events, in groups that fit */
#ifndef GPMU_PLAN_API_H
#define GPMU_PLAN_API_H

#include <gpmu/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What is counted at the same time. A group is of one PMU, so that an event on
 * nvidia_scf_pmu is in a group of nvidia_scf_pmu_0 and in one of nvidia_scf_pmu_1. All
 * that a metric takes from a PMU is in one group: its ratios are never of counts of
 * different times. Metrics share groups where they can, to have as few as possible.
 */
struct gpmu_plan;
struct gpmu_group;

/**
 * struct gpmu_plan_options - how groups are made
 * @size: of this structure
 * @no_merge: 1: no metric shares a group with another, perf's --metric-no-merge
 * @system_wide: 1: CPUs are counted, 0: tasks; what #core_wide and #target_cpu are
 * @fits: whether these events of one PMU can be counted at the same time: 1, 0, or
 *	< 0 if that cannot be known. Asked where caps/ do not say it. NULL: not known
 * @user: handed to it
 * @user_only: 1: as perf does where the kernel allows no more (perf_event_paranoid of 2),
 *	events have the modifier u unless theirs say who runs; not those of PMUs that count
 *	the whole machine. Names in rows then end in it, also those of metrics of such
 *	events: "task-clock:u", "ipc:u"
 */
struct gpmu_plan_options {
	size_t size;
	int no_merge;
	int system_wide;
	int (*fits)(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user);
	void *user;
	int user_only;
};

/**
 * gpmu_plan_new() - a plan of nothing
 * @machine: what there is to count; it must outlive the plan
 * @catalog: whose metrics and events; it must outlive the plan, and nothing may be
 *	added to it as long
 * @options: NULL: all 0. Not kept
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno ENOMEM, or EINVAL (@options are smaller than their size)
 */
struct gpmu_plan *gpmu_plan_new(const struct gpmu_machine *machine,
				const struct gpmu_catalog *catalog,
				const struct gpmu_plan_options *options,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_plan_free(struct gpmu_plan *plan);

/**
 * gpmu_plan_add_metrics() - adds what is to be computed
 * @plan: it is as it was if this fails
 * @list: "GraceMemBW,GracePcieReadBW/root_port=0x3/,grace_c2c0": names of metrics and
 *	of groups of them, in upper or lower case. A filter between slashes takes the
 *	place of that in the metric's events whose PMU has such a format. ":u" and other
 *	modifiers are those of all its events
 * @error: set on failure, or NULL. Its offset is that in @list
 *
 * A metric that is there already is not added again. One that the machine cannot count
 * is added, and a warning.
 *
 * Return: 0; -ENOENT (no such metric; the error names the nearest), -EINVAL (not of
 * that form, a filter that none of its PMUs has, or a formula that uses itself),
 * -EBUSY (the plan is made) or -ENOMEM
 */
int gpmu_plan_add_metrics(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);
/*
 * Likewise events, as perf's -e takes them: "cycles,{a,b}:u,c". Each is counted by itself;
 * those of a PMU that can count all of them all the time are a group, as to read them costs
 * less then, and no count differs. Those in braces are counted together; of braces that hold
 * events of several PMUs there is a group for each. "sched:*" is all those tracepoints, one by
 * one. Returns also what gpmu_event_new() fails with; what the machine has no PMU for is no
 * failure, but a warning.
 */
int gpmu_plan_add_events(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);

/**
 * gpmu_plan_make() - makes the groups
 * @plan: nothing can be added afterwards; after a failure it can only be freed
 * @error: set on failure, or NULL
 *
 * Return: 0, -EBUSY (this was done) or -ENOMEM
 */
int gpmu_plan_make(struct gpmu_plan *plan, struct gpmu_error *error);
/* What cannot be counted, or had to be assumed: one line each; NULL after the last; borrowed */
const char *gpmu_plan_warning(const struct gpmu_plan *plan, size_t index);

/* Of a plan that is made: how many groups; one of them, NULL after the last; borrowed */
size_t gpmu_plan_groups(const struct gpmu_plan *plan);
const struct gpmu_group *gpmu_plan_group(const struct gpmu_plan *plan, size_t index);
/* NULL: of none that sysfs shows, or counted by libgpmu itself */
const struct gpmu_pmu *gpmu_group_pmu(const struct gpmu_group *group);
/* "nvidia_scf_pmu_0/cmem_rd_data/"; NULL after the last; borrowed */
const char *gpmu_plan_group_event(const struct gpmu_plan *plan, size_t group, size_t index);

/**
 * gpmu_plan_text() - a plan for any perf
 *
 * "duration_time,{nvidia_scf_pmu_0/event=cycles/,nvidia_scf_pmu_0/cmem_rd_access/},...", what
 * "perf stat -e" takes: the groups in their order, duration_time first if a metric
 * needs it.
 *
 * Return: new, the caller's to free(); NULL with errno ENOMEM
 */
char *gpmu_plan_text(const struct gpmu_plan *plan);

/*
 * Of a plan that is made: what was asked for, in that order, "GracePcieReadBW/root_port=0x3/";
 * NULL after the last; borrowed
 */
const char *gpmu_plan_item(const struct gpmu_plan *plan, size_t index);
/* Whether it is a metric: 1, 0; why it cannot be counted, one line, or NULL */
int gpmu_plan_item_is_metric(const struct gpmu_plan *plan, size_t index);
const char *gpmu_plan_item_why(const struct gpmu_plan *plan, size_t index);
/* 1 if events of a group are counted for it, 0 if not */
int gpmu_plan_group_has_item(const struct gpmu_plan *plan, size_t group, size_t index);
/* How many event counters of its PMU a group takes, without the cycle counter; -1: not known */
int gpmu_plan_group_counters(const struct gpmu_plan *plan, size_t group);

/*
 * Asks the kernel, or the PMU's source, whether events can be counted at the same time, for
 * struct gpmu_plan_options: 1, 0, < 0: it does not say, as to who has no permission
 */
int gpmu_probe_fits(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_PLAN_API_H */
