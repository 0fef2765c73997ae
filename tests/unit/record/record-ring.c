// SPDX-License-Identifier: LGPL-2.1-or-later
/* Draining a ring while the kernel writes to it, and waiting for rings whose tasks end */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/ring/record_ring.h"
#include "tap.h"

#define ROOM	(64u << 10)
#define SIZE	64u	/* bytes of a record */

static uint64_t taken, max_held;

/* Notes how many bytes of taken records the kernel cannot yet overwrite. */
static bool take(void *user, const struct record_ring *ring, const struct perf_event_header *header, const char *data,
		 size_t size)
{
	(void)user;
	(void)header;
	(void)data;
	(void)size;
	if (taken - ring->records.page->data_tail > max_held)
		max_held = taken - ring->records.page->data_tail;
	taken += SIZE;
	return true;
}

/* A ring that the events of two tasks share. Pipes stand in for the events: poll() reports the end of the writer as it does that of a task. */
static void test_wait(void)
{
	int first[2], second[2];
	struct record_ring ring = { .fd = -1, .more_count = 1 };
	struct pollfd fd = { .events = POLLIN };
	struct record_rings rings = { .list = &ring, .fds = &fd, .count = 1 };

	if (pipe(first) || pipe(second))
		abort();
	fd.fd = first[0];
	ring.more = &second[0];
	close(first[1]);
	ok(!record_rings_wait(&rings, 0), "record rings: the end of an event's tasks does not wake");
	ok(fd.fd == second[0], "record rings: after the end of an event's tasks, the next event of the ring is waited for");
	ok(!record_rings_wait(&rings, 0), "record rings: an event whose tasks have ended does not end later waits");
	if (write(second[1], "", 1) != 1)
		abort();
	ok(record_rings_wait(&rings, 0), "record rings: the next event of the ring wakes");
	close(second[1]);
	ok(record_rings_wait(&rings, 0), "record rings: an event whose tasks have ended wakes for its last records");
	ok(fd.fd == -1, "record rings: after the end of all tasks, no event of the ring is waited for");
	close(first[0]);
	close(second[0]);
}

int main(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct record_rings rings = { .page_size = page };
	struct record_ring ring = { .fd = -1 };
	struct perf_event_mmap_page *head;
	const struct perf_event_header header = { .type = PERF_RECORD_SWITCH, .size = SIZE };

	head = mmap(NULL, page + ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (head == MAP_FAILED)
		return 1;
	event_ring_init(&ring.records, head, page, ROOM);
	for (size_t offset = 0; offset < ROOM; offset += SIZE)
		memcpy((char *)head + page + offset, &header, sizeof(header));
	head->data_head = ROOM;
	record_ring_drain(&rings, &ring, take, NULL);
	is_u64(taken, ROOM, "record ring: each record of a full ring is taken");
	ok(max_held <= page, "record ring: the kernel gets the room of a page of records before the ring is drained");
	is_u64(head->data_tail, ROOM, "record ring: the kernel gets the room of all records");
	munmap(head, page + ROOM);
	test_wait();
	return done_testing();
}
