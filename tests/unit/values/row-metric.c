// SPDX-License-Identifier: LGPL-2.1-or-later
/* Values of metrics: rates, idle and missing inputs, metrics of metrics, thresholds */
#include "sysroot.h"
#include "row-test.h"

static struct gpmu_machine *machine;

/* Plans two SCF PMUs, slots 0 and 1, and an item of a metric on them. */
static size_t scf_metric(struct test_plan *t, const char *label, const char *expr,
			 const char *threshold)
{
	size_t metric;

	test_plan_init(t, machine);
	test_slot(t, "nvidia_scf_pmu_0");
	test_slot(t, "nvidia_scf_pmu_1");
	metric = test_metric(t, label, expr, threshold);
	test_item(t, PLAN_ITEM_METRIC, metric);
	return metric;
}

static void rates(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric = scf_metric(&t, "GraceMemBW", "a * 32 / duration_time", NULL);

	test_counts_of(&t, metric, "a", 2, 0);
	t.defs[metric].entry = (struct catalog_entry){ .unit = "GB/s", .pmu = "nvidia_scf_pmu", .scale = 1e-9 };
	test_counts(&t);
	/* 2.5e9 and 1.25e9 data beats of 32 bytes in 2 s are 60 GB/s. */
	test_target(&t, 0, 0, 0, -1, 2500000000, ALL);
	test_target(&t, 1, 2, 1, -1, 1250000000, ALL);
	/* The counters were enabled for less than the nominal interval. */
	t.counts->end = t.counts->begin + 5000000000;
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M GraceMemBW 60 GB/s ok",
	       "metric row: a rate refers to the time that the counters were enabled");
	ok(row_at(maker, 0)->metric == 1 && row_at(maker, 0)->share == 1 && !row_at(maker, 0)->raw &&
	   row_at(maker, 0)->enabled == ALL && row_at(maker, 0)->counters == 2 &&
	   row_at(maker, 0)->alert == -1,
	   "metric row: share, raw count, times, number of counters and alert are right");
	is_str(row_at(maker, 0)->pmu, "nvidia_scf_pmu",
	       "metric row: the PMU is the name without a number");
	t.counts->slots[0].counts[0].enabled = 1000000000;
	t.counts->slots[0].counts[0].running = 1000000000;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M GraceMemBW 80 GB/s ok",
	       "metric row: a rate refers to the mean enabled time of its counters, 1.5 s");
	t.counts->slots[0].counts[0].running = 500000000;
	test_fill(maker, t.counts);
	/* (2 * 2.5e9 + 1.25e9) * 32 / 1.5 s */
	is_str(row_text(maker, 0), "M GraceMemBW 133.333333333333 GB/s ok",
	       "metric row: a multiplexed count is scaled to the enabled time");
	ok(row_at(maker, 0)->share == 0.5, "metric row: the share of a metric is the lowest of its counters");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* The rate of a process refers to the time that passed, not to the time that its threads ran. */
