// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"
#include "count/session.h"
#include "count/session_ring.h"
#include "event/event_fd.h"
#include "machine/pmu.h"

#define SECOND		UINT64_C(1000000000)
#define SHORTEST	100000		/* ns: below it, interrupts take most of the CPU time */
#define LONGEST		2000000	/* ns: above it, the session's own reads are cheap */
#define WAIT		25		/* intervals between two reads of the rings, */
#define LONGEST_WAIT	50000000	/* at most this many ns */
#define TRIED		20		/* intervals after which the number of samples is checked */
#define ENOUGH(n)	((n) / 2)	/* samples of n intervals that suffice */
#define LIMIT_MIN	60		/* a program that reads every 25 intervals can be late */
#define FIRST_PAUSE	SECOND
#define LONGEST_PAUSE	(64 * SECOND)

static const char why_few[] = "too few samples";
static const char why_busy[] = "another program multiplexes its counters";

/*
 * Returns the number of readings that the kernel takes between two ticks without throttling the
 * group. The resolution of the coarse clock is the period of ticks.
 */
static uint64_t find_limit(void)
{
	uint64_t rate = event_max_rate(), limit;
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec)
		return 0;
	if (rate > SECOND)
		rate = SECOND;
	limit = rate * (uint64_t)tick.tv_nsec / SECOND * 3 / 4;
	return limit < RING_MAX ? limit : RING_MAX;
}

/* Returns whether the group is always counted, and the clock can lead it. */
static bool is_group_fit(const struct gpmu_plan *plan, const struct gpmu_group *group)
{
	for (size_t i = 0; i < group->length; i++) {
		const struct event_instance *event = plan->slots[group->first + i].instance;

		if (event->is_weak || event->attr.pinned || event->attr.exclusive ||
		    (event->tool && event->tool != EVENT_TOOL_DURATION_TIME))
			return false;
	}
	return !(group->pmu && group->pmu->source) && group->is_always;
}

uint64_t session_ring_interval(const struct gpmu_plan *plan,
			       const struct gpmu_session_options *options,
			       const struct session_target *target)
{
	uint64_t interval = options->interval;

	/* The sampling timer of a cgroup's group would stop whenever its tasks do. */
	if (interval < SHORTEST || interval > LONGEST || !target->selection.is_system_wide ||
	    plan->cgroup_count)
		return 0;
	for (size_t i = 0; i < plan->group_count; i++)
		if (!is_group_fit(plan, &plan->groups[i]))
			return 0;
	return interval;
}

/* Writes up to @room rings to @list; returns the number of all rings */
static size_t list_rings(const struct gpmu_session *session, struct counter_ring **list,
			 size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < session->plan->group_count; i++)
		n += counter_ring_list(session->groups[i].open, list ? list + n : NULL,
				       room > n ? room - n : 0);
	return n;
}

/* Returns whether each count comes from a ring. */
static bool are_all(const struct gpmu_session *session)
{
	const struct session_rings *rings = session->rings;
	size_t n = 0, counts = 0;

	for (size_t i = 0; i < rings->length; i++)
		n += rings->list[i]->set->slot_count;
	for (size_t i = 0; i < session->now->slot_count; i++)
		counts += session->now->slots[i].length;
	return n && n == counts;
}

