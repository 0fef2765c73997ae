// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "machine/pci.h"

#define CLASS_BRIDGE	0x06	/* PCI Code and ID Assignment Specification, "Class Codes" */

/*
 * A Grace gives each root port its own PCI domain: 0x0018 is root port 8 of socket 1
 * (tuning guide, "PCIe Traffic Measurement").
 */
static const struct {
	unsigned int socket_shift;
	uint32_t port_mask;
	uint32_t ports, sockets;
} grace = { .socket_shift = 4, .port_mask = 0xf, .ports = 10, .sockets = 4 };

/* Folders in which drivers register the device's name */
static const char *const name_folders[] = { "net", "nvme", "infiniband", "drm" };

/* Takes the first name in a folder. */
static int take_name(void *user, const struct sysfs_dir *dir, const struct sysfs_names *names, size_t index)
{
	struct gpmu_pci *pci = user;

	(void)dir;
	if (index)
		return 0;
	pci->name = strdup(names->names[index]);
	return pci->name ? 0 : -ENOMEM;
}

static int read_name(struct gpmu_pci *pci, const struct sysfs_dir *dir)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(name_folders) && !ret && !pci->name; i++)
		ret = sysfs_optional(sysfs_each(dir, name_folders[i], take_name, pci));
	return ret;
}

static int read_driver(struct gpmu_pci *pci, const struct sysfs_dir *dir)
{
	const char *target, *slash;
	int ret = sysfs_link(dir, "driver", &target);

	if (ret)
		return sysfs_optional(ret);
	slash = strrchr(target, '/');
	pci->driver = strdup(slash ? slash + 1 : target);
	return pci->driver ? 0 : -ENOMEM;
}

static int read_node(struct gpmu_pci *pci, const struct sysfs_dir *dir)
{
	int64_t node = -1;
	int ret = sysfs_number(dir, "numa_node", -1, INT_MAX, &node);

	pci->node = ret ? -1 : (int)node;
	return sysfs_optional(ret);
}

static int read_root_port(struct gpmu_pci *pci, const struct sysfs_dir *devices)
{
	const char *target, *root_port;
	size_t len;
	int ret = sysfs_link(devices, pci->address, &target);

	if (ret)
		return ret;
	len = pci_path_root_port(target, &root_port);
	if (!len)
		return 0;
	pci->root_port_address = calloc(1, len + 1);
	if (!pci->root_port_address)
		return -ENOMEM;
	memcpy(pci->root_port_address, root_port, len);
	return 0;
}

static int read_pci(struct gpmu_pci *pci, const struct sysfs_dir *devices,
		    const struct sysfs_dir *dir)
{
	int ret = read_root_port(pci, devices);

	if (!ret)
		ret = read_driver(pci, dir);
	if (!ret)
		ret = read_node(pci, dir);
	return ret ? ret : read_name(pci, dir);
}

static void release_pci(struct gpmu_pci *pci)
{
	free(pci->address);
	free(pci->name);
	free(pci->driver);
	free(pci->root_port_address);
}

/* Adds a device unless it is a bridge, which has no traffic of its own. */
static int add_pci(struct pcis *pcis, const struct sysfs_dir *devices, const struct sysfs_dir *dir)
{
	struct gpmu_pci *added, pci = { .node = -1, .socket = -1, .root_port = -1 };
	uint64_t class;
	int ret;

	if (!pci_address_parse(dir->name, strlen(dir->name), &pci.parsed))
		return sysfs_warn(devices, dir->name, "expected an address such as 0008:01:00.0");
	ret = sysfs_needed(dir, "class", sysfs_hex(dir, "class", 0xffffff, &class));
	if (ret || class >> 16 == CLASS_BRIDGE)
		return ret;
	pci.class = (uint32_t)class;
	pci.address = strdup(dir->name);
	ret = pci.address ? read_pci(&pci, devices, dir) : -ENOMEM;
	added = ret ? NULL : vector_append(pcis->list, pcis->len);
	if (added)
		*added = pci;
	else
		release_pci(&pci);
	return ret || added ? ret : -ENOMEM;
}

static int add_device(void *user, const struct sysfs_dir *devices, const struct sysfs_names *names, size_t index)
{
	const char *name = names->names[index];
	struct sysfs_dir dir;
	int ret = sysfs_needed(devices, name, sysfs_open(&dir, devices, name));

	if (!ret) {
		ret = add_pci(user, devices, &dir);
		sysfs_close(&dir);
	}
	return sysfs_optional(ret);
}

static int compare(const void *a, const void *b)
{
	return pci_address_compare(&((const struct gpmu_pci *)a)->parsed,
				   &((const struct gpmu_pci *)b)->parsed);
}

int pcis_read(struct pcis *pcis, const struct sysfs_dir *root)
{
	int ret = sysfs_optional(sysfs_each(root, "sys/bus/pci/devices", add_device, pcis));

	if (!ret && pcis->len)
		qsort(pcis->list, pcis->len, sizeof(*pcis->list), compare);
	return ret;
}

void pcis_release(struct pcis *pcis)
{
	for (size_t i = 0; i < pcis->len; i++)
		release_pci(&pcis->list[i]);
	free(pcis->list);
	*pcis = (struct pcis){ 0 };
}

bool pci_grace_place(const struct pci_address *address, int *socket, int *root_port)
{
	uint32_t number = address->domain >> grace.socket_shift;
	uint32_t port = address->domain & grace.port_mask;

	if (number >= grace.sockets || port >= grace.ports)
		return false;
	*socket = (int)number;
	*root_port = (int)port;
	return true;
}

void pcis_number(struct pcis *pcis)
{
	for (size_t i = 0; i < pcis->len; i++) {
		struct gpmu_pci *pci = &pcis->list[i];

		if (pci->root_port_address)
			pci_grace_place(&pci->parsed, &pci->socket, &pci->root_port);
	}
}

const char *gpmu_pci_address(const struct gpmu_pci *pci)
{
	return pci->address;
}

uint32_t gpmu_pci_class(const struct gpmu_pci *pci)
{
	return pci->class;
}

const char *gpmu_pci_driver(const struct gpmu_pci *pci)
{
	return pci->driver;
}

const char *gpmu_pci_name(const struct gpmu_pci *pci)
{
	return pci->name;
}

const char *gpmu_pci_root_port_address(const struct gpmu_pci *pci)
{
	return pci->root_port_address;
}

int gpmu_pci_node(const struct gpmu_pci *pci)
{
	return pci->node;
}

int gpmu_pci_root_port(const struct gpmu_pci *pci)
{
	return pci->root_port;
}

const struct gpmu_pmu *gpmu_pci_pmu(const struct gpmu_pci *pci)
{
	return pci->pmu;
}
