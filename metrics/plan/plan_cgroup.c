// SPDX-License-Identifier: LGPL-2.1-or-later
/* The cgroups whose tasks a plan counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/machine.h"
#include "plan/plan_build.h"

static void free_cgroup(struct event_cgroup *cgroup)
{
	if (!cgroup)
		return;
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	free(cgroup->name);
	free(cgroup);
}

void plan_cgroups_release(struct gpmu_plan *plan)
{
	while (plan->cgroup_count)
		free_cgroup(plan->cgroups[--plan->cgroup_count]);
	free(plan->cgroups);
}

/* Appends a cgroup; 0, or -errno with the error set */
static int add_cgroup(struct gpmu_plan *plan, const char *name, struct gpmu_error *error)
{
	struct event_cgroup *cgroup = calloc(1, sizeof(*cgroup)), **added = NULL;
	int ret;

	if (cgroup) {
		cgroup->fd = -1;
		cgroup->name = strdup(name);
	}
	if (cgroup && cgroup->name)
		added = vector_append(plan->cgroups, plan->cgroup_count);
	if (!added) {
		free_cgroup(cgroup);
		return error_no_memory(error);
	}
	*added = cgroup;
	ret = machine_cgroup_open(plan->machine, name, error);
	if (ret < 0)
		return ret;
	cgroup->fd = ret;
	return 0;
}

int gpmu_plan_set_cgroup(struct gpmu_plan *plan, const char *name, struct gpmu_error *error)
{
	int ret;

	if (plan_is_made(plan, error))
		return -EBUSY;
	plan->cgroup = NULL;
	if (!name)
		return 0;
	for (size_t i = 0; i < plan->cgroup_count && !plan->cgroup; i++)
		if (!strcmp(plan->cgroups[i]->name, name))
			plan->cgroup = plan->cgroups[i];
	if (plan->cgroup)
		return 0;
	ret = add_cgroup(plan, name, error);
	if (!ret)
		plan->cgroup = plan->cgroups[plan->cgroup_count - 1];
	return ret;
}

/* Why an instance cannot be counted for a cgroup; NULL: it can */
static const char *why_not(const struct event_instance *instance)
{
	if (instance->tool == EVENT_TOOL_USER_TIME || instance->tool == EVENT_TOOL_SYSTEM_TIME)
		return "user_time and system_time are not counted by cgroup; cpu.stat of the cgroup has them";
	if (instance->pmu && (gpmu_pmu_has_cpumask(instance->pmu) || gpmu_pmu_source(instance->pmu)))
		return "its PMU counts the machine, not the tasks of a cgroup";
	return NULL;
}

int plan_bind_cgroup(const struct gpmu_plan *plan, struct plan_event *event, struct gpmu_error *why)
{
	const char *text;

	for (size_t i = 0; plan->cgroup && i < event->event->length; i++) {
		text = why_not(&event->event->instances[i]);
		if (text) {
			gpmu_event_free(event->event);
			event->event = NULL;
			error_set(why, 0, "%s", text);
			return -ENODEV;
		}
		event->event->instances[i].cgroup = plan->cgroup;
	}
	return 0;
}
