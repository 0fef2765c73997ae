// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * regions [EVENTS [METRICS]]: counts the phases of a program and prints a table of regions and
 * counters.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

#define ELEMENTS	(1u << 20)
#define STEPS		10

static int fail(const char *what)
{
	fprintf(stderr, "regions: %s\n", what);
	return 1;
}

/* The first phase touches its pages for the first time; later phases reuse them. */
static double work(struct gpmu_session *session)
{
	double *values, sum = 0;

	gpmu_region_begin(session, "fill");
	values = malloc(ELEMENTS * sizeof(*values));
	for (unsigned int i = 0; values && i < ELEMENTS; i++)
		values[i] = i;
	gpmu_region_end(session, "fill");
	for (unsigned int step = 0; values && step < STEPS; step++) {
		gpmu_region_begin(session, "step");
		for (unsigned int i = 0; i < ELEMENTS; i++)
			values[i] = sqrt(values[i]);
		gpmu_region_begin(session, "sum");
		for (unsigned int i = 0; i < ELEMENTS; i++)
			sum += values[i];
		gpmu_region_end(session, "sum");
		gpmu_region_end(session, "step");
	}
	free(values);
	return sum;
}

int main(int argc, char **argv)
{
	const char *events = argc > 1 ? argv[1] : "page-faults:u,task-clock:u";
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_session *session = NULL;
	struct gpmu_plan *plan = NULL;
	int ret = 1;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
	if (plan && !gpmu_plan_add_events(plan, events, &error) &&
	    (argc < 3 || !gpmu_plan_add_metrics(plan, argv[2], &error)) &&
	    !gpmu_plan_make(plan, &error))
		session = gpmu_session_new(plan, NULL, &error);
	if (!session) {
		fail(error.text);
	} else if (gpmu_session_enable(session)) {
		fail("the counters cannot be enabled");
	} else {
		double sum = work(session);

		gpmu_session_disable(session);
		ret = gpmu_regions_print(session, stdout) || !isfinite(sum);
	}
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
