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
	KEY_SECTION,
	KEY_RANGES,
	KEY_REPLAY,
	KEY_RANGE_FILTER,
	KEY_RANGE_SKIP,
	KEY_RANGE_COUNT,
	KEY_RANGE_LEVELS,
	KEY_REPLAY_LIMIT,
	KEY_CHECKPOINT,
	KEY_CHECKPOINT_RESERVE,
	KEY_EACH,
	KEY_SASS,
	KEY_SASS_BY,
	KEY_LOCK_CLOCKS,
};

/* Sets the mode and sources of --ranges. */
static void parse_ranges(struct gpmu_recorder_ranges *choice, const char *list)
{
	const char *name = list;

	for (;;) {
		const size_t length = strcspn(name, ",");
		bool is_kernel = length == 6 && !strncmp(name, "kernel", 6);
		unsigned int source = length == 4 && !strncmp(name, "nvtx", 4) ? GPMU_RECORDER_RANGE_NVTX :
				      length == 6 && !strncmp(name, "region", 6) ? GPMU_RECORDER_RANGE_REGION : 0;

		if (!is_kernel && !source)
			die("--ranges=%s: expected kernel, nvtx, region or nvtx,region", list);
		if (choice->mode && (is_kernel || choice->mode == GPMU_RECORDER_RANGE_KERNELS))
			die("--ranges=%s: kernel cannot be combined with other ranges; run the command once for each", list);
		choice->mode = is_kernel ? GPMU_RECORDER_RANGE_KERNELS : GPMU_RECORDER_RANGE_USER;
		choice->sources |= source;
		if (!name[length])
			return;
		name += length + 1;
	}
}

static enum gpmu_recorder_replay parse_replay(const char *text)
{
	static const char *const names[] = {
		[GPMU_RECORDER_REPLAY_KERNEL] = "kernel", [GPMU_RECORDER_REPLAY_USER] = "user",
		[GPMU_RECORDER_REPLAY_APPLICATION] = "application",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]))
			return (enum gpmu_recorder_replay)i;
	die("--replay=%s: expected kernel, user or application", text);
}

static enum gpmu_recorder_sass_part parse_part(const char *text)
{
	static const char *const names[] = {
		[GPMU_RECORDER_SASS_FUNCTION] = "function", [GPMU_RECORDER_SASS_LINE] = "line",
		[GPMU_RECORDER_SASS_INSTRUCTION] = "instruction",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]))
			return (enum gpmu_recorder_sass_part)i;
	die("--sass-by=%s: expected function, line or instruction", text);
}

