// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * record GPMU: the cost of gpmu record for a million CUDA records per second: calls on two threads and the kernels
 * that they launch on four streams, with arguments and flows. An event is half a slice of the trace, its begin or its
 * end. CPU is user and system time of gpmu alone, from start to end. The same records are then written as fast as gpmu
 * reads them: the time from start to end is that of the channel, its reader, sorting and the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "trace/channel-connect.h"

#define PAIRS		500000	/* of a call and a kernel */
#define BATCH		500	/* in a millisecond */
#define EVENTS		(4.0 * PAIRS)
#define NAMES		50
#define STREAMS		4
#define ROUNDS		3
#define GOAL_NS		1000.0
#define GOAL_RECORD_NS	500.0
#define GOAL_BYTES	40.0

static char trace[] = "/tmp/gpmu-bench.XXXXXX";

/* --- the command: a program with GPUs --- */

static struct channel_writer *writer;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void put(void *record, uint32_t kind, size_t size)
{
	struct activity_head *head = record;

	head->kind = kind;
	head->size = (uint32_t)size;
	while (channel_write(writer, head) == -EAGAIN)
		poll(NULL, 0, 1);
}

static void name(uint32_t id, const char *text)
{
	union {
		struct activity_name name;
		char bytes[128];
	} record = { .name.id = id };

	memcpy(record.name.text, text, strlen(text));
	put(&record, ACTIVITY_NAME, sizeof(record));
}

static void describe(void)
{
	union {
		struct activity_process process;
		struct activity_device device;
		char bytes[128];
	} record = { .process = { .time = now(), .pid = (uint32_t)getpid() } };
	struct activity_context context = { .context = 1 };
	char text[64];

	memcpy(record.process.text, "app", 4);
	put(&record, ACTIVITY_PROCESS, sizeof(record));
	memset(&record, 0, sizeof(record));
	memcpy(record.device.uuid, "GPU-1", 6);
	memcpy(record.device.text, "H200", 5);
	/* The limits of an H200, from which the occupancy follows */
	record.device.major = 9;
	record.device.multiprocessors = 132;
	record.device.warps = 64;
	record.device.blocks = 32;
	record.device.registers = 65536;
	record.device.shared = 233472;
	put(&record, ACTIVITY_DEVICE, sizeof(record));
	put(&context, ACTIVITY_CONTEXT, sizeof(context));
	name(1, "cudaLaunchKernel_v7000");
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(text, sizeof(text), "_Z%dgemm_kernel_%uPKfS0_Pfi", i < 10 ? 13 : 14, i);
		name(2 + i, text);
	}
}

static void pair(uint32_t n, uint64_t time)
{
	struct activity_call call = {
		.begin = time, .end = time + 900, .thread = (uint32_t)getpid() + n % 2, .correlation = n + 1, .name = 1,
	};
	struct activity_kernel kernel = {
		.work = { .begin = time + 4000, .end = time + 9000 + n % 1000, .context = 1, .stream = 7 + n % STREAMS,
			  .correlation = n + 1 },
		.name = 2 + n * 7919 % NAMES, .grid = { 128, 1, 1 }, .block = { 256, 1, 1 }, .registers = 64,
		.shared_dynamic = 49152,
	};

	put(&call, ACTIVITY_RUNTIME, sizeof(call));
	put(&kernel, ACTIVITY_KERNEL, sizeof(kernel));
}

static double ns_of(const struct rusage *usage)
{
	return ((double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec) * 1e9 +
	       ((double)usage->ru_utime.tv_usec + (double)usage->ru_stime.tv_usec) * 1e3;
}

/* One call per 2 us if @is_paced; at the end it prints its CPU time in ns, to be subtracted */
static int target(bool is_paced)
{
	const char *name = getenv(CHANNEL_VARIABLE);
	struct channel_control *control;
	uint64_t begin = now();
	struct rusage usage;

	writer = name ? connect_writer(name, 0, &control) : NULL;
	if (!writer)
		return 2;
	describe();
	for (uint32_t n = 0; n < PAIRS; n++) {
		uint64_t time = begin + n * UINT64_C(2000);

		pair(n, time);
		if (n % BATCH != BATCH - 1)
			continue;
		put(&(struct activity_complete){ .time = time - 20000 }, ACTIVITY_COMPLETE,
		    sizeof(struct activity_complete));
		while (is_paced && now() < time)
			poll(NULL, 0, 1);
	}
	channel_writer_close(writer);
	channel_unmap_control(control);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f\n", ns_of(&usage));
	return 0;
}

/* --- the measurement --- */

/* Runs gpmu with its output and the command's in @text; < 0: it cannot be run, or failed */
static double run(char *const *argv, char *text, size_t size)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	int status, fds[2];
	ssize_t length;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
	status = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (!status && (wait4(pid, &status, 0, &usage) != pid || status))
		status = -1;
	length = read(fds[0], text, size - 1);
	text[length > 0 ? length : 0] = '\0';
	close(fds[0]);
	return status ? -1 : ns_of(&usage);
}

/* CPU time of gpmu alone in ns; < 0: it failed or lost records. *ns: time from its start to its end */
static double measure(const char *gpmu, const char *self, const char *target, double *ns)
{
	char *const argv[] = { (char *)gpmu, (char *)"record", (char *)"--no-cpu-trace", (char *)"-o", trace, (char *)"--", (char *)self,
			       (char *)target, NULL };
	uint64_t begin = now();
	char text[1024];
	double cpu = run(argv, text, sizeof(text));

	*ns = (double)(now() - begin);
	return cpu < 0 || !strstr(text, " 1,000,000 records, 0 lost") ? -1 : cpu - strtod(text, NULL);
}

int main(int argc, char **argv)
{
	static const char cpu_row[] = "record: CPU per event (half a slice) at 1 M records/s";
	static const char fast_row[] = "record: time of a record, unpaced, beside 2 M records/s";
	static const char bytes_row[] = "record: bytes per event (half a slice) with arguments";
	double best = INFINITY, fast = INFINITY, bytes, ns;
	struct stat status;
	char ours[24];
	int fd;

	if (argc == 2 && (!strcmp(argv[1], "target") || !strcmp(argv[1], "unpaced")))
		return target(!strcmp(argv[1], "target"));
	fd = mkstemp(trace);
	if (argc != 2 || fd < 0)
		return 2;
	close(fd);
	/* The best of several rounds, as the machine may have other load */
	for (int i = 0; i < ROUNDS; i++) {
		double cpu = measure(argv[1], argv[0], "unpaced", &ns);

		if (cpu >= 0)
			fast = fmin(fast, ns / (2.0 * PAIRS));
		cpu = measure(argv[1], argv[0], "target", &ns);
		if (cpu >= 0)
			best = fmin(best, cpu / EVENTS);
	}
	snprintf(ours, sizeof(ours), "%.0f ns", fast);
	if (isinf(fast))
		bench_none(fast_row, "gpmu failed or lost records in each round");
	else
		bench_row(fast_row, ours, "500 ns", fast / GOAL_RECORD_NS, 1);
	if (isinf(best) || stat(trace, &status)) {
		bench_none(cpu_row, "gpmu failed or lost records in each round");
	} else {
		snprintf(ours, sizeof(ours), "%.0f ns", best);
		bench_row(cpu_row, ours, "1000 ns", best / GOAL_NS, 1);
		bytes = (double)status.st_size / EVENTS;
		snprintf(ours, sizeof(ours), "%.1f", bytes);
		bench_row(bytes_row, ours, "40", bytes / GOAL_BYTES, 1);
	}
	unlink(trace);
	return 0;
}
