// SPDX-License-Identifier: LGPL-2.1-or-later
#include "count/counter/counter.h"
#include "gpmu.h"
#include "machine/machine.h"

static int node_of(const struct gpmu_machine *machine, int cpu)
{
	const struct nodes *nodes = &machine->nodes;
	size_t node = nodes->len && cpu < CPUS_MAX ? nodes->of_cpu[cpu] : 0;

	return node ? nodes->list[node - 1].number : -1;
}

/*
 * With several core PMUs, each has only a part of the CPUs. Other PMUs have no list and
 * count on all CPUs.
 */
static bool pmu_has_cpu(const struct gpmu_pmu *pmu, int cpu)
{
	const int *cpus;
	size_t n = pmu ? gpmu_pmu_cpus(pmu, &cpus) : 0;

	if (!n)
		return true;
	for (size_t i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

size_t counter_places(struct place *places, size_t size, const struct gpmu_plan *plan,
		      const struct gpmu_group *group, const struct source_target *target)
{
	bool uncore = group->pmu && gpmu_pmu_has_cpumask(group->pmu);
	const int *ids = target->tids;
	size_t n = target->tid_count, found = 0;

	if (uncore) {
		n = gpmu_pmu_cpus(group->pmu, &ids);
	} else if (target->system) {
		ids = target->cpus;
		n = target->cpu_count;
		if (!n)
			n = gpmu_machine_online_cpus(plan->machine, &ids);
	}
	for (size_t i = 0; i < n; i++) {
		struct place place = { -1, -1, -1 };

		if (!uncore && !target->system) {
			place.tid = ids[i];
		} else {
			if (!uncore && !pmu_has_cpu(group->pmu, ids[i]))
				continue;
			place.cpu = ids[i];
			place.node = node_of(plan->machine, ids[i]);
		}
		if (found < size)
			places[found] = place;
		found++;
	}
	return found;
}