/* Options of ranges */
static error_t parse_range(struct stat_ranges_options *ranges, int key, const char *arg)
{
	struct gpmu_recorder_ranges *choice = &ranges->choice;

	switch (key) {
	case KEY_RANGES:
		ranges->is_wanted = true;
		parse_ranges(choice, arg);
		return 0;
	case KEY_SASS:
		ranges->sass = arg;
		return 0;
	case KEY_SASS_BY:
		choice->part = parse_part(arg);
		return 0;
	case KEY_REPLAY:
		ranges->has_replay = true;
		choice->replay = parse_replay(arg);
		break;
	case KEY_RANGE_FILTER:
		choice->filter = arg;
		break;
	case KEY_RANGE_SKIP:
		choice->skip = (uint64_t)parse_number("--range-skip", arg, 0, INT64_MAX);
		break;
	case KEY_RANGE_COUNT:
		choice->count = (uint64_t)parse_number("--range-count", arg, 1, INT64_MAX);
		break;
	case KEY_RANGE_LEVELS:
		choice->levels = (unsigned int)parse_number("--range-levels", arg, 1, 16);
		break;
	case KEY_REPLAY_LIMIT:
		choice->limit = (unsigned int)parse_number("--replay-limit", arg, 0, 86400) * 1000;
		break;
	case KEY_CHECKPOINT:
		choice->checkpoint = 1;
		break;
	case KEY_CHECKPOINT_RESERVE:
		choice->reserve = (unsigned int)parse_number("--checkpoint-reserve", arg, 0, 1 << 24);
		ranges->has_reserve = true;
		break;
	case KEY_EACH:
		ranges->wants_each = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	ranges->has_option = true;
	return 0;
}

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
		bool *is_set, is_on;
	} flags[] = {
		{ .key = 'a', .is_set = &options->is_system_wide, .is_on = true },
		{ .key = KEY_METRIC_ONLY, .is_set = &options->wants_metric_only, .is_on = true },
		{ .key = KEY_INTERVAL_CLEAR, .is_set = &options->wants_clear, .is_on = true },
		{ .key = 'i', .is_set = &options->wants_no_inherit, .is_on = true },
		{ .key = 'j', .is_set = &options->wants_json, .is_on = true },
		{ .key = KEY_APPEND, .is_set = &options->wants_append, .is_on = true },
		{ .key = KEY_STRICT, .is_set = &options->is_strict, .is_on = true },
		{ .key = KEY_NO_BIG_NUM, .is_set = &options->wants_no_big_num, .is_on = true },
		{ .key = 'B', .is_set = &options->wants_no_big_num, .is_on = false },
		{ .key = KEY_REGIONS, .is_set = &options->wants_regions, .is_on = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].key == key) {
			*flags[i].is_set = flags[i].is_on;
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
		state->child_inputs[4] = &options->sections;
		return 0;
	case KEY_SECTION:
		texts_add(&options->sections.requests, arg);
		options->common.wants_gpu = true;
		return 0;
	case KEY_LOCK_CLOCKS:
		options->wants_clocks = true;
		options->clock = arg ? (unsigned int)parse_number("--lock-clocks", arg, 1, 100000) : 0;
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
		options->wants_metric_only = true;
		return 0;
	case KEY_TD_LEVEL:
		options->wants_metric_only = true;
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
		check_separator(options->separator);
		return 0;
	case ARGP_KEY_ARG:
		/* The rest is the command's. */
		options->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		if (!parse_range(&options->ranges, key, arg))
			return 0;
		return parse_flag(options, key) ? parse_time(options, key, arg) : 0;
	}
}

