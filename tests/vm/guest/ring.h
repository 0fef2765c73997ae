/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring buffer of a sampling group leader: samples hold the whole group's counts. */
#ifndef GPMU_GUEST_RING_H
#define GPMU_GUEST_RING_H

#include "events.h"

#include <stddef.h>

struct ring {
	struct perf_event_mmap_page *meta;
	unsigned char *data;
	size_t data_size;
};

/* 0 or -errno. */
int ring_map(struct ring *ring, int fd);

/*
 * Prints "samples N lost N", then for each event, in the order of the group,
 * "FIRST LAST DECREASES EVENT": its count in the first and the last sample, and
 * how often a sample's count was below that of the one before. 0 or 1.
 */
int ring_report(const struct ring *ring, const struct event *events, unsigned int nr_events);

#endif /* GPMU_GUEST_RING_H */
