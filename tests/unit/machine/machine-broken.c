// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A malformed sysfs: a malformed part of a PMU, a node or a device is left out and named by one
 * warning. The machine is tests/sysroot/broken.tsv.
 */
#include <errno.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/machine.h"
#include "machine/pmu.h"
#include "tap.h"

#define PMUS	"sys/bus/event_source/devices/"
#define PCI	"sys/bus/pci/devices/"
#define SYSTEM	"sys/devices/system/"

static const char *const warnings[] = {
	SYSTEM "cpu/cpu0/regs/identification/midr_el1: expected a number from 0x0 to 0xffffffffffffffff, found \"Neoverse\"",
	SYSTEM "cpu/cpu3/topology/physical_package_id: expected a number from -1 to 2147483647, found \"none\"",
	SYSTEM "node/node2/cpulist: expected a list of CPUs such as 0-3,8, found \"2-x\"",
	SYSTEM "node/node3: expected CPUs of no other node, found 1",
	SYSTEM "node/node4: Not a directory",
	SYSTEM "node/node5/cpulist: expected CPUs below 65536, found \"0-65536\"",
	PMUS "caps_file/caps: Not a directory",
	PMUS "cpumask_absurd/cpumask: expected CPUs below 65536, found \"0-4294967295\"",
	PMUS "cpumask_backwards/cpumask: expected a list of CPUs such as 0-3,8, found \"3-1\"",
	PMUS "cpumask_big/cpumask: expected at most 65536 bytes",
	PMUS "cpumask_folder/cpumask: Is a directory",
	PMUS "cpumask_junk/cpumask: expected a list of CPUs such as 0-3,8, found \"0-x\"",
	PMUS "cpumask_open/cpumask: expected a list of CPUs such as 0-3,8, found \"0-\"",
	PMUS "cpus_junk/cpus: expected a list of CPUs such as 0-3,8, found \"0;1\"",
	PMUS "dangling: is not there",
	PMUS "events_file/events: Not a directory",
	PMUS "events_loop/events: Too many levels of symbolic links",
	PMUS "file: Not a directory",
	PMUS "format_file/format: Not a directory",
	PMUS "format_loop/format: Too many levels of symbolic links",
	PMUS "identifier_empty/identifier: expected a line of text, found nothing",
	PMUS "identifier_folder/identifier: Is a directory",
	PMUS "loop: Too many levels of symbolic links",
	PMUS "some_of_it/format/empty: expected a line of text, found nothing",
	PMUS "some_of_it/format/folder: Is a directory",
	PMUS "some_of_it/format/gone: is not there",
	PMUS "some_of_it/events/big: expected at most 65536 bytes",
	PMUS "some_of_it/events/binary: expected a line of text, found byte 0x01",
	PMUS "some_of_it/events/empty: expected a line of text, found nothing",
	PMUS "some_of_it/events/folder: Is a directory",
	PMUS "some_of_it/events/loop: Too many levels of symbolic links",
	PMUS "some_of_it/events/scaled: expected a number as its scale, found \"a lot\"",
	PMUS "some_of_it/events/scaled_endless: expected a number as its scale, found \"1e999\"",
	PMUS "some_of_it/events/scaled_more: expected a number as its scale, found \"1 J\"",
	PMUS "some_of_it/events/united.unit: Is a directory",
	PMUS "some_of_it/events/unscaled.scale: Is a directory",
	PMUS "some_of_it/caps/counters: expected a number from 0 to 256, found \"six\"",
	PMUS "some_of_it/caps/counter_width: expected a number from 1 to 64, found \"65\"",
	PMUS "some_of_it/caps/cycle_counter: expected a number from 0 to 1, found \"2\"",
	PMUS "type_big/type: expected at most 65536 bytes",
	PMUS "type_binary/type: expected a line of text, found byte 0x01",
	PMUS "type_empty/type: expected a number from 0 to 4294967295, found \"\"",
	PMUS "type_fifo/type: expected a file that can be read",
	PMUS "type_folder/type: Is a directory",
	PMUS "type_gone/type: is not there",
	PMUS "type_large/type: expected a number from 0 to 4294967295, found \"4294967296\"",
	PMUS "type_lines/type: expected a line of text, found byte 0x0a",
	PMUS "type_loop/type: Too many levels of symbolic links",
	PMUS "type_negative/type: expected a number from 0 to 4294967295, found \"-1\"",
	PMUS "type_none/type: is not there",
	PMUS "type_text/type: expected a number from 0 to 4294967295, found \"abc\"",
	PMUS "type_two/type: expected a number from 0 to 4294967295, found \"1 2\"",
	PCI "0008:01:00.0/driver: expected a symbolic link",
	PCI "0008:01:00.0/numa_node: expected a number from -1 to 2147483647, found \"far\"",
	PCI "0008:01:00.0/net: Not a directory",
	PCI "0008:01:00.1/class: expected a number from 0x0 to 0xffffff, found \"disk\"",
	PCI "0008:01:00.2/class: is not there",
	PCI "0008:01:00.3/class: expected a number from 0x0 to 0xffffff, found \"0x1000000\"",
	PCI "0008:01:20.0: expected an address such as 0008:01:00.0",
	PCI "0008:02:00.0: expected a symbolic link",
	PCI "0008:03:00.0: is not there",
	PCI "0008:04:00.0: Too many levels of symbolic links",
	PCI "nvme0: expected an address such as 0008:01:00.0",
};