static void process_rate(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric, constant, user;

	test_plan_init(&t, machine);
	test_slot(&t, "armv8_pmuv3_0");
	t.instances[test_slot(&t, NULL)].tool = EVENT_TOOL_USER_TIME;
	user = test_metric(&t, "User", "user_time / duration_time", NULL);
	metric = test_metric(&t, "Rate", "a / duration_time", NULL);
	constant = test_metric(&t, "Seconds", "duration_time", NULL);
	test_counts_of(&t, metric, "a", 1, 0);
	test_item(&t, PLAN_ITEM_METRIC, metric);
	test_item(&t, PLAN_ITEM_METRIC, constant);
	test_counts_of(&t, user, "user_time", 1, 1);
	test_item(&t, PLAN_ITEM_METRIC, user);
	test_counts(&t);
	t.counts->user_time = 500000000;
	test_target(&t, 0, -1, -1, 50, 10, ALL)->enabled = ALL / 4;
	t.counts->slots[0].counts[0].running = ALL / 4;
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, true);
	is_str(row_text(maker, 0), "P Rate 5 ok",
	       "metric row: a process's rate refers to the time that passed");
	is_str(row_text(maker, 1), "P Seconds 2 ok",
	       "metric row: duration_time of a metric without counters is the time that passed");
	is_str(row_text(maker, 2), "P User 0.25 ok",
	       "metric row: user_time is in seconds in a formula");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void states(void)
{
	struct row_maker *maker;
	struct test_plan t;
	struct count *a;
	size_t metric = scf_metric(&t, "Latency", "a / b", NULL);

	test_counts_of(&t, metric, "a", 1, 0);
	test_counts_of(&t, metric, "b", 1, 1);
	t.defs[metric].entry.unit = "ns";
	test_counts(&t);
	a = test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 0, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Latency ns idle",
	       "metric row: a metric that divides by 0 is idle");
	ok(isnan(row_at(maker, 0)->value) && !row_at(maker, 0)->why,
	   "metric row: an idle metric has neither a value nor a reason");
	a->running = 0;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M Latency ns not counted",
	       "metric row: a metric with a counter that never ran is not counted");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such counter");
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M Latency ns not supported",
	       "metric row: not supported outranks not counted");
	is_str(row_at(maker, 0)->why, "no such counter",
	       "metric row: a metric that is not supported has the counter's reason");
	row_maker_free(maker);
	test_plan_release(&t);

	metric = scf_metric(&t, "Ratio", "d_ratio(a, b)", NULL);
	test_counts_of(&t, metric, "a", 1, 0);
	test_counts_of(&t, metric, "b", 1, 1);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 0, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Ratio idle", "metric row: d_ratio() by 0 is idle");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void beyond(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric = scf_metric(&t, "Nan", "a * 1e300 * 1e300 - b * 1e300 * 1e300", NULL), large,
	       lacks;

	large = test_metric(&t, "Large", "a * 1e300 * 1e300", NULL);
	lacks = test_metric(&t, "Lacks", NULL, NULL);
	t.metrics[lacks].why = (char *)"there is no nvidia_scf_pmu";
	t.defs[lacks].entry.pmu = "nvidia_scf_pmu";
	test_counts_of(&t, metric, "a", 2, 0);
	test_counts_of(&t, metric, "b", 2, 0);
	test_counts_of(&t, large, "a", 2, 0);
	test_item(&t, PLAN_ITEM_METRIC, large);
	test_item(&t, PLAN_ITEM_METRIC, lacks);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 6, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, true);
	is_str(row_text(maker, 0), "M Nan not supported",
	       "metric row: a NaN with no idle input is not supported");
	ok(row_at(maker, 0)->why && strstr(row_at(maker, 0)->why, "not a finite number"),
	   "metric row: the reason for a NaN is a value that is not a finite number");
	is_str(row_text(maker, 1), "M Large not supported",
	       "metric row: an infinite value is not supported");
	ok(row_at(maker, 1)->why && strstr(row_at(maker, 1)->why, "not a finite number"),
	   "metric row: the reason for an infinite value is that it is not finite");
	is_str(row_text(maker, 2), "M Lacks not supported",
	       "metric row: a metric without its PMU is a row of the machine, not of the process");
	is_str(row_at(maker, 2)->why, "there is no nvidia_scf_pmu",
	       "metric row: a metric without its PMU has the plan's reason");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void numbers_of_counts(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric = scf_metric(&t, "PMUs", "source_count(a) * 100 + aggr_nr(a)", NULL);

	test_counts_of(&t, metric, "a", 2, 0);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 6, ALL);
	test_target(&t, 1, 3, 1, -1, 6, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M PMUs 203 ok",
	       "metric row: source_count() is 2 PMUs and aggr_nr() is 3 counts");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_str(row_text(maker, 0), "N0 PMUs 101 ok",
	       "metric row: source_count() and aggr_nr() of a node are those of the node");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Sum uses Share twice, once through Other. */
