// SPDX-License-Identifier: LGPL-2.1-or-later
/* The items of a plan, and which groups count for which item */
#include "plan-test.h"

static const char json[] = "["
	"{\"MetricName\":\"whole\",\"MetricExpr\":\"part / nvidia_scf_pmu@event\\\\=cycles@\"},"
	"{\"MetricName\":\"part\",\"MetricExpr\":\"nvidia_scf_pmu@scf_cache@\"},"
	"{\"MetricName\":\"lacks\",\"MetricExpr\":\"nvidia_scf_pmu@no_such_event@\"}]";

/* The groups of an item, as "1 2"; valid until the next call */
static const char *groups_of(const struct gpmu_plan *plan, size_t item)
{
	static char text[64];
	size_t pos = 0;

	text[0] = '\0';
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++)
		if (gpmu_plan_group_has_item(plan, i, item))
			pos += (size_t)snprintf(text + pos, sizeof(text) - pos, "%s%zu",
						pos ? " " : "", i);
	return text;
}

static void items(const struct fixture *fixture)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, "GraceMemBW,GracePcieReadBW/root_port=0x3/",
					 "page-faults,nvidia_pcie_pmu_1/rd_bytes_loc/");

	is_str(gpmu_plan_item(plan, 0), "GraceMemBW", "plan: items are in the requested order");
	is_str(gpmu_plan_item(plan, 1), "GracePcieReadBW/root_port=0x3/",
	       "plan: the name of an item includes its filter");
	is_str(gpmu_plan_item(plan, 2), "page-faults", "plan: events are items, too");
	ok(!gpmu_plan_item_why(plan, 0) && !gpmu_plan_item_why(plan, 3),
	   "plan: items that can be counted have no reason");
	ok(!gpmu_plan_item(plan, 4) && !gpmu_plan_item_why(plan, 4),
	   "plan: there is no item after the last");
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, i);
		enum gpmu_pmu_kind kind = pmu ? gpmu_pmu_kind(pmu) : GPMU_PMU_OTHER;

		ok(gpmu_plan_group_has_item(plan, i, 0) == (kind == GPMU_PMU_SCF),
		   "plan: group %zu counts for a metric if it is of its PMU", i);
	}
	ok(strlen(groups_of(plan, 3)) == 1, "plan: an event of one PMU is in one group");
	ok(!gpmu_plan_group_has_item(plan, 0, 4) && !gpmu_plan_group_has_item(plan, 99, 0),
	   "plan: no group counts for an absent item");
	gpmu_plan_free(plan);
}

static void formulas(const struct fixture *fixture)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, "whole,lacks", NULL);

	is_str(groups_of(plan, 0), "0 1",
	       "plan: the groups of a metric include those of the metrics it uses");
	is_str(groups_of(plan, 1), "", "plan: an unsupported metric has no groups");
	ok(gpmu_plan_item_why(plan, 1) != NULL, "plan: an unsupported metric has a reason");
	gpmu_plan_free(plan);
}

static void counters(const struct fixture *ours, const struct fixture *in_tree)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemReadLatency", NULL);

	ok(gpmu_plan_group_counter_count(plan, 0) == 2,
	   "plan: the cycle counter is not one of a group's event counters");
	ok(gpmu_plan_group_counter_count(plan, 99) == -1,
	   "plan: an absent group's number of counters is -1");
	gpmu_plan_free(plan);
	plan = plan_of(ours, NULL, NULL, "page-faults");
	ok(gpmu_plan_group_counter_count(plan, 0) == -1,
	   "plan: a software group's number of counters is -1");
	gpmu_plan_free(plan);
	plan = plan_of(in_tree, NULL, "GraceMemReadLatency", NULL);
	ok(gpmu_plan_group_counter_count(plan, 0) == -1,
	   "plan: the number of counters is -1 if the PMU does not state it");
	gpmu_plan_free(plan);
}

int main(void)
{
	struct fixture ours, in_tree;

	fixture_init(&ours, "superchip-ours");
	fixture_init(&in_tree, "superchip");
	fixture_add(&ours, "more.json", json);
	items(&ours);
	formulas(&ours);
	counters(&ours, &in_tree);
	fixture_release(&in_tree);
	fixture_release(&ours);
	return done_testing();
}
