// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "output/progress.h"

#define SHOW_AFTER	1.0	/* s without progress */
#define SHOW_EVERY	0.2	/* s */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

void progress_begin(struct progress *progress, const char *what)
{
	const struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)(SA_RESTART | SA_RESETHAND) };

	progress->what = what;
	progress->shown = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress->begin);
	sigaction(SIGINT, &action, NULL);
}

int progress_show(void *user, uint64_t done, uint64_t total)
{
	struct progress *progress = user;
	struct timespec now;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = (double)(now.tv_sec - progress->begin.tv_sec) + (double)(now.tv_nsec - progress->begin.tv_nsec) * 1e-9;
	if (total && seconds >= SHOW_AFTER && seconds >= progress->shown + SHOW_EVERY && isatty(STDERR_FILENO)) {
		progress->shown = seconds;
		fprintf(stderr, "\r%s: %3.0f %%", progress->what, 100 * (double)done / (double)total);
	}
	return interrupted;
}

void progress_end(const struct progress *progress)
{
	if (progress->shown > 0)
		fputs("\r\033[K", stderr);
}
