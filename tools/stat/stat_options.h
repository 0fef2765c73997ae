/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of gpmu stat, and the events and metrics that they request */
#ifndef GPMU_STAT_OPTIONS_H
#define GPMU_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregation.h"
#include "common.h"
#include "gpmu.h"
#include "sections.h"
#include "stat/stat_cgroup.h"

/* --ranges and its options, and --sass */
struct stat_ranges_options {
	bool is_wanted, has_replay, wants_each;
	bool has_option, has_reserve;	/* one that needs --ranges; --checkpoint-reserve */
	const char *sass;		/* --sass; NULL: no SASS metrics */
	struct gpmu_recorder_ranges choice;	/* mode, replay, sources, levels, skip, count, limit, filter, checkpoint and
						 * reserve */
};

struct stat_options {
	struct common common;
	bool is_system_wide;		/* of the CPUs, not of tasks: -a, or the default */
	const char *cpus;		/* -C */
	struct tasks pids, tids;
	struct stat_cgroups cgroups;
	uint64_t interval, intervals;	/* ns; a number */
	uint64_t timeout;		/* ns */
	unsigned int runs;
	int64_t delay;			/* ns; -1: counting does not begin */
	const char *control;		/* --control */
	const char *path;		/* -o */
	unsigned int details, topdown;	/* number of -d; level, 0: no --topdown */
	struct sections sections;	/* --section */
	bool wants_metric_only, wants_clear;
	bool wants_append, wants_json, wants_no_inherit, is_strict, wants_no_big_num, wants_regions;
	bool wants_clocks;		/* --lock-clocks */
	unsigned int clock;		/* MHz; 0: the GPU's default */
	struct stat_ranges_options ranges;
	struct aggregation aggregation;
	const char *separator;
	char **argv;			/* the command; NULL: none */
};

/* Parses the command line. Dies if options exclude or lack each other. */
void stat_options_init(struct stat_options *options, int argc, char **argv);
void stat_options_release(struct stat_options *options);

/* Returns whether CPUs are counted, and not tasks. */
static inline bool stat_counts_cpus(const struct stat_options *options)
{
	return options->is_system_wide || options->cpus;
}

static inline enum gpmu_sink_kind stat_format(const struct stat_options *options)
{
	return options->wants_json ? GPMU_SINK_JSON :
	       options->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY;
}

#endif /* GPMU_STAT_OPTIONS_H */
