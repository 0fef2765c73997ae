/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of options: numbers, times, tasks, separators */
#ifndef GPMU_ARGUMENT_H
#define GPMU_ARGUMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The whole number in @text, the argument of @option, from @low to @high. Dies otherwise. */
long long parse_number(const char *option, const char *text, long long low, long long high);
/* The ns of a whole number of ms, at least 1. Dies otherwise. */
uint64_t parse_ms(const char *option, const char *text);
/* The ns of --duration's seconds, "1.5". Dies otherwise. */
uint64_t parse_duration(const char *text);

struct tasks {
	pid_t *list;		/* the caller frees it */
	size_t length;
	const char *text;	/* the argument */
};

/* Adds the process or thread ids of a list, such as "5,17". Dies on any other text. */
void parse_tasks(const char *option, const char *text, struct tasks *tasks);
/* The argument of -x, in which \t stands for a tab, as in perf */
const char *parse_separator(const char *text);
/* Dies if a separator has a character that values or names of columns may have. */
void check_separator(const char *text);

#define MS		1000000ll	/* ns */
#define MAX_TIME	31536000000ll	/* ms: a year */

#endif /* GPMU_ARGUMENT_H */
