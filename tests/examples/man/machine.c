// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the nodes and PMUs of this machine, or of one below a folder. */
#include <stdio.h>

#include <gpmu.h>

static void show_nodes(const struct gpmu_machine *machine)
{
	const struct gpmu_node *node;

	printf("%s: %zu CPUs online\n", gpmu_machine_root(machine),
	       gpmu_machine_online_cpus(machine, NULL));
	for (size_t i = 0; (node = gpmu_machine_node(machine, i)); i++)
		printf("node %d: socket %d, %zu CPUs\n",
		       gpmu_node_number(node), gpmu_node_package(node),
		       gpmu_node_cpus(node, NULL));
}

static void show_pmus(const struct gpmu_machine *machine)
{
	const struct gpmu_node *node;
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++) {
		node = gpmu_pmu_node(pmu);
		printf("%s: node %d, %d counters\n", gpmu_pmu_name(pmu),
		       node ? gpmu_node_number(node) : -1,
		       gpmu_pmu_counter_count(pmu));
	}
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	const char *warning;

	machine = gpmu_machine_new(argc > 1 ? argv[1] : NULL, &error);
	if (!machine) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (size_t i = 0; (warning = gpmu_machine_warning(machine, i));
	     i++)
		fprintf(stderr, "%s\n", warning);
	show_nodes(machine);
	show_pmus(machine);
	gpmu_machine_free(machine);
	return 0;
}
