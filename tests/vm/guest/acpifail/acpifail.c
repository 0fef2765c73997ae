// SPDX-License-Identifier: GPL-2.0-only
/*
 * acpifail - makes acpi_get_table() fail while the module is loaded.
 */
#include <linux/acpi.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int status = AE_BAD_CHECKSUM;
module_param(status, uint, 0444);
MODULE_PARM_DESC(status, "acpi_status that acpi_get_table() returns");

static int fail(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs->regs[0] = status;
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name	= "acpi_get_table",
	.handler	= fail,
};

static int __init acpifail_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit acpifail_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(acpifail_init);
module_exit(acpifail_exit);

MODULE_DESCRIPTION("Makes acpi_get_table() fail");
MODULE_LICENSE("GPL");
