/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readings that the kernel takes. A sampling timer in the group makes the kernel write all
 * counts of the group to a ring buffer, in the timer's interrupt. libgpmu reads the buffer
 * later, many readings at a time. Waking up for each interval and interrupting all CPUs
 * costs about ten times as much.
 *
 * Grace's PMUs and other uncore PMUs join the clock's group on their own CPU. They have
 * counters for the whole group (plan_always_counts()). If another program's events cause
 * multiplexing, libgpmu reads the group by read(2) instead.
 *
 * A reading has cumulative counts and its own time. A missing reading, due to a busy CPU
 * or a full ring, makes an interval longer but loses no counts.
 *
 * The kernel throttles a timer that expires too often between two ticks: it stops the
 * whole group (Linux 6.16), which would then not be counted. An idle CPU has no ticks, so
 * any timer would reach that limit. Therefore each timer has a limit of its own at which
 * it ends, and is replaced before that. The group's leader is a clock that only counts,
 * for two reasons. The kernel starts an event that joins a running group only if both are
 * of one PMU. A reading has the times of the timer only, and the clock provides those of
 * the group.
 */
#ifndef GPMU_COUNTER_RING_H
#define GPMU_COUNTER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event_ring.h"
#include "values/counts.h"

struct counter_group;
struct counter_target;
struct counter_set;
struct perf_event_mmap_page;
struct perf_evsel;
struct source_group;

/* Readings that fit into a ring: the limit of each timer */
#define RING_MAX	400

/*
 * Layout of a reading: time (CLOCK_MONOTONIC_RAW), number of counts, the timer's enabled
 * and running, the clock, the counts, the timer's count
 */
enum { RING_TIME, RING_LENGTH, RING_ENABLED, RING_RUNNING, RING_CLOCK, RING_COUNTS };

/* The ring on one target of a set */
struct counter_ring {
	struct event_ring records;	/* libperf unmaps the page when the leader is closed */
	struct perf_evsel *timer;	/* the sampling timer; NULL: not running */
	uint64_t seen;			/* readings skipped since the timer began */
	uint64_t multiplexed;		/* skipped readings that show multiplexing */
	/* ns for which the group had no counters, valid for all following readings */
	uint64_t off;
	uint64_t read_off;		/* the same, as of the last read(2) */
	size_t numbers;			/* 64-bit numbers in a reading */
	uint64_t *taken, *ahead;	/* the last reading taken, and the one after it */
	uint64_t *group;		/* for the result of read(2) */
	bool is_taken, is_ahead;	/* taken since the last row; ahead is valid */
	const struct counter_set *set;
	size_t target;
};

/*
 * Initialises a ring. @page has @data bytes of data, a power of 2, after its first @first
 * bytes. Returns 0 or -ENOMEM.
 */
int counter_ring_init(struct counter_ring *ring, struct perf_event_mmap_page *page, size_t first,
		      size_t data, const struct counter_set *set, size_t target);
/* Ends the timer. */
void counter_ring_stop(struct counter_ring *ring);
/* Ends the timer and frees the ring, but not its page. @ring may be NULL. */
void counter_ring_free(struct counter_ring *ring);

/*
 * Reads the next reading into ring->ahead, unless it holds one. Returns 1; 0 if there is
 * none yet; -EIO if the kernel throttled the timer and may not have counted for a while;
 * -EBUSY if multiplexing deprived the group of its counters for a while.
 */
int counter_ring_look(struct counter_ring *ring);
/* Takes the reading in ring->ahead. */
void counter_ring_take(struct counter_ring *ring);
/*
 * Counts and discards all readings in the ring. Returns 0 or -EIO, as counter_ring_look()
 * does.
 */
int counter_ring_skip(struct counter_ring *ring);
/* Returns the space of parsed records to the kernel. */
void counter_ring_release(struct counter_ring *ring);
/* Replaces the times of a group that was read by the times of its leading clock. */
void counter_ring_times(struct counter_ring *ring, uint64_t clock, struct count *count);
/*
 * Returns 0, or -EBUSY if the group had no counters for a while since its last read for a
 * row.
 */
int counter_ring_check(const struct counter_ring *ring);
/* Fills the counts from the reading that was taken, as read(2) would. */
void counter_ring_counts(const struct counter_ring *ring, struct gpmu_counts *counts);

/*
 * Takes readings of all rings for about the same time, that of the first ring's next
 * reading. Each other ring contributes its last reading up to half a @period later, else
 * the next one up to three quarters of a @period later, and none older than a @period. A
 * time for which a ring has no such reading is skipped. @wants_all: take all readings that are
 * left, and wait for none, because the kernel writes no more.
 * Returns 1 with their @time; 0 if there are none yet and rings[*bad] is waited for; or
 * -EIO or -EBUSY of rings[*bad], as above.
 */
int counter_rings_next(struct counter_ring *const *rings, size_t length, uint64_t period,
		       bool wants_all, uint64_t *time, size_t *bad);

/* --- counter_ring_open.c */

/*
 * Opens a set that is not open, with a ring on each of its targets. On failure the set
 * remains closed. Returns 0 or -errno.
 */
int counter_ring_open(struct counter_group *group, struct counter_set *set);
/* Writes up to @room rings of a group to @rings; returns the number of all rings. */
size_t counter_ring_list(struct source_group *source, struct counter_ring **rings, size_t room);
/*
 * Starts a timer that makes the kernel take a reading every @period ns, at most @limit
 * readings; ends an earlier timer. Returns 0 or -errno; on failure no timer runs.
 */
int counter_ring_begin(struct counter_ring *ring, uint64_t period, uint64_t limit);
/* Number of timers in a group with a ring: 0 or 1 */
size_t counter_ring_timer_count(const struct counter_target *target);

#endif /* GPMU_COUNTER_RING_H */
