/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* saved: what perf stat has printed */
#ifndef GPMU_SAVED_API_H
#define GPMU_SAVED_API_H

#include <gpmu/plan.h>
#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads what "perf stat -j" or "perf stat -x SEP" of perf 6.1 to 7.3 has printed, line by
 * line, and makes rows of it. Lines of an interval (-I), or of a whole run, are a table.
 *
 * perf prints values that it has scaled, and the time and the share that counters ran. The
 * share is cut off to a percent, so what was multiplexed is as exact as that. With -r values
 * are means.
 */
struct gpmu_saved;

/**
 * struct gpmu_saved_options - what the lines do not say
 * @size: of this structure
 * @system: 1: CPUs were counted (perf stat -a), 0: a command or tasks; lines of CPUs,
 *	nodes and packages say it themselves
 * @per_node: 1: rows of each node, also where PMUs' numbers alone say which that is
 */
struct gpmu_saved_options {
	size_t size;
	int system;
	int per_node;
};

/* New; @options NULL: all 0; NULL with errno ENOMEM */
struct gpmu_saved *gpmu_saved_new(const struct gpmu_saved_options *options);
/* NULL is allowed. */
void gpmu_saved_free(struct gpmu_saved *saved);

/**
 * gpmu_saved_line() - reads a line
 * @saved: where to
 * @line: a line with its newline; without one it is the last, and cut off unless it is
 *	JSON that has its end
 * @length: in bytes
 * @error: set on failure, or NULL: "line 3: expected ..."; its offset is that in @line
 *
 * Warnings that perf prints among them, and what it says of -D, are left out. The first line
 * that is not blank, and no comment, says whether it is JSON or CSV, and
 * what separates columns: one character.
 *
 * Return: 1: the line begins another interval, the table of the one before it is complete;
 * 0: it is not yet; -EINVAL (not a line of such output), -E2BIG (more than 1,000,000 lines in an
 * interval, or 16,384 different names) or -ENOMEM
 */
int gpmu_saved_line(struct gpmu_saved *saved, const char *line, size_t length,
		    struct gpmu_error *error);
/* No line follows. 1: the last table is complete; 0: there is none more */
int gpmu_saved_end(struct gpmu_saved *saved);
/* 1: the last line was cut off, and left out */
int gpmu_saved_is_cut(const struct gpmu_saved *saved);
/* 1: there are intervals; 0: one table is all */
int gpmu_saved_has_intervals(const struct gpmu_saved *saved);

/* Of the table that is complete: */

/* ns that it is of, where there are neither intervals nor duration_time */
void gpmu_saved_set_elapsed(struct gpmu_saved *saved, uint64_t elapsed);

/**
 * gpmu_saved_machine() - the machine that the output is of, as far as it shows
 * @saved: has a complete table
 * @root: of the machine that it may be, as for gpmu_machine_new(); NULL: this one
 * @error: set on failure, or NULL
 *
 * That at @root, if it has all PMUs that are in events' names; else one of those PMUs,
 * their numbers' nodes, and a Grace's core PMU if it is one.
 *
 * Return: new; NULL with errno EINVAL (a name that no PMU can have), ENOMEM, or those of
 * gpmu_machine_new()
 */
struct gpmu_machine *gpmu_saved_machine(const struct gpmu_saved *saved, const char *root,
					struct gpmu_error *error);

/**
 * gpmu_saved_rows() - the values of a plan's metrics and events
 * @saved: has a complete table
 * @plan: it is made, and must outlive @saved. Its events are found by their names, also without
 *	modifiers, with another order of digits or letters; of those that are there
 *	several times the first stands for the first
 * @rows: borrowed, until the next call for @saved
 * @length: how many; the next begins rows->size bytes further
 *
 * Return: 0, -EINVAL (no table is complete, or the plan is not made) or -ENOMEM
 */
int gpmu_saved_rows(struct gpmu_saved *saved, const struct gpmu_plan *plan,
		    const struct gpmu_row **rows, size_t *length);
/*
 * Likewise what was not used for the rows that were asked for last: events, and perf's own
 * metrics, as perf has printed them
 */
int gpmu_saved_others(struct gpmu_saved *saved, const struct gpmu_row **rows, size_t *length);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SAVED_API_H */
