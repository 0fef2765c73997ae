// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of events for perf. perf 7.3 opens an event without a PMU on each PMU that has an event of
 * this name: "cycles" on the cores, but also on a Grace's SCF, PCIe, C2C and CNVLink PMUs, whose
 * counters it takes. Earlier versions open it on the cores only. The cores' own name of the
 * event means the same in all versions.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "event/event.h"
#include "event/event_build.h"
#include "event/gpmu_core.h"

#define CORE_CYCLES	"cpu_cycles"	/* Arm's name in sysfs */

static bool is_cycles(const struct event_instance *instance)
{
	static const char *const names[] = { "cycles", "cpu-cycles" };
	const size_t length = strcspn(instance->name, ":");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == length && !strncmp(instance->name, names[i], length))
			return instance->attr.type == PERF_TYPE_HARDWARE;
	return false;
}

int event_perf_name(const struct gpmu_machine *machine, const struct event_instance *instance,
		    char **name)
{
	const struct gpmu_pmu *pmu = is_cycles(instance) ? gpmu_core_pmu(machine) : NULL;
	const char *modifiers = strchr(instance->name, ':');

	*name = NULL;
	if (!pmu || !gpmu_pmu_event(pmu, CORE_CYCLES))
		return 0;
	*name = text_print("%s/" CORE_CYCLES "/%s", gpmu_pmu_name(pmu), modifiers ? modifiers + 1 : "");
	return *name ? 0 : -ENOMEM;
}
