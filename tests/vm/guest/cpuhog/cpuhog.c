// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuhog - disables a CPU's interrupts from loading until unloading, so that interrupts on
 * that CPU are late and simultaneous. A time limit ends it if it is never unloaded.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/smp.h>

static int cpu;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "the CPU");

static unsigned int ms;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds, at most");

static bool is_over;

static void hold(void *data)
{
	for (unsigned int i = 0; i < ms && !READ_ONCE(is_over); i++)
		mdelay(1);
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
	WRITE_ONCE(is_over, true);
	smp_call_function_single(cpu, nothing, NULL, true);
}

module_init(cpuhog_init);
module_exit(cpuhog_exit);

MODULE_DESCRIPTION("Keeps a CPU's interrupts off");
MODULE_LICENSE("GPL");
