// SPDX-License-Identifier: LGPL-2.1-or-later
/* PCI devices: their root ports, and on a Grace the PMU and filter that count them */
#include <errno.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/pci.h"
#include "tap.h"

#define DEVICES	"sys/bus/pci/devices/"
#define PMUS	"sys/bus/event_source/devices/"

struct device {
	const char *address;
	uint32_t class;
	const char *driver, *name, *root_port_address;
	int node, socket, root_port;
	const char *pmu;
};

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void is_devices(const struct sysroot *root, const char *what, const struct device *devices,
		       size_t len)
{
	struct gpmu_machine *machine = gpmu_machine_new(root->path, NULL);
	const struct gpmu_pmu *pmu;
	const struct gpmu_pci *pci;

	if (!machine)
		sysroot_bail(what);
	for (size_t i = 0; i < len; i++) {
		const struct device *want = &devices[i];

		pci = gpmu_machine_pci(machine, i);
		if (!ok(pci && is_same(gpmu_pci_address(pci), want->address),
			"machine: %s has device %s", what, want->address))
			continue;
		pmu = gpmu_pci_pmu(pci);
		ok(gpmu_pci_class(pci) == want->class && is_same(gpmu_pci_driver(pci), want->driver) &&
		   is_same(gpmu_pci_name(pci), want->name),
		   "machine: device %s has its class, driver %s and name %s",
		   want->address, want->driver, want->name);
		ok(is_same(gpmu_pci_root_port_address(pci), want->root_port_address) &&
		   gpmu_pci_node(pci) == want->node,
		   "machine: device %s has its root port and node", want->address);
		ok(pci->socket == want->socket && gpmu_pci_root_port(pci) == want->root_port &&
		   is_same(pmu ? gpmu_pmu_name(pmu) : NULL, want->pmu),
		   "machine: device %s has socket %d, root port %d, %s", want->address, want->socket,
		   want->root_port, want->pmu ? want->pmu : "no PMU");
	}
	ok(!gpmu_machine_pci(machine, len), "machine: %s has no other device and no bridge", what);
	gpmu_machine_free(machine);
}

/* The drives of the tuning guide's examples: filter 1 << 8 on sockets 0 and 1 */
static const struct device superchip[] = {
	{ "0002:01:00.0", 0x020000, "mlx5_core", "enP2p1s0f0np0", "0002:00:00.0", 0, 0, 2,
	  "nvidia_pcie_pmu_0" },
	{ "0002:01:00.1", 0x020700, "mlx5_core", "mlx5_1", "0002:00:00.0", 0, 0, 2,
	  "nvidia_pcie_pmu_0" },
	{ "0008:03:00.0", 0x010802, "nvme", "nvme1", "0008:00:00.0", 0, 0, 8,
	  "nvidia_pcie_pmu_0" },
	{ "0018:01:00.0", 0x010802, "nvme", "nvme0", "0018:00:00.0", 1, 1, 8,
	  "nvidia_pcie_pmu_1" },
};

static const struct device gh200[] = {
	{ "0009:01:00.0", 0x030200, "nvidia", "card1", "0009:00:00.0", 0, 0, 9,
	  "nvidia_pcie_pmu_0" },
};

static const struct device gh4[] = {
	{ "0009:01:00.0", 0x030200, NULL, NULL, "0009:00:00.0", -1, 0, 9, "nvidia_pcie_pmu_0" },
	{ "0039:01:00.0", 0x030200, NULL, NULL, "0039:00:00.0", -1, 3, 9, "nvidia_pcie_pmu_3" },
};

static const struct device laptop[] = {
	{ "0000:00:02.0", 0x030000, "i915", "card0", NULL, -1, -1, -1, NULL },
	{ "0000:02:00.0", 0x010802, "nvme", "nvme0", "0000:00:1d.0", -1, -1, -1, NULL },
};

