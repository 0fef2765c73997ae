// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Without an argument, starts itself with one, and prints the counts of the region that it
 * marks then.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpmu-mark.h>
#include <gpmu.h>

static int solve(void)
{
	double sum = 0;

	gpmu_mark_begin("solve");
	for (int i = 1; i < 1000000; i++)
		sum += 1.0 / i;
	gpmu_mark_end("solve");
	return !(sum > 0);
}

static struct gpmu_marks *marks;

/* Removes the temporary file if a signal ends the launcher. */
static void end(int number)
{
	gpmu_marks_delete_file(marks);
	_exit(128 + number);
}

static void show(const char *line, void *user)
{
	(void)user;
	fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
	char *const command[] = { argv[0], "solve", NULL };
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = -1;
	pid_t pid;

	if (argc > 1)
		return solve();
	marks = gpmu_marks_new("task-clock", NULL, &error);
	if (!marks) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	signal(SIGTERM, end);
	if (!posix_spawn(&pid, argv[0], NULL, NULL, command,
			 gpmu_marks_environment(marks)) &&
	    waitpid(pid, NULL, 0) == pid) {
		/* The counts remain readable. */
		gpmu_marks_delete_file(marks);
		ret = gpmu_marks_print(marks, stdout, show, NULL);
	}
	gpmu_marks_free(marks);
	return ret != 1;
}
