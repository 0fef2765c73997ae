// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Explains the errno values of perf_event_open(2) and of PMU drivers. The levels of
 * kernel.perf_event_paranoid are those of Documentation/admin-guide/sysctl/kernel.rst in
 * Linux; some distributions have a higher one, which forbids everything.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "count/counter/counter.h"
#include "base/array.h"
#include "base/error.h"
#include "gpmu.h"
#include "machine/sysfs.h"

#define PARANOID	"proc/sys/kernel/perf_event_paranoid"

/*
 * Highest levels that allow all tasks, the user's own tasks, and the user space of the
 * user's own tasks
 */
enum { ALLOWS_SYSTEM = 0, ALLOWS_KERNEL = 1, ALLOWS_USER = 2 };

static const struct refusal {
	int err;
	enum count_state state;
	const char *why;
} refusals[] = {
	{ .err = ENOENT, .state = COUNT_NOT_SUPPORTED, .why = "this kernel or its hardware has no such event" },
	{ .err = ENXIO, .state = COUNT_NOT_SUPPORTED, .why = "this kernel or its hardware has no such event" },
	{ .err = EOPNOTSUPP, .state = COUNT_NOT_SUPPORTED,
	  .why = "its PMU does not support it, or not with its modifiers" },
	{ .err = EINVAL, .state = COUNT_NOT_SUPPORTED, .why = "its PMU refuses its terms or modifiers" },
	{ .err = ERANGE, .state = COUNT_NOT_SUPPORTED, .why = "its PMU refuses its terms" },
	{ .err = ENOSPC, .state = COUNT_NOT_SUPPORTED, .why = "its PMU has no counter for it" },
	/*
	 * libgpmu does not retry without the terms that the kernel lacks: that would be a
	 * different event.
	 */
	{ .err = E2BIG, .state = COUNT_NOT_SUPPORTED,
	  .why = "the kernel is too old for its terms (config3, config4)" },
	{ .err = ENODEV, .state = COUNT_NOT_SUPPORTED, .why = "its CPU is offline, or its PMU is inaccessible" },
	{ .err = EBUSY, .state = COUNT_NOT_COUNTED,
	  .why = "another program, such as perf, uses its PMU's counters" },
	{ .err = EAGAIN, .state = COUNT_NOT_COUNTED, .why = "its PMU has no free counter" },
};

static const struct refusal *find(int err)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].err == err)
			return &refusals[i];
	return NULL;
}

bool counter_error_is_refusal(int err)
{
	return find(err);
}

enum count_state counter_error_state(int err)
{
	const struct refusal *refusal = find(err);

	return refusal ? refusal->state : COUNT_NOT_COUNTED;
}

void counter_error_why(struct gpmu_error *why, int err, size_t together,
		       const struct event_instance *instance, const struct target *target)
{
	const struct refusal *refusal = find(err);
	struct gpmu_error where = { .size = sizeof(where) };

	if (instance->cgroup && err == EINVAL && !together)
		error_set(&where, 0, ", or the kernel is without CONFIG_CGROUP_PERF");
	else if (target->cpu >= 0)
		error_set(&where, 0, " on CPU %d", target->cpu);
	else if (target->tid >= 0 && err == EINVAL && !together)
		error_set(&where, 0, ", or counts only system-wide (-a)");
	if (together)
		error_set(why, 0, "the kernel cannot count these %zu events of %s together%s",
			  together, instance->pmu ? gpmu_pmu_name(instance->pmu) : "its PMU",
			  where.text);
	else
		error_set(why, 0, "%s: %s%s", instance->name,
			  refusal ? refusal->why : error_text(err), where.text);
}

/* INT_MIN: unknown */
static int paranoid(const struct gpmu_machine *machine)
{
	int64_t level;
	char text[32];

	if (gpmu_machine_read(machine, PARANOID, text, sizeof(text)) < 0 ||
	    !sysfs_parse_number(text, -100, 100, &level))
		return INT_MIN;
	return (int)level;
}

