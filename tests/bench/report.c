// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * report [-n MB] GPMU PERF-MAKE [PERF]: user CPU time of gpmu report on a recording of SPE, beside perf script and perf
 * report, all on one CPU; and its memory on a recording of twice the size. perf-make makes the recordings: three
 * threads of two processes in 16384 instructions, with data in 80,000 pages, all at random.
 */
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SIZE		1000	/* MB */
#define RECORD		64	/* bytes */
#define MEMORY		200.0	/* MB */

struct cost {
	double user;		/* s */
	double memory;		/* MB, the peak */
};

static char path[4096];

/* Runs a command with /dev/null as its standard input and output. Returns 0 if it failed. */
static int measure(char *const *argv, struct cost *cost)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	int status = -1;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return 0;
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (!posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) && wait4(pid, &status, 0, &usage) != pid)
		status = -1;
	posix_spawn_file_actions_destroy(&actions);
	if (status)
		return 0;
	cost->user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
	cost->memory = (double)usage.ru_maxrss * 1024 * 1e-6;
	return 1;
}

static int make(const char *program, unsigned long size)
{
	char records[32];
	char *argv[] = { (char *)program, path, records, "wide", NULL };
	struct cost cost;

	snprintf(records, sizeof(records), "%lu", size * 1000000 / RECORD);
	return measure(argv, &cost);
}

/* gpmu runs before and after its peer. */
static void compare(char *const *ours, char *const *theirs, const char *what, double goal)
{
	char text[2][32];
	struct cost first, their, last;
	double our;

	if (!measure(ours, &first) || !measure(theirs, &their) || !measure(ours, &last)) {
		bench_none(what, "gpmu or perf failed");
		return;
	}
	our = (first.user + last.user) / 2;
	snprintf(text[0], sizeof(text[0]), "%.2f s", our);
	snprintf(text[1], sizeof(text[1]), "%.2f s", their.user);
	bench_row(what, text[0], text[1], our / their.user, goal);
}

static void show_memory(char *const *ours, const char *what)
{
	char text[2][32];
	struct cost cost;

	if (!measure(ours, &cost)) {
		bench_none(what, "gpmu failed");
		return;
	}
	snprintf(text[0], sizeof(text[0]), "%.0f MB", cost.memory);
	snprintf(text[1], sizeof(text[1]), "%.0f MB", MEMORY);
	bench_row(what, text[0], text[1], cost.memory / MEMORY, 1);
}

static void run(char **programs, unsigned long size)
{
	char *ours[] = { programs[0], "report", path, NULL };
	char *script[] = { programs[2], "script", "-i", path, NULL };
	char *report[] = { programs[2], "report", "--stdio", "--itrace=i1i", "-i", path, NULL };
	char text[80];

	if (!make(programs[1], size)) {
		bench_none("report of SPE", "perf-make failed");
		return;
	}
	snprintf(text, sizeof(text), "report of %lu MB of SPE, beside perf script", size);
	if (programs[2])
		compare(ours, script, text, 1.0 / 20);
	else
		bench_none(text, "no perf 7.3: make perf PERF_VERSION=7.3");
	snprintf(text, sizeof(text), "... beside perf report --itrace=i1i");
	if (programs[2])
		compare(ours, report, text, 1.0 / 10);
	snprintf(text, sizeof(text), "report of %lu MB of SPE: peak memory", 2 * size);
	if (make(programs[1], 2 * size))
		show_memory(ours, text);
	else
		bench_none(text, "perf-make failed");
}

/* The commands inherit the CPU. */
static void stay_on_one_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (cpu >= 0)
		CPU_SET(cpu, &cpus);
	if (cpu < 0 || sched_setaffinity(0, sizeof(cpus), &cpus))
		bench_none("report of SPE", "not on one CPU");
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	unsigned long size = SIZE;
	int option, fd;

	while ((option = getopt(argc, argv, "n:")) != -1)
		size = option == 'n' ? strtoul(optarg, NULL, 10) : 0;
	if (!size || argc < optind + 2) {
		fprintf(stderr, "usage: report [-n MB] GPMU PERF-MAKE [PERF]\n");
		return EXIT_FAILURE;
	}
	snprintf(path, sizeof(path), "%s/gpmu-bench.XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		return EXIT_FAILURE;
	}
	close(fd);
	stay_on_one_cpu();
	run(argv + optind, size);
	unlink(path);
	return 0;
}
