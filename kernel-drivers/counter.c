// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a PMU: read, preset, update of the events, overflow interrupt.
 *
 * A counter starts at half its range, as in other uncore drivers: it may run
 * another half range past its overflow before the interrupt handler has to
 * have seen it.
 */
#include <linux/bitfield.h>
#include <linux/interrupt.h>

#include "apmt.h"
#include "cspmu.h"

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

/* Is it read in two halves, which can fail? */
static bool is_split(const struct grace_pmu *gp)
{
	return is_wide(gp) && !gp->node->atomic;
}

/* All ones is what a page that is gone reads, and a counter only for an instant */
static bool is_gone(const struct grace_pmu *gp)
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

/* 0, -EIO if the counter changes too fast, -ENXIO if it is not there any more */
static int counter_read(struct grace_pmu *gp, int idx, u64 *val)
{
	void __iomem *addr = counter_addr(gp, idx);
	int ret = 0;

	if (is_split(gp))
		ret = read_stable(addr, val);
	else
		*val = is_wide(gp) ? readq(addr) : readl(addr);
	if (!ret && *val == (is_wide(gp) ? U64_MAX : U32_MAX) && is_gone(gp))
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
 * grace_counters_reset() - puts a PMU that may have been in use into order
 * @gp: the PMU
 *
 * Firmware or the kernel before kexec may have left counters running and an
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
 * An event that ended before the interrupt was handled has left its overflow
 * behind. It does no harm where it makes for a read more, but is not to be taken
 * for one of a counter that cannot be read.
 */
static void drop_overflow(struct grace_pmu *gp, int idx)
{
	void __iomem *addr = gp->page1 + PMOVSCLR + idx / GRACE_SET_BITS * sizeof(u32);
	u32 bit = BIT(idx % GRACE_SET_BITS);

	if (readl(addr) & bit)
		writel(bit, addr);
}

/**
 * grace_counter_preset() - sets an event's counter to half its range
 * @gp: the PMU
 * @event: the event
 */
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event)
{
	u64 val = counter_mask(gp) >> 1;

	local64_set(&event->hw.prev_count, val);
	gp->wraps[event->hw.idx] = 0;
	if (event->hw.event_base)
		gp->seen[event->hw.idx] = grace_poll_clock();
	if (is_split(gp))
		drop_overflow(gp, event->hw.idx);
	counter_write(gp, event->hw.idx, val);
}

/**
 * grace_counter_enable() - lets a counter count and interrupt
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
 * grace_counter_disable() - the reverse of grace_counter_enable()
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
 * Where a counter that went on over its wraps would be, modulo 2^64, from what
 * it shows: at the least, it wrapped once since the last read if it shows less.
 * An overflow at which it could not be read may be that wrap, or one more. Of 64
 * bits a wrap is nothing modulo 2^64.
 */
static u64 unwrap(const struct grace_pmu *gp, int idx, u64 prev, u64 now)
{
	u64 least = prev + ((now - prev) & counter_mask(gp)), seen;

	if (!gp->wraps[idx] || gp->cfg.width == 64)
		return least;
	seen = ((u64)gp->wraps[idx] << gp->cfg.width) + now;
	return (s64)(seen - least) > 0 ? seen : least;
}

/**
 * grace_counter_update() - adds to an event what its counter has counted
 * @gp: the PMU
 * @event: the event
 *
 * Return: 0, or -errno if the counter could not be read. Then the event stays as
 * it was, and the next read that succeeds adds all that was counted since.
 */
int grace_counter_update(struct grace_pmu *gp, struct perf_event *event)
{
	u64 prev = local64_read(&event->hw.prev_count), now;
	u64 begin = event->hw.event_base ? grace_poll_clock() : 0;
	int idx = event->hw.idx, ret;

	ret = counter_read(gp, idx, &now);
	if (event->hw.event_base)
		grace_poll_judge(gp, event);
	if (ret) {
		grace_report_unread(gp, idx, ret == -ENXIO);
		return ret;
	}

	gp->seen[idx] = begin;
	now = unwrap(gp, idx, prev, now);
	local64_set(&event->hw.prev_count, now);
	local64_add(now - prev, &event->count);
	return 0;
}

/**
 * grace_counters_update() - updates all events that count
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

		/* A page that is gone must not take others' interrupts */
		if (overflow && (overflow != U32_MAX || !is_gone(gp)))
			return true;
	}
	return false;
}

/*
 * With the counters stopped no overflow can come between the read and the
 * write of PMOVSCLR: an interrupt that is edge-triggered falls, and rises again
 * at the next one.
 */
static void handle_overflow(struct grace_pmu *gp)
{
	u32 overflow[GRACE_SET_REGS];
	int idx;

	for (unsigned int reg = 0; reg < grace_set_regs(gp); reg++) {
		overflow[reg] = readl(gp->page1 + PMOVSCLR + reg * sizeof(u32));
		writel(overflow[reg], gp->page1 + PMOVSCLR + reg * sizeof(u32));
	}

	for_each_set_bit(idx, gp->used, GRACE_MAX_COUNTERS) {
		struct perf_event *event = gp->events[idx];

		if (!(overflow[idx / GRACE_SET_BITS] & BIT(idx % GRACE_SET_BITS)) ||
		    event->hw.state & PERF_HES_STOPPED)
			continue;
		if (gp->wraps[idx])
			gp->wraps[idx]++;
		/* A counter that could not be read counts on from where it is */
		if (!grace_counter_update(gp, event))
			grace_counter_preset(gp, event);
		else if (!gp->wraps[idx])
			gp->wraps[idx] = 1;
	}
}

/**
 * grace_overflow() - handler of the overflow interrupt
 * @irq: the interrupt
 * @data: the PMU
 *
 * Runs on any CPU, see @lock of struct grace_pmu.
 *
 * Return: IRQ_NONE if it was another's interrupt
 */
irqreturn_t grace_overflow(int irq, void *data)
{
	struct grace_pmu *gp = data;
	unsigned long flags;
	bool ours;

	grace_lock(gp, &flags);
	ours = has_overflow(gp);
	if (ours) {
		writel(0, gp->page0 + PMCR);
		handle_overflow(gp);
		if (gp->running)
			writel(PMCR_E, gp->page0 + PMCR);
	}
	grace_unlock(gp, flags);

	return IRQ_RETVAL(ours);
}
