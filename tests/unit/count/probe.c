// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu_probe_fits(), asked of this kernel and of the model */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "gpmu.h"
#include "plugin/source-paths.h"
#include "tap.h"

#define SCENARIO	"metrics/sources/model/scenarios/idle.scenario"

static void of_model(struct gpmu_machine *machine)
{
	/* The third event is for the cycle counter. */
	struct perf_event_attr events[3] = { { .config = 0x1 }, { .config = 0x2 },
					     { .config = 0x100000000 } };
	const struct perf_event_attr *list[] = { &events[0], &events[1], &events[2] };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source;
	const struct gpmu_pmu *pmu;

	source = gpmu_source_new(MODEL "=" SCENARIO ",counters=2", &error);
	if (!source || gpmu_machine_add_source(machine, source, &error)) {
		ok(false, "probe: the model opens: %s", error.text);
		return;
	}
	gpmu_source_put(source);
	pmu = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_0");
	ok(gpmu_probe_fits(pmu, list, 2, NULL) == 1,
	   "probe: two events fit the two counters of a source");
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 1,
	   "probe: cycles fit beside two events, as they use the cycle counter");
	list[0] = &events[2];
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 0,
	   "probe: two cycle events do not fit the one cycle counter");
	list[0] = &events[0];
	list[2] = &events[1];
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 0, "probe: three events do not fit two counters");
}

static void of_kernel(const struct gpmu_machine *machine)
{
	const struct perf_event_attr event = { .size = sizeof(event), .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_PAGE_FAULTS };
	const struct perf_event_attr *const list[] = { &event, &event };
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, "software");
	int ret = pmu ? gpmu_probe_fits(pmu, list, 2, NULL) : -ENODEV;

	/* Without permission no event can be opened, and none is known to fit. */
	ok(ret == 1 || ret == -EACCES || ret == -EPERM,
	   "probe: two software events fit, or the kernel forbids to count: %d", ret);
}

int main(void)
{
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);

	of_kernel(machine);
	of_model(machine);
	gpmu_machine_free(machine);
	return done_testing();
}
