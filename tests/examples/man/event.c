// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints how perf_event_open() opens an event on each of its PMUs. */
#include <stdio.h>

#include <linux/perf_event.h>

#include <gpmu.h>

static void show(const struct gpmu_event *event)
{
	const char *name, *unit = gpmu_event_unit(event);
	const struct perf_event_attr *attr;
	const struct gpmu_pmu *pmu;
	size_t i = 0;

	while ((name = gpmu_event_instance_name(event, i))) {
		attr = gpmu_event_instance_attr(event, i);
		pmu = gpmu_event_instance_pmu(event, i++);
		if (attr)
			printf("%s: type %u, config %#llx\n", name,
			       attr->type, (unsigned long long)attr->config);
		if (pmu && gpmu_pmu_has_cpumask(pmu))
			printf("  on each of %zu CPUs\n",
			       gpmu_pmu_cpus(pmu, NULL));
	}
	printf("a count is %g %s\n", gpmu_event_scale(event),
	       unit ? unit : "events");
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_open(NULL, &error);
	const char *why = machine ? gpmu_tracepoints_why(machine) : NULL;
	struct gpmu_event *event = NULL;

	if (why)
		fprintf(stderr, "no tracepoints: %s\n", why);
	if (machine)
		event = gpmu_event_new(machine, NULL,
				       argc > 1 ? argv[1] : "page-faults",
				       &error);
	if (event)
		show(event);
	else
		fprintf(stderr, "%s\n", error.text);
	gpmu_event_free(event);
	gpmu_machine_free(machine);
	return event ? 0 : 1;
}
