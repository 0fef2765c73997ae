/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks in a process of their own, for tests in which time passes: those that fail are run again, as a machine
 * that is busy is no fault. What the last run has printed is what counts.
 */
#ifndef GPMU_TESTS_AGAIN_H
#define GPMU_TESTS_AGAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define AGAIN_RUNS	3

struct again_shared {
	unsigned int run, failed, ended;
};

static inline int again_run(struct again_shared *shared, FILE *file, void (*function)(const void *data),
			    const void *data)
{
	int status = -1;
	pid_t pid;

	*shared = (struct again_shared){ 0 };
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fileno(file), STDOUT_FILENO);
		function(data);
		*shared = (struct again_shared){ tap_run, tap_failed, 1 };
		exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static inline void again_show(FILE *file)
{
	char line[4096];

	rewind(file);
	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
}

/*
 * Runs @function with @data, at most @runs times, until none of its checks fails.
 * The status of the last run's process, as of wait(); -1: it did not come to its end, or there was none
 */
static inline int tap_again(void (*function)(const void *data), const void *data, int runs)
{
	struct again_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool good = false;
	int status = -1;

	for (int i = 0; i < runs && !good; i++) {
		FILE *file = tmpfile();

		if (!file)
			break;
		status = again_run(shared, file, function, data);
		good = shared->ended && !status && shared->failed == tap_failed;
		if (good || i + 1 == runs)
			again_show(file);
		else
			diag("run again, as not all was as expected");
		fclose(file);
	}
	if (shared->ended) {
		tap_run = shared->run;
		tap_failed = shared->failed;
	} else if (!status) {
		status = -1;
	}
	munmap(shared, sizeof(*shared));
	return status;
}

#endif /* GPMU_TESTS_AGAIN_H */
