// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that wrap and cannot say so: narrower than 64 bits, and the platform
 * has no overflow interrupt for them or refused it. A timer reads them at least
 * once in each half of their range; the other half is the slack for its
 * lateness. How long half a range lasts is known from the most that an event
 * counts in one cycle and the highest clock. An event for which that is not
 * known, or too short, is refused: it could lose a wrap, and nobody would see.
 */
#include <linux/ratelimit.h>
#include <linux/time64.h>

#include "compat/compat.h"
#include "cspmu.h"

/*
 * No clock of these PMUs is documented. None is above 4 GHz: the cores, the
 * fastest part of Grace, stay below 3.5 GHz.
 */
#define MAX_CLOCK_MHZ		4000

/* Reading more often would cost a CPU more than the count is worth */
#define MIN_POLL_NS		NSEC_PER_MSEC

/* Half a range of 48 bits lasts half a minute at the highest rate: enough */
#define MAX_POLL_BITS		48U

static bool must_poll(const struct grace_pmu *gp)
{
	return gp->cfg.width < 64 && !gp->irq;
}

static u64 half_range_ns(const struct grace_pmu *gp, u32 max_inc)
{
	u64 half = BIT_ULL(min(gp->cfg.width, MAX_POLL_BITS) - 1);

	return half * 1000 / (max_inc * MAX_CLOCK_MHZ);
}

/* Shortest of the periods that the events in use want, 0 if there is none */
static u64 period_wanted(const struct grace_pmu *gp)
{
	u64 ns = 0;
	int idx;

	for_each_set_bit(idx, gp->used, GRACE_MAX_COUNTERS) {
		u64 want = gp->events[idx]->hw.event_base;

		if (!ns || want < ns)
			ns = want;
	}
	return ns;
}

/**
 * grace_poll_clock() - now, for who may be interrupting an update of the clocks
 *
 * Return: ns
 */
u64 grace_poll_clock(void)
{
	return ktime_get_mono_fast_ns();
}

/**
 * grace_poll_judge() - a counter was read, or tried to: did that come in time?
 * @gp: the PMU
 * @event: the event of the counter
 *
 * In twice its period a counter may have wrapped twice.
 */
void grace_poll_judge(struct grace_pmu *gp, const struct perf_event *event)
{
	s64 unseen = grace_poll_clock() - gp->seen[event->hw.idx];
	s64 late = unseen - 2 * event->hw.event_base;

	if (late > 0)
		grace_report_late(gp, late);
}

static enum hrtimer_restart poll(struct hrtimer *timer)
{
	struct grace_pmu *gp = container_of(timer, struct grace_pmu, timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	unsigned long flags;

	grace_lock(gp, &flags);
	/* Not if stopped, or stopped and started again, while this waited for the lock */
	if (gp->poll_ns && !hrtimer_is_queued(timer)) {
		grace_counters_update(gp);
		gp->poll_ns = period_wanted(gp);
		hrtimer_forward_now(timer, ns_to_ktime(gp->poll_ns));
		ret = HRTIMER_RESTART;
	}
	grace_unlock(gp, flags);
	return ret;
}

/**
 * grace_poll_event_init() - can an event be counted without missing a wrap?
 * @gp: the PMU
 * @event: the event; its hw.event_base becomes the period in ns, 0 if it needs no timer
 *
 * Return: 0 or -EOPNOTSUPP
 */
int grace_poll_event_init(struct grace_pmu *gp, struct perf_event *event)
{
	u64 id = event->attr.config == GRACE_CYCLES ? GRACE_CYCLES : event->hw.config;
	const struct grace_event *known = grace_event_of(gp->kind, id);
	char number[20];
	const char *name = number;
	u64 ns;

	event->hw.event_base = 0;
	if (!must_poll(gp))
		return 0;

	snprintf(number, sizeof(number), "0x%llx", id);
	if (known)
		name = known->name;
	if (!known || !known->max_inc) {
		if (__ratelimit(&gp->report.refused_limit))
			dev_warn(gp->dev,
				 "%s: event %s refused: %u-bit counters without an interrupt, and no bound on its increments per cycle is known\n",
				 gp->name, name, gp->cfg.width);
		return -EOPNOTSUPP;
	}

	ns = half_range_ns(gp, known->max_inc);
	if (ns < MIN_POLL_NS) {
		if (__ratelimit(&gp->report.refused_limit))
			dev_warn(gp->dev,
				 "%s: event %s refused: %u-bit counters without an interrupt would have to be read every %llu us (least %lu us)\n",
				 gp->name, name, gp->cfg.width, ns / NSEC_PER_USEC,
				 MIN_POLL_NS / NSEC_PER_USEC);
		return -EOPNOTSUPP;
	}
	event->hw.event_base = ns;
	return 0;
}

/**
 * grace_poll_add() - an event was given a counter: start the timer, or hasten it
 * @gp: the PMU
 * @event: the event
 *
 * Runs on the CPU that counts, with interrupts off, and pins the timer there: no
 * event is added, removed or polled elsewhere meanwhile. When that CPU goes
 * offline, perf core takes the events out of it, which stops the timer, and adds
 * them on the next one. The timer is not touched under the lock: a tracepoint of
 * the timers, under their lock, may read a counter.
 */
void grace_poll_add(struct grace_pmu *gp, struct perf_event *event)
{
	u64 ns = event->hw.event_base;
	unsigned long flags;
	bool sooner;

	if (!ns)
		return;

	grace_lock(gp, &flags);
	sooner = !gp->poll_ns || ns < gp->poll_ns;
	if (sooner) {
		/* The other events' slack begins anew, as the timer's period does */
		if (gp->poll_ns)
			grace_counters_update(gp);
		gp->poll_ns = ns;
	}
	grace_unlock(gp, flags);

	if (sooner)
		hrtimer_start(&gp->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * grace_poll_del() - an event has given up its counter: stop the timer after the last
 * @gp: the PMU
 */
void grace_poll_del(struct grace_pmu *gp)
{
	unsigned long flags;
	bool last;

	grace_lock(gp, &flags);
	last = gp->poll_ns && bitmap_empty(gp->used, GRACE_MAX_COUNTERS);
	if (last)
		gp->poll_ns = 0;
	grace_unlock(gp, flags);

	/* If it runs just now, it sees poll_ns */
	if (last)
		hrtimer_try_to_cancel(&gp->timer);
}

static void cancel(void *data)
{
	struct grace_pmu *gp = data;

	hrtimer_cancel(&gp->timer);
}

/**
 * grace_poll_setup() - prepares the timer, to be released with the device
 * @gp: the PMU
 *
 * Return: 0 or -errno
 */
int grace_poll_setup(struct grace_pmu *gp)
{
	hrtimer_setup(&gp->timer, poll, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return devm_add_action_or_reset(gp->dev, cancel, gp);
}
