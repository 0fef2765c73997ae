// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: opening a session, and beginning a region for the first time.
 * Counting itself allocates nothing. FAKE is the path of source-fake.c, built.
 */
#include "alloc.h"
#include "session-kernel.h"
#include "plugin/source-fake.h"

static struct fake_state state;
static struct test test;
static const struct gpmu_session_options *options;

static int failed_alloc(int ret)
{
	return ret == ENOMEM && !strstr(test.error.text, "out of memory") ? 1 : -ret;
}

static int open_session(void)
{
	int before = open_files(), ret = test_session(&test, options);

	test_stop(&test);
	return open_files() == before && !state.groups ? failed_alloc(ret) : 1;
}

/* More regions than the first tables hold */
static int regions(void)
{
	int left = alloc_left, ret = 0;
	char name[24];

	alloc_left = -1;
	test_start(&test, options);
	alloc_left = left;
	for (int i = 0; i < 40 && !ret; i++) {
		snprintf(name, sizeof(name), "%d", i);
		ret = gpmu_region_begin(test.session, name);
	}
	/* Regions that have begun can be ended. */
	for (size_t i = gpmu_session_region_count(test.session); i-- > 0;) {
		snprintf(name, sizeof(name), "%zu", i);
		if (gpmu_region_end(test.session, name) &&
		    i + 1 < gpmu_session_region_count(test.session))
			ret = 1;
	}
	test_stop(&test);
	return ret;
}

/* Counts while no allocation can succeed. */
static void count_on(void)
{
	bool is_right = true;

	test_start(&test, options);
	gpmu_region_begin(test.session, "a");
	gpmu_region_end(test.session, "a");
	alloc_left = 0;
	for (int i = 0; i < 10; i++) {
		is_right = is_right && !gpmu_region_begin(test.session, "a") && !test_interval(&test) &&
			   !gpmu_region_end(test.session, "a") && !test_total(&test) &&
			   !gpmu_region_rows(test.session, 0, &test.rows);
		is_right = is_right && !gpmu_session_disable(test.session) && !test_interval(&test) &&
			   !gpmu_session_enable(test.session);
	}
	ok(is_right && alloc_left == 0, "session: intervals, totals and regions allocate nothing");
	alloc_left = -1;
	test_stop(&test);
}

/* The source cannot be read, and its rows state that; returns 0 or the error of the allocation. */
static int lose(void)
{
	int left = alloc_left, ret;

	alloc_left = -1;
	test_start(&test, options);
	alloc_left = left;
	state.read = -EIO;
	ret = test_interval(&test);
	state.read = 0;
	if (!ret && row(&test, 0)->state != GPMU_STATE_NOT_COUNTED)
		ret = 1;
	test_stop(&test);
	return ret;
}

/* The source cannot be read at the end of a region, which ends also without memory for a reason. */
static int end_of_lost(void)
{
	int left = alloc_left, ret;

	alloc_left = -1;
	test_start(&test, options);
	gpmu_region_begin(test.session, "a");
	alloc_left = left;
	state.read = -EIO;
	ret = gpmu_region_end(test.session, "a");
	state.read = 0;
	if (gpmu_region_end(test.session, "a") != -EINVAL)
		ret = 1;
	test_stop(&test);
	return ret;
}

int main(void)
{
	const pid_t pid = getpid();
	const struct gpmu_session_options system_wide = {
		.size = sizeof(system_wide),
		.system = 1,
		.aggregation = GPMU_AGGREGATE_NODE,
	};
	const struct gpmu_session_options process = {
		.size = sizeof(process),
		.pids = &pid,
		.pid_count = 1,
		.tids = &pid,
		.tid_count = 1,
	};
	const struct gpmu_session_options cpu = { .size = sizeof(cpu), .cpus = "0" };
	char spec[600];

	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	test_plan(&test, "vm", spec, NULL, "fake_0/one/,fake_1/two/");
	options = &system_wide;
	alloc_fail_each(open_session, 20, "session: opening one of a source");
	alloc_fail_each(regions, 40, "session: beginning regions");
	alloc_fail_each(lose, 4, "session: losing a source");
	alloc_fail_each(end_of_lost, 1, "session: the end of a region of a source that is lost");
	count_on();
	options = &cpu;
	alloc_fail_each(open_session, 20, "session: opening one of a CPU");
	test_release(&test);
	if (kernel_counts()) {
		test_plan(&test, NULL, NULL, NULL, FAULTS ",task-clock:u,user_time");
		options = &process;
		alloc_fail_each(open_session, 30, "session: opening one of a process");
		count_on();
		test_release(&test);
	} else {
		skip("session: opening one of a "
		     "process", "this kernel does not let this user count events");
	}
	return done_testing();
}
