// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A kernel that is made up: every errno, groups that do not fit, a PMU that
 * vanishes, on a Superchip; and allocations that fail meanwhile.
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
	bool alike = true;

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	test.target = (struct source_target){
		.tids = &tid, .n_tids = 1, .inherit = true, .on_exec = true,
	};
	ok(test_open(&test) == 0 && n_events == 3, "a task is counted, and a group of a socket's PMU");
	for (int i = 0; i < 3; i++)
		alike = alike && events[i].cpu == 2 && events[i].pid == -1 &&
			events[i].leader == 0 && !events[i].attr.inherit &&
			!events[i].attr.enable_on_exec && events[i].attr.disabled == !i;
	ok(alike, "it is opened on the CPU of its mask, system-wide, by no exec");
	ok(test.counts->slots[0].length == 1 && test.counts->slots[0].places[0].cpu == 2 &&
	   test.counts->slots[0].places[0].node == 1 && test.counts->slots[0].places[0].tid == -1,
	   "its place is that CPU, of node 1");
	ok(!events[0].enabled, "it does not count yet");
	test_enable(&test);
	ok(events[0].enabled, "the leader is enabled");
	test_read(&test);
	is_u64(test_count(&test, 0, 0).raw, 30, "its count");
	is_u64(test_count(&test, 2, 0).raw, 90, "that of the last");
	test_disable(&test);
	ok(!events[0].enabled, "the leader is disabled");
	test_release(&test);
}

static void cores(void)
{
	struct counter_test test;
	int cpus[] = { 3, 1, 200 }, tids[] = { 11, 12 };

	init(&test, "armv8_pmuv3_0", core, 3);
	ok(test_open(&test) == 0 && n_events == 12 && test.counts->slots[1].length == 4,
	   "core events are opened on each CPU of the PMU");
	ok(test.counts->slots[0].places[3].cpu == 3 && test.counts->slots[0].places[3].node == 1 &&
	   test.counts->slots[0].places[0].node == 0, "with its node");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.target.cpus = cpus;
	test.target.n_cpus = 3;
	ok(test_open(&test) == 0 && n_events == 6 && test.counts->slots[1].length == 2 &&
	   test.counts->slots[1].places[0].cpu == 3 && test.counts->slots[1].places[1].cpu == 1,
	   "or on those given that the PMU is of");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.target.cpus = &cpus[2];
	test.target.n_cpus = 1;
	ok(test_open(&test) == 0 && !n_events && !test.counts->slots[1].length &&
	   test.counts->slots[1].state == COUNT_NOT_SUPPORTED, "if there is none it is not supported");
	is_str(test.counts->slots[1].why, "armv8_pmuv3_0 is of none of these CPUs", "it says why");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.target = (struct source_target){
		.tids = tids, .n_tids = 2, .inherit = true, .on_exec = true,
	};
	ok(test_open(&test) == 0 && n_events == 6, "of two tasks they are opened for each");
	ok(events[3].pid == 12 && events[3].cpu == -1 && events[3].attr.inherit &&
	   events[3].attr.enable_on_exec && events[4].attr.inherit &&
	   !events[4].attr.enable_on_exec && !events[4].attr.disabled,
	   "to be inherited, the leader enabled on exec");
	test_enable(&test);
	ok(!events[0].enabled && !events[3].enabled, "which is left to the kernel");
	test_release(&test);
}

/* What an errno of all opens comes to */
static const struct {
	int err, ret;
	enum count_state state;		/* if ret is 0 */
	const char *text;
} errors[] = {
	{ ENOENT, 0, COUNT_NOT_SUPPORTED,
	  "/cycles/: this kernel or its hardware has no such event on CPU 2" },
	{ ENXIO, 0, COUNT_NOT_SUPPORTED, "no such event" },
	{ EOPNOTSUPP, 0, COUNT_NOT_SUPPORTED, "cannot count that" },
	{ EINVAL, 0, COUNT_NOT_SUPPORTED, "refuses its terms" },
	{ ERANGE, 0, COUNT_NOT_SUPPORTED, "refuses its terms" },
	{ ENOSPC, 0, COUNT_NOT_SUPPORTED, "no counter for it" },
	{ E2BIG, 0, COUNT_NOT_SUPPORTED, "config3" },
	{ ENODEV, 0, COUNT_NOT_SUPPORTED, "offline" },
	{ EBUSY, 0, COUNT_NOT_COUNTED,
	  "/cycles/: somebody else, such as another perf, has its PMU's counters on CPU 2" },
	{ EAGAIN, 0, COUNT_NOT_COUNTED, "/cycles/: its PMU has no counter free now on CPU 2" },
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
	bool all;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		init(&test, "nvidia_scf_pmu_1", scf, 3);
		kernel.error = errors[i].err;
		all = test_open(&test) == errors[i].ret;
		text = errors[i].ret ? test.error.text : test.counts->slots[0].why;
		if (errors[i].ret)
			all = all && !test.open;
		else
			all = all && test.open && !test_read(&test) &&
			      test.counts->slots[2].state == errors[i].state &&
			      !test.counts->slots[2].length && test.counts->slots[2].why;
		ok(all, "%s is %s", strerror(errors[i].err), errors[i].ret ? "an error" :
		   errors[i].state == COUNT_NOT_COUNTED ? "not counted" : "not supported");
		if (!ok(text && strstr(text, errors[i].text), "... and says what it means"))
			diag("%s", text ? text : "(null)");
		test_release(&test);
	}
	ok(open_files() == before, "nothing is left open");
}

