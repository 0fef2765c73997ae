/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the command on standard error, and its end without memory */
#ifndef GPMU_MESSAGE_H
#define GPMU_MESSAGE_H

#include <argp.h>
#include <stddef.h>
#include <stdio.h>

/* One line on standard error: "gpmu stat: ...", and exit(EXIT_OWN) */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void die_no_memory(void) __attribute__((noreturn));
/* "gpmu stat: warning: ..."; hidden, because plugins that call warn(3) would call this one. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2), visibility("hidden")));
/* Prints a line as die() does, and returns. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output. Returns 0, or -errno of its first error; -EIO if stdio kept no errno. */
int stdout_flush(void);
/* Returns the text of an errno number of an output file, with a remedy if there is one. */
const char *output_error(int number);

/*
 * Reports that the file @path of output_open(), or @standard, cannot be opened or written. An
 * error of standard output is reported only once.
 */
void say_output(const char *path, const FILE *standard, int error);
/* Prints as say_output() does, and exits with EXIT_OWN. */
void die_output(const char *path, const FILE *standard, int error) __attribute__((noreturn));

/* Parses a command line as argp_parse() does, into @input. Dies if there is no memory. */
void parse_arguments(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

/* These die if there is no memory. */
void *need_memory(void *memory);
char *print_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* GPMU_MESSAGE_H */
