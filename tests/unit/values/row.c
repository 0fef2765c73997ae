// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows of events: sums, and the effect of missing parts */
#include "sysroot.h"
#include "row-test.h"

static struct gpmu_machine *machine;

/* An event on both SCF PMUs, and one on all CPUs */
static void machine_wide(void)
{
	struct row_maker *maker;
	struct test_plan t;
	struct count *count;

	test_plan_init(&t, machine);
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "nvidia_scf_pmu/cmem_rd_data/", 2, 0);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_event(&t, "nvidia_scf_pmu_1/cycles/", 1, 1);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 1000, ALL);
	count = test_target(&t, 1, 2, 1, -1, 30, ALL / 2);
	for (int cpu = 0; cpu < 4; cpu++)
		test_target(&t, 2, cpu, cpu / 2, -1, 5, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_u64(row_count(maker), 3, "row: an event has one row of the machine");
	is_str(row_text(maker, 0), "M nvidia_scf_pmu/cmem_rd_data/ 1060 ok",
	       "row: both sockets are summed, one of them scaled from half of the time");
	ok(row_at(maker, 0)->raw == 1030 && row_at(maker, 0)->counters == 2 &&
	   row_at(maker, 0)->share == 0.5 && row_at(maker, 0)->enabled == ALL &&
	   row_at(maker, 0)->running == ALL / 4 * 3,
	   "row: a sum has the unscaled count, the mean times and the lowest share");
	is_str(row_at(maker, 0)->pmu, "nvidia_scf_pmu",
	       "row: the PMU of an event on several PMUs is the name without a number");
	ok(row_at(maker, 0)->time_begin == 1000000000 && row_at(maker, 0)->time_end == 3000000000,
	   "row: the times of a row are in seconds of the session");
	is_str(row_text(maker, 1), "M cycles 20 ok", "row: an event on all CPUs is summed");
	ok(row_at(maker, 1)->share == 1 && row_at(maker, 1)->counters == 4 &&
		   row_at(maker, 1)->cpu == -1,
	   "row: an event on four CPUs has four counters, a share of 1 and no CPU");
	is_str(row_at(maker, 2)->pmu, "nvidia_scf_pmu_1",
	       "row: an event on one PMU has the PMU's name");

	*count = (struct count){ .state = COUNT_NOT_COUNTED };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "row: if one socket was not counted, the machine is not counted");
	ok(isnan(row_at(maker, 0)->value) && !row_at(maker, 0)->raw && row_at(maker, 0)->share == 0,
	   "row: an event that was not counted has no value, raw count or share");
	is_str(row_at(maker, 0)->why, "its counter could not be read, or its count has decreased",
	       "row: a count marked as not counted without a reason is reported with both possible reasons");
	*count = (struct count){ 7, 100, 0, COUNT_OK };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "row: if one socket's counter never ran, the machine is not counted");
	is_str(row_at(maker, 0)->why, "other events used its PMU's counters all the time",
	       "row: the reason for a counter that never ran is that others had the counters");
	*count = (struct count){ 0 };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "row: if one socket's counter was never enabled, the machine is not counted");
	is_str(row_at(maker, 0)->why,
	       "it was enabled for no time: counting is paused, its CPU or PMU is inaccessible, or the time is too short",
	       "row: the reason for a counter that was never enabled is no enabled time");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such event");
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "M nvidia_scf_pmu/cmem_rd_data/ not supported",
	       "row: if one socket does not support the event, the machine does not");
	is_str(row_at(maker, 0)->why, "no such event",
	       "row: an event that is not supported has the slot's reason");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED,
			"nvidia_scf_pmu/cmem_rd_data/: no such event");
	test_fill(maker, t.counts);
	is_str(row_at(maker, 0)->why, "no such event",
	       "row: a reason that begins with the event's name loses it");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED,
			"nvidia_scf_pmu/cmem_rd_data/x: no such event");
	test_fill(maker, t.counts);
	is_str(row_at(maker, 0)->why, "nvidia_scf_pmu/cmem_rd_data/x: no such event",
	       "row: a reason that begins with another name keeps it");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* The targets change while the session runs, which needs another layout. */