static void no_rights(void)
{
	struct event_instance user[3];
	struct counter_test test;
	int tid = 7;

	memcpy(user, core, sizeof(user));
	user[0].attr.exclude_kernel = 1;
	init(&test, "armv8_pmuv3_0", user, 3);
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	kernel.error = EACCES;
	test_open(&test);
	is_str(test.error.text,
	       "cycles: not allowed for task 7: be its user, or get CAP_PERFMON; in a container its "
	       "seccomp filter may forbid it", "not allowed at a level that allows it: whose task it is");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	kernel.error = EACCES;
	test_open(&test);
	is_str(test.error.text,
	       "cycles: perf_event_paranoid is 2: count user space only (modifier u), or get "
	       "CAP_PERFMON or sysctl kernel.perf_event_paranoid=1",
	       "the kernel's part is not allowed: user space is");
	test_release(&test);
}

static void only_system_wide(void)
{
	struct counter_test test;
	int tid = 7;

	init(&test, "breakpoint", core, 1);
	test.target = (struct source_target){ .tids = &tid, .n_tids = 1 };
	kernel.error = EINVAL;
	ok(test_open(&test) == 0 && !test.counts->slots[0].length,
	   "an event that is not counted of tasks is not supported");
	is_str(test.counts->slots[0].why,
	       "cycles: its PMU refuses its terms or modifiers, or counts only system-wide (-a)",
	       "it says what may help");
	test_release(&test);
}

static void interrupted(void)
{
	struct counter_test test;

	init(&test, "nvidia_scf_pmu_1", scf, 3);
	kernel.interrupts = 5;
	ok(test_open(&test) == 0 && n_events == 3 && kernel.opens == 8,
	   "what a signal interrupts is tried again");
	test_release(&test);
	init(&test, "nvidia_scf_pmu_1", scf, 3);
	kernel.interrupts = 1000000;
	ok(test_open(&test) == -EINTR && kernel.opens < 1000, "but not for ever");
	test_release(&test);
}

static void one_event(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.config_error = EOPNOTSUPP;
	ok(test_open(&test) == 0 && !test.counts->slots[1].length &&
	   test.counts->slots[1].state == COUNT_NOT_SUPPORTED && !test.counts->slots[0].why,
	   "an event that is refused on all CPUs is left out");
	is_str(test.counts->slots[1].why,
	       "refused: its PMU cannot count that, or not with its modifiers", "it says why");
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 2, 3).raw == 12,
	   "the others are counted, each with its own count");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", &core[1], 2);
	kernel.config_error = ENOENT;
	ok(test_open(&test) == 0 && !test.counts->slots[0].length, "the leader likewise");
	test_read(&test);
	ok(test_count(&test, 1, 1).raw == 6, "the next one leads");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.config_error = ENOENT;
	kernel.config_cpu = 2;
	ok(test_open(&test) == 0 && test.counts->slots[1].length == 4, "one CPU of four has it");
	test_read(&test);
	ok(test_count(&test, 1, 2).state == COUNT_OK &&
	   test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 1, 3).state == COUNT_NOT_SUPPORTED,
	   "it is counted there, and the group not supported elsewhere");
	is_str(test.counts->slots[0].why,
	       "cycles: this kernel or its hardware has no such event on CPU 0", "which it says");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.error = ENODEV;
	kernel.error_cpu = 1;
	ok(test_open(&test) == 0 && test.counts->slots[0].length == 4, "a CPU is offline");
	test_read(&test);
	ok(test_count(&test, 0, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 0, 2).state == COUNT_OK, "the others are counted");
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
	   "a group that does not fit is not supported");
	is_str(test.counts->slots[1].why,
	       "the kernel cannot count these 3 events of nvidia_scf_pmu_1 together on CPU 2",
	       "each of its events says why");
	ok(open_files() == before, "none of it is open");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	kernel.counters = 2;
	kernel.full_error = ENOSPC;
	kernel.full_cpu = 1;
	ok(test_open(&test) == 0 && test.counts->slots[0].length == 4,
	   "on one CPU others have a counter");
	test_read(&test);
	ok(test_count(&test, 2, 1).state == COUNT_NOT_SUPPORTED &&
	   test_count(&test, 2, 0).state == COUNT_OK, "there it is not supported");
	test_release(&test);

	memcpy(weak, core, sizeof(weak));
	weak[0].weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	kernel.full_cpu = 3;
	ok(test_open(&test) == 0 && test.counts->slots[2].length == 4, "a weak group is broken up");
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 1, 3).raw == REFUSED * 4 &&
	   test_count(&test, 2, 0).raw == 3, "on all CPUs each event is counted by itself");
	test_release(&test);

	memcpy(weak, &core[1], 2 * sizeof(weak[0]));
	weak[2] = core[0];
	weak[0].weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.config_error = ENOENT;
	kernel.counters = 1;
	kernel.full_error = EINVAL;
	test_open(&test);
	test_read(&test);
	ok(!test.counts->slots[0].length && test_count(&test, 1, 1).raw == 6 &&
	   test_count(&test, 2, 1).raw == 2, "also if the first of them is not supported");
	test_release(&test);
	ok(open_files() == before, "nothing is left open");
}

