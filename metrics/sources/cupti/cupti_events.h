/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of a chip: CUPTI's metrics with a suffix, "dram__bytes_read.sum". Those without
 * more of the suffix than ".sum" of a counter are counts, all others are means. Each gets a
 * number when it is first heard of, those that are listed by their order.
 */
#ifndef GPMU_CUPTI_EVENTS_H
#define GPMU_CUPTI_EVENTS_H

#include "cupti_host.h"
#include "gpmu-source.h"

struct event {
	struct gpmu_source_event_info info;
	const struct host_metric *metric;
	char *name;
	char *unit;
	char terms[24];
};

struct events {
	const struct host *host;
	struct event **events;	/* by number */
	size_t length, room;
	size_t listed;
};

/* The listed ones: each metric of the host with its natural suffix. Returns 0 or -ENOMEM. */
int events_init(struct events *events, const struct host *host);
void events_release(struct events *events);
/* NULL: no metric is called so, or it has no such suffix */
struct event *events_find(struct events *events, const char *name);
/* By the number in an event's config; NULL: there is none */
struct event *events_get(const struct events *events, uint64_t number);

#endif /* GPMU_CUPTI_EVENTS_H */
