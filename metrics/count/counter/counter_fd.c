// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stores the file descriptor in libperf's events. libperf itself opens events without
 * close-on-exec and exports no function to set a descriptor. Only this file knows libperf's
 * structures; it is compiled with the headers of the linked libperf (metrics/libperf).
 */
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/evsel.h>
#include <stddef.h>
#include <string.h>

#include "count/counter/counter.h"

struct perf_evsel *counter_evsel_new(const struct perf_event_attr *attr, size_t size)
{
	struct perf_event_attr own = { 0 };
	struct perf_evsel *event;

	memcpy(&own, attr, size < sizeof(own) ? size : sizeof(own));
	own.size = sizeof(own);
	event = perf_evsel__new(&own);
	if (event && perf_evsel__alloc_fd(event, 1, 1)) {
		perf_evsel__delete(event);
		event = NULL;
	}
	return event;
}

void counter_evsel_set_fd(struct perf_evsel *event, int fd)
{
	*(int *)xyarray__entry(event->fd, 0, 0) = fd;
}

int counter_evsel_fd(const struct perf_evsel *event)
{
	return *(const int *)xyarray__entry(event->fd, 0, 0);
}
