// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu eval: computes metrics from the output of "perf stat -j" or "perf stat -x,". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/gpmu_nearest.h"
#include "cmd.h"
#include "common.h"
#include "machine_file.h"
#include "output/output.h"
#include "saved_run.h"

enum {
	KEY_APPEND = COMMON_KEYS,
	KEY_PER_NODE,
	KEY_NO_BIG_NUM,
	KEY_MACHINE,
	KEY_STRICT,
};

struct eval {
	struct common common;
	struct saved_run run;
	bool is_system_wide;
	bool is_strict;
	bool is_repeated;	/* all lines repeat; the first ones are used */
	const char *machine;	/* --machine; NULL: the output describes it */
	const char *input;	/* NULL: standard input */
	FILE *file;
	struct gpmu_saved *saved;
	struct gpmu_plan *plan;	/* from the first table on */
};

static error_t parse_flag(struct eval *eval, int key)
{
	switch (key) {
	case 'a':
		eval->is_system_wide = true;
		return 0;
	case 'j':
		eval->run.wants_json = true;
		return 0;
	case KEY_APPEND:
		eval->run.wants_append = true;
		return 0;
	case KEY_STRICT:
		eval->is_strict = true;
		return 0;
	case KEY_PER_NODE:
		eval->run.wants_per_node = true;
		return 0;
	case KEY_NO_BIG_NUM:
		eval->run.wants_no_big_num = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct eval *eval = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &eval->common;
		state->child_inputs[1] = &eval->common;
		return 0;
	case 'o':
		eval->run.path = arg;
		return 0;
	case 'x':
		eval->run.separator = parse_separator(arg);
		return 0;
	case KEY_MACHINE:
		eval->machine = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (eval->input)
			argp_error(state, "%s: expected one file", arg);
		eval->input = arg;
		return 0;
	default:
		return parse_flag(eval, key);
	}
}

static const struct argp_option options[] = {
	{ .name = "all-cpus", .key = 'a', .doc = "the input is the output of perf stat -a" },
	OPTION_OUTPUT("output"),
	{ .name = "append", .key = KEY_APPEND, .doc = "append to the FILE of -o" },
	OPTION_CSV,
	OPTION_JSON,
	{ .name = "machine", .key = KEY_MACHINE, .arg = "MACHINE",
	  .doc = "the machine on which perf ran: grace, gracehopper, "
	  "or a file of gpmu doctor --save" },
	{ .name = "strict", .key = KEY_STRICT, .doc = "exit with 1 if a metric or event has no value" },
	{ .name = "per-node", .key = KEY_PER_NODE, .doc = "print a row for each node" },
	{ .name = "no-big-num", .key = KEY_NO_BIG_NUM, .doc = "do not group digits with commas" },
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &request_argp }, { .argp = &common_argp }, { 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE]",
	.doc = "Computes metrics from the output of \"perf stat -j\" or \"perf stat -x,\".",
	.children = children,
};

static const char *input_name(const struct eval *eval)
{
	return eval->input ? eval->input : "standard input";
}

/* Machines that need no file */
static const struct {
	const char *name;
	enum gpmu_saved_chip chip;
} machines[] = { { "grace", GPMU_SAVED_GRACE }, { "gracehopper", GPMU_SAVED_HOPPER } };

static enum gpmu_saved_chip chip_of(const struct eval *eval)
{
	for (size_t i = 0; eval->machine && i < ARRAY_SIZE(machines); i++)
		if (!strcmp(eval->machine, machines[i].name))
			return machines[i].chip;
	return GPMU_SAVED_ANY;
}

/* Dies if the machine is neither known nor a file. */
static void check_machine(const char *name)
{
	struct nearest nearest;

	if (!access(name, F_OK))
		return;
	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		gpmu_nearest_try(&nearest, machines[i].name);
	if (nearest.name)
		die("--machine %s: %s, did you mean %s?", name, strerror(errno), nearest.name);
	die("--machine %s: %s; expected grace, gracehopper or a file of gpmu doctor --save", name, strerror(errno));
}

/* Names the remedy if a metric needs a PMU that the events do not name. */
static void hint(const struct eval *eval)
{
	const char *line;
	size_t i = 0;

	while ((line = gpmu_plan_warning(eval->plan, i++)) && !strstr(line, "this machine has no PMU"))
		;
	if (line && !eval->machine && !eval->common.sources.length)
		warn("if perf ran on a Grace, --machine grace evaluates its events; \"gpmu doctor --save FILE\" describes another machine");
}

