// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "message.h"

#define MAX_MESSAGE	2048

int stdout_flush(void)
{
	static int first;	/* a later flush has nothing left to write, and so no errno */

	if (fflush(stdout) && !first)
		first = -errno;
	if (ferror(stdout) && !first)
		first = -EIO;
	return first;
}

/* Writes the line with one call, so that lines of other processes do not mix with it. */
static void message(const char *kind, const char *fmt, va_list args)
{
	char text[MAX_MESSAGE];

	vsnprintf(text, sizeof(text), fmt, args);
	stdout_flush();
	fprintf(stderr, "%s: %s%s\n", program_invocation_name, kind, gpmu_shown(text));
}

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("", fmt, args);
	va_end(args);
	exit(EXIT_OWN);
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("warning: ", fmt, args);
	va_end(args);
}

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("", fmt, args);
	va_end(args);
}

const char *output_error(int number)
{
	switch (number) {
	case EFBIG:
		return "File too large; raise ulimit -f";
	case ENOENT:
		return "No such file or directory: its folder does not exist";
	default:
		return strerror(number);
	}
}

void say_output(const char *path, const FILE *standard, int error)
{
	static bool is_reported;

	if (path && !strcmp(path, "-")) {
		path = NULL;
		standard = stdout;
	}
	if (!path && standard == stdout) {
		if (is_reported)
			return;
		is_reported = true;
	}
	say("%s: %s", path ? path : standard == stdout ? "standard output" : "standard error", output_error(-error));
}

void die_output(const char *path, const FILE *standard, int error)
{
	say_output(path, standard, error);
	exit(EXIT_OWN);
}

void die_no_memory(void)
{
	die("%s", strerror(ENOMEM));
}

void parse_arguments(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	static char buffer[1 << 16];

	/* --help fits into this buffer, so that stdout_flush() sees the errno of its only write(2). */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	/* The parsers report all other errors, and exit. */
	if (argp_parse(argp, argc, argv, flags, NULL, input))
		die_no_memory();
}

void *need_memory(void *memory)
{
	if (!memory)
		die_no_memory();
	return memory;
}

char *print_text(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0)
		die_no_memory();
	return text;
}
