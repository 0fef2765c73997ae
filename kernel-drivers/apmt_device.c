// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates platform devices for the nodes of the APMT, with the name, resources and
 * platform data that the kernel's own APMT code (CONFIG_ACPI_APMT) gives them.
 * Built only for kernels without that code.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include "apmt.h"
#include "cspmu.h"

static struct platform_device *devices[GRACE_APMT_NODES];

static int is_apmt_device(struct device *dev, const void *data)
{
	return !strcmp(to_platform_device(dev)->name, GRACE_DEVICE);
}

/* A backport may have the kernel's APMT code without its configuration symbol */
static bool kernel_made_devices(void)
{
	struct device *dev = bus_find_device(&platform_bus_type, NULL, NULL, is_apmt_device);

	put_device(dev);
	return dev;
}

/*
 * The mapping of the interrupt remains when the device is removed: it has no
 * reference count, and another device may share it. A later load reuses it.
 */
static bool map_interrupt(const struct grace_apmt_found *node, struct resource *res)
{
	int irq;

	if (!node->gsi || !node->wired)
		return false;
	irq = acpi_register_gsi(NULL, node->gsi,
				node->edge ? ACPI_EDGE_SENSITIVE : ACPI_LEVEL_SENSITIVE,
				ACPI_ACTIVE_HIGH);
	if (irq <= 0) {
		pr_warn("APMT node at offset 0x%x: cannot map interrupt %u (%d)\n",
			node->offset, node->gsi, irq);
		return false;
	}
	*res = (struct resource) { .start = irq, .end = irq, .flags = IORESOURCE_IRQ };
	return true;
}

static struct platform_device *add_device(const struct grace_apmt_found *node)
{
	struct acpi_apmt_node *raw = grace_apmt_raw(node);
	struct platform_device_info info = {
		.name		= GRACE_DEVICE,
		.id		= PLATFORM_DEVID_AUTO,
		.data		= &raw,
		.size_data	= sizeof(raw),
	};
	struct resource res[3];
	unsigned int n;

	for (n = 0; n < node->pages; n++)
		res[n] = (struct resource) {
			.start	= node->page[n],
			.end	= node->page[n] + GRACE_PAGE_SIZE - 1,
			.flags	= IORESOURCE_MEM,
		};
	n += map_interrupt(node, &res[n]);

	info.res = res;
	info.num_res = n;
	return platform_device_register_full(&info);
}

/**
 * grace_apmt_add_devices() - create a device for each valid node of the APMT
 */
void grace_apmt_add_devices(void)
{
	const struct grace_apmt_found *node = NULL;
	struct platform_device *pdev;
	unsigned int n = 0;

	if (kernel_made_devices())
		return;
	while ((node = grace_apmt_after(node))) {
		if (node->error)
			continue;
		pdev = add_device(node);
		if (IS_ERR(pdev))
			pr_warn("APMT node at offset 0x%x: cannot create a device (%ld), skipped\n",
				node->offset, PTR_ERR(pdev));
		else
			devices[n++] = pdev;
	}
}

/**
 * grace_apmt_remove_devices() - undo grace_apmt_add_devices()
 */
void grace_apmt_remove_devices(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(devices) && devices[i]; i++)
		platform_device_unregister(devices[i]);
}
