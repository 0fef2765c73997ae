// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock of a PMU. It is the last: no other, nor an update of the clocks, is
 * waited for under it, as perf may come here from within any. And what runs under
 * it has tracepoints and can have probes, of the irq_work, of the lock itself, of
 * any function: whoever listens there, a group that such a tracepoint leads or a
 * BPF program, may have perf read, or throttle, an event of this or of another
 * PMU on the CPU that holds the lock. So a CPU is marked from before it takes a
 * lock until it has given it back, and perf's way in is closed meanwhile.
 *
 * sparse does not follow the lock beyond these functions.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "cspmu.h"

static DEFINE_PER_CPU(bool, inside);

/**
 * grace_lock() - takes the lock of a PMU, with interrupts off
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
 * grace_lock_inside() - takes the lock where perf may call from under a lock
 * @gp: the PMU
 * @flags: for grace_unlock()
 *
 * Return: false if this CPU is under the lock of a PMU, or it is in an NMI and
 * another CPU has the lock: the caller has to do without it
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
 * grace_unlock() - gives it back
 * @gp: the PMU
 * @flags: of grace_lock() or grace_lock_inside()
 */
void grace_unlock(struct grace_pmu *gp, unsigned long flags)
{
	__acquire(&gp->lock);
	raw_spin_unlock(&gp->lock);
	__this_cpu_write(inside, false);
	local_irq_restore(flags);
}
