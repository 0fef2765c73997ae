// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu stat: counts events and metrics of a command, tasks, CPUs or the machine. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "common.h"
#include "control.h"
#include "count.h"
#include "output.h"
#include "stat/stat_regions.h"
#include "stat/stat_strict.h"
#include "values/gpmu_rows.h"
#include "values/gpmu_runs.h"

#define HELD_TIME	50000000	/* ns for which rows are held to be written together */

enum {
	KEY_INTERVALS = COMMON_KEYS,
	KEY_DURATION,
	KEY_TIMEOUT,
	KEY_APPEND,
	KEY_METRIC_ONLY,
	KEY_INTERVAL_CLEAR,
	KEY_TOPDOWN,
	KEY_TD_LEVEL,
	KEY_PER_NODE,
	KEY_PER_SOCKET,
	KEY_PER_DIE,
	KEY_PER_CORE,
	KEY_STRICT,
	KEY_NO_BIG_NUM,
	KEY_REGIONS,
	KEY_PER_THREAD,
	KEY_CONTROL,
};

struct stat {
	struct common common;
	bool system;
	const char *cpus;
	struct tasks pids, tids;
	uint64_t interval, intervals;	/* ns */
	uint64_t timeout;
	unsigned int runs;
	int64_t delay;
	const char *control_text;	/* --control */
	struct control control;
	const char *path;		/* -o */
	unsigned int details, topdown;	/* number of -d; level, 0: no --topdown */
	bool metric_only, clear;
	bool append, json, no_inherit, strict, no_big_num, regions;
	enum gpmu_aggregation aggregation;
	const char *aggregation_option;	/* "--per-node"; NULL: none */
	const char *separator;
	char **argv;			/* the command; NULL: none */
	struct output output;
	struct gpmu_sink *sink;
	struct strict reasons;		/* why --strict fails */
	bool failed;			/* writing the output, after a message */
	bool lost_reported;			/* the warning about lost counters was printed */
	struct gpmu_rows *uncounted;	/* of a run that ended before counting began; or NULL */
};

/* Events without -e and -M, as in perf: behind the clock of the CPUs, or of tasks */
static const char system_events[] =
	"cpu-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
static const char default_events[] =
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";

/* Events added by each -d, as in perf */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Metrics added by -a, if the machine has them: the bandwidths of a Grace's memory and links */
static const char *const default_metrics[] = {
	"GraceMemBW", "GraceGpuMemBW", "GraceRemoteBW", "GracePcieBW", "GraceC2c0BW",
	"GraceC2c1BW", "GraceCnvlinkBW",
};

/* Metrics added by --gpu, which fit one pass on every chip */
static const char *const default_gpu_metrics[] = { "GpuSmActive", "GpuDramBW", "GpuPcieBW" };

/* --- options --- */

