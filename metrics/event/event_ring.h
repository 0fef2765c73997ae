/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records that the kernel writes to the mapped ring buffer of an event (perf_event_open(2)). */
#ifndef GPMU_EVENT_RING_H
#define GPMU_EVENT_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct event_ring {
	struct perf_event_mmap_page *page;	/* NULL: not mapped */
	char *data;
	size_t size;		/* bytes of @data, a power of 2 */
	uint64_t head;		/* end of the records that are read */
	uint64_t body, next;	/* position after the header of the current record, and of the next record */
};

/* Initialises the reader of a mapping that has @size bytes of data after its first @first bytes. */
void event_ring_init(struct event_ring *ring, struct perf_event_mmap_page *page, size_t first, size_t size);
/* Sets the end to that of the records that the kernel has written. */
void event_ring_look(struct event_ring *ring);
/* Reads the header of the next record. Returns 1; 0 at the end; -EIO if it is malformed: the records up to the end are then skipped. */
int event_ring_next(struct event_ring *ring, struct perf_event_header *header);
/* Copies the first @size bytes after the header of the current record. */
void event_ring_copy(const struct event_ring *ring, void *to, size_t size);
/* Returns the space of all records before the next one to the kernel. */
void event_ring_release(struct event_ring *ring);

#endif /* GPMU_EVENT_RING_H */
