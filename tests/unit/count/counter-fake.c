// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A simulated kernel on a Superchip: every errno, groups that do not fit, a PMU that vanishes,
 * and failing allocations
 */
#include "counter-fake.h"
#include "alloc.h"

static const struct event_instance scf[] = {
	{ .name = "nvidia_scf_pmu_1/cycles/", .attr = { .type = 17, .config = 10 } },
	{ .name = "nvidia_scf_pmu_1/b/", .attr = { .type = 17, .config = 20 } },
	{ .name = "nvidia_scf_pmu_1/c/", .attr = { .type = 17, .config = 30 } },
};

static void uncore(void)
{
	struct counter_test test;
	int tid = getpid();
	bool is_alike = true;

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	test.selection = (struct source_selection){
		.tids = &tid, .tid_count = 1, .wants_inherit = true, .is_on_exec = true,
	};
	ok(test_open(&test) == 0 && event_count == 3,
	   "counter: an uncore group is opened while a task is counted");
	for (int i = 0; i < 3; i++)
		is_alike = is_alike && events[i].cpu == 2 && events[i].pid == -1 &&
			   events[i].leader == 0 && !events[i].attr.inherit &&
			   !events[i].attr.enable_on_exec && events[i].attr.disabled == !i;
	ok(is_alike,
	   "counter: an uncore group is opened system-wide on the CPU of its cpumask, not on exec");
	ok(test.counts->slots[0].length == 1 && test.counts->slots[0].targets[0].cpu == 2 &&
	   test.counts->slots[0].targets[0].node == 1 && test.counts->slots[0].targets[0].tid == -1,
	   "counter: an uncore group's target is that CPU and its node");
	ok(!events[0].is_enabled, "counter: a group is disabled after its opening");
	test_enable(&test);
	ok(events[0].is_enabled, "counter: enable() enables the group's leader");
	test_read(&test);
	is_u64(test_count(&test, 0, 0).raw, 30,
	       "counter: the first event of a group has its own count");
	is_u64(test_count(&test, 2, 0).raw, 90,
	       "counter: the last event of a group has its own count");
	test_disable(&test);
	ok(!events[0].is_enabled, "counter: disable() disables the group's leader");
	test_release(&test);
}

static void cores(void)
{
	struct counter_test test;
	int cpus[] = { 3, 1, 200 }, tids[] = { 11, 12 };

	init(&test, "armv8_pmuv3_0", core, 3);
	ok(test_open(&test) == 0 && event_count == 12 && test.counts->slots[1].length == 4,
	   "counter: core events are opened on each CPU of their PMU");
	ok(test.counts->slots[0].targets[3].cpu == 3 && test.counts->slots[0].targets[3].node == 1 &&
	   test.counts->slots[0].targets[0].node == 0,
	   "counter: the target of a core event has its CPU's node");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection.cpus = cpus;
	test.selection.cpu_count = 3;
	ok(test_open(&test) == 0 && event_count == 6 && test.counts->slots[1].length == 2 &&
	   test.counts->slots[1].targets[0].cpu == 3 && test.counts->slots[1].targets[1].cpu == 1,
	   "counter: core events are opened on the requested CPUs of their PMU");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection.cpus = &cpus[2];
	test.selection.cpu_count = 1;
	ok(test_open(&test) == 0 && !event_count && !test.counts->slots[1].length &&
	   test.counts->slots[1].state == COUNT_NOT_SUPPORTED,
	   "counter: a core PMU without a requested CPU is not supported");
	is_str(test.counts->slots[1].why, "armv8_pmuv3_0 counts on none of these CPUs",
	       "counter: the reason names a PMU without a requested CPU");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection = (struct source_selection){
		.tids = tids, .tid_count = 2, .wants_inherit = true, .is_on_exec = true,
	};
	ok(test_open(&test) == 0 && event_count == 6,
	   "counter: core events are opened for each of two tasks");
	ok(events[3].pid == 12 && events[3].cpu == -1 && events[3].attr.inherit &&
	   events[3].attr.enable_on_exec && events[4].attr.inherit &&
	   !events[4].attr.enable_on_exec && !events[4].attr.disabled,
	   "counter: a task's group is inherited, and its leader enabled on exec");
	test_enable(&test);
	ok(!events[0].is_enabled && !events[3].is_enabled,
	   "counter: enable() leaves a group with enable_on_exec to the kernel");
	test_release(&test);
}

