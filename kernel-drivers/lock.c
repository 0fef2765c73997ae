// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock of a PMU. It is innermost: its holder waits for no other lock and for
 * no update of the timekeeper, because perf may call the driver while any of them
 * is held.
 *
 * Code under the lock has tracepoints and may have probes: in irq_work, in the
 * lock itself, in any function. A group led by such a tracepoint, or a BPF program
 * attached to it, may make perf read or throttle an event of this or another PMU
 * on the CPU that holds the lock. Each CPU therefore sets a flag before it takes
 * the lock of a PMU and clears it after the release. While the flag is set,
 * grace_lock_inside() fails.
 *
 * sparse does not follow the lock beyond these functions.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "cspmu.h"

static DEFINE_PER_CPU(bool, inside);

/**
 * grace_lock() - take the lock of a PMU and disable interrupts
 * @gp: the PMU
 * @flags: for grace_unlock()
 */
void grace_lock(struct grace_pmu *gp, unsigned long *flags)
{
	local_irq_save(*flags);
	__this_cpu_write(inside, true);
	raw_spin_lock(&gp->lock);
	__release(&gp->lock);
}

/**
 * grace_lock_inside() - take the lock where this CPU may already hold one
 * @gp: the PMU
 * @flags: for grace_unlock()
 *
 * Return: false without the lock if this CPU holds the lock of a PMU, or if it is
 * in an NMI and another CPU holds the lock
 */
bool grace_lock_inside(struct grace_pmu *gp, unsigned long *flags)
{
	local_irq_save(*flags);
	if (!__this_cpu_read(inside)) {
		__this_cpu_write(inside, true);
		if (!in_nmi()) {
			raw_spin_lock(&gp->lock);
			__release(&gp->lock);
			return true;
		}
		if (raw_spin_trylock(&gp->lock)) {
			__release(&gp->lock);
			return true;
		}
		__this_cpu_write(inside, false);
	}
	local_irq_restore(*flags);
	return false;
}

/**
 * grace_unlock() - release the lock of a PMU and restore interrupts
 * @gp: the PMU
 * @flags: from grace_lock() or grace_lock_inside()
 */
void grace_unlock(struct grace_pmu *gp, unsigned long flags)
{
	__acquire(&gp->lock);
	raw_spin_unlock(&gp->lock);
	__this_cpu_write(inside, false);
	local_irq_restore(flags);
}
