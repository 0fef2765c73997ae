// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows per node and per CPU: which there are, of what they are, and that none is lost. */
#include "sysroot.h"
#include "row-test.h"

static struct gpmu_machine *gh4, *superchip, *laptop;

/* An event on each socket of four, of which nothing flows on one and another was lost */
static void four_sockets(void)
{
	static const char *const names[] = {
		"nvidia_scf_pmu_0", "nvidia_scf_pmu_1", "nvidia_scf_pmu_2", "nvidia_scf_pmu_3",
	};
	static const int packages[] = { 36, 252, 468, 684 };
	struct gpmu_rows *rows;
	struct test_plan t;
	bool right = true;

	test_plan_init(&t, gh4);
	for (int i = 0; i < 4; i++)
		test_slot(&t, names[i]);
	test_event(&t, "cmem", 4, 0);
	test_counts(&t);
	test_place(&t, 3, 3, 3, -1, 33, ALL);
	test_place(&t, 0, 0, 0, -1, 0, ALL);
	test_place(&t, 1, 1, 1, -1, 11, ALL);
	counts_set_lost(t.counts, 2, COUNT_NOT_SUPPORTED, "the PMU is offline");
	rows = test_rows(&t, ROWS_NODE, false);
	is_u64(row_count(rows), 4, "each socket has a row");
	is_str(row_text(rows, 0), "N0 cmem 0 ok", "also one that has counted nothing");
	is_str(row_text(rows, 1), "N1 cmem 11 ok", "by their numbers");
	is_str(row_text(rows, 2), "N2 cmem not supported", "also one that could not be opened");
	is_str(row_at(rows, 2)->why, "the PMU is offline", "why");
	is_str(row_text(rows, 3), "N3 cmem 33 ok", "whatever the order of the slots");
	for (size_t i = 0; i < 4 && row_count(rows) == 4; i++)
		right = right && row_at(rows, i)->package == packages[i] &&
			!strcmp(row_at(rows, i)->pmu, names[i]);
	ok(right, "with the package, which is perf's label, and the PMU");
	rows_free(rows);
	test_plan_release(&t);
}

/* Nodes of a source that the machine does not have */
static void other_machine(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, laptop);
	test_event(&t, "cmem", 1, test_slot(&t, NULL));
	test_counts(&t);
	test_place(&t, 0, -1, 5, -1, 1, ALL);
	test_place(&t, 0, -1, 2, -1, 2, ALL);
	rows = test_rows(&t, ROWS_NODE, false);
	is_str(row_text(rows, 0), "N2 cmem 2 ok", "a node that this machine lacks");
	is_str(row_text(rows, 1), "N5 cmem 1 ok", "and another");
	ok(row_at(rows, 0)->package == -1 && !row_at(rows, 0)->pmu, "their package is not known");
	rows_free(rows);
	test_place(&t, 0, -1, -1, -1, 4, ALL);
	rows = test_rows(&t, ROWS_NODE, false);
	ok(row_count(rows) == 1 && !strcmp(row_text(rows, 0), "M cmem 7 ok"),
	   "with a count of no node there is a row of all: no count is lost");
	rows_free(rows);
	test_plan_release(&t);
}

static void cpus(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, superchip);
	test_slot(&t, "armv8_pmuv3_0");
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "cycles", 1, 0);
	test_event(&t, "scf", 2, 1);
	test_counts(&t);
	for (int cpu = 0; cpu < 4; cpu++)
		test_place(&t, 0, cpu, cpu / 2, -1, (uint64_t)cpu + 10, ALL);
	test_place(&t, 1, 0, 0, -1, 7, ALL);
	test_place(&t, 2, 2, 1, -1, 8, ALL);
	rows = test_rows(&t, ROWS_CPU, false);
	is_u64(row_count(rows), 6, "each CPU has a row, and each node of a PMU outside the cores");
	is_str(row_text(rows, 0), "C0 cycles 10 ok", "the first CPU");
	is_str(row_text(rows, 3), "C3 cycles 13 ok", "the last");
	ok(row_at(rows, 3)->cpu == 3 && row_at(rows, 3)->node == 1, "and its node");
	is_str(row_text(rows, 4), "N0 scf 7 ok",
	       "the SCF is of a node, not of the CPU that opened it");
	ok(row_at(rows, 5)->cpu == -1 && row_at(rows, 5)->node == 1, "no CPU is named for it");
	rows_free(rows);
	rows = test_rows(&t, ROWS_NODE, false);
	is_str(row_text(rows, 1), "N1 cycles 25 ok", "CPUs are added up to their node");
	rows_free(rows);
	test_plan_release(&t);
}

