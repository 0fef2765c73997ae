/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan: metrics and events in groups that fit the counters */
#ifndef GPMU_PLAN_API_H
#define GPMU_PLAN_API_H

#include <gpmu/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A plan divides events, and the events of metrics, into groups. The events of a group are
 * counted at the same time. Each group has events of one PMU only: an event of nvidia_scf_pmu
 * is in a group of nvidia_scf_pmu_0 and in a group of nvidia_scf_pmu_1. All events that a
 * metric needs from one PMU are in one group, so that no ratio is computed from counts of
 * different times. Metrics share groups where possible, to keep the number of groups small.
 */
struct gpmu_plan;

/**
 * struct gpmu_plan_options - how groups are made
 * @size: size of this structure
 * @no_merge: 1: no metric shares a group with another one (perf's --metric-no-merge)
 * @system_wide: 1: the plan counts CPUs, 0: tasks. The literals #core_wide and #target_cpu of
 *	formulas have this value
 * @user_only: 1: events get the modifier u, unless they have a modifier for user, kernel or
 *	hypervisor, or count the whole machine. perf does so if perf_event_paranoid is 2. The
 *	names in rows then end in the modifier, also the names of metrics of such events:
 *	"task-clock:u", "ipc:u". -1: as 1 if the kernel allows this process to count its own
 *	tasks in user space only, otherwise as 0
 * @fits: returns 1 if the events of one PMU can be counted at the same time, 0 if not, < 0 if
 *	that is not known. Called if the number of the PMU's counters is not known. NULL: it is
 *	never known whether events fit
 * @user: passed to @fits
 */
struct gpmu_plan_options {
	size_t size;
	int no_merge;
	int system_wide;
	int user_only;
	int (*fits)(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user);
	void *user;
};

/**
 * gpmu_plan_new() - creates an empty plan
 * @machine: must outlive the plan
 * @catalog: provides metrics and events; must outlive the plan, and must not change until then
 * @options: read during the call; NULL: all fields are 0
 * @error: set on failure, or NULL
 *
 * Return: a new plan; NULL with errno ENOMEM, EINVAL (the size of @options is too small) or E2BIG (a
 * member that only a newer libgpmu has is set)
 */
struct gpmu_plan *gpmu_plan_new(const struct gpmu_machine *machine,
				const struct gpmu_catalog *catalog,
				const struct gpmu_plan_options *options,
				struct gpmu_error *error);
/* Frees @plan; NULL is allowed. */
void gpmu_plan_free(struct gpmu_plan *plan);

/**
 * gpmu_plan_add_metrics() - adds metrics to a plan
 * @plan: unchanged on failure
 * @list: names of metrics and of metric groups, in upper or lower case:
 *	"GraceMemBW,GracePcieReadBW/root_port=0x3/,grace_c2c0". A filter between slashes
 *	replaces that of the metric's events whose PMU has such a format. Modifiers such as ":u"
 *	apply to all events of the metric
 * @error: set on failure, or NULL. Its offset is a byte offset in @list
 *
 * A metric that the plan already has is not added again. A metric that the machine cannot count
 * is added with a warning.
 *
 * Return: 0; -ENOENT (no such metric; the error names the most similar one), -ENOTSUP (a name of
 * CUPTI's former APIs that PM sampling cannot collect; the error names the mode that can), -EINVAL
 * (syntax error, a filter that no PMU of the metric has, or a formula that refers to itself),
 * -EBUSY (after gpmu_plan_make()) or -ENOMEM
 */
int gpmu_plan_add_metrics(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);
/*
 * Adds events in the syntax of perf's option -e, "cycles,{a,b}:u,c". Events in braces are one
 * group, or one group for each PMU if there are several PMUs. Other events are counted
 * independently; if the PMU can count all of them all the time, they become one group, which is
 * cheaper to read and does not change any count. "sched:*" adds each tracepoint of that name as
 * an event.
 *
 * Returns as gpmu_plan_add_metrics(), or the error of gpmu_event_new(). An event whose PMU the
 * machine lacks causes a warning, not an error.
 */
