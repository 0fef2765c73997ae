// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * commands GPMU PERF...: gpmu beside each of the perfs, by turns: processor time (user and
 * system, with that of the command that is counted), time, and read system calls. Where
 * tracefs can be read, tracepoints are counted too.
 *
 * A perf that is not there is a row without numbers.
 *
 * Intervals of CPUs are read by the kernel (metrics/counter_ring.h), where it does so on
 * all of them: that of some virtual machines does not on idle ones. Then there are as many
 * reads as intervals, and the goal is out of reach, as to wake up alone takes most of it
 * (the last row). So gpmu and perf are also compared while each CPU runs a program.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define MAX_ROUNDS	100
#define MAX_WORDS	40
#define WAKES		1000
#define TRACEPOINT	"/sys/kernel/tracing/events/sched/sched_switch/id"
#define SOFTWARE	"task-clock,context-switches,page-faults,cpu-migrations,minor-faults," \
			"major-faults,alignment-faults,emulation-faults"
#define TRACEPOINTS	"sched:sched_switch,sched:sched_waking,sched:sched_wakeup," \
			"sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_process_free," \
			"sched:sched_process_exit,sched:sched_process_wait,sched:sched_process_fork," \
			"sched:sched_process_exec,sched:sched_stat_runtime,irq:softirq_entry," \
			"irq:softirq_exit,irq:softirq_raise,irq:irq_handler_entry," \
			"irq:irq_handler_exit"
#define OUT		"OUT"		/* stands for a file */
#define INTERVALS	" -I 1 -x, -o " OUT " -- sleep 3"

static const struct bench {
	const char *what, *arguments;
	int rounds;
	double goal;
	int lines;		/* of an interval; 0: there are none */
	int tracepoints;
	int busy;		/* a program runs on each CPU */
} benches[] = {
	{ "stat -- true", "stat -e task-clock,context-switches,page-faults,cpu-migrations -- true",
	  MAX_ROUNDS, 1.0 / 3, 0, 0, 0 },
	{ "list", "list", 10, 1.0 / 3, 0, 0, 0 },
	{ "stat -I 1, 8 software events, busy CPUs", "stat -a -e " SOFTWARE INTERVALS, 3, 0.2, 8, 0,
	  1 },
	{ "stat -I 1, 16 tracepoints, busy CPUs", "stat -a -e " TRACEPOINTS INTERVALS, 3, 0.2, 16,
	  1, 1 },
	{ "stat -I 1, 8 software events, idle CPUs", "stat -a -e " SOFTWARE INTERVALS, 3, 0.2, 8, 0,
	  0 },
	{ "stat -I 1, 8 software events, a task", "stat -i -e " SOFTWARE INTERVALS, 3, 0.2, 8, 0,
	  0 },
	{ "stat -I 1, 8 software events, a task and children",
	  "stat -e " SOFTWARE INTERVALS, 3, 0.2, 8, 0, 0 },
};

#define BENCHES	(sizeof(benches) / sizeof(benches[0]))

struct cost {
	double cpu, wall;	/* ms */
	double reads;		/* -1: the kernel does not tell */
	double lines;		/* that it wrote to the file */
};

struct costs {
	double cpu[MAX_ROUNDS], wall[MAX_ROUNDS], reads[MAX_ROUNDS], lines[MAX_ROUNDS];
};

static char out[] = "/tmp/gpmu-bench.XXXXXX";

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double ms_of(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

static void split(const char *program, char *words, char **argv)
{
	char *word, *at = NULL;
	size_t n = 0;

	argv[n++] = (char *)program;
	for (word = strtok_r(words, " ", &at); word && n < MAX_WORDS;
	     word = strtok_r(NULL, " ", &at))
		argv[n++] = strcmp(word, OUT) ? word : out;
	argv[n] = NULL;
}

static double count_lines(void)
{
	FILE *file = fopen(out, "re");
	double n = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

/* Of a process that has ended, and of those that it has waited for */
static double reads_of(pid_t pid)
{
	char path[48], text[512], *line;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "syscr: ");
	return line ? strtod(line + strlen("syscr: "), NULL) : -1;
}

/* With nothing to read, and its output to nowhere; -1: it cannot be started */
static pid_t start(char *const *argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* false: it failed */
static int measure(const char *program, const char *arguments, struct cost *cost)
{
	char words[1024], *argv[MAX_WORDS + 2];
	double begin = now_ms();
	struct rusage usage;
	siginfo_t info;
	int status;
	pid_t pid;

	snprintf(words, sizeof(words), "%s", arguments);
	split(program, words, argv);
	pid = start(argv);
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		return 0;
	cost->wall = now_ms() - begin;
	cost->reads = reads_of(pid);
	if (wait4(pid, &status, 0, &usage) != pid || status)
		return 0;
	cost->cpu = ms_of(&usage.ru_utime) + ms_of(&usage.ru_stime);
	cost->lines = count_lines();
	return 1;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *list, int n)
{
	qsort(list, (size_t)n, sizeof(*list), ascending);
	return list[n / 2];
}

static struct cost medians(struct costs *costs, int n)
{
	return (struct cost){ median(costs->cpu, n), median(costs->wall, n),
			      median(costs->reads, n), median(costs->lines, n) };
}

static void keep(struct costs *costs, int round, const struct cost *cost)
{
	costs->cpu[round] = cost->cpu;
	costs->wall[round] = cost->wall;
	costs->reads[round] = cost->reads;
	costs->lines[round] = cost->lines;
}

static void show(const char *what, const char *kind, const char *unit, double ours, double theirs,
		 double goal)
{
	char name[160], first[24], second[24];

	snprintf(name, sizeof(name), "%s: %s", what, kind);
	snprintf(first, sizeof(first), *unit ? "%.2f %s" : "%.0f%s", ours, unit);
	snprintf(second, sizeof(second), *unit ? "%.2f %s" : "%.0f%s", theirs, unit);
	bench_row(name, first, second, ours / theirs, goal);
}

/* On each CPU; a process that waits for them, and ends them when it is ended */
static pid_t start_busy(void)
{
	pid_t all = fork();
	cpu_set_t cpus;

	if (all)
		return all;
	setpgid(0, 0);
	if (nice(19) < 0)
		_exit(1);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i, &cpus);
		if (!sched_setaffinity(0, sizeof(cpus), &cpus) && !fork())
			for (;;)
				;
	}
	for (;;)
		pause();
}

