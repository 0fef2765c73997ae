// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * For plan-upstream.t and plan-perf.t: plans of a machine and a path's metrics.
 *
  *   plan-dump ROOT PATH           plans each metric of PATH, then all at once; prints how many
  *   plan-dump ROOT PATH LIST      prints the text and warnings of a plan of LIST
  *   plan-dump --events ROOT LIST  prints the text of a plan of these events
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"

static int fail(const char *what, const struct gpmu_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->text);
	return 1;
}

static struct gpmu_plan *plan_of(const struct gpmu_machine *machine,
				 const struct gpmu_catalog *catalog, const char *list,
				 struct gpmu_error *error)
{
	struct gpmu_plan *plan = gpmu_plan_new(machine, catalog, NULL, error);

	if (plan && !gpmu_plan_add_metrics(plan, list, error) && !gpmu_plan_make(plan, error))
		return plan;
	gpmu_plan_free(plan);
	return NULL;
}

static int show(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		const char *list)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan = plan_of(machine, catalog, list, &error);
	const char *warning;
	char *text;

	if (!plan)
		return fail(list, &error);
	text = gpmu_plan_text(plan);
	puts(text ? text : "no memory");
	free(text);
	for (size_t i = 0; (warning = gpmu_plan_warning(plan, i)); i++)
		printf("warning: %s\n", warning);
	gpmu_plan_free(plan);
	return 0;
}

static int add_all(struct gpmu_plan *plan, const struct gpmu_catalog *catalog, size_t from,
		   size_t to)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_metric *metric;

	for (; from < to && (metric = gpmu_catalog_metric(catalog, from)); from++)
		if (gpmu_plan_add_metrics(plan, gpmu_metric_name(metric), &error))
			return fail(gpmu_metric_name(metric), &error);
	if (gpmu_plan_make(plan, &error))
		return fail("make", &error);
	free(gpmu_plan_text(plan));
	return 0;
}

/* Plans each metric alone, then all together. */
static int plan_all(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog)
{
	size_t i, groups, missing = 0;
	struct gpmu_plan *plan;
	int ret = 0;

	for (i = 0; gpmu_catalog_metric(catalog, i) && !ret; i++) {
		plan = gpmu_plan_new(machine, catalog, NULL, NULL);
		ret = add_all(plan, catalog, i, i + 1);
		missing += !gpmu_plan_group_count(plan);
		gpmu_plan_free(plan);
	}
	plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	ret = ret ? ret : add_all(plan, catalog, 0, i);
	groups = gpmu_plan_group_count(plan);
	gpmu_plan_free(plan);
	printf("%zu metrics, %zu of them not counted, %zu groups\n", i, missing, groups);
	return ret;
}

static int show_events(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		       const char *list)
{
	struct gpmu_plan *plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	struct gpmu_error error = { .size = sizeof(error) };
	char *text;

	if (!plan || gpmu_plan_add_events(plan, list, &error) || gpmu_plan_make(plan, &error)) {
		gpmu_plan_free(plan);
		return fail(list, &error);
	}
	text = gpmu_plan_text(plan);
	puts(text ? text : "no memory");
	free(text);
	gpmu_plan_free(plan);
	return 0;
}

int main(int argc, char **argv)
{
	int events = argc > 1 && !strcmp(argv[1], "--events"), ret;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;

	if (argc < 3 || argc > 4)
		return 2;
	if (events && argc != 4)
		return 2;
	machine = gpmu_machine_new(argv[1 + events], &error);
	catalog = gpmu_catalog_new(events ? NULL : argv[2], &error);
	if (!machine || !catalog)
		ret = fail(argv[2], &error);
	else if (events)
		ret = show_events(machine, catalog, argv[3]);
	else
		ret = argc == 4 ? show(machine, catalog, argv[3]) : plan_all(machine, catalog);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
