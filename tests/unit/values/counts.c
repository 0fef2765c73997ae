// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of counts: intervals, totals, scaled values */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "values/counts.h"
#include "tap.h"

static const struct target targets[] = { { 0, 0, -1 }, { 2, 1, -1 } };

/* A table of one slot with two targets */
static struct gpmu_counts *table(uint64_t begin, uint64_t end)
{
	struct gpmu_counts *counts = counts_new(1);

	if (!counts || counts_set_targets(counts, 0, targets, 2))
		return NULL;
	counts->begin = begin;
	counts->end = end;
	return counts;
}

static void set(struct gpmu_counts *counts, size_t target, uint64_t raw, uint64_t enabled,
		uint64_t running)
{
	counts->slots[0].counts[target] = (struct count){ raw, enabled, running, COUNT_OK };
}

static bool is(const struct gpmu_counts *counts, size_t target, uint64_t raw, uint64_t enabled,
	       uint64_t running, enum count_state state)
{
	const struct count *count = &counts->slots[0].counts[target];

	return count->raw == raw && count->enabled == enabled && count->running == running &&
	       count->state == state;
}

static void values(void)
{
	struct count count = { UINT64_MAX, 3, 3, COUNT_OK };

	ok(count_value(&count) == 18446744073709551615.0, "counts: a count of 64 bits has a value");
	count = (struct count){ 9007199254740991, 7, 7, COUNT_OK };
	ok(count_value(&count) == 9007199254740991.0,
	   "counts: a count that was not multiplexed is exact");
	count = (struct count){ 300, 2000000000, 1500000000, COUNT_OK };
	ok(count_value(&count) == 400,
	   "counts: a count of 300 in three quarters of the time is scaled to 400");
	count = (struct count){ UINT64_MAX, 4000000000000000000, 2000000000000000000, COUNT_OK };
	ok(count_value(&count) == 36893488147419103230.0,
	   "counts: a scaled value can exceed 64 bits");
	count = (struct count){ 5, 10, 0, COUNT_OK };
	ok(isnan(count_value(&count)), "counts: a count that never ran has no value");
	count = (struct count){ 5, 10, 10, COUNT_NOT_COUNTED };
	ok(isnan(count_value(&count)), "counts: a count that is not counted has no value");
	count = (struct count){ 0 };
	ok(count_value(&count) == 0, "counts: the count of a task that has not run is 0");
}

static void intervals(void)
{
	struct gpmu_counts *earlier = table(100, 200), *later = table(100, 350),
			   *interval = counts_new(0);

	set(earlier, 0, 10, 100, 100);
	set(earlier, 1, UINT64_MAX - 5, 100, 40);
	set(later, 0, 25, 250, 250);
	set(later, 1, UINT64_MAX, 250, 90);
	earlier->user_time = 7;
	later->user_time = 9;
	later->times_why = "gone";
	later->system_time = 4;
	ok(!counts_difference(interval, later, earlier) && interval->slot_count == 1 &&
	   counts_are_alike(interval, later), "counts: an interval has the targets of the later table");
	ok(is(interval, 0, 15, 150, 150, COUNT_OK),
	   "counts: an interval's counts are the differences");
	ok(is(interval, 1, 5, 150, 50, COUNT_OK),
	   "counts: an interval of a multiplexed count near 2^64 is the difference");
	ok(interval->begin == 200 && interval->end == 350,
	   "counts: an interval begins where the earlier table ends");
	ok(interval->user_time == 2 && interval->system_time == 4,
	   "counts: an interval has the user and system time between its tables");
	is_str(interval->times_why, "gone",
	       "counts: an interval keeps the reason why its times are unknown");
	set(later, 0, 9, 250, 250);
	ok(!counts_difference(interval, later, earlier) &&
	   is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED),
	   "counts: a count that decreased is not counted");
	set(later, 0, 25, 99, 99);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED),
	   "counts: a count whose times decreased is not counted");
	set(later, 0, 25, 110, 120);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED),
	   "counts: a count that ran for longer than it was enabled is not counted");
	set(later, 0, 10, 250, 100);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 150, 0, COUNT_NOT_COUNTED),
	   "counts: a count that did not run in the interval is not counted");
	set(later, 0, 10, 100, 100);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_OK),
	   "counts: the interval of a task that did not run is 0");
	set(earlier, 0, 0, 100, 0);
	earlier->slots[0].counts[0].state = COUNT_NOT_COUNTED;
	set(later, 0, 8, 200, 50);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 8, 100, 50, COUNT_OK),
	   "counts: a count that ran for the first time is counted");
	later->slots[0].counts[0].state = COUNT_NOT_SUPPORTED;
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_SUPPORTED),
	   "counts: a count that is not supported stays so");
	counts_free(earlier);
	counts_free(later);
	counts_free(interval);
}

