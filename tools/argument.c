// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "argument.h"
#include "message.h"

long long parse_number(const char *option, const char *text, long long low, long long high)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(text, &end, 10);
	if (end == text || *end || errno || number < low || number > high)
		die("%s %s: expected a whole number from %lld to %lld", option, text, low, high);
	return number;
}

uint64_t parse_ms(const char *option, const char *text)
{
	return (uint64_t)(parse_number(option, text, 1, MAX_TIME) * MS);
}

uint64_t parse_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001) || seconds > (double)MAX_TIME / 1000)
		die("--duration %s: expected seconds, 0.001 or more", text);
	return (uint64_t)(seconds * 1000 + 0.5) * MS;
}

void parse_tasks(const char *option, const char *text, struct tasks *tasks)
{
	const char *cursor = text;

	do {
		char *end;
		long tid;

		errno = 0;
		tid = strtol(cursor, &end, 10);
		if (!isdigit((unsigned char)*cursor) || errno || tid < 1 || tid > INT32_MAX ||
		    (*end && *end != ','))
			die("%s %s: expected process or thread ids separated by \",\"",
			    option, text);
		tasks->list = need_memory(reallocarray(tasks->list, tasks->length + 1,
						       sizeof(*tasks->list)));
		tasks->list[tasks->length++] = (pid_t)tid;
		cursor = end;
	} while (*cursor++);
	tasks->text = text;
}

const char *parse_separator(const char *text)
{
	return strcmp(text, "\\t") ? text : "\t";
}

/* As in gpmu stat: no character that values or names of columns may have */
static bool is_separator(const char *text)
{
	for (const char *c = text; *c; c++)
		if (isalnum((unsigned char)*c) || strchr("_+-.\"#\r\n", *c))
			return false;
	return *text;
}

void check_separator(const char *text)
{
	if (!is_separator(text))
		die("-x: separator \"%s\": expected one without letters, digits and any of _+-.\"# and line ends", text);
}
