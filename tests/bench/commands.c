// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * commands [-r ROUNDS] [-w WORD] GPMU PERF...: compares gpmu with each perf, in alternation:
 * CPU time (user and system, including the counted command), elapsed time, and read system
 * calls. -r: maximum number of rounds; -w: only rows with WORD in their label. Tracepoints are
 * included if tracefs is readable, Grace PMUs if they exist.
 *
 * A missing perf gives a row without numbers.
 *
 * For intervals of CPUs and uncore PMUs, a sampling timer makes the kernel log all counts, if
 * the kernel does so on all CPUs. Kernels of some virtual machines do not on idle CPUs. Then
 * there are as many reads as intervals, and the goal cannot be met, because waking up alone
 * costs most of it (the last row). gpmu and perf are therefore also compared while each CPU
 * runs a program. Neither column includes the interrupts in which the kernel logs the counts,
 * as their time belongs to no process.
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
#define UNCORE		"/sys/bus/event_source/devices/nvidia_scf_pmu_0/type"
#define SOFTWARE	"task-clock,context-switches,page-faults,cpu-migrations,minor-faults," \
			"major-faults,alignment-faults,emulation-faults"
#define TRACEPOINTS	"sched:sched_switch,sched:sched_waking,sched:sched_wakeup," \
			"sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_process_free," \
			"sched:sched_process_exit,sched:sched_process_wait,sched:sched_process_fork," \
			"sched:sched_process_exec,sched:sched_stat_runtime,irq:softirq_entry," \
			"irq:softirq_exit,irq:softirq_raise,irq:irq_handler_entry," \
			"irq:irq_handler_exit"
#define SCF(event)	"nvidia_scf_pmu_0/" event "/"
#define GROUPS		"{" SCF("cmem_rd_data") "," SCF("cmem_rd_access") "," SCF("cmem_wb_access") "," \
			SCF("cycles") "},{nvidia_pcie_pmu_0/rd_bytes_loc/,nvidia_pcie_pmu_0/cycles/}"
#define OUT		"OUT"		/* stands for a file */
#define PID		"PID"		/* ... and this for that of a program that runs */
#define TO		" -x, -o " OUT " -- sleep 3"

enum busy { IDLE, ALL_CPUS, A_TASK };	/* where a program runs */

static const struct bench {
	const char *what, *arguments;
	int rounds;
	double goal;
	int lines;		/* of an interval; 0: there are none */
	enum busy busy;
	const char *needs;	/* a file, or NULL */
} benches[] = {
	{ "stat -- true", "stat -e task-clock,context-switches,page-faults,cpu-migrations -- true",
	  MAX_ROUNDS, 0.4, 0, IDLE, NULL },
	{ "list", "list", 10, 1.0 / 3, 0, IDLE, NULL },
	{ "stat -I 1, 8 software events, busy CPUs", "stat -a -I 1 -e " SOFTWARE TO, 3, 0.2, 8,
	  ALL_CPUS, NULL },
	{ "stat -I 2, 8 software events, busy CPUs", "stat -a -I 2 -e " SOFTWARE TO, 3, 0.2, 8,
	  ALL_CPUS, NULL },
	{ "stat -I 1, 16 tracepoints, busy CPUs", "stat -a -I 1 -e " TRACEPOINTS TO, 3, 0.2, 16,
	  ALL_CPUS, TRACEPOINT },
	{ "stat -I 1, 8 software events, idle CPUs", "stat -a -I 1 -e " SOFTWARE TO, 3, 0.2, 8,
	  IDLE, NULL },
	{ "stat -I 2, 8 software events, idle CPUs", "stat -a -I 2 -e " SOFTWARE TO, 3, 0.2, 8,
	  IDLE, NULL },
	{ "stat -I 1, 16 tracepoints, idle CPUs", "stat -a -I 1 -e " TRACEPOINTS TO, 3, 0.2, 16,
	  IDLE, TRACEPOINT },
	{ "stat -I 1, one group of SCF and one of PCIe", "stat -a -I 1 -e " GROUPS TO, 3, 0.2, 6, IDLE,
	  UNCORE },
	{ "stat -I 1, 8 software events, a task", "stat -i -I 1 -e " SOFTWARE TO, 3, 0.2, 8, IDLE,
	  NULL },
	{ "stat -I 1, 8 software events, a task with children", "stat -I 1 -e " SOFTWARE TO, 3, 0.2,
	  8, IDLE, NULL },
	{ "stat -I 1, 8 software events, a busy task",
	  "stat -p " PID " -I 1 -e " SOFTWARE TO, 3, 0.2, 8, A_TASK, NULL },
};