/* A counter that was lost and can be read again */
static void regained(void)
{
	const struct count lost = { .state = COUNT_NOT_COUNTED };
	const struct count before = { 100, 10, 10, COUNT_OK }, after = { 130, 20, 20, COUNT_OK };
	const struct count never = { 0, 10, 0, COUNT_NOT_COUNTED };
	const struct count kept = { 130, 20, 20, COUNT_NOT_COUNTED };
	struct count interval = count_difference(&after, &lost), total = before;

	ok(interval.state == COUNT_NOT_COUNTED && !interval.raw && !interval.enabled,
	   "counts: the first count after a loss is not an interval's count");
	interval = count_difference(&after, &before);
	ok(interval.state == COUNT_OK && interval.raw == 30,
	   "counts: the second interval after a loss is counted");
	interval = count_difference(&kept, &before);
	ok(interval.state == COUNT_NOT_COUNTED && !interval.raw,
	   "counts: a count lost with its last numbers is not counted");
	interval = count_difference(&never, &never);
	ok(!interval.raw && !interval.running && !interval.enabled,
	   "counts: the difference of two counts that never ran is 0");
	count_add(&total, &lost);
	ok(total.state == COUNT_NOT_COUNTED && !total.raw,
	   "counts: a total with a lost part is not counted");
}

/* Compares count_add_difference() with count_difference() and count_add() for all combinations. */
static void add_differences(void)
{
	static const struct count kinds[] = {
		{ 0, 0, 0, COUNT_OK }, { 100, 10, 10, COUNT_OK }, { 130, 20, 15, COUNT_OK },
		{ 130, 20, 10, COUNT_OK }, { 90, 30, 30, COUNT_OK }, { 140, 15, 30, COUNT_OK },
		{ 0, 0, 0, COUNT_NOT_COUNTED }, { 0, 10, 0, COUNT_NOT_COUNTED },
		{ 130, 20, 20, COUNT_NOT_COUNTED }, { 0, 0, 0, COUNT_NOT_SUPPORTED },
	};
	const size_t n = sizeof(kinds) / sizeof(kinds[0]);
	bool is_alike = true;

	for (size_t i = 0; i < n * n * n; i++) {
		const struct count *later = &kinds[i % n], *earlier = &kinds[i / n % n];
		struct count sum = kinds[i / n / n], result = sum;
		const struct count part = count_difference(later, earlier);

		count_add_difference(&sum, later, earlier);
		count_add(&result, &part);
		if (sum.raw == result.raw && sum.enabled == result.enabled &&
		    sum.running == result.running && sum.state == result.state)
			continue;
		diag("total %zu, later %zu, earlier %zu", i / n / n, i % n, i / n % n);
		is_alike = false;
	}
	ok(is_alike, "counts: count_add_difference() equals count_difference() and count_add()");
}

static void changes(void)
{
	static const struct target swapped[] = { { 2, 1, -1 }, { 0, 0, -1 }, { 4, 1, -1 } };
	struct gpmu_counts *earlier = table(0, 10), *later = counts_new(1),
			   *interval = counts_new(1);

	set(earlier, 0, 10, 10, 10);
	set(earlier, 1, 20, 10, 10);
	counts_set_targets(later, 0, swapped, 3);
	later->end = 20;
	set(later, 0, 25, 20, 20);
	set(later, 1, 11, 20, 20);
	set(later, 2, 3, 5, 5);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 5, 10, 10, COUNT_OK) && is(interval, 1, 1, 10, 10, COUNT_OK),
	   "counts: an interval matches targets whose order has changed");
	ok(is(interval, 2, 3, 5, 5, COUNT_OK), "counts: an interval of a new target starts at 0");
	ok(!counts_set_lost(later, 0, COUNT_NOT_COUNTED, "the PMU has gone") &&
	   !counts_difference(interval, later, earlier) &&
	   interval->slots[0].counts[0].state == COUNT_NOT_COUNTED,
	   "counts: the interval of a PMU that vanished is not counted");
	is_str(interval->slots[0].why, "the PMU has gone",
	       "counts: the interval of a PMU that vanished has the reason");
	counts_free(later);
	later = counts_new(1);
	counts_set_lost(later, 0, COUNT_NOT_SUPPORTED, "no such event");
	ok(!counts_difference(interval, later, later) && !interval->slots[0].length &&
	   interval->slots[0].state == COUNT_NOT_SUPPORTED && interval->slots[0].why &&
	   !strcmp(interval->slots[0].why, "no such event"),
	   "counts: a slot without targets keeps its state and reason");
	counts_free(earlier);
	counts_free(later);
	counts_free(interval);
}

