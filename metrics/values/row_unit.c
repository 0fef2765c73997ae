// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The units of values. A PMU outside the cores counts its node, whatever the target is. A
 * metric has a row for a node or a CPU only if all its events are counted there; if there is no
 * such node or CPU, it has one row for the whole. An item that counts only GPUs always has a
 * row for each GPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/row.h"

static const struct event_instance *instance(const struct gpmu_rows *rows, size_t slot)
{
	return rows->plan->slots[slot].instance;
}

bool rows_uncore(const struct gpmu_rows *rows, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(rows, slot)->pmu;

	return pmu && gpmu_pmu_has_cpumask(pmu);
}

static bool is_tool(const struct gpmu_rows *rows, size_t slot)
{
	return instance(rows, slot)->tool != EVENT_TOOL_NONE;
}

/* The node of a slot without places, -1: not known, or not of one */
static int lost_node(const struct gpmu_rows *rows, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(rows, slot)->pmu;

	if (!rows_uncore(rows, slot))
		return -1;
	if (gpmu_pmu_node(pmu))
		return gpmu_node_number(gpmu_pmu_node(pmu));
	return gpmu_pmu_kind(pmu) == GPMU_PMU_OTHER ? -1 : gpmu_pmu_number(pmu);
}

/* The number of the GPU that a slot counts, or -1 */
static int gpu_of(const struct gpmu_rows *rows, size_t slot)
{
	const struct gpmu_pmu *pmu = instance(rows, slot)->pmu;
	const struct gpmu_gpu *gpu = pmu ? gpmu_pmu_gpu(pmu) : NULL;

	return gpu ? (int)gpmu_gpu_number(gpu) : -1;
}

bool rows_has_place(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot,
		    const struct place *place)
{
	switch (unit->scope) {
	case GPMU_SCOPE_GPU:
		return gpu_of(rows, slot) == unit->number;
	case GPMU_SCOPE_NODE:
		return place->node == unit->number;
	case GPMU_SCOPE_CPU:
		return place->cpu == unit->number;
	default:
		return true;
	}
}

