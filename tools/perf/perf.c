// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gpmu perf: runs the machine's perf. For "perf stat" it removes metrics of gpmu's catalog from
 * -M, lets perf count their groups of events, and converts perf's output to rows. All other
 * arguments are passed on.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"
#include "perf/perf_args.h"
#include "perf/perf_events.h"
#include "perf/perf_theirs.h"
#include "run/child.h"
#include "saved_run.h"

struct perf {
	struct common common;
	struct saved_run run;
	char **argv;		/* perf's subcommand and its arguments */
	int argc;
	struct perf_args args;
	struct perf_theirs theirs;
	struct gpmu_plan *plan;
	struct gpmu_saved *saved;
	bool has_begun;		/* the output was opened */
	bool is_cut;		/* perf has printed text that is no output of perf stat */
};

/* perf, to which gpmu's signals are forwarded */
static volatile pid_t running;

static const char *perf_path(void)
{
	const char *path = secure_getenv("GPMU_PERF");

	return path && *path ? path : "perf";
}

/* --- options --- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct perf *perf = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &perf->common;
		return 0;
	case ARGP_KEY_ARG:
		perf->argv = state->argv + state->next - 1;
		perf->argc = state->argc - state->next + 1;
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &common_argp }, { 0 },
};

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[PERF-SUBCOMMAND [ARGUMENT...]]",
	.doc = "Runs perf, whose \"stat -M\" then accepts gpmu's metrics.",
	.children = children,
};

/* --- perf without gpmu's metrics --- */

static int exec_perf(char *const *arguments, int n)
{
	char **argv = need_memory(calloc((size_t)n + 2, sizeof(*argv)));
	int error;

	argv[0] = (char *)perf_path();
	for (int i = 0; i < n; i++)
		argv[i + 1] = arguments[i];
	fflush(NULL);
	execvp(argv[0], argv);
	error = errno;
	free(argv);
	say("%s: %s; install perf, or set GPMU_PERF", perf_path(), strerror(error));
	return child_failed_status(-error);
}

/* --- -M --- */

/* A metric of other CPUs is left to perf, which may have one of the same name for these CPUs. */
static bool is_for(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	return !gpmu_metric_cpu(metric) || gpmu_metric_supported(metric, machine) == 1;
}

static bool is_known(const struct common *common, const char *name)
{
	const struct gpmu_metric *metric;

	metric = gpmu_catalog_find_metric(common->catalog, name, common->machine);
	if (metric)
		return is_for(metric, common->machine);
	for (size_t i = 0; (metric = gpmu_catalog_group_metric(common->catalog, name, i)); i++)
		if (is_for(metric, common->machine))
			return true;
	return false;
}

/* @item: "GracePcieReadBW/root_port=0x3/", "GraceMemBW:u" */
static bool is_ours(const struct common *common, const char *item, size_t length)
{
	char *name = need_memory(strndup(item, length));
	bool is_own;

	name[strcspn(name, "/:")] = '\0';
	is_own = is_known(common, name);
	free(name);
	return is_own;
}

static char *append(char *list, const char *item, size_t length)
{
	char *longer = print_text("%s%s%.*s", list ? list : "", list ? "," : "", (int)length, item);

	free(list);
	return longer;
}

/* A comma between slashes does not end an item. */
static size_t item_length(const char *list)
{
	bool is_inside = false;
	size_t i;

	for (i = 0; list[i] && (is_inside || list[i] != ','); i++)
		is_inside ^= list[i] == '/';
	return i;
}

/*
 * perf's own message about an unknown metric is unclear, and 6.1 has none. A metric of perf's own
 * is unlikely to have such a name.
 */
static void warn_of_unknown(const struct common *common, const char *item, size_t length)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan;
	char *name;

	if (strncasecmp(item, "grace", strlen("grace")))
		return;
	name = need_memory(strndup(item, length));
	plan = need_memory(gpmu_plan_new(common->machine, common->catalog, NULL, NULL));
	if (gpmu_plan_add_metrics(plan, name, &error))
		warn("%s (passed to perf)", error.text);
	gpmu_plan_free(plan);
	free(name);
}

