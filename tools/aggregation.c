// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>
#include <string.h>

#include "aggregation.h"
#include "common.h"
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
void aggregation_check(const struct aggregation *aggregation, bool has_cpus, struct gpmu_plan *plan)
{
	char *event;

	if (has_cpus || aggregation->by == GPMU_AGGREGATE_MACHINE || aggregation->by == GPMU_AGGREGATE_THREAD)
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
		{ .key = 'A', .option = "-A", .by = GPMU_AGGREGATE_CPU },
		{ .key = KEY_PER_NODE, .option = "--per-node", .by = GPMU_AGGREGATE_NODE },
		{ .key = KEY_PER_SOCKET, .option = "--per-socket", .by = GPMU_AGGREGATE_SOCKET },
		{ .key = KEY_PER_DIE, .option = "--per-die", .by = GPMU_AGGREGATE_DIE },
		{ .key = KEY_PER_CORE, .option = "--per-core", .by = GPMU_AGGREGATE_CORE },
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].key == key) {
			aggregation_choose(state->input, names[i].option, names[i].by);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ .name = "per-node", .key = KEY_PER_NODE, .doc = "separate values for each NUMA node" },
	{ .name = "per-socket", .key = KEY_PER_SOCKET, .doc = "separate values for each socket" },
	{ .name = "per-die", .key = KEY_PER_DIE, .doc = "separate values for each die" },
	{ .name = "per-core", .key = KEY_PER_CORE, .doc = "separate values for each core" },
	{ .name = "no-aggr", .key = 'A',
	  .doc = "separate values for each CPU; needs CPUs as the target, such as -a" },
	{ 0 },
};

const struct argp aggregation_argp = { .options = options, .parser = parse };