static error_t parse_time(struct stat *stat, int key, const char *arg)
{
	switch (key) {
	case 'I':
		stat->interval = parse_ms("-I", arg);
		return 0;
	case KEY_INTERVALS:
		stat->intervals = (uint64_t)parse_number("--interval-count", arg, 1, INT32_MAX);
		return 0;
	case 'r':
		stat->runs = (unsigned int)parse_number("-r", arg, 1, 1000000);
		return 0;
	case 'D':
		stat->delay = parse_number("-D", arg, -1, MAX_TIME);
		stat->delay *= stat->delay > 0 ? MS : 1;
		return 0;
	case KEY_DURATION:
	case KEY_TIMEOUT:
		if (stat->timeout)
			die("--duration and --timeout: choose one, once");
		stat->timeout = key == KEY_DURATION ? parse_duration(arg) :
				parse_ms("--timeout", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_aggregation(struct stat *stat, int key)
{
	static const struct {
		int key;
		const char *option;
		enum gpmu_aggregation aggregation;
	} options[] = {
		{ 'A', "-A", GPMU_AGGREGATE_CPU },
		{ KEY_PER_NODE, "--per-node", GPMU_AGGREGATE_NODE },
		{ KEY_PER_SOCKET, "--per-socket", GPMU_AGGREGATE_SOCKET },
		{ KEY_PER_DIE, "--per-die", GPMU_AGGREGATE_DIE },
		{ KEY_PER_CORE, "--per-core", GPMU_AGGREGATE_CORE },
		{ KEY_PER_THREAD, "--per-thread", GPMU_AGGREGATE_THREAD },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].key != key)
			continue;
		if (stat->aggregation_option &&
		    strcmp(stat->aggregation_option, options[i].option) != 0)
			die("%s and %s: choose one", stat->aggregation_option, options[i].option);
		stat->aggregation_option = options[i].option;
		stat->aggregation = options[i].aggregation;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_flag(struct stat *stat, int key)
{
	const struct {
		int key;
		bool *flag, value;
	} flags[] = {
		{ 'a', &stat->system, true }, { KEY_METRIC_ONLY, &stat->metric_only, true },
		{ KEY_INTERVAL_CLEAR, &stat->clear, true },
		{ 'i', &stat->no_inherit, true }, { 'j', &stat->json, true },
		{ KEY_APPEND, &stat->append, true },
		{ KEY_STRICT, &stat->strict, true }, { KEY_NO_BIG_NUM, &stat->no_big_num, true },
		{ 'B', &stat->no_big_num, false },
		{ KEY_REGIONS, &stat->regions, true },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].key == key) {
			*flags[i].flag = flags[i].value;
			return 0;
		}
	return parse_aggregation(stat, key);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat *stat = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &stat->common;
		state->child_inputs[1] = &stat->common;
		state->child_inputs[2] = &stat->common;
		return 0;
	case 'C':
		stat->cpus = arg;
		return 0;
	case 'd':
		stat->details++;
		return 0;
	case KEY_CONTROL:
		stat->control_text = arg;
		return 0;
	case KEY_TOPDOWN:
		stat->topdown = stat->topdown ? stat->topdown : 1;
		return 0;
	case KEY_TD_LEVEL:
		stat->topdown = (unsigned int)parse_number("--td-level", arg, 1, 9);
		return 0;
	case 'p':
		parse_tasks("-p", arg, &stat->pids);
		return 0;
	case 't':
		parse_tasks("-t", arg, &stat->tids);
		return 0;
	case 'o':
		stat->path = arg;
		return 0;
	case 'x':
		stat->separator = parse_separator(arg);
		return 0;
	case ARGP_KEY_ARG:
		/* The rest is the command's. */
		stat->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		return parse_flag(stat, key) ? parse_time(stat, key, arg) : 0;
	}
}

static const struct argp_option options[] = {
	{ "all-cpus", 'a', NULL, 0, "count system-wide, on all CPUs (default without a command, "
	  "-C, -p and -t)", 0 },
	{ "cpu", 'C', "LIST", 0, "count all tasks on these CPUs, such as 0-3,8", 0 },
	{ "pid", 'p', "LIST", 0, "count these processes, until they end", 0 },
	{ "tid", 't', "LIST", 0, "count these threads, until they end", 0 },
	{ "no-inherit", 'i', NULL, 0, "do not count children of the tasks", 0 },
	{ "interval-print", 'I', "MS", 0, "print the counts of every MS milliseconds", 0 },
	{ "interval-count", KEY_INTERVALS, "N", 0, "end counting after N intervals", 0 },
	{ "interval-clear", KEY_INTERVAL_CLEAR, NULL, 0, "clear the terminal before each interval", 0 },
	{ "repeat", 'r', "N", 0, "run the command N times and print means and deviations", 0 },
	{ "delay", 'D', "MS", 0, "start counting after MS milliseconds; -1: never, or by "
	  "--control", 0 },
	{ "control", KEY_CONTROL, "SPEC", 0, "read the commands enable, disable, ping and stop from "
	  "fd:CTL[,ACK] or fifo:CTL[,ACK]", 0 },
	{ "duration", KEY_DURATION, "S", 0, "end counting and the command after S seconds", 0 },
	{ "timeout", KEY_TIMEOUT, "MS", 0, "end counting and the command after MS milliseconds", 0 },
	{ "detailed", 'd', NULL, 0, "count caches, too; -dd and -ddd count more of them", 0 },
	{ "topdown", KEY_TOPDOWN, NULL, 0, "count the metrics of TopdownL1", 0 },
	{ "td-level", KEY_TD_LEVEL, "N", 0, "as --topdown, with the metrics of TopdownL<N>", 0 },
	{ "metric-only", KEY_METRIC_ONLY, NULL, 0, "print only metrics, in one line", 0 },
	{ "output", 'o', "FILE", 0, "print to FILE instead of standard error", 0 },
	{ "append", KEY_APPEND, NULL, 0, "append to the FILE of -o", 0 },
	{ "field-separator", 'x', "SEP", 0, "print CSV with SEP between columns", 0 },
	{ "json-output", 'j', NULL, 0, "print JSON, one object per line", 0 },
	{ "per-node", KEY_PER_NODE, NULL, 0, "print a row for each NUMA node", 0 },
	{ "per-socket", KEY_PER_SOCKET, NULL, 0, "print a row for each socket", 0 },
	{ "per-die", KEY_PER_DIE, NULL, 0, "print a row for each die", 0 },
	{ "per-core", KEY_PER_CORE, NULL, 0, "print a row for each core", 0 },
	{ "per-thread", KEY_PER_THREAD, NULL, 0, "print a row for each thread; needs -p, -t or "
	  "--regions", 0 },
	{ "no-aggr", 'A', NULL, 0, "print a row for each CPU; needs -a or -C", 0 },
	{ "regions", KEY_REGIONS, NULL, 0, "count the regions that the command marks with "
	  "gpmu-mark.h", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "fail if a value is missing or was multiplexed", 0 },
	{ "big-num", 'B', NULL, 0, "group digits with commas (default)", 0 },
	{ "no-big-num", KEY_NO_BIG_NUM, NULL, 0, "do not group digits with commas", 0 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &request_argp, 0, NULL, 0 }, { &gpu_argp, 0, NULL, 0 }, { &common_argp, 0, NULL, 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[COMMAND [ARGUMENT...]]",
	.doc = "Counts events and metrics of a command, of tasks, or of the machine.",
	.children = children,
};

/* Dies if options exclude or lack each other. */
static void check(const struct stat *stat)
{
	const bool system = stat->system || stat->cpus;
	const bool tasks = stat->pids.length || stat->tids.length;
	const struct {
		bool wrong;
		const char *why;
	} checks[] = {
		{ system && tasks, "-p or -t with -a or -C: choose one" },
		{ stat->json && stat->separator, "-j and -x: choose one" },
		{ stat->aggregation == GPMU_AGGREGATE_CPU && !system, "-A needs -a or -C" },
		{ stat->aggregation == GPMU_AGGREGATE_THREAD && !tasks && !stat->regions,
		  "--per-thread needs -p, -t or --regions" },
		{ stat->intervals && !stat->interval, "--interval-count needs -I" },
		{ stat->clear && !stat->interval, "--interval-clear needs -I" },
		{ stat->clear && (stat->json || stat->separator),
		  "--interval-clear with -j or -x: choose one" },
		{ stat->append && !stat->path, "--append needs -o" },
		{ stat->runs > 1 && !stat->argv, "-r needs a command" },
		{ stat->runs > 1 && stat->interval, "-r and -I: choose one" },
		{ stat->runs > 1 && stat->control_text, "-r and --control: choose one" },
		{ stat->delay < 0 && !stat->argv && !stat->timeout && !tasks && !stat->control_text,
		  "-D -1 needs a command, -p, -t, --duration, --timeout or --control" },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].wrong)
			die("%s", checks[i].why);
}

/* The command counts itself from mark to mark: options of other targets and times do not apply. */
static void check_regions(const struct stat *stat)
{
	const struct {
		bool wrong;
		const char *why;
	} checks[] = {
		{ stat->regions && !stat->argv, "--regions needs a command" },
		{ stat->regions && (stat->system || stat->cpus || stat->pids.length ||
				    stat->tids.length || stat->no_inherit || stat->details || stat->topdown || stat->metric_only ||
				    stat->interval || stat->intervals || stat->runs > 1 ||
				    stat->delay || stat->timeout || stat->strict || stat->control_text ||
				    stat->common.no_merge),
		  "--regions cannot be combined with -a, -C, -p, -t, -i, -I, -r, -D, "
		  "--control, --duration, --timeout, --strict, -d, --topdown, --metric-only and "
		  "--metric-no-merge" },
		{ stat->regions && stat->aggregation != GPMU_AGGREGATE_MACHINE &&
		  stat->aggregation != GPMU_AGGREGATE_NODE &&
		  stat->aggregation != GPMU_AGGREGATE_SOCKET &&
		  stat->aggregation != GPMU_AGGREGATE_THREAD,
		  "--regions cannot be combined with -A, --per-die and --per-core" },
		{ stat->regions && stat->common.root,
		  "--regions counts the machine that gpmu runs on: unset GPMU_ROOT" },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].wrong)
			die("%s", checks[i].why);
}

