// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqhog - requests an interrupt line, either exclusively, so that the line is refused
 * to a driver loaded later, or shared, with a handler that is threaded on PREEMPT_RT.
 */
#include <linux/acpi.h>
#include <linux/interrupt.h>
#include <linux/module.h>

static int gsi = -1;
module_param(gsi, int, 0444);
MODULE_PARM_DESC(gsi, "global system interrupt to take, level-triggered");

static bool is_shared;
module_param_named(share, is_shared, bool, 0444);
MODULE_PARM_DESC(share, "share it");

static int irq;

static irqreturn_t irqhog_handle(int irq, void *data)
{
	return is_shared ? IRQ_NONE : IRQ_HANDLED;
}

static int __init irqhog_init(void)
{
	irq = acpi_register_gsi(NULL, gsi, ACPI_LEVEL_SENSITIVE, ACPI_ACTIVE_HIGH);
	if (irq < 0)
		return irq;
	return request_irq(irq, irqhog_handle, is_shared ? IRQF_SHARED : 0, "irqhog", &irq);
}

static void __exit irqhog_exit(void)
{
	free_irq(irq, &irq);
}

module_init(irqhog_init);
module_exit(irqhog_exit);

MODULE_DESCRIPTION("Takes an interrupt line for itself");
MODULE_LICENSE("GPL");
