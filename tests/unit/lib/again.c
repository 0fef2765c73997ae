// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tests/lib/again.h repeats checks that depend on time until they pass, and keeps failures that
 * persist
 */
#include <fcntl.h>

#include "again.h"

static unsigned int *runs;	/* shared by all processes */

static void good_at(const void *run)
{
	ok(++*runs >= *(const unsigned int *)run, "again: the check passes in this run");
	ok(true, "again: the second check of a run passes");
}

static void die(const void *data)
{
	(void)data;
	++*runs;
	_exit(3);
}

struct outcome {
	int status;
	unsigned int runs, checks, failed;
};

/* Runs the function with its output discarded, as its failures are not failures of this test. */
static struct outcome outcome(void (*function)(const void *data), unsigned int good, int max)
{
	unsigned int run = tap_run, failed = tap_failed;
	int kept, none = open("/dev/null", O_WRONLY);
	struct outcome outcome;

	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	dup2(none, STDOUT_FILENO);
	*runs = 0;
	outcome.status = tap_again(function, &good, max);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	close(none);
	outcome.runs = *runs;
	outcome.checks = tap_run - run;
	outcome.failed = tap_failed - failed;
	tap_run = run;
	tap_failed = failed;
	return outcome;
}

static void check(struct outcome got, struct outcome want, const char *what)
{
	if (!ok(got.status == want.status && got.runs == want.runs && got.checks == want.checks &&
			got.failed == want.failed, "%s", what))
		diag("status %d, %u runs, %u checks, %u failed", got.status, got.runs, got.checks, got.failed);
}

int main(void)
{
	runs = mmap(NULL, sizeof(*runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(outcome(good_at, 1, 3), (struct outcome){ 0, 1, 2, 0 },
	      "again: checks that pass are run once");
	check(outcome(good_at, 3, 3), (struct outcome){ 0, 3, 2, 0 },
	      "again: checks that pass in the third of three runs pass");
	check(outcome(good_at, 4, 3), (struct outcome){ 0, 3, 2, 1 },
	      "again: checks that fail in each run are counted as failed once");
	check(outcome(good_at, 2, 1), (struct outcome){ 0, 1, 2, 1 },
	      "again: checks that may run once are not run again");
	check(outcome(die, 0, 2), (struct outcome){ 3 << 8, 2, 0, 0 },
	      "again: the exit status of a child that ended early is returned");
	return done_testing();
}
