// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pmu NAME [ROOT]: describes a PMU: how perf_event_open(2) selects it, what it can count, and the
 * syntax of its events. ROOT is a folder with the sysfs of another machine.
 */
#include <inttypes.h>
#include <stdio.h>

#include <gpmu.h>

static void show_machine(const struct gpmu_machine *machine)
{
	char release[80];

	if (gpmu_machine_read(machine, "proc/sys/kernel/osrelease", release, sizeof(release)) > 0)
		printf("Linux %s\n", release);
	if (gpmu_machine_midr(machine))
		printf("MIDR_EL1 %#" PRIx64 "\n", gpmu_machine_midr(machine));
}

static void show_scope(const struct gpmu_pmu *pmu)
{
	const int *cpus;
	size_t n = gpmu_pmu_cpus(pmu, &cpus);

	if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
		printf("a PMU of the cores\n");
	if (gpmu_pmu_has_cpumask(pmu))
		printf("an event counts the whole socket and is opened on CPU %d\n",
		       n ? cpus[0] : -1);
	if (gpmu_pmu_number(pmu) >= 0)
		printf("number %d\n", gpmu_pmu_number(pmu));
}

static void show_counters(const struct gpmu_pmu *pmu)
{
	const char *identifier = gpmu_pmu_identifier(pmu);

	printf("type %" PRIu32 ", identifier %s\n", gpmu_pmu_type(pmu),
	       identifier ? identifier : "unknown");
	if (gpmu_pmu_counter_count(pmu) >= 0)
		printf("%d counters of %d bits%s\n", gpmu_pmu_counter_count(pmu),
		       gpmu_pmu_counter_width(pmu),
		       gpmu_pmu_cycle_counter(pmu) == 1 ? " and a cycle counter" : "");
}

static void show_events(const struct gpmu_pmu *pmu)
{
	const char *name, *unit, *description;

	for (size_t i = 0; (name = gpmu_pmu_format_name(pmu, i)); i++)
		printf("format %s: %s\n", name, gpmu_pmu_format(pmu, name));
	for (size_t i = 0; (name = gpmu_pmu_event_name(pmu, i)); i++) {
		unit = gpmu_pmu_event_unit(pmu, name);
		printf("event %s: %s%s%s\n", name, gpmu_pmu_event(pmu, name), unit ? ", in " : "",
		       unit ? unit : "");
	}
	for (size_t i = 0; (name = gpmu_pmu_source_event(pmu, i, &unit, &description)); i++)
		printf("event %s%s%s\n", name, description ? ": " : "", description ? description : "");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "software";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(argc > 2 ? argv[2] : NULL, &error);
	const struct gpmu_pmu *pmu = machine ? gpmu_machine_find_pmu(machine, name) : NULL;

	if (pmu) {
		show_machine(machine);
		show_scope(pmu);
		show_counters(pmu);
		show_events(pmu);
	} else {
		fprintf(stderr, "pmu: %s: %s\n", name, machine ? "no such PMU" : error.text);
	}
	gpmu_machine_free(machine);
	return pmu ? 0 : 1;
}
