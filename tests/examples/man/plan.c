// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the events of metrics in the syntax of "perf stat -e". */
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

int main(int argc, char **argv)
{
	const char *list = argc > 1 ? argv[1] : "GraceMemBW";
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_plan *plan = NULL;
	const char *warning;
	char *text = NULL;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
	if (plan && !gpmu_plan_add_metrics(plan, list, &error) &&
	    !gpmu_plan_make(plan, &error))
		text = gpmu_plan_text(plan);
	for (size_t i = 0;
	     text && (warning = gpmu_plan_warning(plan, i)); i++)
		fprintf(stderr, "%s\n", warning);
	if (text)
		printf("%s\n", text);
	else
		fprintf(stderr, "%s\n", error.text);
	free(text);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return text ? 0 : 1;
}