static const char *const left[] = {
	"arm_spe_0", "armv8_pmuv3_0", "breakpoint", "nothing_in_it", "nvidia_cnvlink_pmu_0",
	"nvidia_cnvlink_pmu_1", "nvidia_nvlink_c2c0_pmu_0", "nvidia_nvlink_c2c0_pmu_1",
	"nvidia_nvlink_c2c1_pmu_0", "nvidia_nvlink_c2c1_pmu_1", "nvidia_pcie_pmu_0",
	"nvidia_pcie_pmu_1", "nvidia_scf_pmu_0", "nvidia_scf_pmu_1", "software", "some_of_it",
	"tracepoint",
};

#define LEN(a)	(sizeof(a) / sizeof((a)[0]))

static void warned(const struct gpmu_machine *machine)
{
	const char *got;

	for (size_t i = 0; i < LEN(warnings); i++) {
		got = gpmu_machine_warning(machine, i);
		if (!ok(got && !strcmp(got, warnings[i]),
			"machine: the warning is given: %s", warnings[i]))
			diag("got: %s", got ? got : "nothing");
	}
	got = gpmu_machine_warning(machine, LEN(warnings));
	if (!ok(!got, "machine: there are no other warnings"))
		diag("got: %s", got);
}

static void the_rest(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu, *some = gpmu_machine_find_pmu(machine, "some_of_it");
	const struct gpmu_node *node;
	const struct gpmu_pci *pci;

	for (size_t i = 0; i < LEN(left); i++) {
		pmu = gpmu_machine_pmu(machine, i);
		ok(pmu && !strcmp(gpmu_pmu_name(pmu), left[i]),
		   "machine: PMU %s is found beside malformed ones", left[i]);
	}
	ok(!gpmu_machine_pmu(machine, LEN(left)), "machine: malformed PMUs are left out");
	if (!some)
		return;
	is_str(gpmu_pmu_event_name(some, 0), "good",
	       "machine: a PMU's valid event is found beside malformed ones");
	is_str(gpmu_pmu_event(some, "good"), "event=0x1",
	       "machine: a PMU's valid event has its text");
	ok(!gpmu_pmu_event_name(some, 1), "machine: a PMU's malformed events are left out");
	ok(!strcmp(gpmu_pmu_format_name(some, 0), "event") && !gpmu_pmu_format_name(some, 1),
	   "machine: a PMU's valid format is found and malformed ones are left out");
	ok(gpmu_pmu_counter_count(some) == -1 && gpmu_pmu_counter_width(some) == -1 &&
	   gpmu_pmu_cycle_counter(some) == -1, "machine: malformed caps are unknown, which is -1");
	is_str(pmu_cap(some, "good"), "yes",
	       "machine: a valid cap is found beside malformed ones");
	ok(!gpmu_machine_midr(machine), "machine: a malformed MIDR is left out");
	node = gpmu_machine_node(machine, 1);
	ok(node && gpmu_node_package(gpmu_machine_node(machine, 0)) == 0 &&
	   gpmu_node_number(node) == 1 && gpmu_node_package(node) == -1 &&
	   !gpmu_machine_node(machine, 2),
	   "machine: the two valid nodes are found and malformed ones are left out");
	ok(machine_find_node(machine, 1) == node && !machine_find_node(machine, -1) &&
	   !machine_find_node(machine, 2) && !machine_find_node(NULL, 1),
	   "machine: a node is found by its number");
	pci = gpmu_machine_pci(machine, 0);
	ok(pci && !strcmp(gpmu_pci_address(pci), "0008:01:00.0") && !gpmu_machine_pci(machine, 1),
	   "machine: the valid device is found and malformed ones are left out");
	ok(pci && !gpmu_pci_driver(pci) && gpmu_pci_node(pci) == -1 &&
	   !strcmp(gpmu_pci_name(pci), "nvme0"),
	   "machine: a device's malformed attributes are left out");
}

