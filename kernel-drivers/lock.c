// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock of a PMU. It is innermost: its holder takes no other lock, and reads no
 * clock, which may wait for an update of the timekeeper, because perf may call the
 * driver while any of them is held.
 *
 * Code under the lock has tracepoints and may have probes: in the lock itself, in any
 * function. A group led by such a tracepoint, or a BPF program
 * attached to it, may make perf read or throttle an event of this or another PMU
 * on the CPU that holds the lock. Each CPU therefore sets a flag before it takes
 * the lock of a PMU and clears it after the release. While the flag is set,
 * grace_locked() does nothing.
 *
 * With pseudo-NMIs, disabled interrupts do not exclude the interrupt of the cores' PMU.
 * A tracepoint in its handler, or a BPF program attached to an event of that PMU, makes
 * perf read or throttle an event there. grace_locked() does not wait for the lock in an
 * NMI: its holder may be the interrupted code, or wait for this CPU. What it calls must
 * be safe in an NMI, so it accesses registers only and prints nothing. An NMI before the
 * flag is set or after it is cleared finds the lock free, or held by another CPU. An event
 * without a counter is PERF_HES_STOPPED, which changes only under the lock, so that an NMI
 * during its add or del finds a consistent state.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "cspmu.h"

static DEFINE_PER_CPU(bool, is_inside);

/**
 * grace_lock() - take the lock of a PMU and disable interrupts
 * @gp: the PMU
 * @flags: for grace_unlock()
 */
void grace_lock(struct grace_pmu *gp, unsigned long *flags)
	__acquires(&gp->lock)
{
	local_irq_save(*flags);
	__this_cpu_write(is_inside, true);
	raw_spin_lock(&gp->lock);
}

/**
 * grace_unlock() - release the lock of a PMU and restore interrupts
 * @gp: the PMU
 * @flags: from grace_lock()
 */
void grace_unlock(struct grace_pmu *gp, unsigned long flags)
	__releases(&gp->lock)
{
	raw_spin_unlock(&gp->lock);
	__this_cpu_write(is_inside, false);
	local_irq_restore(flags);
}

/**
 * grace_locked() - call a function under the lock where this CPU may already hold one
 * @gp: the PMU
 * @event: an event of the PMU
 * @function: the function
 *
 * Does nothing if this CPU holds the lock of a PMU, or if it is in an NMI and another
 * CPU holds the lock.
 */
void grace_locked(struct grace_pmu *gp, struct perf_event *event,
		  void (*function)(struct grace_pmu *gp, struct perf_event *event))
{
	unsigned long flags;

	local_irq_save(flags);
	if (__this_cpu_read(is_inside))
		goto restore;

	__this_cpu_write(is_inside, true);
	if (!in_nmi()) {
		raw_spin_lock(&gp->lock);
		function(gp, event);
		raw_spin_unlock(&gp->lock);
	} else if (raw_spin_trylock(&gp->lock)) {
		function(gp, event);
		raw_spin_unlock(&gp->lock);
	}
	__this_cpu_write(is_inside, false);
restore:
	local_irq_restore(flags);
}
