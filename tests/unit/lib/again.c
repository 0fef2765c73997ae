// SPDX-License-Identifier: LGPL-2.1-or-later
/* tests/lib/again.h: what fails in time is run again, what is wrong stays so */
#include <fcntl.h>

#include "again.h"

static unsigned int *runs;	/* of all processes */

static void good_at(const void *run)
{
	ok(++*runs >= *(const unsigned int *)run, "it is good in this run");
	ok(true, "another check");
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

/* What comes of it; it prints nothing, as its failures are no failures of this test */
static struct outcome outcome(void (*function)(const void *data), unsigned int good, int most)
{
	unsigned int run = tap_run, failed = tap_failed;
	int kept, none = open("/dev/null", O_WRONLY);
	struct outcome outcome;

	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	dup2(none, STDOUT_FILENO);
	*runs = 0;
	outcome.status = tap_again(function, &good, most);
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
	check(outcome(good_at, 1, 3), (struct outcome){ 0, 1, 2, 0 }, "what is good is run once");
	check(outcome(good_at, 3, 3), (struct outcome){ 0, 3, 2, 0 }, "what is good in the third run passes");
	check(outcome(good_at, 4, 3), (struct outcome){ 0, 3, 2, 1 }, "what fails each time has failed, once");
	check(outcome(good_at, 2, 1), (struct outcome){ 0, 1, 2, 1 }, "what may run once is not run again");
	check(outcome(die, 0, 2), (struct outcome){ 3 << 8, 2, 0, 0 }, "of what does not come to its end the status is told");
	return done_testing();
}