static void split_metrics(struct perf *perf, const char *list, char **ours, char **theirs)
{
	while (*list) {
		size_t length = item_length(list);

		if (is_ours(&perf->common, list, length)) {
			*ours = append(*ours, list, length);
		} else if (length) {
			warn_of_unknown(&perf->common, list, length);
			perf_theirs_add(&perf->theirs, list, length);
			*theirs = append(*theirs, list, length);
		}
		list += length + (list[length] == ',');
	}
}

/* --- perf's version --- */

/* Returns whether perf is of this version or a later one. A perf without a version is taken as new. */
static bool is_since(long major, long minor)
{
	char *const argv[] = { (char *)perf_path(), (char *)"--version", NULL };
	static const char prefix[] = "perf version ";
	char text[128] = "", *end;
	long number, part;
	int pipes[2];
	ssize_t n, length = 0;
	pid_t pid;

	if (pipe(pipes))
		die("cannot create a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		die("cannot start %s: %s", perf_path(), strerror(errno));
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		execvp(argv[0], argv);
		_exit(EXIT_NOT_FOUND);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + length, sizeof(text) - 1 - (size_t)length)) > 0)
		length += n;
	close(pipes[0]);
	waitpid(pid, NULL, 0);
	text[length] = '\0';
	if (strncmp(text, prefix, sizeof(prefix) - 1))
		return true;
	number = strtol(text + sizeof(prefix) - 1, &end, 10);
	if (*end != '.')
		return true;
	part = strtol(end + 1, NULL, 10);
	return number > major || (number == major && part >= minor);
}

/* --- signals --- */

/*
 * On these signals perf ends and prints its counts, and gpmu waits for it. They are blocked until
 * perf is started, so that it inherits gpmu's dispositions, such as nohup's SIG_IGN, and never
 * runs gpmu's handler.
 */
static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

#define N_SIGNALS	ARRAY_SIZE(signals)

static struct sigaction before[N_SIGNALS];	/* of each signal, while gpmu forwards it */

/* Lets signals end gpmu after perf's end, while it reads the rest of the output or writes to a full pipe. */
static void heed_signals(void)
{
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

/* Asks the kernel whether perf is running, because gpmu may not have noticed its end yet. */
static bool is_running(void)
{
	siginfo_t ended = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)running, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid;
}

static void forward(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (!is_running()) {
		heed_signals();
		raise(signal);
	} else if (info->si_code <= 0) {
		/* perf also gets signals of the terminal, such as Ctrl-C. */
		kill(running, signal);
	}
	errno = error;
}

static void hold_signals(sigset_t *mask)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, mask);
}

static void catch_signals(const sigset_t *mask)
{
	struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_RESTART | SA_SIGINFO };

	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* --- perf's output --- */

static void begin(struct perf *perf)
{
	if (!perf->has_begun)
		saved_run_begin(&perf->run, perf->args.has_interval);
	perf->has_begun = true;
}

static void show_rows(struct perf *perf)
{
	struct saved_run *run = &perf->run;

	begin(perf);
	saved_run_rows(run, perf->saved, perf->plan);
	perf_theirs_rows(&perf->theirs, run->rows, run->planned_count);
}

static void take_line(struct perf *perf, const char *line, size_t length)
{
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	if (perf->is_cut)
		return;
	ret = gpmu_saved_line(perf->saved, line, length, &error);
	if (ret < 0) {
		say("output of %s: %s", perf_path(), error.text);
		perf->is_cut = true;
	} else if (ret) {
		show_rows(perf);
	}
}

struct lines {
	char *text;
	size_t length, room;
};

static void take_lines(struct perf *perf, struct lines *lines)
{
	char *line = lines->text, *end;

	while ((end = memchr(line, '\n', lines->length - (size_t)(line - lines->text)))) {
		take_line(perf, line, (size_t)(end + 1 - line));
		line = end + 1;
	}
	lines->length -= (size_t)(line - lines->text);
	memmove(lines->text, line, lines->length);
	if (lines->length < SAVED_RUN_LINE)
		return;
	if (!perf->is_cut)
		say("output of %s: found a line of more than %u bytes", perf_path(),
		    SAVED_RUN_LINE);
	perf->is_cut = true;
	lines->length = 0;
}

