/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files that are replaced as a whole */
#ifndef GPMU_OUTPUT_H
#define GPMU_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum output_mode {
	/*
	 * Replaces the file when the output is complete; until then the old file stays. Written
	 * in place if the file cannot be replaced.
	 */
	OUTPUT_REPLACE,
	OUTPUT_WRITE,	/* in place, for long runs whose output is read meanwhile */
	OUTPUT_APPEND,
};

struct replace;

struct output {
	FILE *file;
	char *path;		/* NULL: the standard stream of output_open() */
	struct replace *replace;	/* of the file */
	bool is_continued;	/* it is appended to a file that is not empty */
};

/*
 * Opens @path by gpmu_replace_open(). "-" is standard output; NULL is @standard, stdout or stderr. Returns
 * 0 or -errno.
 */
int output_open(struct output *output, const char *path, enum output_mode mode, FILE *standard);
/* Dies if the file @input, which is read, is also the output @path. Either may be NULL or "-". */
void output_check(const char *path, const char *input);
/* Writes perf's "# started on" line; nothing to a standard stream. */
void output_started(const struct output *output, time_t when);
/* Completes the output and replaces the file. Returns 0, or -errno, also of an earlier write. */
int output_close(struct output *output);
/* Discards the output and keeps the old file, as exit() or a signal does before output_close(). */
void output_drop(struct output *output);

#endif /* GPMU_OUTPUT_H */