/* How each errno of perf_event_open() is reported */
static const struct {
	int err, ret;
	enum count_state state;		/* if ret is 0 */
	const char *text;
} errors[] = {
	{ ENOENT, 0, COUNT_NOT_SUPPORTED,
	  "/cycles/: this kernel or its hardware has no such event on CPU 2" },
	{ ENXIO, 0, COUNT_NOT_SUPPORTED, "no such event" },
	{ EOPNOTSUPP, 0, COUNT_NOT_SUPPORTED, "does not support it" },
	{ EINVAL, 0, COUNT_NOT_SUPPORTED, "refuses its terms" },
	{ ERANGE, 0, COUNT_NOT_SUPPORTED, "refuses its terms" },
	{ ENOSPC, 0, COUNT_NOT_SUPPORTED, "no counter for it" },
	{ E2BIG, 0, COUNT_NOT_SUPPORTED, "config3" },
	{ ENODEV, 0, COUNT_NOT_SUPPORTED, "offline" },
	{ EBUSY, 0, COUNT_NOT_COUNTED,
	  "/cycles/: another program, such as perf, uses its PMU's counters on CPU 2" },
	{ EAGAIN, 0, COUNT_NOT_COUNTED, "/cycles/: its PMU has no free counter on CPU 2" },
	{ EACCES, -EACCES, 0, "perf_event_paranoid is 2, which forbids to count all tasks: "
			      "get CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0" },
	{ EPERM, -EPERM, 0, "seccomp" },
	{ EMFILE, -EMFILE, 0, "/cycles/ on CPU 2: too many open files: 3 are needed" },
	{ ENFILE, -ENFILE, 0, "/cycles/ on CPU 2: too many open files on this machine: raise the "
			      "limit (sysctl fs.file-max)" },
	{ ENOMEM, -ENOMEM, 0, "out of memory" },
	{ ENOSYS, -ENOSYS, 0, "CONFIG_PERF_EVENTS" },
	{ EIO, -EIO, 0, "/cycles/ on CPU 2: Input/output error" },
};

static void errnos(void)
{
	struct counter_test test;
	int before = open_files();
	const char *text;
	bool is_right;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		init(&test, "nvidia_scf_pmu_1", scf, 3);
		kernel.error = errors[i].err;
		is_right = test_open(&test) == errors[i].ret;
		text = errors[i].ret ? test.error.text : test.counts->slots[0].why;
		if (errors[i].ret)
			is_right = is_right && !test.open;
		else
			is_right = is_right && test.open && !test_read(&test) &&
				   test.counts->slots[2].state == errors[i].state &&
				   !test.counts->slots[2].length && test.counts->slots[2].why;
		ok(is_right, "counter: %s from perf_event_open() is %s", strerror(errors[i].err),
		   errors[i].ret ? "an error" :
		   errors[i].state == COUNT_NOT_COUNTED ? "not counted" : "not supported");
		if (!ok(text && strstr(text, errors[i].text), "counter: the reason for %s is given",
			strerror(errors[i].err)))
			diag("%s", text ? text : "(null)");
		test_release(&test);
	}
	ok(open_files() == before, "counter: an event that is refused leaves no descriptor open");
}

