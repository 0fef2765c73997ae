// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints messages on standard error. */
#include <stdio.h>

#include <gpmu.h>

static void print(int level, const char *line, void *user)
{
	(void)user;
	fprintf(stderr, "%s%s\n",
		level == GPMU_LOG_WARNING ? "warning: " : "", line);
}

int main(void)
{
	struct gpmu_machine *machine;

	gpmu_log_set(print, NULL);
	machine = gpmu_machine_new(NULL, NULL);
	gpmu_machine_free(machine);
	return machine ? 0 : 1;
}