/* Requests those of @names that the machine has. */
static void add_metrics(struct common *common, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_metric *metric;

		metric = gpmu_catalog_find_metric(common->catalog, names[i], common->machine);
		if (metric && gpmu_metric_supported(metric, common->machine) == 1)
			common_request(common, true, names[i]);
	}
}

/*
 * The kernel counts a task in one number, wherever it runs: rows of CPUs, or of groups of them,
 * exist only for PMUs that count the machine.
 */
static void check_aggregation(const struct stat *stat, const struct gpmu_plan *plan)
{
	if (stat->system || stat->cpus || stat->aggregation == GPMU_AGGREGATE_MACHINE ||
	    stat->aggregation == GPMU_AGGREGATE_THREAD)
		return;
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, i);

		if (!pmu || !gpmu_pmu_has_cpumask(pmu))
			die("%s: %s counts tasks, not CPUs: add -a", stat->aggregation_option,
			    gpmu_plan_group_event(plan, i, 0));
	}
}

static void add_defaults(struct stat *stat)
{
	struct common *common = &stat->common;

	common_request(common, false, stat->system || stat->cpus ? system_events : default_events);
	if (stat->system)
		add_metrics(common, default_metrics,
			    sizeof(default_metrics) / sizeof(default_metrics[0]));
	if (common->gpu)
		add_metrics(common, default_gpu_metrics,
			    sizeof(default_gpu_metrics) / sizeof(default_gpu_metrics[0]));
}

