// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands for a thread of the program that installs a handler of the signal GPMU_FAKE_RACE while the injected library
 * installs its own: just before its first call of sigaction() that sets an action.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	static int (*next)(int number, const struct sigaction *action, struct sigaction *old);
	static bool has_raced;
	const char *raced = getenv("GPMU_FAKE_RACE");

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sigaction");
	if (raced && number == atoi(raced) && action && !has_raced) {
		has_raced = true;
		next(number, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	}
	return next(number, action, old);
}
