// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups with ring buffers, to which the kernel logs their counts at each tick of a sampling
 * timer, on a simulated kernel
 */
#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"
#include "counter-fake.h"
#include "alloc.h"

static char logged[256];

static void keep(int level, const char *line, void *user)
{
	(void)user;
	if (level == GPMU_LOG_INFO)
		snprintf(logged, sizeof(logged), "%s", line);
}

/* A clock event leads each CPU's group; the sampling timer joins it. */
static void rings(void)
{
	struct counter_ring *list[8];
	struct counter_test test;
	int before;

	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection.interval = 1000000;
	ok(test_open(&test) == 0 && event_count == 16 && events[5].leader == 4 &&
		   events[4].attr.type == PERF_TYPE_SOFTWARE && !events[4].attr.sample_period &&
		   events[4].attr.disabled && events[4].attr.clockid == events[5].attr.clockid,
	   "counter: with an interval a clock event leads each CPU's group");
	ok(counter_ring_list(test.open, list, 8) == 4 && list[1]->target == 1,
	   "counter: each CPU's group has a ring buffer");
	test_enable(&test);
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6,
	       "counter: the clock event does not shift the counts");
	ok(!counter_ring_begin(list[1], 1000000, 300) && event_count == 17 &&
		   events[16].leader == 4 && events[16].cpu == 1 && events[16].is_enabled &&
		   events[16].attr.sample_period == 1000000,
	   "counter: the sampling timer joins its CPU's group");
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6,
	       "counter: the sampling timer does not shift the counts");
	kernel.ioctl_error = EINVAL;
	before = open_files() - 1;
	is_u64((uint64_t)-counter_ring_begin(list[1], 1000000, 300), EINVAL,
	       "counter: a sampling timer that the kernel refuses is an error");
	is_u64((uint64_t)open_files(), (uint64_t)before,
	       "counter: a refused sampling timer replaces and closes the earlier one");
	kernel.ioctl_error = 0;
	test_release(&test);
}

static void no_rings(void)
{
	int before = open_files();
	struct counter_test test;

	gpmu_log_set(keep, NULL);
	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection.interval = 1000000;
	kernel.mmap_error = EPERM;
	ok(test_open(&test) == 0 && !counter_ring_list(test.open, NULL, 0) &&
		   open_files() == before + 12,
	   "counter: without memory for ring buffers no clock event is opened");
	is_str(logged, "the kernel does not sample the counters: Operation not permitted: more than "
		     "kernel.perf_event_mlock_kb",
		     "counter: the reason why there are no ring buffers is logged");
	test_read(&test);
	is_u64(test_count(&test, 2, 1).raw, 6, "counter: a group without a ring buffer is counted");
	test_release(&test);
	gpmu_log_set(NULL, NULL);
}

/* Without memory there are no ring buffers, or no sampling timer. */
static int each(void)
{
	int ret, before = open_files();
	struct counter_ring *list[8];
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	if (!test.counts)
		return -ENOMEM;
	test.selection.interval = 1000000;
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
	alloc_fail_each(each, 70, "counter: ring buffers and sampling timers");
	fake_end();
	return done_testing();
}