/* perf's --topdown prints the metrics only. */
static void add_topdown(struct stat *stat)
{
	static const char *const groups[] = {
		"TopdownL1", "TopdownL2", "TopdownL3", "TopdownL4", "TopdownL5", "TopdownL6",
	};
	const size_t most = sizeof(groups) / sizeof(groups[0]);

	if (!stat->topdown)
		return;
	if (stat->topdown > most)
		die("--td-level: expected 1 to %zu", most);
	common_request(&stat->common, true, groups[stat->topdown - 1]);
	stat->metric_only = true;
}

static void add_details(struct stat *stat)
{
	for (size_t i = 0; i < stat->details && i < sizeof(detailed_events) / sizeof(detailed_events[0]); i++)
		common_request(&stat->common, false, detailed_events[i]);
}

/* --- output --- */

/* "'./app -n 3'", "'system wide'", "'CPU(s) 0-3'", "process id '123'" */
static char *title_of(const struct stat *stat)
{
	char *title = NULL;
	size_t size;
	FILE *file;

	if (stat->cpus)
		return print_text("'CPU(s) %s'", stat->cpus);
	if (stat->system)
		return print_text("'system wide'");
	if (stat->pids.length)
		return print_text("process id '%s'", stat->pids.text);
	if (stat->tids.length)
		return print_text("thread id '%s'", stat->tids.text);
	file = need_memory(open_memstream(&title, &size));
	for (char **arg = stat->argv; *arg; arg++)
		fprintf(file, "%s%s", arg == stat->argv ? "'" : " ", *arg);
	putc('\'', file);
	if (fclose(file))
		die_no_memory();
	return title;
}