static void hotplug(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_target(&t, 0, 1, 0, -1, 5, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_str(row_text(maker, 0), "C1 cycles 5 ok", "row: one CPU has one row");
	test_target(&t, 0, 3, 1, -1, 6, ALL);
	test_target(&t, 0, 0, 0, -1, 4, ALL);
	ok(!test_fill(maker, t.counts) && row_count(maker) == 3,
	   "row: each CPU that comes online gets a row");
	is_str(row_text(maker, 0), "C0 cycles 4 ok", "row: CPU rows are sorted by CPU");
	is_str(row_text(maker, 2), "C3 cycles 6 ok", "row: a CPU that came online has its count");
	ok(row_at(maker, 2)->node == 1 && row_at(maker, 2)->package == 1,
	   "row: a CPU that came online has its node and package");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void scaled(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "energy", 1, test_slot(&t, "nvidia_scf_pmu_0"));
	test_event(&t, "task-clock", 1, test_slot(&t, "software"));
	t.slots[0].scale = 0.5;
	t.slots[0].unit = "Joules";
	t.slots[1].scale = 1e-6;
	t.slots[1].unit = "msec";
	t.given[0].label = (char *)"socket power";
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 9, ALL);
	test_target(&t, 1, -1, -1, 50, 984677, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, true);
	is_str(row_text(maker, 0), "M socket power 4.5 Joules ok",
	       "row: a row has the event's scale, unit and label");
	is_str(row_text(maker, 1), "P task-clock 0.984677 msec ok",
	       "row: an event of the process stands beside one of the machine");
	ok(row_at(maker, 1)->value - 0.984677 == 0,
	   "row: a scaled value is exact to the last digit");
	ok(row_at(maker, 1)->pid == 77 && row_at(maker, 0)->pid == -1 &&
		   row_at(maker, 1)->raw == 984677,
	   "row: a row of a process has its pid and the raw count");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Threads of a process */
static void tasks(void)
{
	struct row_maker *maker;
	struct count *first, *second, *third;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "instructions", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_target(&t, 0, -1, -1, 50, 100, ALL);
	test_target(&t, 0, -1, -1, 51, 30, ALL / 2);
	test_target(&t, 0, -1, -1, 52, 0, 0);
	first = t.counts->slots[0].counts;
	second = first + 1;
	third = first + 2;
	*third = (struct count){ 0 };
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, true);
	is_u64(row_count(maker), 1, "row: a process has one row, even per node");
	is_str(row_text(maker, 0), "P instructions 160 ok",
	       "row: threads are summed, and one that has not run is 0");
	ok(row_at(maker, 0)->share == 0.75,
	   "row: the share of a process is that of its threads' enabled time");
	/* 160 in 4 s of two counted threads make 200 in 5 s of three. */
	*third = (struct count){ 0, ALL / 2, 0, COUNT_NOT_COUNTED };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions 200 ok",
	       "row: a thread whose counter never ran is extrapolated from the others");
	ok(row_at(maker, 0)->share == 0.6, "row: a thread whose counter never ran lowers the share");
	*first = *second = *third;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions not counted",
	       "row: a process of which no thread's counter ran is not counted");
	is_str(row_at(maker, 0)->why, "other events used its PMU's counters all the time",
	       "row: the reason for a process whose counters never ran is that others had the counters");
	*first = *second = *third = (struct count){ 0 };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions not counted",
	       "row: a process that did not run is not counted, as in perf");
	is_str(row_at(maker, 0)->why, "none of its tasks ran while it was enabled",
	       "row: the reason for a process that did not run is given");
	maker->options.is_zero_asleep = true;
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions 0 ok",
	       "row: a process that did not run is 0 with zero_asleep");
	*first = (struct count){ 0, ALL, 0, COUNT_NOT_COUNTED };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions not counted",
	       "row: a process whose counters never ran is not counted, also with zero_asleep");
	maker->options.is_zero_asleep = false;
	*first = (struct count){ 5, ALL, ALL, COUNT_NOT_COUNTED };
	*second = (struct count){ 5, ALL, ALL, COUNT_OK };
	test_fill(maker, t.counts);
	is_str(row_text(maker, 0), "P instructions not counted",
	       "row: a process with a thread's counter lost is not counted");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* On CPUs, where the tasks of a cgroup did not run on all of them */
