/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's perf events: what the parts of counter*.c share. */
#ifndef GPMU_COUNTER_H
#define GPMU_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/backend.h"

struct counter_ring;
struct perf_evsel;
struct perf_event_attr;

/* The events of a set at one place */
struct counter_place {
	struct place place;
	struct perf_evsel **events;	/* one for each slot of the set, the leader first */
	struct perf_evsel *clock;	/* leads them where the kernel may take readings; or NULL */
	struct counter_ring *ring;	/* ... and has them; or NULL */
	int fd;				/* the leader's; -1: it is not open */
	int refused;			/* the errno for which it is not, or 0 */
	bool together;			/* ... of the events together: each alone can be opened */
	bool lost;			/* it was open, and cannot be read any more */
	bool late;			/* it could not be read the last time, and may be again */
};

/* Slots that the kernel counts as one group, at each of the places */
struct counter_set {
	size_t *slots;
	size_t n_slots;
	struct counter_place *places;
	size_t n_places;
};

/* A plan's group: one set, or one for each event where they cannot be opened together */
struct counter_group {
	struct source_group base;
	const struct gpmu_plan *plan;
	size_t index;			/* of the group in the plan */
	struct counter_set *sets;
	size_t n_sets;
	uint64_t *buffer;		/* for what the kernel has of a set */
	bool inherit;
	bool on_exec;			/* the kernel enables it, enable() does not */
};

/* What the kernel has of a set, in 64-bit numbers: how many events, enabled, running, counts */
#define COUNTER_HEAD	3

static inline struct counter_group *counter_group_of(struct source_group *group)
{
	return (struct counter_group *)group;
}

/* --- counter_fd.c: what needs libperf's own headers --- */

/*
 * A new event, of the leader's group or a leader itself (NULL). @size is that of
 * the caller's struct perf_event_attr, which may be another than libperf's.
 */
struct perf_evsel *counter_evsel_new(const struct perf_event_attr *attr, size_t size,
				     struct perf_evsel *leader);
/* Of its only place; -1: it is not open */
int counter_evsel_fd(const struct perf_evsel *event);

/* --- counter_event.c: one event at one place --- */

/*
 * Opens it, disabled if it is a leader. Returns 0 or -errno; then there is
 * nothing to close.
 */
int counter_event_open(struct perf_evsel **event, const struct event_instance *instance,
		       struct perf_evsel *leader, const struct place *place, bool inherit,
		       bool on_exec);
/* NULL is allowed. */
void counter_event_close(struct perf_evsel *event);

/* --- counter_place.c: where a group is counted --- */

/* How many places there are, of which as many as @size has room for are in @places */
size_t counter_places(struct place *places, size_t size, const struct gpmu_plan *plan,
		      const struct gpmu_group *group, const struct source_target *target);

/* --- counter_set.c: places and events of a set --- */

/* Of its slots, not open. 0 or -ENOMEM; counter_set_release() in both cases */
int counter_set_make_places(struct counter_set *set, const struct place *places, size_t n);
struct perf_evsel *counter_set_leader(const struct counter_place *place);
void counter_set_close_place(const struct counter_set *set, struct counter_place *place);
/* At all places, which are as new */
void counter_set_close(struct counter_set *set);
void counter_set_remove_place(struct counter_set *set, size_t index);
/* Closes the others, too. */
void counter_set_remove_slot(struct counter_set *set, size_t index);
void counter_set_release(struct counter_set *set);

/* --- counter_open.c: the events of a group at all its places --- */

/*
 * Opens the sets of @group, of which there is one with all its slots and none of
 * its places. What is refused is in @counts. Returns 0, or -errno with the error
 * set; the sets are to be released in both cases.
 */
int counter_open_sets(struct counter_group *group, const struct source_target *target,
		      struct gpmu_counts *counts, struct gpmu_error *error);

/* --- counter_error.c: what is wrong, and what to do --- */

/*
 * Whether -@err means that this event cannot be counted here, and not that nothing
 * can: permissions, file descriptors, memory.
 */
bool counter_error_is_refusal(int err);
enum count_state counter_error_state(int err);
/* Of a refusal: of @together so many events, or of one (0) */
void counter_error_why(struct gpmu_error *why, int err, size_t together,
		       const struct event_instance *instance, const struct place *place);
/* What is no refusal, and what to do; @target tells how many files it takes */
void counter_error_set(struct gpmu_error *error, int err, const struct gpmu_plan *plan,
		       const struct event_instance *instance, const struct place *place,
		       const struct source_target *target);

/* --- counter_read.c, counter_fits.c: of struct source_ops --- */

int counter_read(struct source_group *source, uint64_t time, struct gpmu_counts *counts);
int counter_fits(void *self, const struct event_instance *const *instances, size_t length);

#endif /* GPMU_COUNTER_H */