static void no_rights(void)
{
	struct event_instance user[3];
	struct counter_test test;
	int tid = 7;

	memcpy(user, core, sizeof(user));
	user[0].attr.exclude_kernel = 1;
	init(&test, "armv8_pmuv3_0", user, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	kernel.error = EACCES;
	test_open(&test);
	is_str(test.error.text,
	       "cycles: not allowed for task 7: be its user, or get CAP_PERFMON; in a container its "
	       "seccomp filter may forbid it",
	       "counter: EACCES for another user's task suggests becoming that user");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	kernel.error = EACCES;
	test_open(&test);
	is_str(test.error.text,
	       "cycles: perf_event_paranoid is 2: count user space only (modifier u), or get "
	       "CAP_PERFMON or sysctl kernel.perf_event_paranoid=1",
	       "counter: EACCES for kernel events suggests counting user space only");
	test_release(&test);
}

/* With skip_denied, a missing permission is a reason of each event, as a refusal is. */
static void skips_denied(void)
{
	struct counter_test test;

	for (int err = EACCES; err; err = err == EACCES ? EPERM : 0) {
		init(&test, "armv8_pmuv3_0", core, 3);
		test.selection.can_skip_denied = true;
		kernel.error = err;
		ok(test_open(&test) == 0, "counter: errno %d is no error with skip_denied", err);
		for (size_t i = 0; i < 3; i++)
			ok(!test.counts->slots[i].length && test.counts->slots[i].state == COUNT_NOT_COUNTED &&
				   strstr(test.counts->slots[i].why, "CAP_PERFMON") &&
				   !strstr(test.counts->slots[i].why, core[i].name),
			   "counter: with skip_denied event %zu is not counted, and its reason names the permission and not the event", i);
		test_release(&test);
	}
}

static void only_system_wide(void)
{
	struct counter_test test;
	int tid = 7;

	init(&test, "breakpoint", core, 1);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	kernel.error = EINVAL;
	ok(test_open(&test) == 0 && !test.counts->slots[0].length,
	   "counter: an event that cannot be counted per task is not supported");
	is_str(test.counts->slots[0].why,
	       "cycles: its PMU refuses its terms or modifiers, or counts only system-wide (-a)",
	       "counter: the reason for EINVAL suggests system-wide counting");
	test_release(&test);
}

static void of_cgroup(void)
{
	const struct event_cgroup cgroup = { .name = (char *)"app", .fd = 55 };
	struct event_instance tasks[3];
	struct counter_test test;
	bool is_alike = true;

	memcpy(tasks, core, sizeof(tasks));
	for (int i = 0; i < 3; i++)
		tasks[i].cgroup = &cgroup;
	init(&test, "armv8_pmuv3_0", tasks, 3);
	is_alike = test_open(&test) == 0 && event_count == 12;
	for (int i = 0; i < event_count; i++)
		is_alike = is_alike && events[i].is_cgroup && events[i].pid == 55;
	ok(is_alike, "counter: events of a cgroup are opened for it on each CPU");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", tasks, 3);
	kernel.error = EBADF;
	ok(test_open(&test) == -EBADF, "counter: a folder that is no cgroup is an error");
	is_str(test.error.text, "app is no cgroup in which this kernel counts events",
	       "counter: the error names the folder that is no cgroup");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", tasks, 3);
	kernel.error = EINVAL;
	test_open(&test);
	is_str(test.counts->slots[0].why,
	       "cycles: its PMU refuses its terms or modifiers, or the kernel is without CONFIG_CGROUP_PERF",
	       "counter: the reason for EINVAL in a cgroup names the kernel's option");
	test_release(&test);
}

static void interrupted(void)
{
	struct counter_test test;

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	kernel.interrupts = 5;
	ok(test_open(&test) == 0 && event_count == 3 && kernel.opens == 8,
	   "counter: an open that a signal interrupts is repeated");
	test_release(&test);
	init(&test, "nvidia_scf_pmu_1", scf, 3);
	kernel.interrupts = 1000000;
	ok(test_open(&test) == -EINTR && kernel.opens < 1000,
	   "counter: an open that is interrupted without end is -EINTR");
	test_release(&test);
}

static void one_event(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.config_error = EOPNOTSUPP;
	ok(test_open(&test) == 0 && !test.counts->slots[1].length &&
	   test.counts->slots[1].state == COUNT_NOT_SUPPORTED && !test.counts->slots[0].why,
	   "counter: an event that all CPUs refuse is left out");
	is_str(test.counts->slots[1].why,
	       "refused: its PMU does not support it, or not with its modifiers",
	       "counter: the reason names an event that all CPUs refuse");
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 2, 3).raw == 12,
	   "counter: events beside a refused one have their own counts");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", &core[1], 2);
	kernel.config_error = ENOENT;
	ok(test_open(&test) == 0 && !test.counts->slots[0].length,
	   "counter: a group's leader that is refused is left out");
	test_read(&test);
	ok(test_count(&test, 1, 1).raw == 6,
	   "counter: the event after a refused leader becomes the leader");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.config_error = ENOENT;
	kernel.config_cpu = 2;
	ok(test_open(&test) == 0 && test.counts->slots[1].length == 4,
	   "counter: an event that one CPU of four accepts is opened");
	test_read(&test);
	ok(test_count(&test, 1, 2).state == COUNT_OK &&
	   test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 1, 3).state == COUNT_NOT_SUPPORTED,
	   "counter: an event accepted by one CPU is counted there, its group is not supported "
	   "elsewhere");
	is_str(test.counts->slots[0].why,
	       "cycles: this kernel or its hardware has no such event on CPU 0",
	       "counter: the reason names an event that other CPUs refuse");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.error = ENODEV;
	kernel.error_cpu = 1;
	ok(test_open(&test) == 0 && test.counts->slots[0].length == 4,
	   "counter: core events are opened although one CPU is offline");
	test_read(&test);
	ok(test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 0, 2).state == COUNT_OK,
	   "counter: the CPUs beside an offline one are counted");
	test_release(&test);
}

