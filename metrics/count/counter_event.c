// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include "count/counter.h"

#define INTERRUPTED	100	/* retries of an open that signals interrupt */

/* libperf prints to standard error by default. */
static int print_nothing(enum libperf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static void init_once(void)
{
	libperf_init(print_nothing);
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

/*
 * Opens one place at a time: if libperf cannot open an event on one of several, it closes
 * all of them and does not report which one failed.
 */
static int open_at(struct perf_evsel *event, const struct place *place)
{
	struct perf_cpu_map *cpus = perf_cpu_map__new_int(place->cpu);
	pid_t tid = place->tid;
	struct perf_thread_map *threads = perf_thread_map__new_array(1, &tid);
	int ret = -ENOMEM, left = INTERRUPTED;

	if (cpus && threads) {
		do
			ret = perf_evsel__open(event, cpus, threads);
		while (ret == -EINTR && --left);
		if (ret == -EMFILE && raise_limit())
			ret = perf_evsel__open(event, cpus, threads);
	}
	perf_thread_map__put(threads);
	perf_cpu_map__put(cpus);
	return ret;
}

int counter_event_open(struct perf_evsel **event, const struct event_instance *instance,
		       struct perf_evsel *leader, const struct place *place, bool inherit,
		       bool on_exec)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct perf_event_attr attr = instance->attr;
	int ret;

	pthread_once(&once, init_once);
	/* All events share one read format, so one function reads them all. */
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = !leader;
	attr.enable_on_exec = !leader && on_exec;
	attr.inherit = inherit;
	/*
	 * pinned and exclusive belong to the group; the kernel accepts them on the leader
	 * only.
	 */
	if (leader)
		attr.pinned = attr.exclusive = 0;
	*event = counter_evsel_new(&attr, sizeof(attr), leader);
	if (!*event)
		return -ENOMEM;
	ret = open_at(*event, place);
	/*
	 * libperf cannot pass PERF_FLAG_FD_CLOEXEC. A program that starts another one
	 * before this call leaks the descriptor to it.
	 */
	if (!ret && fcntl(counter_evsel_fd(*event), F_SETFD, FD_CLOEXEC))
		ret = -errno;
	if (ret) {
		counter_event_close(*event);
		*event = NULL;
	}
	return ret;
}

void counter_event_close(struct perf_evsel *event)
{
	if (!event)
		return;
	perf_evsel__close(event);
	perf_evsel__delete(event);
}