/* CPUs of two kinds, of which one does not have the event */
static void hybrid(void)
{
	struct gpmu_machine *machine;
	struct gpmu_rows *rows;
	struct sysroot root;
	struct test_plan t;

	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/cpu/possible", "0-3\n");
	sysroot_put(&root, "sys/devices/system/cpu/online", "0-3\n");
	sysroot_put(&root, "sys/bus/event_source/devices/cpu_atom/type", "10\n");
	sysroot_put(&root, "sys/bus/event_source/devices/cpu_atom/cpus", "2-3\n");
	sysroot_put(&root, "sys/bus/event_source/devices/cpu_core/type", "4\n");
	sysroot_put(&root, "sys/bus/event_source/devices/cpu_core/cpus", "0-1\n");
	machine = gpmu_machine_new(root.path, NULL);
	if (!machine)
		sysroot_bail("no machine");
	test_plan_init(&t, machine);
	test_slot(&t, "cpu_core");
	test_slot(&t, "cpu_atom");
	test_event(&t, "LLC-loads", 2, 0);
	test_counts(&t);
	test_place(&t, 0, 0, 0, -1, 5, ALL);
	test_place(&t, 0, 1, 0, -1, 6, ALL);
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such event");
	rows = test_rows(&t, ROWS_CPU, false);
	is_str(row_text(rows, 1), "C1 LLC-loads 6 ok",
	       "a CPU has its value where those of another kind have none");
	is_str(row_at(rows, 1)->pmu, "cpu_core", "of its own PMU");
	rows_free(rows);
	rows = test_rows(&t, ROWS_MACHINE, false);
	is_str(row_text(rows, 0), "M LLC-loads not supported", "the machine then has none");
	rows_free(rows);
	test_plan_release(&t);
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

/* A process beside the PMUs outside the cores */
static void process(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;

	test_plan_init(&t, superchip);
	test_slot(&t, "armv8_pmuv3_0");
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "cycles", 1, 0);
	test_event(&t, "scf", 2, 1);
	test_counts(&t);
	test_place(&t, 0, -1, -1, 50, 10, ALL);
	test_place(&t, 1, 0, 0, -1, 7, ALL);
	test_place(&t, 2, 2, 1, -1, 8, ALL);
	rows = test_rows(&t, ROWS_NODE, true);
	is_u64(row_count(rows), 3, "a process once, and the nodes");
	is_str(row_text(rows, 0), "P cycles 10 ok", "the process");
	is_str(row_text(rows, 2), "N1 scf 8 ok", "a node");
	rows_free(rows);
	rows = test_rows(&t, ROWS_MACHINE, true);
	is_str(row_text(rows, 1), "M scf 15 ok",
	       "without nodes the machine, and never the process");
	rows_free(rows);
	test_plan_release(&t);
}

