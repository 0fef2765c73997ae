// SPDX-License-Identifier: GPL-2.0-only
/*
 * Polling of counters that are narrower than 64 bits and have no overflow
 * interrupt, because the platform has none or the request for it failed. A timer
 * reads the counters at least once per half range. The other half is slack for a
 * late timer. The duration of half a range follows from the maximum increment per
 * cycle of an event and the maximum clock rate. An event is refused if its maximum
 * increment is not known or the duration is too short, as a wrap could be lost
 * unnoticed.
 */
#include <linux/ratelimit.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "compat/compat.h"
#include "cspmu.h"

/*
 * The clock rates of these PMUs are not documented. The fastest part of Grace, the
 * cores, runs below 3.5 GHz.
 */
#define MAX_CLOCK_MHZ		4000

/* Lower limit of the period, which bounds the CPU time spent on polling */
#define MIN_POLL_NS		NSEC_PER_MSEC

/* Half a range of 48 bits lasts half a minute at the highest rate */
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

/* The shortest period that an event in use requires, 0 if none requires one */
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

static enum hrtimer_restart poll(struct hrtimer *timer)
{
	struct grace_pmu *gp = container_of(timer, struct grace_pmu, timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	unsigned long flags;

	grace_lock(gp, &flags);
	/* The timer may have been stopped, or also restarted, while this waited for the lock */
	if (gp->poll_ns && !hrtimer_is_queued(timer)) {
		grace_counters_update(gp);
		gp->poll_ns = period_wanted(gp);
		/* Not hrtimer_forward_now(): its clock waits for an update of the timekeeper */
		hrtimer_forward(timer, ns_to_ktime(ktime_get_mono_fast_ns()),
				ns_to_ktime(gp->poll_ns));
		ret = HRTIMER_RESTART;
	}
	grace_unlock(gp, flags);
	return ret;
}

/**
 * grace_poll_event_init() - check whether an event can be counted without losing a wrap
 * @gp: the PMU
 * @event: the event; hw.event_base is set to the period in ns, 0 if it needs no timer
 *
 * Return: 0 or -EOPNOTSUPP
 */
int grace_poll_event_init(struct grace_pmu *gp, struct perf_event *event)
{
	u64 id = event->attr.config == GRACE_CYCLES ? GRACE_CYCLES : event->hw.config;
	const struct grace_event *known = grace_event_of(gp->variant, id);
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
 * grace_poll_add() - start the timer, or shorten its period, for an added event
 * @gp: the PMU
 * @event: the event, which has a counter
 *
 * Runs on the active CPU with interrupts off and pins the timer to it, so that no
 * other CPU adds, removes or polls an event meanwhile. When that CPU goes offline,
 * perf core removes the events from it, which stops the timer, and adds them on
 * the next CPU. The timer is not started under the lock of the PMU: a tracepoint
 * under the timer's lock may read a counter.
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
		/* The timer restarts: give the other events their full slack again */
		if (gp->poll_ns)
			grace_counters_update(gp);
		gp->poll_ns = ns;
	}
	grace_unlock(gp, flags);

	if (sooner)
		hrtimer_start(&gp->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * grace_poll_del() - stop the timer after the last event was removed
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

	/* A handler that is running stops because poll_ns is 0 */
	if (last)
		hrtimer_try_to_cancel(&gp->timer);
}

static void cancel(void *data)
{
	struct grace_pmu *gp = data;

	hrtimer_cancel(&gp->timer);
}

/**
 * grace_poll_setup() - set up the timer until the device is released
 * @gp: the PMU
 *
 * Return: 0 or -errno
 */
int grace_poll_setup(struct grace_pmu *gp)
{
	hrtimer_setup(&gp->timer, poll, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return devm_add_action_or_reset(gp->dev, cancel, gp);
}
