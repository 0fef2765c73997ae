// SPDX-License-Identifier: LGPL-2.1-or-later
/* Other machines: Grace Hoppers, a laptop, a virtual machine, and unusual but valid sysfs */
#include <locale.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/pmu.h"
#include "tap.h"

#define PMUS	"sys/bus/event_source/devices/"
#define SYSTEM	"sys/devices/system/"

static struct gpmu_machine *open_machine(const struct sysroot *root, const char *what)
{
	struct gpmu_machine *machine = gpmu_machine_new(root->path, NULL);

	if (!ok(machine && !gpmu_machine_warning(machine, 0),
		"machine: %s has no warnings", what)) {
		if (machine)
			diag("%s", gpmu_machine_warning(machine, 0));
		else
			sysroot_bail(what);
	}
	return machine;
}

static size_t pmus(const struct gpmu_machine *machine)
{
	size_t n = 0;

	while (gpmu_machine_pmu(machine, n))
		n++;
	return n;
}

static size_t nodes(const struct gpmu_machine *machine)
{
	size_t n = 0;

	while (gpmu_machine_node(machine, n))
		n++;
	return n;
}

/* The CPUs of a PMU as decimal digits after a 9; -1: no such PMU */
static long cpu_digits(const struct gpmu_machine *machine, const char *name)
{
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, name);
	long digits = 9;
	const int *cpus;
	size_t len;

	if (!pmu)
		return -1;
	len = gpmu_pmu_cpus(pmu, &cpus);
	for (size_t i = 0; i < len; i++)
		digits = digits * 10 + cpus[i];
	return digits;
}

