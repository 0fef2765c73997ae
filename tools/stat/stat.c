// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu stat: counts events and metrics of a command, tasks, CPUs or the machine. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip.h"
#include "cmd.h"
#include "run/child.h"
#include "run/control.h"
#include "run/count.h"
#include "run/waiting.h"
#include "stat/stat_clocks.h"
#include "stat/stat_options.h"
#include "stat/stat_output.h"
#include "stat/stat_plan.h"
#include "stat/stat_ranges.h"
#include "stat/stat_regions.h"
#include "values/gpmu_rows.h"
#include "values/gpmu_runs.h"

#define HELD_TIME	50000000	/* ns for which rows are held to be written together */

struct stat {
	struct stat_options options;
	struct stat_output output;
	struct control control;
	bool is_loss_reported;			/* the warning about lost counters was printed */
	struct gpmu_rows *uncounted;	/* of a run that ended before counting began; or NULL */
};

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

	if (!end->is_counted) {
		make_uncounted(stat, session);
		return stat->uncounted;
	}
	ret = gpmu_session_total(session, &rows);
	if (ret)
		die_unread(ret);
	return rows;
}

/* Names the signal as a shell does, except after Ctrl-C. */
static void say_signal(const struct stat_options *options, const struct count_end *end)
{
	if (end->signal && end->signal != SIGINT && end->signal != SIGPIPE && !options->timeout)
		say("%s: %s", options->argv[0], strsignal(end->signal));
}

/*
 * Thresholds for lost counts: the kernel counts the exit of each process only in part, which is
 * not worth a warning.
 */
#define LOST_MIN	0.01	/* seconds */
#define LOST_SHARE	0.5	/* of the CPU time */

