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
#include "count.h"
#include "output.h"
#include "stat_regions.h"
#include "values/gpmu_runs.h"

#define MAX_REASONS	20		/* printed by --strict */

enum {
	KEY_INTERVALS = COMMON_KEYS,
	KEY_DURATION,
	KEY_TIMEOUT,
	KEY_APPEND,
	KEY_PER_NODE,
	KEY_STRICT,
	KEY_NO_BIG_NUM,
	KEY_REGIONS,
	KEY_PER_THREAD,
};

struct tasks {
	pid_t *list;
	size_t length;
	const char *text;	/* the argument */
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
	const char *path;		/* -o */
	bool append, json, per_node, no_aggr, no_inherit, strict, no_big_num;
	bool regions, per_thread;
	const char *separator;
	char **argv;			/* the command; NULL: none */
	struct output output;
	struct gpmu_sink *sink;
	char **reasons;			/* why --strict fails, each once */
	size_t reason_count;
	bool more_reasons;
	bool failed;			/* writing the output, after a message */
	bool lost_said;			/* the warning about lost counters was printed */
	struct gpmu_row *uncounted;
	size_t uncounted_count;
};

/* Events without -e and -M */
static const char default_events[] =
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions";

/* Metrics added by -a, if the machine has them: the bandwidths of a Grace's memory and links */
static const char *const default_metrics[] = {
	"GraceMemBW", "GraceGpuMemBW", "GraceRemoteBW", "GracePcieBW", "GraceC2c0BW",
	"GraceC2c1BW", "GraceCnvlinkBW",
};

/* Metrics added by --gpu, which fit one pass on every chip */
static const char *const default_gpu_metrics[] = { "GpuSmActive", "GpuDramBW", "GpuPcieBW" };

/* --- options --- */

static void parse_tasks(const char *option, const char *text, struct tasks *tasks)
{
	const char *at = text;

	do {
		char *end;
		long tid;

		errno = 0;
		tid = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || tid < 1 || tid > INT32_MAX ||
		    (*end && *end != ','))
			die("%s %s: expected process or thread ids separated by \",\"",
			    option, text);
		tasks->list = need_memory(reallocarray(tasks->list, tasks->length + 1,
						       sizeof(*tasks->list)));
		tasks->list[tasks->length++] = (pid_t)tid;
		at = end;
	} while (*at++);
	tasks->text = text;
}

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

