// SPDX-License-Identifier: GPL-2.0-only
/*
 * Driver for the PMUs of NVIDIA Grace, which implement the CoreSight PMU
 * architecture (Arm IHI 0091) and are described by the ACPI table APMT (Arm
 * DEN0117). grace-cspmu.rst documents the user ABI and the use beside the in-tree
 * driver.
 */
#define pr_fmt(fmt) "grace-cspmu: " fmt

#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/module.h>

#include "apmt.h"
#include "cspmu.h"

static int map_pages(struct grace_pmu *gp, struct platform_device *pdev)
{
	void __iomem *addr[2];
	int ret;

	ret = grace_check_pages(gp);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < gp->node->pages; i++) {
		addr[i] = devm_platform_ioremap_resource(pdev, i);
		/* The reason is already logged; -ENXIO prevents a message by the driver core */
		if (IS_ERR(addr[i]))
			return PTR_ERR(addr[i]) == -ENOMEM ? -ENOMEM : -ENXIO;
	}
	gp->page0 = addr[0];
	gp->page1 = addr[gp->node->pages - 1];
	return 0;
}

static void free_overflow(void *data)
{
	struct grace_pmu *gp = data;

	free_irq(gp->irq, gp);
}

static const char *without_interrupt(const struct grace_pmu *gp)
{
	return gp->cfg.width < 64 ? "a timer reads the counters" : "counting without it";
}

/* Whether @irq belongs to the node, not to a malformed node with the same pages */
static bool has_its_interrupt(const struct grace_pmu *gp, int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);

	return data && irqd_to_hwirq(data) == gp->node->gsi;
}

static int request_overflow(struct grace_pmu *gp, struct platform_device *pdev)
{
	unsigned long flags = IRQF_PROBE_SHARED | IRQF_NOBALANCING | IRQF_NO_THREAD;
	int irq, ret;

	/* The kernel's APMT code maps the number of an unwired interrupt, too */
	if (gp->node->gsi && !gp->node->wired) {
		dev_warn(gp->dev, "interrupt %u is not wired: %s\n", gp->node->gsi,
			 without_interrupt(gp));
		return 0;
	}

	irq = platform_get_irq_optional(pdev, 0);
	if (irq == -ENXIO)
		return 0;
	if (irq == -EPROBE_DEFER)
		return irq;

	/* While one sharer asserts an edge-triggered line, edges of the others are lost */
	if (!gp->node->edge)
		flags |= IRQF_SHARED;
	/*
	 * A hard interrupt on PREEMPT_RT too, like the timer of a sampling
	 * leader, which reads the same counters. A refusal is expected and is
	 * logged once, below: genirq must not log it (IRQF_PROBE_SHARED), and
	 * devm_request_irq() would in recent kernels.
	 */
	ret = irq;
	if (irq >= 0)
		ret = has_its_interrupt(gp, irq) ?
		      request_irq(irq, grace_overflow, flags, dev_name(gp->dev), gp) : -ENXIO;
	if (ret) {
		dev_warn(gp->dev, "interrupt %d refused (%d): %s\n", irq, ret,
			 without_interrupt(gp));
		return 0;
	}
	gp->irq = irq;
	return devm_add_action_or_reset(gp->dev, free_overflow, gp);
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
	gp->node = grace_apmt_node(pdev);
	if (!gp->node) {
		dev_err(dev, "no valid APMT node describes this device\n");
		return -ENXIO;
	}

	ret = map_pages(gp, pdev);
	if (ret)
		return ret;
	ret = grace_identify(gp);
	if (ret)
		return ret;
	ret = grace_find_cpus(gp->node, &gp->cpus);
	if (ret) {
		dev_err(dev, "no CPU has affinity %u\n", gp->node->affinity);
		return ret;
	}
	gp->name = grace_make_name(gp);
	if (!gp->name)
		return -ENOMEM;
	if (grace_is_unknown(gp->variant))
		dev_info(dev, "PMIIDR %08x is unknown: %s has no named events\n", gp->iidr,
			 gp->name);

	grace_counters_reset(gp);
	ret = grace_report_setup(gp);
	if (ret)
		return ret;
	ret = request_overflow(gp, pdev);
	if (ret)
		return ret;
	ret = grace_poll_setup(gp);
	if (ret)
		return ret;
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
	if (IS_ENABLED(CONFIG_ACPI_APMT))
		grace_apmt_report_missing();
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
