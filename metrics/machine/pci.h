/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PCI devices and their root ports. */
#ifndef GPMU_PCI_H
#define GPMU_PCI_H

#include <stdint.h>

#include "gpmu.h"
#include "machine/sysfs.h"
#include "machine/pci_address.h"

struct gpmu_pci {
	char *address;
	char *name;		/* NULL: none, likewise the next two members */
	char *driver;
	char *root_port_address;
	struct pci_address parsed;
	uint32_t class;
	int node;		/* -1: unknown */
	int socket;		/* -1 unless on a Grace, likewise root_port */
	int root_port;
	const struct gpmu_pmu *pmu;	/* NULL: none; set by the machine */
};

struct pcis {
	struct gpmu_pci *list;	/* sorted by address */
	size_t len;
};

/* Reads devices into an empty struct; there may be none. Returns errors as functions of sysfs.h do; pcis_release() follows them. */
int pcis_read(struct pcis *pcis, const struct sysfs_dir *root);
void pcis_release(struct pcis *pcis);

/*
 * Finds socket and root port of an address on a Grace. Returns false, and sets neither, for
 * an address that belongs to no root port.
 */
bool pci_grace_place(const struct pci_address *address, int *socket, int *root_port);
/* Sets socket and root port of each device of a Grace. */
void pcis_number(struct pcis *pcis);

#endif /* GPMU_PCI_H */
