// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "stat/stat_options.h"

enum {
	KEY_INTERVALS = COMMON_KEYS,
	KEY_DURATION,
	KEY_TIMEOUT,
	KEY_APPEND,
	KEY_METRIC_ONLY,
	KEY_INTERVAL_CLEAR,
	KEY_TOPDOWN,
	KEY_TD_LEVEL,
	KEY_STRICT,
	KEY_NO_BIG_NUM,
	KEY_REGIONS,
	KEY_PER_THREAD,
	KEY_CONTROL,
	KEY_FOR_EACH_CGROUP,
};

static error_t parse_time(struct stat_options *options, int key, const char *arg)
{
	switch (key) {
	case 'I':
		options->interval = parse_ms("-I", arg);
		return 0;
	case KEY_INTERVALS:
		options->intervals = (uint64_t)parse_number("--interval-count", arg, 1, INT32_MAX);
		return 0;
	case 'r':
		options->runs = (unsigned int)parse_number("-r", arg, 1, 1000000);
		return 0;
	case 'D':
		options->delay = parse_number("-D", arg, -1, MAX_TIME);
		options->delay *= options->delay > 0 ? MS : 1;
		return 0;
	case KEY_DURATION:
	case KEY_TIMEOUT:
		if (options->timeout)
			die("--duration and --timeout: choose one, once");
		options->timeout = key == KEY_DURATION ? parse_duration(arg) :
				parse_ms("--timeout", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_flag(struct stat_options *options, int key)
{
	const struct {
		int key;
		bool *flag, value;
	} flags[] = {
		{ 'a', &options->system, true }, { KEY_METRIC_ONLY, &options->metric_only, true },
		{ KEY_INTERVAL_CLEAR, &options->clear, true },
		{ 'i', &options->no_inherit, true }, { 'j', &options->json, true },
		{ KEY_APPEND, &options->append, true },
		{ KEY_STRICT, &options->strict, true }, { KEY_NO_BIG_NUM, &options->no_big_num, true },
		{ 'B', &options->no_big_num, false },
		{ KEY_REGIONS, &options->regions, true },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].key == key) {
			*flags[i].flag = flags[i].value;
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->common;
		state->child_inputs[1] = &options->common;
		state->child_inputs[2] = &options->common;
		state->child_inputs[3] = &options->aggregation;
		return 0;
	case 'C':
		options->cpus = arg;
		return 0;
	case 'G':
	case KEY_FOR_EACH_CGROUP:
		stat_cgroups_parse(&options->cgroups, arg, key != 'G');
		return 0;
	case 'd':
		options->details++;
		return 0;
	case KEY_CONTROL:
		options->control = arg;
		return 0;
	case KEY_TOPDOWN:
		options->topdown = options->topdown ? options->topdown : 1;
		options->metric_only = true;
		return 0;
	case KEY_TD_LEVEL:
		options->metric_only = true;
		options->topdown = (unsigned int)parse_number("--td-level", arg, 1, 9);
		return 0;
	case KEY_PER_THREAD:
		aggregation_choose(&options->aggregation, "--per-thread", GPMU_AGGREGATE_THREAD);
		return 0;
	case 'p':
		parse_tasks("-p", arg, &options->pids);
		return 0;
	case 't':
		parse_tasks("-t", arg, &options->tids);
		return 0;
	case 'o':
		options->path = arg;
		return 0;
	case 'x':
		options->separator = parse_separator(arg);
		return 0;
	case ARGP_KEY_ARG:
		/* The rest is the command's. */
		options->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		return parse_flag(options, key) ? parse_time(options, key, arg) : 0;
	}
}

static const struct argp_option argp_options[] = {
	{ "all-cpus", 'a', NULL, 0, "count system-wide, on all CPUs (default without a command, "
	  "-C, -p and -t)", 0 },
	{ "cpu", 'C', "LIST", 0, "count all tasks on these CPUs, such as 0-3,8", 0 },
	{ "pid", 'p', "LIST", 0, "count these processes, until they end", 0 },
	{ "tid", 't', "LIST", 0, "count these threads, until they end", 0 },
	{ "cgroup", 'G', "LIST", 0, "count the tasks of this cgroup, or each event in its own "
	  "cgroup", 0 },
	{ "for-each-cgroup", KEY_FOR_EACH_CGROUP, "LIST", 0, "count all events in each of these "
	  "cgroups", 0 },
	{ "no-inherit", 'i', NULL, 0, "do not count children of the tasks", 0 },
	{ "interval-print", 'I', "MS", 0, "print the counts of each interval of MS milliseconds", 0 },
	{ "interval-count", KEY_INTERVALS, "N", 0, "end counting after N intervals", 0 },
	{ "interval-clear", KEY_INTERVAL_CLEAR, NULL, 0, "clear the terminal before each interval", 0 },
	{ "repeat", 'r', "N", 0, "run the command N times and print means and deviations", 0 },
	{ "delay", 'D', "MS", 0, "start counting after MS milliseconds; -1: on the command enable of "
	  "--control", 0 },
	{ "control", KEY_CONTROL, "SPEC", 0, "read the commands enable, disable, ping and stop from "
	  "fd:CTL[,ACK] or fifo:CTL[,ACK]", 0 },
	{ "duration", KEY_DURATION, "S", 0, "end counting and the command after S seconds", 0 },
	{ "timeout", KEY_TIMEOUT, "MS", 0, "as --duration, in milliseconds", 0 },
	{ "detailed", 'd', NULL, 0, "count caches, too; -dd and -ddd count more", 0 },
	{ "topdown", KEY_TOPDOWN, NULL, 0, "count the metrics of TopdownL1", 0 },
	{ "td-level", KEY_TD_LEVEL, "N", 0, "as --topdown, with the metrics of TopdownL<N>", 0 },
	{ "metric-only", KEY_METRIC_ONLY, NULL, 0, "print only metrics, in one line", 0 },
	{ "output", 'o', "FILE", 0, "print to FILE instead of standard error", 0 },
	{ "append", KEY_APPEND, NULL, 0, "append to the FILE of -o", 0 },
	{ "field-separator", 'x', "SEP", 0, "print CSV with SEP between columns", 0 },
	{ "json-output", 'j', NULL, 0, "print JSON, one object per line", 0 },
	{ "per-thread", KEY_PER_THREAD, NULL, 0, "separate values for each thread; needs -p, -t or "
	  "--regions", 0 },
	{ "regions", KEY_REGIONS, NULL, 0, "count the regions that the command marks with "
	  "gpmu-mark.h", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "fail if a value is missing or was multiplexed", 0 },
	{ "big-num", 'B', NULL, 0, "group digits with commas (default)", 0 },
	{ "no-big-num", KEY_NO_BIG_NUM, NULL, 0, "do not group digits with commas", 0 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &request_argp, 0, NULL, 0 }, { &gpu_argp, 0, NULL, 0 }, { &common_argp, 0, NULL, 0 },
	{ &aggregation_argp, 0, NULL, 0 }, { 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[COMMAND [ARGUMENT...]]",
	.doc = "Counts events and metrics of a command, of tasks, or of the machine.",
	.children = children,
};

/* Dies if options exclude or lack each other. */
static void check(const struct stat_options *options)
{
	const bool system = stat_counts_cpus(options);
	const bool tasks = options->pids.length || options->tids.length;
	const struct {
		bool wrong;
		const char *why;
	} checks[] = {
		{ system && tasks, "-p or -t with -a or -C: choose one" },
		{ options->cgroups.list && !system, "-G and --for-each-cgroup need -a or -C" },
		{ options->json && options->separator, "-j and -x: choose one" },
		{ options->aggregation.by == GPMU_AGGREGATE_CPU && !system, "-A needs -a or -C" },
		{ options->aggregation.by == GPMU_AGGREGATE_THREAD && !tasks && !options->regions,
		  "--per-thread needs -p, -t or --regions" },
		{ options->intervals && !options->interval, "--interval-count needs -I" },
		{ options->clear && !options->interval, "--interval-clear needs -I" },
		{ options->clear && (options->json || options->separator),
		  "--interval-clear with -j or -x: choose one" },
		{ options->append && !options->path, "--append needs -o" },
		{ options->runs > 1 && !options->argv, "-r needs a command" },
		{ options->runs > 1 && options->interval, "-r and -I: choose one" },
		{ options->runs > 1 && options->control, "-r and --control: choose one" },
		{ options->delay < 0 && !options->argv && !options->timeout && !tasks && !options->control,
		  "-D -1 needs a command, -p, -t, --duration, --timeout or --control" },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].wrong)
			die("%s", checks[i].why);
}

/* The command counts itself from mark to mark: options of other targets and times do not apply. */
static void check_regions(const struct stat_options *options)
{
	const struct {
		bool wrong;
		const char *why;
	} checks[] = {
		{ options->regions && !options->argv, "--regions needs a command" },
		{ options->regions && (options->system || options->cpus || options->pids.length ||
				    options->tids.length || options->cgroups.list || options->no_inherit ||
				    options->details || options->topdown || options->metric_only ||
				    options->interval || options->intervals || options->runs > 1 ||
				    options->delay || options->timeout || options->strict || options->control ||
				    options->common.no_merge),
		  "--regions cannot be combined with -a, -C, -p, -t, -G, -i, -I, -r, -D, "
		  "--control, --duration, --timeout, --strict, -d, --topdown, --metric-only and "
		  "--metric-no-merge" },
		{ options->regions && options->aggregation.by != GPMU_AGGREGATE_MACHINE &&
		  options->aggregation.by != GPMU_AGGREGATE_NODE &&
		  options->aggregation.by != GPMU_AGGREGATE_SOCKET &&
		  options->aggregation.by != GPMU_AGGREGATE_THREAD,
		  "--regions cannot be combined with -A, --per-die and --per-core" },
		{ options->regions && options->common.root,
		  "--regions counts the machine that gpmu runs on: unset GPMU_ROOT" },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].wrong)
			die("%s", checks[i].why);
}

void stat_options_init(struct stat_options *options, int argc, char **argv)
{
	*options = (struct stat_options){ .runs = 1 };
	common_init(&options->common);
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, options);
	/* As perf: system-wide until Ctrl-C without a command and tasks */
	options->system |= !options->argv && !options->pids.length && !options->tids.length &&
			   !options->cpus;
	check(options);
	check_regions(options);
}

void stat_options_release(struct stat_options *options)
{
	free(options->pids.list);
	free(options->tids.list);
	common_release(&options->common);
}