static void stop_busy(pid_t all)
{
	if (all <= 0)
		return;
	kill(-all, SIGKILL);
	waitpid(all, NULL, 0);
}

/* By turns; false: one failed */
static int measure_both(const struct bench *bench, const char *gpmu, const char *perf,
			struct costs *ours, struct costs *theirs)
{
	pid_t busy = bench->busy ? start_busy() : 0;
	struct cost our = { 0 }, their = { 0 };
	int good = 1;

	for (int i = 0; i < bench->rounds && good; i++) {
		good = measure(gpmu, bench->arguments, &our) &&
		       measure(perf, bench->arguments, &their);
		keep(ours, i, &our);
		keep(theirs, i, &their);
	}
	stop_busy(busy);
	return good;
}

static void compare(const struct bench *bench, const char *gpmu, const char *perf)
{
	static struct costs ours, theirs;
	struct cost our, their;

	if (!measure_both(bench, gpmu, perf, &ours, &theirs)) {
		bench_none(bench->what, "it failed, of gpmu or perf");
		return;
	}
	our = medians(&ours, bench->rounds);
	their = medians(&theirs, bench->rounds);
	show(bench->what, "CPU", "ms", our.cpu, their.cpu, bench->goal);
	if (!bench->lines)
		show(bench->what, "time", "ms", our.wall, their.wall, bench->goal);
	/*
	 * perf waits for a millisecond after each interval, gpmu for the next of them: where
	 * others run, perf may have a fraction of gpmu's, and only those are alike.
	 */
	if (bench->lines && our.lines > 0 && their.lines > 0) {
		show(bench->what, "intervals", "", our.lines / bench->lines,
		     their.lines / bench->lines, 0);
		show(bench->what, "CPU of each", "us", our.cpu * 1e3 * bench->lines / our.lines,
		     their.cpu * 1e3 * bench->lines / their.lines, bench->goal);
	}
	if (our.reads > 0)
		show(bench->what, "reads", "", our.reads, their.reads, 0);
}

/* What no program that starts a command can be below: itself and that command */
static void show_floor(const char *perf)
{
	double alone[MAX_ROUNDS], program[MAX_ROUNDS];
	struct cost cost = { 0 };

	for (int i = 0; i < MAX_ROUNDS; i++) {
		if (!measure("true", "", &cost))
			return;
		alone[i] = cost.cpu;
		program[i] = measure(perf, "--version", &cost) ? cost.cpu : 0;
	}
	show("twice \"true\", as the least, beside perf --version", "CPU", "ms",
	     2 * median(alone, MAX_ROUNDS), median(program, MAX_ROUNDS), 0);
}

/* What an interval of a millisecond costs before anything is done in it */
static void show_waking(void)
{
	const struct timespec wait = { 0, 1000000 };
	struct rusage before, after;
	char text[24];

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < WAKES; i++)
		nanosleep(&wait, NULL);
	getrusage(RUSAGE_SELF, &after);
	snprintf(text, sizeof(text), "%.2f us", 1e3 / WAKES *
		 (ms_of(&after.ru_utime) + ms_of(&after.ru_stime) - ms_of(&before.ru_utime) -
		  ms_of(&before.ru_stime)));
	bench_none("waking up after a millisecond, and no more: CPU", text);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		bench_none("gpmu beside perf", "there is no perf: make perf");
		return 0;
	}
	close(mkstemp(out));
	for (int i = 2; i < argc; i++) {
		printf("gpmu beside %s\n", argv[i]);
		for (size_t j = 0; j < BENCHES; j++) {
			if (!benches[j].tracepoints || !access(TRACEPOINT, R_OK))
				compare(&benches[j], argv[1], argv[i]);
			else
				bench_none(benches[j].what, "tracefs cannot be read");
		}
		show_floor(argv[i]);
	}
	show_waking();
	unlink(out);
	return 0;
}