static void open_output(struct stat *stat)
{
	enum output_mode mode = stat->append ? OUTPUT_APPEND :
				stat->interval ? OUTPUT_WRITE : OUTPUT_REPLACE;
	struct gpmu_sink_options sink = {
		.size = sizeof(sink),
		.separator = stat->separator,
		.interval = stat->interval > 0,
		.held = stat->interval > 0,
		.big_numbers = !stat->no_big_num,
		.aggregation = stat->aggregation,
		.metric_only = stat->metric_only,
		.clear = stat->clear,
		.runs = stat->runs,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	char *title = title_of(stat);
	int ret = output_open(&stat->output, stat->path, mode, stderr);

	if (ret)
		die("%s: %s", stat->path, strerror(-ret));
	sink.title = title;
	sink.color = common_wants_color(&stat->common, stat->output.file);
	stat->sink = gpmu_sink_new(stat->json ? GPMU_SINK_JSON :
				   stat->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY,
				   stat->output.file, &sink, &error);
	if (!stat->sink)
		die("-x: %s", error.text);
	if (!stat->json)
		output_started(&stat->output, time(NULL));
	free(title);
}

static void say_output(struct stat *stat, int error)
{
	say("%s: %s", stat->path ? stat->path : "standard error", strerror(-error));
	stat->failed = true;
}

static bool show_rows(const struct gpmu_rows *rows, void *user)
{
	struct stat *stat = user;
	const struct gpmu_row *row;
	int ret = gpmu_sink_rows(stat->sink, rows);

	if (ret) {
		say_output(stat, ret);
		return false;
	}
	for (size_t i = 0; stat->strict && rows && (row = gpmu_rows_at(rows, i)); i++)
		strict_note(&stat->reasons, row, stat->runs);
	return true;
}

/* --- runs --- */

static void show_end(struct stat *stat, const struct gpmu_sink_end *end)
{
	int ret;

	if (stat->failed)
		return;
	ret = gpmu_sink_end(stat->sink, end);
	if (!ret)
		ret = output_close(&stat->output);
	if (ret)
		say_output(stat, ret);
}

static void die_unread(int error)
{
	die("counters cannot be read: %s", strerror(-error));
}

/* Makes the rows of a run that ended before counting began, all not counted. */
static void make_uncounted(struct stat *stat, struct gpmu_session *session)
{
	const struct gpmu_rows *rows;
	const struct gpmu_row *counted;
	int ret = gpmu_session_enable(session);

	if (!ret)
		ret = gpmu_session_disable(session);
	if (!ret)
		ret = gpmu_session_total(session, &rows);
	if (ret)
		die_unread(ret);
	gpmu_rows_free(stat->uncounted);
	stat->uncounted = need_memory(gpmu_rows_new());
	for (size_t i = 0; (counted = gpmu_rows_at(rows, i)); i++) {
		struct gpmu_row row = *counted;

		row.time_begin = row.time_end = 0;
		if (row.state != GPMU_STATE_NOT_SUPPORTED) {
			row.state = GPMU_STATE_NOT_COUNTED;
			row.value = row.share = NAN;
			row.raw = row.enabled = row.running = 0;
			row.alert = -1;
			row.why = "the run ended before counting began";
		}
		if (gpmu_rows_add(stat->uncounted, &row))
			die_no_memory();
	}
}

static const struct gpmu_rows *total(struct stat *stat, const struct count_end *end,
				     struct gpmu_session *session)
{
	const struct gpmu_rows *rows;
	int ret;

	if (!end->counted) {
		make_uncounted(stat, session);
		return stat->uncounted;
	}
	ret = gpmu_session_total(session, &rows);
	if (ret)
		die_unread(ret);
	return rows;
}

/* Names the signal as a shell does, except after Ctrl-C. */
static void say_signal(const struct stat *stat, const struct count_end *end)
{
	if (end->signal && end->signal != SIGINT && end->signal != SIGPIPE && !stat->timeout)
		say("%s: %s", stat->argv[0], strsignal(end->signal));
}

/*
 * Thresholds for lost counts: the kernel counts the exit of each process only in part, which is
 * not worth a warning.
 */
#define LOST_LEAST	0.01	/* seconds */
#define LOST_SHARE	0.5	/* of the CPU time */

/*
 * Detects tasks whose counters the kernel has removed because they executed a set-user-ID program
 * (begin_new_exec() in Linux' fs/exec.c): the CPU time then exceeds every counter's enabled time.
 */
static void note_lost(struct stat *stat, const struct count_end *end, struct gpmu_session *session)
{
	double lost, ran = end->user + end->system, enabled = -1;
	const struct gpmu_rows *rows;
	const struct gpmu_row *row;

	/* With these options the command is not counted from begin to end. */
	if (stat->system || stat->cpus || stat->pids.length || stat->tids.length || stat->delay ||
	    stat->control_text || stat->timeout || stat->intervals || stat->no_inherit || !end->counted)
		return;
	if (gpmu_session_total(session, &rows))
		return;
	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++)
		if (row->scope == GPMU_SCOPE_PROCESS && !row->metric && row->counters)
			enabled = fmax(enabled, (double)row->enabled * (double)row->counters / 1e9);
	lost = ran - enabled;
	if (stat->lost_reported || enabled < 0 || lost < LOST_LEAST || lost < ran * LOST_SHARE)
		return;
	stat->lost_reported = true;
	if (stat->strict)
		strict_add(&stat->reasons, print_text("%.3f s were not counted", lost));
	warn("%.3f s of the command's %.3f s of CPU time were not counted: the kernel removes the "
	     "counters of set-user-ID programs such as sudo; -a counts them", lost, ran);
}

