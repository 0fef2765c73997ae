// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks whether events fit together, by the backend that will count them. */
#include <errno.h>
#include <stdlib.h>

#include "machine/pmu.h"
#include "count/counter/backend.h"

int gpmu_probe_fits(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user)
{
	struct event_instance *instances = calloc(length + 1, sizeof(*instances));
	const struct event_instance **list = calloc(length + 1,
						     sizeof(struct event_instance *));
	const struct source_ops *ops = pmu->source ? &source_plugin : &source_perf;
	int ret = -ENOMEM;

	(void)user;
	for (size_t i = 0; instances && list && i < length; i++) {
		instances[i] = (struct event_instance){ .name = pmu->name, .pmu = pmu,
							.attr = *attrs[i] };
		list[i] = &instances[i];
	}
	if (instances && list)
		ret = ops->fits(pmu->source, list, length);
	free(list);
	free(instances);
	return ret;
}
