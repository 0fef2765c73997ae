/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What subcommands share: options, what they name, and messages. A subcommand lists
 * common_argp, and request_argp if it has -e and -M, among its struct argp_child; the
 * input of both is its struct common.
 */
#ifndef GPMU_COMMON_H
#define GPMU_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpmu.h"

/* Keys of long options that have no letter; those of a subcommand begin here */
#define COMMON_KEYS	0x100

enum common_color {
	COLOR_AUTO,		/* if it is for a terminal, and NO_COLOR is not set */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* -e or -M */
struct request {
	bool metric;
	const char *list;
};

/* Strings that are the arguments' own */
struct texts {
	const char **list;
	size_t length;
};

struct common {
	const char *root;	/* NULL: this machine */
	struct texts sources;	/* --source */
	bool gpu;		/* --gpu */
	struct texts events;	/* --events */
	enum common_color color;
	bool verbose;
	struct request *requests;	/* in the order of the command line */
	size_t n_requests;
	bool no_merge;		/* --metric-no-merge */
	bool user_only;		/* events of tasks are counted in user space alone */
	/* From common_open() on */
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
};

/* --source, --events, --root, --color, -v */
extern const struct argp common_argp;
/* --gpu */
extern const struct argp gpu_argp;
/* -e, -M, --metric-no-merge */
extern const struct argp request_argp;

void common_init(struct common *common);
void common_release(struct common *common);
/* Looks at the machine, opens sources, loads the catalog: dies if one fails, warns of the rest */
void common_open(struct common *common);
/* Plugins will be loaded. */
bool common_has_sources(const struct common *common);
void common_request(struct common *common, bool metric, const char *list);
/* Whether the kernel lets this process count its tasks, but not what it does for them */
bool common_may_count_user_only(const struct common *common);
/* Made, of all requests; the caller's to free. Warnings are not printed. Dies if that fails */
struct gpmu_plan *common_plan(const struct common *common, bool system_wide);
/* All of its warnings */
void common_plan_warnings(const struct gpmu_plan *plan);
/* Says by what GPUs are counted, if these warnings miss them and they were not asked for */
void common_gpu_warning(const struct common *common, const struct gpmu_plan *plan);
/* On standard error: the groups, their events, and what they are counted for */
void common_explain(const struct gpmu_plan *plan);
bool common_wants_color(const struct common *common, FILE *file);
/* The machine is the one that gpmu runs on. */
bool common_is_here(const struct common *common);

/* Dies if a group is of a PMU that sysfs of another machine shows. */
void common_need_here(const struct common *common, const struct gpmu_plan *plan);

/* One line on standard error: "gpmu stat: ...", and exit(EXIT_OWN) */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void die_no_memory(void) __attribute__((noreturn));
/* "gpmu stat: warning: ..."; hidden, or plugins that call warn(3) would call this */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2), visibility("hidden")));
/* A line as die()'s without the end */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * How many bytes the control character is that begins here, which a terminal would obey: C0 and
 * DEL, and C1 in UTF-8; 0: there is none
 */
size_t control_length(const char *text);

/* They die where there is no memory. */
void *need_memory(void *memory);
char *print_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void texts_add(struct texts *texts, const char *text);

/*
 * The number of @text, the argument of @option: a whole one from @low to @high, or dies
 * and says what was expected
 */
long long parse_number(const char *option, const char *text, long long low, long long high);
/* Likewise ms, at least 1, as ns */
uint64_t parse_ms(const char *option, const char *text);
/* Likewise --duration's seconds, "1.5", as ns */
uint64_t parse_duration(const char *text);
/* As perf's -x: a tabulator may be written as \t. */
const char *parse_separator(const char *text);

#define MS		1000000ll	/* ns */
#define MAX_TIME	31536000000ll	/* ms: a year */

#endif /* GPMU_COMMON_H */
