/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's perf events: declarations shared by counter*.c. */
#ifndef GPMU_COUNTER_H
#define GPMU_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/counter/backend.h"

struct counter_map;
struct counter_ring;
struct perf_evsel;
struct perf_event_attr;

/* The events of a set on one CPU or task */
struct counter_target {
	struct target target;
	struct perf_evsel **events;	/* one for each slot of the set; the first is the leader */
	/* leads the events if the kernel samples the group; else NULL */
	struct perf_evsel *clock;
	struct counter_ring *ring;	/* holds the kernel's readings of the group; else NULL */
	struct counter_map *map;	/* reads the group in user space; NULL: read(2) does */
	int fd;				/* of the leader; -1: not open */
	int refused;			/* errno of the failed open, or 0 */
	/* refused applies to the group; each event alone can be opened */
	bool is_together;
	bool is_lost;			/* it was open and can no longer be read */
	bool is_late;			/* the last read failed temporarily */
};

/* Slots that the kernel counts as one group, on each of the targets */
struct counter_set {
	size_t *slots;
	size_t slot_count;
	struct counter_target *targets;
	size_t target_count;
};

/* A plan's group: one set, or one set for each event if they cannot be opened together */
struct counter_group {
	struct source_group base;
	const struct gpmu_plan *plan;
	size_t index;			/* of the group in the plan */
	struct counter_set *sets;
	size_t set_count;
	uint64_t *buffer;		/* for the kernel's answer to a read of a set */
	bool wants_inherit;
	/* the kernel enables the group at exec, enable() does not */
	bool is_on_exec;
};

/* Layout of a read, in 64-bit numbers: number of events, enabled, running, counts */
#define COUNTER_HEAD	3

static inline struct counter_group *counter_group_of(struct source_group *group)
{
	return (struct counter_group *)group;
}

/* --- counter_fd.c: functions that need libperf's internal headers --- */

/*
 * Makes an event that is not open. @size is the size of the caller's struct
 * perf_event_attr, which can differ from libperf's. Returns NULL without memory.
 */
struct perf_evsel *counter_evsel_new(const struct perf_event_attr *attr, size_t size);
/* Sets the file descriptor on the event's only target; libperf closes it. */
void counter_evsel_set_fd(struct perf_evsel *event, int fd);
/* File descriptor on the event's only target; -1 if it is not open */
int counter_evsel_fd(const struct perf_evsel *event);

/* --- counter_event.c: one event on one CPU or task --- */

/*
 * Opens the event; a leader is opened disabled. Returns 0 or -errno; on failure there is
 * nothing to close.
 */
int counter_event_open(struct perf_evsel **event, const struct event_instance *instance,
		       struct perf_evsel *leader, const struct target *target, bool wants_inherit,
		       bool is_on_exec);
/* @event may be NULL. */
void counter_event_close(struct perf_evsel *event);

/* --- counter_target.c: the CPUs or tasks of a group --- */

/* Writes up to @size targets of the group to @targets; returns the number of all targets. */
size_t counter_targets(struct target *targets, size_t size, const struct gpmu_plan *plan,
		      const struct gpmu_group *group, const struct source_selection *selection);

/* --- counter_set.c: targets and events of a set --- */

/*
 * Makes the set's targets, not yet open. Returns 0 or -ENOMEM; the caller calls
 * counter_set_release() in both cases.
 */
int counter_set_make_targets(struct counter_set *set, const struct target *targets, size_t n);
struct perf_evsel *counter_set_leader(const struct counter_target *target);
void counter_set_close_target(const struct counter_set *set, struct counter_target *target);
/* Closes the events on all targets; the targets are as new. */
void counter_set_close(struct counter_set *set);
void counter_set_remove_target(struct counter_set *set, size_t index);
/* Also closes the events of the other slots. */
void counter_set_remove_slot(struct counter_set *set, size_t index);
void counter_set_release(struct counter_set *set);

/* --- counter_open.c: the events of a group on all its targets --- */

/*
 * Opens the sets of @group, which initially has one set with all slots and without targets.
 * Reports refused events in @counts. Returns 0, or -errno with the error set; the caller
 * releases the sets in both cases.
 */
int counter_open_sets(struct counter_group *group, const struct source_selection *selection,
		      struct gpmu_counts *counts, struct gpmu_error *error);

/* --- counter_error.c: reasons and remedies --- */

/*
 * Returns whether -@err means that this event cannot be counted here. Other errors concern all
 * events: permissions, file descriptors, memory.
 */
bool counter_error_is_refusal(int err);
enum count_state counter_error_state(int err);
/* Reason for a refusal of @together events as a group, or of one event if it is 0 */
void counter_error_why(struct gpmu_error *why, int err, size_t together,
		       const struct event_instance *instance, const struct target *target);
/* Sets @why to the reason of EACCES or EPERM, without the event's name: it applies to several events. */
void counter_error_denied(struct gpmu_error *why, int err, const struct gpmu_plan *plan,
			  const struct event_instance *instance, const struct target *target);
/*
 * Sets the error for an errno that is no refusal, with the remedy. @selection yields the
 * number of files needed.
 */
void counter_error_set(struct gpmu_error *error, int err, const struct gpmu_plan *plan,
		       const struct event_instance *instance, const struct target *target,
		       const struct source_selection *selection);

/* --- counter_read.c, counter_fits.c: functions of struct source_ops --- */

int counter_read(struct source_group *source, uint64_t time, struct gpmu_counts *counts);
int counter_fits(void *self, const struct event_instance *const *instances, size_t length);

#endif /* GPMU_COUNTER_H */
