// SPDX-License-Identifier: GPL-2.0-only
/*
 * The APMT of this machine, and the node of a platform device in it. The platform data
 * of a device is the address of its node. The kernel's own APMT code does not check the
 * length of a node, and creates a device for a node that the end of the table cuts.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include "apmt.h"
#include "cspmu.h"

static struct acpi_table_header *apmt;

/**
 * grace_apmt_init() - get the APMT
 *
 * Return: 0, also if there is no APMT, or -errno
 */
int grace_apmt_init(void)
{
	acpi_status status = acpi_get_table(ACPI_SIG_APMT, 0, &apmt);

	BUILD_BUG_ON(sizeof(*apmt) != GRACE_APMT_HEADER);
	BUILD_BUG_ON(sizeof(struct acpi_apmt_node) != GRACE_APMT_NODE);

	if (ACPI_SUCCESS(status))
		return 0;
	apmt = NULL;
	if (status == AE_NOT_FOUND)
		return 0;
	pr_err("cannot get the APMT: %s\n", acpi_format_exception(status));
	return status == AE_NO_MEMORY ? -ENOMEM : -EIO;
}

/**
 * grace_apmt_exit() - undo grace_apmt_init()
 */
void grace_apmt_exit(void)
{
	if (apmt)
		acpi_put_table(apmt);
}

/**
 * grace_apmt_table() - the APMT
 *
 * Return: the table, which is valid until grace_apmt_exit(), or NULL
 */
const struct acpi_table_header *grace_apmt_table(void)
{
	return apmt;
}

/**
 * grace_apmt_node() - get the APMT node of a platform device
 * @dev: the device
 *
 * Return: a node that lies in the table as a whole, or NULL
 */
const struct acpi_apmt_node *grace_apmt_node(struct device *dev)
{
	const struct acpi_apmt_node **node = dev_get_platdata(dev);

	if (!apmt || !node ||
	    !grace_apmt_length(apmt, apmt->length, (uintptr_t)*node - (uintptr_t)apmt))
		return NULL;
	return *node;
}
