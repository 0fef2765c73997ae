// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * commands [-r ROUNDS] [-w WORD] GPMU PERF...: gpmu beside each of the perfs, by turns:
 * processor time (user and system, with that of the command that is counted), time, and read
 * system calls. -r: so many rounds of each at most; -w: only those with the word in what they
 * are. Where tracefs can be read, tracepoints are counted too, as are Grace's PMUs.
 *
 * A perf that is not there is a row without numbers.
 *
 * Intervals of CPUs and uncore PMUs are read by the kernel (metrics/count/counter_ring.h), where it
 * does so on all CPUs: that of some virtual machines does not on idle ones. Then there are as
 * many reads as intervals, and the goal is out of reach, as to wake up alone takes most of it
 * (the last row). So gpmu and perf are also compared while each CPU runs a program. The time
 * of interrupts, in which the kernel reads, is no process's, and in neither column.
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
	  MAX_ROUNDS, 1.0 / 3, 0, IDLE, NULL },
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
	{ "stat -I 1, a group each of SCF and PCIe", "stat -a -I 1 -e " GROUPS TO, 3, 0.2, 6, IDLE,
	  UNCORE },
	{ "stat -I 1, 8 software events, a task", "stat -i -I 1 -e " SOFTWARE TO, 3, 0.2, 8, IDLE,
	  NULL },
	{ "stat -I 1, 8 software events, a task and children", "stat -I 1 -e " SOFTWARE TO, 3, 0.2,
	  8, IDLE, NULL },
	{ "stat -I 1, 8 software events, a busy task",
	  "stat -p " PID " -I 1 -e " SOFTWARE TO, 3, 0.2, 8, A_TASK, NULL },
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
	char *word, *at = NULL;
	size_t n = 0;

	argv[n++] = (char *)program;
	for (word = strtok_r(words, " ", &at); word && n < MAX_WORDS;
	     word = strtok_r(NULL, " ", &at))
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

/* One, or on each CPU: a process that waits for them, and ends them when it is ended */
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

/* By turns; false: one failed */
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
	show("twice \"true\", as the least, beside perf --version", "CPU", "ms",
	     2 * median(alone, rounds), median(program, rounds), 0);
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

/* -1: they are wrong */
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
			bench_none(bench.what, "its events are not here, or not for this user");
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
		bench_none("gpmu beside perf", "there is no perf: make perf");
		return 0;
	}
	close(mkstemp(out));
	for (int i = first + 1; i < argc; i++)
		compare_all(argv[first], argv[i], rounds, word);
	show_waking();
	unlink(out);
	return 0;
}
