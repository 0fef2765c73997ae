// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn. A machine is then not made, or not read, with ENOMEM, and leaks nothing. */
#include "alloc.h"
#include "base/cpus.h"
#include "gpmu.h"
#include "machine/machine.h"
#include "sysroot.h"

#define PMUS	"sys/bus/event_source/devices/"
#define SYSTEM	"sys/devices/system/"

static struct sysroot root;

/* One of each object that needs an allocation, and each kind of warning */
static void make_root(void)
{
	char path[128];

	sysroot_init(&root);
	sysroot_put(&root, SYSTEM "cpu/online", "0-1\n");
	sysroot_put(&root, SYSTEM "cpu/cpu0/topology/physical_package_id", "0\n");
	sysroot_put(&root, SYSTEM "cpu/cpu1/topology/physical_package_id", "x\n");
	sysroot_put(&root, SYSTEM "node/node0/cpulist", "0-1\n");
	sysroot_put(&root, SYSTEM "node/node1/cpulist", "1\n");
	sysroot_put(&root, PMUS "cpu/type", "4\n");
	sysroot_put(&root, PMUS "software/type", "1\n");
	sysroot_put(&root, PMUS "empty/type", "\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/type", "12\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/identifier", "1030036b\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/cpumask", "0\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/format/event", "config:0-32\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/format/root_port", "\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/caps/counters", "six\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/events/a", "event=0x1\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/events/a.scale", "2\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/events/a.unit", "B\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/events/b", "event=0x2\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/events/b.scale", "two\n");
	/* The list of names grows once. */
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), SYSTEM "node/empty%d", i);
		sysroot_put(&root, path, "\n");
	}
	for (int i = 0; i < 101; i++) {
		snprintf(path, sizeof(path), PMUS "z%d/type", i);
		sysroot_put(&root, path, "\n");
	}
	sysroot_put(&root, "sys/devices/pci0008:00/0008:00:00.0/0008:01:00.0/class", "0x010802\n");
	sysroot_put(&root, "sys/devices/pci0008:00/0008:00:00.0/0008:01:00.0/nvme/nvme0", "\n");
	sysroot_link(&root, "sys/devices/pci0008:00/0008:00:00.0/0008:01:00.0/driver", "drivers/nvme");
	sysroot_link(&root, "sys/bus/pci/devices/0008:01:00.0",
		     "../../../devices/pci0008:00/0008:00:00.0/0008:01:00.0");
}

/* Returns whether everything that needs an allocation is there. */
static bool is_whole(const struct gpmu_machine *machine)
{
	const struct gpmu_pci *pci = gpmu_machine_pci(machine, 0);

	return gpmu_pci_root_port_address(pci) && gpmu_pci_driver(pci) && gpmu_pci_name(pci) &&
	       gpmu_pmu_event_unit(gpmu_machine_find_pmu(machine, "nvidia_pcie_pmu_0"), "a") &&
	       gpmu_machine_warning(machine, 100);
}

/* The first access looks for PCI devices. */
static int find_pcis(const struct gpmu_machine *machine)
{
	errno = 0;
	return gpmu_machine_pci(machine, 0) ? 0 : -errno;
}

static int make_machine(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(root.path, &error);
	int ret = -errno;

	if (!machine)
		return strstr(error.text, "Cannot allocate memory") ? ret : 1;
	ret = find_pcis(machine);
	if (!is_whole(machine))
		ret = 1;
	gpmu_machine_free(machine);
	return ret;
}

/* An opened machine: the PMU of software events, then all PMUs */
static int open_machine(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_open(root.path, &error);
	const struct gpmu_pmu *software;
	int ret = machine ? machine_find_software(machine, &software, &error) : -errno;

	if (!ret && (!software || gpmu_pmu_type(software) != 1))
		ret = 1;
	errno = 0;
	if (!ret && gpmu_machine_find_pmu(machine, "software") != software)
		ret = errno ? -errno : 1;
	if (!ret)
		ret = find_pcis(machine);
	if (!ret && !is_whole(machine))
		ret = 1;
	gpmu_machine_free(machine);
	return ret;
}

static int make_list(void)
{
	struct cpus cpus, copy;
	int ret = cpus_parse(&cpus, "0-3");

	if (ret)
		return cpus.ids || cpus.len ? 1 : ret;
	ret = cpus_copy(&copy, &cpus);
	if (ret && (copy.ids || copy.len))
		ret = 1;
	cpus_release(&copy);
	cpus_release(&cpus);
	return ret;
}

int main(void)
{
	int fd, after;

	make_root();
	fd = dup(0);
	close(fd);
	alloc_fail_each(make_machine, 300, "machine");
	alloc_fail_each(open_machine, 300, "an opened machine");
	after = dup(0);
	ok(after == fd, "machine: no file descriptor is left open");
	close(after);
	sysroot_release(&root);
	alloc_fail_each(make_list, 2, "a list of CPUs and its copy");
	return done_testing();
}
