/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counts of all sources: a table of slots and targets. Counts are cumulative; the counts of an
 * interval are the difference of two tables.
 */
#ifndef GPMU_COUNTS_H
#define GPMU_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

enum count_state {
	COUNT_OK,		/* also for a task that has not run, with all numbers 0 */
	COUNT_NOT_COUNTED,	/* enabled, but it never ran; or an error while it was open */
	COUNT_NOT_SUPPORTED,	/* the kernel or the machine lacks it */
};

/* Multiplexed if it ran for less than it was enabled: value = raw * enabled / running */
struct count {
	uint64_t raw;		/* unscaled */
	uint64_t enabled;	/* ns */
	uint64_t running;	/* ns, at most enabled */
	enum count_state state;
};

/* The CPU or task on which a slot is counted */
struct target {
	int cpu;		/* -1: any, or not known */
	int node;		/* number of the NUMA node; -1: none */
	int tid;		/* of the task; -1: all tasks */
};

/*
 * A value that another program has scaled and printed. Converting it to a raw count would round it.
 */
struct printed_count {
	double value;		/* in the event's unit */
	double deviation;	/* of the mean of several runs, in the unit; NaN: unknown, or one run */
	unsigned int sources;	/* number of PMUs in the sum; 0: the slot's one */
};

struct counts_slot {
	struct target *targets;
	struct count *counts;	/* one for each target */
	/* one for each target, in place of the raw counts; or NULL */
	struct printed_count *printed;
	size_t length;		/* 0: it cannot be counted; why has the reason */
	enum count_state state;	/* state of a slot without targets */
	char *why;		/* or NULL */
};

struct gpmu_counts {
	uint64_t begin,
		end; /* CLOCK_MONOTONIC_RAW ns: of the interval, or from enabling to reading */
	uint64_t paused;	/* ns before end in which the session was paused; not of intervals */
	uint64_t user_time, system_time;	/* ns */
	const char *times_why;	/* reason that the two times are not known, or NULL; borrowed */
	struct counts_slot *slots;
	size_t slot_count;		/* of the plan */
	/* identifies the targets: tables with the same shape have the same targets */
	uint64_t shape;
};

/* Creates a table of slots without targets, not counted. NULL with errno ENOMEM. */
struct gpmu_counts *counts_new(size_t slot_count);
struct gpmu_counts *counts_copy(const struct gpmu_counts *counts);
/* NULL is allowed. */
void counts_free(struct gpmu_counts *counts);

/* Sets the targets of a slot, copied, with counts of 0. 0, or -ENOMEM with the slot unchanged */
int counts_set_targets(struct gpmu_counts *counts, size_t slot, const struct target *targets,
		      size_t length);
/*
 * Gives each of the slot's targets a value that another program has printed, 0 at first. Sums and
 * differences of tables have no such values. 0 or -ENOMEM
 */
int counts_set_printed(struct gpmu_counts *counts, size_t slot);
/*
 * Marks a slot, and its targets, that cannot be counted. @why is copied, or NULL. 0, or -ENOMEM
 * with the slot unchanged
 */
int counts_set_lost(struct gpmu_counts *counts, size_t slot, enum count_state state,
		    const char *why);

/* Sets the reason of a slot, copied, or NULL. 0, or -ENOMEM with the slot unchanged */
int counts_set_why(struct counts_slot *slot, const char *why);

/* Returns whether both tables have the same targets. */
bool counts_are_alike(const struct gpmu_counts *a, const struct gpmu_counts *b);
/* Copies @from to @counts, without an allocation if the targets are the same. 0 or -ENOMEM */
int counts_assign(struct gpmu_counts *counts, const struct gpmu_counts *from);

/*
 * Sets @interval to the counts from @earlier to @later, both cumulative, at the targets of @later.
 * Its length is the time that was not paused, and it ends with @later. A target that @earlier lacks
 * started at 0. Impossible differences, such as of a count that decreased, and counters that were
 * enabled and never ran are marked as not counted. Does not allocate if @interval and @later have
 * the same targets. 0 or -ENOMEM
 */
int counts_difference(struct gpmu_counts *interval, const struct gpmu_counts *later,
		      const struct gpmu_counts *earlier);

/*
 * Sets @interval to the counts from @last to @now, as counts_difference(), and @last to @now.
 * Returns 0; -ENOMEM, and then the next step includes the counts of this one
 */
int counts_step(struct gpmu_counts *interval, struct gpmu_counts *last,
		const struct gpmu_counts *now);

/*
 * Adds @counts of an interval to @total, including targets that @total lacks, and the interval's
 * length to @total's end. A part that was enabled and never ran is estimated from the others; any
 * other part that was not counted makes the total not counted. Does not allocate if the targets
 * are the same. 0, or -ENOMEM with @total partly updated
 */
int counts_add(struct gpmu_counts *total, const struct gpmu_counts *counts);

/* The difference of two times or numbers; 0 if it would be negative */
static inline uint64_t counts_since(uint64_t later, uint64_t earlier)
{
	return later > earlier ? later - earlier : 0;
}

static inline bool count_never_ran(const struct count *count)
{
	return count->enabled && !count->running;
}

/* An error occurred while the counter was open. */
static inline bool count_is_lost(const struct count *count)
{
	return count->state == COUNT_NOT_COUNTED && !count_never_ran(count);
}

/*
 * The difference of one target's counts from @earlier to @later, as above. After a failed read (not
 * counted, all numbers 0) the next difference is not counted either, as its begin is not known.
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

/* Adds a part to a total, as above. */
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

/*
 * Adds the difference to a total, as the two functions above do. It is inline for the end of a
 * region, and tests less for a target that has always been counted.
 */
static inline void count_add_difference(struct count *total, const struct count *later,
					const struct count *earlier)
{
	uint64_t raw, enabled, running;
	struct count part;

	if ((total->state | later->state | earlier->state) == COUNT_OK &&
	    !__builtin_sub_overflow(later->raw, earlier->raw, &raw) &&
	    !__builtin_sub_overflow(later->enabled, earlier->enabled, &enabled) &&
	    !__builtin_sub_overflow(later->running, earlier->running, &running) &&
	    running && running <= enabled) {
		total->raw += raw;
		total->enabled += enabled;
		total->running += running;
		return;
	}
	part = count_difference(later, earlier);
	count_add(total, &part);
}

/* raw * enabled / running, exact if both times are equal; NaN if not counted */
double count_value(const struct count *count);

#endif /* GPMU_COUNTS_H */
