// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own APMT code makes a device of every node as it stands. So the
 * table is read again by the parser, and a device that it would not have made
 * is not driven: a bad node has the same end on every kernel.
 */
#include <linux/slab.h>

#include "apmt.h"
#include "cspmu.h"

/* Looks for the node at an offset; false if no node begins there */
static bool find(struct grace_apmt_walk *walk, ptrdiff_t offset, struct grace_apmt_found *found)
{
	while (grace_apmt_next(walk, found)) {
		if (found->offset == offset)
			return true;
	}
	return false;
}

/**
 * grace_apmt_check() - is a device's node in order?
 * @dev: the platform device
 *
 * Return: 0, -ENXIO after a line in the log, or -ENOMEM
 */
int grace_apmt_check(struct device *dev)
{
	struct acpi_apmt_node *node = grace_apmt_node(dev);
	struct acpi_table_header *table;
	struct grace_apmt_found found;
	struct grace_apmt_walk *walk;
	ptrdiff_t offset;
	int ret = -ENXIO;

	if (!node || ACPI_FAILURE(acpi_get_table(ACPI_SIG_APMT, 0, &table))) {
		dev_err(dev, "not described by an APMT\n");
		return -ENXIO;
	}
	walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	if (!walk) {
		acpi_put_table(table);
		return -ENOMEM;
	}

	offset = (void *)node - (void *)table;
	grace_apmt_begin(walk, table, table->length, grace_phys_bits());
	if (!find(walk, offset, &found))
		dev_err(dev, "no APMT node begins at offset 0x%tx\n", offset);
	else if (found.error)
		dev_err(dev, "APMT node at offset 0x%tx: %s (0x%llx)\n", offset,
			grace_apmt_strerror(found.error), found.value);
	else
		ret = 0;

	kfree(walk);
	acpi_put_table(table);
	return ret;
}
