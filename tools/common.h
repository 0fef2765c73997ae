/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of several subcommands, and the machine, catalog, sources and plan that they describe.
 * A subcommand lists common_argp, and request_argp if it has -e and -M, in its struct
 * argp_child; the input of both is its struct common.
 */
#ifndef GPMU_COMMON_H
#define GPMU_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "argument.h"
#include "gpmu.h"
#include "message.h"

/* Number of elements of an array, not of a pointer */
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* First key for a subcommand's long options without a letter */
#define COMMON_KEYS	0x100

/*
 * Options of argp for output. A subcommand that has one of them takes it from here, so that it has the same names
 * everywhere, and parses its letter.
 */
#define OPTION_OUTPUT(standard)	{ .name = "output", .key = 'o', .arg = "FILE", .doc = "print to FILE instead of standard " standard }
#define OPTION_CSV	{ .name = "field-separator", .key = 'x', .arg = "SEP", .doc = "print CSV with SEP between columns" }
#define OPTION_JSON_AS(what) \
	{ .name = "json-output", .key = 'j', .doc = "print JSON, " what }, { .name = "json", .flags = OPTION_ALIAS }
#define OPTION_JSON	OPTION_JSON_AS("one object per line")

enum common_color {
	COLOR_AUTO,		/* on a terminal, unless NO_COLOR is set */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* -e or -M */
struct request {
	bool is_metric;
	const char *list;
};

/* A list of strings that it does not own */
struct texts {
	const char **list;
	size_t length;
};

struct common {
	const char *root;	/* NULL: this machine */
	struct texts sources;	/* --source */
	bool wants_gpu;		/* --gpu */
	const char *cupti;	/* specification of the plugin cupti for --gpu; NULL: "cupti", which counts the machine's GPUs */
	struct texts events;	/* --events */
	enum common_color color;
	bool is_verbose;
	struct request *requests;	/* in the order of the command line */
	size_t request_count;
	bool wants_no_merge;	/* --metric-no-merge */
	bool wants_tasks;	/* count tasks, in user space only if the kernel allows no more */
	bool is_counted;	/* the events have been counted, so their number fits the PMUs */
	bool is_read_late;	/* the machine's PMUs are read when an event or a metric needs them */
	/* Set by common_open() */
	struct texts warnings;	/* of the sources, such as that another program uses a GPU's profiler; owned */
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
/* Reads the machine, opens sources, loads the catalog. Dies if one fails; prints their warnings. */
void common_open(struct common *common);
/* Returns whether --gpu or --source loads plugins. */
bool common_has_sources(const struct common *common);
/* Returns whether --gpu or --source loads plugins of GPUs */
bool common_has_gpus(const struct common *common);
void common_request(struct common *common, bool is_metric, const char *list);
/* A new plan of all requests, made; the caller frees it. Prints no warnings. Dies on failure. */
struct gpmu_plan *common_plan(const struct common *common, bool is_system_wide);
/* Its three steps: an empty plan, each request, and the groups. Each dies on failure. */
struct gpmu_plan *common_plan_begin(const struct common *common, bool is_system_wide);
void common_plan_add(const struct common *common, struct gpmu_plan *plan,
		     const struct request *request);
void common_plan_make(struct gpmu_plan *plan);
/* Prints all of the plan's warnings. */
void common_plan_warnings(const struct gpmu_plan *plan);
/*
 * Prints the remedies for the missing PMUs in the plan's warnings: --gpu unless a GPU plugin was requested; gpmu
 * doctor.
 */
void common_hints(const struct common *common, const struct gpmu_plan *plan);
/* Prints the groups with their events and items on standard error. */
void common_explain(const struct gpmu_plan *plan);
bool common_wants_color(const struct common *common, FILE *file);
/* Returns whether the machine is the one that gpmu runs on. */
bool common_is_here(const struct common *common);

/* Dies if the plan has a group of a PMU from another machine's sysfs. */
void common_need_here(const struct common *common, const struct gpmu_plan *plan);

/* Dies if there is no memory. */
void texts_add(struct texts *texts, const char *text);

#endif /* GPMU_COMMON_H */