static double longer(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Detects tasks whose counters the kernel has removed because they executed a set-user-ID program
 * (begin_new_exec() in Linux' fs/exec.c): the CPU time then exceeds every counter's enabled time.
 */
static void note_lost(struct stat *stat, const struct count_end *end, struct gpmu_session *session)
{
	const struct stat_options *options = &stat->options;
	double lost, ran = end->user + end->system, enabled = -1;
	const struct gpmu_rows *rows;
	const struct gpmu_row *row;

	/* With these options the command is not counted from begin to end. */
	if (stat_counts_cpus(options) || options->pids.length || options->tids.length ||
	    options->delay || options->control || options->timeout || options->intervals ||
	    options->wants_no_inherit || !end->is_counted)
		return;
	if (gpmu_session_total(session, &rows))
		return;
	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++)
		if (row->scope == GPMU_SCOPE_PROCESS && !row->metric && row->counters)
			enabled = longer(enabled, (double)row->enabled * (double)row->counters / 1e9);
	lost = ran - enabled;
	if (stat->is_loss_reported || enabled < 0 || lost < LOST_MIN || lost < ran * LOST_SHARE)
		return;
	stat->is_loss_reported = true;
	if (options->is_strict)
		strict_add(&stat->output.reasons, print_text("%.3f s were not counted", lost));
	warn("%.3f s of the command's %.3f s of CPU time were not counted: the kernel removes the "
	     "counters of set-user-ID programs such as sudo; -a counts them", lost, ran);
}

static void end_sink(const struct count_end *end, struct gpmu_sink_end *sink_end)
{
	sink_end->elapsed = end->elapsed;
	sink_end->user = end->user;
	sink_end->system = end->system;
}

static void run_once(struct stat *stat, const struct count *count, int *status)
{
	const struct stat_options *options = &stat->options;
	struct gpmu_sink_end sink_end = { .size = sizeof(sink_end) };
	struct gpmu_session *session;
	struct count_end end;

	session = count_run(count, &end);
	*status = end.status;
	if (!session)
		return;
	end_sink(&end, &sink_end);
	say_signal(options, &end);
	if (!options->interval || !end.is_counted)
		stat_output_rows(total(stat, &end, session), &stat->output);
	stat_output_end(&stat->output, &sink_end);
	note_lost(stat, &end, session);
	gpmu_session_free(session);
}

/*
 * Returns whether a run enters the means. An interrupted run covers only a part of the command, so it is printed only if it is
 * the first.
 */
static bool enters_means(const struct count_end *end, unsigned int run)
{
	if (!end->is_interrupted)
		return true;
	if (run > 1)
		warn("run %u was interrupted and is not in the means", run);
	else
		warn("the first run was interrupted: the counts cover only a part of it");
	return run == 1;
}

/* The status is the first that is not 0. */
static void run_several(struct stat *stat, const struct count *count, int *status)
{
	const struct stat_options *options = &stat->options;
	struct count each = *count;
	struct gpmu_runs *runs = need_memory(gpmu_runs_new());
	struct gpmu_sink_end sink_end = { .size = sizeof(sink_end) };
	struct count_end end = { .is_executed = true };
	struct gpmu_session *session;
	sigset_t mask;
	unsigned int i;
	int ret;

	count_hold_signals(&mask);
	each.mask = count->mask ? count->mask : &mask;
	for (i = 0; i < options->runs && !end.is_interrupted; i++) {
		session = count_run(&each, &end);
		each.child = NULL;
		*status = *status ? *status : end.status;
		if (!session)
			break;
		say_signal(options, &end);
		note_lost(stat, &end, session);
		end_sink(&end, &sink_end);
		ret = enters_means(&end, i + 1) ? gpmu_runs_add(runs, total(stat, &end, session), &sink_end) : 0;
		gpmu_session_free(session);
		if (ret)
			die("run %u: %s", i + 1, ret != -EINVAL ? strerror(-ret) :
			    "its rows differ from the first run's: a CPU came online or went "
			    "offline, or a thread started or ended; repeat it");
	}
	count_heed_signals(&mask);
	if (end.is_executed) {
		stat_output_rows(gpmu_runs_rows(runs), &stat->output);
		gpmu_runs_end(runs, &sink_end);
		stat_output_end(&stat->output, &sink_end);
	}
	gpmu_runs_free(runs);
}

/* @child, @mask: of count_begin(), or NULL */
static int count_all(struct stat *stat, const struct gpmu_plan *plan, const struct child *child,
		     const sigset_t *mask)
{
	const struct stat_options *options = &stat->options;
	const struct count count = {
		.plan = plan,
		.session = {
			.size = sizeof(count.session),
			.system = stat_counts_cpus(options),
			.cpus = options->cpus,
			.pids = options->pids.list,
			.pid_count = options->pids.length,
			.tids = options->tids.list,
			.tid_count = options->tids.length,
			.inherit = !options->wants_no_inherit,
			.aggregation = options->aggregation.by,
			.skip_denied = stat_counts_cpus(options) && common_has_gpus(&options->common),
		},
		.argv = options->argv,
		.child = child,
		.mask = mask,
		.delay = options->delay,
		.control = options->control ? &stat->control : NULL,
		.interval = options->interval,
		.intervals = options->intervals,
		.timeout = options->timeout,
		.rows = options->interval ? stat_output_rows : NULL,
		.latency = isatty(fileno(stat->output.out.file)) ? 1 : HELD_TIME,
		.user = &stat->output,
	};
	int status = EXIT_SUCCESS;

	if (options->runs > 1)
		run_several(stat, &count, &status);
	else
		run_once(stat, &count, &status);
	if (stat->output.has_failed || (options->is_strict && !strict_report(&stat->output.reasons)))
		return EXIT_OWN;
	return status;
}

/* The command is counted in its own process. */
static int run_inside(struct stat_options *options)
{
	int status = options->wants_regions ? stat_regions(options) : stat_ranges(options);

	stat_options_release(options);
	return status;
}

/*
 * Ranges need the GPU's profiler. While another program uses it, the whole command is counted by NVML. Programs
 * that read the output, and --strict, need the counts of ranges.
 */
static bool falls_back(struct stat_options *options)
{
	char *why = options->is_strict || options->wants_json || options->separator ? NULL : chip_find_busy();

	if (!why)
		return false;
	/* The plugin names the program once more when it is opened. */
	free(why);
	warn("no range is counted, as another program uses the GPU's profiler; the whole command is counted instead");
	options->ranges.is_wanted = false;
	options->common.wants_gpu = true;
	options->common.request_count = 0;
	return true;
}

static int run(int argc, char **argv)
{
	struct stat stat = { .uncounted = NULL };
	struct stat_options *options = &stat.options;
	struct gpmu_plan *plan;
	struct child child;
	sigset_t mask;
	bool needs_plugins;
	int status;

	stat_options_init(options, argc, argv);
	if (options->wants_clocks)
		stat_clocks_lock(options->clock);
	if (options->wants_regions || options->ranges.sass || (options->ranges.is_wanted && !falls_back(options)))
		return run_inside(options);
	if (options->control)
		control_open(&stat.control, options->control);
	needs_plugins = common_has_sources(&options->common);
	if (needs_plugins)
		count_begin(&child, options->argv, NULL, &mask);
	if (common_has_gpus(&options->common) && (options->interval || isatty(STDERR_FILENO)))
		waiting_begin(WAITING_GPUS);
	options->common.is_read_late = true;
	common_open(&options->common);
	plan = stat_plan(options);
	stat_output_open(&stat.output, options);
	status = count_all(&stat, plan, needs_plugins ? &child : NULL, needs_plugins ? &mask : NULL);
	gpmu_plan_free(plan);
	stat_output_release(&stat.output);
	gpmu_rows_free(stat.uncounted);
	if (options->control)
		control_close(&stat.control);
	stat_options_release(options);
	if (needs_plugins)
		count_heed_signals(&mask);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "count events and metrics of a command or the machine",
	.run = run,
};
