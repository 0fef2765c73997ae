// SPDX-License-Identifier: LGPL-2.1-or-later
/* The machine of perf's output: this one, or one made of the PMUs' names */
#include "saved-test.h"
#include "sysroot.h"

static struct sysroot laptop, superchip;

static struct gpmu_machine *machine_of(const char *text, const struct sysroot *root)
{
	struct gpmu_machine *machine;
	struct saved_test t;

	saved_test_init(&t, 1, 0);
	if (saved_test_lines(&t, text) || gpmu_saved_end(t.saved) != 1)
		abort();
	machine = gpmu_saved_machine(t.saved, root->path, &t.error);
	if (!machine)
		diag("%s", t.error.text);
	saved_test_release(&t);
	return machine;
}

static void test_here(void)
{
	struct gpmu_machine *machine = machine_of("1,,page-faults,1,100.00\n1,,cpu/cycles/,1,100.00\n"
						  "1,,software/page-faults/,1,100.00\n"
						  "1,,tool/duration_time/,1,100.00\n", &laptop);

	ok(machine && !strcmp(gpmu_machine_root(machine), laptop.path),
	   "perf output: events of cores and software use this machine");
	gpmu_machine_free(machine);
	machine = machine_of("1,,nvidia_scf_pmu_1/cmem_rd_data/,1,100.00\n", &superchip);
	ok(machine && !strcmp(gpmu_machine_root(machine), superchip.path),
	   "perf output: events of PMUs that this machine has use this machine");
	gpmu_machine_free(machine);
}

static void test_grace(void)
{
	struct gpmu_machine *machine = machine_of(
		"S36,1,5,,nvidia_pcie_pmu_2/rd_bytes_loc,root_port=0x3,dst=0x1/,1,100.00\n"
		"S0,1,0,,nvidia_scf_pmu_3/x/,1,100.00\nS4,1,7,,nvidia_scf_pmu_3/x/,1,100.00\n"
		"S4,1,7,,nvidia_scf_pmu_12/y/,1,100.00\n"
		"S4,1,7,,nvidia_nvlink_c2c0_pmu_3/event=cycles/,1,100.00\n", &laptop);
	const struct gpmu_pmu *pmu;
	const struct gpmu_node *node;

	ok(machine && strcmp(gpmu_machine_root(machine), laptop.path),
	   "perf output: a Grace's events on a laptop make another machine");
	pmu = gpmu_machine_find_pmu(machine, "nvidia_pcie_pmu_2");
	ok(pmu && gpmu_pmu_kind(pmu) == GPMU_PMU_PCIE && gpmu_pmu_format(pmu, "root_port") &&
	   gpmu_pmu_format(pmu, "dst") && gpmu_pmu_event(pmu, "rd_bytes_loc") &&
	   !strcmp(gpmu_pmu_identifier(pmu), "1030036b"),
	   "perf output: a PMU has the formats and events of its names, and Grace's identifier");
	ok(pmu && gpmu_pmu_counter_count(pmu) == 6 && gpmu_pmu_cycle_counter(pmu) == 1,
	   "perf output: a PMU has the counters of a Grace");
	node = pmu ? gpmu_pmu_node(pmu) : NULL;
	ok(node && gpmu_node_number(node) == 2 && gpmu_node_package(node) == 36,
	   "perf output: a PMU's node is its number and its package is the line's");
	pmu = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_3");
	node = pmu ? gpmu_pmu_node(pmu) : NULL;
	ok(node && gpmu_node_package(node) == 4,
	   "perf output: the package is that of the line that counted");
	ok(gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_12") != NULL,
	   "perf output: a PMU's number may have two digits");
	ok(!gpmu_machine_find_pmu(machine, "cpu") && gpmu_machine_midr(machine) == 0x410fd4f0,
	   "perf output: a Grace's cores are Neoverse V2 and this machine's are left out");
	pmu = gpmu_machine_find_pmu(machine, "armv8_pmuv3_0");
	ok(pmu && gpmu_pmu_kind(pmu) == GPMU_PMU_CORE && !gpmu_pmu_has_cpumask(pmu),
	   "perf output: a Grace's core PMU is there");
	gpmu_machine_free(machine);
}

static void test_core(void)
{
	struct saved_test t;

	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, "1000000000,ns,duration_time,1000000000,100.00,,\n"
			  "4000000,,inst_retired,2000000000,100.00,,\n"
			  "2000000,,cpu_cycles:u,2000000000,100.00,,\n"
			  "5,,nvidia_scf_pmu_0/x/,1000000000,100.00,,\n", laptop.path, NULL,
			  "inst_retired,cpu_cycles,nvidia_scf_pmu_0/x/"),
	   "perf output: events of a Grace's cores and fabric make rows");
	is_row(&t, 0, "inst_retired", 4000000, "perf output: an event of a Grace's core is found");
	is_row(&t, 1, "cpu_cycles", 2000000,
	       "perf output: an event with a modifier added by perf is found");
	is_row(&t, 2, "nvidia_scf_pmu_0/x/", 5, "perf output: an event in no catalog is found");
	saved_test_release(&t);
}

