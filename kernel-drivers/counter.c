// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a PMU: read, preset, update of the events, overflow interrupt.
 *
 * A counter starts at half its range, as in other uncore drivers. The interrupt
 * handler then has to run before the counter has counted another half range
 * after its overflow.
 */
#include <linux/bitfield.h>
#include <linux/interrupt.h>
#include <linux/timekeeping.h>

#include "apmt.h"
#include "cspmu.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static u64 counter_mask(const struct grace_pmu *gp)
{
	return GENMASK_ULL(gp->cfg.width - 1, 0);
}

static bool is_wide(const struct grace_pmu *gp)
{
	return gp->cfg.width > 32;
}

static void __iomem *counter_addr(const struct grace_pmu *gp, int idx)
{
	return gp->page1 + PMEVCNTR + idx * (is_wide(gp) ? sizeof(u64) : sizeof(u32));
}

/* Whether the counter is read in two halves, which can fail */
static bool is_split(const struct grace_pmu *gp)
{
	return is_wide(gp) && !gp->node->atomic;
}

/* An inaccessible page reads all ones. A counter has that value only for an instant. */
static bool is_inaccessible(const struct grace_pmu *gp)
{
	return readl(gp->page0 + PMCFGR) == U32_MAX;
}

static int read_stable(void __iomem *addr, u64 *val)
{
	u32 high = readl(addr + sizeof(u32)), low, again;

	for (unsigned int round = 0; round < GRACE_STABLE_ROUNDS; round++) {
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

/* Returns 0, -EIO if the counter changes too fast, -ENXIO if it is inaccessible */
static int counter_read(struct grace_pmu *gp, int idx, u64 *val)
{
	void __iomem *addr = counter_addr(gp, idx);
	int ret = 0;

	if (is_split(gp))
		ret = read_stable(addr, val);
	else
		*val = is_wide(gp) ? readq(addr) : readl(addr);
	if (!ret && *val == (is_wide(gp) ? U64_MAX : U32_MAX) && is_inaccessible(gp))
		ret = -ENXIO;
	return ret;
}

static void counter_write(struct grace_pmu *gp, int idx, u64 val)
{
	void __iomem *addr = counter_addr(gp, idx);

	if (!is_wide(gp)) {
		writel(lower_32_bits(val), addr);
	} else if (gp->node->atomic) {
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
	DECLARE_BITMAP(all, GRACE_MAX_COUNTERS);
	u32 mask[GRACE_SET_REGS];

	bitmap_copy(all, gp->implemented, GRACE_MAX_COUNTERS);
	if (gp->cfg.has_cycles)
		__set_bit(GRACE_CYCLE_IDX, all);
	bitmap_to_arr32(mask, all, GRACE_MAX_COUNTERS);

	writel(0, gp->page0 + PMCR);
	for (unsigned int reg = 0; reg < grace_set_regs(gp); reg++) {
		writel(mask[reg], gp->page0 + PMCNTENCLR + reg * sizeof(u32));
		writel(mask[reg], gp->page0 + PMINTENCLR + reg * sizeof(u32));
		writel(mask[reg], gp->page1 + PMOVSCLR + reg * sizeof(u32));
	}
	writel(PMCR_C | PMCR_P, gp->page0 + PMCR);
}

/*
 * An event that ended before its interrupt was handled leaves its overflow status
 * set. It causes only an extra read of a counter that can be read, but would count
 * as a wrap of one that cannot.
 */
static void drop_overflow(struct grace_pmu *gp, int idx)
{
	void __iomem *addr = gp->page1 + PMOVSCLR + idx / GRACE_SET_BITS * sizeof(u32);
	u32 bit = BIT(idx % GRACE_SET_BITS);

	if (readl(addr) & bit)
		writel(bit, addr);
}

/**
 * grace_counter_preset() - set an event's counter to half its range
 * @gp: the PMU
 * @event: the event
 */
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event)
{
	u64 val = counter_mask(gp) >> 1;

	local64_set(&event->hw.prev_count, val);
	gp->wraps[event->hw.idx] = 0;
	if (event->hw.event_base)
		gp->seen[event->hw.idx] = ktime_get_mono_fast_ns();
	if (is_split(gp))
		drop_overflow(gp, event->hw.idx);
	counter_write(gp, event->hw.idx, val);
}

/**
 * grace_counter_enable() - enable a counter and its interrupt
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_counter_enable(struct grace_pmu *gp, int idx)
{
	u32 reg = idx / GRACE_SET_BITS * sizeof(u32), bit = BIT(idx % GRACE_SET_BITS);

	writel(bit, gp->page0 + PMINTENSET + reg);
	writel(bit, gp->page0 + PMCNTENSET + reg);
}

/**
 * grace_counter_disable() - undo grace_counter_enable()
 * @gp: the PMU
 * @idx: number of the counter
 */
void grace_counter_disable(struct grace_pmu *gp, int idx)
{
	u32 reg = idx / GRACE_SET_BITS * sizeof(u32), bit = BIT(idx % GRACE_SET_BITS);

	writel(bit, gp->page0 + PMCNTENCLR + reg);
	writel(bit, gp->page0 + PMINTENCLR + reg);
}

/*
 * Extends the counter value @now to 64 bits. If @now is less than the last value,
 * the counter wrapped at least once since the last read. An overflow at which the
 * counter could not be read may be that wrap or an additional one, so the greater
 * of the two results is used. A 64-bit counter needs no extension.
 */
static u64 unwrap(const struct grace_pmu *gp, int idx, u64 prev, u64 now)
{
	u64 least = prev + ((now - prev) & counter_mask(gp)), seen;

	if (!gp->wraps[idx] || gp->cfg.width == 64)
		return least;
	seen = ((u64)gp->wraps[idx] << gp->cfg.width) + now;
	return (s64)(seen - least) > 0 ? seen : least;
}

/*
 * Reports a counter that was read, or attempted to read, too late to exclude a lost
 * wrap: a counter may wrap twice in two periods of the timer in poll.c.
 */
static void check_late(struct grace_pmu *gp, const struct perf_event *event)
{
	s64 unseen = ktime_get_mono_fast_ns() - gp->seen[event->hw.idx];
	s64 late = unseen - 2 * event->hw.event_base;

	if (late > 0)
		grace_report_late(gp, late);
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
	u64 begin = event->hw.event_base ? ktime_get_mono_fast_ns() : 0;
	int idx = event->hw.idx, ret;

	ret = counter_read(gp, idx, &now);
	if (event->hw.event_base)
		check_late(gp, event);
	if (ret) {
		grace_report_unread(gp, idx, ret == -ENXIO);
		return ret;
	}

	gp->seen[idx] = begin;
	now = unwrap(gp, idx, prev, now);
	local64_set(&event->hw.prev_count, now);
	local64_add(now - prev, &event->count);
	trace_counter_read(event);
	return 0;
}

/**
 * grace_counters_update() - update all events that count
 * @gp: the PMU
 */
void grace_counters_update(struct grace_pmu *gp)
{
	int idx;

	for_each_set_bit(idx, gp->used, GRACE_MAX_COUNTERS) {
		if (!(gp->events[idx]->hw.state & PERF_HES_STOPPED))
			grace_counter_update(gp, gp->events[idx]);
	}
}

static bool has_overflow(struct grace_pmu *gp)
{
	for (unsigned int reg = 0; reg < grace_set_regs(gp); reg++) {
		u32 overflow = readl(gp->page1 + PMOVSCLR + reg * sizeof(u32));

		/* An inaccessible page reads all ones */
		if (overflow && (overflow != U32_MAX || !is_inaccessible(gp)))
			return true;
	}
	return false;
}

/*
 * A flag that stays set would raise the interrupt for ever: masks the interrupt of its
 * counter until an event starts on the counter again.
 */
static void mask_stuck(struct grace_pmu *gp, unsigned int reg, u32 stuck)
{
	stuck &= readl(gp->page0 + PMINTENSET + reg * sizeof(u32));
	if (!stuck || is_inaccessible(gp))
		return;
	writel(stuck, gp->page0 + PMINTENCLR + reg * sizeof(u32));
	grace_report_stuck(gp, reg * GRACE_SET_BITS + __ffs(stuck));
}

/* Clears the overflow status of 32 counters and returns the flags that were cleared */
static u32 clear_overflow(struct grace_pmu *gp, unsigned int reg)
{
	void __iomem *status = gp->page1 + PMOVSCLR + reg * sizeof(u32);
	u32 overflow = readl(status), stuck;

	if (!overflow)
		return 0;
	writel(overflow, status);
	stuck = overflow & readl(status);
	if (stuck)
		mask_stuck(gp, reg, stuck);
	return overflow & ~stuck;
}

/*
 * The counters are stopped, so that no overflow occurs between the read and the
 * write of PMOVSCLR: an edge-triggered interrupt is then deasserted, and the next
 * overflow raises it again.
 *
 * Returns whether a counter in use had an overflow. Only then the interrupt is this
 * PMU's: the kernel disables a line whose interrupts no handler claims.
 */
static bool handle_overflow(struct grace_pmu *gp)
{
	u32 overflow[GRACE_SET_REGS];
	bool ours = false;
	int idx, ret;

	for (unsigned int reg = 0; reg < grace_set_regs(gp); reg++)
		overflow[reg] = clear_overflow(gp, reg);

	for_each_set_bit(idx, gp->used, GRACE_MAX_COUNTERS) {
		struct perf_event *event = gp->events[idx];

		if (!(overflow[idx / GRACE_SET_BITS] & BIT(idx % GRACE_SET_BITS)))
			continue;
		ours = true;
		if (event->hw.state & PERF_HES_STOPPED)
			continue;
		if (gp->wraps[idx])
			gp->wraps[idx]++;
		ret = grace_counter_update(gp, event);
		trace_counter_overflow(event);
		/* A counter that could not be read keeps counting from its current value */
		if (!ret)
			grace_counter_preset(gp, event);
		else if (!gp->wraps[idx])
			gp->wraps[idx] = 1;
	}
	return ours;
}

/**
 * grace_overflow() - handler of the overflow interrupt
 * @irq: the interrupt
 * @data: the PMU
 *
 * Runs on any CPU, see @lock of struct grace_pmu.
 *
 * Return: IRQ_NONE if no counter in use has an overflow that could be cleared
 */
irqreturn_t grace_overflow(int irq, void *data)
{
	struct grace_pmu *gp = data;
	unsigned long flags;
	bool ours = false;

	grace_lock(gp, &flags);
	if (has_overflow(gp)) {
		writel(0, gp->page0 + PMCR);
		ours = handle_overflow(gp);
		if (gp->running)
			writel(PMCR_E, gp->page0 + PMCR);
	}
	grace_unlock(gp, flags);

	return IRQ_RETVAL(ours);
}
