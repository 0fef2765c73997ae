/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readings that the kernel takes. Beside what is counted on a CPU there is a beat: each time
 * that it expires the kernel reads the whole group, in the interrupt that has come anyway,
 * into a ring of memory that is read later, many readings at a time. To wake up for each and
 * to interrupt all CPUs costs some ten times as much.
 *
 * Grace's PMUs and other uncore ones join the clock's group on their own CPU. They have
 * counters for all of it (plan_always_counts()); where another program's events take turns
 * with these, the group is read as of old.
 *
 * A reading is of cumulative counts with the time of its own, so one that is missing, as
 * the CPU was busy or the ring full, makes an interval longer, and nothing is lost.
 *
 * Too many beats between two ticks are what the kernel throttles: it stops the whole group
 * (Linux 6.16), which would not be counted. An idle CPU has no ticks, so that any beat would
 * come to that. Hence each has a limit at which it ends by itself, and another replaces it
 * before. The leader of the group is a clock that only counts: the kernel starts what joins
 * a group only if both are of one PMU, and a reading has the times of the beat alone, where
 * that clock has those of the group.
 */
#ifndef GPMU_COUNTER_RING_H
#define GPMU_COUNTER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values/counts.h"

struct counter_group;
struct counter_place;
struct counter_set;
struct perf_event_mmap_page;
struct perf_evsel;
struct source_group;

/* Readings that a ring has room for: no beat has more */
#define RING_MOST	400

/*
 * A reading: time (CLOCK_MONOTONIC_RAW), how many counts, enabled and running of the beat,
 * the clock, counts, the beat's
 */
enum { RING_TIME, RING_LENGTH, RING_ENABLED, RING_RUNNING, RING_CLOCK, RING_COUNTS };

/* Of one place of a set */
struct counter_ring {
	struct perf_event_mmap_page *page;
	size_t size;			/* of all that is mapped */
	const char *data;
	uint64_t mask;			/* size of the data - 1 */
	struct perf_evsel *beat;	/* or NULL: the kernel takes none */
	uint64_t seen;			/* readings that were skipped since it began */
	uint64_t turns;			/* ... that show that others took turns */
	uint64_t next;			/* where the next record is */
	uint64_t off;			/* ns that the group had no counters for, of all readings that come */
	uint64_t read_off;		/* ... as of when it was last read */
	size_t numbers;			/* of a reading */
	uint64_t *taken, *ahead;	/* readings: the last that was taken, the one behind it */
	uint64_t *group;		/* for what a read has */
	bool is_taken, is_ahead;	/* since the last row; it is there */
	const struct counter_set *set;
	size_t place;
};

/* @page: with @data bytes of data, a power of 2, behind the first @first. 0 or -ENOMEM */
int counter_ring_init(struct counter_ring *ring, struct perf_event_mmap_page *page, size_t first,
		      size_t data, const struct counter_set *set, size_t place);
/* Unmaps it. NULL is allowed. */
void counter_ring_free(struct counter_ring *ring);

/*
 * The next reading into ring->ahead, unless one is there. 1; 0: there is none as yet; -EIO:
 * the kernel found that there were too many interrupts, and may not have counted for a while;
 * -EBUSY: the group had no counters for a while, as others took turns
 */
int counter_ring_look(struct counter_ring *ring);
/* What was looked at becomes the reading that is taken. */
void counter_ring_take(struct counter_ring *ring);
/* Without what is in it now: readings are counted. 0; -EIO: as above */
int counter_ring_skip(struct counter_ring *ring);
/* The kernel may write again where what was looked at has been. */
void counter_ring_release(struct counter_ring *ring);
/* Of a group that was read: its own times become those of the clock that leads it. */
void counter_ring_times(struct counter_ring *ring, uint64_t clock, struct count *count);
/* 0; -EBUSY: the group has had no counters for a while since it was last read for a row */
int counter_ring_check(const struct counter_ring *ring);
/* The reading that was taken, as it would have been read */
void counter_ring_counts(const struct counter_ring *ring, struct gpmu_counts *counts);

/*
 * Readings of all rings that are about of the same time, that of the first ring: those
 * of the others are the last ones up to half a @period later, or where that has none the one
 * up to three quarters later, and no older than a @period.
 * A time for which a ring has none is left out. 1: they are taken, @time is theirs; 0: there
 * are none as yet, rings[*bad] is waited for; -EIO, -EBUSY: as above, of rings[*bad]. @all: nothing
 * more is written.
 */
int counter_rings_next(struct counter_ring *const *rings, size_t length, uint64_t period,
		       bool all, uint64_t *time, size_t *bad);

/* --- counter_ring_open.c */

/*
 * Opens a set that is not open, with a ring at all its places, or leaves it as it was.
 * 0 or -errno
 */
int counter_ring_open(struct counter_group *group, struct counter_set *set);
/* The rings of a group: how many; those that @rings has room for are there. */
size_t counter_ring_list(struct source_group *source, struct counter_ring **rings, size_t room);
/*
 * The kernel takes readings each @period ns, @limit of them at most, and none any more for
 * what was begun before. 0 or -errno: it takes none
 */
int counter_ring_begin(struct counter_ring *ring, uint64_t period, uint64_t limit);
/* It takes none any more. */
void counter_ring_stop(struct counter_ring *ring);
/* How many of a group's events are beats: 0 or 1 */
size_t counter_ring_beats(const struct counter_place *place);

#endif /* GPMU_COUNTER_RING_H */
