// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "event/event_ring.h"

void event_ring_init(struct event_ring *ring, struct perf_event_mmap_page *page, size_t first, size_t size)
{
	*ring = (struct event_ring){ .page = page, .data = (char *)page + first, .size = size, .next = page->data_tail };
}

void event_ring_look(struct event_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void copy(const struct event_ring *ring, uint64_t from, void *to, size_t size)
{
	size_t offset = (size_t)from & (ring->size - 1), room = ring->size - offset;
	size_t first = size < room ? size : room;

	memcpy(to, ring->data + offset, first);
	memcpy((char *)to + first, ring->data, size - first);
}

int event_ring_next(struct event_ring *ring, struct perf_event_header *header)
{
	if (ring->next >= ring->head)
		return 0;
	copy(ring, ring->next, header, sizeof(*header));
	/* The kernel never writes such a header. The begin of the next record is not known. */
	if (header->size < sizeof(*header) || header->size > ring->head - ring->next) {
		ring->next = ring->head;
		return -EIO;
	}
	ring->body = ring->next + sizeof(*header);
	ring->next += header->size;
	return 1;
}

void event_ring_copy(const struct event_ring *ring, void *to, size_t size)
{
	copy(ring, ring->body, to, size);
}

void event_ring_release(struct event_ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->next, __ATOMIC_RELEASE);
}
