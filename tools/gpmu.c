// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu SUBCOMMAND ... */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/gpmu_nearest.h"
#include "cmd.h"
#include "common.h"
#include "message.h"

static const struct cmd *const cmds[] = {
	&cmd_stat, &cmd_record, &cmd_report, &cmd_import, &cmd_list, &cmd_plan, &cmd_perf, &cmd_eval, &cmd_traffic, &cmd_gpu,
	&cmd_doctor,
};

#define N_CMDS	ARRAY_SIZE(cmds)

const char *argp_program_version = "gpmu " GPMU_VERSION;

struct arguments {
	int argc;
	char **argv;	/* the subcommand and its arguments; NULL: none */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARG:
		arguments->argv = state->argv + state->next - 1;
		arguments->argc = state->argc - state->next + 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Appends the subcommands to the help of the options. */
static char *filter(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *file;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	file = need_memory(open_memstream(&list, &size));
	fputs("Subcommands:\n", file);
	for (size_t i = 0; i < N_CMDS; i++)
		fprintf(file, "  %-10s %s\n", cmds[i]->name, cmds[i]->summary);
	fputs("\n\"gpmu SUBCOMMAND --help\" lists its options, \"man gpmu-SUBCOMMAND\" describes it.",
	      file);
	if (fclose(file))
		die_no_memory();
	return list;
}

static const struct argp_option options[] = {
	{ .key = 'h', .flags = OPTION_HIDDEN },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "SUBCOMMAND [ARGUMENT...]",
	.doc = "Counts hardware events and metrics of NVIDIA Grace and other machines.\v",
	.help_filter = filter,
};

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; i < N_CMDS; i++)
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}

static void __attribute__((noreturn)) refuse(const char *name)
{
	struct nearest nearest;

	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; i < N_CMDS; i++)
		gpmu_nearest_try(&nearest, cmds[i]->name);
	if (nearest.name)
		die("unknown subcommand %s, did you mean %s?", name, nearest.name);
	die("unknown subcommand %s; \"gpmu --help\" lists the subcommands", name);
}

/* argp prints help and exits without a look at standard output. */
static void check_output(void)
{
	int error = stdout_flush();

	if (!error)
		return;
	say_output(NULL, stdout, error);
	fflush(stderr);
	_exit(EXIT_OWN);
}

static void do_nothing(int number)
{
	(void)number;
}

/*
 * A write beyond the limit of file sizes (ulimit -f) then fails with EFBIG, which is reported. Unlike
 * an ignored signal, the command does not inherit this.
 */
static void survive_file_limit(void)
{
	const struct sigaction nothing = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &nothing, NULL);
}

/*
 * Without memory, jansson 2.14 leaves out members and bytes of texts without an error, or reads beyond the end of a
 * text.
 */
static void *json_memory(size_t size)
{
	return need_memory(malloc(size));
}

int main(int argc, char **argv)
{
	static char name[] = "gpmu", option[] = "--help", full[32];
	char *help[] = { name, option, NULL };
	struct arguments arguments = { 0 };
	const struct cmd *cmd;

	/* The first function of atexit() is the last to run. */
	if (atexit(check_output))
		die_no_memory();
	json_set_alloc_funcs(json_memory, free);
	argp_err_exit_status = EXIT_OWN;
	argv[0] = name;
	program_invocation_name = program_invocation_short_name = name;
	/* The command that gpmu starts and the files that it writes would be another user's. */
	if (getuid() != geteuid() || getgid() != getegid())
		die("the set-user-ID and set-group-ID bits of gpmu's file are not supported: remove them, "
		    "and use sudo setcap cap_perfmon+ep");
	survive_file_limit();
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	/* "gpmu help" is "gpmu --help", "gpmu help stat" is "gpmu stat --help". */
	if (!strcmp(arguments.argv[0], "help")) {
		if (arguments.argc < 2)
			parse_arguments(&argp, 2, help, ARGP_IN_ORDER, &arguments);
		help[0] = arguments.argv[1];
		arguments = (struct arguments){ .argc = 2, .argv = help };
	}
	cmd = find(arguments.argv[0]);
	if (!cmd)
		refuse(arguments.argv[0]);
	snprintf(full, sizeof(full), "gpmu %s", cmd->name);
	arguments.argv[0] = full;
	program_invocation_name = program_invocation_short_name = full;
	return cmd->run(arguments.argc, arguments.argv);
}
