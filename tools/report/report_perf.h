/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu report of a recording of perf */
#ifndef GPMU_TOOLS_REPORT_PERF_H
#define GPMU_TOOLS_REPORT_PERF_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/gpmu_profile.h"
#include "report/report.h"

struct report_perf {
	const char *path;
	const char *by, *sort;	/* NULL: not given */
	bool wants_folded;	/* print folded stacks, not tables */
	bool wants_no_inline;	/* omit inlined functions from call stacks */
	size_t top;		/* most rows of an event; 0: all */
	const char *output;	/* NULL: standard output */
	const char *separator;	/* of CSV; NULL: "," */
	void (*write)(const struct report_output *output);
};

/*
 * Returns whether a path is a recording of perf: a file or pipe that begins with its magic, of which nothing is
 * consumed, or a folder. "-" is standard input.
 */
bool report_is_perf(const char *path);
/* Prints the report. Returns the exit status. Dies on options that do not fit. */
int report_perf(const struct report_perf *report);
/* Writes a frame of a folded stack, in which a semicolon ends a frame. */
void report_put_frame(FILE *file, const char *text);

/* Lines about the recording, not its samples */
struct report_facts {
	struct gpmu_report_cell *cells;	/* two of each line */
	size_t count;
};

void report_facts_add(struct report_facts *facts, const struct gpmu_profile *profile);
/* Adds how to record those keys of a table that are in none of its rows. */
void report_facts_missing(struct report_facts *facts, const struct gpmu_profile_table *table,
			  const enum gpmu_profile_key *keys, size_t key_count);
/* Returns the reason why call stacks have no callers; NULL: they have callers */
const char *report_facts_no_callers(const struct gpmu_profile *profile);
/* Adds this reason if the keys of a table have call stacks. */
void report_facts_stacks(struct report_facts *facts, const struct gpmu_profile *profile,
			 const enum gpmu_profile_key *keys, size_t key_count);
void report_facts_release(struct report_facts *facts);

#endif /* GPMU_TOOLS_REPORT_PERF_H */
