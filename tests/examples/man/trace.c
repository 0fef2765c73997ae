// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes the steps of a loop as a timeline. Open trace.pftrace at ui.perfetto.dev. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <gpmu.h>

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 +
	       (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "trace.pftrace";
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = path,
	};
	struct gpmu_trace_event step = {
		.size = sizeof(step), .name = "step", .category = "loop",
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	struct gpmu_error error = { 0 };
	struct gpmu_trace *trace = gpmu_trace_new(fd, &options, &error);
	int ret = !trace, sum, counter;

	if (!ret) {
		step.track = gpmu_trace_thread(trace, getpid(), getpid(),
					       "main");
		counter = gpmu_trace_counter(trace, 0, "sum", NULL);
		ret = step.track < 0 || counter < 0;
	}
	for (int i = sum = 0; !ret && i < 5; i++) {
		step.time = now();
		sum += i;
		ret = gpmu_trace_slice(trace, &step, now() - step.time) ||
		      gpmu_trace_count(trace, counter, step.time, sum);
	}
	if (!ret)
		ret = gpmu_trace_finish(trace, &error);
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	gpmu_trace_free(trace);
	if (fd >= 0)
		close(fd);
	return ret != 0;
}