static void copies(void)
{
	struct gpmu_counts *counts = table(3, 4), *copy;
	struct target *before;

	set(counts, 1, 6, 5, 4);
	counts->system_time = 9;
	copy = counts_copy(counts);
	ok(copy && counts_are_alike(copy, counts) && is(copy, 1, 6, 5, 4, COUNT_OK) &&
	   copy->begin == 3 && copy->end == 4 && copy->system_time == 9,
	   "counts: a copy equals its original");
	if (!copy)
		return;
	set(counts, 1, 7, 5, 5);
	before = copy->slots[0].targets;
	ok(is(copy, 1, 6, 5, 4, COUNT_OK), "counts: a copy does not change with its original");
	ok(!counts_assign(copy, counts) && is(copy, 1, 7, 5, 5, COUNT_OK) &&
	   copy->slots[0].targets == before,
	   "counts: counts_assign() replaces the counts in the same memory");
	counts_free(copy);
	counts_free(counts);
	counts_free(NULL);
	counts = counts_new(2);
	ok(counts && counts->slots[1].state == COUNT_NOT_COUNTED && !counts->slots[1].length,
	   "counts: a slot of a new table is not counted");
	counts_free(counts);
}

static void totals(void)
{
	static const struct target other = { 7, 1, -1 };
	struct gpmu_counts *total = counts_new(1), *part = table(10, 30);

	set(part, 0, 5, 20, 20);
	set(part, 1, 6, 20, 0);
	part->slots[0].counts[1] = (struct count){ 0, 20, 0, COUNT_NOT_COUNTED };
	part->user_time = 2;
	part->times_why = "gone";
	ok(!counts_add(total, part), "counts: a table is added to an empty total");
	ok(!counts_add(total, part), "counts: a second table is added to a total");
	ok(is(total, 0, 10, 40, 40, COUNT_OK), "counts: a total sums counts and times");
	ok(total->end - total->begin == 40 && total->user_time == 4,
	   "counts: a total sums lengths and user times");
	is_str(total->times_why, "gone", "counts: a total keeps the reason why times are unknown");
	ok(is(total, 1, 0, 40, 0, COUNT_NOT_COUNTED),
	   "counts: a count that never ran is not counted in the total");
	set(part, 1, 3, 20, 10);
	counts_add(total, part);
	ok(is(total, 1, 3, 60, 10, COUNT_OK) && count_value(&total->slots[0].counts[1]) == 18,
	   "counts: a count that ran once is scaled to the total's time");
	part->slots[0].counts[1] = (struct count){ .state = COUNT_NOT_COUNTED };
	counts_add(total, part);
	ok(is(total, 1, 0, 0, 0, COUNT_NOT_COUNTED),
	   "counts: a total with a lost part is not counted");
	set(part, 1, 3, 20, 10);
	counts_add(total, part);
	ok(is(total, 1, 0, 0, 0, COUNT_NOT_COUNTED),
	   "counts: a total that was lost stays not counted");
	part->slots[0].counts[0] = (struct count){ .state = COUNT_NOT_SUPPORTED };
	counts_add(total, part);
	ok(is(total, 0, 0, 0, 0, COUNT_NOT_SUPPORTED),
	   "counts: a total with a part that is not supported is not supported");
	counts_set_targets(part, 0, &other, 1);
	set(part, 0, 4, 1, 1);
	ok(!counts_add(total, part) && total->slots[0].length == 3 &&
		   is(total, 2, 4, 1, 1, COUNT_OK),
	   "counts: a new CPU is a new target of the total");
	counts_free(part);
	part = counts_new(1);
	counts_set_lost(part, 0, COUNT_NOT_SUPPORTED, "why");
	counts_free(total);
	total = counts_new(1);
	ok(!counts_add(total, part) && total->slots[0].state == COUNT_NOT_SUPPORTED &&
	   total->slots[0].why && !strcmp(total->slots[0].why, "why"),
	   "counts: a slot without targets gives the total its reason");
	counts_free(part);
	counts_free(total);
}

int main(void)
{
	values();
	intervals();
	regained();
	add_differences();
	changes();
	copies();
	totals();
	return done_testing();
}
