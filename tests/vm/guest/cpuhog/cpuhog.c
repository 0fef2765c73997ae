// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuhog - disables a CPU's interrupts for a given time when it is loaded, so that
 * interrupts on that CPU are late and simultaneous. Unloading waits for the end.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/smp.h>

static int cpu;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "the CPU");

static unsigned int ms;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds");

static void hold(void *data)
{
	mdelay(ms);
}

static void nothing(void *data)
{
}

static int __init cpuhog_init(void)
{
	return smp_call_function_single(cpu, hold, NULL, false);
}

static void __exit cpuhog_exit(void)
{
	smp_call_function_single(cpu, nothing, NULL, true);
}

module_init(cpuhog_init);
module_exit(cpuhog_exit);

MODULE_DESCRIPTION("Keeps a CPU's interrupts off");
MODULE_LICENSE("GPL");