static const struct argp_option argp_options[] = {
	{ .name = "all-cpus", .key = 'a', .doc = "count system-wide, on all CPUs (default without a command, "
	  "-C, -p and -t)" },
	{ .name = "cpu", .key = 'C', .arg = "LIST", .doc = "count all tasks on these CPUs, such as 0-3,8" },
	{ .name = "pid", .key = 'p', .arg = "LIST", .doc = "count these processes, until they end" },
	{ .name = "tid", .key = 't', .arg = "LIST", .doc = "count these threads, until they end" },
	{ .name = "cgroup", .key = 'G', .arg = "LIST",
	  .doc = "count the tasks of this cgroup, or each event in its own "
	  "cgroup" },
	{ .name = "for-each-cgroup", .key = KEY_FOR_EACH_CGROUP, .arg = "LIST",
	  .doc = "count all events in each of these "
	  "cgroups" },
	{ .name = "no-inherit", .key = 'i', .doc = "do not count children of the tasks" },
	{ .name = "interval-print", .key = 'I', .arg = "MS",
	  .doc = "print the counts of each interval of MS milliseconds" },
	{ .name = "interval-count", .key = KEY_INTERVALS, .arg = "N", .doc = "end counting after N intervals" },
	{ .name = "interval-clear", .key = KEY_INTERVAL_CLEAR, .doc = "clear the terminal before each interval" },
	{ .name = "repeat", .key = 'r', .arg = "N", .doc = "run the command N times and print means and deviations" },
	{ .name = "delay", .key = 'D', .arg = "MS",
	  .doc = "start counting after MS milliseconds; -1: on the command enable of "
	  "--control" },
	{ .name = "control", .key = KEY_CONTROL, .arg = "SPEC",
	  .doc = "read the commands enable, disable, ping and stop from "
	  "fd:CTL[,ACK] or fifo:CTL[,ACK]" },
	{ .name = "duration", .key = KEY_DURATION, .arg = "S",
	  .doc = "end counting and the command after S seconds" },
	{ .name = "timeout", .key = KEY_TIMEOUT, .arg = "MS", .doc = "as --duration, in milliseconds" },
	{ .name = "detailed", .key = 'd', .doc = "count caches, too; -dd and -ddd count more" },
	{ .name = "topdown", .key = KEY_TOPDOWN, .doc = "count the metrics of TopdownL1" },
	{ .name = "td-level", .key = KEY_TD_LEVEL, .arg = "N",
	  .doc = "as --topdown, with the metrics of TopdownL<N>" },
	{ .name = "metric-only", .key = KEY_METRIC_ONLY, .doc = "print only metrics, in one line" },
	OPTION_OUTPUT("error"),
	{ .name = "append", .key = KEY_APPEND, .doc = "append to the FILE of -o" },
	OPTION_CSV,
	OPTION_JSON,
	{ .name = "per-thread", .key = KEY_PER_THREAD, .doc = "separate values for each thread; needs -p, -t or "
	  "--regions" },
	{ .name = "regions", .key = KEY_REGIONS, .doc = "count the regions that the command marks with "
	  "gpmu-mark.h" },
	{ .name = "section", .key = KEY_SECTION, .arg = "LIST", .doc = "metrics of these sections of Nsight Compute; adds the "
	  "machine's GPUs, as --gpu does" },
	{ .name = "ranges", .key = KEY_RANGES, .arg = "LIST",
	  .doc = "count GPU metrics of each kernel (kernel), or of ranges of the command (nvtx, region)" },
	{ .name = "replay", .key = KEY_REPLAY, .arg = "HOW",
	  .doc = "repeat work for several passes: each kernel (kernel), by the command itself (user), or the "
	  "command (application)" },
	{ .name = "range-filter", .key = KEY_RANGE_FILTER, .arg = "REGEX", .doc = "count only kernels or outermost ranges "
	  "of matching names" },
	{ .name = "range-skip", .key = KEY_RANGE_SKIP, .arg = "N", .doc = "leave out the first N kernels or outermost ranges that match" },
	{ .name = "range-count", .key = KEY_RANGE_COUNT, .arg = "N", .doc = "count at most N kernels or outermost ranges" },
	{ .name = "range-levels", .key = KEY_RANGE_LEVELS, .arg = "N", .doc = "count N levels of nested ranges (default: 1)" },
	{ .name = "replay-limit", .key = KEY_REPLAY_LIMIT, .arg = "S",
	  .doc = "end a process if a replayed kernel, or a checkpoint, takes S seconds (default: 60; 0: no limit)" },
	{ .name = "checkpoint", .key = KEY_CHECKPOINT,
	  .doc = "save the GPU's memory before the first pass, and restore it before each further one" },
	{ .name = "checkpoint-reserve", .key = KEY_CHECKPOINT_RESERVE, .arg = "MIB",
	  .doc = "MiB of the GPU's memory that a checkpoint leaves free (default: 256)" },
	{ .name = "each", .key = KEY_EACH, .doc = "separate values for each kernel's launch and each range" },
	{ .name = "sass", .key = KEY_SASS, .arg = "LIST",
	  .doc = "count SASS metrics such as smsp__sass_inst_executed for each function of the GPU, by instrumentation" },
	{ .name = "sass-by", .key = KEY_SASS_BY, .arg = "PART",
	  .doc = "also print counts of each function's source lines (line) or instructions (instruction)" },
	{ .name = "lock-clocks", .key = KEY_LOCK_CLOCKS, .arg = "MHZ", .flags = OPTION_ARG_OPTIONAL,
	  .doc = "lock the SM clocks of all GPUs until the end (default: the GPU's default); needs root" },
	{ .name = "strict", .key = KEY_STRICT, .doc = "fail if a value is missing or was multiplexed" },
	{ .name = "big-num", .key = 'B', .doc = "group digits with commas (default)" },
	{ .name = "no-big-num", .key = KEY_NO_BIG_NUM, .doc = "do not group digits with commas" },
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &request_argp }, { .argp = &gpu_argp }, { .argp = &common_argp },
	{ .argp = &aggregation_argp }, { .argp = &sections_argp }, { 0 },
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
	const bool is_system_wide = stat_counts_cpus(options);
	const bool has_tasks = options->pids.length || options->tids.length;
	const struct {
		bool is_wrong;
		const char *why;
	} checks[] = {
		{ is_system_wide && has_tasks, "-p or -t with -a or -C: choose one" },
		{ options->cgroups.list && !is_system_wide, "-G and --for-each-cgroup need -a or -C" },
		{ options->wants_json && options->separator, "-j and -x: choose one" },
		{ options->aggregation.by == GPMU_AGGREGATE_CPU && !is_system_wide, "-A needs -a or -C" },
		{ options->aggregation.by == GPMU_AGGREGATE_THREAD && !has_tasks && !options->wants_regions,
		  "--per-thread needs -p, -t or --regions" },
		{ options->intervals && !options->interval, "--interval-count needs -I" },
		{ options->wants_clear && !options->interval, "--interval-clear needs -I" },
		{ options->wants_clear && (options->wants_json || options->separator),
		  "--interval-clear with -j or -x: choose one" },
		{ options->wants_append && !options->path, "--append needs -o" },
		{ options->sections.folders.length && !options->sections.requests.length,
		  "--section-folder needs --section" },
		{ options->wants_clocks && !common_has_gpus(&options->common) && !options->ranges.is_wanted && !options->ranges.sass,
		  "--lock-clocks needs --gpu, --section, --ranges or --sass" },
		{ options->runs > 1 && !options->argv, "-r needs a command" },
		{ options->runs > 1 && options->interval, "-r and -I: choose one" },
		{ options->runs > 1 && options->control, "-r and --control: choose one" },
		{ options->delay < 0 && !options->argv && !options->timeout && !has_tasks && !options->control,
		  "-D -1 needs a command, -p, -t, --duration, --timeout or --control" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].is_wrong)
			die("%s", checks[i].why);
}

