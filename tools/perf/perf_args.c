// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "perf/perf_args.h"

/*
 * Options of perf stat from 6.1 to 7.3 that take an argument, and options that gpmu needs.
 * All other options have no separate argument.
 */
enum what {
	KEEP,
	METRICS,
	EVENTS,
	OUTPUT,
	APPEND,
	SEPARATOR,
	JSON,
	SYSTEM,
	CPUS,
	PIDS,
	TIDS,
	INTERVAL,
	REPEAT,
	NO_MERGE,
	NO_BIG_NUM,
	WRONG,
	OTHER_FORM,
};

static const struct perf_option {
	const char *name;
	char letter;
	bool has_argument;
	enum what what;
} options[] = {
	{ .name = "metrics", .letter = 'M', .has_argument = true, .what = METRICS },
	{ .name = "output", .letter = 'o', .has_argument = true, .what = OUTPUT },
	{ .name = "append", .what = APPEND },
	{ .name = "field-separator", .letter = 'x', .has_argument = true, .what = SEPARATOR },
	{ .name = "json-output", .letter = 'j', .what = JSON },
	{ .name = "all-cpus", .letter = 'a', .what = SYSTEM },
	{ .name = "no-aggr", .letter = 'A', .what = SYSTEM },
	{ .name = "per-socket", .what = SYSTEM },
	{ .name = "per-node", .what = SYSTEM },
	{ .name = "cpu", .letter = 'C', .has_argument = true, .what = CPUS },
	{ .name = "pid", .letter = 'p', .has_argument = true, .what = PIDS },
	{ .name = "tid", .letter = 't', .has_argument = true, .what = TIDS },
	{ .name = "interval-print", .letter = 'I', .has_argument = true, .what = INTERVAL },
	{ .name = "metric-no-merge", .what = NO_MERGE },
	{ .name = "no-big-num", .what = NO_BIG_NUM },
	{ .name = "metric-only", .what = WRONG },
	{ .name = "log-fd", .has_argument = true, .what = WRONG },
	{ .name = "iostat", .what = WRONG },
	{ .name = "cgroup", .letter = 'G', .has_argument = true, .what = WRONG },
	{ .name = "for-each-cgroup", .has_argument = true, .what = WRONG },
	{ .name = "table", .what = WRONG },
	{ .name = "quiet", .what = WRONG },
	{ .name = "verbose", .letter = 'v', .what = WRONG },
	{ .name = "summary", .what = WRONG },
	{ .name = "no-scale", .what = WRONG },
	{ .name = "per-die", .what = WRONG },
	{ .name = "per-cluster", .what = WRONG },
	{ .name = "per-cache", .what = WRONG },
	{ .name = "per-core", .what = WRONG },
	{ .name = "help", .letter = 'h', .what = OTHER_FORM },
	{ .name = "event", .letter = 'e', .has_argument = true, .what = EVENTS },
	{ .name = "repeat", .letter = 'r', .has_argument = true, .what = REPEAT },
	{ .name = "delay", .letter = 'D', .has_argument = true, .what = KEEP },
	{ .name = "filter", .has_argument = true, .what = KEEP },
	{ .name = "interval-count", .has_argument = true, .what = KEEP },
	{ .name = "timeout", .has_argument = true, .what = KEEP },
	{ .name = "bpf-prog", .letter = 'b', .has_argument = true, .what = KEEP },
	{ .name = "pre", .has_argument = true, .what = KEEP },
	{ .name = "post", .has_argument = true, .what = KEEP },
	{ .name = "td-level", .has_argument = true, .what = KEEP },
	{ .name = "control", .has_argument = true, .what = KEEP },
	{ .name = "cputype", .has_argument = true, .what = KEEP },
};

static const struct perf_option other = { .what = KEEP };

static const struct perf_option *find_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return &other;
}

/* perf accepts an abbreviated name if it is unambiguous. */
static const struct perf_option *find_name(const char *name, size_t length)
{
	const struct perf_option *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strncmp(options[i].name, name, length))
			continue;
		if (!options[i].name[length])
			return &options[i];
		found = &options[i];
		n++;
	}
	return n == 1 ? found : &other;
}

static void add_events(struct perf_args *args, char **arg, const char *list)
{
	args->events = need_memory(reallocarray(args->events, args->event_count + 1,
						sizeof(*args->events)));
	args->events[args->event_count++] = (struct perf_event_list){
		.arg = arg, .list = list, .kept = args->kept.length + 1,
	};
}

/* @option is in perf's form. Options that return here are gpmu's; the others are passed on. */
static void take_argument(struct perf_args *args, enum what what, const char *option,
			  const char *argument, char **arg)
{
	switch (what) {
	case METRICS:
		texts_add(&args->metrics, argument);
		return;
	case EVENTS:
		add_events(args, arg, argument);
		break;
	case OUTPUT:
		args->output = argument;
		return;
	case SEPARATOR:
		args->separator = strcmp(argument, "\\t") ? argument : "\t";
		return;
	case CPUS:
		args->cpus = argument;
		args->is_system_wide = true;
		break;
	case PIDS:
		args->pids = argument;
		break;
	case TIDS:
		args->tids = argument;
		break;
	case INTERVAL:
		args->has_interval = true;
		break;
	case REPEAT:
		args->runs = (unsigned int)strtoul(argument, NULL, 10);
		if (!args->runs)
			args->wrong = "-r 0";
		break;
	case WRONG:
		args->wrong = option;
		break;
	default:
		break;
	}
	texts_add(&args->kept, option);
	texts_add(&args->kept, argument);
}