static void run_once(struct stat *stat, const struct count *count, int *status)
{
	struct gpmu_session *session;
	struct count_end end;

	session = count_run(count, &end);
	*status = end.status;
	if (!session)
		return;
	say_signal(stat, &end);
	if (!stat->interval || !end.counted)
		show_rows(total(stat, &end, session), stat);
	show_end(stat, &(struct gpmu_sink_end){ .size = sizeof(struct gpmu_sink_end),
						.elapsed = end.elapsed, .user = end.user,
						.system = end.system });
	note_lost(stat, &end, session);
	gpmu_session_free(session);
}

/* The status is the first that is not 0. */
static void run_several(struct stat *stat, const struct count *count, int *status)
{
	struct count each = *count;
	struct gpmu_runs *runs = need_memory(gpmu_runs_new());
	struct gpmu_sink_end sink_end = { .size = sizeof(sink_end) };
	struct count_end end = { .executed = true };
	struct gpmu_session *session;
	sigset_t mask;
	unsigned int i;
	int ret;

	count_hold_signals(&mask);
	each.mask = count->mask ? count->mask : &mask;
	for (i = 0; i < stat->runs && !end.interrupted; i++) {
		session = count_run(&each, &end);
		each.child = NULL;
		*status = *status ? *status : end.status;
		if (!session)
			break;
		say_signal(stat, &end);
		note_lost(stat, &end, session);
		sink_end.elapsed = end.elapsed;
		sink_end.user = end.user;
		sink_end.system = end.system;
		ret = gpmu_runs_add(runs, total(stat, &end, session), &sink_end);
		if (ret)
			die("run %u: %s", i + 1, ret != -EINVAL ? strerror(-ret) :
			    "its rows differ from the first run's: a CPU came online or went "
			    "offline, or a thread started or ended; repeat it");
		gpmu_session_free(session);
	}
	count_heed_signals(&mask);
	if (end.executed) {
		show_rows(gpmu_runs_rows(runs), stat);
		gpmu_runs_end(runs, &sink_end);
		show_end(stat, &sink_end);
	}
	gpmu_runs_free(runs);
}