static void nested(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t sum, other, share;

	sum = scf_metric(&t, "Sum", "Share + Other + duration_time", NULL);
	other = test_metric(&t, "Other", "10 * Share", NULL);
	share = test_metric(&t, "Share", "a / b", NULL);
	t.defs[share].entry.scale = 100;	/*
						 * perf's formulas use metrics without their
						 * scale
						 */
	test_metric_of(&t, sum, "Share", share);
	test_metric_of(&t, sum, "Other", other);
	test_metric_of(&t, other, "Share", share);
	test_counts_of(&t, share, "a", 1, 0);
	test_counts_of(&t, share, "b", 1, 1);
	test_item(&t, PLAN_ITEM_METRIC, share);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 8, ALL);
	t.counts->end = t.counts->begin + 5000000000;
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Sum 10.25 ok",
	       "metric row: a metric of metrics is 0.75 + 7.5 + the enabled time of their counters");
	is_str(row_text(maker, 1), "M Share 75 ok",
	       "metric row: an inner metric that is also an item has its scale");
	t.counts->slots[1].counts[0].raw = 0;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M Sum idle", "metric row: a metric of an idle metric is idle");
	t.counts->slots[0].counts[0].running = ALL / 4;
	t.counts->slots[1].counts[0].raw = 8;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M Sum 35 ok",
	       "metric row: a multiplexed input scales a metric of metrics to 3 + 30 + 2");
	ok(row_at(maker, 0)->share == 0.25,
	   "metric row: a metric of metrics has the lowest share of their counters");
	t.counts->slots[0].counts[0].state = COUNT_NOT_COUNTED;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M Sum not counted",
	       "metric row: a metric of a metric that was not counted is not counted");
	t.metrics[share].why = (char *)"needs 7 event counters";
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Sum not supported",
	       "metric row: a metric of a metric that is not supported is not supported");
	is_str(row_at(maker, 0)->why, "needs 7 event counters",
	       "metric row: a metric of metrics has the reason of the inner one");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* An idle metric in a branch that is not taken is ignored. */
static void branches(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t outer = scf_metric(&t, "Outer", "7 if b < 1 else Inner", NULL);
	size_t inner = test_metric(&t, "Inner", "d_ratio(a, b)", NULL);

	test_metric_of(&t, outer, "Inner", inner);
	test_counts_of(&t, outer, "b", 1, 1);
	test_counts_of(&t, inner, "a", 1, 0);
	test_counts_of(&t, inner, "b", 1, 1);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 0, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Outer 7 ok",
	       "metric row: an idle metric in a branch not taken is ignored");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* A threshold with a division by 0 is unknown. */
static void idle_threshold(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric = scf_metric(&t, "Bound", "a", "d_ratio(Bound, Other) > 0.5");
	size_t other = test_metric(&t, "Other", "b", NULL);

	test_counts_of(&t, metric, "a", 1, 0);
	test_counts_of(&t, other, "b", 1, 1);
	test_threshold_of(&t, metric, "Bound", metric);
	test_threshold_of(&t, metric, "Other", other);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 0, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	ok(row_at(maker, 0)->alert == -1 && row_at(maker, 0)->value == 6,
	   "metric row: a threshold that divides by 0 is unknown");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void thresholds(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t metric = scf_metric(&t, "Bound", "a / b", "Bound > 0.5 & Other > 1");
	size_t other = test_metric(&t, "Other", "b", NULL);

	t.defs[metric].entry.scale = 100;
	test_counts_of(&t, metric, "a", 1, 0);
	test_counts_of(&t, metric, "b", 1, 1);
	test_counts_of(&t, other, "b", 1, 1);
	test_threshold_of(&t, metric, "Bound", metric);
	test_threshold_of(&t, metric, "Other", other);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 6, ALL);
	test_target(&t, 1, 2, 1, -1, 8, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	ok(row_at(maker, 0)->alert == 1 && row_at(maker, 0)->value == 75,
	   "metric row: a threshold uses the metric before its scale, and another metric");
	t.counts->slots[0].counts[0].raw = 2;
	test_fill(maker, t.counts);
	ok(row_at(maker, 0)->alert == 0,
	   "metric row: a threshold that is not passed raises no alert");
	t.counts->slots[1].counts[0].raw = 0;
	test_fill(maker, t.counts);
	ok(row_at(maker, 0)->alert == -1 && row_at(maker, 0)->state == GPMU_STATE_IDLE,
	   "metric row: the threshold of an idle metric is unknown");
	row_maker_free(maker);
	test_plan_release(&t);
}

int main(void)
{
	struct sysroot root;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_new(root.path, NULL);
	if (!machine)
		sysroot_bail("superchip");
	rates();
	process_rate();
	states();
	beyond();
	numbers_of_counts();
	nested();
	branches();
	thresholds();
	idle_threshold();
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return done_testing();
}