/* The names of a Grace's cores alone describe the machine. */
static void test_core_names(void)
{
	static const struct {
		const char *text, *what;
	} outputs[] = {
		{ "1000,,armv8_pmuv3_0/cpu_cycles/,900,100.00,,\n"
		  "2500,,armv8_pmuv3_0/inst_retired/,900,100.00,,\n",
		  "perf output: the core PMU in the names describes a Grace" },
		{ "1000,,CPU_CYCLES,900,100.00,,\n2500,,INST_RETIRED,900,100.00,,\n",
		  "perf output: names of a Grace's core events without a PMU describe a Grace" },
		{ "1000,,CPU_CYCLES:u,900,100.00,,\n2500,,INST_RETIRED:u,900,100.00,,\n",
		  "perf output: modifiers of a Grace's core events do not matter" },
	};
	struct gpmu_machine *machine;
	struct saved_test t;

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		saved_test_init(&t, 0, 0);
		saved_test_all(&t, outputs[i].text, laptop.path, "ipc", NULL);
		is_row(&t, 0, "ipc", 2.5, outputs[i].what);
		saved_test_release(&t);
	}
	machine = machine_of("1000,,CPU_CYCLES,900,100.00,,\n", &superchip);
	ok(machine && !strcmp(gpmu_machine_root(machine), superchip.path),
	   "perf output: names of core events on a Grace use this machine");
	gpmu_machine_free(machine);
	machine = machine_of("1,,armv8_pmuv3_0/foo,bar=1/,900,100.00,,\n", &laptop);
	ok(gpmu_pmu_event(gpmu_machine_find_pmu(machine, "armv8_pmuv3_0"), "foo") &&
	   gpmu_pmu_format(gpmu_machine_find_pmu(machine, "armv8_pmuv3_0"), "bar"),
	   "perf output: the core PMU has the formats and events of its names");
	gpmu_machine_free(machine);
}

static struct gpmu_machine *machine_of_chip(enum gpmu_saved_chip chip, const char *text)
{
	const struct gpmu_saved_options options = {
		.size = sizeof(options), .system = 1, .chip = chip,
	};
	struct gpmu_saved *saved = gpmu_saved_new(&options);
	struct gpmu_machine *machine;

	if (gpmu_saved_line(saved, text, strlen(text), NULL) || gpmu_saved_end(saved) != 1)
		abort();
	machine = gpmu_saved_machine(saved, superchip.path, NULL);
	gpmu_saved_free(saved);
	return machine;
}

static void test_chip(void)
{
	struct gpmu_machine *machine = machine_of_chip(GPMU_SAVED_GRACE, "1,,cs,1,100.00,,\n");

	ok(machine && strcmp(gpmu_machine_root(machine), superchip.path) &&
	   gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_0") &&
	   !gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1"),
	   "perf output of a Grace: node 0 has all PMUs if no name has a node");
	gpmu_machine_free(machine);
	machine = machine_of_chip(GPMU_SAVED_GRACE, "1,,nvidia_scf_pmu_1/cycles/,1,100.00,,\n");
	ok(gpmu_machine_find_pmu(machine, "nvidia_pcie_pmu_1") &&
	   !gpmu_machine_find_pmu(machine, "nvidia_pcie_pmu_0"),
	   "perf output of a Grace: the nodes are those of the names");
	gpmu_machine_free(machine);
	machine = machine_of_chip(GPMU_SAVED_HOPPER, "N2,1,1,,cs,1,100.00,,\n");
	ok(gpmu_machine_find_pmu(machine, "nvidia_nvlink_c2c0_pmu_2") &&
	   !gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_2"),
	   "perf output of a single Grace Hopper: the node of a label has all PMUs but CNVLink");
	gpmu_machine_free(machine);
}

/* perf sums PMUs of a type if the event names no number. */
static void test_merged(void)
{
	struct saved_test t;

	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, "2000000000,,nvidia_scf_pmu/cmem_rd_data/,2000000000,100.00,,\n"
			      "1000000000,,nvidia_scf_pmu/cmem_wr_total_bytes/,2000000000,100.00,,\n"
			      "2000000000,ns,duration_time,2000000000,100.00,,\n", laptop.path,
			  "GraceMemBW", NULL), "perf output: PMUs summed by perf make rows");
	ok(t.rows->length == 1 && t.rows->list[0].state == GPMU_STATE_OK,
	   "perf output: a metric of PMUs summed by perf has a value") ||
		(diag("state %d, %s", t.rows->list[0].state, t.rows->list[0].why ? t.rows->list[0].why : ""), 0);
	saved_test_release(&t);
}

static void test_other(void)
{
	struct gpmu_machine *machine = machine_of("1,,uncore_imc_0/cas_count_read/,1,100.00\n"
						  "1,,cycles,1,100.00\n", &laptop);

	ok(machine && gpmu_machine_find_pmu(machine, "uncore_imc_0") &&
	   gpmu_machine_find_pmu(machine, "cpu"),
	   "perf output: another PMU is added to this machine's");
	gpmu_machine_free(machine);
}

int main(void)
{
	sysroot_make(&laptop, "laptop");
	sysroot_make(&superchip, "superchip");
	test_here();
	test_grace();
	test_core();
	test_core_names();
	test_chip();
	test_merged();
	test_other();
	sysroot_release(&laptop);
	sysroot_release(&superchip);
	return done_testing();
}
