// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Accesses the group leader and the file descriptor of libperf's events, which libperf
 * does not export. Only this file knows libperf's structures; it is compiled with the
 * headers of the linked libperf (metrics/libperf).
 */
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/evsel.h>
#include <stddef.h>
#include <string.h>

#include "count/counter.h"

struct perf_evsel *counter_evsel_new(const struct perf_event_attr *attr, size_t size,
				     struct perf_evsel *leader)
{
	struct perf_event_attr own = { 0 };
	struct perf_evsel *event;

	memcpy(&own, attr, size < sizeof(own) ? size : sizeof(own));
	own.size = sizeof(own);
	event = perf_evsel__new(&own);
	if (event && leader)
		event->leader = leader;
	return event;
}

int counter_evsel_fd(const struct perf_evsel *event)
{
	const int *fd = event->fd ? xyarray__entry(event->fd, 0, 0) : NULL;

	return fd ? *fd : -1;
}
