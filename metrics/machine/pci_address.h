/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of PCI devices, "0008:01:00.0", by themselves and in paths of sysfs. */
#ifndef GPMU_PCI_ADDRESS_H
#define GPMU_PCI_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pci_address {
	uint32_t domain;
	uint8_t bus;
	uint8_t device;
	uint8_t function;
};

/* Parses the first @len bytes; false if they are no address. */
bool pci_address_parse(const char *text, size_t len, struct pci_address *address);
/* Orders addresses as strcmp() does. */
int pci_address_compare(const struct pci_address *a, const struct pci_address *b);

/*
 * Finds the device's root port in ".../pci0008:00/0008:00:00.0/0008:01:00.0": the
 * component after the host bridge. Returns its length, or 0 if this component is the device
 * itself or the path has another form.
 */
size_t pci_path_root_port(const char *path, const char **root_port);

#endif /* GPMU_PCI_ADDRESS_H */
