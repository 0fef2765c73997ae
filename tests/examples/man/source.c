// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lists the PMUs of a source, such as "model=steady.scenario", or asks it a
 * question, such as "nvml" "gpus".
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

static void list(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_source(pmu))
			printf("%s\n", gpmu_pmu_name(pmu));
}

static int ask(struct gpmu_source *source, const char *question,
	       struct gpmu_error *error)
{
	char *answer;
	int ret = gpmu_source_query(source, question, &answer, error);

	if (!ret)
		printf("%s: %s\n", gpmu_source_name(source), answer);
	free(answer);
	return ret;
}

int main(int argc, char **argv)
{
	struct gpmu_error error = {
		.size = sizeof(error),
		.text = "expected a source",
	};
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_source *source = NULL;
	int ret = 1;

	if (machine && argc > 1)
		source = gpmu_source_new(argv[1], &error);
	if (source && argc > 2)
		ret = ask(source, argv[2], &error);
	else if (source)
		ret = gpmu_machine_add_source(machine, source, &error);
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	else
		list(machine);
	/* The machine holds its own reference. */
	gpmu_source_put(source);
	gpmu_machine_free(machine);
	return ret != 0;
}
