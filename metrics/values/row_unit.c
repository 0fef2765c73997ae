// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The units of values. A PMU outside the cores counts its node, whatever the target is. A
 * metric has a row for a node, a CPU or a group of CPUs only if all its events are counted there;
 * if there is none, it has one row for the whole. An item that counts only GPUs always has a
 * row for each GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "machine/machine.h"
#include "values/row_maker.h"

static const struct event_instance *instance(const struct row_maker *maker, size_t slot)
{
	return maker->plan->slots[slot].instance;
}

bool row_maker_uncore(const struct row_maker *maker, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(maker, slot)->pmu;

	return pmu && gpmu_pmu_has_cpumask(pmu);
}

static bool is_group(enum gpmu_scope scope)
{
	return scope == GPMU_SCOPE_SOCKET || scope == GPMU_SCOPE_DIE || scope == GPMU_SCOPE_CORE;
}

static bool is_tool(const struct row_maker *maker, size_t slot)
{
	return instance(maker, slot)->tool != EVENT_TOOL_NONE;
}

/* The node of a slot without targets; -1: not known, or none */
static int lost_node(const struct row_maker *maker, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(maker, slot)->pmu;

	if (!row_maker_uncore(maker, slot))
		return -1;
	if (gpmu_pmu_node(pmu))
		return gpmu_node_number(gpmu_pmu_node(pmu));
	return gpmu_pmu_kind(pmu) == GPMU_PMU_OTHER ? -1 : gpmu_pmu_number(pmu);
}

/* The number of the GPU that a slot counts, or -1 */
static int gpu_of(const struct row_maker *maker, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(maker, slot)->pmu;
	const struct gpmu_gpu *gpu = pmu ? gpmu_pmu_gpu(pmu) : NULL;

	return gpu ? (int)gpmu_gpu_number(gpu) : -1;
}

bool row_maker_has_target(const struct row_maker *maker, const struct row_unit *unit, size_t slot,
			 const struct target *target)
{
	switch (unit->scope) {
	case GPMU_SCOPE_GPU:
		return gpu_of(maker, slot) == unit->number;
	case GPMU_SCOPE_NODE:
		return target->node == unit->number;
	case GPMU_SCOPE_CPU:
		return target->cpu == unit->number;
	case GPMU_SCOPE_SOCKET:
	case GPMU_SCOPE_DIE:
	case GPMU_SCOPE_CORE:
		return row_group_of(maker, target) == unit->number;
	case GPMU_SCOPE_THREAD:
		return target->tid == unit->number;
	default:
		return true;
	}
}

/*
 * Returns whether a PMU can count on a CPU: a core PMU on its own CPUs; any other, whose CPUs are not
 * known, on each
 */