/* Reads what is available. Returns the number of bytes, or 0 at the end. */
static ssize_t read_output(struct perf *perf, int fd, struct lines *lines)
{
	ssize_t n;

	if (lines->room - lines->length < 4096) {
		lines->room = lines->room * 2 + 65536;
		lines->text = need_memory(realloc(lines->text, lines->room));
	}
	do
		n = read(fd, lines->text + lines->length, lines->room - lines->length);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	lines->length += (size_t)n;
	take_lines(perf, lines);
	return n;
}

static bool is_readable(int fd, int pidfd)
{
	struct pollfd polls[] = {
		{ .fd = fd, .events = POLLIN }, { .fd = pidfd, .events = POLLIN },
	};

	/* Without a pidfd (before Linux 5.3) the process is polled. */
	poll(polls, 2, pidfd < 0 ? 50 : -1);
	return polls[0].revents;
}

/*
 * Reads until perf ends, not until the pipe is closed: background processes of the command may
 * have inherited the pipe.
 */
static void read_all(struct perf *perf, int fd, struct child *child, struct child_end *end)
{
	int pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	struct lines lines = { 0 };
	bool is_open = true;
	ssize_t n;
	int left;

	while (child_wait(child, !is_open, end) == 0)
		if (is_readable(fd, pidfd))
			is_open = read_output(perf, fd, &lines) > 0;
	heed_signals();
	/* Output that is written from now on is not of perf, but of processes that inherited the pipe. */
	if (ioctl(fd, FIONREAD, &left))
		left = 0;
	for (; left > 0 && (n = read_output(perf, fd, &lines)) > 0; left -= (int)n)
		;
	if (lines.length)
		take_line(perf, lines.text, lines.length);
	free(lines.text);
	if (pidfd >= 0)
		close(pidfd);
}

/* --- the run --- */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void show_rest(struct perf *perf, double elapsed, int status)
{
	if (gpmu_saved_is_cut(perf->saved))
		warn("the last line of %s is cut off and was skipped", perf_path());
	if (gpmu_saved_end(perf->saved)) {
		/* With -r the counts are means of the runs. */
		gpmu_saved_set_elapsed(perf->saved, (uint64_t)(elapsed / perf->args.runs * 1e9));
		show_rows(perf);
	} else if (!perf->has_begun && !status && !perf->is_cut) {
		say("%s has printed nothing", perf_path());
		perf->is_cut = true;
	}
	if (!perf->has_begun)
		return;
	saved_run_end(&perf->run, perf->run.end);
	perf_theirs_warn(&perf->theirs);
}

static int run_perf(struct perf *perf, char **argv, int in, int out)
{
	struct child child;
	struct child_end end = { 0 };
	double start;
	sigset_t mask;
	int ret, status;

	hold_signals(&mask);
	ret = child_start(&child, argv, NULL, &mask);
	if (ret)
		die("cannot start %s: %s", perf_path(), strerror(-ret));
	running = child.pid;
	catch_signals(&mask);
	close(out);
	start = seconds();
	ret = child_go(&child);
	if (ret) {
		heed_signals();
		say("%s: %s; install perf, or set GPMU_PERF", perf_path(), strerror(-ret));
		return child_failed_status(ret);
	}
	read_all(perf, in, &child, &end);
	status = child_exit_status(end.status);
	show_rest(perf, seconds() - start, status);
	return status ? status : perf->is_cut ? EXIT_OWN : 0;
}

/* Counted if there is no other event, because perf would then count its default events. */
static const char nothing[] = "duration_time";

