// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of software events of this task and of all CPUs, counted by this kernel */
#include <fcntl.h>
#include <sched.h>

#include "counter-test.h"

static long reads;	/* read(2) calls by this program and by libperf */

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	reads++;
	return __real_read(fd, buffer, size);
}

static const struct event_instance three[] = { PAGE_FAULTS, TASK_CLOCK, DUMMY };

static void own_task(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	struct counter_test test;
	int tid = getpid();
	struct count before, faults;

	test_init(&test, machine, pmu, three, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	if (!ok(test_open(&test) == 0, "counter: a group of this task is opened")) {
		diag("%s", test.error.text);
		test_release(&test);
		return;
	}
	ok(test.counts->slots[2].length == 1 && test.counts->slots[2].targets[0].tid == tid &&
	   test.counts->slots[2].targets[0].cpu == -1 && test.counts->slots[2].targets[0].node == -1,
	   "counter: a task's group has one target, the task");
	touch_pages(PAGES);
	test_read(&test);
	before = test_count(&test, 0, 0);
	ok(before.state == COUNT_OK && !before.raw && !before.enabled,
	   "counter: nothing is counted before enable()");
	ok(test_enable(&test) == 0, "counter: enable() of a task's group succeeds");
	touch_pages(PAGES);
	reads = 0;
	ok(test_read(&test) == 0 && reads == 1, "counter: one system call reads three events");
	faults = test_count(&test, 0, 0);
	ok(faults.state == COUNT_OK && faults.raw >= PAGES && faults.raw < 2 * PAGES,
	   "counter: touched pages are counted as page faults");
	ok(faults.enabled && faults.running == faults.enabled,
	   "counter: a software group runs all the time");
	ok(test_count(&test, 1, 0).raw > 0 && test_count(&test, 2, 0).raw == 0,
	   "counter: the task clock advances and a dummy event stays 0");
	ok(test_count(&test, 1, 0).enabled == faults.enabled,
	   "counter: all events of a group have the same enabled time");
	ok(test_disable(&test) == 0, "counter: disable() of a task's group succeeds");
	test_read(&test);
	before = test_count(&test, 0, 0);
	touch_pages(PAGES);
	test_read(&test);
	faults = test_count(&test, 0, 0);
	ok(faults.raw == before.raw && faults.enabled == before.enabled,
	   "counter: a disabled group counts neither events nor time");
	test_enable(&test);
	touch_pages(PAGES);
	test_read(&test);
	ok(test_count(&test, 0, 0).raw >= before.raw + PAGES,
	   "counter: a group that is enabled again continues from its count");
	test_release(&test);
}

static void every_cpu(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	static const struct event_instance events[] = { CPU_CLOCK, CONTEXT_SWITCHES };
	struct counter_test test;
	const int *cpus;
	size_t n = gpmu_machine_online_cpus(machine, &cpus);
	bool has_targets = true, is_counted = true;

	test_init(&test, machine, pmu, events, 2);
	test.selection = (struct source_selection){ .is_system_wide = true };
	if (test_open(&test)) {
		skip("counter: all CPUs are counted", test.error.text);
		test_release(&test);
		return;
	}
	ok(test.counts->slots[0].length == n && test.counts->slots[1].length == n,
	   "counter: a system-wide group has a target for each online CPU");
	for (size_t i = 0; i < test.counts->slots[0].length; i++)
		has_targets = has_targets && test.counts->slots[0].targets[i].cpu == cpus[i] &&
			 test.counts->slots[0].targets[i].tid == -1;
	ok(has_targets, "counter: the targets of a system-wide group are CPUs, for all tasks");
	test_enable(&test);
	usleep(20000);
	reads = 0;
	test_read(&test);
	ok(reads == (long)n, "counter: one system call reads the group on a CPU");
	for (size_t i = 0; i < n; i++)
		is_counted = is_counted && test_count(&test, 0, i).raw >= 20000000 &&
			     test_count(&test, 0, i).enabled >= 20000000;
	ok(is_counted, "counter: the clock of each CPU advances by 20 ms, idle or not");
	test_release(&test);
}

static void one_cpu(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	static const struct event_instance events[] = { CPU_CLOCK };
	struct counter_test test;
	const int *cpus;
	size_t n = gpmu_machine_online_cpus(machine, &cpus);
	int cpu = cpus[n - 1], asked[2] = { cpu, 4095 };

	test_init(&test, machine, pmu, events, 1);
	test.selection = (struct source_selection){ .is_system_wide = true, .cpus = asked, .cpu_count = 2 };
	if (test_open(&test)) {
		skip("counter: one CPU is counted", test.error.text);
		test_release(&test);
		return;
	}
	test_enable(&test);
	test_read(&test);
	ok(test.counts->slots[0].length == 2 && test.counts->slots[0].targets[0].cpu == cpu &&
	   test_count(&test, 0, 0).state == COUNT_OK,
	   "counter: of two requested CPUs the existing one is counted");
	ok(test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED && test.counts->slots[0].why &&
	   strstr(test.counts->slots[0].why, "CPU 4095"),
	   "counter: a requested CPU that does not exist is not supported, with the reason");
	diag("%s", test.counts->slots[0].why);
	test_release(&test);

	test_init(&test, machine, pmu, events, 1);
	test.selection = (struct source_selection){ .is_system_wide = true, .cpus = asked + 1, .cpu_count = 1 };
	ok(test_open(&test) == 0 && !test.counts->slots[0].length &&
	   test.counts->slots[0].state == COUNT_NOT_SUPPORTED && test.counts->slots[0].why,
	   "counter: a group without any CPU opens and is not supported");
	ok(!test_enable(&test) && !test_read(&test) && !test_disable(&test),
	   "counter: enable(), read() and disable() succeed for a group without any CPU");
	test_release(&test);
}

/* A config that no software event has */
static void no_event(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	struct event_instance events[] = { PAGE_FAULTS, PAGE_FAULTS, TASK_CLOCK };
	struct counter_test test;
	int tid = getpid();

	events[1].name = "nonesuch";
	events[1].attr.config = 4095;
	test_init(&test, machine, pmu, events, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	ok(test_open(&test) == 0, "counter: a group with an unknown event is opened");
	ok(!test.counts->slots[1].length && test.counts->slots[1].state == COUNT_NOT_SUPPORTED,
	   "counter: an unknown event is not supported");
	is_str(test.counts->slots[1].why,
	       "nonesuch: this kernel or its hardware has no such event",
	       "counter: the reason names the unknown event");
	test_enable(&test);
	touch_pages(PAGES);
	reads = 0;
	test_read(&test);
	ok(reads == 1 && test_count(&test, 0, 0).raw >= PAGES && test_count(&test, 2, 0).raw > 0 &&
	   test_count(&test, 0, 0).enabled == test_count(&test, 2, 0).enabled,
	   "counter: the events beside an unknown one are counted together");
	test_release(&test);
}

/* Tool events are filled in by rows, without a count. */
static void tools(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	static const struct event_instance events[] = {
		{ .name = "duration_time", .tool = EVENT_TOOL_DURATION_TIME },
		PAGE_FAULTS,
		{ .name = "user_time", .tool = EVENT_TOOL_USER_TIME },
	};
	struct counter_test test;
	int tid = getpid();

	test_init(&test, machine, pmu, events, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	ok(test_open(&test) == 0, "counter: duration_time is opened beside a software event");
	test_enable(&test);
	test_read(&test);
	ok(!test.counts->slots[0].length && !test.counts->slots[2].length,
	   "counter: a tool event has no target");
	ok(test_count(&test, 1, 0).enabled > 0,
	   "counter: the event beside tool events is counted by the kernel");
	test_release(&test);
}

static void files(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	struct counter_test test;
	int before = open_files(), tid = getpid(), n = 0, fd = dup(0);
	bool is_cloexec = true;

	test_init(&test, machine, pmu, three, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	close(fd);
	test_open(&test);
	ok(open_files() == before + 3, "counter: each event has a file descriptor");
	for (; n < 3; n++)
		is_cloexec = is_cloexec && fcntl(fd + n, F_GETFD) == FD_CLOEXEC;
	ok(is_cloexec, "counter: descriptors of events are close-on-exec");
	test_release(&test);
	ok(open_files() == before, "counter: close() closes the descriptors of all events");
}

static void fits(const struct gpmu_pmu *pmu)
{
	struct event_instance events[] = { PAGE_FAULTS, TASK_CLOCK, CPU_CLOCK };
	const struct event_instance *list[] = { &events[0], &events[1], &events[2] };
	int before = open_files();

	for (size_t i = 0; i < 3; i++)
		events[i].pmu = pmu;
	ok(source_perf.fits(NULL, list, 3) == 1, "counter: software events fit together");
	events[1].attr.config = 4095;
	ok(source_perf.fits(NULL, list, 3) == -ENOENT,
	   "counter: whether an unknown event fits is -ENOENT");
	ok(open_files() == before, "counter: fits() leaves no descriptor open");
}

int main(void)
{
	struct gpmu_machine *machine;
	const struct gpmu_pmu *pmu;

	if (skip_all())
		return 0;
	machine = gpmu_machine_new(NULL, NULL);
	pmu = machine ? gpmu_machine_find_pmu(machine, "software") : NULL;
	ok(pmu, "counter: this machine has software events");
	if (pmu) {
		own_task(machine, pmu);
		every_cpu(machine, pmu);
		one_cpu(machine, pmu);
		no_event(machine, pmu);
		tools(machine, pmu);
		files(machine, pmu);
		fits(pmu);
	}
	gpmu_machine_free(machine);
	return done_testing();
}
