// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The units in which each item has a row. A PMU outside the cores counts its node, whatever the
 * target is. A metric has a row for a node, a CPU or a group of CPUs only if all its events are
 * counted there; if there is none, it has one row for the whole. An item that counts only GPUs
 * always has a row for each GPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "machine/machine.h"
#include "values/row_maker.h"

/* --- the slots of an item --- */

/* The sets of a metric, or of an event */
struct sets {
	struct row_set *list;
	size_t length;
	bool *is_seen;	/* for each metric of the plan: its sets are in the list */
};

/*
 * Gathers the sets of a metric and of the metrics that it uses. Each metric is visited once, as the
 * paths between metrics that use others twice are exponentially many.
 */
static int gather_sets(const struct row_maker *maker, size_t index, struct sets *sets)
{
	const struct plan_metric *metric = &maker->plan->metrics[index];
	int ret = 0;

	if (sets->is_seen[index])
		return 0;
	sets->is_seen[index] = true;
	for (size_t i = 0; i < row_id_count(metric) && !ret; i++) {
		const struct plan_input *input = &metric->inputs[i];

		if (input->kind == PLAN_METRIC)
			ret = gather_sets(maker, input->metric, sets);
		else if (input->kind == PLAN_SLOTS)
			ret = vector_append_value(sets->list, sets->length,
						  (struct row_set){ input->slots, input->length });
	}
	return ret;
}

/* The targets of the slots: tasks; PMUs outside the cores, of GPUs and of others; CPUs */
struct kinds {
	bool has_tasks, has_uncore, has_gpus, has_others, has_cpus;
};

static void note_kind(const struct row_maker *maker, const struct row_slot *slot, struct kinds *kinds)
{
	if (maker->targets[slot->first].index == ROW_TOOL)
		return;
	if (slot->gpu >= 0)
		kinds->has_gpus = true;
	else
		kinds->has_others = true;
	if (slot->is_uncore)
		kinds->has_uncore = true;
	else if (maker->options.has_tasks)
		kinds->has_tasks = true;
	else
		kinds->has_cpus = true;
}

static struct kinds kinds_of(const struct row_maker *maker, const struct sets *sets)
{
	struct kinds kinds = { 0 };

	for (size_t s = 0; s < sets->length; s++)
		for (size_t i = 0; i < sets->list[s].length; i++)
			note_kind(maker, &maker->slots[sets->list[s].slots[i]], &kinds);
	return kinds;
}

/* The scope of rows of these slots; GPMU_SCOPE_MACHINE: everything that is counted */
static enum gpmu_scope scope_of(const struct row_maker *maker, const struct kinds *kinds)
{
	enum gpmu_scope scope = maker->scope;

	if (kinds->has_gpus && !kinds->has_others)
		return GPMU_SCOPE_GPU;
	if (kinds->has_uncore && scope == GPMU_SCOPE_CPU)
		scope = GPMU_SCOPE_NODE;
	if (scope == GPMU_SCOPE_THREAD ? kinds->has_uncore || kinds->has_cpus : kinds->has_tasks)
		return GPMU_SCOPE_MACHINE;
	return scope;
}

/* --- units --- */

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
		.topology = row_is_group(scope) ? maker->groups[number] :
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

/* Adds a row of an item in a unit. */
static int add_row(struct row_maker *maker, size_t item, enum gpmu_scope scope, int number, int node)
{
	struct row_source source = {
		.item = item,
		.is_metric = maker->plan->items[item].kind == PLAN_ITEM_METRIC,
		.index = SIZE_MAX,
	};
	int ret = add_unit(maker, scope, number, node, &source.unit);

	return ret ? ret : vector_append_value(maker->sources, maker->source_count, source);
}

/* --- the units that all sets of an item have in common --- */

/* A node, a CPU, a group of CPUs, a task or a GPU with counts */
struct key {
	int number;
	int node;	/* -1: none, or several */
	size_t sets;	/* number of sets that have a count for this key */
};

struct keys {
	struct key *list;
	size_t length;
	enum gpmu_scope scope;
	size_t any_sets;	/* number of sets that have a count for any key */
};

