// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows per socket, die, core and thread */
#include <errno.h>
#include <unistd.h>

#include "sysroot.h"
#include "row-test.h"

/* Two sockets of two cores, as in the public report of a Grace: packages 36 and 2364 */
static struct gpmu_machine *grace;

/* An event of the cores, and one of both SCF PMUs, of which the second cannot be opened */
static void init(struct test_plan *t)
{
	test_plan_init(t, grace);
	test_slot(t, "armv8_pmuv3_0");
	test_slot(t, "nvidia_scf_pmu_0");
	test_slot(t, "nvidia_scf_pmu_1");
	test_event(t, "cycles", 1, 0);
	test_event(t, "scf", 2, 1);
	test_counts(t);
	for (int cpu = 3; cpu >= 0; cpu--)
		test_target(t, 0, cpu, cpu / 2, -1, (uint64_t)cpu + 10, ALL);
	test_target(t, 1, 0, 0, -1, 7, ALL);
	counts_set_lost(t->counts, 2, COUNT_NOT_SUPPORTED, "the PMU is offline");
}

/* "cycles 21 socket 36 0 0": name, value, scope, package, die and core */
static void is_row(const struct row_maker *maker, size_t index, const char *want, const char *what)
{
	const struct gpmu_row *row = row_at(maker, index);
	char text[96] = "no row";

	if (row)
		snprintf(text, sizeof(text), "%s %g scope %d: %d %d %d", row->name, row->value,
			 (int)row->scope - (int)GPMU_SCOPE_SOCKET, row->package, row->die, row->core);
	is_str(text, want, what);
}

static void sockets(void)
{
	struct row_maker *maker;
	struct test_plan t;

	init(&t);
	maker = test_rows(&t, GPMU_AGGREGATE_SOCKET, false);
	is_u64(row_count(maker), 4, "socket rows: two events have a row for each of two sockets");
	is_row(maker, 0, "cycles 21 scope 0: 36 0 0",
	       "socket rows: CPUs of package 36 are one row, whose package is 36");
	is_row(maker, 1, "cycles 25 scope 0: 2364 0 0",
	       "socket rows: CPUs of package 2364 are one row, whose package is 2364");
	is_row(maker, 2, "scf 7 scope 0: 36 0 0",
	       "socket rows: a PMU outside the cores belongs to the socket of its node");
	is_row(maker, 3, "scf nan scope 0: 2364 0 0",
	       "socket rows: a PMU that cannot be opened has a row for its socket");
	is_u64(row_at(maker, 0)->counters, 2, "socket rows: a row has the number of its counters");
	ok(row_at(maker, 1)->node == 1, "socket rows: a socket that is one node has its number");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_DIE, false);
	is_row(maker, 1, "cycles 25 scope 1: 2364 0 0",
	       "die rows: without die_id a socket is its die 0");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_CORE, false);
	is_u64(row_count(maker), 6,
	       "core rows: an event of CPUs has a row for each core, one of PMUs for each node");
	is_row(maker, 1, "cycles 11 scope 2: 36 0 1",
	       "core rows: cores are sorted by package, die and core");
	is_row(maker, 2, "cycles 12 scope 2: 2364 0 0",
	       "core rows: a core of another socket with the same core_id is another row");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_NODE, false);
	ok(row_at(maker, 1)->scope == GPMU_SCOPE_NODE && row_at(maker, 1)->node == 1 &&
	   row_at(maker, 1)->package == 2364, "node rows: the number of a node is not its package");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* One node that spans both sockets */
static void large_node(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, grace);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_counts(&t);
	for (int cpu = 0; cpu < 4; cpu++)
		test_target(&t, 0, cpu, cpu == 1, -1, 1, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_SOCKET, false);
	ok(row_count(maker) == 2 && row_at(maker, 0)->node == -1 && row_at(maker, 0)->package == 36,
	   "socket rows: a socket with CPUs of several nodes has no node");
	row_maker_free(maker);
	test_plan_release(&t);
}

/* Events without counts of their own, and times: as in perf */
static void elsewhere(void)
{
	struct row_maker *maker;
	struct test_plan t;
	size_t time;

	test_plan_init(&t, grace);
	test_event(&t, "cycles", 1, test_slot(&t, "armv8_pmuv3_0"));
	test_event(&t, "lost", 1, test_slot(&t, "armv8_pmuv3_0"));
	time = test_slot(&t, NULL);
	t.instances[time].tool = EVENT_TOOL_DURATION_TIME;
	test_event(&t, "duration_time", 1, time);
	test_counts(&t);
	for (int cpu = 0; cpu < 4; cpu++)
		test_target(&t, 0, cpu, cpu / 2, -1, 1, ALL);
	counts_set_lost(t.counts, 1, COUNT_NOT_SUPPORTED, "no such event");
	maker = test_rows(&t, GPMU_AGGREGATE_SOCKET, false);
	is_u64(row_count(maker), 5, "socket rows: three events have five rows");
	is_row(maker, 3, "lost nan scope 0: 2364 0 0",
	       "socket rows: an event that is not supported has a row for each socket");
	is_row(maker, 4, "duration_time 2e+09 scope 0: 36 0 0",
	       "socket rows: duration_time is a row of the first socket, as in perf");
	row_maker_free(maker);
	maker = test_rows(&t, GPMU_AGGREGATE_CPU, false);
	is_str(row_text(maker, 7), "C3 lost not supported",
	       "CPU rows: an event that is not supported has a row for each CPU");
	row_maker_free(maker);
	test_plan_release(&t);
}

static void threads(void)
{
	struct row_maker *maker;
	struct test_plan t;

	test_plan_init(&t, grace);
	test_event(&t, "page-faults", 1, test_slot(&t, "software"));
	test_event(&t, "scf", 1, test_slot(&t, "nvidia_scf_pmu_0"));
	test_counts(&t);
	test_target(&t, 0, -1, -1, INT32_MAX, 5, ALL);
	test_target(&t, 0, -1, -1, (int)getpid(), 3, ALL);
	test_target(&t, 1, 0, 0, -1, 7, ALL);
	maker = test_rows(&t, GPMU_AGGREGATE_THREAD, true);
	is_u64(row_count(maker), 3, "thread rows: each of two tasks has a row, and the SCF has one");
	ok(row_at(maker, 0)->scope == GPMU_SCOPE_THREAD && row_at(maker, 0)->tid == (int)getpid() &&
	   row_at(maker, 0)->value == 3 && row_at(maker, 0)->pid == 77,
	   "thread rows: a row has the number and the count of its task");
	is_str(row_at(maker, 0)->comm, program_invocation_short_name, "thread rows: a row has the name of its task");
	is_str(row_at(maker, 1)->comm, "", "thread rows: a task that has ended has no name");
	is_str(row_text(maker, 2), "M scf 7 ok",
	       "thread rows: a PMU outside the cores counts the machine");
	row_maker_free(maker);
	test_plan_release(&t);
}

int main(void)
{
	struct sysroot root;

	sysroot_make(&root, "grace-grace");
	grace = gpmu_machine_new(root.path, NULL);
	if (!grace)
		sysroot_bail("no machine");
	sockets();
	large_node();
	elsewhere();
	threads();
	gpmu_machine_free(grace);
	sysroot_release(&root);
	return done_testing();
}
