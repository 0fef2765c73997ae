// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sources that fail: a plugin whose functions return errors, beside this kernel's software
 * events if they can be counted. FAKE is the path of source-fake.c, built.
 */
#include "session-kernel.h"
#include "plugin/source-fake.h"

#define EVENTS "fake_0/one/,fake_1/two/"

static struct fake_state state;
static const struct gpmu_session_options system_wide = {
	.size = sizeof(system_wide),
	.system = 1,
};

static void plan(struct test *test, const char *events)
{
	char spec[600];

	memset(&state, 0, sizeof(state));
	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	test_plan(test, NULL, spec, NULL, events);
}

static void wait_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

static void cannot_open(void)
{
	struct test test, other;

	plan(&test, EVENTS);
	state.group_open = -EACCES;
	ok(test_session(&test, &system_wide) == EACCES &&
		   !strcmp(test.error.text, "fake: no such group"),
	   "session: a source without permission fails the session, with the source's message");
	state.group_open = -ENODEV;
	ok(!test_session(&test, &system_wide),
	   "session: a PMU that is inaccessible does not fail the session");
	ok(!gpmu_session_enable(test.session) && !test_interval(&test),
	   "session: a session with an inaccessible PMU is enabled and read");
	is_state(&test, 0, GPMU_STATE_NOT_SUPPORTED, "fake: no such group",
		 "session: an event of an inaccessible PMU is not supported");
	test_stop(&test);
	state.group_open = 0;
	test_session(&test, &system_wide);
	other = test;
	ok(test_session(&other, &system_wide) == EBUSY &&
		   strstr(other.error.text, "another session"),
	   "session: a second session of one source is EBUSY");
	test_stop(&test);
	ok(!test_session(&other, &system_wide),
	   "session: a source is free again when its session is freed");
	test_stop(&other);
	ok(!state.groups, "session: freed sessions have closed all groups");
	test_release(&test);
}

static void cannot_enable(void)
{
	struct test test;

	plan(&test, EVENTS);
	test_session(&test, &system_wide);
	state.enable = -EIO;
	ok(gpmu_session_enable(test.session) == -EIO,
	   "session: a source that cannot be enabled is an error");
	ok(gpmu_region_begin(test.session, "a") == -EINVAL && test_interval(&test) == -EINVAL &&
		   !gpmu_session_disable(test.session),
	   "session: a session is not enabled after a failed enable");
	state.enable = 0;
	ok(!gpmu_session_enable(test.session) && !test_interval(&test) &&
		   row(&test, 0)->state == GPMU_STATE_OK,
	   "session: a session can be enabled after a failed enable");
	gpmu_session_pause(test.session);
	state.enable = -EIO;
	ok(gpmu_session_resume(test.session) == -EIO && !test_total(&test) &&
	   row(&test, 0)->time_end > row(&test, 0)->time_begin,
	   "session: a source that cannot be resumed is an error");
	state.enable = 0;
	ok(!gpmu_session_resume(test.session) && !test_total(&test) &&
	   row(&test, 0)->state == GPMU_STATE_OK &&
	   row(&test, 0)->enabled == row(&test, 0)->time_end - row(&test, 0)->time_begin,
	   "session: a session is paused after a failed resume, and can be resumed");
	test_release(&test);
}

