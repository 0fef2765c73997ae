/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a source has counted: a table of slots and places. Counts are cumulative;
 * those of an interval are the difference of two tables.
 */
#ifndef GPMU_COUNTS_H
#define GPMU_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

enum count_state {
	COUNT_OK,		/* also of a task that has not run: all numbers are 0 then */
	COUNT_NOT_COUNTED,	/* enabled, but it never ran; or an error while it was open */
	COUNT_NOT_SUPPORTED,	/* the kernel or the machine does not have it */
};

/* Multiplexed if it ran for less than it was enabled: value = raw * enabled / running */
struct count {
	uint64_t raw;		/* as it was read */
	uint64_t enabled;	/* ns */
	uint64_t running;	/* ns, at most enabled */
	enum count_state state;
};

/* Where a slot is counted */
struct place {
	int cpu;		/* -1: any, or not known */
	int node;		/* the number of a NUMA node, -1: none */
	int tid;		/* of the task; -1: all tasks */
};

struct counts_slot {
	struct place *places;
	struct count *counts;	/* one for each place */
	size_t length;		/* 0: could not be counted at all; then why says it */
	enum count_state state;	/* of a slot without places */
	char *why;		/* or NULL */
};

struct gpmu_counts {
	uint64_t begin,
		end; /* CLOCK_MONOTONIC_RAW ns: of the interval, or from enabling to reading */
	uint64_t user_time, system_time;	/* ns */
	const char *times_why;	/* those two are not known; NULL: they are. Borrowed */
	struct counts_slot *slots;
	size_t n_slots;		/* of the plan */
	uint64_t shape;		/* a number of these places: others that have it have the same */
};

/* Slots without places, not counted; new; NULL with ENOMEM */
struct gpmu_counts *counts_new(size_t n_slots);
struct gpmu_counts *counts_copy(const struct gpmu_counts *counts);
/* NULL is allowed. */
void counts_free(struct gpmu_counts *counts);

/* The slot's places, a copy, with counts that are 0. 0, or -ENOMEM and the slot is as it was */
int counts_set_places(struct gpmu_counts *counts, size_t slot, const struct place *places,
		      size_t length);
/* The slot cannot be counted. @why: of its places too, copied; or NULL. 0 or -ENOMEM, likewise */
int counts_set_lost(struct gpmu_counts *counts, size_t slot, enum count_state state,
		    const char *why);

/* Whether both have the same places */
bool counts_alike(const struct gpmu_counts *a, const struct gpmu_counts *b);
/* @counts becomes as @from; without an allocation if they are alike. 0 or -ENOMEM */
int counts_assign(struct gpmu_counts *counts, const struct gpmu_counts *from);

/*
 * @interval becomes what was counted from @earlier to @later, both cumulative, at
 * the places of @later; a place that @earlier lacks counted from 0. What cannot be,
 * as a count that fell, is not counted, and what was enabled and never ran is not
 * either. Without an allocation if @interval and @later are alike. 0 or -ENOMEM
 */
int counts_difference(struct gpmu_counts *interval, const struct gpmu_counts *later,
		      const struct gpmu_counts *earlier);

/*
 * Adds @counts, those of an interval, to @total: places that it lacks too, the
 * interval's length to its end. A part that was enabled and never ran is scaled for
 * by the others; any other that was not counted makes the total not counted. Alike
 * without an allocation. 0 or -ENOMEM, and then @total may have some of them
 */
int counts_add(struct gpmu_counts *total, const struct gpmu_counts *counts);

static inline bool count_never_ran(const struct count *count)
{
	return count->enabled && !count->running;
}

/* An error while it was open */
static inline bool count_is_lost(const struct count *count)
{
	return count->state == COUNT_NOT_COUNTED && !count_never_ran(count);
}

/*
 * What was counted at one place from @earlier to @later, likewise. After an error while
 * it was open (not counted, all numbers 0) the next difference is not counted either, as
 * nobody knows what it would be of
 */
static inline struct count count_difference(const struct count *later, const struct count *earlier)
{
	struct count interval = { .state = COUNT_NOT_COUNTED };

	if (later->state == COUNT_NOT_SUPPORTED || earlier->state == COUNT_NOT_SUPPORTED) {
		interval.state = COUNT_NOT_SUPPORTED;
		return interval;
	}
	if (count_is_lost(later) || count_is_lost(earlier))
		return interval;
	if (later->raw < earlier->raw || later->enabled < earlier->enabled ||
	    later->running < earlier->running ||
	    later->running - earlier->running > later->enabled - earlier->enabled)
		return interval;
	interval.raw = later->raw - earlier->raw;
	interval.enabled = later->enabled - earlier->enabled;
	interval.running = later->running - earlier->running;
	if (interval.running || !interval.enabled)
		interval.state = COUNT_OK;
	return interval;
}

/* Adds a part to a total, likewise. */
static inline void count_add(struct count *total, const struct count *part)
{
	if (total->state == COUNT_NOT_SUPPORTED || part->state == COUNT_NOT_SUPPORTED) {
		*total = (struct count){ .state = COUNT_NOT_SUPPORTED };
		return;
	}
	if (count_is_lost(total) || count_is_lost(part)) {
		*total = (struct count){ .state = COUNT_NOT_COUNTED };
		return;
	}
	total->raw += part->raw;
	total->enabled += part->enabled;
	total->running += part->running;
	total->state = count_never_ran(total) ? COUNT_NOT_COUNTED : COUNT_OK;
}

/* raw * enabled / running, exact where they are equal; NaN if it was not counted */
double count_value(const struct count *count);

#endif /* GPMU_COUNTS_H */
