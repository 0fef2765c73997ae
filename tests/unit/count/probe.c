// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether events fit: asked of this kernel, and of the model. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "gpmu.h"
#include "plugin/source-paths.h"
#include "tap.h"

#define SCENARIO	"metrics/sources/model/scenarios/idle.scenario"

static void of_model(struct gpmu_machine *machine)
{
	/* The third is the cycle counter's */
	struct perf_event_attr events[3] = { { .config = 0x1 }, { .config = 0x2 },
					     { .config = 0x100000000 } };
	const struct perf_event_attr *list[] = { &events[0], &events[1], &events[2] };
	struct gpmu_error error = { .text = "" };
	struct gpmu_source *source;
	const struct gpmu_pmu *pmu;

	source = gpmu_source_new(MODEL "=" SCENARIO ",counters=2", &error);
	if (!source || gpmu_machine_add_source(machine, source, &error)) {
		ok(false, "the model opens: %s", error.text);
		return;
	}
	gpmu_source_put(source);
	pmu = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_0");
	ok(gpmu_probe_fits(pmu, list, 2, NULL) == 1, "two events fit two counters of a source");
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 1, "and cycles the cycle counter");
	list[0] = &events[2];
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 0, "of which there is one");
	list[0] = &events[0];
	list[2] = &events[1];
	ok(gpmu_probe_fits(pmu, list, 3, NULL) == 0, "three events do not fit two counters");
}

static void of_kernel(const struct gpmu_machine *machine)
{
	const struct perf_event_attr event = { .size = sizeof(event), .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_PAGE_FAULTS };
	const struct perf_event_attr *const list[] = { &event, &event };
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, "software");
	int ret = pmu ? gpmu_probe_fits(pmu, list, 2, NULL) : -ENODEV;

	ok(ret == 1 || (ret < 0 && ret != -EINVAL), "the kernel counts software events together: %d",
	   ret);
}

int main(void)
{
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);

	of_kernel(machine);
	of_model(machine);
	gpmu_machine_free(machine);
	return done_testing();
}
