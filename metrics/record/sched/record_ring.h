/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of the kernel's perf events: a ring of each CPU */
#ifndef GPMU_RECORD_RING_H
#define GPMU_RECORD_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gpmu.h"

struct record_ring {
	int fd, cpu;
	size_t room;			/* bytes of records, a power of 2 */
	uint64_t lost;			/* records that were, as others have told */
	bool counts_lost;		/* so does the kernel, since Linux 6.0 */
	struct perf_event_mmap_page *page;	/* or NULL */
};

struct record_rings {
	struct record_ring *list;
	size_t n, page_size;
};

/*
 * An event on each CPU that is online, of @pid or, -1, of all; it is enabled. A ring has @most bytes, or
 * fewer, down to a page, where no more memory may be locked. 0 or -errno; -ENOBUFS: not even a
 * page may be. To be released in any case
 */
int record_rings_open(struct record_rings *rings, const struct gpmu_machine *machine,
		      const struct perf_event_attr *attr, pid_t pid, size_t most);
void record_rings_release(struct record_rings *rings);

/* Takes a record, but that of losses: @size bytes behind its header. Those of more than 512 are left out */
typedef void record_ring_take(void *user, const struct record_ring *ring,
			      const struct perf_event_header *header, const char *data, size_t size);

void record_rings_drain(struct record_rings *rings, record_ring_take *take, void *user);
/*
 * How many records were lost, as those that were drained have told: the kernel tells with the next one on
 * that CPU. @last: no more are drained, so with those that none tells of
 */
uint64_t record_rings_lost(const struct record_rings *rings, bool last);

#endif /* GPMU_RECORD_RING_H */