static void together(void)
{
	struct event_instance weak[3];
	struct counter_test test;
	int before = open_files();

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	ok(test_open(&test) == 0 && !test.counts->slots[0].length &&
	   test.counts->slots[0].state == COUNT_NOT_SUPPORTED,
	   "counter: a group that does not fit is not supported");
	is_str(test.counts->slots[1].why,
	       "the kernel cannot count these 3 events of nvidia_scf_pmu_1 together on CPU 2",
	       "counter: each event of a group that does not fit has the reason");
	ok(open_files() == before, "counter: a group that does not fit leaves nothing open");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.counters = 2;
	kernel.full_error = ENOSPC;
	kernel.full_cpu = 1;
	ok(test_open(&test) == 0 && test.counts->slots[0].length == 4,
	   "counter: a group that does not fit on one CPU is opened on the others");
	test_read(&test);
	ok(test_count(&test, 2, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 2, 0).state == COUNT_OK,
	   "counter: a group that does not fit on one CPU is not supported there");
	test_release(&test);

	memcpy(weak, core, sizeof(weak));
	weak[0].is_weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	kernel.full_cpu = 3;
	ok(test_open(&test) == 0 && test.counts->slots[2].length == 4,
	   "counter: a weak group that does not fit is broken up");
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 1, 3).raw == REFUSED * 4 &&
	   test_count(&test, 2, 0).raw == 3,
	   "counter: each event of a broken-up group is counted separately on all CPUs");
	test_release(&test);

	memcpy(weak, &core[1], 2 * sizeof(weak[0]));
	weak[2] = core[0];
	weak[0].is_weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.config_error = ENOENT;
	kernel.counters = 1;
	kernel.full_error = EINVAL;
	test_open(&test);
	test_read(&test);
	ok(!test.counts->slots[0].length && test_count(&test, 1, 1).raw == 6 &&
	   test_count(&test, 2, 1).raw == 2,
	   "counter: a weak group with a refused leader is broken up");
	test_release(&test);
	ok(open_files() == before, "counter: groups that do not fit leave nothing open");
}

/* Events that are grouped only to be read by one system call */
static void opened_apart(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	test.group.is_apart = true;
	ok(test_open(&test) == 0 && event_count == 12 && members(0) == 3,
	   "counter: events listed one by one are one group on each CPU");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.group.is_apart = true;
	kernel.config_error = ENOENT;
	kernel.config_cpu = 2;
	test_open(&test);
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 2, 0).raw == 3 &&
	   test_count(&test, 1, 2).state == COUNT_OK &&
	   test_count(&test, 1, 0).state == COUNT_NOT_SUPPORTED,
	   "counter: an event refused on some CPU does not affect the events listed beside it");
	test_release(&test);
}

static void pinned(void)
{
	struct event_instance all[3];
	struct counter_test test;

	memcpy(all, scf, sizeof(all));
	for (int i = 0; i < 3; i++)
		all[i].attr.pinned = all[i].attr.exclusive = 1;
	init(&test, "nvidia_scf_pmu_1", all, 3);
	test_open(&test);
	ok(events[0].attr.pinned && events[0].attr.exclusive && !events[1].attr.pinned &&
	   !events[2].attr.exclusive,
	   "counter: only the leader of a pinned group is pinned and exclusive");
	kernel.has_ended = true;
	test_enable(&test);
	ok(test_read(&test) == 0 && test_count(&test, 1, 0).state == COUNT_NOT_COUNTED,
	   "counter: a pinned group without a free counter is not counted");
	is_str(test.counts->slots[1].why, "it is pinned, and no counter was free on CPU 2",
	       "counter: the reason names a pinned group without a counter");
	kernel.has_ended = false;
	test_read(&test);
	ok(test_count(&test, 1, 0).state == COUNT_NOT_COUNTED,
	   "counter: a pinned group that lost its counter stays not counted");
	test_disable(&test);
	test_resume(&test);
	test_read(&test);
	ok(test_count(&test, 1, 0).state == COUNT_NOT_COUNTED,
	   "counter: a pinned group that lost its counter stays not counted after a pause");
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 1, 0).state == COUNT_OK,
	   "counter: a pinned group is counted again after it was enabled again");
	test_release(&test);
}

