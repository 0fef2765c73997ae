// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn, libperf's too. No group stays open then. */
#include "alloc.h"
#include "counter-test.h"

static const struct gpmu_machine *machine;
static const struct gpmu_pmu *software;

/* A weak group of this task, in which one event does not exist */
static int task(void)
{
	static const struct event_instance events[] = { PAGE_FAULTS, SOFTWARE("none", 4095), DUMMY };
	struct counter_test test;
	int ret, tids[2] = { getpid(), getpid() }, before = open_files();

	test_init(&test, machine, software, events, 3);
	if (!test.counts)
		return -ENOMEM;
	test.instances[0].is_weak = true;
	test.selection = (struct source_selection){ .tids = tids, .tid_count = 2 };
	ret = test_open(&test);
	if (ret == -ENOMEM && strcmp(test.error.text, "out of memory"))
		ret = 1;
	if (!ret && (test_enable(&test) || test_read(&test) || !test.counts->slots[1].why))
		ret = 1;
	test_release(&test);
	return open_files() == before ? ret : 1;
}

/* A requested CPU that does not exist, and an event of libgpmu itself */
static int others(void)
{
	static const struct event_instance events[] = {
		DUMMY, { .name = "duration_time", .tool = EVENT_TOOL_DURATION_TIME },
	};
	static const int cpu = 4095;
	struct counter_test test;
	int ret;

	test_init(&test, machine, software, events, 2);
	if (!test.counts)
		return -ENOMEM;
	test.selection = (struct source_selection){ .is_system_wide = true, .cpus = &cpu, .cpu_count = 1 };
	ret = test_open(&test);
	if (!ret && (test_read(&test) || !test.counts->slots[0].why))
		ret = 1;
	test_release(&test);
	return ret;
}

static int fits(void)
{
	static const struct event_instance events[] = { PAGE_FAULTS, DUMMY };
	const struct event_instance *list[] = { &events[0], &events[1] };
	int ret = source_perf.fits(NULL, list, 2);

	return ret == 1 ? 0 : ret;
}

int main(void)
{
	struct gpmu_machine *here;

	if (skip_all())
		return 0;
	here = gpmu_machine_new(NULL, NULL);
	machine = here;
	software = here ? gpmu_machine_find_pmu(here, "software") : NULL;
	if (!ok(software, "counter: this machine has software events"))
		return done_testing();
	alloc_fail_each(task, 25, "counter: a group of a task");
	alloc_fail_each(others, 8, "counter: a group that is counted nowhere");
	alloc_fail_each(fits, 5, "counter: whether events fit");
	gpmu_machine_free(here);
	return done_testing();
}
