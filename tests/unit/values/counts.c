// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of counts: intervals, totals, scaled values. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "values/counts.h"
#include "tap.h"

static const struct place places[] = { { 0, 0, -1 }, { 2, 1, -1 } };

/* One slot with two places */
static struct gpmu_counts *table(uint64_t begin, uint64_t end)
{
	struct gpmu_counts *counts = counts_new(1);

	if (!counts || counts_set_places(counts, 0, places, 2))
		return NULL;
	counts->begin = begin;
	counts->end = end;
	return counts;
}

static void set(struct gpmu_counts *counts, size_t place, uint64_t raw, uint64_t enabled,
		uint64_t running)
{
	counts->slots[0].counts[place] = (struct count){ raw, enabled, running, COUNT_OK };
}

static bool is(const struct gpmu_counts *counts, size_t place, uint64_t raw, uint64_t enabled,
	       uint64_t running, enum count_state state)
{
	const struct count *count = &counts->slots[0].counts[place];

	return count->raw == raw && count->enabled == enabled && count->running == running &&
	       count->state == state;
}

static void values(void)
{
	struct count count = { UINT64_MAX, 3, 3, COUNT_OK };

	ok(count_value(&count) == 18446744073709551615.0, "a count of 64 bits");
	count = (struct count){ 9007199254740991, 7, 7, COUNT_OK };
	ok(count_value(&count) == 9007199254740991.0, "not multiplexed, it is exact");
	count = (struct count){ 300, 2000000000, 1500000000, COUNT_OK };
	ok(count_value(&count) == 400, "300 in three quarters of the time are 400");
	count = (struct count){ UINT64_MAX, 4000000000000000000, 2000000000000000000, COUNT_OK };
	ok(count_value(&count) == 36893488147419103230.0, "twice what 64 bits hold");
	count = (struct count){ 5, 10, 0, COUNT_OK };
	ok(isnan(count_value(&count)), "one that never ran has no value");
	count = (struct count){ 5, 10, 10, COUNT_NOT_COUNTED };
	ok(isnan(count_value(&count)), "nor one that was not counted");
	count = (struct count){ 0 };
	ok(count_value(&count) == 0, "that of a task that has not run is 0");
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
	ok(!counts_difference(interval, later, earlier) && interval->n_slots == 1 &&
	   counts_alike(interval, later), "an interval has the places of the later table");
	ok(is(interval, 0, 15, 150, 150, COUNT_OK), "its counts are the differences");
	ok(is(interval, 1, 5, 150, 50, COUNT_OK), "also of 64 bits, and of a multiplexed count");
	ok(interval->begin == 200 && interval->end == 350,
	   "it begins where the earlier ended");
	ok(interval->user_time == 2 && interval->system_time == 4,
	   "and has the times of the command");
	is_str(interval->times_why, "gone", "and why they are not known");
	set(later, 0, 9, 250, 250);
	ok(!counts_difference(interval, later, earlier) &&
	   is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED), "a count that fell is not counted");
	set(later, 0, 25, 99, 99);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED), "nor one whose time fell");
	set(later, 0, 25, 110, 120);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_COUNTED),
	   "nor one that ran longer than it was enabled");
	set(later, 0, 10, 250, 100);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 150, 0, COUNT_NOT_COUNTED),
	   "nor one that did not run in the interval");
	set(later, 0, 10, 100, 100);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_OK), "a task that did not run has counted 0");
	set(earlier, 0, 0, 100, 0);
	earlier->slots[0].counts[0].state = COUNT_NOT_COUNTED;
	set(later, 0, 8, 200, 50);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 8, 100, 50, COUNT_OK), "one that ran for the first time is counted");
	later->slots[0].counts[0].state = COUNT_NOT_SUPPORTED;
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 0, 0, 0, COUNT_NOT_SUPPORTED), "what is not supported stays so");
	counts_free(earlier);
	counts_free(later);
	counts_free(interval);
}

/* A counter that was lost, and can be read again */
static void regained(void)
{
	const struct count lost = { .state = COUNT_NOT_COUNTED };
	const struct count before = { 100, 10, 10, COUNT_OK }, after = { 130, 20, 20, COUNT_OK };
	const struct count never = { 0, 10, 0, COUNT_NOT_COUNTED };
	const struct count kept = { 130, 20, 20, COUNT_NOT_COUNTED };
	struct count interval = count_difference(&after, &lost), total = before;

	ok(interval.state == COUNT_NOT_COUNTED && !interval.raw && !interval.enabled,
	   "all that a lost counter has counted is not the count of one interval");
	interval = count_difference(&after, &before);
	ok(interval.state == COUNT_OK && interval.raw == 30, "the next one is counted");
	interval = count_difference(&kept, &before);
	ok(interval.state == COUNT_NOT_COUNTED && !interval.raw,
	   "one that is lost with its last numbers is not counted");
	interval = count_difference(&never, &never);
	ok(!interval.raw && !interval.running && !interval.enabled, "nothing is made of nothing");
	count_add(&total, &lost);
	ok(total.state == COUNT_NOT_COUNTED && !total.raw, "a total with a lost part is lost");
}