/* Metrics: of the nodes and CPUs in which all that they need is counted */
static void metrics(void)
{
	struct gpmu_rows *rows;
	struct test_plan t;
	size_t both, one, pair, core, mixed;

	test_plan_init(&t, superchip);
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_slot(&t, "armv8_pmuv3_0");
	both = test_metric(&t, "Both", "a", NULL);
	one = test_metric(&t, "One", "a", NULL);
	pair = test_metric(&t, "Pair", "a + b", NULL);
	core = test_metric(&t, "Core", "a", NULL);
	mixed = test_metric(&t, "Mixed", "a / b", NULL);
	test_counts_of(&t, both, "a", 2, 0);
	test_counts_of(&t, one, "a", 1, 0);
	test_counts_of(&t, pair, "a", 1, 0);
	test_counts_of(&t, pair, "b", 1, 1);
	test_counts_of(&t, core, "a", 1, 2);
	test_counts_of(&t, mixed, "a", 1, 2);
	test_counts_of(&t, mixed, "b", 2, 0);
	for (size_t i = both; i <= mixed; i++)
		test_item(&t, PLAN_ITEM_METRIC, i);
	test_counts(&t);
	test_place(&t, 0, 0, 0, -1, 4, ALL);
	test_place(&t, 1, 2, 1, -1, 8, ALL);
	for (int cpu = 0; cpu < 4; cpu++)
		test_place(&t, 2, cpu, cpu / 2, -1, 2, ALL);
	rows = test_rows(&t, ROWS_NODE, false);
	is_u64(row_count(rows), 8, "per node");
	is_str(row_text(rows, 0), "N0 Both 4 ok",
	       "a metric of a kind of PMU has a row for each node");
	is_str(row_text(rows, 1), "N1 Both 8 ok", "with its value");
	is_str(row_text(rows, 2), "N0 One 4 ok", "one that names a PMU has one");
	is_str(row_text(rows, 3), "M Pair 12 ok", "one of two nodes' PMUs is of the machine");
	is_str(row_text(rows, 5), "N1 Core 4 ok", "one of cores has one for each node");
	is_str(row_text(rows, 7), "N1 Mixed 0.5 ok", "and one of cores and others too");
	is_str(row_at(rows, 0)->pmu, "nvidia_scf_pmu_0", "the PMU of a row");
	ok(!row_at(rows, 7)->pmu, "none if it is of different ones");
	rows_free(rows);
	rows = test_rows(&t, ROWS_CPU, false);
	is_u64(row_count(rows), 2 + 1 + 1 + 4 + 2, "per CPU");
	is_str(row_text(rows, 7), "C3 Core 2 ok", "a metric of cores has a row for each CPU");
	is_str(row_text(rows, 8), "N0 Mixed 1 ok", "one of cores and others for each node");
	rows_free(rows);
	rows = test_rows(&t, ROWS_MACHINE, false);
	is_str(row_text(rows, 0), "M Both 12 ok", "without nodes the sockets are added up");
	is_str(row_text(rows, 1), "M One 4 ok", "and one of one PMU is that");
	rows_free(rows);
	t.counts->slots[1].counts[0].state = COUNT_NOT_COUNTED;
	rows = test_rows(&t, ROWS_NODE, false);
	is_str(row_text(rows, 0), "N0 Both 4 ok", "a node that was not counted");
	is_str(row_text(rows, 1), "N1 Both not counted", "leaves the other its value");
	is_str(row_text(rows, 3), "M Pair not counted", "but the machine has none");
	rows_free(rows);
	test_plan_release(&t);
}

int main(void)
{
	struct sysroot roots[3];

	sysroot_make(&roots[0], "gh4");
	sysroot_make(&roots[1], "superchip");
	sysroot_make(&roots[2], "laptop");
	gh4 = gpmu_machine_new(roots[0].path, NULL);
	superchip = gpmu_machine_new(roots[1].path, NULL);
	laptop = gpmu_machine_new(roots[2].path, NULL);
	if (!gh4 || !superchip || !laptop)
		sysroot_bail("no machine");
	four_sockets();
	other_machine();
	cpus();
	hybrid();
	process();
	metrics();
	gpmu_machine_free(gh4);
	gpmu_machine_free(superchip);
	gpmu_machine_free(laptop);
	for (int i = 0; i < 3; i++)
		sysroot_release(&roots[i]);
	return done_testing();
}