/* Of a core PMU with CPUs, one of those; of any other, which is not known, each */
static bool could_count(const struct gpmu_pmu *pmu, int cpu)
{
	const int *cpus;
	size_t n = pmu ? gpmu_pmu_cpus(pmu, &cpus) : 0;

	for (size_t i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return !n;
}

bool rows_has_lost(const struct gpmu_rows *rows, const struct row_unit *unit, size_t slot)
{
	int node = lost_node(rows, slot);

	if (unit->scope == GPMU_SCOPE_GPU)
		return gpu_of(rows, slot) == unit->number;
	if (unit->scope == GPMU_SCOPE_CPU)
		return could_count(instance(rows, slot)->pmu, unit->number);
	return unit->scope != GPMU_SCOPE_NODE || node < 0 || node == unit->number;
}

static int package_of(const struct gpmu_rows *rows, int number)
{
	const struct gpmu_machine *machine = rows->plan->machine;
	const struct gpmu_node *node;

	for (size_t i = 0; machine && (node = gpmu_machine_node(machine, i)); i++)
		if (gpmu_node_number(node) == number)
			return gpmu_node_package(node);
	return -1;
}

/* Which it is. Those of an event are asked for in the order of those of the one before it. */
static int add_unit(struct gpmu_rows *rows, enum gpmu_scope scope, int number, int node,
		    size_t *unit)
{
	struct row_unit *units;

	for (size_t i = 0; i < rows->unit_count; i++) {
		*unit = (rows->last_unit + 1 + i) % rows->unit_count;
		if (rows->units[*unit].scope == scope && rows->units[*unit].number == number) {
			rows->last_unit = *unit;
			return 0;
		}
	}
	units = vector_room(rows->units, rows->unit_count, sizeof(*units));
	if (!units)
		return -ENOMEM;
	rows->units = units;
	*unit = rows->unit_count++;
	rows->last_unit = *unit;
	rows->units[*unit] = (struct row_unit){
		.scope = scope, .number = number, .node = node,
		.package = node < 0 ? -1 : package_of(rows, node),
	};
	return 0;
}

int rows_whole(struct gpmu_rows *rows, bool uncore, size_t *unit)
{
	return add_unit(rows, rows->options.tasks && !uncore ? GPMU_SCOPE_PROCESS :
			GPMU_SCOPE_MACHINE, -1, -1, unit);
}

/* A node or a CPU with counts */
struct key {
	int number, node;
	size_t sets;	/* of how many, from the first on, it has a count of each */
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

static int add_key(struct keys *keys, int number, int node)
{
	struct key *list;

	/* Places are nearly always ascending. */
	if (keys->length && keys->list[keys->length - 1].number == number)
		return 0;
	list = vector_room(keys->list, keys->length, sizeof(*list));
	if (!list)
		return -ENOMEM;
	keys->list = list;
	list[keys->length++] = (struct key){ .number = number, .node = node };
	return 0;
}

static int key_of(const struct gpmu_rows *rows, const struct keys *keys, size_t slot,
		  const struct place *place)
{
	if (keys->scope == GPMU_SCOPE_GPU)
		return gpu_of(rows, slot);
	return keys->scope == GPMU_SCOPE_CPU ? place->cpu : place->node;
}

/* Of a slot without places; -1: it could be of each */
static int lost_key(const struct gpmu_rows *rows, const struct keys *keys, size_t slot)
{
	if (keys->scope == GPMU_SCOPE_GPU)
		return gpu_of(rows, slot);
	return keys->scope == GPMU_SCOPE_CPU ? -1 : lost_node(rows, slot);
}

static int gather_keys(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		       const struct row_set *set, struct keys *keys)
{
	for (size_t i = 0; i < set->length; i++) {
		const struct counts_slot *slot = &counts->slots[set->slots[i]];
		int ret = 0;

		if (is_tool(rows, set->slots[i]))
			continue;
		if (!slot->length && lost_key(rows, keys, set->slots[i]) >= 0)
			ret = add_key(keys, lost_key(rows, keys, set->slots[i]), -1);
		for (size_t k = 0; k < slot->length && !ret; k++)
			ret = add_key(keys, key_of(rows, keys, set->slots[i], &slot->places[k]),
				      slot->places[k].node);
		if (ret)
			return ret;
	}
	return 0;
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
static void mark_set(struct gpmu_rows *rows, const struct gpmu_counts *counts,
		     const struct row_set *sets, size_t set, struct keys *keys)
{
	for (size_t i = 0; i < sets[set].length && keys->length; i++) {
		size_t index = sets[set].slots[i];
		const struct counts_slot *slot = &counts->slots[index];
		bool all = is_tool(rows, index) ||
			   (!slot->length && lost_key(rows, keys, index) < 0);

		for (size_t k = 0; k < keys->length && all; k++)
			mark_key(keys, keys->list[k].number, set);
		for (size_t k = 0; k < slot->length; k++)
			mark_key(keys, key_of(rows, keys, index, &slot->places[k]), set);
		if (!slot->length && !all)
			mark_key(keys, lost_key(rows, keys, index), set);
	}
}

/* What the slots are of: tasks, something outside the cores, of that GPUs and others, CPUs */
struct kinds {
	bool tasks, uncore, gpus, others, cpus;
};

static struct kinds kinds_of(const struct gpmu_rows *rows, const struct row_set *sets,
			     size_t set_count)
{
	struct kinds kinds = { 0 };

	for (size_t s = 0; s < set_count; s++)
		for (size_t i = 0; i < sets[s].length; i++) {
			size_t slot = sets[s].slots[i];

			if (is_tool(rows, slot))
				continue;
			if (gpu_of(rows, slot) >= 0)
				kinds.gpus = true;
			else
				kinds.others = true;
			if (rows_uncore(rows, slot))
				kinds.uncore = true;
			else if (rows->options.tasks)
				kinds.tasks = true;
			else
				kinds.cpus = true;
		}
	return kinds;
}

/* The units of the keys that all sets have, in order */
static int units_of_keys(struct gpmu_rows *rows, const struct keys *keys, size_t set_count,
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
		ret = add_unit(rows, keys->scope, key->number,
			       keys->scope == GPMU_SCOPE_NODE ? key->number : key->node,
			       &units[*unit_count]);
		if (ret)
			return ret;
		++*unit_count;
	}
	return 0;
}

int rows_units(struct gpmu_rows *rows, const struct gpmu_counts *counts,
	       const struct row_set *sets, size_t set_count, size_t **units, size_t *unit_count)
{
	const struct kinds kinds = kinds_of(rows, sets, set_count);
	struct keys keys = { .scope = GPMU_SCOPE_NODE };
	int ret = 0;

	*unit_count = 0;
	if (rows->options.aggregation == ROWS_CPU && !kinds.uncore)
		keys.scope = GPMU_SCOPE_CPU;
	if (kinds.gpus && !kinds.others)
		keys.scope = GPMU_SCOPE_GPU;
	if (keys.scope == GPMU_SCOPE_GPU ||
	    (rows->options.aggregation != ROWS_MACHINE && !kinds.tasks)) {
		for (size_t s = 0; s < set_count && !ret; s++)
			ret = gather_keys(rows, counts, &sets[s], &keys);
		sort_keys(&keys);
		for (size_t s = 0; s < set_count; s++)
			mark_set(rows, counts, sets, s, &keys);
	}
	*units = ret ? NULL : calloc(keys.length + 1, sizeof(**units));
	if (!*units)
		ret = -ENOMEM;
	if (!ret)
		ret = units_of_keys(rows, &keys, set_count, *units, unit_count);
	if (!ret && !*unit_count) {
		ret = rows_whole(rows, kinds.uncore, *units);
		*unit_count = 1;
	}
	free(keys.list);
	if (ret) {
		free(*units);
		*units = NULL;
	}
	return ret;
}
