/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the arguments of "perf stat" that gpmu needs, and keeps all others for perf. */
#ifndef GPMU_PERF_ARGS_H
#define GPMU_PERF_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

/* An argument of -e */
struct perf_event_list {
	char **arg;		/* the element of argv that it ends */
	const char *list;	/* in that element */
	size_t kept;		/* its number in the options for perf */
};

struct perf_args {
	struct texts metrics;	/* the arguments of -M */
	struct texts kept;	/* options passed on to perf */
	char **command;		/* and its arguments; NULL: none */
	const char *theirs;	/* perf's own metrics, borrowed; NULL: none */
	const char *output, *separator;
	const char *cpus, *pids, *tids;
	unsigned int runs;	/* -r; at least 1 */
	bool wants_append, wants_json, is_system_wide, has_interval, wants_no_merge, wants_no_big_num;
	bool has_other_form;	/* -h: perf prints its help */
	const char *wrong;	/* an option or subcommand whose output gpmu cannot read, or NULL */
	struct perf_event_list *events;
	size_t event_count;
	struct texts made;	/* strings that it owns */
};

/* @argv[0] is "stat"; dies if an option lacks its argument */
void perf_args_parse(struct perf_args *args, int argc, char **argv);
/* Replaces an argument of -e, in argv and in the options for perf. */
void perf_args_set_events(struct perf_args *args, size_t index, const char *list);
void perf_args_release(struct perf_args *args);
/*
 * A new argv for perf; the caller frees the list. @form: the option of the output form; @fd: the
 * output's file descriptor; @events: the groups, which precede the user's events.
 */
char **perf_args_make(struct perf_args *args, const char *perf, const char *form,
		      const char *fd, const char *events);
/* "'./app -n 3'"; the caller frees it. */
char *perf_args_title(const struct perf_args *args);

#endif /* GPMU_PERF_ARGS_H */
