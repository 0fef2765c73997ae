// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nodes of this machine's APMT, parsed once and stored. The platform data of
 * the devices is not used: it points into the mapping of the kernel's own APMT
 * code, which does not validate the nodes and releases the mapping if it fails
 * half-way.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include <linux/init.h>

#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/pgtable.h>

#include "apmt.h"
#include "cspmu.h"

static struct acpi_table_header *apmt;

/* The last element is for GRACE_APMT_MANY */
static struct grace_apmt_found nodes[GRACE_APMT_NODES + 1];
static unsigned int count;

/* Number of bits of a physical address */
static unsigned int __init phys_bits(void)
{
	unsigned int parange = read_cpuid(ID_AA64MMFR0_EL1) & 0xf;

	return min_t(unsigned int, PHYS_MASK_SHIFT, id_aa64mmfr0_parange_to_phys_shift(parange));
}

static void __init report(const struct grace_apmt_found *node)
{
	if (node->error)
		pr_warn("APMT node at offset 0x%x: %s (0x%llx), skipped\n", node->offset,
			grace_apmt_strerror(node->error), node->value);
	else if (node->remark)
		pr_warn("APMT node at offset 0x%x: %s (0x%llx)\n", node->offset,
			grace_apmt_strerror(node->remark), node->value);
}

/**
 * grace_apmt_init() - read the APMT and report its malformed nodes
 *
 * Return: 0, also if there is no APMT, or -errno
 */
int __init grace_apmt_init(void)
{
	static struct grace_apmt_walk walk __initdata;
	acpi_status status = acpi_get_table(ACPI_SIG_APMT, 0, &apmt);

	if (ACPI_FAILURE(status)) {
		apmt = NULL;
		if (status == AE_NOT_FOUND)
			return 0;
		pr_err("cannot get the APMT: %s\n", acpi_format_exception(status));
		return status == AE_NO_MEMORY ? -ENOMEM : -EIO;
	}
	grace_apmt_begin(&walk, apmt, apmt->length, phys_bits());
	while (count < ARRAY_SIZE(nodes) && grace_apmt_next(&walk, &nodes[count]))
		report(&nodes[count++]);
	return 0;
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
 * grace_apmt_after() - get the next node in the order of the table
 * @node: a node, or NULL for the first one
 *
 * Return: the node, which may have an error, or NULL
 */
const struct grace_apmt_found *grace_apmt_after(const struct grace_apmt_found *node)
{
	node = node ? node + 1 : nodes;
	return node < nodes + count ? node : NULL;
}

/**
 * grace_apmt_raw() - get a node in the table
 * @node: the node
 *
 * Return: a pointer that is valid until grace_apmt_exit()
 */
struct acpi_apmt_node *grace_apmt_raw(const struct grace_apmt_found *node)
{
	return (void *)apmt + node->offset;
}

static bool has_page(struct platform_device *pdev, unsigned int i, u64 address)
{
	const struct resource *page = platform_get_resource(pdev, IORESOURCE_MEM, i);

	return page && page->start == address;
}

/* Pages identify a device: neither ids nor device numbers are unique */
static bool is_of(struct platform_device *pdev, const struct grace_apmt_found *node)
{
	if (node->error || !has_page(pdev, 0, node->page[0]))
		return false;
	if (node->pages == 1)
		return !platform_get_resource(pdev, IORESOURCE_MEM, 1);
	return has_page(pdev, 1, node->page[1]);
}

/**
 * grace_apmt_node() - find the node that a device was created for
 * @pdev: the platform device
 *
 * The kernel creates devices for malformed nodes, too. If such a node has the pages
 * of a valid one, both devices are assigned to the valid node, and the second to be
 * probed cannot request the pages. Their interrupts may differ: see device.c.
 *
 * Return: a valid node, or NULL
 */
const struct grace_apmt_found *grace_apmt_node(struct platform_device *pdev)
{
	const struct grace_apmt_found *node = NULL;

	while ((node = grace_apmt_after(node))) {
		if (is_of(pdev, node))
			break;
	}
	return node;
}

static int is_device_of(struct device *dev, const void *node)
{
	struct platform_device *pdev = to_platform_device(dev);

	return !strcmp(pdev->name, GRACE_DEVICE) && is_of(pdev, node);
}

/**
 * grace_apmt_report_missing() - log the valid nodes without a device
 *
 * The kernel's APMT code stops at the first node for which it cannot create a
 * device, and the nodes after it have none.
 */
void grace_apmt_report_missing(void)
{
	const struct grace_apmt_found *node = NULL;
	struct device *dev;

	while ((node = grace_apmt_after(node))) {
		dev = bus_find_device(&platform_bus_type, NULL, node, is_device_of);
		if (!dev && !node->error)
			pr_warn("APMT node at offset 0x%x: the kernel created no device\n",
				node->offset);
		put_device(dev);
	}
}
