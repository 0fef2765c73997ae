// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of software events of this task and of the CPUs, counted by this kernel. */
#include <fcntl.h>
#include <sched.h>

#include "counter-test.h"

static long reads;	/* system calls, by this program and by libperf */

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
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	if (!ok(test_open(&test) == 0, "a group of this task is opened")) {
		diag("%s", test.error.text);
		test_release(&test);
		return;
	}
	ok(test.counts->slots[2].length == 1 && test.counts->slots[2].places[0].tid == tid &&
	   test.counts->slots[2].places[0].cpu == -1 && test.counts->slots[2].places[0].node == -1,
	   "it is counted at one place, the task");
	touch_pages(PAGES);
	test_read(&test);
	before = test_count(&test, 0, 0);
	ok(before.state == COUNT_OK && !before.raw && !before.enabled,
	   "nothing is counted before it is enabled");
	ok(test_enable(&test) == 0, "it is enabled");
	touch_pages(PAGES);
	reads = 0;
	ok(test_read(&test) == 0 && reads == 1, "the three are read by one system call");
	faults = test_count(&test, 0, 0);
	ok(faults.state == COUNT_OK && faults.raw >= PAGES && faults.raw < 2 * PAGES,
	   "pages that are touched are page faults");
	ok(faults.enabled && faults.running == faults.enabled, "they were counted all the time");
	ok(test_count(&test, 1, 0).raw > 0 && test_count(&test, 2, 0).raw == 0,
	   "beside them time passed, and a dummy counts nothing");
	ok(test_count(&test, 1, 0).enabled == faults.enabled, "for the same time");
	ok(test_disable(&test) == 0, "it is disabled");
	test_read(&test);
	before = test_count(&test, 0, 0);
	touch_pages(PAGES);
	test_read(&test);
	faults = test_count(&test, 0, 0);
	ok(faults.raw == before.raw && faults.enabled == before.enabled,
	   "what is disabled counts no more, and no time");
	test_enable(&test);
	touch_pages(PAGES);
	test_read(&test);
	ok(test_count(&test, 0, 0).raw >= before.raw + PAGES, "enabled again it goes on from there");
	test_release(&test);
}

static void every_cpu(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	static const struct event_instance events[] = { CPU_CLOCK, CONTEXT_SWITCHES };
	struct counter_test test;
	const int *cpus;
	size_t n = gpmu_machine_online_cpus(machine, &cpus);
	bool places = true, counted = true;

	test_init(&test, machine, pmu, events, 2);
	test.target = (struct source_target){ .system = true };
	if (test_open(&test)) {
		skip("the CPUs", test.error.text);
		test_release(&test);
		return;
	}
	ok(test.counts->slots[0].length == n && test.counts->slots[1].length == n,
	   "system-wide there are as many places as CPUs online");
	for (size_t i = 0; i < test.counts->slots[0].length; i++)
		places = places && test.counts->slots[0].places[i].cpu == cpus[i] &&
			 test.counts->slots[0].places[i].tid == -1;
	ok(places, "each is a CPU, of all tasks");
	test_enable(&test);
	usleep(20000);
	reads = 0;
	test_read(&test);
	ok(reads == (long)n, "one system call reads the group on a CPU");
	for (size_t i = 0; i < n; i++)
		counted = counted && test_count(&test, 0, i).raw >= 20000000 &&
			  test_count(&test, 0, i).enabled >= 20000000;
	ok(counted, "on each 20 ms passed, idle or not");
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
	test.target = (struct source_target){ .system = true, .cpus = asked, .n_cpus = 2 };
	if (test_open(&test)) {
		skip("one CPU", test.error.text);
		test_release(&test);
		return;
	}
	test_enable(&test);
	test_read(&test);
	ok(test.counts->slots[0].length == 2 && test.counts->slots[0].places[0].cpu == cpu &&
	   test_count(&test, 0, 0).state == COUNT_OK, "of two CPUs the one that is there is counted");
	ok(test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED && test.counts->slots[0].why &&
	   strstr(test.counts->slots[0].why, "CPU 4095"), "of the other it is said that it is not");
	diag("%s", test.counts->slots[0].why);
	test_release(&test);

	test_init(&test, machine, pmu, events, 1);
	test.target = (struct source_target){ .system = true, .cpus = asked + 1, .n_cpus = 1 };
	ok(test_open(&test) == 0 && !test.counts->slots[0].length &&
	   test.counts->slots[0].state == COUNT_NOT_SUPPORTED && test.counts->slots[0].why,
	   "an event that can be counted nowhere is not supported, and no failure");
	ok(!test_enable(&test) && !test_read(&test) && !test_disable(&test),
	   "its group does nothing");
	test_release(&test);
}