/* Events that are a group only to be read at once */
static void opened_apart(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	test.group.apart = true;
	ok(test_open(&test) == 0 && n_events == 12 && members(0) == 3,
	   "events that were given one by one are a group on each CPU");
	test_release(&test);

	init(&test, "armv8_pmuv3_0", core, 3);
	test.group.apart = true;
	kernel.config_error = ENOENT;
	kernel.config_cpu = 2;
	test_open(&test);
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 0, 3).raw == 4 && test_count(&test, 2, 0).raw == 3 &&
	   test_count(&test, 1, 2).state == COUNT_OK &&
	   test_count(&test, 1, 0).state == COUNT_NOT_SUPPORTED,
	   "if one is refused somewhere, the others are counted everywhere");
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
	   !events[2].attr.exclusive, "a pinned group is pinned by its leader");
	kernel.end_of_file = true;
	test_enable(&test);
	ok(test_read(&test) == 0 && test_count(&test, 1, 0).state == COUNT_NOT_COUNTED,
	   "if there is no counter for it it is not counted");
	is_str(test.counts->slots[1].why, "no counter was free on CPU 2 for it, and it is pinned",
	       "it says why");
	kernel.end_of_file = false;
	test_read(&test);
	ok(test_count(&test, 1, 0).state == COUNT_NOT_COUNTED, "nor later");
	test_enable(&test);
	test_read(&test);
	ok(test_count(&test, 1, 0).state == COUNT_OK, "unless it is enabled again");
	test_release(&test);
}

static void vanish(void)
{
	struct counter_test test;
	bool on_1, elsewhere;

	for (int how = 0; how < 4; how++) {
		static const char *const names[] = {
			"reads as end of file", "reads as ENODEV", "is cut off", "has one event less",
		};

		init(&test, "armv8_pmuv3_0", core, 3);
		test_open(&test);
		test_enable(&test);
		test_read(&test);
		kernel.read_cpu = 1;
		kernel.end_of_file = how == 0;
		kernel.read_size = (const ssize_t[]){ 0, -ENODEV, 32, 48 }[how];
		on_1 = test_count(&test, 2, 1).state == COUNT_OK;
		ok(test_read(&test) == 0, "a group that %s on CPU 1 is no failure", names[how]);
		on_1 = on_1 && test_count(&test, 2, 1).state == COUNT_NOT_COUNTED &&
		       !test_count(&test, 2, 1).raw;
		elsewhere = test_count(&test, 2, 0).state == COUNT_OK &&
			    test_count(&test, 2, 3).raw == 12;
		ok(on_1 && elsewhere, "it is not counted there, and elsewhere as before");
		kernel.end_of_file = false;
		kernel.read_size = 0;
		test_read(&test);
		ok(test_count(&test, 2, 1).state == COUNT_NOT_COUNTED, "from then on");
		kernel.read_cpu = 3;
		kernel.end_of_file = true;
		test_read(&test);
		is_str(test.counts->slots[2].why,
		       "no longer counted on CPU 1: its CPU or PMU went offline",
		       "it says why of the first");
		test_release(&test);
	}
	init(&test, "armv8_pmuv3_0", core, 3);
	test_open(&test);
	kernel.ioctl_error = ENODEV;
	ok(test_enable(&test) == 0 && test_disable(&test) == 0,
	   "to enable what has gone is no failure");
	test_release(&test);
}

