/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PCI devices, and the root ports above them. */
#ifndef GPMU_PCI_H
#define GPMU_PCI_H

#include <stdint.h>

#include "gpmu.h"
#include "machine/machine_sysfs.h"
#include "machine/pci_address.h"

struct gpmu_pci {
	char *address;
	char *name;		/* or NULL, as these two */
	char *driver;
	char *root_port_address;
	struct pci_address parsed;
	uint32_t class;
	int node;		/* or -1 */
	int socket;		/* -1, as these two, unless a Grace's */
	int root_port;
	const struct gpmu_pmu *pmu;	/* or NULL; set by the machine */
};

struct pcis {
	struct gpmu_pci *list;	/* by address */
	size_t len;
};

/* Returns as functions of machine_sysfs.h do; 0 also where there are none. */
int pcis_read(struct pcis *pcis, const struct sysfs_dir *root);
void pcis_release(struct pcis *pcis);

/* Where a Grace has a device of that address; false: it has none there, and nothing is set */
bool pci_grace_place(const struct pci_address *address, int *socket, int *root_port);
/* Sets socket and root port of each: the machine is a Grace. */
void pcis_number(struct pcis *pcis);

#endif /* GPMU_PCI_H */
