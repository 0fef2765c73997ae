// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nodes of this machine's APMT. They are read once, by the parser, and held
 * beside the table: what the platform devices carry is a pointer into the
 * mapping of the kernel's own APMT code, which does not look at what it points
 * to, and gives the mapping back if it fails half-way.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include <linux/init.h>

#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/pgtable.h>

#include "apmt.h"
#include "cspmu.h"

static struct acpi_table_header *apmt;

/* The last one may say that there are too many */
static struct grace_apmt_found nodes[GRACE_APMT_NODES + 1];
static unsigned int count;

/* How long a physical address can be */
static unsigned int __init phys_bits(void)
{
	unsigned int parange = read_cpuid(ID_AA64MMFR0_EL1) & 0xf;

	return min_t(unsigned int, PHYS_MASK_SHIFT, id_aa64mmfr0_parange_to_phys_shift(parange));
}

/**
 * grace_apmt_init() - reads the APMT
 *
 * Return: 0, also if there is none, or -ENOMEM
 */
int __init grace_apmt_init(void)
{
	static struct grace_apmt_walk walk __initdata;
	acpi_status status = acpi_get_table(ACPI_SIG_APMT, 0, &apmt);

	if (ACPI_FAILURE(status)) {
		apmt = NULL;
		return status == AE_NO_MEMORY ? -ENOMEM : 0;
	}
	grace_apmt_begin(&walk, apmt, apmt->length, phys_bits());
	while (count < ARRAY_SIZE(nodes) && grace_apmt_next(&walk, &nodes[count]))
		count++;
	return 0;
}

/**
 * grace_apmt_exit() - the reverse of grace_apmt_init()
 */
void grace_apmt_exit(void)
{
	if (apmt)
		acpi_put_table(apmt);
}

/**
 * grace_apmt_after() - the next node, in the order of the table
 * @node: a node, or NULL for the first one
 *
 * Return: the node, which may be one with an error, or NULL
 */
const struct grace_apmt_found *grace_apmt_after(const struct grace_apmt_found *node)
{
	node = node ? node + 1 : nodes;
	return node < nodes + count ? node : NULL;
}

/**
 * grace_apmt_raw() - a node as it stands in the table
 * @node: the node
 *
 * Return: a pointer that holds until grace_apmt_exit()
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

/*
 * The kernel makes a device of each node as it stands, also of a bad one. Its
 * number is the node's, unless the driver core gave it.
 */
static bool is_of(struct platform_device *pdev, const struct grace_apmt_found *node)
{
	if (!node->pages || !has_page(pdev, 0, node->page[0]) ||
	    (!pdev->id_auto && node->id != pdev->id))
		return false;
	/* Of a bad node no more is known */
	if (node->error)
		return true;
	if (node->pages == 1)
		return !platform_get_resource(pdev, IORESOURCE_MEM, 1);
	return has_page(pdev, 1, node->page[1]);
}

/**
 * grace_apmt_node() - the node that a device was made of
 * @pdev: the platform device
 *
 * A bad node may have the pages of a good one. Without the node's number their
 * devices cannot be told apart: both are taken for the good node's, and the
 * second does not get the pages. Their interrupts may differ: see device.c.
 *
 * Return: a node in order, or NULL after a line in the log: so a bad node has
 * the same end on every kernel
 */
const struct grace_apmt_found *grace_apmt_node(struct platform_device *pdev)
{
	const struct grace_apmt_found *node = NULL, *bad = NULL;

	while ((node = grace_apmt_after(node))) {
		if (!is_of(pdev, node))
			continue;
		if (!node->error)
			return node;
		if (!bad)
			bad = node;
	}
	if (bad)
		dev_err(&pdev->dev, "APMT node at offset 0x%x: %s (0x%llx)\n", bad->offset,
			grace_apmt_strerror(bad->error), bad->value);
	else
		dev_err(&pdev->dev, "no node of the APMT describes it\n");
	return NULL;
}

static int is_device_of(struct device *dev, const void *node)
{
	struct platform_device *pdev = to_platform_device(dev);

	return !strcmp(pdev->name, GRACE_DEVICE) && is_of(pdev, node);
}

/**
 * grace_apmt_tell_missing() - names the nodes that have no device
 *
 * The kernel's APMT code ends at the first node that it cannot make one of, and
 * those after it are not tried. Of a bad node with a device grace_apmt_node()
 * tells.
 */
void grace_apmt_tell_missing(void)
{
	const struct grace_apmt_found *node = NULL;
	struct device *dev;

	while ((node = grace_apmt_after(node))) {
		dev = bus_find_device(&platform_bus_type, NULL, node, is_device_of);
		if (!dev && node->error)
			pr_warn("APMT node at offset 0x%x: %s (0x%llx), skipped\n", node->offset,
				grace_apmt_strerror(node->error), node->value);
		else if (!dev)
			pr_warn("APMT node at offset 0x%x: the kernel made no device of it\n",
				node->offset);
		put_device(dev);
	}
}
