// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records the kernels, copies and CUDA calls of a command in a trace. */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpmu.h>

extern char **environ;

static void show_stats(struct gpmu_recorder *recorder)
{
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };

	if (!gpmu_recorder_get_stats(recorder, &stats))
		fprintf(stderr, "%llu processes, %llu records, %llu lost\n",
			(unsigned long long)stats.process_count,
			(unsigned long long)stats.record_count,
			(unsigned long long)stats.lost_count);
}

int main(int argc, char **argv)
{
	char *by_default[] = { "true", NULL };
	char **command = argc > 1 ? argv + 1 : by_default;
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = "trace.pftrace",
		.cuda = GPMU_RECORDER_KERNEL | GPMU_RECORDER_MEMCPY |
			GPMU_RECORDER_CALLS,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder *recorder;
	int ret = -1;
	pid_t pid;

	recorder = gpmu_recorder_new(&options, &error);
	if (recorder)
		ret = gpmu_recorder_start(recorder, NULL, NULL, &error);
	if (!ret) {
		gpmu_recorder_enable(recorder);
		if (!posix_spawnp(&pid, command[0], NULL, NULL, command,
				  gpmu_recorder_environment(recorder, environ)))
			waitpid(pid, NULL, 0);
		gpmu_recorder_note(recorder, "recorded by an example");
		gpmu_recorder_disable(recorder);
		ret = gpmu_recorder_stop(recorder, &error);
	}
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	else
		show_stats(recorder);
	gpmu_recorder_free(recorder);
	return ret != 0;
}