static void vanish(void)
{
	struct counter_test test;
	bool is_counted_on_1, is_counted_elsewhere;

	for (int how = 0; how < 4; how++) {
		static const char *const names[] = {
			"reads as end of file", "reads as ENODEV", "is cut off", "has one event less",
		};

		init(&test, "armv8_pmuv3_0", core, 3);
		test_open(&test);
		test_enable(&test);
		test_read(&test);
		kernel.read_cpu = 1;
		kernel.has_ended = how == 0;
		kernel.read_size = (const ssize_t[]){ 0, -ENODEV, 32, 48 }[how];
		is_counted_on_1 = test_count(&test, 2, 1).state == COUNT_OK;
		ok(test_read(&test) == 0,
		   "counter: a group that %s on CPU 1 is no failure", names[how]);
		is_counted_on_1 = is_counted_on_1 && test_count(&test, 2, 1).state == COUNT_NOT_COUNTED &&
				  !test_count(&test, 2, 1).raw;
		is_counted_elsewhere = test_count(&test, 2, 0).state == COUNT_OK &&
				       test_count(&test, 2, 3).raw == 12;
		ok(is_counted_on_1 && is_counted_elsewhere,
		   "counter: a group that %s on CPU 1 is not counted there alone", names[how]);
		kernel.has_ended = false;
		kernel.read_size = 0;
		test_read(&test);
		ok(test_count(&test, 2, 1).state == COUNT_NOT_COUNTED,
		   "counter: a group that %s once stays not counted", names[how]);
		kernel.read_cpu = 3;
		kernel.has_ended = true;
		test_read(&test);
		is_str(test.counts->slots[2].why,
		       "no longer counted on CPU 1: its CPU or PMU went offline",
		       "counter: the reason names the first CPU that was lost");
		test_release(&test);
	}
	init(&test, "armv8_pmuv3_0", core, 3);
	test_open(&test);
	kernel.ioctl_error = ENODEV;
	ok(test_enable(&test) == 0 && test_disable(&test) == 0,
	   "counter: enable() and disable() of an inaccessible event succeed");
	test_release(&test);
}

/* The kernel cannot read an inherited group while a task that inherits it is created (ECHILD). */
static void late(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	test_open(&test);
	test_enable(&test);
	kernel.read_cpu = 1;
	kernel.late = 30;
	ok(test_read(&test) == 0 && !kernel.late && test_count(&test, 2, 1).state == COUNT_OK,
	   "counter: a read during the creation of a task is repeated");
	kernel.late = 1000000;
	ok(test_read(&test) == 0 && kernel.late > 0 && count_is_lost(&test.counts->slots[2].counts[1]) &&
	   test_count(&test, 2, 0).state == COUNT_OK,
	   "counter: a read that fails for too long is not counted");
	is_str(test.counts->slots[2].why, "it was read while tasks were being started",
	       "counter: the reason states that tasks were being created");
	kernel.late = 2;
	test_read(&test);
	ok(kernel.late == 1 && count_is_lost(&test.counts->slots[2].counts[1]),
	   "counter: the next read after such a failure is tried once");
	kernel.late = 0;
	test_read(&test);
	ok(test_count(&test, 2, 1).state == COUNT_OK && test_count(&test, 2, 1).raw == 6,
	   "counter: a group is counted again once its read succeeds");
	kernel.has_ended = true;
	test_read(&test);
	is_str(test.counts->slots[2].why,
	       "no longer counted on CPU 1: its CPU or PMU went offline",
	       "counter: a lost CPU replaces the reason of a failed read");
	test_release(&test);
}

static void never_ran(void)
{
	struct counter_test test;

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	test_open(&test);
	kernel.running = 0;
	test_read(&test);
	ok(test_count(&test, 0, 0).state == COUNT_NOT_COUNTED && test_count(&test, 0, 0).enabled == 1000,
	   "counter: an event that was enabled and never ran is not counted");
	kernel.running = 250;
	test_read(&test);
	ok(test_count(&test, 0, 0).state == COUNT_OK && test_count(&test, 0, 0).raw == 30 &&
	   test_count(&test, 0, 0).running == 250,
	   "counter: an event that ran for part of the time has its raw count");
	test_release(&test);
}

