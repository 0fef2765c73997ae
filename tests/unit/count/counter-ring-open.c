// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of which the kernel is to take readings, by one that is made up */
#include "count/counter.h"
#include "count/counter_ring.h"
#include "counter-fake.h"
#include "alloc.h"

static char told[256];

static void keep(int level, const char *line, void *user)
{
	(void)user;
	if (level == GPMU_LOG_INFO)
		snprintf(told, sizeof(told), "%s", line);
}

/* Each CPU's group has a clock, the kernel's beat joins it. */
static void rings(void)
{
	struct counter_ring *list[8];
	struct counter_test test;
	int before;

	init(&test, "armv8_pmuv3_0", core, 3);
	test.target.interval = 1000000;
	ok(test_open(&test) == 0 && n_events == 16 && events[5].leader == 4 &&
		   events[4].attr.type == PERF_TYPE_SOFTWARE && !events[4].attr.sample_period &&
		   events[4].attr.disabled && events[4].attr.clockid == events[5].attr.clockid,
	   "where the kernel is to take readings a clock leads each CPU's group");
	ok(counter_ring_list(test.open, list, 8) == 4 && list[1]->place == 1, "which has a ring");
	test_enable(&test);
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6, "a count is not the clock's");
	ok(!counter_ring_begin(list[1], 1000000, 300) && n_events == 17 &&
		   events[16].leader == 4 && events[16].cpu == 1 && events[16].enabled &&
		   events[16].attr.sample_period == 1000000,
	   "the beat is of a CPU's group");
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6, "a count is not the beat's");
	kernel.ioctl_error = EINVAL;
	before = open_files() - 1;
	is_u64((uint64_t)-counter_ring_begin(list[1], 1000000, 300), EINVAL,
	       "a beat that is refused is an error");
	is_u64((uint64_t)open_files(), (uint64_t)before, "and the one before it is no more");
	kernel.ioctl_error = 0;
	test_release(&test);
}

static void no_rings(void)
{
	int before = open_files();
	struct counter_test test;

	gpmu_log_set(keep, NULL);
	init(&test, "armv8_pmuv3_0", core, 3);
	test.target.interval = 1000000;
	kernel.mmap_error = EPERM;
	ok(test_open(&test) == 0 && !counter_ring_list(test.open, NULL, 0) &&
		   open_files() == before + 12,
	   "without memory for a ring there is none, and no clock");
	is_str(told, "the kernel is not asked for readings: Operation not permitted: more than "
		     "kernel.perf_event_mlock_kb", "it is told why");
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6, "it counts nevertheless");
	test_release(&test);
	gpmu_log_set(NULL, NULL);
}

/* Without memory for rings there are none, without it for a beat there is none. */
static int each(void)
{
	int ret, before = open_files();
	struct counter_ring *list[8];
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	if (!test.counts)
		return -ENOMEM;
	test.target.interval = 1000000;
	ret = test_open(&test);
	if (!ret && counter_ring_list(test.open, list, 8) != 4)
		ret = -ENOMEM;
	for (size_t i = 0; i < 4 && !ret; i++)
		ret = counter_ring_begin(list[i], 1000000, 300);
	test_release(&test);
	return open_files() == before ? ret : 1;
}

int main(void)
{
	if (!fake_begin())
		return done_testing();
	rings();
	no_rings();
	alloc_fail_each(each, 90, "rings and beats");
	fake_end();
	return done_testing();
}