static bool could_count(const struct gpmu_pmu *pmu, int cpu)
{
	const int *cpus;
	size_t n = pmu ? gpmu_pmu_cpus(pmu, &cpus) : 0;

	for (size_t i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return !n;
}

bool row_maker_has_lost(const struct row_maker *maker, const struct row_unit *unit, size_t slot)
{
	int node = lost_node(maker, slot);

	if (unit->scope == GPMU_SCOPE_GPU)
		return gpu_of(maker, slot) == unit->number;
	if (unit->scope == GPMU_SCOPE_CPU)
		return could_count(instance(maker, slot)->pmu, unit->number);
	if (node >= 0 && is_group(unit->scope))
		return row_group_of_node(maker, node) == unit->number;
	return unit->scope != GPMU_SCOPE_NODE || node < 0 || node == unit->number;
}

static struct cpu_topology topology_of(const struct row_maker *maker, int number)
{
	const struct gpmu_node *node = machine_find_node(maker->plan->machine, number);

	return (struct cpu_topology){ .package = node ? gpmu_node_package(node) : -1 };
}

/* The kernel's name of a task; "" of one that has ended */
static const char *comm_of(struct row_maker *maker, int tid)
{
	char text[32];

	proc_read(tid, "comm", text, sizeof(text));
	return row_maker_text(maker, text, strcspn(text, "\n"));
}

/*
 * Finds or adds a unit. Successive events have their units in the same order, so the search
 * begins after the last one found.
 */
static int add_unit(struct row_maker *maker, enum gpmu_scope scope, int number, int node,
		    size_t *unit)
{
	struct row_unit *added;

	for (size_t i = 0; i < maker->unit_count; i++) {
		*unit = (maker->last_unit + 1 + i) % maker->unit_count;
		if (maker->units[*unit].scope == scope && maker->units[*unit].number == number) {
			maker->last_unit = *unit;
			return 0;
		}
	}
	added = vector_append(maker->units, maker->unit_count);
	if (!added)
		return -ENOMEM;
	*unit = maker->last_unit = maker->unit_count - 1;
	*added = (struct row_unit){
		.scope = scope, .number = number, .node = node, .cpu = -1,
		.topology = is_group(scope) ? maker->groups[number] :
			    topology_of(maker, node),
	};
	if (scope == GPMU_SCOPE_CPU)
		added->cpu = number;
	else if (scope == GPMU_SCOPE_NODE && maker->options.aggregation == GPMU_AGGREGATE_CPU)
		added->cpu = row_first_cpu(maker, number);
	if (scope != GPMU_SCOPE_THREAD)
		return 0;
	added->comm = comm_of(maker, number);
	return added->comm ? 0 : -ENOMEM;
}

int row_maker_whole(struct row_maker *maker, bool uncore, size_t *unit)
{
	return add_unit(maker, maker->options.tasks && !uncore ? GPMU_SCOPE_PROCESS :
			GPMU_SCOPE_MACHINE, -1, -1, unit);
}

/* A node, a CPU, a group of CPUs or a task with counts */
struct key {
	int number;
	int node;	/* -1: none, or several */
	size_t sets;	/* sets 0 to @sets - 1 all have a count for this key */
};

struct keys {
	struct key *list;
	size_t length;
	enum gpmu_scope scope;
};

static int by_number(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void merge_node(struct key *key, int node)
{
	if (key->node != node)
		key->node = -1;
}

static int add_key(struct keys *keys, int number, int node)
{
	struct key *added;

	/* Places are nearly always ascending. */
	if (keys->length && keys->list[keys->length - 1].number == number) {
		merge_node(&keys->list[keys->length - 1], node);
		return 0;
	}
	added = vector_append(keys->list, keys->length);
	if (!added)
		return -ENOMEM;
	*added = (struct key){ .number = number, .node = node };
	return 0;
}

static int key_of(const struct row_maker *maker, const struct keys *keys, size_t slot,
		  const struct target *target)
{
	if (keys->scope == GPMU_SCOPE_GPU)
		return gpu_of(maker, slot);
	if (keys->scope == GPMU_SCOPE_THREAD)
		return target->tid;
	if (is_group(keys->scope))
		return row_group_of(maker, target);
	return keys->scope == GPMU_SCOPE_CPU ? target->cpu : target->node;
}

/* The key of a slot without targets; -1: it can belong to any key */
static int lost_key(const struct row_maker *maker, const struct keys *keys, size_t slot)
{
	if (keys->scope == GPMU_SCOPE_GPU)
		return gpu_of(maker, slot);
	if (is_group(keys->scope))
		return row_group_of_node(maker, lost_node(maker, slot));
	return keys->scope == GPMU_SCOPE_NODE ? lost_node(maker, slot) : -1;
}

static int gather_keys(struct row_maker *maker, const struct gpmu_counts *counts,
		       const struct row_set *set, struct keys *keys)
{
	for (size_t i = 0; i < set->length; i++) {
		const struct counts_slot *slot = &counts->slots[set->slots[i]];
		int ret = 0;

		if (is_tool(maker, set->slots[i]))
			continue;
		if (!slot->length && lost_key(maker, keys, set->slots[i]) >= 0)
			ret = add_key(keys, lost_key(maker, keys, set->slots[i]),
				      lost_node(maker, set->slots[i]));
		for (size_t k = 0; k < slot->length && !ret; k++)
			ret = add_key(keys, key_of(maker, keys, set->slots[i], &slot->targets[k]),
				      slot->targets[k].node);
		if (ret)
			return ret;
	}
	return 0;
}

/* The targets of the slots: tasks; PMUs outside the cores, of GPUs and of others; CPUs */
struct kinds {
	bool tasks, uncore, gpus, others, cpus;
};

/*
 * Gathers keys of events that are counted nowhere, and of times, which have no target. As in perf,
 * such an event has a row wherever another event of its kind is counted, and a time has one row,
 * in the first unit.
 */
static int gather_other_keys(struct row_maker *maker, const struct gpmu_counts *counts,
			     const struct kinds *kinds, struct keys *keys)
{
	int ret = 0;

	for (size_t i = 0; i < counts->slot_count; i++) {
		const struct counts_slot *slot = &counts->slots[i];

		if (is_tool(maker, i) || gpu_of(maker, i) >= 0 ||
		    (kinds->others && row_maker_uncore(maker, i)))
			continue;
		for (size_t k = 0; k < slot->length && !ret; k++)
			ret = add_key(keys, key_of(maker, keys, i, &slot->targets[k]),
				      slot->targets[k].node);
	}
	return ret;
}

static void sort_keys(struct keys *keys)
{
	size_t n = 0;

	if (!keys->length)
		return;
	qsort(keys->list, keys->length, sizeof(*keys->list), by_number);
	for (size_t i = 0; i < keys->length; i++)
		if (!n || keys->list[i].number != keys->list[n - 1].number)
			keys->list[n++] = keys->list[i];
		else
			merge_node(&keys->list[n - 1], keys->list[i].node);
	keys->length = n;
}

static void mark_key(struct keys *keys, int number, size_t set)
{
	const struct key wanted = { .number = number };
	struct key *key = bsearch(&wanted, keys->list, keys->length, sizeof(wanted), by_number);

	if (key && key->sets == set)
		key->sets++;
}

/* Marks the keys for which this set has counts. */
static void mark_set(struct row_maker *maker, const struct gpmu_counts *counts,
		     const struct row_set *sets, size_t set, struct keys *keys)
{
	for (size_t i = 0; i < sets[set].length && keys->length; i++) {
		size_t index = sets[set].slots[i];
		const struct counts_slot *slot = &counts->slots[index];
		bool all = is_tool(maker, index) ||
			   (!slot->length && lost_key(maker, keys, index) < 0);

		for (size_t k = 0; k < keys->length && all; k++)
			mark_key(keys, keys->list[k].number, set);
		for (size_t k = 0; k < slot->length; k++)
			mark_key(keys, key_of(maker, keys, index, &slot->targets[k]), set);
		if (!slot->length && !all)
			mark_key(keys, lost_key(maker, keys, index), set);
	}
}

static struct kinds kinds_of(const struct row_maker *maker, const struct row_set *sets,
			     size_t set_count)
{
	struct kinds kinds = { 0 };

	for (size_t s = 0; s < set_count; s++)
		for (size_t i = 0; i < sets[s].length; i++) {
			size_t slot = sets[s].slots[i];

			if (is_tool(maker, slot))
				continue;
			if (gpu_of(maker, slot) >= 0)
				kinds.gpus = true;
			else
				kinds.others = true;
			if (row_maker_uncore(maker, slot))
				kinds.uncore = true;
			else if (maker->options.tasks)
				kinds.tasks = true;
			else
				kinds.cpus = true;
		}
	return kinds;
}

/* The units of the keys that all sets have, in order */
static int units_of_keys(struct row_maker *maker, const struct keys *keys, size_t set_count,
			 size_t *units, size_t *unit_count)
{
	/* With rows of nodes only, counts without a node would be lost. */
	if (keys->length && keys->list[0].number < 0)
		return 0;
	for (size_t i = 0; i < keys->length; i++) {
		const struct key *key = &keys->list[i];
		int ret;

		if (key->sets < set_count)
			continue;
		ret = add_unit(maker, keys->scope, key->number,
			       keys->scope == GPMU_SCOPE_NODE ? key->number : key->node,
			       &units[*unit_count]);
		if (ret)
			return ret;
		++*unit_count;
	}
	return 0;
}

/* The scope of rows of these slots; GPMU_SCOPE_MACHINE: everything that is counted */
static enum gpmu_scope scope_of(const struct row_maker *maker, const struct kinds *kinds)
{
	static const enum gpmu_scope scopes[] = {
		[GPMU_AGGREGATE_MACHINE] = GPMU_SCOPE_MACHINE,
		[GPMU_AGGREGATE_NODE] = GPMU_SCOPE_NODE,
		[GPMU_AGGREGATE_CPU] = GPMU_SCOPE_CPU,
		[GPMU_AGGREGATE_SOCKET] = GPMU_SCOPE_SOCKET,
		[GPMU_AGGREGATE_DIE] = GPMU_SCOPE_DIE,
		[GPMU_AGGREGATE_CORE] = GPMU_SCOPE_CORE,
		[GPMU_AGGREGATE_THREAD] = GPMU_SCOPE_THREAD,
	};
	enum gpmu_scope scope = scopes[maker->options.aggregation];

	if (kinds->gpus && !kinds->others)
		return GPMU_SCOPE_GPU;
	if (kinds->uncore && scope == GPMU_SCOPE_CPU)
		scope = GPMU_SCOPE_NODE;
	if (scope == GPMU_SCOPE_THREAD ? kinds->uncore || kinds->cpus : kinds->tasks)
		return GPMU_SCOPE_MACHINE;
	return scope;
}

int row_maker_units(struct row_maker *maker, const struct gpmu_counts *counts,
		    const struct row_set *sets, size_t set_count, size_t **units, size_t *unit_count)
{
	const struct kinds kinds = kinds_of(maker, sets, set_count);
	struct keys keys = { .scope = scope_of(maker, &kinds) };
	int ret = 0;

	*unit_count = 0;
	if (keys.scope != GPMU_SCOPE_MACHINE) {
		for (size_t s = 0; s < set_count && !ret; s++)
			ret = gather_keys(maker, counts, &sets[s], &keys);
		if (!ret && set_count && !keys.length && !kinds.uncore)
			ret = gather_other_keys(maker, counts, &kinds, &keys);
		sort_keys(&keys);
		if (!kinds.others && !kinds.gpus && keys.length > 1)
			keys.length = 1;
		for (size_t s = 0; s < set_count; s++)
			mark_set(maker, counts, sets, s, &keys);
	}
	*units = ret ? NULL : calloc(keys.length + 1, sizeof(**units));
	if (!*units)
		ret = -ENOMEM;
	if (!ret)
		ret = units_of_keys(maker, &keys, set_count, *units, unit_count);
	if (!ret && !*unit_count) {
		ret = row_maker_whole(maker, kinds.uncore, *units);
		*unit_count = 1;
	}
	free(keys.list);
	if (ret) {
		free(*units);
		*units = NULL;
	}
	return ret;
}
