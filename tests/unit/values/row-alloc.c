// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation of counts and rows fails in turn: the error is ENOMEM, and the next try
 * succeeds.
 */
#include "alloc.h"
#include "sysroot.h"
#include "row-test.h"

#define CPUS	40	/* more than the first allocation of a list */

static struct gpmu_machine *machine;

static void make_plan(struct test_plan *t)
{
	size_t outer, inner;

	test_plan_init(t, machine);
	test_slot(t, "nvidia_scf_pmu_0");
	test_slot(t, "nvidia_scf_pmu_1");
	test_slot(t, "armv8_pmuv3_0");
	test_event(t, "scf", 2, 0);
	test_event(t, "cycles", 1, 2);
	outer = test_metric(t, "Outer", "Inner + duration_time + a", "Outer > 1");
	inner = test_metric(t, "Inner", "a / b", NULL);
	test_metric_of(t, outer, "Inner", inner);
	test_threshold_of(t, outer, "Outer", outer);
	test_counts_of(t, outer, "a", 2, 0);
	test_counts_of(t, inner, "a", 2, 0);
	test_counts_of(t, inner, "b", 1, 2);
	test_item(t, PLAN_ITEM_METRIC, outer);
	test_item(t, PLAN_ITEM_METRIC, inner);
	test_counts(t);
	test_target(t, 0, 0, 0, -1, 4, ALL);
	test_target(t, 1, 2, 1, -1, 4, ALL);
	for (int cpu = 0; cpu < CPUS; cpu++)
		test_target(t, 2, cpu, cpu / (CPUS / 2), -1, 2, ALL);
}

static void layouts(const struct test_plan *t, enum gpmu_aggregation aggregation, const char *last)
{
	const struct rows_options options = { .aggregation = aggregation };
	bool is_right = true, is_empty = true;
	struct row_maker *maker;
	int n, ret = -1;

	for (n = 0; n < 1000; n++) {
		alloc_left = n;
		errno = 0;
		maker = row_maker_new(&t->plan, &options);
		ret = maker ? test_fill(maker, t->counts) : -errno;
		if (alloc_left >= 0)
			break;
		is_right = is_right && ret == -ENOMEM;
		is_empty = is_empty && (!maker || !row_count(maker));
		/* With memory again, the rows are the same. */
		if (maker)
			is_right = is_right && !test_fill(maker, t->counts) &&
				   !strcmp(row_text(maker, row_count(maker) - 1), last);
		row_maker_free(maker);
	}
	alloc_left = -1;
	diag("%d allocations", n);
	ok(n > 20 && !ret, "rows: a layout makes more than 20 allocations");
	ok(is_right, "rows: a failed allocation is ENOMEM, and rows filled again are right");
	ok(is_empty, "rows: there are no rows after a failed allocation");
	is_str(row_text(maker, row_count(maker) - 1), last,
	       "rows: the last row is right if no allocation fails");
	alloc_left = 0;
	ok(!test_fill(maker, t->counts) && alloc_left == 0,
	   "rows: filling rows again allocates nothing");
	alloc_left = -1;
	row_maker_free(maker);
}

static struct gpmu_counts *counts_of(const struct test_plan *t)
{
	struct gpmu_counts *counts = counts_copy(t->counts);

	if (!counts || counts_set_lost(counts, 0, COUNT_NOT_COUNTED, "why")) {
		counts_free(counts);
		return NULL;
	}
	return counts;
}

/* Runs each function of counts; returns 0 or -ENOMEM. */
static int steps(const struct test_plan *t)
{
	static const struct target target = { 9, 9, -1 };
	struct gpmu_counts *counts = counts_of(t), *total = counts_new(t->counts->slot_count);
	struct gpmu_counts *interval = counts_new(1);
	int ret = -ENOMEM;

	if (counts && total && interval &&
	    !counts_difference(interval, counts, t->counts) &&
	    !counts_add(total, t->counts) && !counts_add(total, counts) &&
	    !counts_set_targets(counts, 1, &target, 1) &&
	    !counts_assign(interval, counts))
		ret = 0;
	counts_free(counts);
	counts_free(total);
	counts_free(interval);
	return ret;
}

static void counts(const struct test_plan *t)
{
	struct gpmu_counts *interval, *later;
	bool is_right = true;
	int n, ret = -1;

	for (n = 0; n < 1000; n++) {
		alloc_left = n;
		ret = steps(t);
		if (alloc_left >= 0)
			break;
		is_right = is_right && ret == -ENOMEM;
	}
	alloc_left = -1;
	diag("%d allocations", n);
	ok(n > 20 && is_right && !ret, "counts: each failed allocation is ENOMEM");
	later = counts_copy(t->counts);
	interval = counts_copy(later);
	alloc_left = 0;
	ok(!counts_difference(interval, later, t->counts) && !counts_assign(later, interval) &&
	   !counts_add(later, interval) && alloc_left == 0,
	   "counts: computing an interval allocates nothing");
	alloc_left = -1;
	counts_free(later);
	counts_free(interval);
}

int main(void)
{
	struct sysroot root;
	struct test_plan t;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_new(root.path, NULL);
	if (!machine)
		sysroot_bail("superchip");
	make_plan(&t);
	layouts(&t, GPMU_AGGREGATE_MACHINE, "M Inner 0.1 ok");
	layouts(&t, GPMU_AGGREGATE_NODE, "N1 Inner 0.1 ok");
	layouts(&t, GPMU_AGGREGATE_CPU, "N1 Inner 0.1 ok");
	counts(&t);
	test_plan_release(&t);
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return done_testing();
}
