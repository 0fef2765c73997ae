// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu traffic: prints a matrix of a Grace's memory traffic by source and memory, and GPU counts. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "common.h"
#include "output/output.h"
#include "run/child.h"
#include "run/count.h"
#include "run/waiting.h"
#include "traffic/traffic.h"


enum {
	KEY_INTERVALS = COMMON_KEYS,
	KEY_DURATION,
	KEY_APPEND,
	KEY_CHIP,
};

struct traffic {
	struct common common;
	enum gpmu_traffic_chip chip;
	uint64_t interval, intervals, duration; /* ns */
	const char *path; /* -o */
	bool wants_append, wants_json;
	const char *separator;
	char **argv; /* the command; NULL: none */
	struct gpmu_traffic *flow; /* NULL: GPUs only */
	struct gpmu_balance *balance;
	struct output output;
	struct traffic_notes notes;
	bool has_heading; /* the CSV heading was written */
	bool has_failed; /* writing the output, after a message */
};

static enum gpmu_traffic_chip parse_chip(const char *text)
{
	if (!strcmp(text, "superchip"))
		return GPMU_TRAFFIC_SUPERCHIP;
	if (!strcmp(text, "gracehopper"))
		return GPMU_TRAFFIC_HOPPER;
	die("--chip %s: expected superchip or gracehopper", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct traffic *traffic = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &traffic->common;
		state->child_inputs[1] = &traffic->common;
		return 0;
	case 'a': /* uncore PMUs always count system-wide */
		return 0;
	case 'I':
		traffic->interval = parse_ms("-I", arg);
		return 0;
	case KEY_INTERVALS:
		traffic->intervals = (uint64_t)parse_number("--interval-count", arg, 1, INT32_MAX);
		return 0;
	case KEY_DURATION:
		traffic->duration = parse_duration(arg);
		return 0;
	case KEY_CHIP:
		traffic->chip = parse_chip(arg);
		return 0;
	case 'o':
		traffic->path = arg;
		return 0;
	case KEY_APPEND:
		traffic->wants_append = true;
		return 0;
	case 'j':
		traffic->wants_json = true;
		return 0;
	case 'x':
		traffic->separator = parse_separator(arg);
		return 0;
	case ARGP_KEY_ARGS:
		traffic->argv = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "all-cpus", .key = 'a', .doc = "count the whole machine (always done)" },
	{ .name = "interval-print", .key = 'I', .arg = "MS",
	  .doc = "print the counts of each interval of MS milliseconds" },
	{ .name = "interval-count", .key = KEY_INTERVALS, .arg = "N", .doc = "end after N intervals" },
	{ .name = "duration", .key = KEY_DURATION, .arg = "S", .doc = "end after S seconds" },
	{ .name = "chip", .key = KEY_CHIP, .arg = "KIND",
	  .doc = "superchip or gracehopper, if it is detected wrongly" },
	OPTION_OUTPUT("output"),
	{ .name = "append", .key = KEY_APPEND, .doc = "append to the FILE of -o" },
	OPTION_JSON,
	OPTION_CSV,
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &gpu_argp },
	{ .argp = &common_argp },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[COMMAND [ARGUMENT...]]",
	.doc = "Shows the memory traffic of a Grace by source and memory, while a command runs or "
	       "until Ctrl-C.",
	.children = children,
};

static void check(const struct traffic *traffic)
{
	if (traffic->wants_json && traffic->separator)
		die("-j and -x: choose one");
	if (traffic->separator)
		check_separator(traffic->separator);
	if (traffic->intervals && !traffic->interval)
		die("--interval-count needs -I");
	if (traffic->wants_append && !traffic->path)
		die("--append needs -o");
}

/* Without a Grace only a warning is printed if there are GPUs to show. */
static void make_flow(struct traffic *traffic, bool has_gpus)
{
	struct gpmu_error error = { .size = sizeof(error) };

	traffic->flow = gpmu_traffic_new(traffic->common.machine, traffic->chip, &error);
	if (traffic->flow)
		return;
	if (errno != ENODEV || !has_gpus)
		die("%s", error.text);
	warn("%s", error.text);
}

static struct gpmu_plan *make_plan(struct traffic *traffic)
{
	const struct common *common = &traffic->common;
	const struct gpmu_plan_options plan_options = {
		.size = sizeof(plan_options),
		.system_wide = 1,
		.fits = common_is_here(common) ? gpmu_probe_fits : NULL,
	};
	const bool has_gpus = traffic_has_gpus(common->machine);
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan;

