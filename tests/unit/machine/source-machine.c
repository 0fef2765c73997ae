// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A machine with the PMUs of a source: the model on each fake machine, and plugins that show
 * invalid PMUs. FAKE and MODEL are paths of the plugins.
 */
#include <errno.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/machine.h"
#include "plugin/source-fake.h"
#include "plugin/source-paths.h"
#include "plugin/source_object.h"
#include "tap.h"

#define SCENARIOS	"metrics/sources/model/scenarios/"

static struct gpmu_error error = { .size = sizeof(error) };

static struct gpmu_machine *fixture(const char *name)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, name);
	machine = gpmu_machine_new(root.path, &error);
	if (!machine)
		sysroot_bail(error.text);
	/* Reads the PCI devices while the files are there. */
	gpmu_machine_pci(machine, 0);
	sysroot_release(&root);
	return machine;
}

/* Opens the source and gives its reference to the machine. */
static int add(struct gpmu_machine *machine, const char *spec)
{
	struct gpmu_source *source = gpmu_source_new(spec, &error);
	int ret;

	if (!source)
		sysroot_bail(error.text);
	ret = gpmu_machine_add_source(machine, source, &error);
	gpmu_source_put(source);
	return ret;
}

static int add_model(struct gpmu_machine *machine, const char *options)
{
	char spec[600];

	snprintf(spec, sizeof(spec), "%s=" SCENARIOS "%s", MODEL, options);
	return add(machine, spec);
}

static size_t pmus(const struct gpmu_machine *machine)
{
	size_t n = 0;

	while (gpmu_machine_pmu(machine, n))
		n++;
	return n;
}

static bool is_in_order(const struct gpmu_machine *machine)
{
	for (size_t i = 1; i < pmus(machine); i++)
		if (strverscmp(gpmu_pmu_name(gpmu_machine_pmu(machine, i - 1)),
			       gpmu_pmu_name(gpmu_machine_pmu(machine, i))) >= 0)
			return false;
	for (size_t i = 0; i < pmus(machine); i++) {
		const struct gpmu_pmu *pmu = gpmu_machine_pmu(machine, i);

		if (gpmu_machine_find_pmu(machine, gpmu_pmu_name(pmu)) != pmu)
			return false;
	}
	return true;
}