static void take_flag(struct perf_args *args, enum what what, const char *option)
{
	switch (what) {
	case APPEND:
		args->wants_append = true;
		return;
	case JSON:
		args->wants_json = true;
		return;
	case NO_MERGE:
		args->wants_no_merge = true;
		return;
	case NO_BIG_NUM:
		args->wants_no_big_num = true;
		return;
	case SYSTEM:
		args->is_system_wide = true;
		break;
	case WRONG:
		args->wrong = option;
		break;
	case OTHER_FORM:
		args->has_other_form = true;
		break;
	default:
		break;
	}
	texts_add(&args->kept, option);
}

static const char *own(struct perf_args *args, char *text)
{
	texts_add(&args->made, text);
	return text;
}

static const char *next(char **argv, int argc, int *i)
{
	if (*i + 1 >= argc)
		die("perf stat %s: expected an argument", argv[*i]);
	return argv[++*i];
}

/* "-aI100": letters without an argument, then one that may have an argument */
static void parse_letters(struct perf_args *args, int argc, char **argv, int *i)
{
	for (const char *cursor = argv[*i] + 1; *cursor; cursor++) {
		const struct perf_option *letter = find_letter(*cursor);
		const char *option = own(args, print_text("-%c", *cursor)), *argument;

		if (!letter->has_argument) {
			take_flag(args, letter->what, option);
			continue;
		}
		argument = cursor[1] ? cursor + 1 : next(argv, argc, i);
		take_argument(args, letter->what, option, argument, &argv[*i]);
		return;
	}
}

static void parse_long(struct perf_args *args, int argc, char **argv, int *i)
{
	char *option = argv[*i];
	size_t length = strcspn(option + 2, "=");
	const struct perf_option *known = find_name(option + 2, length);
	const char *argument = option[2 + length] ? option + 2 + length + 1 : NULL;

	if (!known->has_argument) {
		take_flag(args, known->what, option);
		return;
	}
	if (!argument)
		argument = next(argv, argc, i);
	take_argument(args, known->what, own(args, print_text("--%s", known->name)), argument,
		      &argv[*i]);
}

void perf_args_parse(struct perf_args *args, int argc, char **argv)
{
	int i;

	args->runs = 1;
	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (argv[i][1] == '-')
			parse_long(args, argc, argv, &i);
		else
			parse_letters(args, argc, argv, &i);
	}
	if (i < argc)
		args->command = argv + i;
	if (args->command && (!strcmp(args->command[0], "record") ||
			      !strcmp(args->command[0], "report")))
		args->wrong = args->command[0];
	/* As perf: system-wide without a command and tasks */
	if (!args->command && !args->pids && !args->tids)
		args->is_system_wide = true;
}

void perf_args_set_events(struct perf_args *args, size_t index, const char *list)
{
	const struct perf_event_list *events = &args->events[index];
	char *arg = print_text("%.*s%s", (int)(events->list - *events->arg), *events->arg, list);

	*events->arg = arg;
	args->kept.list[events->kept] = own(args, arg) + strlen(arg) - strlen(list);
}

void perf_args_release(struct perf_args *args)
{
	free(args->events);
	for (size_t i = 0; i < args->made.length; i++)
		free((char *)args->made.list[i]);
	free(args->made.list);
	free(args->metrics.list);
	free(args->kept.list);
}

char **perf_args_make(struct perf_args *args, const char *perf, const char *form,
		      const char *fd, const char *events)
{
	const char *const first[] = { perf, "stat", form, "--log-fd", fd, "-e", events };
	struct texts all = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		texts_add(&all, first[i]);
	for (size_t i = 0; i < args->kept.length; i++)
		texts_add(&all, args->kept.list[i]);
	if (args->theirs) {
		texts_add(&all, "-M");
		texts_add(&all, args->theirs);
		if (args->wants_no_merge)
			texts_add(&all, "--metric-no-merge");
	}
	if (args->command)
		texts_add(&all, "--");
	for (char **arg = args->command; arg && *arg; arg++)
		texts_add(&all, *arg);
	texts_add(&all, NULL);
	return (char **)all.list;
}

char *perf_args_title(const struct perf_args *args)
{
	char *title = NULL;
	size_t size;
	FILE *file;

	if (args->cpus)
		return print_text("'CPU(s) %s'", args->cpus);
	if (args->is_system_wide)
		return print_text("'system wide'");
	if (args->pids)
		return print_text("process id '%s'", args->pids);
	if (args->tids)
		return print_text("thread id '%s'", args->tids);
	file = need_memory(open_memstream(&title, &size));
	for (char **arg = args->command; *arg; arg++)
		fprintf(file, "%s%s", arg == args->command ? "'" : " ", *arg);
	putc('\'', file);
	if (fclose(file))
		die_no_memory();
	return title;
}