static error_t parse_flag(struct stat *stat, int key)
{
	const struct {
		int key;
		bool *flag, value;
	} flags[] = {
		{ 'a', &stat->system, true }, { 'A', &stat->no_aggr, true },
		{ 'i', &stat->no_inherit, true }, { 'j', &stat->json, true },
		{ KEY_APPEND, &stat->append, true }, { KEY_PER_NODE, &stat->per_node, true },
		{ KEY_STRICT, &stat->strict, true }, { KEY_NO_BIG_NUM, &stat->no_big_num, true },
		{ 'B', &stat->no_big_num, false },
		{ KEY_REGIONS, &stat->regions, true }, { KEY_PER_THREAD, &stat->per_thread, true },
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
	{ "repeat", 'r', "N", 0, "run the command N times and print means and deviations", 0 },
	{ "delay", 'D', "MS", 0, "start counting after MS milliseconds; -1: never", 0 },
	{ "duration", KEY_DURATION, "S", 0, "end counting and the command after S seconds", 0 },
	{ "timeout", KEY_TIMEOUT, "MS", 0, "end counting and the command after MS milliseconds", 0 },
	{ "output", 'o', "FILE", 0, "print to FILE instead of standard error", 0 },
	{ "append", KEY_APPEND, NULL, 0, "append to the FILE of -o", 0 },
	{ "field-separator", 'x', "SEP", 0, "print CSV with SEP between columns", 0 },
	{ "json-output", 'j', NULL, 0, "print JSON, one object per line", 0 },
	{ "per-node", KEY_PER_NODE, NULL, 0, "print a row for each node", 0 },
	{ "per-socket", KEY_PER_NODE, NULL, 0, "the same as --per-node: a Grace's sockets are its "
	  "nodes", 0 },
	{ "no-aggr", 'A', NULL, 0, "print a row for each CPU; needs -a or -C", 0 },
	{ "regions", KEY_REGIONS, NULL, 0, "count the regions that the command marks with "
	  "gpmu-mark.h", 0 },
	{ "per-thread", KEY_PER_THREAD, NULL, 0, "with --regions: print a row for each thread", 0 },
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
		{ stat->per_node && stat->no_aggr, "--per-node and -A: choose one" },
		{ stat->no_aggr && !system, "-A needs -a or -C" },
		{ stat->intervals && !stat->interval, "--interval-count needs -I" },
		{ stat->append && !stat->path, "--append needs -o" },
		{ stat->runs > 1 && !stat->argv, "-r needs a command" },
		{ stat->runs > 1 && stat->interval, "-r and -I: choose one" },
		{ stat->delay < 0 && !stat->argv && !stat->timeout && !tasks,
		  "-D -1 needs a command, -p, -t, --duration or --timeout" },
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
		{ stat->per_thread && !stat->regions, "--per-thread needs --regions" },
		{ stat->regions && !stat->argv, "--regions needs a command" },
		{ stat->regions && (stat->system || stat->cpus || stat->pids.length ||
				    stat->tids.length || stat->no_aggr || stat->no_inherit ||
				    stat->interval || stat->intervals || stat->runs > 1 ||
				    stat->delay || stat->timeout || stat->strict ||
				    stat->common.no_merge),
		  "--regions cannot be combined with -a, -C, -p, -t, -A, -i, -I, -r, -D, "
		  "--duration, --timeout, --strict and --metric-no-merge" },
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

static void add_defaults(struct stat *stat)
{
	struct common *common = &stat->common;

	common_request(common, false, default_events);
	if (stat->system)
		add_metrics(common, default_metrics,
			    sizeof(default_metrics) / sizeof(default_metrics[0]));
	if (common->gpu)
		add_metrics(common, default_gpu_metrics,
			    sizeof(default_gpu_metrics) / sizeof(default_gpu_metrics[0]));
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
		.big_numbers = !stat->no_big_num,
		.per_node = stat->per_node,
		.runs = stat->runs,
	};
	struct gpmu_error error = { .text = "" };
	char *title = title_of(stat);
	int ret = output_open(&stat->output, stat->path, mode, stderr);

	if (ret)
		die("%s: %s", stat->path, strerror(-ret));
	sink.title = title;
	sink.continues = stat->output.continues;
	sink.color = common_wants_color(&stat->common, stat->output.file);
	stat->sink = gpmu_sink_new(stat->json ? GPMU_SINK_JSON :
				   stat->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY,
				   stat->output.file, &sink, &error);
	if (!stat->sink)
		die("-x: %s", error.text);
	if (!stat->json && !stat->separator)
		output_started(&stat->output, time(NULL));
	free(title);
}

static void say_output(struct stat *stat, int error)
{
	say("%s: %s", stat->path ? stat->path : "standard error", strerror(-error));
	stat->failed = true;
}

/* --- --strict --- */

static void add_reason(struct stat *stat, char *reason)
{
	for (size_t i = 0; i < stat->reason_count; i++)
		if (!strcmp(stat->reasons[i], reason)) {
			free(reason);
			return;
		}
	if (stat->reason_count == MAX_REASONS) {
		stat->more_reasons = true;
		free(reason);
		return;
	}
	stat->reasons = need_memory(reallocarray(stat->reasons, stat->reason_count + 1,
						 sizeof(*stat->reasons)));
	stat->reasons[stat->reason_count++] = reason;
}

/* " of node 1" */
static void place_of(const struct gpmu_row *row, char *place, size_t size)
{
	*place = '\0';
	if (row->cpu >= 0)
		snprintf(place, size, " of CPU %d", row->cpu);
	else if (row->node >= 0)
		snprintf(place, size, " of node %d", row->node);
}

/* An idle metric is no failure: there was nothing to measure. */
static void note_row(struct stat *stat, const struct gpmu_row *row)
{
	static const char *const states[] = {
		[GPMU_STATE_NOT_COUNTED] = "not counted", [GPMU_STATE_NOT_SUPPORTED] = "not supported",
	};
	char place[32];

	place_of(row, place, sizeof(place));
	if (row->state == GPMU_STATE_NOT_COUNTED || row->state == GPMU_STATE_NOT_SUPPORTED)
		add_reason(stat, print_text("%s%s: %s%s%s", row->name, place, states[row->state],
					    row->why ? ": " : "", row->why ? row->why : ""));
	else if (row->share < 1)
		add_reason(stat, print_text("%s%s: multiplexed", row->name, place));
	else if (row->runs < stat->runs && row->state == GPMU_STATE_OK)
		add_reason(stat, print_text("%s%s: missing in some of the runs", row->name, place));
}

/* Prints why --strict fails. Returns whether it succeeds. */
static bool is_strict(const struct stat *stat)
{
	for (size_t i = 0; i < stat->reason_count; i++)
		say("--strict: %s", stat->reasons[i]);
	if (stat->more_reasons)
		say("--strict: further values are missing or multiplexed");
	return !stat->reason_count;
}

static bool show_rows(const struct gpmu_row *rows, size_t n, void *user)
{
	struct stat *stat = user;
	int ret = gpmu_sink_rows(stat->sink, rows, n);

	if (ret) {
		say_output(stat, ret);
		return false;
	}
	for (size_t i = 0; stat->strict && i < n; i++)
		note_row(stat, gpmu_row_at(rows, i));
	return true;
}

static bool hold_rows(bool hold, void *user)
{
	struct stat *stat = user;
	int ret = gpmu_sink_hold(stat->sink, hold);

	if (ret)
		say_output(stat, ret);
	return !ret;
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
	const struct gpmu_row *rows;
	size_t n;
	int ret = gpmu_session_enable(session);

	if (!ret)
		ret = gpmu_session_disable(session);
	if (!ret)
		ret = gpmu_session_total(session, &rows, &n);
	if (ret)
		die_unread(ret);
	free(stat->uncounted);
	stat->uncounted = need_memory(calloc(n + 1, sizeof(*stat->uncounted)));
	stat->uncounted_count = n;
	for (size_t i = 0; i < n; i++) {
		struct gpmu_row *row = &stat->uncounted[i];

		*row = *gpmu_row_at(rows, i);
		row->size = sizeof(*row);
		row->time_begin = row->time_end = 0;
		if (row->state == GPMU_STATE_NOT_SUPPORTED)
			continue;
		row->state = GPMU_STATE_NOT_COUNTED;
		row->value = row->share = NAN;
		row->raw = row->enabled = row->running = 0;
		row->alert = -1;
		row->why = "the run ended before counting began";
	}
}

static void total(struct stat *stat, const struct count_end *end, struct gpmu_session *session,
		  const struct gpmu_row **rows, size_t *n)
{
	int ret;

	if (!end->counted) {
		make_uncounted(stat, session);
		*rows = stat->uncounted;
		*n = stat->uncounted_count;
		return;
	}
	ret = gpmu_session_total(session, rows, n);
	if (ret)
		die_unread(ret);
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
 * Detects tasks whose counters the kernel has removed because they executed a setuid program
 * (begin_new_exec() in Linux' fs/exec.c): the CPU time then exceeds every counter's enabled time.
 */
static void note_lost(struct stat *stat, const struct count_end *end, struct gpmu_session *session)
{
	double lost, ran = end->user + end->system, enabled = -1;
	const struct gpmu_row *rows;
	size_t n;

	/* With these options the command is not counted from begin to end. */
	if (stat->system || stat->cpus || stat->pids.length || stat->tids.length || stat->delay ||
	    stat->timeout || stat->intervals || stat->no_inherit || !end->counted)
		return;
	if (gpmu_session_total(session, &rows, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_row *row = gpmu_row_at(rows, i);

		if (row->scope == GPMU_SCOPE_PROCESS && !row->metric && row->counters)
			enabled = fmax(enabled, (double)row->enabled * (double)row->counters / 1e9);
	}
	lost = ran - enabled;
	if (stat->lost_said || enabled < 0 || lost < LOST_LEAST || lost < ran * LOST_SHARE)
		return;
	stat->lost_said = true;
	if (stat->strict)
		add_reason(stat, print_text("%.3f s were not counted", lost));
	warn("%.3f s of the command's %.3f s of CPU time were not counted: the kernel removes the "
	     "counters of setuid programs such as sudo; -a counts them", lost, ran);
}

static void run_once(struct stat *stat, const struct count *count, int *status)
{
	struct gpmu_session *session;
	const struct gpmu_row *rows;
	struct count_end end;
	size_t n;

	session = count_run(count, &end);
	*status = end.status;
	if (!session)
		return;
	say_signal(stat, &end);
	if (!stat->interval || !end.counted) {
		total(stat, &end, session, &rows, &n);
		show_rows(rows, n, stat);
	}
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
	const struct gpmu_row *rows;
	sigset_t mask;
	unsigned int i;
	size_t n;
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
		total(stat, &end, session, &rows, &n);
		sink_end.elapsed = end.elapsed;
		sink_end.user = end.user;
		sink_end.system = end.system;
		ret = gpmu_runs_add(runs, rows, n, &sink_end);
		if (ret)
			die("run %u: %s", i + 1, ret != -EINVAL ? strerror(-ret) :
			    "its rows differ from the first run's: a CPU came online or went "
			    "offline; repeat it");
		gpmu_session_free(session);
	}
	count_heed_signals(&mask);
	if (end.executed) {
		rows = gpmu_runs_rows(runs, &n);
		show_rows(rows, n, stat);
		gpmu_runs_end(runs, &sink_end);
		show_end(stat, &sink_end);
	}
	gpmu_runs_free(runs);
}

static enum gpmu_aggregation aggregation_of(const struct stat *stat)
{
	if (stat->no_aggr)
		return GPMU_AGGREGATE_CPU;
	return stat->per_node ? GPMU_AGGREGATE_NODE : GPMU_AGGREGATE_MACHINE;
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
			.aggregation = aggregation_of(stat),
		},
		.argv = stat->argv,
		.child = child,
		.mask = mask,
		.delay = stat->delay,
		.interval = stat->interval,
		.intervals = stat->intervals,
		.timeout = stat->timeout,
		.rows = stat->interval ? show_rows : NULL,
		.hold = hold_rows,
		.batches = !isatty(fileno(stat->output.file)),
		.user = stat,
	};
	int status = EXIT_SUCCESS;

	if (stat->runs > 1)
		run_several(stat, &count, &status);
	else
		run_once(stat, &count, &status);
	if (stat->failed || (stat->strict && !is_strict(stat)))
		return EXIT_OWN;
	return status;
}

static void stat_release(struct stat *stat)
{
	for (size_t i = 0; i < stat->reason_count; i++)
		free(stat->reasons[i]);
	free(stat->reasons);
	free(stat->uncounted);
	free(stat->pids.list);
	free(stat->tids.list);
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
		.per_node = stat->per_node,
		.per_thread = stat->per_thread,
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
	plugins = common_has_sources(&stat.common);
	if (plugins)
		count_begin(&child, stat.argv, NULL, &mask);
	common_open(&stat.common);
	asked = stat.common.request_count > 0;
	if (!asked)
		add_defaults(&stat);
	stat.common.tasks = !stat.system && !stat.cpus;
	plan = common_plan(&stat.common, stat.system || stat.cpus);
	if (asked || stat.common.verbose) {
		common_plan_warnings(plan);
		common_gpu_warning(&stat.common, plan);
	}
	if (stat.common.verbose)
		common_explain(plan);
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