	make_flow(traffic, has_gpus);
	plan = gpmu_plan_new(common->machine, common->catalog, &plan_options, &error);
	if (!plan || (traffic->flow && gpmu_traffic_plan(traffic->flow, plan, &error)) ||
	    (has_gpus &&
	     traffic_gpu_plan(plan, traffic->flow || traffic_gpu_has_grace(common->machine, common->catalog),
			      &error)) ||
	    gpmu_plan_make(plan, &error))
		die("%s", error.text);
	common_plan_warnings(plan);
	if (common->is_verbose)
		common_explain(plan);
	common_need_here(common, plan);
	return plan;
}

static void open_output(struct traffic *traffic)
{
	enum output_mode mode = traffic->wants_append	  ? OUTPUT_APPEND :
				traffic->interval ? OUTPUT_WRITE :
						    OUTPUT_REPLACE;
	int ret = output_open(&traffic->output, traffic->path, mode, stdout);

	if (ret)
		die_output(traffic->path, stdout, ret);
	traffic->has_heading = traffic->output.is_continued;
}

static bool show(const struct gpmu_rows *rows, void *user)
{
	const struct gpmu_row *first = gpmu_rows_at(rows, 0);
	struct traffic *traffic = user;
	struct traffic_view view = {
		.file = traffic->output.file,
		.flow = traffic->flow,
		.machine = traffic->common.machine,
		.balance = traffic->balance,
		.rows = rows,
		.begin = first ? (double)first->time_begin / 1e9 : 0,
		.end = first ? (double)first->time_end / 1e9 : 0,
		.wants_json = traffic->wants_json,
		.has_interval = traffic->interval > 0,
		.separator = traffic->separator,
		.notes = &traffic->notes,
	};

	if (traffic->flow)
		gpmu_traffic_update(traffic->flow, rows);
	if (gpmu_balance_update(traffic->balance, rows))
		die_no_memory();
	if (!traffic->wants_json && !traffic->separator) {
		traffic_text(&view);
	} else {
		if (!traffic->wants_json && !traffic->has_heading)
			traffic_header(&view);
		traffic->has_heading = true;
		traffic_records(&view);
	}
	if (!fflush(view.file))
		return true;
	say_output(traffic->path, stdout, -errno);
	traffic->has_failed = true;
	return false;
}

static int count_all(struct traffic *traffic, const struct gpmu_plan *plan,
		     const struct child *child, const sigset_t *mask)
{
	const struct count count = {
		.plan = plan,
		.session = { .size = sizeof(count.session), .system = 1 },
		.argv = traffic->argv,
		.child = child,
		.mask = mask,
		.interval = traffic->interval,
		.intervals = traffic->intervals,
		.timeout = traffic->duration,
		.rows = traffic->interval ? show : NULL,
		.user = traffic,
	};
	struct gpmu_session *session;
	const struct gpmu_rows *rows;
	struct count_end end;
	int ret = 0;

	session = count_run(&count, &end);
	if (!session)
		return end.status;
	if (end.signal && end.signal != SIGINT && end.signal != SIGPIPE && !traffic->duration)
		say("%s: %s", traffic->argv[0], strsignal(end.signal));
	if (!traffic->interval && end.is_counted) {
		ret = gpmu_session_total(session, &rows);
		if (ret)
			die("counters cannot be read: %s", strerror(-ret));
		show(rows, traffic);
	}
	gpmu_session_free(session);
	if (traffic->has_failed)
		return EXIT_OWN;
	ret = output_close(&traffic->output);
	if (ret)
		die_output(traffic->path, stdout, ret);
	return end.status;
}

static int run(int argc, char **argv)
{
	struct traffic traffic = { 0 };
	struct gpmu_plan *plan;
	struct child child;
	sigset_t mask;
	bool needs_plugins;
	int status;

	common_init(&traffic.common);
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, &traffic);
	check(&traffic);
	needs_plugins = common_has_sources(&traffic.common);
	if (needs_plugins)
		count_begin(&child, traffic.argv, NULL, &mask);
	if (common_has_gpus(&traffic.common) && (traffic.interval || isatty(STDERR_FILENO)))
		waiting_begin(WAITING_GPUS);
	common_open(&traffic.common);
	plan = make_plan(&traffic);
	traffic.balance = need_memory(gpmu_balance_new());
	open_output(&traffic);
	status = count_all(&traffic, plan, needs_plugins ? &child : NULL, needs_plugins ? &mask : NULL);
	gpmu_plan_free(plan);
	gpmu_traffic_free(traffic.flow);
	gpmu_balance_free(traffic.balance);
	traffic_notes_release(&traffic.notes);
	output_drop(&traffic.output);
	common_release(&traffic.common);
	if (needs_plugins)
		count_heed_signals(&mask);
	return status;
}

const struct cmd cmd_traffic = {
	.name = "traffic",
	.summary = "show the memory traffic of a Grace by source and memory",
	.run = run,
};
