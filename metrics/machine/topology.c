// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <stdio.h>

#include "machine/machine.h"

/* Returns @missing for a file that is missing or has no number from 0. */
static int read_id(const struct gpmu_machine *machine, int cpu, const char *name, int missing)
{
	char path[96], text[32];
	int64_t number;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	if (gpmu_machine_read(machine, path, text, sizeof(text)) <= 0 ||
	    !sysfs_parse_number(text, 0, INT_MAX, &number))
		return missing;
	return (int)number;
}

struct cpu_topology topology_read(const struct gpmu_machine *machine, int cpu)
{
	const struct cpus single = { .ids = &cpu, .len = 1 };
	const struct gpmu_node *node = nodes_find(&machine->nodes, &single);

	return (struct cpu_topology){
		.package = node && node->package >= 0 ? node->package :
			   read_id(machine, cpu, "physical_package_id", -1),
		.die = read_id(machine, cpu, "die_id", 0),
		.core = read_id(machine, cpu, "core_id", cpu),
	};
}
