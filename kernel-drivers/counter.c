// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a PMU: read, preset, update of the events, overflow interrupt.
 *
 * A counter has 64 bits and starts at half its range, as in the in-tree driver. Half the
 * range lasts 106 days at 10^12 counts per second. The overflow interrupt then starts the
 * counter again.
 */
#include <linux/interrupt.h>

#include "cspmu.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define HALF_RANGE	S64_MAX

/*
 * Bound of the high-low-high read of a counter without single-copy atomicity.
 * The high word changes once in 2^32 counts, tens of ms at the highest rate of
 * any event. A second round is needed only if the carry falls between two reads,
 * and a third is never needed. Eight rounds are 17 reads of 32 bits: at 1 us for
 * an uncached read across the fabric, reading a counter takes at most 17 us.
 */
#define STABLE_ROUNDS	8

static void __iomem *counter_addr(const struct grace_pmu *gp, int idx)
{
	return gp->page1 + PMEVCNTR + idx * sizeof(u64);
}

static bool is_atomic(const struct grace_pmu *gp)
{
	return gp->node->flags & ACPI_APMT_FLAGS_ATOMIC;
}

/* Returns 0, or -EIO if the high word changed in every round */
static int counter_read(struct grace_pmu *gp, int idx, u64 *val)
{
	void __iomem *addr = counter_addr(gp, idx);
	u32 high, low, again;

	if (is_atomic(gp)) {
		*val = readq(addr);
		return 0;
	}

	high = readl(addr + sizeof(u32));
	for (unsigned int round = 0; round < STABLE_ROUNDS; round++) {
		low = readl(addr);
		again = readl(addr + sizeof(u32));
		if (high == again) {
			*val = (u64)high << 32 | low;
			return 0;
		}
		high = again;
	}
	return -EIO;
}

static void counter_write(struct grace_pmu *gp, int idx, u64 val)
{
	void __iomem *addr = counter_addr(gp, idx);

	if (is_atomic(gp)) {
		writeq(val, addr);
	} else {
		writel(lower_32_bits(val), addr);
		writel(upper_32_bits(val), addr + sizeof(u32));
	}
}

/**
 * grace_counters_reset() - stop and clear all counters of a PMU
 * @gp: the PMU
 *
 * Firmware, or the kernel before a kexec, may have left counters running and an
 * interrupt pending.
 */
void grace_counters_reset(struct grace_pmu *gp)
{
	u32 mask = GENMASK(gp->counters - 1, 0);

	if (gp->has_cycles)
		mask |= BIT(GRACE_CYCLE_IDX);

	writel(0, gp->page0 + PMCR);
	writel(mask, gp->page0 + PMCNTENCLR);
	writel(mask, gp->page0 + PMINTENCLR);
	writel(mask, gp->page1 + PMOVSCLR);
	writel(PMCR_C | PMCR_P, gp->page0 + PMCR);
}

/**
 * grace_counter_preset() - set an event's counter to half its range
 * @gp: the PMU
 * @event: the event
 */
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event)
{
	local64_set(&event->hw.prev_count, HALF_RANGE);
	counter_write(gp, event->hw.idx, HALF_RANGE);
}

/**
 * grace_counter_enable() - enable a counter and its interrupt
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_counter_enable(struct grace_pmu *gp, int idx)
{
	writel(BIT(idx), gp->page0 + PMINTENSET);
	writel(BIT(idx), gp->page0 + PMCNTENSET);
}

/**
 * grace_counter_disable() - undo grace_counter_enable()
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_counter_disable(struct grace_pmu *gp, int idx)
{
	writel(BIT(idx), gp->page0 + PMCNTENCLR);
	writel(BIT(idx), gp->page0 + PMINTENCLR);
}

/**
 * grace_counter_update() - add the counts since the last read to an event
 * @gp: the PMU
 * @event: the event
 *
 * Return: 0, or -errno if the counter could not be read. The event is then
 * unchanged, and the next successful read adds all counts since the last one.
 */
int grace_counter_update(struct grace_pmu *gp, struct perf_event *event)
{
	u64 prev = local64_read(&event->hw.prev_count), now;
	int ret;

	ret = counter_read(gp, event->hw.idx, &now);
	if (ret) {
		atomic_inc(&gp->failed_reads);
		return ret;
	}

	local64_set(&event->hw.prev_count, now);
	local64_add(now - prev, &event->count);
	trace_counter_read(event);
	return 0;
}

/*
 * Returns whether a counter in use had an overflow. Only then the interrupt is this
 * PMU's: the kernel disables a line whose interrupts no handler claims.
 */
static bool handle_overflow(struct grace_pmu *gp, unsigned long overflow)
{
	bool is_ours = false;
	int idx, ret;

	for_each_set_bit(idx, &overflow, GRACE_INDEXES) {
		struct perf_event *event = gp->events[idx];

		if (!event)
			continue;
		is_ours = true;
		if (event->hw.state & PERF_HES_STOPPED)
			continue;
		ret = grace_counter_update(gp, event);
		trace_counter_overflow(event);
		/* A counter that could not be read keeps counting from its current value */
		if (!ret)
			grace_counter_preset(gp, event);
	}
	return is_ours;
}

/**
 * grace_overflow() - handler of the overflow interrupt
 * @irq: the interrupt
 * @data: the PMU
 *
 * Runs on any CPU, see @lock of struct grace_pmu. The counters are stopped, so that no
 * overflow occurs between the read and the write of PMOVSCLR: an edge-triggered interrupt
 * is then deasserted, and the next overflow raises it again.
 *
 * Return: IRQ_NONE if no counter in use has an overflow
 */
irqreturn_t grace_overflow(int irq, void *data)
{
	struct grace_pmu *gp = data;
	unsigned long flags;
	bool is_ours = false;
	u32 overflow;

	grace_lock(gp, &flags);
	if (readl(gp->page1 + PMOVSCLR)) {
		writel(0, gp->page0 + PMCR);
		overflow = readl(gp->page1 + PMOVSCLR);
		writel(overflow, gp->page1 + PMOVSCLR);
		is_ours = handle_overflow(gp, overflow);
		if (gp->is_running)
			writel(PMCR_E, gp->page0 + PMCR);
	}
	grace_unlock(gp, flags);

	return IRQ_RETVAL(is_ours);
}
