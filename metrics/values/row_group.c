// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of CPUs that a row covers: sockets, dies and cores. */
#include <errno.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "values/row_maker.h"

int row_first_cpu(const struct row_maker *maker, int number)
{
	const struct gpmu_node *node = machine_find_node(maker->plan->machine, number);
	const int *cpus;

	return node && gpmu_node_cpus(node, &cpus) ? cpus[0] : -1;
}

/* The CPU whose group a count belongs to; -1: not known */
static int cpu_of(const struct row_maker *maker, const struct target *target)
{
	return target->cpu >= 0 ? target->cpu : row_first_cpu(maker, target->node);
}

/*
 * Sets the group of a target, in which numbers that its rows do not distinguish are 0. A node
 * that only a source describes can lack CPUs. false: not known
 */
static bool group_of(const struct row_maker *maker, const struct target *target,
		     struct cpu_topology *group)
{
	const enum gpmu_aggregation aggregation = maker->options.aggregation;
	const struct gpmu_node *node = machine_find_node(maker->plan->machine, target->node);
	int cpu = cpu_of(maker, target);

	if (cpu >= 0 && (size_t)cpu < maker->cpu_count && maker->cpus[cpu].known)
		*group = maker->cpus[cpu].topology;
	else if (cpu < 0 && node && gpmu_node_package(node) >= 0)
		*group = (struct cpu_topology){ .package = gpmu_node_package(node) };
	else
		return false;
	if (aggregation == GPMU_AGGREGATE_SOCKET)
		group->die = 0;
	if (aggregation != GPMU_AGGREGATE_CORE)
		group->core = 0;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct cpu_topology *x = a, *y = b;

	if (x->package != y->package)
		return (x->package > y->package) - (x->package < y->package);
	if (x->die != y->die)
		return (x->die > y->die) - (x->die < y->die);
	return (x->core > y->core) - (x->core < y->core);
}

int row_group_of(const struct row_maker *maker, const struct target *target)
{
	struct cpu_topology group, *found = NULL;

	if (group_of(maker, target, &group) && maker->group_count)
		found = bsearch(&group, maker->groups, maker->group_count, sizeof(group), compare);
	return found ? (int)(found - maker->groups) : -1;
}

int row_group_of_node(const struct row_maker *maker, int node)
{
	const struct target target = { .cpu = -1, .node = node };

	return row_group_of(maker, &target);
}

static int read_cpu(struct row_maker *maker, int cpu)
{
	struct row_cpu *cpus = maker->cpus;

	if (cpu < 0)
		return 0;
	if ((size_t)cpu >= maker->cpu_count) {
		cpus = reallocarray(cpus, (size_t)cpu + 1, sizeof(*cpus));
		if (!cpus)
			return -ENOMEM;
		for (size_t i = maker->cpu_count; i <= (size_t)cpu; i++)
			cpus[i] = (struct row_cpu){ 0 };
		maker->cpus = cpus;
		maker->cpu_count = (size_t)cpu + 1;
	}
	if (!cpus[cpu].known)
		cpus[cpu] = (struct row_cpu){
			.known = true, .topology = topology_read(maker->plan->machine, cpu),
		};
	return 0;
}

static int add_group(struct row_maker *maker, const struct target *target)
{
	struct cpu_topology group, *added;
	int ret = read_cpu(maker, cpu_of(maker, target));

	if (ret || !group_of(maker, target, &group))
		return ret;
	for (size_t i = 0; i < maker->group_count; i++)
		if (!compare(&maker->groups[i], &group))
			return 0;
	added = vector_append(maker->groups, maker->group_count);
	if (!added)
		return -ENOMEM;
	*added = group;
	return 0;
}

int row_groups_make(struct row_maker *maker, const struct gpmu_counts *counts)
{
	const enum gpmu_aggregation aggregation = maker->options.aggregation;
	const struct gpmu_node *node;
	int ret = 0;

	if (aggregation != GPMU_AGGREGATE_SOCKET && aggregation != GPMU_AGGREGATE_DIE &&
	    aggregation != GPMU_AGGREGATE_CORE)
		return 0;
	maker->group_count = 0;
	for (size_t i = 0; i < counts->slot_count; i++)
		for (size_t k = 0; k < counts->slots[i].length && !ret; k++)
			ret = add_group(maker, &counts->slots[i].targets[k]);
	/* A PMU without counts has a row in the group of its node. */
	for (size_t i = 0; !ret && (node = gpmu_machine_node(maker->plan->machine, i)); i++) {
		const struct target target = { .cpu = -1, .node = gpmu_node_number(node) };

		ret = add_group(maker, &target);
	}
	if (maker->group_count)
		qsort(maker->groups, maker->group_count, sizeof(*maker->groups), compare);
	return ret;
}