/* The counts of the first interval after a failure are not attributable, and not counted. */
static void cannot_read(int err)
{
	struct test test;
	uint64_t enabled;

	gpmu_log_set(keep_line, NULL);
	kept_lines = 0;
	plan(&test, EVENTS);
	test_start(&test, &system_wide);
	wait_ms(2);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 1)->raw == 2 * row(&test, 1)->enabled,
	   "session, read error %d: the PMU counts before the failure", err);
	gpmu_region_begin(test.session, "lost");
	state.read = err;
	ok(!test_interval(&test), "session, read error: the interval is taken without an error");
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "fake_0 could not be read",
		 "session, read error: the PMU is not counted");
	is_state(&test, 1, GPMU_STATE_NOT_COUNTED, "fake_1 could not be read",
		 "session, read error: the source's other PMU is not counted");
	test_interval(&test);
	ok(kept_lines == (err == -ENODEV ? 0 : 2) &&
		   (err == -ENODEV || strstr(kept_line, "fake_1 could not be read")),
	   "session, read error: the error is logged once per PMU, unless it is ENODEV");
	gpmu_region_end(test.session, "lost");
	gpmu_region_rows(test.session, 0, &test.rows);
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "could not be read",
		 "session, read error: the region is not counted");
	state.read = 0;
	wait_ms(2);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "session, read error: the first interval after it is not counted");
	wait_ms(2);
	test_interval(&test);
	enabled = row(&test, 0)->time_end - row(&test, 0)->time_begin;
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw == enabled,
	   "session, read error: the second interval after it is counted");
	test_total(&test);
	enabled = row(&test, 0)->time_end;
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw == enabled,
	   "session, read error: the total is counted, as the source counted all the time");
	ok(!state.has_gone_back, "session, read error: the time does not go backwards");
	gpmu_log_set(NULL, NULL);
	test_release(&test);
}

static void lies(void)
{
	struct test test;

	plan(&test, EVENTS);
	test_start(&test, &system_wide);
	state.is_lying = true;
	wait_ms(1);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "session: impossible counts are not counted");
	test_release(&test);
}

static void others(void)
{
	const struct gpmu_session_options own = { .size = sizeof(own) };
	struct test test;

	plan(&test, "fake_0/one/," FAULTS);
	test_start(&test, &own);
	touch_pages(PAGES);
	gpmu_region_begin(test.session, "a");
	touch_pages(PAGES);
	state.read = -EIO;
	gpmu_region_end(test.session, "a");
	gpmu_region_rows(test.session, 0, &test.rows);
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "could not be read",
		 "session: in a region, an event of a source that cannot be read is not counted");
	is_faults(&test, 1, PAGES,
		  "session: in a region, other sources are counted if one cannot be read");
	test_interval(&test);
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "could not be read",
		 "session: in an interval, an event of a source that cannot be read is not counted");
	is_faults(&test, 1, 2 * PAGES,
		  "session: in an interval, other sources are counted if one cannot be read");
	ok(row(&test, 0)->scope == GPMU_SCOPE_MACHINE && row(&test, 1)->scope == GPMU_SCOPE_PROCESS,
	   "session: a row of a source is the machine's, one of a task is the process's");
	test_release(&test);

	plan(&test, FAULTS ",fake_0/one/");
	test_session(&test, &own);
	state.enable = -EIO;
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	state.enable = 0;
	gpmu_session_enable(test.session);
	touch_pages(2 * PAGES);
	test_total(&test);
	is_faults(&test, 0, 2 * PAGES, "session: no source is enabled if one of them cannot be");
	test_release(&test);
}

/* Events that were not enabled still wait for the task to execute another program. */
static void on_exec(void)
{
	struct gpmu_session_options options = {
		.size = sizeof(options), .pid_count = 1, .on_exec = 1,
	};
	struct child child;
	struct test test;

	child_start(&child, touch_and_exec);
	options.pids = &child.pid;
	plan(&test, FAULTS "," EVENTS);
	test_session(&test, &options);
	state.enable = -EIO;
	ok(gpmu_session_enable(test.session) == -EIO,
	   "session, on exec: a source that cannot be enabled is an error");
	state.enable = 0;
	gpmu_session_enable(test.session);
	child_end(&child);
	test_total(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw > 0 &&
		   row(&test, 0)->raw < PAGES,
	   "session, on exec: after a failed enable, events still begin to count on exec");
	test_release(&test);
}

static void nobody(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .pid_count = 1 };
	struct test test;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	options.pids = &pid;
	plan(&test, EVENTS);
	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "session: a process that has ended is ESRCH even if no event of it is counted");
	test_release(&test);
}

int main(void)
{
	cannot_open();
	cannot_enable();
	cannot_read(-EIO);
	cannot_read(-ENODEV);
	lies();
	nobody();
	if (kernel_counts()) {
		others();
		on_exec();
	} else {
		skip("session: other sources are counted if one "
		     "fails", "this kernel does not let this user count events");
	}
	return done_testing();
}
