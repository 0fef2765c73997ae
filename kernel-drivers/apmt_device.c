// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates platform devices for the nodes of the APMT, with the name, resources and
 * platform data that the kernel's own APMT code (CONFIG_ACPI_APMT) gives them.
 * Built only for kernels without that code.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include "apmt.h"
#include "cspmu.h"

/* A socket has about five */
static struct platform_device *devices[256];

/*
 * The mapping of the interrupt remains when the device is removed: it has no
 * reference count, and another device may share it. A later load reuses it.
 */
static bool map_interrupt(const struct acpi_apmt_node *node, struct resource *res)
{
	bool is_edge = node->ovflw_irq_flags & ACPI_APMT_OVFLW_IRQ_FLAGS_MODE;
	int irq;

	if (!node->ovflw_irq)
		return false;
	irq = acpi_register_gsi(NULL, node->ovflw_irq,
				is_edge ? ACPI_EDGE_SENSITIVE : ACPI_LEVEL_SENSITIVE,
				ACPI_ACTIVE_HIGH);
	if (irq <= 0)
		return false;
	*res = (struct resource) { .start = irq, .end = irq, .flags = IORESOURCE_IRQ };
	return true;
}

static struct platform_device *add_device(const struct acpi_apmt_node *node)
{
	const u64 pages[] = { node->base_address0, node->base_address1 };
	struct platform_device_info info = {
		.name		= GRACE_DEVICE,
		.id		= PLATFORM_DEVID_AUTO,
		.data		= &node,
		.size_data	= sizeof(node),
	};
	struct resource res[3];
	unsigned int n;

	for (n = 0; n < (node->flags & ACPI_APMT_FLAGS_DUAL_PAGE ? 2 : 1); n++)
		res[n] = (struct resource) {
			.start	= pages[n],
			.end	= pages[n] + GRACE_PAGE_SIZE - 1,
			.flags	= IORESOURCE_MEM,
		};
	n += map_interrupt(node, &res[n]);

	info.res = res;
	info.num_res = n;
	return platform_device_register_full(&info);
}

/**
 * grace_apmt_add_devices() - create a device for each node of the APMT
 *
 * A node that does not lie in the table as a whole ends the walk: where the next one
 * begins is not known.
 */
void grace_apmt_add_devices(void)
{
	const struct acpi_table_header *apmt = grace_apmt_table();
	u32 offset = GRACE_APMT_HEADER, length;
	struct platform_device *pdev;
	size_t n = 0;

	if (!apmt)
		return;
	while (n < ARRAY_SIZE(devices)) {
		length = grace_apmt_length(apmt, apmt->length, offset);
		if (!length)
			break;
		pdev = add_device((const void *)apmt + offset);
		if (IS_ERR(pdev))
			pr_warn("APMT node at offset 0x%x: cannot create a device (%ld), skipped\n",
				offset, PTR_ERR(pdev));
		else
			devices[n++] = pdev;
		offset += length;
	}
	if (offset != apmt->length)
		pr_warn("APMT node at offset 0x%x does not fit: it and all nodes after it are skipped\n",
			offset);
}

/**
 * grace_apmt_remove_devices() - undo grace_apmt_add_devices()
 */
void grace_apmt_remove_devices(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(devices) && devices[i]; i++)
		platform_device_unregister(devices[i]);
}