/* The command counts itself from mark to mark: options of other targets and times do not apply. */
static void check_regions(const struct stat_options *options)
{
	const struct {
		bool is_wrong;
		const char *why;
	} checks[] = {
		{ options->wants_regions && !options->argv, "--regions needs a command" },
		{ options->wants_regions && (options->is_system_wide || options->cpus || options->pids.length ||
				    options->tids.length || options->cgroups.list || options->wants_no_inherit ||
				    options->details || options->topdown || options->wants_metric_only ||
				    options->interval || options->intervals || options->runs > 1 ||
				    options->delay || options->timeout || options->is_strict || options->control ||
				    options->common.wants_no_merge || options->sections.requests.length),
		  "--regions cannot be combined with -a, -C, -p, -t, -G, -i, -I, -r, -D, "
		  "--control, --duration, --timeout, --strict, -d, --topdown, --metric-only, "
		  "--metric-no-merge and --section" },
		{ options->wants_regions && options->aggregation.by != GPMU_AGGREGATE_MACHINE &&
		  options->aggregation.by != GPMU_AGGREGATE_NODE &&
		  options->aggregation.by != GPMU_AGGREGATE_SOCKET &&
		  options->aggregation.by != GPMU_AGGREGATE_THREAD,
		  "--regions cannot be combined with -A, --per-die and --per-core" },
		{ options->wants_regions && options->common.root,
		  "--regions counts the machine that gpmu runs on: unset GPMU_ROOT" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].is_wrong)
			die("%s", checks[i].why);
}

/* Counting of ranges and of SASS metrics is CUPTI's alone. */
static void check_beside_ranges(const struct stat_options *options)
{
	const struct {
		bool is_given;
		const char *name;
	} others[] = {
		{ options->wants_regions, "--regions" },
		{ options->is_system_wide, "-a" },
		{ options->cpus, "-C" },
		{ options->pids.length, "-p" },
		{ options->tids.length, "-t" },
		{ options->cgroups.list, "-G" },
		{ options->aggregation.by != GPMU_AGGREGATE_MACHINE, options->aggregation.option },
		{ options->wants_no_inherit, "-i" },
		{ options->interval, "-I" },
		{ options->runs > 1, "-r" },
		{ options->delay, "-D" },
		{ options->control, "--control" },
		{ options->timeout, "--duration or --timeout" },
		{ options->details, "-d" },
		{ options->topdown, "--topdown" },
		{ options->wants_metric_only, "--metric-only" },
		{ options->common.wants_no_merge, "--metric-no-merge" },
		{ options->common.root, "GPMU_ROOT" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].is_given)
			die("%s cannot be combined with %s: it counts the command's work on GPUs, in one run",
			    options->ranges.sass ? "--sass" : "--ranges", others[i].name);
}