/* Groups that tasks inherit cannot be read while such a task is made. */
static void late(void)
{
	struct counter_test test;

	init(&test, "armv8_pmuv3_0", core, 3);
	test_open(&test);
	test_enable(&test);
	kernel.read_cpu = 1;
	kernel.late = 30;
	ok(test_read(&test) == 0 && !kernel.late && test_count(&test, 2, 1).state == COUNT_OK,
	   "a group that cannot be read while a task is made is read when that is done");
	kernel.late = 1000000;
	ok(test_read(&test) == 0 && kernel.late > 0 && count_is_lost(&test.counts->slots[2].counts[1]) &&
	   test_count(&test, 2, 0).state == COUNT_OK, "it is not counted if that takes too long");
	is_str(test.counts->slots[2].why, "tasks were just being started when it was read",
	       "it says why");
	kernel.late = 2;
	test_read(&test);
	ok(kernel.late == 1 && count_is_lost(&test.counts->slots[2].counts[1]),
	   "that is not waited for a second time");
	kernel.late = 0;
	test_read(&test);
	ok(test_count(&test, 2, 1).state == COUNT_OK && test_count(&test, 2, 1).raw == 6,
	   "and then it is counted again");
	kernel.end_of_file = true;
	test_read(&test);
	is_str(test.counts->slots[2].why,
	       "no longer counted on CPU 1: its CPU or PMU went offline",
	       "what is lost for good is told instead");
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
	   "what was enabled and never ran is not counted");
	kernel.running = 250;
	test_read(&test);
	ok(test_count(&test, 0, 0).state == COUNT_OK && test_count(&test, 0, 0).raw == 30 &&
	   test_count(&test, 0, 0).running == 250, "what ran for a part of the time has its raw count");
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
	   events[0].attr.disabled, "events fit: they are opened on the PMU's CPU, disabled");
	kernel_reset();
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	ok(source_perf.fits(NULL, pointers, 3) == 0, "three do not fit where two do (EINVAL)");
	kernel_reset();
	kernel.counters = 2;
	kernel.full_error = ENOSPC;
	ok(source_perf.fits(NULL, pointers, 3) == 0, "nor by ENOSPC");
	list[2].attr.config = REFUSED;
	kernel_reset();
	kernel.config_error = EINVAL;
	ok(source_perf.fits(NULL, pointers, 3) == -EINVAL, "one that is refused alone is an error");
	kernel_reset();
	kernel.error = EACCES;
	ok(source_perf.fits(NULL, pointers, 3) == -EACCES, "as is a lack of rights");
	kernel_reset();
	kernel.error = EMFILE;
	ok(source_perf.fits(NULL, pointers, 3) == -EMFILE, "and of files");
	for (size_t i = 0; i < 3; i++) {
		list[i] = core[i];
		list[i].pmu = gpmu_machine_find_pmu(machine, "armv8_pmuv3_0");
	}
	kernel_reset();
	ok(source_perf.fits(NULL, pointers, 3) == 1 && events[0].cpu == -1 && events[0].pid == 0,
	   "core events are tried on this task");
	ok(open_files() == before, "nothing is left open");
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
	ok(test_open(&test) == 0 && !n_events && test.counts->slots[0].state == COUNT_NOT_SUPPORTED,
	   "a PMU whose socket is offline is not supported");
	is_str(test.counts->slots[0].why, "nvidia_scf_pmu_1 has no CPU that is online", "it says why");
	ok(source_perf.fits(NULL, &pointer, 1) == -ENODEV, "what fits there cannot be known");
	test_release(&test);
	gpmu_machine_free(other);
	sysroot_release(&root);
}

/* A weak group that is broken up, and lost on a CPU */
static int weak_and_lost(void)
{
	struct event_instance weak[3];
	struct counter_test test;
	int ret, before = open_files();

	memcpy(weak, core, sizeof(weak));
	weak[0].weak = true;
	init(&test, "armv8_pmuv3_0", weak, 3);
	kernel.counters = 2;
	kernel.full_error = EINVAL;
	if (!test.counts)
		return -ENOMEM;
	ret = test_open(&test);
	if (!ret) {
		kernel.read_cpu = 1;
		kernel.end_of_file = true;
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
	only_system_wide();
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
	alloc_fail_each(weak_and_lost, 90, "a weak group");
	fake_end();
	return done_testing();
}