/*
 * The kernel's own check returns EACCES. A security module or a container's system call
 * filter returns EPERM. A task of another user yields either.
 */
static void no_permission(struct gpmu_error *error, int err, const struct gpmu_plan *plan,
			  const struct event_instance *instance, const struct target *target)
{
	int level = paranoid(plan->machine), needed = ALLOWS_KERNEL;

	if (target->tid < 0)
		needed = ALLOWS_SYSTEM;
	else if (instance->attr.exclude_kernel)
		needed = ALLOWS_USER;
	if (err == EACCES && level == ALLOWS_USER && needed == ALLOWS_KERNEL)
		error_set(error, 0,
			  "%s: perf_event_paranoid is %d: count user space only (modifier u), "
			  "or get CAP_PERFMON or sysctl kernel.perf_event_paranoid=%d",
			  instance->name, level, needed);
	else if (err == EACCES && level > needed)
		error_set(error, 0,
			  "%s: perf_event_paranoid is %d, which forbids %s: "
			  "get CAP_PERFMON, or sysctl kernel.perf_event_paranoid=%d",
			  instance->name, level, target->tid < 0 ? "to count all tasks" : "this",
			  needed);
	else if (target->tid > 0)
		error_set(error, 0,
			  "%s: not allowed for task %d: be its user, or get CAP_PERFMON; "
			  "in a container its seccomp filter may forbid it",
			  instance->name, target->tid);
	else
		error_set(error, 0,
			  "%s: not allowed (%s): get CAP_PERFMON; "
			  "in a container its seccomp filter may forbid it",
			  instance->name, error_text(err));
}

void counter_error_denied(struct gpmu_error *why, int err, const struct gpmu_plan *plan,
			  const struct event_instance *instance, const struct target *target)
{
	const size_t name = strlen(instance->name) + strlen(": ");

	no_permission(why, err, plan, instance, target);
	if (strlen(why->text) > name)
		memmove(why->text, why->text + name, strlen(why->text + name) + 1);
}

static size_t files_needed(const struct gpmu_plan *plan, const struct source_selection *selection)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->group_count; i++)
		n += counter_targets(NULL, 0, plan, &plan->groups[i], selection) *
		     plan->groups[i].length;
	return n;
}

/* Longer names would leave no room for the remedy. */
#define NAME	"%.48s%s: "

void counter_error_set(struct gpmu_error *error, int err, const struct gpmu_plan *plan,
		       const struct event_instance *instance, const struct target *target,
		       const struct source_selection *selection)
{
	struct gpmu_error where = { .size = sizeof(where) };
	struct rlimit limit = { 0, 0 };

	if (target->cpu >= 0)
		error_set(&where, 0, " on CPU %d", target->cpu);
	switch (err) {
	case EACCES:
	case EPERM:
		no_permission(error, err, plan, instance, target);
		break;
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		error_set(error, 0,
			  NAME "too many open files: %zu are needed to count all, beside others, "
			  "and the limit is %" PRIu64 ": raise it (ulimit -n)",
			  instance->name, where.text, files_needed(plan, selection),
			  (uint64_t)limit.rlim_cur);
		break;
	case ENFILE:
		error_set(error, 0,
			  NAME "too many open files on this machine: raise the limit "
			  "(sysctl fs.file-max)", instance->name, where.text);
		break;
	case EBADF:
		error_set(error, 0, "%s is no cgroup in which this kernel counts events",
			  instance->cgroup ? instance->cgroup->name : "the target");
		break;
	case ENOMEM:
		error_no_memory(error);
		break;
	case ESRCH:
		error_set(error, 0, "task %d has ended", target->tid);
		break;
	case ENOSYS:
		error_set(error, 0, "this kernel has no perf events: CONFIG_PERF_EVENTS is not set");
		break;
	default:
		error_set(error, 0, NAME "%s", instance->name, where.text, error_text(err));
		break;
	}
}
