// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records the kernels, copies and CUDA calls of a command in a trace. */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpmu.h>

extern char **environ;

int main(int argc, char **argv)
{
	char *by_default[] = { "true", NULL };
	char **command = argc > 1 ? argv + 1 : by_default;
	const struct gpmu_record_options options = {
		.size = sizeof(options), .path = "trace.pftrace",
		.cuda = GPMU_RECORD_KERNEL | GPMU_RECORD_MEMCPY |
			GPMU_RECORD_CALLS,
		.rank = -1,
	};
	struct gpmu_error error = { 0 };
	struct gpmu_record *record = gpmu_record_new(&options, &error);
	int ret = -1;
	pid_t pid;

	if (record)
		ret = gpmu_record_start(record, NULL, &error);
	if (!ret) {
		gpmu_record_enable(record);
		if (!posix_spawnp(&pid, command[0], NULL, NULL, command,
				  gpmu_record_environment(record, environ)))
			waitpid(pid, NULL, 0);
		gpmu_record_disable(record);
		ret = gpmu_record_stop(record, &error);
	}
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	gpmu_record_free(record);
	return ret != 0;
}
