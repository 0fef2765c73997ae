/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where results go, and JSON texts. */
#ifndef GPMU_OUTPUT_H
#define GPMU_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum output_mode {
	/*
	 * As a whole, when it is complete: until then the old file is there. At once where
	 * another file cannot take its place
	 */
	OUTPUT_REPLACE,
	OUTPUT_WRITE,	/* at once, for what takes long and is to be looked at meanwhile */
	OUTPUT_APPEND,
};

struct output {
	FILE *file;
	char *path;		/* NULL: it is not a file of its own */
	char *temporary;	/* beside it; or NULL */
	bool continues;		/* it is appended to what is there */
};

/*
 * @path NULL: @standard, stdout or stderr. What is no regular file, or below /dev or /proc as
 * /dev/stdout, is written at once. 0 or -errno
 */
int output_open(struct output *output, const char *path, enum output_mode mode, FILE *standard);
/* As perf begins such a file with; nothing if it is not a file of its own */
void output_started(const struct output *output, time_t when);
/* Complete: it takes its place. 0 or -errno, which is that of an earlier write too */
int output_close(struct output *output);
/* Leaves what was there, also done when gpmu exits before output_close() */
void output_drop(struct output *output);

/* A JSON text with its quotes, "null" of NULL; what is no UTF-8 is U+FFFD. */
void output_json(FILE *file, const char *text);

#endif /* GPMU_OUTPUT_H */