static void fits(void)
{
	struct event_instance list[3];
	const struct event_instance *pointers[3];
	int before = open_files();

	for (size_t i = 0; i < 3; i++) {
		list[i] = scf[i];
		list[i].pmu = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1");
		pointers[i] = &list[i];
	}
	kernel_reset();
	ok(source_perf.fits(NULL, pointers, 3) == 1 && events[0].cpu == 2 && events[0].pid == -1 &&
	   events[0].attr.disabled,
	   "counter: fits() opens uncore events on their PMU's CPU, disabled");
	kernel_reset();
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	ok(source_perf.fits(NULL, pointers, 3) == 0,
	   "counter: three events do not fit where two do (EINVAL)");
	kernel_reset();
	kernel.counters = 2;
	kernel.full_error = ENOSPC;
	ok(source_perf.fits(NULL, pointers, 3) == 0,
	   "counter: three events do not fit where two do (ENOSPC)");
	list[2].attr.config = REFUSED;
	kernel_reset();
	kernel.config_error = EINVAL;
	ok(source_perf.fits(NULL, pointers, 3) == -EINVAL,
	   "counter: an event that is refused alone is an error of fits()");
	kernel_reset();
	kernel.error = EACCES;
	ok(source_perf.fits(NULL, pointers, 3) == -EACCES,
	   "counter: a lack of rights is an error of fits()");
	kernel_reset();
	kernel.error = EMFILE;
	ok(source_perf.fits(NULL, pointers, 3) == -EMFILE,
	   "counter: a lack of descriptors is an error of fits()");
	for (size_t i = 0; i < 3; i++) {
		list[i] = core[i];
		list[i].pmu = gpmu_machine_find_pmu(machine, "armv8_pmuv3_0");
	}
	kernel_reset();
	ok(source_perf.fits(NULL, pointers, 3) == 1 && events[0].cpu == -1 && events[0].pid == 0,
	   "counter: fits() opens core events on this task");
	ok(open_files() == before, "counter: fits() leaves no descriptor open");
}

static void offline(void)
{
	struct event_instance list[1] = { scf[0] };
	const struct event_instance *pointer = list;
	struct gpmu_machine *other;
	struct counter_test test;
	struct sysroot root;

	sysroot_make(&root, "superchip");
	sysroot_put(&root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/cpumask", "\n");
	other = gpmu_machine_new(root.path, NULL);
	list[0].pmu = gpmu_machine_find_pmu(other, "nvidia_scf_pmu_1");
	kernel_reset();
	test_init(&test, other, list[0].pmu, list, 1);
	ok(test_open(&test) == 0 && !event_count && test.counts->slots[0].state == COUNT_NOT_SUPPORTED,
	   "counter: a PMU whose socket is offline is not supported");
	is_str(test.counts->slots[0].why, "nvidia_scf_pmu_1 has no CPU that is online",
	       "counter: the reason names a PMU without an online CPU");
	ok(source_perf.fits(NULL, &pointer, 1) == -ENODEV,
	   "counter: fits() of a PMU that is offline is -ENODEV");
	test_release(&test);
	gpmu_machine_free(other);
	sysroot_release(&root);
}

/* A weak group that is broken up and lost on one CPU */
static int weak_and_lost(void)
{
	struct event_instance weak[3];
	struct counter_test test;
	int ret, before = open_files();

	memcpy(weak, core, sizeof(weak));
	weak[0].is_weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	if (!test.counts)
		return -ENOMEM;
	ret = test_open(&test);
	if (!ret) {
		kernel.read_cpu = 1;
		kernel.has_ended = true;
		ret = test_read(&test);
	}
	if (!ret && (!test.counts->slots[2].why || test_count(&test, 2, 2).state != COUNT_OK))
		ret = 1;
	test_release(&test);
	return open_files() == before ? ret : 1;
}

int main(void)
{
	if (!fake_begin())
		return done_testing();
	uncore();
	cores();
	errnos();
	no_rights();
	skips_denied();
	only_system_wide();
	of_cgroup();
	interrupted();
	one_event();
	together();
	opened_apart();
	pinned();
	vanish();
	late();
	never_ran();
	fits();
	offline();
	alloc_fail_each(weak_and_lost, 75, "counter: a weak group");
	fake_end();
	return done_testing();
}
