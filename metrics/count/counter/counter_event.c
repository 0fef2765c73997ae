// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <perf/core.h>
#include <perf/evsel.h>
#include <pthread.h>
#include <stdio.h>

#include "count/counter/counter.h"
#include "event/event_fd.h"

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

int counter_event_open(struct perf_evsel **event, const struct event_instance *instance,
		       struct perf_evsel *leader, const struct target *target, bool wants_inherit,
		       bool is_on_exec)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct perf_event_attr attr = instance->attr;
	int fd, group = leader ? counter_evsel_fd(leader) : -1;

	pthread_once(&once, init_once);
	/* All events have the same read format, so one function reads them all. */
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = !leader;
	attr.enable_on_exec = !leader && is_on_exec;
	attr.inherit = wants_inherit;
	/*
	 * pinned and exclusive belong to the group; the kernel accepts them on the leader
	 * only.
	 */
	if (leader)
		attr.pinned = attr.exclusive = 0;
	*event = counter_evsel_new(&attr, sizeof(attr));
	if (!*event)
		return -ENOMEM;
	if (instance->cgroup)
		fd = event_fd_open_cgroup(&attr, instance->cgroup->fd, target->cpu, group);
	else
		fd = event_fd_open(&attr, target->tid, target->cpu, group);
	if (fd < 0) {
		counter_event_close(*event);
		*event = NULL;
		return fd;
	}
	counter_evsel_set_fd(*event, fd);
	return 0;
}

void counter_event_close(struct perf_evsel *event)
{
	if (!event)
		return;
	perf_evsel__munmap(event);
	perf_evsel__close(event);
	perf_evsel__delete(event);
}
