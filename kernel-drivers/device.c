// SPDX-License-Identifier: GPL-2.0-only
/*
 * Driver for the PMUs of NVIDIA Grace, which implement the CoreSight PMU
 * architecture (Arm IHI 0091) and are described by the ACPI table APMT (Arm
 * DEN0117). grace-cspmu.rst documents the user ABI and the use beside the in-tree
 * driver.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/topology.h>

#include "cspmu.h"

static int map_pages(struct grace_pmu *gp, struct platform_device *pdev)
{
	unsigned int pages = gp->node->flags & ACPI_APMT_FLAGS_DUAL_PAGE ? 2 : 1;
	void __iomem *addr[2];
	struct resource *res;

	for (unsigned int i = 0; i < pages; i++) {
		res = platform_get_resource(pdev, IORESOURCE_MEM, i);
		if (!res || !res->start || !IS_ALIGNED(res->start, GRACE_PAGE_SIZE))
			return dev_err_probe(gp->dev, -ENODEV, "page %u has no valid address\n", i);
		addr[i] = devm_ioremap_resource(gp->dev, res);
		if (IS_ERR(addr[i]))
			return dev_err_probe(gp->dev, -ENODEV, "cannot map page %u\n", i);
	}
	gp->page0 = addr[0];
	gp->page1 = addr[pages - 1];
	return 0;
}

static int request_overflow(struct grace_pmu *gp, struct platform_device *pdev)
{
	unsigned long flags = IRQF_PROBE_SHARED | IRQF_NOBALANCING | IRQF_NO_THREAD;
	int ret;

	/* The kernel's APMT code maps the number of an unwired interrupt, too */
	if (!gp->node->ovflw_irq || gp->node->ovflw_irq_flags & ACPI_APMT_OVFLW_IRQ_FLAGS_TYPE)
		return dev_err_probe(gp->dev, -ENODEV,
				     "a PMU without a wired overflow interrupt is not supported\n");
	gp->irq = platform_get_irq(pdev, 0);
	if (gp->irq < 0)
		return gp->irq;

	/* While one sharer asserts an edge-triggered line, edges of the others are lost */
	if (!(gp->node->ovflw_irq_flags & ACPI_APMT_OVFLW_IRQ_FLAGS_MODE))
		flags |= IRQF_SHARED;
	/*
	 * A hard interrupt on PREEMPT_RT too, like the timer of a sampling leader, which
	 * reads the same counters. genirq must not log a refusal: it is logged here.
	 */
	ret = devm_request_irq(gp->dev, gp->irq, grace_overflow, flags, dev_name(gp->dev), gp);
	if (ret)
		return dev_err_probe(gp->dev, ret, "interrupt %d refused\n", gp->irq);
	return 0;
}

static int has_name(struct device *dev, void *name)
{
	struct grace_pmu *gp = dev_get_drvdata(dev);

	return !strcmp(gp->name, name);
}

/* No Grace has two PMUs of a variant on a socket */
static int set_name(struct grace_pmu *gp)
{
	gp->name = devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%d", gp->variant->name,
				  cpu_to_node(cpumask_first(&gp->cpus)));
	if (!gp->name)
		return -ENOMEM;
	if (driver_for_each_device(gp->dev->driver, NULL, (void *)gp->name, has_name))
		return dev_err_probe(gp->dev, -ENODEV, "a second %s is not supported\n", gp->name);
	return 0;
}

static int grace_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct grace_pmu *gp;
	int ret;

	gp = devm_kzalloc(dev, sizeof(*gp), GFP_KERNEL);
	if (!gp)
		return -ENOMEM;
	gp->dev = dev;
	raw_spin_lock_init(&gp->lock);
	gp->node = grace_apmt_node(dev);
	if (!gp->node)
		return dev_err_probe(dev, -ENODEV, "no valid APMT node describes this device\n");

	ret = map_pages(gp, pdev);
	if (ret)
		return ret;
	ret = grace_identify(gp);
	if (ret)
		return ret;
	ret = grace_find_cpus(gp);
	if (ret)
		return ret;
	ret = set_name(gp);
	if (ret)
		return ret;
	grace_counters_reset(gp);
	ret = request_overflow(gp, pdev);
	if (ret)
		return ret;
	platform_set_drvdata(pdev, gp);
	return grace_core_register(gp);
}

static const struct platform_device_id grace_ids[] = {
	{ GRACE_DEVICE },
	{ }
};

/* Where both modules of the in-tree driver are configured, udev loads them for the device */
#if !IS_ENABLED(CONFIG_ARM_CORESIGHT_PMU_ARCH_SYSTEM_PMU) || \
	!IS_ENABLED(CONFIG_NVIDIA_CORESIGHT_PMU_ARCH_SYSTEM_PMU)
MODULE_DEVICE_TABLE(platform, grace_ids);
#endif

/*
 * No unbinding through sysfs: older kernels crash if a PMU is unregistered while
 * events are open. An open event pins the module, but not the device.
 */
static struct platform_driver grace_driver = {
	.driver = {
		.name			= GRACE_DRIVER,
		.suppress_bind_attrs	= true,
	},
	.probe		= grace_probe,
	.id_table	= grace_ids,
};

static int report_holder(struct device *dev, void *data)
{
	if (strcmp(to_platform_device(dev)->name, GRACE_DEVICE))
		return 0;

	device_lock(dev);
	if (dev->driver && dev->driver != &grace_driver.driver)
		pr_info("%s is bound to driver %s: skipped\n", dev_name(dev), dev->driver->name);
	device_unlock(dev);
	return 0;
}

static int __init grace_init(void)
{
	int ret;

	ret = grace_core_init();
	if (ret)
		return ret;
	ret = grace_apmt_init();
	if (ret)
		goto exit_core;
	grace_apmt_add_devices();
	ret = platform_driver_register(&grace_driver);
	if (ret)
		goto remove_devices;

	bus_for_each_dev(&platform_bus_type, NULL, NULL, report_holder);
	return 0;

remove_devices:
	grace_apmt_remove_devices();
	grace_apmt_exit();
exit_core:
	grace_core_exit();
	return ret;
}

static void __exit grace_exit(void)
{
	platform_driver_unregister(&grace_driver);
	grace_apmt_remove_devices();
	grace_apmt_exit();
	grace_core_exit();
}

module_init(grace_init);
module_exit(grace_exit);

MODULE_DESCRIPTION("NVIDIA Grace CoreSight PMUs");
MODULE_LICENSE("GPL");
