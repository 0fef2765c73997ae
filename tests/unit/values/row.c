// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows of events: what is added up, and what a part that is missing does. */
#include "sysroot.h"
#include "row-test.h"

static struct gpmu_machine *machine;

/* An event on both SCF PMUs, and one of the CPUs */
static void machine_wide(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;
	struct count *count;

	test_plan_init(&t, machine);
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "nvidia_scf_pmu/cmem_rd_data/", 2, 0);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_event(&t, "nvidia_scf_pmu_1/cycles/", 1, 1);
	test_counts(&t);
	test_place(&t, 0, 0, 0, -1, 1000, ALL);
	count = test_place(&t, 1, 2, 1, -1, 30, ALL / 2);
	for (int cpu = 0; cpu < 4; cpu++)
		test_place(&t, 2, cpu, cpu / 2, -1, 5, ALL);
	rows = test_rows(&t, ROWS_MACHINE, false);
	is_u64(row_count(rows), 3, "an event has one row of the machine");
	is_str(row_text(rows, 0), "M nvidia_scf_pmu/cmem_rd_data/ 1060 ok",
	       "both sockets, one scaled from half of the time");
	ok(row_at(rows, 0)->raw == 1030 && row_at(rows, 0)->counters == 2 &&
	   row_at(rows, 0)->share == 0.5 && row_at(rows, 0)->enabled == ALL &&
	   row_at(rows, 0)->running == ALL / 4 * 3,
	   "with the counts as they were, the mean times, the lowest share");
	is_str(row_at(rows, 0)->pmu, "nvidia_scf_pmu", "of PMUs of a kind");
	ok(row_at(rows, 0)->begin == 1 && row_at(rows, 0)->end == 3, "in seconds of the session");
	is_str(row_text(rows, 1), "M cycles 20 ok", "an event of all CPUs");
	ok(row_at(rows, 1)->share == 1 && row_at(rows, 1)->counters == 4 &&
		   row_at(rows, 1)->cpu == -1,
	   "is of four counters, none of which was multiplexed");
	is_str(row_at(rows, 2)->pmu, "nvidia_scf_pmu_1", "an event on one PMU names it");

	*count = (struct count){ .state = COUNT_NOT_COUNTED };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "if one socket was not counted, the machine was not");
	ok(isnan(row_at(rows, 0)->value) && !row_at(rows, 0)->raw && row_at(rows, 0)->share == 0,
	   "and no number is shown for it");
	is_str(row_at(rows, 0)->why, "what was read of it cannot be: it has fallen",
	       "but why: no source says that it was lost");
	*count = (struct count){ 7, 100, 0, COUNT_OK };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "likewise if it never ran");
	is_str(row_at(rows, 0)->why, "others had its PMU's counters all the time", "why");
	*count = (struct count){ 0 };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "M nvidia_scf_pmu/cmem_rd_data/ not counted",
	       "or was never enabled");
	is_str(row_at(rows, 0)->why,
	       "it was enabled for no time: its CPU or PMU has gone, or the time is too short", "why");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such event");
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "M nvidia_scf_pmu/cmem_rd_data/ not supported",
	       "and if one does not have it, the machine does not");
	is_str(row_at(rows, 0)->why, "no such event", "why");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED,
			"nvidia_scf_pmu/cmem_rd_data/: no such event");
	rows_fill(rows, t.counts);
	is_str(row_at(rows, 0)->why, "no such event", "which does not name what the row names");
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED,
			"nvidia_scf_pmu/cmem_rd_data/x: no such event");
	rows_fill(rows, t.counts);
	is_str(row_at(rows, 0)->why, "nvidia_scf_pmu/cmem_rd_data/x: no such event",
	       "but another name");
	rows_free(rows);
	test_plan_release(&t);
}

/* Places change while the session runs: another layout */
static void hotplug(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_place(&t, 0, 1, 0, -1, 5, ALL);
	rows = test_rows(&t, ROWS_CPU, false);
	is_str(row_text(rows, 0), "C1 cycles 5 ok", "a row of the one CPU");
	test_place(&t, 0, 3, 1, -1, 6, ALL);
	test_place(&t, 0, 0, 0, -1, 4, ALL);
	ok(!rows_fill(rows, t.counts) && row_count(rows) == 3, "three, when there are more");
	is_str(row_text(rows, 0), "C0 cycles 4 ok", "in the order of CPUs");
	is_str(row_text(rows, 2), "C3 cycles 6 ok", "with their counts");
	ok(row_at(rows, 2)->node == 1 && row_at(rows, 2)->package == 1,
	   "and their node and package");
	rows_free(rows);
	test_plan_release(&t);
}

