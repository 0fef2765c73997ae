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
	return !pmu || !pmu->cpus.len || cpus_contain(&pmu->cpus, cpu);
}

size_t counter_targets(struct target *targets, size_t size, const struct gpmu_plan *plan,
		      const struct gpmu_group *group, const struct source_selection *selection)
{
	bool is_uncore = group->pmu && gpmu_pmu_has_cpumask(group->pmu);
	const int *ids = selection->tids;
	size_t n = selection->tid_count, found = 0;

	if (is_uncore) {
		n = gpmu_pmu_cpus(group->pmu, &ids);
	} else if (selection->is_system_wide) {
		ids = selection->cpus;
		n = selection->cpu_count;
		if (!n)
			n = gpmu_machine_online_cpus(plan->machine, &ids);
	}
	for (size_t i = 0; i < n; i++) {
		struct target target = { -1, -1, -1 };

		if (!is_uncore && !selection->is_system_wide) {
			target.tid = ids[i];
		} else {
			if (!is_uncore && !pmu_has_cpu(group->pmu, ids[i]))
				continue;
			target.cpu = ids[i];
			target.node = node_of(plan->machine, ids[i]);
		}
		if (found < size)
			targets[found] = target;
		found++;
	}
	return found;
}
