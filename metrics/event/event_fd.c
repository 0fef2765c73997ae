// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/event_fd.h"

#define INTERRUPTED	100	/* retries of an open that signals interrupt */
#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/* libperf cannot pass PERF_FLAG_FD_CLOEXEC. */
static int open_once(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group,
			      flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The soft limit of open files is usually 1024, for programs that use select(). */
static bool raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		      unsigned long flags)
{
	int left = INTERRUPTED, fd;

	do
		fd = open_once(attr, pid, cpu, group, flags);
	while (fd == -EINTR && --left);
	if (fd == -EMFILE && raise_limit())
		fd = open_once(attr, pid, cpu, group, flags);
	return fd;
}

int event_fd_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return open_event(attr, pid, cpu, group, 0);
}

int event_fd_open_cgroup(const struct perf_event_attr *attr, int cgroup, int cpu, int group)
{
	return open_event(attr, cgroup, cpu, group, PERF_FLAG_PID_CGROUP);
}

static int try_task_clock(bool is_user_only)
{
	const struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER0,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = is_user_only,
		.exclude_hv = is_user_only,
	};
	int fd = event_fd_open(&attr, 0, -1, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool event_fd_user_only(void)
{
	return try_task_clock(false) == -EACCES && !try_task_clock(true);
}

uint64_t event_max_rate(void)
{
	FILE *file = fopen(MAX_RATE, "re");
	uint64_t rate = 0;
	char text[32];

	if (file && fgets(text, sizeof(text), file))
		rate = strtoull(text, NULL, 10);
	if (file)
		fclose(file);
	return rate;
}