/* root may read everything, so another user tries. */
static void unreadable(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;
	bool is_privileged = !geteuid();

	sysroot_init(&root);
	sysroot_put(&root, SYSTEM "cpu/online", "0\n");
	sysroot_put(&root, PMUS "good/type", "9\n");
	sysroot_put(&root, PMUS "secret/type", "9\n");
	sysroot_put(&root, PMUS "closed/type", "9\n");
	sysroot_put(&root, PMUS "list/type", "9\n");
	sysroot_put(&root, PMUS "list/events/a", "event=0x1\n");
	sysroot_mode(&root, PMUS "secret/type", 0);
	sysroot_mode(&root, PMUS "closed", 0);
	sysroot_mode(&root, PMUS "list/events", 0111);
	if (is_privileged && seteuid(65534))
		sysroot_bail("seteuid");
	machine = gpmu_machine_new(root.path, NULL);
	if (is_privileged && seteuid(0))
		sysroot_bail("seteuid");
	is_str(gpmu_machine_warning(machine, 0), PMUS "closed/type: Permission denied",
	       "machine: a PMU whose folder cannot be entered is left out with a warning");
	is_str(gpmu_machine_warning(machine, 1), PMUS "list/events/: Permission denied",
	       "machine: a PMU whose events cannot be listed is left out with a warning");
	is_str(gpmu_machine_warning(machine, 2), PMUS "secret/type: Permission denied",
	       "machine: a PMU whose type cannot be read is left out with a warning");
	ok(gpmu_machine_find_pmu(machine, "good") && !gpmu_machine_pmu(machine, 1),
	   "machine: a readable PMU is found beside unreadable ones");
	gpmu_machine_free(machine);
	sysroot_mode(&root, PMUS "closed", 0755);
	sysroot_mode(&root, PMUS "list/events", 0755);
	sysroot_release(&root);
}

static void names(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, SYSTEM "cpu/online", "0\n");
	sysroot_put(&root, PMUS "a b/type", "9\n");
	sysroot_put(&root, PMUS "a\nb\x1b/type", "9\n");
	sysroot_put(&root, PMUS "\xc3\xa4/type", "9\n");
	sysroot_put(&root, PMUS "a,b/type", "9\n");
	machine = gpmu_machine_new(root.path, NULL);
	ok(machine && !strcmp(gpmu_pmu_name(gpmu_machine_pmu(machine, 0)), "a,b") &&
	   !gpmu_machine_pmu(machine, 1), "machine: only a PMU with a printable name is found");
	is_str(gpmu_machine_warning(machine, 0), PMUS "a?b?: expected a name of printable characters",
	       "machine: a PMU with control characters in its name is left out with a printable "
	       "warning");
	is_str(gpmu_machine_warning(machine, 1), PMUS "a b: expected a name of printable characters",
	       "machine: a PMU with a blank in its name is left out with a warning");
	is_str(gpmu_machine_warning(machine, 2), PMUS "\xc3\xa4: expected a name of printable characters",
	       "machine: a PMU with a non-ASCII name is left out with a warning");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void folders(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "sys/bus/event_source/devices", "\n");
	sysroot_put(&root, "sys/bus/pci", "\n");
	sysroot_put(&root, SYSTEM "node", "\n");
	sysroot_put(&root, SYSTEM "cpu/online", "all\n");
	machine = gpmu_machine_new(root.path, NULL);
	ok(machine && !gpmu_machine_pmu(machine, 0) && !gpmu_machine_node(machine, 0),
	   "machine: files in the place of folders make an empty machine");
	is_str(gpmu_machine_warning(machine, 0), SYSTEM "cpu/online: expected a list of CPUs such as 0-3,8, found \"all\"",
	       "machine: a malformed list of online CPUs has a warning");
	is_str(gpmu_machine_warning(machine, 1), SYSTEM "node: Not a directory",
	       "machine: a file in the place of the nodes has a warning");
	is_str(gpmu_machine_warning(machine, 2), "sys/bus/event_source/devices: Not a directory",
	       "machine: a file in the place of the PMUs has a warning");
	is_str(gpmu_machine_warning(machine, 3), "sys/bus/pci/devices: Not a directory",
	       "machine: a file in the place of the PCI devices has a warning");
	ok(!gpmu_machine_warning(machine, 4),
	   "machine: files in the place of folders cause no other warning");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

int main(void)
{
	struct gpmu_machine *machine;
	struct gpmu_error error = { .size = sizeof(error) };
	struct sysroot root;

	/* Waiting for a FIFO's writer would never end. */
	alarm(60);
	sysroot_make(&root, "broken");
	machine = gpmu_machine_new(root.path, &error);
	if (ok(machine && !error.text[0],
	       "machine: a malformed sysfs is a machine without an error")) {
		warned(machine);
		the_rest(machine);
	}
	gpmu_machine_free(machine);
	sysroot_release(&root);
	unreadable();
	names();
	folders();
	return done_testing();
}