/* A number that no software event has */
static void no_event(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	struct event_instance events[] = { PAGE_FAULTS, PAGE_FAULTS, TASK_CLOCK };
	struct counter_test test;
	int tid = getpid();

	events[1].name = "nonesuch";
	events[1].attr.config = 4095;
	test_init(&test, machine, pmu, events, 3);
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	ok(test_open(&test) == 0, "a group with an event that the kernel has not is opened");
	ok(!test.counts->slots[1].length && test.counts->slots[1].state == COUNT_NOT_SUPPORTED,
	   "without that event");
	is_str(test.counts->slots[1].why,
	       "nonesuch: this kernel or its hardware has no such event", "it says why");
	test_enable(&test);
	touch_pages(PAGES);
	reads = 0;
	test_read(&test);
	ok(reads == 1 && test_count(&test, 0, 0).raw >= PAGES && test_count(&test, 2, 0).raw > 0 &&
	   test_count(&test, 0, 0).enabled == test_count(&test, 2, 0).enabled,
	   "the others are counted together");
	test_release(&test);
}

/* Rows have them without a count. */
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
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	ok(test_open(&test) == 0, "duration_time is opened beside another");
	test_enable(&test);
	test_read(&test);
	ok(!test.counts->slots[0].length && !test.counts->slots[2].length,
	   "what libgpmu itself measures is no place of the kernel's");
	ok(test_count(&test, 1, 0).enabled > 0, "the other is counted by the kernel");
	test_release(&test);
}

static void files(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	struct counter_test test;
	int before = open_files(), tid = getpid(), n = 0, fd = dup(0);
	bool cloexec = true;

	test_init(&test, machine, pmu, three, 3);
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	close(fd);
	test_open(&test);
	ok(open_files() == before + 3, "each event has a file descriptor");
	for (; n < 3; n++)
		cloexec = cloexec && fcntl(fd + n, F_GETFD) == FD_CLOEXEC;
	ok(cloexec, "which no program that is executed inherits");
	test_release(&test);
	ok(open_files() == before, "closed it has none left");
}

static void fits(const struct gpmu_pmu *pmu)
{
	struct event_instance events[] = { PAGE_FAULTS, TASK_CLOCK, CPU_CLOCK };
	const struct event_instance *list[] = { &events[0], &events[1], &events[2] };
	int before = open_files();

	for (size_t i = 0; i < 3; i++)
		events[i].pmu = pmu;
	ok(source_perf.fits(NULL, list, 3) == 1, "software events fit together");
	events[1].attr.config = 4095;
	ok(source_perf.fits(NULL, list, 3) == -ENOENT,
	   "whether one that is not there does cannot be known");
	ok(open_files() == before, "to ask leaves nothing open");
}

int main(void)
{
	struct gpmu_machine *machine;
	const struct gpmu_pmu *pmu;

	if (skip_all())
		return 0;
	machine = gpmu_machine_new(NULL, NULL);
	pmu = machine ? gpmu_machine_find_pmu(machine, "software") : NULL;
	ok(pmu, "this machine has software events");
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