static void scaled(void)
{
	struct gpmu_rows *rows;
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
	test_place(&t, 0, 0, 0, -1, 9, ALL);
	test_place(&t, 1, -1, -1, 50, 984677, ALL);
	rows = test_rows(&t, ROWS_MACHINE, true);
	is_str(row_text(rows, 0), "M socket power 4.5 Joules ok",
	       "a scale, a unit, and the name that was given it");
	is_str(row_text(rows, 1), "P task-clock 0.984677 msec ok",
	       "of the process, beside the machine's");
	ok(row_at(rows, 1)->value - 0.984677 == 0, "all its digits are those of the count");
	ok(row_at(rows, 1)->pid == 77 && row_at(rows, 0)->pid == -1 &&
		   row_at(rows, 1)->raw == 984677,
	   "which one, and the raw count");
	rows_free(rows);
	test_plan_release(&t);
}

/* Threads of a process */
static void tasks(void)
{
	struct gpmu_rows *rows;
	struct count *first, *second, *third;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "instructions", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_place(&t, 0, -1, -1, 50, 100, ALL);
	test_place(&t, 0, -1, -1, 51, 30, ALL / 2);
	test_place(&t, 0, -1, -1, 52, 0, 0);
	first = t.counts->slots[0].counts;
	second = first + 1;
	third = first + 2;
	*third = (struct count){ 0 };
	rows = test_rows(&t, ROWS_NODE, true);
	is_u64(row_count(rows), 1, "a process has one row, also per node");
	is_str(row_text(rows, 0), "P instructions 160 ok",
	       "threads are added, one that has not run is 0");
	ok(row_at(rows, 0)->share == 0.75, "its share is that of all threads' time");
	/* 160 in 4 s of the two that were counted, so 200 in 5 s */
	*third = (struct count){ 0, ALL / 2, 0, COUNT_NOT_COUNTED };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "P instructions 200 ok",
	       "one whose counter had no turn counts as the others did");
	ok(row_at(rows, 0)->share == 0.6, "and takes its part of the share");
	*first = *second = *third;
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "P instructions not counted",
	       "if none had one, nothing is known");
	is_str(row_at(rows, 0)->why, "others had its PMU's counters all the time", "but why");
	*first = *second = *third = (struct count){ 0 };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "P instructions not counted",
	       "nor of a process that did not run, as for perf");
	is_str(row_at(rows, 0)->why, "none of its tasks ran while it was enabled", "why");
	*first = (struct count){ 5, ALL, ALL, COUNT_NOT_COUNTED };
	*second = (struct count){ 5, ALL, ALL, COUNT_OK };
	rows_fill(rows, t.counts);
	is_str(row_text(rows, 0), "P instructions not counted",
	       "nor if a thread's counter was lost");
	rows_free(rows);
	test_plan_release(&t);
}

static void tools(void)
{
	struct gpmu_rows *rows;
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
	rows = test_rows(&t, ROWS_NODE, false);
	is_str(row_text(rows, 0), "M duration_time 2000000000 ok", "the time that was measured");
	is_str(row_text(rows, 1), "M user_time 40 ok", "that of the command");
	is_str(row_text(rows, 2), "M system_time 50 ok", "and of the kernel for it");
	ok(row_at(rows, 0)->raw == 2000000000 && row_at(rows, 0)->share == 1 &&
		   !row_at(rows, 0)->pmu,
	   "they are of no PMU and never multiplexed");
	rows_free(rows);
	test_plan_release(&t);
}

/* What cannot be planned or opened stays as a row. */
static void missing(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "no_such", 0, 0)->why = (char *)"no event of that name";
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_event(&t, "other", 1, test_slot(&t, NULL));
	test_counts(&t);
	counts_set_lost(t.counts, 0, COUNT_NOT_SUPPORTED, "no counters in this machine");
	rows = test_rows(&t, ROWS_CPU, false);
	is_str(row_text(rows, 0), "M no_such not supported", "an event that is not known");
	is_str(row_at(rows, 0)->why, "no event of that name", "why");
	is_str(row_text(rows, 1), "M cycles not supported", "one that could not be opened");
	is_str(row_at(rows, 1)->why, "no counters in this machine", "why");
	ok(isnan(row_at(rows, 1)->share) && isnan(row_at(rows, 0)->share),
	   "their share is not known");
	is_str(row_text(rows, 2), "M other not counted", "one that was not opened yet");
	rows_free(rows);
	test_plan_release(&t);
	test_plan_init(&t, NULL);
	test_counts(&t);
	rows = test_rows(&t, ROWS_MACHINE, false);
	ok(!row_count(rows), "a plan of nothing has no rows");
	rows_free(rows);
	rows_free(NULL);
	test_plan_release(&t);
}

/* Two events of 64 bits are more than 64 bits. */
static void large(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, machine);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	test_place(&t, 0, 0, 0, -1, UINT64_MAX, ALL);
	rows = test_rows(&t, ROWS_MACHINE, false);
	ok(row_at(rows, 0)->raw == UINT64_MAX && row_at(rows, 0)->value == 18446744073709551615.0,
	   "a count of 64 bits");
	test_place(&t, 0, 1, 0, -1, 1, ALL);
	rows_fill(rows, t.counts);
	ok(row_at(rows, 0)->raw == UINT64_MAX && row_at(rows, 0)->value == 18446744073709551616.0,
	   "a sum that is larger does not begin from 0 again");
	rows_free(rows);
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
	tools();
	missing();
	large();
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return done_testing();
}
