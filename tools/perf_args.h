/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of "perf stat": what gpmu has to know of them; all else is kept. */
#ifndef GPMU_PERF_ARGS_H
#define GPMU_PERF_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

struct perf_args {
	struct texts metrics;	/* the arguments of -M */
	struct texts kept;	/* options that perf gets */
	char **command;		/* and its arguments; NULL: none */
	const char *theirs;	/* metrics that are perf's; NULL: none; the caller's */
	const char *output, *separator;
	const char *cpus, *pids, *tids;
	unsigned int runs;	/* -r; at least 1 */
	bool append, json, system, interval, no_merge, no_big_num;
	bool other_form;	/* help: not for gpmu */
	const char *wrong;	/* an option or subcommand whose output gpmu cannot read, or NULL */
	struct texts made;	/* texts that are this structure's own */
};

/* @argv[0] is "stat"; dies if an option lacks its argument */
void perf_args_parse(struct perf_args *args, int argc, char **argv);
void perf_args_release(struct perf_args *args);
/*
 * perf's argv: @form is the option of the output's form, @fd where it goes, @events the
 * groups, which come before the user's. New, the list is the caller's to free()
 */
char **perf_args_make(struct perf_args *args, const char *perf, const char *form,
		      const char *fd, const char *events);
/* "'./app -n 3'"; new, the caller's to free() */
char *perf_args_title(const struct perf_args *args);

#endif /* GPMU_PERF_ARGS_H */
