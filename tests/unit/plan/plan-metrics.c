// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each metric, planned alone: tests/unit/plan/plan-metrics.tsv */
#include "plan-test.h"

#define TABLE	"tests/unit/plan/plan-metrics.tsv"

static int all_fit(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		   size_t length, void *user)
{
	(void)pmu;
	(void)attrs;
	(void)length;
	(void)user;
	return 1;
}

static const struct gpmu_plan_options fits = { .size = sizeof(fits), .fits = all_fit };

/* Checks the lines of the table; @is_core: only those of the cores' metrics */
static unsigned int table(const struct fixture *machine, bool is_core)
{
	char line[2048], what[2304], *text;
	unsigned int n = 0;
	FILE *f = fopen(TABLE, "r");

	if (!f)
		sysroot_bail(TABLE);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		text = strchr(line, '\t');
		if (*line == '#' || !text || (is_core && !strncmp(line, "Grace", 5)))
			continue;
		*text++ = '\0';
		snprintf(what, sizeof(what), "plan: the events of %s are those of the table", line);
		is_plan(machine, &fits, line, NULL, text, "", what);
		n++;
	}
	fclose(f);
	return n;
}

/* With six counters per PMU: 20 events of SCF, 10 of PCIe, 5 of C2C, 4 of CNVLink, beside cycles */
static void together(const struct fixture *machine)
{
	struct gpmu_plan *plan = plan_of(machine, NULL, "grace_scf,grace_0to1,grace_1to0,"
		"grace_pcie,grace_c2c0,grace_c2c1,grace_cnvlink", NULL);
	static const struct {
		const char *pmu;
		unsigned int groups;
	} pmus[] = {
		{ "nvidia_scf_pmu_0", 4 }, { "nvidia_scf_pmu_1", 4 }, { "nvidia_pcie_pmu_0", 2 },
		{ "nvidia_pcie_pmu_1", 2 }, { "nvidia_nvlink_c2c0_pmu_0", 1 },
		{ "nvidia_nvlink_c2c0_pmu_1", 1 }, { "nvidia_nvlink_c2c1_pmu_0", 1 },
		{ "nvidia_nvlink_c2c1_pmu_1", 1 }, { "nvidia_cnvlink_pmu_0", 1 },
		{ "nvidia_cnvlink_pmu_1", 1 },
	};
	unsigned int n;

	if (!ok(plan && plan->item_count == 52, "plan: the 52 metrics of uncore events alone are planned at once"))
		return;
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		n = 0;
		for (size_t j = 0; j < plan->group_count; j++)
			n += !strcmp(gpmu_pmu_name(plan->groups[j].pmu), pmus[i].pmu);
		ok(n == pmus[i].groups, "plan: %u groups of %s, want %u", n, pmus[i].pmu,
		   pmus[i].groups);
	}
	is_u64(plan->group_count, 18,
	       "plan: the 52 metrics of uncore events alone take 18 groups, the fewest possible");
	gpmu_plan_free(plan);
}

/* A metric's events of one PMU are in one group, each once, and the group fits the counters. */
static void never_split(const struct fixture *machine)
{
	struct gpmu_plan *plan = plan_of(machine, NULL, "grace_scf,grace_0to1,grace_1to0,"
		"grace_pcie,grace_c2c0,grace_c2c1,grace_cnvlink", NULL);
	bool is_whole = true, is_right = true, is_fitting = true;
	const struct plan_slot *slot;
	size_t group_of[2], n, i, j, k;

	if (!plan)
		return;
	for (i = 0; i < plan->metric_count; i++) {
		group_of[0] = group_of[1] = PLAN_NONE;
		for (j = 0; j < gpmu_expr_id_count(plan->metrics[i].expr); j++) {
			const struct plan_input *input = &plan->metrics[i].inputs[j];

			for (k = 0; k < input->length; k++) {
				slot = &plan->slots[input->slots[k]];
				n = (size_t)gpmu_pmu_number(slot->instance->pmu);
				if (group_of[n] == PLAN_NONE)
					group_of[n] = slot->group;
				is_whole = is_whole && group_of[n] == slot->group;
				is_right = is_right && !memcmp(&slot->instance->attr,
					   &plan->events[input->event].event->instances[k].attr,
					   sizeof(slot->instance->attr));
			}
		}
	}
	for (i = 0; i < plan->group_count; i++) {
		n = 0;
		for (j = 0; j < plan->groups[i].length; j++) {
			slot = &plan->slots[plan->groups[i].first + j];
			n += !slot->instance->is_cycle_counter;
			is_whole = is_whole && slot->group == i &&
			slot->instance->pmu == plan->groups[i].pmu;
			is_fitting = is_fitting && (!j || !slot->instance->is_cycle_counter);
		}
		is_fitting = is_fitting && n <= 6;
	}
	ok(is_whole, "plan: no metric is split over groups of a PMU, and no group has two PMUs");
	ok(is_right, "plan: the slots of a metric count its events");
	ok(is_fitting, "plan: each group fits six counters and the cycle counter, which leads it");
	gpmu_plan_free(plan);
}

int main(void)
{
	struct fixture ours, upstream;

	fixture_init(&ours, "superchip-ours");
	is_u64(table(&ours, false), 109,
	       "plan: the table has 53 uncore metrics and 56 core metrics");
	together(&ours);
	never_split(&ours);
	fixture_release(&ours);
	fixture_init(&upstream, "superchip");
	is_u64(table(&upstream, true), 56,
	       "plan: the table's 56 core metrics are the same with the in-tree driver");
	fixture_release(&upstream);
	return done_testing();
}
