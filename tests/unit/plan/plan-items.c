// SPDX-License-Identifier: LGPL-2.1-or-later
/* What of a plan is shown: items, and which group is for which of them. */
#include "plan-test.h"

static const char json[] = "["
	"{\"MetricName\":\"whole\",\"MetricExpr\":\"part / nvidia_scf_pmu@event\\\\=cycles@\"},"
	"{\"MetricName\":\"part\",\"MetricExpr\":\"nvidia_scf_pmu@scf_cache@\"},"
	"{\"MetricName\":\"lacks\",\"MetricExpr\":\"nvidia_scf_pmu@no_such_event@\"}]";

/* The groups that an item has, "1 2"; the caller's until the next call */
static const char *groups_of(const struct gpmu_plan *plan, size_t item)
{
	static char text[64];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < gpmu_plan_groups(plan); i++)
		if (gpmu_plan_group_has_item(plan, i, item))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%zu",
					       at ? " " : "", i);
	return text;
}

static void items(const struct fixture *fixture)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, "GraceMemBW,GracePcieReadBW/root_port=0x3/",
					 "page-faults,nvidia_pcie_pmu_1/rd_bytes_loc/");

	is_str(gpmu_plan_item(plan, 0), "GraceMemBW", "items are in the order asked for");
	is_str(gpmu_plan_item(plan, 1), "GracePcieReadBW/root_port=0x3/", "with their filters");
	is_str(gpmu_plan_item(plan, 2), "page-faults", "events too");
	ok(gpmu_plan_item_is_metric(plan, 1) == 1 && gpmu_plan_item_is_metric(plan, 2) == 0,
	   "metrics are told from events");
	ok(!gpmu_plan_item_why(plan, 0) && !gpmu_plan_item_why(plan, 3), "all can be counted");
	ok(!gpmu_plan_item(plan, 4) && !gpmu_plan_item_why(plan, 4) &&
		   !gpmu_plan_item_is_metric(plan, 4),
	   "there is nothing after the last");
	for (size_t i = 0; i < gpmu_plan_groups(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_group_pmu(gpmu_plan_group(plan, i));
		enum gpmu_pmu_kind kind = pmu ? gpmu_pmu_kind(pmu) : GPMU_PMU_OTHER;

		ok(gpmu_plan_group_has_item(plan, i, 0) == (kind == GPMU_PMU_SCF),
		   "group %zu is for a metric of its PMU alone", i);
	}
	ok(strlen(groups_of(plan, 3)) == 1, "an event of one PMU is in one group");
	ok(!gpmu_plan_group_has_item(plan, 0, 4) && !gpmu_plan_group_has_item(plan, 99, 0),
	   "no group is of what is not there");
	gpmu_plan_free(plan);
}

static void formulas(const struct fixture *fixture)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, "whole,lacks", NULL);

	is_str(groups_of(plan, 0), "0 1", "what a metric's metrics count is counted for it");
	is_str(groups_of(plan, 1), "", "nothing is for one that cannot be counted");
	ok(gpmu_plan_item_why(plan, 1) != NULL, "which says why");
	gpmu_plan_free(plan);
}

static void counters(const struct fixture *ours, const struct fixture *in_tree)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemReadLatency", NULL);

	ok(gpmu_plan_group_counters(plan, 0) == 2, "the cycle counter is not among the counters");
	ok(gpmu_plan_group_counters(plan, 99) == -1, "a group that is not there has none");
	gpmu_plan_free(plan);
	plan = plan_of(ours, NULL, NULL, "page-faults");
	ok(gpmu_plan_group_counters(plan, 0) == -1, "software takes no counters");
	gpmu_plan_free(plan);
	plan = plan_of(in_tree, NULL, "GraceMemReadLatency", NULL);
	ok(gpmu_plan_group_counters(plan, 0) == -1, "nor does it where the PMU does not tell");
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