int gpmu_plan_add_events(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);

/**
 * gpmu_plan_set_cgroup() - restricts later additions to a plan to the tasks of a cgroup
 * @plan: the plan. Metrics and events that were added before are unchanged
 * @name: path of the cgroup in its hierarchy, "system.slice/ssh.service"; NULL: all tasks. The
 *	hierarchy is that of cgroup v1's controller perf_event, or cgroup v2, wherever the machine
 *	has mounted it
 * @error: set on failure, or NULL
 *
 * A metric or event can be added once for each cgroup; @cgroup of struct gpmu_row has its name.
 * Events of PMUs outside the cores and of sources, user_time and system_time do not belong to
 * tasks: they are added with a warning, and are not supported. A session of the plan needs a
 * target of CPUs (@system or @cpus of struct gpmu_session_options).
 *
 * Return: 0; -ENODEV (no hierarchy is mounted), -ENOENT (no such cgroup), -EACCES, -EMFILE, another
 * error of open(2), -EBUSY (after gpmu_plan_make()) or -ENOMEM
 */
int gpmu_plan_set_cgroup(struct gpmu_plan *plan, const char *name, struct gpmu_error *error);

/**
 * gpmu_plan_make() - makes the groups of a plan
 * @plan: nothing can be added afterwards. After a failure the plan can only be freed
 * @error: set on failure, or NULL
 *
 * Return: 0; -EBUSY if the groups have been made; -ENOMEM
 */
int gpmu_plan_make(struct gpmu_plan *plan, struct gpmu_error *error);
/*
 * Returns a warning about an item that cannot be counted or about an assumption, one line; NULL
 * after the last; borrowed.
 */
const char *gpmu_plan_warning(const struct gpmu_plan *plan, size_t index);

/* After gpmu_plan_make(): returns the number of groups, which are numbered from 0 */
size_t gpmu_plan_group_count(const struct gpmu_plan *plan);
/*
 * Returns the PMU of a group, borrowed from the machine; NULL if sysfs has no PMU for it, or
 * libgpmu itself counts the events.
 */
const struct gpmu_pmu *gpmu_plan_group_pmu(const struct gpmu_plan *plan, size_t group);
/* Returns an event of a group, "nvidia_scf_pmu_0/cmem_rd_data/"; NULL after the last; borrowed */
const char *gpmu_plan_group_event(const struct gpmu_plan *plan, size_t group, size_t index);

/**
 * gpmu_plan_text() - writes the groups of a plan in the syntax of perf stat -e
 *
 * "duration_time,{nvidia_scf_pmu_0/event=cycles/,nvidia_scf_pmu_0/cmem_rd_access/},...": the
 * groups in their order, and duration_time first if a metric needs it. Any version of perf
 * accepts it.
 *
 * Return: a new text, which the caller frees with free(); NULL with errno ENOMEM
 */
char *gpmu_plan_text(const struct gpmu_plan *plan);

/*
 * After gpmu_plan_make(): returns an item, a metric or an event in the order in which they were
 * added, "GracePcieReadBW/root_port=0x3/"; NULL after the last; borrowed.
 */
const char *gpmu_plan_item(const struct gpmu_plan *plan, size_t index);
/* Returns why an item cannot be counted, one line; NULL if it can, and after the last item */
const char *gpmu_plan_item_why(const struct gpmu_plan *plan, size_t index);
/* Returns 1 if a group has events of the item, 0 if not */
int gpmu_plan_group_has_item(const struct gpmu_plan *plan, size_t group, size_t index);
/*
 * Returns the number of event counters that a group needs, without the cycle counter; -1 if not
 * known.
 */
int gpmu_plan_group_counter_count(const struct gpmu_plan *plan, size_t group);

/*
 * Tests with the kernel, or with the PMU's source, whether events can be counted at the same
 * time. It is a function for fits of struct gpmu_plan_options. Returns 1 if they can, 0 if not,
 * < 0 if that is not known, as without permission.
 */
int gpmu_probe_fits(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_PLAN_API_H */
