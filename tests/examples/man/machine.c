// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the PMUs of this machine. */
#include <stdio.h>

#include <gpmu.h>

int main(void)
{
	struct gpmu_error error = { .text = "" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	const struct gpmu_pmu *pmu;

	if (!machine) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		printf("%s: %d counters\n", gpmu_pmu_name(pmu),
		       gpmu_pmu_counter_count(pmu));
	gpmu_machine_free(machine);
	return 0;
}