static void is_node(const struct gpmu_machine *machine, size_t index, int number, int package,
		    size_t cpus)
{
	const struct gpmu_node *node = gpmu_machine_node(machine, index);
	const int *list;

	ok(node && gpmu_node_number(node) == number && gpmu_node_package(node) == package &&
	   gpmu_node_cpus(node, &list) == cpus,
	   "machine: node %d has package %d and %zu CPUs", number, package,
	   cpus);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_names(const char *(*name)(const struct gpmu_pmu *, size_t),
			  const char *(*text)(const struct gpmu_pmu *, const char *),
			  const struct gpmu_pmu *a, const struct gpmu_pmu *b)
{
	size_t i;

	for (i = 0; name(a, i); i++)
		if (!is_same(name(a, i), name(b, i)) || !is_same(text(a, name(a, i)), text(b, name(a, i))))
			return false;
	return i && !name(b, i);
}

/* The model's PMU equals the PMU in the driver's reference listing. */
static void alike(const struct gpmu_machine *model, const struct gpmu_machine *golden,
		  const char *kind, int socket)
{
	const struct gpmu_pmu *ours, *theirs;
	char name[64];

	snprintf(name, sizeof(name), "nvidia_%s_pmu_%d", kind, socket);
	ours = gpmu_machine_find_pmu(model, name);
	theirs = gpmu_machine_find_pmu(golden, name);
	if (!ok(ours && theirs && gpmu_pmu_source(ours) && !gpmu_pmu_source(theirs),
		"machine: %s is the model's on one machine and the driver's on the other", name))
		return;
	ok(gpmu_pmu_kind(ours) == gpmu_pmu_kind(theirs) &&
	   gpmu_pmu_number(ours) == gpmu_pmu_number(theirs) &&
	   gpmu_node_number(gpmu_pmu_node(ours)) == gpmu_node_number(gpmu_pmu_node(theirs)) &&
	   is_same(gpmu_pmu_identifier(ours), gpmu_pmu_identifier(theirs)),
	   "machine: %s of the model has the driver's kind, number, node and identifier", name);
	ok(is_same_names(gpmu_pmu_event_name, gpmu_pmu_event, ours, theirs),
	   "machine: %s of the model has the driver's events", name);
	ok(is_same_names(gpmu_pmu_format_name, gpmu_pmu_format, ours, theirs),
	   "machine: %s of the model has the driver's formats",
	   name);
	ok(gpmu_pmu_counter_count(ours) == gpmu_pmu_counter_count(theirs) &&
	   gpmu_pmu_counter_width(ours) == gpmu_pmu_counter_width(theirs) &&
	   gpmu_pmu_cycle_counter(ours) == gpmu_pmu_cycle_counter(theirs),
	   "machine: %s of the model has the counters of a driver with caps/", name);
	ok(pmu_event_scale(ours, "cycles") == 1 && !gpmu_pmu_event_unit(ours, "cycles"),
	   "machine: %s counts cycles without scale and unit", name);
}

static void golden(void)
{
	static const char *const kinds[] = { "scf", "pcie", "nvlink_c2c0", "nvlink_c2c1", "cnvlink" };
	struct gpmu_machine *machine = fixture("laptop"), *driver = fixture("superchip-ours");

	ok(!add_model(machine, "steady.scenario"),
	   "machine: a model of a Superchip is added to a laptop");
	for (int socket = 0; socket < 2; socket++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			alike(machine, driver, kinds[i], socket);
	gpmu_machine_free(machine);
	gpmu_machine_free(driver);
}

static void laptop(void)
{
	struct gpmu_machine *machine = fixture("laptop");
	const struct gpmu_pmu *cpu, *scf;
	const int *cpus;
	size_t before = pmus(machine);

	ok(!add_model(machine, "steady.scenario"), "machine: the model is added to a laptop");
	is_u64(pmus(machine), before + 10, "machine: the model adds ten PMUs");
	ok(is_in_order(machine), "machine: all PMUs are sorted and found by name");
	is_node(machine, 0, 0, 0, 8);
	is_node(machine, 1, 1, 1, 0);
	ok(!gpmu_machine_node(machine, 2), "machine: the model adds one node");
	cpu = gpmu_machine_find_pmu(machine, "cpu");
	scf = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1");
	ok(!gpmu_pmu_source(cpu) && gpmu_pmu_type(cpu) == 4,
	   "machine: a laptop's own PMU stays the kernel's");
	is_str(gpmu_source_name(gpmu_pmu_source(scf)), "model",
	       "machine: an added PMU is the model's");
	ok(gpmu_pmu_has_cpumask(scf) && !gpmu_pmu_cpus(scf, &cpus) &&
	   gpmu_pmu_type(scf) == UINT32_MAX,
	   "machine: a model's PMU has no CPUs and no perf_event_open() type");
	ok(gpmu_pmu_node(scf) == gpmu_machine_node(machine, 1),
	   "machine: a model's PMU is on its node");
	for (size_t i = 0; gpmu_machine_pci(machine, i); i++)
		ok(!gpmu_pci_pmu(gpmu_machine_pci(machine, i)) &&
		   gpmu_pci_root_port(gpmu_machine_pci(machine, i)) == -1,
		   "machine: %s of a laptop has no PMU and root port of the "
		   "model", gpmu_pci_address(gpmu_machine_pci(machine, i)));
	gpmu_machine_free(machine);
}

static void superchip(void)
{
	struct gpmu_machine *machine = fixture("superchip");
	const struct gpmu_pmu *pmu;
	size_t before = pmus(machine), nvme = 0;

	ok(!add_model(machine, "steady.scenario,counters=2"),
	   "machine: the model of a Superchip is added to a Superchip");
	is_u64(pmus(machine), before, "machine: the model's PMUs replace those of the same names");
	ok(is_in_order(machine), "machine: PMUs are sorted after a replacement");
	is_node(machine, 0, 0, 0, 2);
	is_node(machine, 1, 1, 1, 2);
	for (size_t i = 0; i < before; i++) {
		pmu = gpmu_machine_pmu(machine, i);
		if (strncmp(gpmu_pmu_name(pmu), "nvidia_", 7))
			ok(!gpmu_pmu_source(pmu),
			   "machine: %s stays the kernel's", gpmu_pmu_name(pmu));
		else
			ok(gpmu_pmu_source(pmu) && gpmu_pmu_counter_count(pmu) == 2,
			   "machine: %s is now the model's",
			   gpmu_pmu_name(pmu));
	}
	ok(gpmu_pmu_node(gpmu_machine_find_pmu(machine, "arm_spe_0")) ==
	   gpmu_machine_node(machine, 0), "machine: the kernel's PMUs stay on their nodes");
	for (size_t i = 0; gpmu_machine_pci(machine, i); i++) {
		pmu = gpmu_pci_pmu(gpmu_machine_pci(machine, i));
		nvme += pmu && pmu == gpmu_machine_find_pmu(machine, gpmu_pmu_name(pmu)) &&
			gpmu_pmu_source(pmu);
	}
	is_u64(nvme, 4, "machine: four PCI devices have the model's PMUs");
	ok(!add_model(machine, "idle.scenario,sockets=1,counters=5"),
	   "machine: a second source is added");
	ok(gpmu_pmu_counter_count(gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_0")) == 5 &&
	   gpmu_pmu_counter_count(gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1")) == 2,
	   "machine: a second source replaces its own PMUs and leaves the first one's");
	gpmu_machine_free(machine);
}

/* A Grace whose kernel has no driver for its PMUs, until a source adds them */
static void without_driver(void)
{
	static const char *const kinds[] = { "scf", "pcie", "nvlink_c2c0", "nvlink_c2c1", "cnvlink" };
	struct gpmu_machine *driver = fixture("superchip"), *machine;
	struct sysroot root;
	char name[96];
	size_t i;

	sysroot_make(&root, "superchip");
	for (i = 0; i < 2 * sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(name, sizeof(name), "sys/bus/event_source/devices/nvidia_%s_pmu_%zu",
			 kinds[i / 2], i % 2);
		sysroot_remove(&root, name);
	}
	machine = gpmu_machine_new(root.path, &error);
	if (!machine)
		sysroot_bail(error.text);
	ok(!gpmu_pci_pmu(gpmu_machine_pci(machine, 0)) &&
	   gpmu_pci_root_port(gpmu_machine_pci(machine, 0)) == -1,
	   "machine: without Grace's PMUs its PCI devices have neither PMU nor root port");
	sysroot_release(&root);
	ok(!add_model(machine, "steady.scenario"),
	   "machine: the model is added to a Superchip without a driver");
	for (i = 0; gpmu_machine_pci(driver, i); i++) {
		const struct gpmu_pci *ours = gpmu_machine_pci(machine, i);
		const struct gpmu_pci *theirs = gpmu_machine_pci(driver, i);
		const struct gpmu_pmu *pmu = gpmu_pci_pmu(theirs);

		pmu = pmu ? gpmu_machine_find_pmu(machine, gpmu_pmu_name(pmu)) : NULL;
		ok(gpmu_pci_pmu(ours) == pmu && ours->socket == theirs->socket &&
		   gpmu_pci_root_port(ours) == gpmu_pci_root_port(theirs),
		   "machine: %s has the PMU, socket and root port that it has with the driver",
		   gpmu_pci_address(ours));
	}
	ok(i && !gpmu_machine_pci(machine, i),
	   "machine: there are as many PCI devices as with the driver");
	gpmu_machine_free(machine);
	gpmu_machine_free(driver);
}

static void others(void)
{
	static const int packages[] = { 36, 252, 468, 684 };
	struct gpmu_machine *machine = fixture("gh4");
	const struct gpmu_pmu *pmu;

	ok(!add_model(machine, "steady-gracehopper.scenario"),
	   "machine: a model of two sockets is added to four Grace Hoppers");
	for (size_t i = 0; i < 4; i++)
		is_node(machine, i, (int)i, packages[i], 1);
	ok(gpmu_pmu_source(gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_1")) &&
	   !gpmu_pmu_source(gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_2")),
	   "machine: PMUs of sockets beyond the model's stay the kernel's");
	gpmu_machine_free(machine);

	machine = fixture("gh200");
	ok(!add_model(machine, "guide-gpu-read.scenario"),
	   "machine: the model of a Grace Hopper is added to one");
	pmu = gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_0");
	ok(!pmu && pmus(machine) == 9,
	   "machine: one socket has four PMUs of the model and no CNVLink");
	gpmu_machine_free(machine);

	machine = fixture("vm");
	ok(!add_model(machine, "steady-gracehopper.scenario,sockets=4"),
	   "machine: a model of four sockets is added to a VM");
	is_node(machine, 0, 0, 0, 2);
	is_node(machine, 3, 3, 3, 0);
	gpmu_machine_free(machine);

	machine = fixture("broken");
	ok(!add_model(machine, "steady.scenario") && is_in_order(machine),
	   "machine: the model is added to a machine with a broken sysfs");
	gpmu_machine_free(machine);
}

static void without_nodes(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_init(&root);
	machine = gpmu_machine_new(root.path, &error);
	sysroot_release(&root);
	ok(machine && !add_model(machine, "steady.scenario"),
	   "machine: the model is added to a machine with an empty root");
	is_u64(pmus(machine), 10, "machine: an empty machine has the model's ten PMUs");
	is_node(machine, 0, 0, 0, 0);
	gpmu_machine_free(machine);
}

static void shown(void)
{
	static const char *const messages[FAKE_SHOWS] = {
		[FAKE_SHOW_NO_NAME] = "source fake, PMU 0: it has no name of printable characters",
		[FAKE_SHOW_BLANK] = "source fake, PMU 0: it has no name of printable characters",
		[FAKE_SHOW_COUNTERS] = "source fake, PMU 0: it has numbers of counters that no PMU has",
		[FAKE_SHOW_WIDTH] = "source fake, PMU 0: it has numbers of counters that no PMU has",
		[FAKE_SHOW_FORMAT] = "source fake, PMU 0: it has a format without a name or a text",
		[FAKE_SHOW_TEXT] = "source fake, PMU 0: it has an event without a name or a text",
		[FAKE_SHOW_IDENTIFIER] =
			"source fake, PMU 0: it has an identifier that is no line of text",
		[FAKE_SHOW_EVENTS] = "source fake, PMU 0: it has two events of one name",
		[FAKE_SHOW_TWICE] = "source fake: it has two PMUs fake_0",
		[FAKE_SHOW_NODE] = "source fake, fake_0: there is no node 8",
		[FAKE_SHOW_NEGATIVE] = "source fake: expected nodes from 0, found node -1, package 42",
		[FAKE_SHOW_ENDLESS] = "source fake: expected at most 4096 PMUs",
		[FAKE_SHOW_ENDLESS_NODES] = "source fake: expected at most 4096 nodes",
	};
	struct gpmu_machine *machine = fixture("vm");
	struct fake_state state = { 0 };
	char spec[600];

	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	for (enum fake_show show = 0; show < FAKE_SHOWS; show++) {
		if (!messages[show])
			continue;
		state.show = show;
		error.text[0] = '\0';
		ok(add(machine, spec) == -EINVAL && !strcmp(error.text, messages[show]),
		   "source: the invalid PMU or node is refused: %s",
		   messages[show]);
		if (strcmp(error.text, messages[show]))
			diag("%s", error.text);
	}
	ok(state.opens == state.closes, "machine: a refused source is closed");
	is_u64(pmus(machine), 3, "machine: a refused source leaves the PMUs unchanged");
	ok(gpmu_machine_node(machine, 0) && !gpmu_machine_node(machine, 1),
	   "machine: a refused source leaves the nodes unchanged");

	state.show = FAKE_SHOW_SHORT;
	ok(!add(machine, spec), "machine: an older plugin's shorter structures are accepted");
	is_node(machine, 1, 7, -1, 0);
	ok(gpmu_machine_find_pmu(machine, "fake_0") &&
	   !gpmu_pmu_identifier(gpmu_machine_find_pmu(machine, "fake_0")) &&
	   gpmu_pmu_counter_count(gpmu_machine_find_pmu(machine, "fake_0")) == -1 &&
	   !gpmu_pmu_node(gpmu_machine_find_pmu(machine, "fake_0")),
	   "machine: fields beyond a shorter structure are unknown");
	state.show = FAKE_SHOW_GOOD;
	ok(!add(machine, spec), "machine: the plugin without a defect is accepted");
	is_node(machine, 0, 0, 0, 2);
	is_str(gpmu_pmu_event_name(gpmu_machine_find_pmu(machine, "fake_1"), 0), "one",
	       "machine: a source's events are sorted");
	is_str(gpmu_pmu_format_name(gpmu_machine_find_pmu(machine, "fake_1"), 0), "a",
	       "machine: a source's formats are sorted");
	is_str(gpmu_pmu_identifier(gpmu_machine_find_pmu(machine, "fake_1")), "f00",
	       "machine: a source's PMU has its identifier");
	ok(gpmu_pmu_counter_width(gpmu_machine_find_pmu(machine, "fake_1")) == 32 &&
	   !gpmu_pmu_cycle_counter(gpmu_machine_find_pmu(machine, "fake_1")),
	   "machine: a source's PMU has its counters");
	gpmu_machine_free(machine);
	ok(state.opens == state.closes, "machine: freeing a machine closes its sources");
}

/* Nodes of the source between those of the machine */
static void between(void)
{
	struct gpmu_machine *machine;
	const struct gpmu_node *node;
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/cpu/online", "0-3\n");
	sysroot_put(&root, "sys/devices/system/node/node1/cpulist", "0-1\n");
	sysroot_put(&root, "sys/devices/system/node/node3/cpulist", "2-3\n");
	sysroot_put(&root, "sys/bus/event_source/devices/a_3/type", "9\n");
	sysroot_put(&root, "sys/bus/event_source/devices/a_3/cpumask", "2\n");
	machine = gpmu_machine_new(root.path, &error);
	sysroot_release(&root);
	ok(machine && !add_model(machine, "steady-gracehopper.scenario,sockets=4"),
	   "machine: a model of four nodes is added to nodes 1 and 3");
	for (int i = 0; i < 4; i++)
		is_node(machine, (size_t)i, i, i % 2 ? -1 : i, i % 2 ? 2 : 0);
	ok(gpmu_pmu_node(gpmu_machine_find_pmu(machine, "a_3")) == gpmu_machine_node(machine, 3) &&
	   gpmu_pmu_node(gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_2")) ==
	   gpmu_machine_node(machine, 2),
	   "machine: PMUs are on their nodes after nodes were inserted");
	node = nodes_find(&machine->nodes, &gpmu_machine_find_pmu(machine, "a_3")->cpus);
	ok(node && node->number == 3, "machine: CPUs are on their nodes after nodes were inserted");
	gpmu_machine_free(machine);
}

int main(void)
{
	golden();
	laptop();
	superchip();
	without_driver();
	others();
	without_nodes();
	between();
	shown();
	return done_testing();
}
