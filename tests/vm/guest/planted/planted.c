// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits one fault that a checker of the debug kernel detects,
 * so that tests/vm/debug-faults.t can verify that the rig reports it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *fault = "none";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "which fault to commit");

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);
static DEFINE_SPINLOCK(spinlock);
static DEFINE_RAW_SPINLOCK(raw_spinlock);
static DEFINE_PER_CPU(int, per_cpu_number);
static int __rcu *rcu_pointer;
static int sink;

static void plant_leak(void)
{
	void *p = kmalloc(100, GFP_KERNEL);

	/* The compiler must not drop the allocation */
	OPTIMIZER_HIDE_VAR(p);
	p = NULL;
	OPTIMIZER_HIDE_VAR(p);
}

static void plant_use_after_free(void)
{
	int *p = kzalloc(sizeof(*p), GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	sink = READ_ONCE(*p);
}

static void plant_inversion(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

/* On PREEMPT_RT a spinlock sleeps and a raw spinlock does not. */
static void plant_nesting(void)
{
	raw_spin_lock(&raw_spinlock);
	spin_lock(&spinlock);
	spin_unlock(&spinlock);
	raw_spin_unlock(&raw_spinlock);
}

static void plant_sleep(void)
{
	spin_lock(&spinlock);
	might_sleep();
	spin_unlock(&spinlock);
}

static void plant_rcu(void)
{
	if (rcu_dereference(rcu_pointer))
		sink++;
}

static void plant_per_cpu(void)
{
	sink += __this_cpu_inc_return(per_cpu_number);
}

static void plant_shift(void)
{
	int bits = 64;

	OPTIMIZER_HIDE_VAR(bits);
	sink = 1 << bits;
}

static void timer_function(struct timer_list *timer)
{
}

static void plant_timer(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, timer_function, 0);
	mod_timer(timer, jiffies + 100 * HZ);
	kfree(timer);
}

static const struct {
	const char *name;
	void (*plant)(void);
} faults[] = {
	{ "leak", plant_leak },
	{ "use-after-free", plant_use_after_free },
	{ "inversion", plant_inversion },
	{ "nesting", plant_nesting },
	{ "sleep", plant_sleep },
	{ "rcu", plant_rcu },
	{ "per-cpu", plant_per_cpu },
	{ "shift", plant_shift },
	{ "timer", plant_timer },
};

static int __init planted_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, fault))
			continue;
		faults[i].plant();
		return 0;
	}
	pr_err("no fault %s\n", fault);
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);

MODULE_DESCRIPTION("Faults for the debug kernel to find");
MODULE_LICENSE("GPL");
