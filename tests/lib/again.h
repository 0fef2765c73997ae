/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs time-dependent checks in a child process and repeats them when they fail, because a busy
 * machine can delay them. Only the output of the last run is printed.
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
 * Runs @function(@data) up to @runs times, until no check fails. Returns the status of the last
 * child, as wait() has it, or -1 if the child did not finish or could not be started.
 */
static inline int tap_again(void (*function)(const void *data), const void *data, int runs)
{
	struct again_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool is_good = false;
	int status = -1;

	for (int i = 0; i < runs && !is_good; i++) {
		FILE *file = tmpfile();

		if (!file)
			break;
		status = again_run(shared, file, function, data);
		is_good = shared->ended && !status && shared->failed == tap_failed;
		if (is_good || i + 1 == runs)
			again_show(file);
		else
			diag("checks failed; running them again");
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
