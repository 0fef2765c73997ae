// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * regions [EVENTS [METRICS]]: what the phases of a program cost, as a table of
 * regions and counters.
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

/* Pages that are touched the first time, then work on what is there */
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

static void print_value(const struct gpmu_row *row)
{
	static const char *const states[] = { "", "idle", "not counted", "not supported" };

	if (row->state == GPMU_OK)
		printf("%20.6g", row->value);
	else
		printf("%20s", states[row->state]);
}

/* A newer libgpmu may have longer rows. */
static const struct gpmu_row *after(const struct gpmu_row *row)
{
	return (const struct gpmu_row *)((const char *)row + row->size);
}

static int print_table(struct gpmu_session *session)
{
	const struct gpmu_row *rows, *row;
	size_t n;

	for (size_t i = 0; i < gpmu_session_regions(session); i++) {
		if (gpmu_region_rows(session, i, &rows, &n))
			return fail("no memory");
		if (!i) {
			printf("%-12s%8s%12s", "region", "visits", "seconds");
			row = rows;
			for (size_t k = 0; k < n; k++, row = after(row))
				printf("%20s", row->name);
			printf("\n");
		}
		printf("%-12s%8llu%12.6f", gpmu_region_name(session, i),
		       (unsigned long long)gpmu_region_visits(session, i), n ? rows->end : 0);
		row = rows;
		for (size_t k = 0; k < n; k++, row = after(row))
			print_value(row);
		printf("\n");
	}
	return 0;
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
		ret = print_table(session) || !isfinite(sum);
	}
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
