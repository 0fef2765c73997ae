/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* saved: rows from saved output of perf stat */
#ifndef GPMU_SAVED_API_H
#define GPMU_SAVED_API_H

#include <gpmu/plan.h>
#include <gpmu/row.h>

/*
 * A gpmu_saved parses the output of "perf stat -j" or "perf stat -x SEP" of perf 6.1 to 7.3,
 * or the CSV or JSON of gpmu stat, versions 1 and 2, line by line, and makes rows of it. The lines
 * of an interval (-I), or of a whole run, form a table.
 *
 * perf prints scaled values, and the time and the percentage that the counters ran. Rows have the
 * values that perf printed. perf truncates the percentage, so raw counts and shares are exact to
 * about one percent. With -r the values are means of an unknown number of runs.
 *
 * Lines of dies, clusters, caches and cores are added up for their package.
 */
struct gpmu_saved;

/* The machine on which perf ran */
enum gpmu_saved_chip {
	GPMU_SAVED_ANY,		/* derived from the output */
	GPMU_SAVED_GRACE,	/* a Grace CPU, or a Superchip of two */
	GPMU_SAVED_HOPPER,	/* one or several Grace Hoppers */
};

/**
 * struct gpmu_saved_options - properties that the output does not contain
 * @size: size of this structure
 * @system: 1: CPUs were counted (perf stat -a), 0: a command or tasks. Lines of CPUs, nodes and
 *	packages show this themselves
 * @chip: the machine
 * @per_node: 1: make rows of each node, even where only the numbers of PMUs identify the node
 */
struct gpmu_saved_options {
	size_t size;
	int system;
	int per_node;
	enum gpmu_saved_chip chip;
};

/*
 * Creates a parser. @options NULL: all fields are 0. Returns a new object, or NULL with errno
 * ENOMEM.
 */
struct gpmu_saved *gpmu_saved_new(const struct gpmu_saved_options *options);
/* Frees @saved; NULL is allowed. */
void gpmu_saved_free(struct gpmu_saved *saved);

/**
 * gpmu_saved_line() - parses a line
 * @saved: the parser
 * @line: a line with its newline. A line without one is the last line and is treated as cut
 *	off, unless it is a complete JSON object
 * @length: length of @line in bytes
 * @error: set on failure, or NULL: "line 3: expected ..."; its offset is a byte offset in @line
 *
 * Warnings and messages about -D that perf prints between the lines are skipped. The first line
 * that is neither blank nor a comment determines whether the output is JSON or CSV, and the
 * separator of columns, which has up to 8 bytes. Counts of a second cgroup, counts with and without
 * a cgroup, counts of a second run without intervals (--append), negative numbers and grouped digits
 * are refused.
 *
 * Return: 1 if the line begins another interval and the table of the previous one is complete;
 * 0 if no table is complete yet; -EINVAL if the line is not output of perf stat; -E2BIG for
 * more than 1,000,000 lines in an interval or 16,384 different names; -ENOMEM
 */
int gpmu_saved_line(struct gpmu_saved *saved, const char *line, size_t length,
		    struct gpmu_error *error);
/* Ends the input. Returns 1 if the last table is complete, 0 if there is no further table */
int gpmu_saved_end(struct gpmu_saved *saved);
/* Returns 1 if the last line was cut off and skipped, otherwise 0 */
int gpmu_saved_is_cut(const struct gpmu_saved *saved);
/* Returns 1 if the output has intervals, 0 if it is one table */
int gpmu_saved_has_intervals(const struct gpmu_saved *saved);

/* The following functions refer to the table that is complete. */

/* Sets the duration of the run in ns, for output without intervals and without duration_time */
void gpmu_saved_set_elapsed(struct gpmu_saved *saved, uint64_t elapsed);

/**
 * gpmu_saved_machine() - derives the machine on which perf ran from the output
 * @saved: has a complete table
 * @root: root folder of a candidate machine, as for gpmu_machine_new(); NULL: this machine
 * @error: set on failure, or NULL
 *
 * The result is the machine at @root if it has all PMUs that occur in names of events, and the
 * events of cores without a PMU, such as CPU_CYCLES. Otherwise it is a machine with these PMUs,
 * the nodes of their numbers, and, if a PMU or an event is a Grace's, a core PMU of Grace. With
 * gpmu_saved_options.chip it is such a machine with all PMUs of that chip on each node that occurs
 * in the output, or on node 0.
 *
 * Return: a new machine; NULL with errno EINVAL (a name that no PMU can have), ENOMEM, or an
 * errno of gpmu_machine_new()
 */
struct gpmu_machine *gpmu_saved_machine(const struct gpmu_saved *saved, const char *root,
					struct gpmu_error *error);

/**
 * gpmu_saved_rows() - computes the rows of a plan's metrics and events
 * @saved: has a complete table
 * @plan: a plan after gpmu_plan_make(); must outlive @saved. Names of events match also without
 *	modifiers, with modifiers in another order, and with numbers in another base. Events of Arm
 *	cores also match perf's generic names without a PMU or with that of the cores, such as cycles for
 *	CPU_CYCLES. If a name occurs several times, the first in the output is the first in the plan
 * @rows: set to the rows, borrowed until the next call for @saved
 *
 * Return: 0; -EINVAL if no table is complete or gpmu_plan_make() was not called; -ENOMEM
 */
int gpmu_saved_rows(struct gpmu_saved *saved, const struct gpmu_plan *plan,
		    const struct gpmu_rows **rows);
/*
 * Returns 1 if all lines of the table repeat and the plan of the last gpmu_saved_rows() has each
 * event once, so that only the first lines were used; otherwise 0. The JSON of perf stat --append
 * does not show where a run begins.
 */
int gpmu_saved_repeats(const struct gpmu_saved *saved);
/*
 * Appends the events that the last gpmu_saved_rows() did not use, and perf's own metrics, as perf
 * printed them, to @rows; their texts are borrowed. The first event named @hidden is left out; NULL: none.
 * Returns as gpmu_saved_rows(); @rows may then have some of them.
 */
int gpmu_saved_others(struct gpmu_saved *saved, const char *hidden, struct gpmu_rows *rows);

#endif /* GPMU_SAVED_API_H */