/* Addresses sorted by value, and devices for which a Grace's rule does not hold */
static const struct device odd[] = {
	{ "0000:00:01.0", 0x010000, NULL, NULL, NULL, 2, -1, -1, NULL },
	{ "0000:01:00.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:0a:00.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:10:00.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:10:00.1", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:10:0a.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:10:10.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0000:9a:00.0", 0x010000, NULL, NULL, "0000:00:00.0", -1, 0, 0, "nvidia_pcie_pmu_0" },
	{ "0009:01:00.0", 0x010000, NULL, NULL, "0009:00:00.0", 2, 0, 9, "nvidia_pcie_pmu_2" },
	{ "000a:01:00.0", 0x010000, NULL, NULL, "000a:00:00.0", -1, -1, -1, NULL },
	{ "0010:01:00.0", 0x010000, NULL, NULL, "0010:00:00.0", -1, 1, 0, NULL },
	{ "0039:01:00.0", 0x010000, NULL, NULL, "0039:00:00.0", 7, 3, 9, NULL },
	{ "0040:01:00.0", 0x010000, NULL, NULL, "0040:00:00.0", -1, -1, -1, NULL },
	{ "10000:01:00.0", 0x010000, NULL, NULL, "10000:00:00.0", -1, -1, -1, NULL },
};

#define ODD	(sizeof(odd) / sizeof(odd[0]))

static void odd_devices(void)
{
	char path[128], dir[96], target[128];
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_0/type", "12\n");
	sysroot_put(&root, PMUS "nvidia_pcie_pmu_2/type", "13\n");
	for (size_t i = ODD; i--;) {
		const char *port = odd[i].root_port_address;
		int domain = (int)strcspn(odd[i].address, ":");

		snprintf(dir, sizeof(dir), "devices/pci%.*s:00/%s%s%s", domain, odd[i].address,
			 port ? port : "", port ? "/" : "", odd[i].address);
		snprintf(path, sizeof(path), "sys/%s/class", dir);
		sysroot_put(&root, path, "0x010000\n");
		if (odd[i].node >= 0) {
			snprintf(path, sizeof(path), "sys/%s/numa_node", dir);
			sysroot_put(&root, path, odd[i].node == 2 ? "2\n" : "7\n");
		}
		snprintf(path, sizeof(path), DEVICES "%s", odd[i].address);
		snprintf(target, sizeof(target), "../../../%s", dir);
		sysroot_link(&root, path, target);
	}
	is_devices(&root, "the machine of unusual devices", odd, ODD);
	sysroot_release(&root);
}

static void paths(void)
{
	static const struct {
		const char *path, *root_port;
	} table[] = {
		{ "../../../devices/pci0018:00/0018:00:00.0/0018:01:00.0", "0018:00:00.0" },
		{ "../../../devices/pci0008:00/0008:00:00.0/0008:01:00.0/0008:02:00.0/0008:03:00.0",
		  "0008:00:00.0" },
		{ "/sys/devices/platform/40000000.pcie/pci0000:00/0000:00:01.0/0000:01:00.0",
		  "0000:00:01.0" },
		/* Intel VMD: a host bridge below another bridge's device */
		{ "../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0",
		  "10000:e0:06.0" },
		{ "../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0", "" },
		{ "../../../devices/pci0000:00/0000:00:02.0", "" },
		{ "../../../devices/pci0000:00", "" },
		{ "../../../devices/pci0000:00/x/0000:00:02.0/0000:01:00.0", "" },
		{ "../../../devices/pci000:00/0000:00:02.0/0000:01:00.0", "" },
		{ "../../../devices/pci0000:0/0000:00:02.0/0000:01:00.0", "" },
		{ "../../../devices/pci0000000000:00/0000:00:02.0/0000:01:00.0", "" },
		{ "../../../devices/pci0000.00/0000:00:02.0/0000:01:00.0", "" },
		{ "../../../devices/PCI0000:00/0000:00:02.0/0000:01:00.0", "" },
		{ "0000:00:02.0/0000:01:00.0", "" },
		{ "", "" }, { "/", "" }, { "pci", "" }, { "//pci0000:00//0000:00:02.0", "" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *found = "";
		size_t len = pci_path_root_port(table[i].path, &found);

		ok(len == strlen(table[i].root_port) && !strncmp(found, table[i].root_port, len),
		   "machine: the root port is \"%s\" in %s", table[i].root_port, table[i].path);
	}
}

static void addresses(void)
{
	static const char *const refused[] = {
		"", "0000:01:00", "000:01:00.0", "000000000:01:00.0", "0000.01:00.0", "0000:01.00.0",
		"0000:01:00:0", "0000:01:00.8", "0000:01:20.0", "0000:01:00.00", "0000:0g:00.0",
		"000A:01:00.0", "0000:1:000.0", "-000:01:00.0", " 000:01:00.0", "nvme0",
	};
	struct pci_address address;

	ok(pci_address_parse("10000:e1:1f.7", 13, &address) && address.domain == 0x10000 &&
	   address.bus == 0xe1 && address.device == 31 && address.function == 7,
	   "machine: a PCI address has domain, bus, device and function");
	ok(pci_address_parse("0008:01:00.0/net", 12, &address) && address.domain == 8,
	   "machine: a PCI address is parsed up to the given length");
	ok(pci_address_parse("ffffffff:ff:1f.7", 16, &address) && address.domain == UINT32_MAX,
	   "machine: a PCI domain has up to eight digits");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ok(!pci_address_parse(refused[i], strlen(refused[i]), &address),
		   "machine: \"%s\" is no PCI address", refused[i]);
}

/* PCI devices are looked for late, and their warnings are listed with the others. */
static void later(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;
	size_t n = 0;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_new(root.path, NULL);
	if (!machine)
		sysroot_bail("superchip");
	sysroot_put(&root, "sys/devices/pci0018:00/0018:00:00.0/0018:01:00.0/class", "x\n");
	ok(gpmu_machine_warning(machine, 0) &&
	   strstr(gpmu_machine_warning(machine, 0), "0018:01:00.0/class"),
	   "machine: PCI devices are read when warnings are requested");
	while (gpmu_machine_pci(machine, n))
		n++;
	sysroot_put(&root, "sys/devices/pci0018:00/0018:00:00.0/0018:01:00.0/class", "0x10802\n");
	ok(n && !gpmu_machine_pci(machine, n) && !gpmu_machine_warning(machine, 1),
	   "machine: PCI devices are read once");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void keeps_errno(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_init(&root);
	machine = gpmu_machine_new(root.path, NULL);
	errno = 0;
	ok(machine && !gpmu_machine_pci(machine, 0) && !errno,
	   "PCI: errno is unchanged if a machine has no PCI devices");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

int main(void)
{
	static const struct {
		const char *name;
		const struct device *devices;
		size_t len;
	} machines[] = {
		{ "superchip", superchip, sizeof(superchip) / sizeof(superchip[0]) },
		{ "gh200", gh200, sizeof(gh200) / sizeof(gh200[0]) },
		{ "gh4", gh4, sizeof(gh4) / sizeof(gh4[0]) },
		{ "laptop", laptop, sizeof(laptop) / sizeof(laptop[0]) },
		{ "vm", NULL, 0 },
	};
	struct sysroot root;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		sysroot_make(&root, machines[i].name);
		is_devices(&root, machines[i].name, machines[i].devices, machines[i].len);
		sysroot_release(&root);
	}
	odd_devices();
	paths();
	addresses();
	later();
	keeps_errno();
	return done_testing();
}