/* @child, @mask: of count_begin(), or NULL */
static int count_all(struct stat *stat, const struct gpmu_plan *plan, const struct child *child,
		     const sigset_t *mask)
{
	const struct count count = {
		.plan = plan,
		.session = {
			.size = sizeof(count.session),
			.system = stat->system || stat->cpus,
			.cpus = stat->cpus,
			.pids = stat->pids.list,
			.pid_count = stat->pids.length,
			.tids = stat->tids.list,
			.tid_count = stat->tids.length,
			.inherit = !stat->no_inherit,
			.aggregation = stat->aggregation,
		},
		.argv = stat->argv,
		.child = child,
		.mask = mask,
		.delay = stat->delay,
		.control = stat->control_text ? &stat->control : NULL,
		.interval = stat->interval,
		.intervals = stat->intervals,
		.timeout = stat->timeout,
		.rows = stat->interval ? show_rows : NULL,
		.latency = isatty(fileno(stat->output.file)) ? 1 : HELD_TIME,
		.user = stat,
	};
	int status = EXIT_SUCCESS;

	if (stat->runs > 1)
		run_several(stat, &count, &status);
	else
		run_once(stat, &count, &status);
	if (stat->failed || (stat->strict && !strict_report(&stat->reasons)))
		return EXIT_OWN;
	return status;
}

static void stat_release(struct stat *stat)
{
	strict_release(&stat->reasons);
	gpmu_rows_free(stat->uncounted);
	free(stat->pids.list);
	free(stat->tids.list);
	if (stat->control_text)
		control_close(&stat->control);
	gpmu_sink_free(stat->sink);
	output_drop(&stat->output);
	common_release(&stat->common);
}

static int count_regions(struct stat *stat)
{
	const struct stat_regions regions = {
		.common = &stat->common,
		.events = default_events,
		.argv = stat->argv,
		.path = stat->path,
		.mode = stat->append ? OUTPUT_APPEND : OUTPUT_REPLACE,
		.format = stat->json ? GPMU_SINK_JSON :
			  stat->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY,
		.separator = stat->separator,
		.aggregation = stat->aggregation == GPMU_AGGREGATE_THREAD ?
			       GPMU_AGGREGATE_MACHINE : stat->aggregation,
		.per_thread = stat->aggregation == GPMU_AGGREGATE_THREAD,
	};
	int status = stat_regions(&regions);

	stat_release(stat);
	return status;
}

static int run(int argc, char **argv)
{
	struct stat stat = { .runs = 1 };
	struct gpmu_plan *plan;
	struct child child;
	bool asked, plugins;
	sigset_t mask;
	int status;

	common_init(&stat.common);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &stat);
	/* As perf: system-wide until Ctrl-C without a command and tasks */
	stat.system |= !stat.argv && !stat.pids.length && !stat.tids.length && !stat.cpus;
	check(&stat);
	check_regions(&stat);
	if (stat.regions)
		return count_regions(&stat);
	if (stat.control_text)
		control_open(&stat.control, stat.control_text);
	plugins = common_has_sources(&stat.common);
	if (plugins)
		count_begin(&child, stat.argv, NULL, &mask);
	common_open(&stat.common);
	add_topdown(&stat);
	asked = stat.common.request_count > 0;
	if (!asked)
		add_defaults(&stat);
	add_details(&stat);
	stat.common.tasks = !stat.system && !stat.cpus;
	plan = common_plan(&stat.common, stat.system || stat.cpus);
	if (asked || stat.common.verbose) {
		common_plan_warnings(plan);
		common_gpu_warning(&stat.common, plan);
	}
	if (stat.common.verbose)
		common_explain(plan);
	check_aggregation(&stat, plan);
	common_need_here(&stat.common, plan);
	open_output(&stat);
	status = count_all(&stat, plan, plugins ? &child : NULL, plugins ? &mask : NULL);
	gpmu_plan_free(plan);
	stat_release(&stat);
	if (plugins)
		count_heed_signals(&mask);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "count events and metrics of a command or the machine",
	.run = run,
};
