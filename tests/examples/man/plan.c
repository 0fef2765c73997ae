// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints which events of metrics are counted at the same time, and the
 * events in the syntax of "perf stat -e". A second argument is a cgroup
 * whose page faults are counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

static void show_group(const struct gpmu_plan *plan, size_t group)
{
	const struct gpmu_pmu *pmu;
	const char *name;

	pmu = gpmu_plan_group_pmu(plan, group);
	printf("group %zu: %s, %d counters\n", group,
	       pmu ? gpmu_pmu_name(pmu) : "no PMU",
	       gpmu_plan_group_counter_count(plan, group));
	for (size_t i = 0;
	     (name = gpmu_plan_group_event(plan, group, i)); i++)
		printf("  %s\n", name);
	for (size_t i = 0; (name = gpmu_plan_item(plan, i)); i++)
		if (gpmu_plan_group_has_item(plan, group, i))
			printf("  for %s\n", name);
}

static void show(const struct gpmu_plan *plan)
{
	char *text = gpmu_plan_text(plan);
	const char *item, *why;

	for (size_t i = 0; (item = gpmu_plan_item(plan, i)); i++) {
		why = gpmu_plan_item_why(plan, i);
		if (why)
			printf("%s cannot be counted: %s\n", item, why);
	}
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++)
		show_group(plan, i);
	printf("%s\n", text ? text : "");
	free(text);
}

int main(int argc, char **argv)
{
	const char *metrics = argc > 1 ? argv[1] : "GraceMemBW";
	const char *cgroup = argc > 2 ? argv[2] : NULL;
	const struct gpmu_plan_options options = {
		.size = sizeof(options),
		.fits = gpmu_probe_fits,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_plan *plan = NULL;
	const char *warning;
	int ret = 1;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, &options, &error);
	if (plan && !gpmu_plan_add_metrics(plan, metrics, &error) &&
	    !gpmu_plan_set_cgroup(plan, cgroup, &error) &&
	    !gpmu_plan_add_events(plan, "page-faults", &error))
		ret = gpmu_plan_make(plan, &error);
	for (size_t i = 0;
	     !ret && (warning = gpmu_plan_warning(plan, i)); i++)
		fprintf(stderr, "%s\n", warning);
	if (!ret)
		show(plan);
	else
		fprintf(stderr, "%s\n", error.text);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret != 0;
}