#define BENCHES	(sizeof(benches) / sizeof(benches[0]))

struct cost {
	double cpu, wall;	/* ms */
	double reads;		/* -1: not known */
	double lines;		/* written to the file */
};

struct costs {
	double cpu[MAX_ROUNDS], wall[MAX_ROUNDS], reads[MAX_ROUNDS], lines[MAX_ROUNDS];
};

static char out[] = "/tmp/gpmu-bench.XXXXXX";
static char task[16];

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
	char *word, *rest = NULL;
	size_t n = 0;

	argv[n++] = (char *)program;
	for (word = strtok_r(words, " ", &rest); word && n < MAX_WORDS;
	     word = strtok_r(NULL, " ", &rest))
		argv[n++] = !strcmp(word, OUT) ? out : !strcmp(word, PID) ? task : word;
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

/* CPU time of a process that has ended and of the processes that it waited for */
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

/* Standard input and output are /dev/null; -1: the command cannot be started */
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

/* A busy process, or one per CPU, below a process that ends them when it is ended */
static pid_t start_busy(enum busy busy)
{
	pid_t all = busy == IDLE ? 0 : fork();
	cpu_set_t cpus;

	snprintf(task, sizeof(task), "%d", (int)all);
	if (all || busy == IDLE)
		return all;
	setpgid(0, 0);
	if (nice(19) < 0)
		_exit(1);
	if (busy == A_TASK)
		for (;;)
			;
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

/* Runs both in alternation; false: one failed */
static int measure_both(const struct bench *bench, const char *gpmu, const char *perf,
			struct costs *ours, struct costs *theirs)
{
	pid_t busy = start_busy(bench->busy);
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
		bench_none(bench->what, "gpmu or perf failed");
		return;
	}
	our = medians(&ours, bench->rounds);
	their = medians(&theirs, bench->rounds);
	show(bench->what, "CPU", "ms", our.cpu, their.cpu, bench->goal);
	if (!bench->lines)
		show(bench->what, "time", "ms", our.wall, their.wall, bench->goal);
	/*
	 * perf sleeps for a millisecond after each interval, gpmu until the next multiple:
	 * under load, perf may have a fraction of gpmu's intervals. Compare per interval.
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

/* The lower bound for a program that starts a command: the cost of both */
static void show_floor(const char *perf, int rounds)
{
	double alone[MAX_ROUNDS] = { 0 }, program[MAX_ROUNDS] = { 0 };
	struct cost cost = { 0 };

	for (int i = 0; i < rounds; i++) {
		if (!measure("true", "", &cost))
			return;
		alone[i] = cost.cpu;
		program[i] = measure(perf, "--version", &cost) ? cost.cpu : 0;
	}
	show("lower bound: \"true\" twice, beside perf --version", "CPU", "ms",
	     2 * median(alone, rounds), median(program, rounds), 0);
}

/* The cost of an interval of a millisecond without any work */
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
	bench_none("lower bound: waking up after a millisecond: CPU", text);
}

/* -1: invalid arguments */
static int options(int argc, char **argv, int *rounds, const char **word)
{
	int option;

	while ((option = getopt(argc, argv, "r:w:")) != -1) {
		if (option == 'r')
			*rounds = (int)strtol(optarg, NULL, 10);
		else if (option == 'w')
			*word = optarg;
		else
			return -1;
	}
	return *rounds < 1 || *rounds > MAX_ROUNDS || optind == argc ? -1 : optind;
}

static void compare_all(const char *gpmu, const char *perf, int rounds, const char *word)
{
	printf("gpmu beside %s\n", perf);
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench bench = benches[i];

		if (!strstr(bench.what, word))
			continue;
		if (bench.rounds > rounds)
			bench.rounds = rounds;
		if (!bench.needs || !access(bench.needs, R_OK))
			compare(&bench, gpmu, perf);
		else
			bench_none(bench.what, "its events are absent, or not permitted for this user");
	}
	show_floor(perf, rounds);
}

int main(int argc, char **argv)
{
	const char *word = "";
	int rounds = MAX_ROUNDS, first = options(argc, argv, &rounds, &word);

	if (first < 0) {
		fprintf(stderr, "usage: commands [-r ROUNDS] [-w WORD] GPMU PERF...\n");
		return 1;
	}
	if (first + 1 == argc) {
		bench_none("gpmu beside perf", "no perf: run make perf");
		return 0;
	}
	close(mkstemp(out));
	for (int i = first + 1; i < argc; i++)
		compare_all(argv[first], argv[i], rounds, word);
	show_waking();
	unlink(out);
	return 0;
}
