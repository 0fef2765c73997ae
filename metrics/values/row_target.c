// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds, once for a layout, the units to which each target of each slot can belong: its node, CPU,
 * task or GPU, and the socket, die or core if rows cover one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "values/row_maker.h"

int row_first_cpu(const struct row_maker *maker, int number)
{
	const struct gpmu_node *node = machine_find_node(maker->plan->machine, number);
	const int *cpus;

	return node && gpmu_node_cpus(node, &cpus) ? cpus[0] : -1;
}

/* The node of a slot without targets; -1: not known, or none */
static int lost_node(const struct row_slot *slot)
{
	if (!slot->is_uncore)
		return -1;
	if (gpmu_pmu_node(slot->pmu))
		return gpmu_node_number(gpmu_pmu_node(slot->pmu));
	return gpmu_pmu_kind(slot->pmu) == GPMU_PMU_OTHER ? -1 : gpmu_pmu_number(slot->pmu);
}

static int add_target(struct row_maker *maker, const struct row_slot *slot, size_t index, const struct target *target)
{
	struct row_target *added = vector_append(maker->targets, maker->target_count);

	if (!added)
		return -ENOMEM;
	added->index = index;
	memset(added->numbers, -1, sizeof(added->numbers));
	added->numbers[GPMU_SCOPE_GPU] = slot->gpu;
	added->numbers[GPMU_SCOPE_NODE] = target->node;
	added->numbers[GPMU_SCOPE_CPU] = target->cpu;
	added->numbers[GPMU_SCOPE_THREAD] = target->tid;
	return 0;
}

static int add_slot(struct row_maker *maker, size_t index, const struct counts_slot *counts)
{
	const struct event_instance *instance = maker->plan->slots[index].instance;
	const struct gpmu_gpu *gpu = instance->pmu ? gpmu_pmu_gpu(instance->pmu) : NULL;
	struct row_slot *slot = &maker->slots[index];
	struct target none = { .cpu = -1, .node = -1, .tid = -1 };
	int ret = 0;

	*slot = (struct row_slot){
		.pmu = instance->pmu,
		.first = maker->target_count,
		.is_uncore = instance->pmu && gpmu_pmu_has_cpumask(instance->pmu),
		.gpu = gpu ? (int)gpmu_gpu_number(gpu) : -1,
	};
	if (instance->tool != EVENT_TOOL_NONE) {
		ret = add_target(maker, slot, ROW_TOOL, &none);
	} else if (!counts->length) {
		none.node = lost_node(slot);
		ret = add_target(maker, slot, ROW_LOST, &none);
	}
	for (size_t i = 0; instance->tool == EVENT_TOOL_NONE && i < counts->length && !ret; i++)
		ret = add_target(maker, slot, i, &counts->targets[i]);
	slot->length = maker->target_count - slot->first;
	return ret;
}

/* --- groups of CPUs --- */

static int compare(const void *a, const void *b)
{
	const struct cpu_topology *x = a, *y = b;

	if (x->package != y->package)
		return (x->package > y->package) - (x->package < y->package);
	if (x->die != y->die)
		return (x->die > y->die) - (x->die < y->die);
	return (x->core > y->core) - (x->core < y->core);
}

/* Returns NULL if out of memory. */
static const struct cpu_topology *read_cpu(struct row_maker *maker, int number)
{
	struct row_cpu *cpu;

	while (maker->cpu_count <= (size_t)number)
		if (!vector_append(maker->cpus, maker->cpu_count))
			return NULL;
	cpu = &maker->cpus[number];
	if (!cpu->is_known)
		*cpu = (struct row_cpu){ true, topology_read(maker->plan->machine, number) };
	return &cpu->topology;
}

/*
 * Sets the group of a target, in which numbers that its rows do not distinguish are 0. A node that only a source
 * describes can lack CPUs. Returns 1; 0: not known; or -ENOMEM.
 */
static int find_group(struct row_maker *maker, const struct row_target *target, struct cpu_topology *group)
{
	int cpu = target->numbers[GPMU_SCOPE_CPU], number = target->numbers[GPMU_SCOPE_NODE];
	const struct gpmu_node *node = machine_find_node(maker->plan->machine, number);
	const struct cpu_topology *known;

	if (cpu < 0)
		cpu = row_first_cpu(maker, number);
	if (cpu >= 0) {
		known = read_cpu(maker, cpu);
		if (!known)
			return -ENOMEM;
		*group = *known;
	} else if (node && gpmu_node_package(node) >= 0) {
		*group = (struct cpu_topology){ .package = gpmu_node_package(node) };
	} else {
		return 0;
	}
	if (maker->scope == GPMU_SCOPE_SOCKET)
		group->die = 0;
	if (maker->scope != GPMU_SCOPE_CORE)
		group->core = 0;
	return 1;
}

/* Sorts the groups of all targets, each once. */
static void unite_groups(struct row_maker *maker)
{
	size_t n = 0;

	if (!maker->group_count)
		return;
	qsort(maker->groups, maker->group_count, sizeof(*maker->groups), compare);
	for (size_t i = 1; i < maker->group_count; i++)
		if (compare(&maker->groups[n], &maker->groups[i]))
			maker->groups[++n] = maker->groups[i];
	maker->group_count = n + 1;
}

static int make_groups(struct row_maker *maker)
{
	struct cpu_topology group, *found;

	for (size_t i = 0; i < maker->target_count; i++) {
		int ret = find_group(maker, &maker->targets[i], &group);

		if (ret > 0)
			ret = vector_append_value(maker->groups, maker->group_count, group);
		if (ret < 0)
			return ret;
	}
	unite_groups(maker);
	for (size_t i = 0; i < maker->target_count; i++) {
		if (find_group(maker, &maker->targets[i], &group) <= 0)
			continue;
		found = bsearch(&group, maker->groups, maker->group_count, sizeof(group), compare);
		maker->targets[i].numbers[maker->scope] = (int)(found - maker->groups);
	}
	return 0;
}

int row_targets_make(struct row_maker *maker, const struct gpmu_counts *counts)
{
	int ret = 0;

	maker->slots = calloc(counts->slot_count + 1, sizeof(*maker->slots));
	if (!maker->slots)
		return -ENOMEM;
	for (size_t i = 0; i < counts->slot_count && !ret; i++)
		ret = add_slot(maker, i, &counts->slots[i]);
	return ret || !row_is_group(maker->scope) ? ret : make_groups(maker);
}
