/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of a chip: CUPTI's metrics with a suffix, "dram__bytes_read.sum". A counter with the suffix ".sum" is a count,
 * all others are means. An event gets its number when it is first looked up; listed events are numbered in their order.
 */
#ifndef GPMU_CUPTI_EVENTS_H
#define GPMU_CUPTI_EVENTS_H

#include "cupti_host.h"
#include "gpmu-source.h"
#include "sources/nvml/nvml_links.h"

struct event {
	struct gpmu_source_event_info info;
	struct gpmu_source_event_info lacking;	/* of GPUs that lack the link */
	enum nv_need need;
	const struct host_metric *metric;
	char *name;
	char *unit;
	char terms[24];
};

struct events {
	const struct host *host;
	struct event **events;	/* by number */
	size_t length;
	size_t listed;
};

/* Returns the unit of the metric with this suffix, which the caller frees; NULL for a plain number or without memory. */
char *events_unit(const struct host_metric *metric, const char *suffix);
/* Makes the listed events: each metric of the host with its natural suffix. Returns 0 or -ENOMEM. */
int events_init(struct events *events, const struct host *host);
void events_release(struct events *events);
/* Finds an event by name; NULL if the metric or its suffix is unknown */
struct event *events_find(struct events *events, const char *name);
/* Finds an event by the number in its config; NULL if it is unknown */
struct event *events_get(const struct events *events, uint64_t number);

#endif /* GPMU_CUPTI_EVENTS_H */
