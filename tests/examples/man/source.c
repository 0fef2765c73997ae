// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the PMUs of a source, such as "model=steady.scenario". */
#include <stdio.h>

#include <gpmu.h>

static void list(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_source(pmu))
			printf("%s\n", gpmu_pmu_name(pmu));
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .text = "expected a source" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_source *source = NULL;
	int ret = 1;

	if (machine && argc == 2)
		source = gpmu_source_new(argv[1], &error);
	if (source && !gpmu_machine_add_source(machine, source, &error))
		ret = 0;
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	else
		list(machine);
	/* The machine holds its own reference. */
	gpmu_source_put(source);
	gpmu_machine_free(machine);
	return ret;
}