static int by_number(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the keys from @first on and unites equal ones. */
static void unite_keys(struct keys *keys, size_t first)
{
	struct key *kept = keys->list + first, *end = keys->list + keys->length;

	if (first == keys->length)
		return;
	qsort(kept, keys->length - first, sizeof(*kept), by_number);
	for (const struct key *key = kept + 1; key < end; key++) {
		if (key->number != kept->number) {
			*++kept = *key;
			continue;
		}
		kept->node = kept->node == key->node ? key->node : -1;
		kept->sets += key->sets;
	}
	keys->length = (size_t)(kept + 1 - keys->list);
}

/* Adds the keys of a slot. Sets *@has_any if it can belong to any key. */
static int gather_slot(const struct row_maker *maker, size_t slot, struct keys *keys, bool *has_any)
{
	const struct row_target *target = &maker->targets[maker->slots[slot].first];
	const struct row_target *end = target + maker->slots[slot].length;
	int ret = 0;

	for (; target < end && !ret; target++) {
		const struct key key = {
			.number = target->numbers[keys->scope], .node = target->numbers[GPMU_SCOPE_NODE],
		};

		if (key.number < 0 && row_has_no_target(target))
			*has_any = true;
		else
			ret = vector_append_value(keys->list, keys->length, key);
	}
	return ret;
}

static int gather_set(const struct row_maker *maker, const struct row_set *set, struct keys *keys)
{
	const size_t first = keys->length;
	bool has_any = false;
	int ret = 0;

	for (size_t i = 0; i < set->length && !ret; i++)
		ret = gather_slot(maker, set->slots[i], keys, &has_any);
	if (ret)
		return ret;
	unite_keys(keys, first);
	for (size_t i = first; i < keys->length; i++)
		keys->list[i].sets = !has_any;
	keys->any_sets += has_any;
	return 0;
}

/*
 * Gathers keys of events that are counted nowhere, and of times, which have no target. As in perf,
 * such an event has a row wherever another event of its kind is counted, and a time has one row,
 * in the first unit.
 */
static int gather_other_keys(const struct row_maker *maker, const struct kinds *kinds,
			     struct keys *keys)
{
	bool has_any = false;
	int ret = 0;

	for (size_t i = 0; i < maker->plan->slot_count && !ret; i++) {
		const struct row_slot *slot = &maker->slots[i];

		if (!row_has_no_target(&maker->targets[slot->first]) && slot->gpu < 0 &&
		    !(kinds->has_others && slot->is_uncore))
			ret = gather_slot(maker, i, keys, &has_any);
	}
	unite_keys(keys, 0);
	if (!kinds->has_others && !kinds->has_gpus && keys->length > 1)
		keys->length = 1;
	return ret;
}

static int gather_keys(const struct row_maker *maker, const struct sets *sets,
		       const struct kinds *kinds, struct keys *keys)
{
	int ret = 0;

	for (size_t s = 0; s < sets->length && !ret; s++)
		ret = gather_set(maker, &sets->list[s], keys);
	if (ret)
		return ret;
	if (sets->length && !keys->length && !kinds->has_uncore)
		return gather_other_keys(maker, kinds, keys);
	if (sets->length > 1)
		unite_keys(keys, 0);
	return 0;
}

/* Adds a row for each key that all sets have, in order. */
static int add_rows(struct row_maker *maker, size_t item, const struct keys *keys, size_t set_count)
{
	int ret = 0;

	/* With rows of nodes only, counts without a node would be lost. */
	if (keys->length && keys->list[0].number < 0)
		return 0;
	for (size_t i = 0; i < keys->length && !ret; i++) {
		const struct key *key = &keys->list[i];

		if (key->sets + keys->any_sets == set_count)
			ret = add_row(maker, item, keys->scope, key->number,
				      keys->scope == GPMU_SCOPE_NODE ? key->number : key->node);
	}
	return ret;
}

/* Adds the rows of an item. @is_uncore: it is of PMUs outside the cores, for an item without sets */
static int make_rows(struct row_maker *maker, size_t item, const struct sets *sets, bool is_uncore)
{
	const struct kinds kinds = kinds_of(maker, sets);
	const size_t before = maker->source_count;
	struct keys keys = { .scope = scope_of(maker, &kinds) };
	int ret = 0;

	if (keys.scope != GPMU_SCOPE_MACHINE)
		ret = gather_keys(maker, sets, &kinds, &keys);
	if (!ret)
		ret = add_rows(maker, item, &keys, sets->length);
	free(keys.list);
	if (ret || maker->source_count > before)
		return ret;
	if (sets->length)
		is_uncore = kinds.has_uncore;
	return add_row(maker, item, maker->options.has_tasks && !is_uncore ? GPMU_SCOPE_PROCESS :
		       GPMU_SCOPE_MACHINE, -1, -1);
}

static int make_metric_rows(struct row_maker *maker, size_t item)
{
	const size_t index = maker->plan->items[item].index;
	const struct gpmu_metric *metric = maker->plan->metrics[index].metric;
	struct sets sets = { .is_seen = calloc(maker->plan->metric_count, sizeof(*sets.is_seen)) };
	int ret = sets.is_seen ? gather_sets(maker, index, &sets) : -ENOMEM;

	/* An unsupported item has the unit that its PMU would have counted. */
	if (!ret)
		ret = make_rows(maker, item, &sets, gpmu_metric_pmu(metric) != NULL);
	free(sets.list);
	free(sets.is_seen);
	return ret;
}

int row_units_make(struct row_maker *maker)
{
	const struct gpmu_plan *plan = maker->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->item_count && !ret; i++) {
		if (plan->items[i].kind == PLAN_ITEM_METRIC) {
			ret = make_metric_rows(maker, i);
		} else {
			struct row_set set = row_event_set(&plan->events[plan->items[i].index]);

			ret = make_rows(maker, i, &(struct sets){ .list = &set, .length = 1 }, false);
		}
	}
	return ret;
}
