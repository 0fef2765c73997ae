// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows per node and per CPU: each count is in one row. */
#include "sysroot.h"
#include "row-test.h"

static struct gpmu_machine *gh4, *superchip, *laptop;

/* An event on four sockets: one has counted 0, and one has been lost */
static void four_sockets(void)
{
	static const char *const names[] = {
		"nvidia_scf_pmu_0", "nvidia_scf_pmu_1", "nvidia_scf_pmu_2", "nvidia_scf_pmu_3",
	};
	static const int packages[] = { 36, 252, 468, 684 };
	struct row_maker *maker;
	struct test_plan t;
	bool is_right = true;

	test_plan_init(&t, gh4);
	for (int i = 0; i < 4; i++)
		test_slot(&t, names[i]);
	test_event(&t, "cmem", 4, 0);
	test_counts(&t);
	test_target(&t, 3, 3, 3, -1, 33, ALL);
	test_target(&t, 0, 0, 0, -1, 0, ALL);
	test_target(&t, 1, 1, 1, -1, 11, ALL);
	counts_set_lost(t.counts, 2, COUNT_NOT_SUPPORTED, "the PMU is offline");
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_u64(row_count(maker), 4, "node rows: each socket has a row");
	is_str(row_text(maker, 0), "N0 cmem 0 ok", "node rows: a socket that counted 0 has a row");
	is_str(row_text(maker, 1), "N1 cmem 11 ok", "node rows: the second row is that of node 1");
	is_str(row_text(maker, 2), "N2 cmem not supported",
	       "node rows: a socket whose event could not be opened has a row");
	is_str(row_at(maker, 2)->why, "the PMU is offline",
	       "node rows: a socket that is not supported has its reason");
	is_str(row_text(maker, 3), "N3 cmem 33 ok",
	       "node rows: rows are sorted by node, not by slot");
	for (size_t i = 0; i < 4 && row_count(maker) == 4; i++)
		is_right = is_right && row_at(maker, i)->package == packages[i] &&
			   !strcmp(row_at(maker, i)->pmu, names[i]);
	ok(is_right, "node rows: each row has its package, which is perf's label, and its PMU");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Nodes of a source that the machine does not have */
static void other_machine(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, laptop);
	test_event(&t, "cmem", 1, test_slot(&t, NULL));
	test_counts(&t);
	test_target(&t, 0, -1, 5, -1, 1, ALL);
	test_target(&t, 0, -1, 2, -1, 2, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_str(row_text(maker, 0), "N2 cmem 2 ok",
	       "node rows: the first node unknown to the machine has a row");
	is_str(row_text(maker, 1), "N5 cmem 1 ok",
	       "node rows: the second node unknown to the machine has a row");
	ok(row_at(maker, 0)->package == -1 && !row_at(maker, 0)->pmu,
	   "node rows: an unknown node has neither package nor PMU");
	row_maker_free(maker);
	test_target(&t, 0, -1, -1, -1, 4, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	ok(row_count(maker) == 1 && !strcmp(row_text(maker, 0), "M cmem 7 ok"),
	   "node rows: if a count has no node, one row of the machine has all counts");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void cpus(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, superchip);
	test_slot(&t, "armv8_pmuv3_0");
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "cycles", 1, 0);
	test_event(&t, "scf", 2, 1);
	test_counts(&t);
	for (int cpu = 0; cpu < 4; cpu++)
		test_target(&t, 0, cpu, cpu / 2, -1, (uint64_t)cpu + 10, ALL);
	test_target(&t, 1, 0, 0, -1, 7, ALL);
	test_target(&t, 2, 2, 1, -1, 8, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_u64(row_count(maker), 6, "CPU rows: each CPU has a row, and each node of an uncore PMU");
	is_str(row_text(maker, 0), "C0 cycles 10 ok", "CPU rows: CPU 0 has its count");
	is_str(row_text(maker, 3), "C3 cycles 13 ok", "CPU rows: CPU 3 has its count");
	ok(row_at(maker, 3)->cpu == 3 && row_at(maker, 3)->node == 1,
	   "CPU rows: a row has the CPU's node");
	is_str(row_text(maker, 4), "N0 scf 7 ok",
	       "CPU rows: an uncore count belongs to a node, not to the CPU that opened it");
	ok(row_at(maker, 5)->cpu == 2 && row_at(maker, 5)->node == 1,
	   "CPU rows: a row of an uncore PMU names its node and the node's first CPU");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_str(row_text(maker, 1), "N1 cycles 25 ok",
	       "node rows: counts of CPUs are summed per node");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Hybrid CPUs, of which one type lacks the event */
static void hybrid(void)
{
	struct gpmu_machine *machine;
	struct row_maker *maker;
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
	test_target(&t, 0, 0, 0, -1, 5, ALL);
	test_target(&t, 0, 1, 0, -1, 6, ALL);
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such event");
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_str(row_text(maker, 1), "C1 LLC-loads 6 ok",
	       "CPU rows: a CPU with the event has a value if CPUs of another type lack it");
	is_str(row_at(maker, 1)->pmu, "cpu_core", "CPU rows: a row names the CPU's own PMU");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M LLC-loads not supported",
	       "machine row: an event that one type of CPU lacks is not supported");
	row_maker_free(maker);
	test_plan_release(&t);
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

/* A process and uncore PMUs */
static void process(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, superchip);
	test_slot(&t, "armv8_pmuv3_0");
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_event(&t, "cycles", 1, 0);
	test_event(&t, "scf", 2, 1);
	test_counts(&t);
	test_target(&t, 0, -1, -1, 50, 10, ALL);
	test_target(&t, 1, 0, 0, -1, 7, ALL);
	test_target(&t, 2, 2, 1, -1, 8, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, true);
	is_u64(row_count(maker), 3, "process rows: the process has one row and each node has one");
	is_str(row_text(maker, 0), "P cycles 10 ok", "process rows: the process has its count");
	is_str(row_text(maker, 2), "N1 scf 8 ok", "process rows: an uncore PMU counts the node");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, true);
	is_str(row_text(maker, 1), "M scf 15 ok",
	       "process rows: an uncore PMU counts the machine if rows are not per node");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Metrics have rows for the nodes and CPUs on which all their events are counted. */
static void metrics(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t both, single, pair, core, mixed;

	test_plan_init(&t, superchip);
	test_slot(&t, "nvidia_scf_pmu_0");
	test_slot(&t, "nvidia_scf_pmu_1");
	test_slot(&t, "armv8_pmuv3_0");
	both = test_metric(&t, "Both", "a", NULL);
	single = test_metric(&t, "One", "a", NULL);
	pair = test_metric(&t, "Pair", "a + b", NULL);
	core = test_metric(&t, "Core", "a", NULL);
	mixed = test_metric(&t, "Mixed", "a / b", NULL);
	test_counts_of(&t, both, "a", 2, 0);
	test_counts_of(&t, single, "a", 1, 0);
	test_counts_of(&t, pair, "a", 1, 0);
	test_counts_of(&t, pair, "b", 1, 1);
	test_counts_of(&t, core, "a", 1, 2);
	test_counts_of(&t, mixed, "a", 1, 2);
	test_counts_of(&t, mixed, "b", 2, 0);
	for (size_t i = both; i <= mixed; i++)
		test_item(&t, PLAN_ITEM_METRIC, i);
	test_counts(&t);
	test_target(&t, 0, 0, 0, -1, 4, ALL);
	test_target(&t, 1, 2, 1, -1, 8, ALL);
	for (int cpu = 0; cpu < 4; cpu++)
		test_target(&t, 2, cpu, cpu / 2, -1, 2, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_u64(row_count(maker), 8, "metric rows per node: five metrics have eight rows");
	is_str(row_text(maker, 0), "N0 Both 4 ok",
	       "metric rows per node: a metric on both PMUs has a row for node 0");
	is_str(row_text(maker, 1), "N1 Both 8 ok",
	       "metric rows per node: a metric on both PMUs has a row for node 1");
	is_str(row_text(maker, 2), "N0 One 4 ok",
	       "metric rows per node: a metric on one PMU has one row");
	is_str(row_text(maker, 3), "M Pair 12 ok",
	       "metric rows per node: a metric across two nodes' PMUs is a row of the machine");
	is_str(row_text(maker, 5), "N1 Core 4 ok",
	       "metric rows per node: a metric of cores has a row for each node");
	is_str(row_text(maker, 7), "N1 Mixed 0.5 ok",
	       "metric rows per node: a metric of cores and the SCF has a row for each node");
	is_str(row_at(maker, 0)->pmu, "nvidia_scf_pmu_0",
	       "metric rows per node: a row names its PMU");
	ok(!row_at(maker, 7)->pmu, "metric rows per node: a row of different PMUs has no PMU");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_u64(row_count(maker), 2 + 1 + 1 + 4 + 2,
	       "metric rows per CPU: five metrics have ten rows");
	is_str(row_text(maker, 7), "C3 Core 2 ok",
	       "metric rows per CPU: a metric of cores has a row for each CPU");
	is_str(row_text(maker, 8), "N0 Mixed 1 ok",
	       "metric rows per CPU: a metric of cores and the SCF has a row for each node");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_MACHINE, false);
	is_str(row_text(maker, 0), "M Both 12 ok",
	       "metric rows of the machine: both sockets are summed");
	is_str(row_text(maker, 1), "M One 4 ok",
	       "metric rows of the machine: a metric on one PMU has that PMU's value");
	row_maker_free(maker);
	t.counts->slots[1].counts[0].state = COUNT_NOT_COUNTED;
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	is_str(row_text(maker, 0), "N0 Both 4 ok",
	       "metric rows per node: a node keeps its value if another one was not counted");
	is_str(row_text(maker, 1), "N1 Both not counted",
	       "metric rows per node: a node that was not counted has no value");
	is_str(row_text(maker, 3), "M Pair not counted",
	       "metric rows per node: a metric across nodes is not counted if one of them was not");
	row_maker_free(maker);
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
