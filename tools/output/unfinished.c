// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "message.h"
#include "output/unfinished.h"

#define DROPS_MAX	4

static const int ending[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU,
};

static void (*drops[DROPS_MAX])(void);
static volatile sig_atomic_t drop_count;
static pid_t owner;

static void drop_all(void)
{
	for (int i = 0; i < drop_count; i++)
		drops[i]();
}

/*
 * The disposition is the default one again, so the signal ends gpmu with its status. A command that
 * has not been executed yet shares gpmu's memory and this handler, but not its files.
 */
static void end(int number)
{
	if (getpid() == owner)
		drop_all();
	kill(getpid(), number);
}

void unfinished_end_by(int number)
{
	const struct sigaction action = { .sa_handler = end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	sigaction(number, &action, NULL);
}

static void heed_signals(void)
{
	struct sigaction before;

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &before) && before.sa_handler == SIG_DFL)
			unfinished_end_by(ending[i]);
}

void unfinished_remove_by(void (*drop)(void))
{
	for (int i = 0; i < drop_count; i++)
		if (drops[i] == drop)
			return;
	if (drop_count == DROPS_MAX)
		die("too many unfinished files");
	drops[drop_count] = drop;
	drop_count++;
	if (drop_count > 1)
		return;
	owner = getpid();
	if (atexit(drop_all))
		die_no_memory();
	heed_signals();
}
