// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks whether events fit together. The kernel checks this when a group is opened, so
 * the group is opened on the first CPU of its PMU, or on this task, and closed again.
 */
#include <errno.h>
#include <stdlib.h>

#include "count/counter/counter.h"
#include "gpmu.h"

/*
 * Returns 0 if the event can be opened, if need be for user space only; what it may count
 * does not matter here.
 */
static int open_any(struct perf_evsel **event, const struct event_instance *instance,
		    struct perf_evsel *leader, const struct target *target, bool *is_user_only)
{
	struct event_instance only_user = *instance;
	int ret;

	if (*is_user_only)
		only_user.attr.exclude_kernel = only_user.attr.exclude_hv = 1;
	ret = counter_event_open(event, &only_user, leader, target, false, false);
	if (ret != -EACCES || *is_user_only || target->tid < 0)
		return ret;
	/* perf_event_paranoid=2 allows user space only. */
	only_user.attr.exclude_kernel = only_user.attr.exclude_hv = 1;
	ret = counter_event_open(event, &only_user, leader, target, false, false);
	*is_user_only = !ret;
	return ret;
}

static int open_alone(const struct event_instance *instance, const struct target *target, bool is_user_only)
{
	struct perf_evsel *event;
	int ret = open_any(&event, instance, NULL, target, &is_user_only);

	if (!ret)
		counter_event_close(event);
	return ret;
}

int counter_fits(void *self, const struct event_instance *const *instances, size_t length)
{
	struct perf_evsel **events = calloc(length ? length : 1, sizeof(struct perf_evsel *));
	struct target target = { -1, -1, 0 };
	size_t n = 0;
	bool is_user_only = false;
	const int *cpus;
	int ret = 0;

	(void)self;
	if (!events)
		return -ENOMEM;
	if (length && instances[0]->pmu && gpmu_pmu_has_cpumask(instances[0]->pmu)) {
		target.tid = -1;
		if (gpmu_pmu_cpus(instances[0]->pmu, &cpus))
			target.cpu = cpus[0];
		else
			ret = -ENODEV;
	}
	while (!ret && n < length) {
		ret = open_any(&events[n], instances[n], events[0], &target, &is_user_only);
		n += !ret;
	}
	while (n > 0)
		counter_event_close(events[--n]);
	free(events);
	if (ret != -EINVAL && ret != -ENOSPC)
		return ret ? ret : 1;
	for (size_t i = 0; i < length; i++) {
		ret = open_alone(instances[i], &target, is_user_only);
		if (ret)
			return ret;
	}
	return 0;
}