static void cgroup(void)
{
	struct event_cgroup cgroup = { .name = (char *)"app" };
	struct row_maker *maker;
	struct count *second;
	struct test_plan t;
	size_t slot;

	test_plan_init(&t, machine);
	slot = test_slot(&t, NULL);
	t.instances[slot].cgroup = &cgroup;
	test_event(&t, "faults", 1, slot)->cgroup = &cgroup;
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 0, 0);
	test_target(&t, 0, 1, 0, -1, 30, ALL / 4);
	second = &t.counts->slots[0].counts[1];
	second[-1] = (struct count){ 0 };
	second->enabled = ALL / 4;
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M faults 30 ok",
	       "row: a cgroup is the sum of the CPUs on which its tasks ran");
	is_str(row_at(maker, 0)->cgroup, "app", "row: a row of a cgroup has its name");
	ok(row_at(maker, 0)->share == 1, "row: time without tasks of the cgroup does not lower the share");
	*second = (struct count){ 0 };
	test_fill(maker, t.counts);
	is_str(row_at(maker, 0)->why, "none of its tasks ran while it was enabled",
	       "row: a cgroup that ran nowhere is not counted");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void tools(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, machine);
	for (size_t i = 0; i < 3; i++)
		test_event(&t, i == 0 ? "duration_time" : i == 1 ? "user_time" : "system_time", 1,
			   test_slot(&t, NULL));
	t.instances[0].tool = EVENT_TOOL_DURATION_TIME;
	t.instances[1].tool = EVENT_TOOL_USER_TIME;
	t.instances[2].tool = EVENT_TOOL_SYSTEM_TIME;
	test_counts(&t);
	t.counts->user_time = 40;
	t.counts->system_time = 50;
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_str(row_text(maker, 0), "M duration_time 2000000000 ok",
	       "row: duration_time is the measured time");
	is_str(row_text(maker, 1), "M user_time 40 ok", "row: user_time is that of the command");
	is_str(row_text(maker, 2), "M system_time 50 ok", "row: system_time is that of the command");
	ok(row_at(maker, 0)->raw == 2000000000 && row_at(maker, 0)->share == 1 &&
		   !row_at(maker, 0)->pmu,
	   "row: a tool event has no PMU and is never multiplexed");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Events that cannot be planned or opened keep a row. */
static void missing(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "no_such", 0, 0)->why = (char *)"no event of that name";
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_event(&t, "other", 1, test_slot(&t, NULL));
	test_counts(&t);
	counts_set_lost(t.counts, 0, COUNT_NOT_SUPPORTED, "no counters in this machine");
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_str(row_text(maker, 0), "M no_such not supported",
	       "row: an unknown event is not supported");
	is_str(row_at(maker, 0)->why, "no event of that name",
	       "row: an unknown event has the plan's reason");
	is_str(row_text(maker, 1), "M cycles not supported",
	       "row: an event that could not be opened is not supported");
	is_str(row_at(maker, 1)->why, "no counters in this machine",
	       "row: an event that could not be opened has the slot's reason");
	ok(isnan(row_at(maker, 1)->share) && isnan(row_at(maker, 0)->share),
	   "row: the share of an event that is not supported is unknown");
	is_str(row_text(maker, 2), "M other not counted",
	       "row: an event without targets is not counted");
	row_maker_free(maker);
	test_plan_release(&t);
	test_plan_init(&t, NULL);
	test_counts(&t);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	ok(!row_count(maker), "row: an empty plan has no rows");
	row_maker_free(maker);
	row_maker_free(NULL);
	test_plan_release(&t);
}

/* The sum of two 64-bit counts needs more than 64 bits. */
static void large(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, UINT64_MAX, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	ok(row_at(maker, 0)->raw == UINT64_MAX && row_at(maker, 0)->value == 18446744073709551615.0,
	   "row: a row holds a count of 64 bits");
	test_target(&t, 0, 1, 0, -1, 1, ALL);
	test_fill(maker, t.counts);
	ok(row_at(maker, 0)->raw == UINT64_MAX && row_at(maker, 0)->value == 18446744073709551616.0,
	   "row: a sum above 64 bits saturates the raw count and keeps the value");
	row_maker_free(maker);
	test_plan_release(&t);
}

int main(void)
{
	struct sysroot root;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_new(root.path, NULL);
	if (!machine)
		sysroot_bail("superchip");
	machine_wide();
	hotplug();
	scaled();
	tasks();
	cgroup();
	tools();
	missing();
	large();
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return done_testing();
}