/* Without --source and a file of --machine the names of the events describe the machine. */
static void open_machine(struct eval *eval)
{
	struct common *common = &eval->common;
	struct gpmu_error error = { .size = sizeof(error) };
	bool is_saved = eval->machine && !chip_of(eval);

	if (is_saved) {
		check_machine(eval->machine);
		common->root = machine_file_root(eval->machine);
	}
	common_open(common);
	if (is_saved)
		eval->run.host = "";
	if (common->sources.length || is_saved)
		return;
	gpmu_machine_free(common->machine);
	common->machine = gpmu_saved_machine(eval->saved, common->root, &error);
	if (!common->machine)
		die("%s: %s", input_name(eval), error.text);
	if (!common_is_here(common))
		eval->run.host = "";
}

static void show_table(struct eval *eval)
{
	if (!eval->plan) {
		open_machine(eval);
		eval->plan = common_plan(&eval->common, eval->is_system_wide);
		common_plan_warnings(eval->plan);
		hint(eval);
		if (eval->common.is_verbose)
			common_explain(eval->plan);
		saved_run_begin(&eval->run, gpmu_saved_has_intervals(eval->saved));
	}
	saved_run_rows(&eval->run, eval->saved, eval->plan);
	if (gpmu_saved_repeats(eval->saved)) {
		warn("%s: all lines repeat, as if perf stat --append had added a run; the first ones "
		     "are used", input_name(eval));
		eval->is_repeated = true;
	}
}

/* Returns the line's length, 0 at the end of the input. */
static size_t read_line(const struct eval *eval, char *line)
{
	size_t length = 0;
	int c;

	while ((c = getc_unlocked(eval->file)) != EOF) {
		if (length == SAVED_RUN_LINE)
			die("%s: expected lines of perf, found one of more than %u bytes",
			    input_name(eval), SAVED_RUN_LINE);
		line[length++] = (char)c;
		if (c == '\n')
			break;
	}
	return length;
}

static void read_lines(struct eval *eval)
{
	char *line = need_memory(malloc(SAVED_RUN_LINE));
	struct gpmu_error error = { .size = sizeof(error) };
	size_t length;
	int ret;

	while ((length = read_line(eval, line))) {
		ret = gpmu_saved_line(eval->saved, line, length, &error);
		if (ret < 0)
			die("%s: %s", input_name(eval), error.text);
		if (ret)
			show_table(eval);
	}
	free(line);
	if (ferror(eval->file))
		die("%s: %s", input_name(eval), strerror(errno));
}

static void open_input(struct eval *eval)
{
	const struct gpmu_saved_options saved = {
		.size = sizeof(saved), .system = eval->is_system_wide, .per_node = eval->run.wants_per_node,
		.chip = chip_of(eval),
	};

	if (eval->input && !strcmp(eval->input, "-"))
		eval->input = NULL;
	eval->file = eval->input ? fopen(eval->input, "re") : stdin;
	if (!eval->file)
		die("%s: %s", eval->input, strerror(errno));
	eval->saved = need_memory(gpmu_saved_new(&saved));
}

static void eval_release(struct eval *eval)
{
	saved_run_release(&eval->run);
	gpmu_saved_free(eval->saved);
	gpmu_plan_free(eval->plan);
	if (eval->input)
		fclose(eval->file);
	common_release(&eval->common);
}

static int run(int argc, char **argv)
{
	struct eval eval = { .run = { .common = &eval.common, .standard = stdout } };
	int status = EXIT_SUCCESS;
	char *title;

	common_init(&eval.common);
	eval.common.is_counted = true;
	parse_arguments(&argp, argc, argv, 0, &eval);
	if (!eval.common.request_count)
		die("expected -M METRIC or -e EVENT; \"gpmu list\" lists them");
	if (eval.run.wants_json && eval.run.separator)
		die("-j and -x: choose one");
	if (eval.run.wants_append && !eval.run.path)
		die("--append needs -o");
	if (chip_of(&eval) && eval.common.sources.length)
		die("--machine %s and --source: choose one", eval.machine);
	output_check(eval.run.path, eval.input);
	open_input(&eval);
	title = print_text("'%s'", input_name(&eval));
	eval.run.title = title;
	read_lines(&eval);
	if (gpmu_saved_end(eval.saved))
		show_table(&eval);
	if (!eval.plan)
		die("%s: found no output of perf stat -j or -x", input_name(&eval));
	saved_run_end(&eval.run, eval.run.end);
	if (gpmu_saved_is_cut(eval.saved)) {
		warn("%s: the last line is cut off and was skipped", input_name(&eval));
		status = EXIT_FAILURE;
	}
	if (eval.is_strict && eval.run.missing)
		warn("%s: rows without a value: %zu", input_name(&eval), eval.run.missing);
	if (eval.is_strict && (eval.run.missing || eval.is_repeated))
		status = EXIT_FAILURE;
	eval_release(&eval);
	free(title);
	return status;
}

const struct cmd cmd_eval = {
	.name = "eval",
	.summary = "compute metrics from the output of perf stat",
	.run = run,
};
