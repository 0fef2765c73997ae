// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "output/progress.h"

#define SHOW_AFTER	1.0	/* s without progress */
#define SHOW_EVERY	0.2	/* s */
#define WAKE_EVERY	50000	/* us after SIGINT */

static volatile sig_atomic_t interrupted;
static struct sigaction before;	/* of SIGINT */

static void wake(int signal)
{
	(void)signal;
}

static void wake_every(suseconds_t us)
{
	const struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * A second SIGINT has its earlier action, which may remove unfinished files. A wait for the bytes of a
 * pipe ends at a signal; SIGALRM ends one that begins after SIGINT.
 */
static void interrupt(int signal)
{
	const struct sigaction action = { .sa_handler = wake, .sa_flags = SA_RESTART };

	interrupted = 1;
	sigaction(signal, &before, NULL);
	sigaction(SIGALRM, &action, NULL);
	wake_every(WAKE_EVERY);
}

void progress_begin(struct progress *progress, const char *what)
{
	const struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	progress->what = what;
	progress->shown = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress->begin);
	sigaction(SIGINT, NULL, &before);
	sigaction(SIGINT, &action, NULL);
}

/* Returns whether it is time to show the progress again. */
static bool is_due(struct progress *progress)
{
	struct timespec now;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = (double)(now.tv_sec - progress->begin.tv_sec) + (double)(now.tv_nsec - progress->begin.tv_nsec) * 1e-9;
	if (seconds < SHOW_AFTER || seconds < progress->shown + SHOW_EVERY || !isatty(STDERR_FILENO))
		return false;
	progress->shown = seconds;
	return true;
}

int progress_show(void *user, uint64_t done, uint64_t total)
{
	struct progress *progress = user;

	if (total && is_due(progress))
		fprintf(stderr, "\r\033[K%s: %3.0f %%", progress->what, 100 * (double)done / (double)total);
	return interrupted;
}

int progress_wait(void *user, const char *server, uint64_t done, uint64_t total)
{
	const char *end = server ? strstr(server, "/buildid/") : NULL;

	if (!is_due(user))
		return interrupted;
	if (!end)
		fputs("\r\033[Kwaiting for debuginfod", stderr);
	else if (total)
		fprintf(stderr, "\r\033[K%.*s: %3.0f %%", (int)(end - server), server, 100 * (double)done / (double)total);
	else
		fprintf(stderr, "\r\033[Kwaiting for %.*s", (int)(end - server), server);
	return interrupted;
}

void progress_end(const struct progress *progress)
{
	if (interrupted)
		wake_every(0);
	if (progress->shown > 0)
		fputs("\r\033[K", stderr);
}