static int run_stat(struct perf *perf)
{
	struct perf_args *args = &perf->args;
	char *text = need_memory(gpmu_plan_text(perf->plan));
	bool has_json = is_since(6, 1);	/* earlier ones have no JSON, or only part of it */
	int pipes[2], status;
	char *title, *fd;
	char **argv;

	/* perf inherits the write end only, so that it ends with SIGPIPE if gpmu ends. */
	if (pipe2(pipes, O_CLOEXEC) || fcntl(pipes[1], F_SETFD, 0))
		die("cannot create a pipe: %s", strerror(errno));
	fd = print_text("%d", pipes[1]);
	argv = need_memory(perf_args_make(args, perf_path(), has_json ? "-j" : "-x;", fd,
					  *text ? text : nothing));
	if (!*text)
		perf->run.hidden = nothing;
	title = need_memory(perf_args_title(args));
	perf->run.title = title;
	if (perf->common.is_verbose)
		for (char **arg = argv; *arg; arg++) {
			gpmu_shown_print(stderr, *arg);
			putc(arg[1] ? ' ' : '\n', stderr);
		}
	status = run_perf(perf, argv, pipes[0], pipes[1]);
	close(pipes[0]);
	free(argv);
	free(title);
	free(fd);
	free(text);
	return status;
}

static void make_plan(struct perf *perf, const char *list)
{
	const struct gpmu_saved_options saved = {
		.size = sizeof(saved), .system = perf->args.is_system_wide,
	};

	common_request(&perf->common, true, list);
	perf->common.wants_no_merge = perf->args.wants_no_merge;
	perf->plan = common_plan(&perf->common, perf->args.is_system_wide);
	common_plan_warnings(perf->plan);
	common_hints(&perf->common, perf->plan);
	if (perf->common.is_verbose)
		common_explain(perf->plan);
	perf->saved = need_memory(gpmu_saved_new(&saved));
	perf->run.wants_others = true;
	perf->run.started = time(NULL);
	perf->run.path = perf->args.output;
	perf->run.wants_append = perf->args.wants_append;
	perf->run.wants_json = perf->args.wants_json;
	perf->run.separator = perf->args.separator;
	perf->run.wants_no_big_num = perf->args.wants_no_big_num;
}

/*
 * perf 7.3 opens an event without a PMU on all PMUs that have an event of this name: "cycles" takes
 * a counter of each of Grace's PMUs. Up to 6.12 such an event means the cores, and naming
 * their PMU would lose perf's "insn per cycle".
 */
static void name_cores(struct perf *perf)
{
	struct perf_args *args = &perf->args;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	int names = -1;

	if (!args->event_count)
		return;
	machine = gpmu_machine_new(perf->common.root, &error);
	for (size_t i = 0; machine && i < args->event_count; i++) {
		char *list = perf_events_on_cores(machine, args->events[i].list);

		if (list && names < 0)
			names = is_since(6, 13);
		if (list && names)
			perf_args_set_events(args, i, list);
		free(list);
	}
	gpmu_machine_free(machine);
}

static int stat(struct perf *perf)
{
	struct perf_args *args = &perf->args;
	char *ours = NULL, *theirs = NULL;
	int status;

	perf_args_parse(args, perf->argc, perf->argv);
	name_cores(perf);
	if (!args->metrics.length || args->has_other_form)
		return exec_perf(perf->argv, perf->argc);
	common_open(&perf->common);
	for (size_t i = 0; i < args->metrics.length; i++)
		split_metrics(perf, args->metrics.list[i], &ours, &theirs);
	if (!ours) {
		status = exec_perf(perf->argv, perf->argc);
	} else {
		if (args->wrong)
			die("%s cannot be used with gpmu's metrics", args->wrong);
		if (args->wants_append && !args->output)
			die("--append needs -o");
		args->theirs = theirs;
		make_plan(perf, ours);
		status = run_stat(perf);
	}
	free(ours);
	free(theirs);
	return status;
}

static int run(int argc, char **argv)
{
	struct perf perf = { .run = { .common = &perf.common, .standard = stderr } };
	int status;

	common_init(&perf.common);
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, &perf);
	if (perf.argc && !strcmp(perf.argv[0], "stat"))
		status = stat(&perf);
	else
		status = exec_perf(perf.argv, perf.argc);
	saved_run_release(&perf.run);
	gpmu_saved_free(perf.saved);
	gpmu_plan_free(perf.plan);
	perf_theirs_release(&perf.theirs);
	perf_args_release(&perf.args);
	common_release(&perf.common);
	return status;
}

const struct cmd cmd_perf = {
	.name = "perf",
	.summary = "run perf, whose stat accepts gpmu's metrics",
	.run = run,
};