static void check_ranges(const struct stat_options *options)
{
	const struct stat_ranges_options *ranges = &options->ranges;
	const bool is_user = ranges->choice.mode == GPMU_RECORDER_RANGE_USER;
	const bool is_kernel_replay = ranges->has_replay && ranges->choice.replay == GPMU_RECORDER_REPLAY_KERNEL;
	const struct {
		bool is_wrong;
		const char *why;
	} checks[] = {
		{ ranges->sass && (ranges->is_wanted || ranges->has_option), "--sass cannot be combined with --ranges, --replay, "
		  "--range-..., --replay-limit, --checkpoint and --each; run the command once for each" },
		{ ranges->sass && options->common.request_count, "--sass cannot be combined with -e and -M: SASS metrics need a run "
		  "of their own" },
		{ ranges->sass && !options->argv, "--sass needs a command" },
		{ !ranges->sass && ranges->choice.part, "--sass-by needs --sass" },
		{ !ranges->is_wanted && ranges->has_option, "--replay, --range-..., --replay-limit, --checkpoint and --each need --ranges" },
		{ ranges->is_wanted && !options->argv, "--ranges needs a command" },
		{ is_user && is_kernel_replay, "--replay=kernel needs --ranges=kernel: CUPTI repeats only single kernels; "
		  "choose --replay=user or --replay=application" },
		{ ranges->is_wanted && !is_user && ranges->has_replay && ranges->choice.replay == GPMU_RECORDER_REPLAY_USER,
		  "--replay=user needs --ranges=nvtx or --ranges=region" },
		{ ranges->choice.checkpoint && (!is_user || (ranges->has_replay && ranges->choice.replay != GPMU_RECORDER_REPLAY_USER)),
		  "--checkpoint needs --replay=user with --ranges=nvtx or --ranges=region: kernel replay restores memory itself, "
		  "and application replay begins anew" },
		{ ranges->has_reserve && !ranges->choice.checkpoint, "--checkpoint-reserve needs --checkpoint" },
		{ ranges->is_wanted && !is_user && ranges->choice.levels > 1,
		  "--range-levels needs --ranges=nvtx or --ranges=region: kernels are not nested" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].is_wrong)
			die("%s", checks[i].why);
}

static void complete_ranges(struct stat_ranges_options *ranges)
{
	struct gpmu_recorder_ranges *choice = &ranges->choice;

	if (ranges->sass)
		choice->mode = GPMU_RECORDER_RANGE_SASS;
	if (!ranges->has_replay)
		choice->replay = choice->mode == GPMU_RECORDER_RANGE_KERNELS ? GPMU_RECORDER_REPLAY_KERNEL :
									       GPMU_RECORDER_REPLAY_USER;
}

void stat_options_init(struct stat_options *options, int argc, char **argv)
{
	*options = (struct stat_options){
		.runs = 1, .ranges.choice = { .size = sizeof(options->ranges.choice), .levels = 1, .limit = 60000,
				    .reserve = 256 },
	};
	common_init(&options->common);
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, options);
	/* As perf: system-wide until Ctrl-C without a command and tasks */
	options->is_system_wide |= !options->argv && !options->pids.length && !options->tids.length &&
				   !options->cpus;
	check(options);
	check_regions(options);
	check_ranges(options);
	if (options->ranges.is_wanted || options->ranges.sass)
		check_beside_ranges(options);
	complete_ranges(&options->ranges);
}

void stat_options_release(struct stat_options *options)
{
	free(options->pids.list);
	free(options->tids.list);
	sections_release(&options->sections);
	common_release(&options->common);
}
