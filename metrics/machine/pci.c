// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

/* Takes the first name in the folder. */
static int read_folder(struct gpmu_pci *pci, const struct sysfs_dir *dir, const char *folder)
{
	struct sysfs_names names;
	struct sysfs_dir entries;
	int ret = sysfs_open(&entries, dir, folder);

	if (ret)
		return sysfs_optional(ret);
	ret = sysfs_list(&entries, &names);
	sysfs_close(&entries);
	if (ret)
		return sysfs_optional(ret);
	if (names.len) {
		pci->name = names.names[0];
		names.names[0] = NULL;
	}
	sysfs_names_release(&names);
	return 0;
}

static int read_name(struct gpmu_pci *pci, const struct sysfs_dir *dir)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(name_folders); i++)
		if (!ret && !pci->name)
			ret = read_folder(pci, dir, name_folders[i]);
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
	*pci = (struct gpmu_pci){ 0 };
}

/* Adds a device unless it is a bridge, which has no traffic of its own. */
static int add_pci(struct pcis *pcis, const struct sysfs_dir *devices, const struct sysfs_dir *dir)
{
	struct gpmu_pci *pci = &pcis->list[pcis->len];
	uint64_t class;
	int ret;

	*pci = (struct gpmu_pci){ .node = -1, .socket = -1, .root_port = -1 };
	if (!pci_address_parse(dir->name, strlen(dir->name), &pci->parsed))
		return sysfs_warn(devices, dir->name, "expected an address such as 0008:01:00.0");
	ret = sysfs_needed(dir, "class", sysfs_hex(dir, "class", 0xffffff, &class));
	if (ret || class >> 16 == CLASS_BRIDGE)
		return ret;
	pci->class = (uint32_t)class;
	pci->address = strdup(dir->name);
	ret = pci->address ? read_pci(pci, devices, dir) : -ENOMEM;
	if (ret)
		release_pci(pci);
	else
		pcis->len++;
	return ret;
}

static int compare(const void *a, const void *b)
{
	return pci_address_compare(&((const struct gpmu_pci *)a)->parsed,
				   &((const struct gpmu_pci *)b)->parsed);
}

static int read_devices(struct pcis *pcis, const struct sysfs_dir *devices)
{
	struct sysfs_names names;
	struct sysfs_dir dir;
	int ret = sysfs_list(devices, &names);

	if (ret || !names.len)
		return ret;
	pcis->list = calloc(names.len, sizeof(*pcis->list));
	if (!pcis->list)
		ret = -ENOMEM;
	for (size_t i = 0; i < names.len && !ret; i++) {
		ret = sysfs_open(&dir, devices, names.names[i]);
		ret = sysfs_needed(devices, names.names[i], ret);
		if (!ret) {
			ret = add_pci(pcis, devices, &dir);
			sysfs_close(&dir);
		}
		ret = sysfs_optional(ret);
	}
	sysfs_names_release(&names);
	if (!ret && pcis->len)
		qsort(pcis->list, pcis->len, sizeof(*pcis->list), compare);
	return ret;
}

int pcis_read(struct pcis *pcis, const struct sysfs_dir *root)
{
	struct sysfs_dir devices;
	int ret;

	*pcis = (struct pcis){ 0 };
	ret = sysfs_open(&devices, root, "sys/bus/pci/devices");
	if (!ret) {
		ret = read_devices(pcis, &devices);
		sysfs_close(&devices);
	}
	ret = sysfs_optional(ret);
	if (ret)
		pcis_release(pcis);
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
