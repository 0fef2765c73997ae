// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>
#include <string.h>

#include "aggregation.h"
#include "message.h"

enum { KEY_PER_NODE = 1, KEY_PER_SOCKET, KEY_PER_DIE, KEY_PER_CORE };

void aggregation_choose(struct aggregation *aggregation, const char *option, enum gpmu_aggregation by)
{
	if (aggregation->option && strcmp(aggregation->option, option) != 0)
		die("%s and %s: choose one", aggregation->option, option);
	*aggregation = (struct aggregation){ .by = by, .option = option };
}

/*
 * The kernel has one count of a task for all CPUs on which the task runs: values for each CPU or
 * group of CPUs exist only for PMUs that count the machine.
 */
void aggregation_check(const struct aggregation *aggregation, bool cpus, struct gpmu_plan *plan)
{
	char *event;

	if (cpus || aggregation->by == GPMU_AGGREGATE_MACHINE || aggregation->by == GPMU_AGGREGATE_THREAD)
		return;
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, i);

		if (pmu && gpmu_pmu_has_cpumask(pmu))
			continue;
		event = print_text("%s", gpmu_plan_group_event(plan, i, 0));
		gpmu_plan_free(plan);
		die("%s: %s counts tasks, not CPUs: add -a", aggregation->option, event);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const struct {
		int key;
		const char *option;
		enum gpmu_aggregation by;
	} names[] = {
		{ 'A', "-A", GPMU_AGGREGATE_CPU },
		{ KEY_PER_NODE, "--per-node", GPMU_AGGREGATE_NODE },
		{ KEY_PER_SOCKET, "--per-socket", GPMU_AGGREGATE_SOCKET },
		{ KEY_PER_DIE, "--per-die", GPMU_AGGREGATE_DIE },
		{ KEY_PER_CORE, "--per-core", GPMU_AGGREGATE_CORE },
	};

	(void)arg;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].key == key) {
			aggregation_choose(state->input, names[i].option, names[i].by);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "per-node", KEY_PER_NODE, NULL, 0, "separate values for each NUMA node", 0 },
	{ "per-socket", KEY_PER_SOCKET, NULL, 0, "separate values for each socket", 0 },
	{ "per-die", KEY_PER_DIE, NULL, 0, "separate values for each die", 0 },
	{ "per-core", KEY_PER_CORE, NULL, 0, "separate values for each core", 0 },
	{ "no-aggr", 'A', NULL, 0, "separate values for each CPU; needs CPUs as the target, such as -a", 0 },
	{ 0 },
};

const struct argp aggregation_argp = { .options = options, .parser = parse };