static void gh200(void)
{
	struct gpmu_machine *machine;
	const struct gpmu_node *node;
	struct sysroot root;

	sysroot_make(&root, "gh200");
	machine = open_machine(&root, "gh200");
	is_u64(pmus(machine), 4 + 2 + 3,
	       "machine: a Grace Hopper of one socket has four uncore PMUs");
	ok(!gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_0"),
	   "machine: a Grace Hopper of one socket has no CNVLink PMU");
	node = gpmu_machine_node(machine, 0);
	ok(node && !gpmu_node_number(node) && nodes(machine) == 1,
	   "machine: the node of the GPU's memory, which has no CPUs, is left out");
	is_u64((uint64_t)cpu_digits(machine, "nvidia_pcie_pmu_0"), 90,
	       "machine: the PCIe PMU of a Grace Hopper is opened on CPU 0");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void gh4(void)
{
	static const char *const kinds[] = { "scf", "pcie", "nvlink_c2c0", "nvlink_c2c1", "cnvlink" };
	static const int packages[] = { 36, 252, 468, 684 };
	struct gpmu_machine *machine;
	const struct gpmu_node *node;
	struct sysroot root;
	char name[64];

	sysroot_make(&root, "gh4");
	machine = open_machine(&root, "gh4");
	is_u64(nodes(machine), 4, "machine: four Grace Hoppers have four nodes with CPUs");
	for (size_t i = 0; i < 4; i++) {
		bool is_good = true;

		node = gpmu_machine_node(machine, i);
		ok(node && gpmu_node_number(node) == (int)i && gpmu_node_package(node) == packages[i],
		   "machine: node %zu of four Grace Hoppers has package %d, perf's "
		   "label", i, packages[i]);
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			snprintf(name, sizeof(name), "nvidia_%s_pmu_%zu", kinds[k], i);
			is_good = is_good && cpu_digits(machine, name) == 90 + (long)i &&
				  gpmu_pmu_node(gpmu_machine_find_pmu(machine, name)) == node;
		}
		ok(is_good, "machine: the five PMUs of node %zu are opened on its CPU", i);
	}
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void laptop(void)
{
	const struct gpmu_pmu *cpu, *msr, *power, *imc;
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, "laptop");
	machine = open_machine(&root, "laptop");
	cpu = gpmu_machine_find_pmu(machine, "cpu");
	msr = gpmu_machine_find_pmu(machine, "msr");
	power = gpmu_machine_find_pmu(machine, "power");
	imc = gpmu_machine_find_pmu(machine, "uncore_imc_1");
	if (ok(cpu && msr && power && imc && pmus(machine) == 8,
	       "machine: a laptop has eight PMUs")) {
		ok(gpmu_pmu_kind(cpu) == GPMU_PMU_CORE && gpmu_pmu_kind(msr) == GPMU_PMU_OTHER &&
		   gpmu_pmu_kind(imc) == GPMU_PMU_OTHER, "machine: a laptop's core PMU is cpu");
		is_u64((uint64_t)cpu_digits(machine, "cpu"), 901234567,
		       "machine: a laptop's core PMU counts on all CPUs");
		ok(!gpmu_pmu_has_cpumask(cpu) && !gpmu_pmu_has_cpumask(msr) &&
		   gpmu_pmu_has_cpumask(power),
		   "machine: a laptop's power PMU has a cpumask, msr has none");
		is_str(gpmu_pmu_event(cpu, "cache-misses"), "event=0x2e,umask=0x41",
		       "machine: an event of two terms has its text");
		is_str(gpmu_pmu_event(cpu, "slots.recovery"), "event=0x0d,umask=0x1",
		       "machine: an event's name can have a dot");
		ok(!gpmu_pmu_event(imc, "data_reads.scale") && !gpmu_pmu_event(imc, "data_reads.unit") &&
		   !gpmu_pmu_event(imc, "data_reads.per-pkg") && !gpmu_pmu_event_name(imc, 1),
		   "machine: .scale, .unit and .per-pkg files are not events");
		ok(pmu_event_scale(power, "energy-pkg") == 1.0 / 4294967296.0,
		   "machine: the scale of energy-pkg is 2^-32");
		is_str(gpmu_pmu_event_unit(power, "energy-pkg"), "Joules",
		       "machine: the unit of energy-pkg is Joules");
		ok(pmu_event_scale(power, "energy") == 1 && !gpmu_pmu_event_unit(power, "energy"),
		   "machine: an unknown event has scale 1 and no unit");
		ok(!gpmu_pmu_number(gpmu_machine_find_pmu(machine, "uncore_imc_0")) &&
		   gpmu_pmu_number(imc) == 1 && gpmu_pmu_number(cpu) == -1,
		   "machine: a PMU's number is that at the end of its name");
	}
	ok(!gpmu_machine_midr(machine), "machine: a laptop has no MIDR");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void vm(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, "vm");
	machine = open_machine(&root, "vm");
	ok(pmus(machine) == 3 && gpmu_machine_find_pmu(machine, "software") &&
	   gpmu_machine_find_pmu(machine, "tracepoint") &&
	   gpmu_machine_find_pmu(machine, "breakpoint"),
	   "machine: a virtual machine has only the kernel's own PMUs");
	ok(gpmu_machine_midr(machine) == 0x410fd4f0 && nodes(machine) == 1,
	   "machine: a virtual machine has a MIDR and one node");
	ok(!gpmu_machine_pci(machine, 0), "machine: a virtual machine has no PCI device");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void names(void)
{
	static const struct {
		const char *name;
		enum gpmu_pmu_kind kind;
		int number;
	} table[] = {
		{ "nvidia_scf_pmu_0", GPMU_PMU_SCF, 0 },
		{ "nvidia_pcie_pmu_12", GPMU_PMU_PCIE, 12 },
		{ "nvidia_scf_pmu_0_inst_1", GPMU_PMU_SCF, 0 },
		{ "nvidia_nvlink_c2c0_pmu_3_inst_10", GPMU_PMU_C2C0, 3 },
		{ "nvidia_nvlink_c2c1_pmu_0", GPMU_PMU_C2C1, 0 },
		{ "nvidia_cnvlink_pmu_0", GPMU_PMU_CNVLINK, 0 },
		{ "nvidia_scf_pmu", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_x", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_0x", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_99999999999", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_0_inst_", GPMU_PMU_OTHER, -1 },
		{ "nvidia_scf_pmu_0_inst_1_2", GPMU_PMU_OTHER, 2 },
		/* Linux's nvidia-tegra410-pmu.rst: the chip after Grace */
		{ "nvidia_pcie_pmu_0_rc_4", GPMU_PMU_OTHER, 4 },
		{ "nvidia_pcie_tgt_pmu_0_rc_4", GPMU_PMU_OTHER, 4 },
		{ "nvidia_ucf_pmu_0", GPMU_PMU_OTHER, 0 },
		{ "nvidia_nvlink_c2c_pmu_0", GPMU_PMU_OTHER, 0 },
		{ "my_nvidia_scf_pmu_0", GPMU_PMU_OTHER, 0 },
		{ "uncore_imc_free_running_1", GPMU_PMU_OTHER, 1 },
		{ "uncore_imc_2147483647", GPMU_PMU_OTHER, 2147483647 },
		{ "uncore_imc_2147483648", GPMU_PMU_OTHER, -1 },
		{ "arm_smmuv3_pmcg_2b442", GPMU_PMU_OTHER, -1 },
		{ "cpu_core", GPMU_PMU_OTHER, -1 },
		{ "_1", GPMU_PMU_OTHER, 1 },
		{ "", GPMU_PMU_OTHER, -1 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int number = 77;
		enum gpmu_pmu_kind kind = pmu_name_parse(table[i].name, &number);

		ok(kind == table[i].kind && number == table[i].number,
		   "machine: the PMU name \"%s\" means kind %d, number %d", table[i].name,
		   table[i].kind, table[i].number);
	}
}

static void cpus(const struct sysroot *root)
{
	struct gpmu_machine *machine = open_machine(root, "odd CPUs");
	const struct gpmu_pmu *offline = gpmu_machine_find_pmu(machine, "offline");
	const struct gpmu_node *node = gpmu_machine_node(machine, 0);
	const int *list;

	ok(offline && gpmu_pmu_has_cpumask(offline) && !gpmu_pmu_cpus(offline, &list) &&
	   !gpmu_pmu_node(offline), "machine: a PMU of an offline socket has no CPU and no node");
	ok(cpu_digits(machine, "cpu_atom") == 934 &&
	   gpmu_pmu_kind(gpmu_machine_find_pmu(machine, "cpu_atom")) == GPMU_PMU_CORE,
	   "machine: a core PMU counts on its online CPUs");
	ok(cpu_digits(machine, "both") == 904 &&
	   !gpmu_pmu_node(gpmu_machine_find_pmu(machine, "both")),
	   "machine: a PMU with CPUs in two nodes has no node");
	ok(!gpmu_pmu_node(gpmu_machine_find_pmu(machine, "far")),
	   "machine: a PMU with a CPU in no node has no node");
	ok(nodes(machine) == 2 && gpmu_node_package(node) == -1 &&
	   gpmu_node_package(gpmu_machine_node(machine, 1)) == 2,
	   "machine: a node of two packages has no package");
	ok(gpmu_machine_midr(machine) == 0x410fd490,
	   "machine: MIDR is that of the first online CPU");
	gpmu_machine_free(machine);
}

static void odd_cpus(void)
{
	static const int packages[] = { 0, 1, 1, 2, 2 };
	struct sysroot root;
	char path[128], text[8];

	sysroot_init(&root);
	sysroot_put(&root, SYSTEM "cpu/online", "1-4\n");
	sysroot_put(&root, SYSTEM "cpu/cpu0/regs/identification/midr_el1", "0x410fd4f0\n");
	sysroot_put(&root, SYSTEM "cpu/cpu1/regs/identification/midr_el1", "0x410fd490\n");
	for (int cpu = 0; cpu < 5; cpu++) {
		snprintf(path, sizeof(path), SYSTEM "cpu/cpu%d/topology/physical_package_id", cpu);
		snprintf(text, sizeof(text), "%d\n", packages[cpu]);
		sysroot_put(&root, path, text);
	}
	sysroot_put(&root, SYSTEM "node/node0/cpulist", "0-2\n");
	sysroot_put(&root, SYSTEM "node/node10/cpulist", "3-4\n");
	sysroot_put(&root, SYSTEM "node/possible", "0-10\n");
	sysroot_put(&root, PMUS "offline/type", "30\n");
	sysroot_put(&root, PMUS "offline/cpumask", "\n");
	sysroot_put(&root, PMUS "both/type", "31\n");
	sysroot_put(&root, PMUS "both/cpumask", "0,4\n");
	sysroot_put(&root, PMUS "far/type", "32\n");
	sysroot_put(&root, PMUS "far/cpumask", "65535\n");
	sysroot_put(&root, PMUS "cpu_atom/type", "4294967295\n");
	sysroot_put(&root, PMUS "cpu_atom/cpus", "3-7\n");
	cpus(&root);
	sysroot_release(&root);
}

/* Nothing that is absent causes a warning but the folders of PMUs and CPUs. */
static void empty(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;
	const int *list;

	sysroot_init(&root);
	machine = gpmu_machine_new(root.path, NULL);
	ok(machine && !pmus(machine) && !nodes(machine) && !gpmu_machine_pci(machine, 0) &&
	   !gpmu_machine_midr(machine) && !gpmu_machine_online_cpus(machine, &list),
	   "machine: an empty root is an empty machine");
	is_str(gpmu_machine_warning(machine, 0), "sys/devices/system/cpu: is not there",
	       "machine: an empty root has a warning for its CPUs");
	is_str(gpmu_machine_warning(machine, 1), "sys/bus/event_source/devices: is not there",
	       "machine: an empty root has a warning for its PMUs");
	ok(!gpmu_machine_warning(machine, 2), "machine: an empty root has no other warning");
	gpmu_machine_free(machine);

	sysroot_put(&root, PMUS "cpu_core/type", "4\n");
	sysroot_put(&root, PMUS "cpu_core/cpus", "0-2\n");
	machine = gpmu_machine_new(root.path, NULL);
	ok(machine && cpu_digits(machine, "cpu_core") == 9012,
	   "machine: without a list of online CPUs a core PMU counts on all its CPUs");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void order(void)
{
	static const char *const sorted[] = { "a", "imc_1", "imc_2", "imc_10", "imc_10a", "imc_100",
					      "imc_a", "z" };
	static const int shuffled[] = { 5, 2, 7, 0, 3, 6, 1, 4 };
	struct gpmu_machine *machine;
	struct sysroot root;
	char path[128];
	bool is_good = true, is_found = true;

	sysroot_init(&root);
	sysroot_put(&root, SYSTEM "cpu/online", "0\n");
	for (size_t i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), PMUS "%s/type", sorted[shuffled[i]]);
		sysroot_put(&root, path, "9\n");
		snprintf(path, sizeof(path), PMUS "a/events/%s", sorted[shuffled[i]]);
		sysroot_put(&root, path, "event=0x1\n");
	}
	machine = open_machine(&root, "a machine with numbers in its names");
	for (size_t i = 0; i < 8 && pmus(machine) == 8; i++) {
		const struct gpmu_pmu *pmu = gpmu_machine_pmu(machine, i);

		is_good = is_good && !strcmp(gpmu_pmu_name(pmu), sorted[i]) &&
			  !strcmp(gpmu_pmu_event_name(gpmu_machine_pmu(machine, 0), i), sorted[i]);
		is_found = is_found && gpmu_machine_find_pmu(machine, sorted[i]) == pmu &&
			   gpmu_pmu_event(gpmu_machine_pmu(machine, 0), sorted[i]);
	}
	ok(is_good, "machine: PMUs and events are sorted by name, numbers by value");
	ok(is_found, "machine: PMUs and events are found by name in that order");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

/* A locale with a decimal comma, made from the C library's sources */
static void comma(void)
{
	static const char what[] =
	"machine: a scale has a decimal point also in a locale with a decimal comma";
	char path[SYSROOT_PATH];
	const char *const args[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL };
	struct gpmu_machine *machine;
	struct sysroot locales, root;

	sysroot_init(&locales);
	sysroot_make(&root, "laptop");
	sysroot_path(&locales, path, "de");
	setenv("LOCPATH", locales.path, 1);
	if (sysroot_run("localedef", args) || !setlocale(LC_NUMERIC, "de") || strtod("0,5", NULL) != 0.5) {
		printf("ok %u - machine: a scale has a decimal point in any locale "
		       "# SKIP no localedef\n", ++tap_run);
	} else {
		machine = open_machine(&root, "a machine in a locale with a decimal comma");
		ok(pmu_event_scale(gpmu_machine_find_pmu(machine, "uncore_imc_0"), "data_reads") ==
		   6.103515625e-5, "%s", what);
		gpmu_machine_free(machine);
		setlocale(LC_NUMERIC, "C");
	}
	sysroot_release(&locales);
	sysroot_release(&root);
}

int main(void)
{
	gh200();
	gh4();
	laptop();
	vm();
	names();
	odd_cpus();
	empty();
	order();
	comma();
	return done_testing();
}
