/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Intervals of a session that the kernel times (counter_ring.h). Not every kernel logs
 * readings on all CPUs, and some virtual machines do not on idle ones, so the session first
 * tries for some intervals whether enough readings arrive. While it tries, and while there are
 * too few, the session reads the counters itself.
 */
#ifndef GPMU_SESSION_RING_H
#define GPMU_SESSION_RING_H

#include <stddef.h>
#include <stdint.h>

struct counter_ring;
struct gpmu_counts;
struct gpmu_plan;
struct gpmu_session;
struct gpmu_session_options;
struct session_target;

struct session_rings {
	uint64_t interval;	/* ns */
	struct counter_ring **list;
	size_t length;
	struct gpmu_counts *now;	/* counts of the last readings taken */
	enum {
		RINGS_OFF,	/* the kernel logs none */
		RINGS_TRIED,	/* the kernel logs some; it is not known yet whether enough */
		RINGS_ON,
	} state;
	uint64_t limit;		/* readings that the kernel logs before its timers are replaced */
	uint64_t begun;		/* when the timers began */
	uint64_t until;		/* when this state ends */
	uint64_t pause;		/* ns for which the kernel is not tried after the next failure */
	uint64_t since;		/* since when rows are counted to see whether there are enough */
	uint64_t rows;
};

/* Returns the interval at which the kernel can log this plan's counts, or 0. */
uint64_t session_ring_interval(const struct gpmu_plan *plan,
			       const struct gpmu_session_options *options,
			       const struct session_target *target);
/*
 * Sets session->rings if each of the session's open groups has a ring. @interval is that of
 * session_ring_interval(). 0 or -ENOMEM
 */
int session_rings_new(struct gpmu_session *session, uint64_t interval);
/* NULL is allowed. */
void session_rings_free(struct session_rings *rings);

/* The functions below are for a session with rings. */

/* Stops the kernel's readings until session_rings_leave_read(). */
void session_rings_stop(struct session_rings *rings);
/* The session is paused: readings that were not taken belong to the next interval. */
void session_rings_pause(struct gpmu_session *session);
/*
 * Computes session->difference of the next interval that the kernel timed. Returns 1; 0 if there
 * is none yet; -ENODATA if the session reads the next interval itself; -ENOMEM
 */
int session_rings_next(struct gpmu_session *session);
/*
 * Called before and after the session reads an interval itself. Readings that the kernel logs in
 * between belong to the next interval. leave_read() also tries the kernel's readings when it is
 * time to.
 */
void session_rings_enter_read(struct gpmu_session *session);
void session_rings_leave_read(struct gpmu_session *session);
/* Returns ns from one call of session_rings_next() to the next; 0: the kernel logs no readings. */
uint64_t session_rings_wait_time(const struct session_rings *rings);

#endif /* GPMU_SESSION_RING_H */