static void changes(void)
{
	static const struct place swapped[] = { { 2, 1, -1 }, { 0, 0, -1 }, { 4, 1, -1 } };
	struct gpmu_counts *earlier = table(0, 10), *later = counts_new(1),
			   *interval = counts_new(1);

	set(earlier, 0, 10, 10, 10);
	set(earlier, 1, 20, 10, 10);
	counts_set_places(later, 0, swapped, 3);
	later->end = 20;
	set(later, 0, 25, 20, 20);
	set(later, 1, 11, 20, 20);
	set(later, 2, 3, 5, 5);
	counts_difference(interval, later, earlier);
	ok(is(interval, 0, 5, 10, 10, COUNT_OK) && is(interval, 1, 1, 10, 10, COUNT_OK),
	   "places are found where they have another order");
	ok(is(interval, 2, 3, 5, 5, COUNT_OK), "one that is new counted from 0");
	ok(!counts_set_lost(later, 0, COUNT_NOT_COUNTED, "the PMU has gone") &&
	   !counts_difference(interval, later, earlier) &&
	   interval->slots[0].counts[0].state == COUNT_NOT_COUNTED,
	   "a PMU that vanished while it was open is not counted");
	is_str(interval->slots[0].why, "the PMU has gone", "and says why");
	counts_free(later);
	later = counts_new(1);
	counts_set_lost(later, 0, COUNT_NOT_SUPPORTED, "no such event");
	ok(!counts_difference(interval, later, later) && !interval->slots[0].length &&
	   interval->slots[0].state == COUNT_NOT_SUPPORTED && interval->slots[0].why &&
	   !strcmp(interval->slots[0].why, "no such event"),
	   "a slot without places keeps its state and reason");
	counts_free(earlier);
	counts_free(later);
	counts_free(interval);
}

static void copies(void)
{
	struct gpmu_counts *counts = table(3, 4), *copy;
	struct place *before;

	set(counts, 1, 6, 5, 4);
	counts->system_time = 9;
	copy = counts_copy(counts);
	ok(copy && counts_alike(copy, counts) && is(copy, 1, 6, 5, 4, COUNT_OK) &&
	   copy->begin == 3 && copy->end == 4 && copy->system_time == 9, "a copy");
	if (!copy)
		return;
	set(counts, 1, 7, 5, 5);
	before = copy->slots[0].places;
	ok(is(copy, 1, 6, 5, 4, COUNT_OK), "has counts of its own");
	ok(!counts_assign(copy, counts) && is(copy, 1, 7, 5, 5, COUNT_OK) &&
	   copy->slots[0].places == before, "which are replaced in the same memory");
	counts_free(copy);
	counts_free(counts);
	counts_free(NULL);
	counts = counts_new(2);
	ok(counts && counts->slots[1].state == COUNT_NOT_COUNTED && !counts->slots[1].length,
	   "a slot of a new table is not counted");
	counts_free(counts);
}

static void totals(void)
{
	static const struct place other = { 7, 1, -1 };
	struct gpmu_counts *total = counts_new(1), *part = table(10, 30);

	set(part, 0, 5, 20, 20);
	set(part, 1, 6, 20, 0);
	part->slots[0].counts[1] = (struct count){ 0, 20, 0, COUNT_NOT_COUNTED };
	part->user_time = 2;
	part->times_why = "gone";
	ok(!counts_add(total, part), "a region is added to nothing");
	ok(!counts_add(total, part), "and another");
	ok(is(total, 0, 10, 40, 40, COUNT_OK), "their counts and times");
	ok(total->end - total->begin == 40 && total->user_time == 4, "their lengths");
	is_str(total->times_why, "gone", "and why their times are not known");
	ok(is(total, 1, 0, 40, 0, COUNT_NOT_COUNTED), "what never ran is not counted");
	set(part, 1, 3, 20, 10);
	counts_add(total, part);
	ok(is(total, 1, 3, 60, 10, COUNT_OK) && count_value(&total->slots[0].counts[1]) == 18,
	   "until it runs once: that is scaled to all regions");
	part->slots[0].counts[1] = (struct count){ .state = COUNT_NOT_COUNTED };
	counts_add(total, part);
	ok(is(total, 1, 0, 0, 0, COUNT_NOT_COUNTED), "a part that is lost loses the total");
	set(part, 1, 3, 20, 10);
	counts_add(total, part);
	ok(is(total, 1, 0, 0, 0, COUNT_NOT_COUNTED), "for good");
	part->slots[0].counts[0] = (struct count){ .state = COUNT_NOT_SUPPORTED };
	counts_add(total, part);
	ok(is(total, 0, 0, 0, 0, COUNT_NOT_SUPPORTED), "so does one that is not supported");
	counts_set_places(part, 0, &other, 1);
	set(part, 0, 4, 1, 1);
	ok(!counts_add(total, part) && total->slots[0].length == 3 &&
		   is(total, 2, 4, 1, 1, COUNT_OK),
	   "a CPU that has come is another place");
	counts_free(part);
	part = counts_new(1);
	counts_set_lost(part, 0, COUNT_NOT_SUPPORTED, "why");
	counts_free(total);
	total = counts_new(1);
	ok(!counts_add(total, part) && total->slots[0].state == COUNT_NOT_SUPPORTED &&
	   total->slots[0].why && !strcmp(total->slots[0].why, "why"),
	   "a slot without places says why in the total");
	counts_free(part);
	counts_free(total);
}

int main(void)
{
	values();
	intervals();
	regained();
	changes();
	copies();
	totals();
	return done_testing();
}