int session_rings_new(struct gpmu_session *session, uint64_t interval)
{
	struct session_rings *rings;

	if (!interval)
		return 0;
	session->rings = rings = calloc(1, sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	rings->interval = interval;
	rings->length = list_rings(session, NULL, 0);
	rings->list = calloc(rings->length + 1, sizeof(struct counter_ring *));
	rings->now = counts_copy(session->now);
	if (!rings->list || !rings->now)
		return -ENOMEM;
	list_rings(session, rings->list, rings->length);
	if (!are_all(session)) {
		session_rings_free(rings);
		session->rings = NULL;
	}
	return 0;
}

void session_rings_free(struct session_rings *rings)
{
	if (!rings)
		return;
	free(rings->list);
	counts_free(rings->now);
	free(rings);
}

/*
 * The next difference begins with counts that were read, so its times also begin with those that
 * were read.
 */
static void note_times(struct session_rings *rings)
{
	for (size_t i = 0; i < rings->length; i++)
		rings->list[i]->off = rings->list[i]->read_off;
}

static void stop(struct session_rings *rings)
{
	for (size_t i = 0; i < rings->length; i++)
		counter_ring_stop(rings->list[i]);
	rings->state = RINGS_OFF;
}

void session_rings_stop(struct session_rings *rings)
{
	stop(rings);
	/* Ignore losses so far: the session is not enabled yet. */
	for (size_t i = 0; i < rings->length; i++)
		counter_ring_skip(rings->list[i]);
	note_times(rings);
	rings->until = 0;
	rings->pause = FIRST_PAUSE;
}

/* Counts that the kernel may have missed make this interval and the total not counted. */
static void lose(struct gpmu_session *session, const struct counter_ring *ring)
{
	for (size_t i = 0; i < ring->set->slot_count; i++) {
		const struct count lost = { .state = COUNT_NOT_COUNTED };
		size_t slot = ring->set->slots[i];

		session->last->slots[slot].counts[ring->target] = lost;
		session->base->slots[slot].counts[ring->target] = lost;
	}
}

static void skip(struct gpmu_session *session)
{
	struct session_rings *rings = session->rings;

	for (size_t i = 0; i < rings->length; i++)
		if (counter_ring_skip(rings->list[i]))
			lose(session, rings->list[i]);
	note_times(rings);
	rings->since = raw_clock_now();
	rings->rows = 0;
}

void session_rings_pause(struct gpmu_session *session)
{
	stop(session->rings);
	skip(session);
	session->rings->until = 0;
}

static int give_up(struct session_rings *rings, size_t index, const char *why)
{
	const struct counter_ring *ring = rings->list[index];

	/* The kernel has logged enough readings for longer than the last pause. */
	if (rings->state == RINGS_ON && raw_clock_now() - rings->until > rings->pause)
		rings->pause = FIRST_PAUSE;
	log_line(GPMU_LOG_INFO, "the kernel does not sample the counters for %" PRIu64 " s: CPU %d: %s",
		 rings->pause / SECOND, ring->set->targets[ring->target].target.cpu, why);
	stop(rings);
	rings->until = raw_clock_now() + rings->pause;
	rings->pause = rings->pause < LONGEST_PAUSE ? rings->pause * 2 : LONGEST_PAUSE;
	return -ENODATA;
}

/* Starts the kernel's timers. 0 or -ENODATA */
static int begin(struct session_rings *rings)
{
	rings->limit = find_limit();
	if (rings->limit < LIMIT_MIN)
		return give_up(rings, 0, "kernel.perf_event_max_sample_rate is too low");
	rings->begun = raw_clock_now();
	for (size_t i = 0; i < rings->length; i++) {
		int ret = counter_ring_begin(rings->list[i], rings->interval, rings->limit);

		/* Readings do not show multiplexing between two timers. */
		if (!ret && rings->state == RINGS_ON)
			ret = counter_ring_check(rings->list[i]);
		if (ret)
			return give_up(rings, i, ret == -EBUSY ? why_busy : error_text(-ret));
	}
	return 0;
}

/* Tries the kernel's readings while the session reads the intervals itself. */
static void try(struct gpmu_session *session)
{
	struct session_rings *rings = session->rings;
	uint64_t now = raw_clock_now();

	if (rings->state == RINGS_ON || now < rings->until)
		return;
	if (rings->state == RINGS_OFF) {
		if (begin(rings))
			return;
		rings->state = RINGS_TRIED;
		rings->until = now + TRIED * rings->interval;
		return;
	}
	skip(session);
	for (size_t i = 0; i < rings->length; i++)
		if (rings->list[i]->seen < ENOUGH(TRIED)) {
			give_up(rings, i, rings->list[i]->multiplexed ? why_busy : why_few);
			return;
		}
	rings->state = RINGS_ON;
}

void session_rings_enter_read(struct gpmu_session *session)
{
	skip(session);
}

void session_rings_leave_read(struct gpmu_session *session)
{
	skip(session);
	if (session->is_enabled && !session->is_paused)
		try(session);
}

uint64_t session_rings_wait_time(const struct session_rings *rings)
{
	uint64_t time;

	if (rings->state != RINGS_ON)
		return 0;
	time = WAIT * rings->interval;
	return time < LONGEST_WAIT ? time : LONGEST_WAIT;
}

/*
 * Returns whether there were too few rows since they were last counted. A program that rarely asks for
 * rows finds at most as many readings as each timer takes.
 */
static bool are_few(struct session_rings *rings, uint64_t now)
{
	uint64_t intervals = (now - rings->since) / rings->interval, rows = rings->rows;

	if (intervals < TRIED)
		return false;
	rings->since = now;
	rings->rows = 0;
	return rows < ENOUGH(intervals < rings->limit ? intervals : rings->limit);
}

/* Called when there is no interval yet because ring @index lacks a reading. 0 or -ENODATA */
static int wait_on(struct gpmu_session *session, size_t index)
{
	struct session_rings *rings = session->rings;
	uint64_t now = raw_clock_now();

	for (size_t i = 0; i < rings->length; i++)
		counter_ring_release(rings->list[i]);
	if (session->has_ended)
		return -ENODATA;
	if (are_few(rings, now))
		return give_up(rings, index, why_few);
	return now - rings->begun < rings->limit / 2 * rings->interval ? 0 : begin(rings);
}

/*
 * Returns whether a reading belongs to the last interval, which the session reads when it is disabled:
 * the last interval is not shorter than half of the requested length.
 */
static bool is_last(const struct gpmu_session *session, uint64_t time)
{
	return session->has_ended && time + session->rings->interval / 2 > session->stop;
}

int session_rings_next(struct gpmu_session *session)
{
	struct session_rings *rings = session->rings;
	uint64_t time;
	size_t index;
	int ret;

	if (rings->state != RINGS_ON)
		return -ENODATA;
	ret = counter_rings_next(rings->list, rings->length, rings->interval, session->has_ended,
				 &time, &index);
	if (ret == -EBUSY)
		return give_up(rings, index, why_busy);
	if (ret < 0) {
		lose(session, rings->list[index]);
		return give_up(rings, index, "too many interrupts");
	}
	if (!ret || is_last(session, time))
		return wait_on(session, index);
	rings->rows++;
	rings->now->end = time;
	rings->now->paused = session->pause_time;
	for (size_t i = 0; i < rings->length; i++)
		counter_ring_counts(rings->list[i], rings->now);
	ret = counts_step(session->difference, session->last, rings->now);
	return ret ? ret : 1;
}
