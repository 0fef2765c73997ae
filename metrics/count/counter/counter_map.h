/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts that the calling thread reads in user space. The kernel maps a page for each event with
 * the number of its hardware counter, so that a read needs no system call. The kernel must allow
 * it: kernel.perf_user_access and the format "rdpmc" on arm64, the PMU's file "rdpmc" on x86.
 *
 * Only the counted thread can use the pages, and only while its events are in counters. In all
 * other cases the caller reads by read(2): in another thread, in a child of fork(), and while a
 * group is disabled or, by multiplexing, has no counters.
 */
#ifndef GPMU_COUNTER_MAP_H
#define GPMU_COUNTER_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "values/counts.h"

struct counter_group;
struct counter_map;
struct counter_target;
struct counter_set;
struct event_instance;
struct target;

/* Returns whether a set of the group can be mapped on this target, as far as is known before it is open. */
bool counter_map_suits(const struct counter_group *group, const struct counter_set *set,
		       const struct target *target);
/* Sets the term of the event's PMU that asks the kernel for access from user space. */
void counter_map_ask(struct event_instance *event);
/*
 * Maps the events of a set that is open on this target, and not yet enabled. Returns NULL if the
 * set must be read by read(2).
 */
struct counter_map *counter_map_new(const struct counter_set *set,
				    const struct counter_target *target);
/* @map may be NULL. The events are still open. */
void counter_map_free(struct counter_map *map);

/*
 * Reads the counts of a set on its target @index, all at once. Returns false if read(2) must read
 * them.
 */
bool counter_map_read(struct counter_map *map, const struct counter_set *set, size_t index,
		      struct gpmu_counts *counts);
/* Raises the times of a read by read(2) to those of the last read in user space, if below. */
void counter_map_settle(struct counter_map *map, struct count *times);

#endif /* GPMU_COUNTER_MAP_H */
