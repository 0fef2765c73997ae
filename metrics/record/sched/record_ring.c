// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event_fd.h"
#include "record/sched/record_ring.h"

#define RECORD_MOST	512	/* bytes of a kernel record */

/*
 * Halves the size until mapping succeeds: other recordings of the user share the limit of
 * locked memory.
 */
static int map_ring(struct record_ring *ring, size_t page_size, size_t most)
{
	void *page;

	for (ring->room = most > page_size ? most : page_size; ring->room >= page_size; ring->room /= 2) {
		page = mmap(NULL, page_size + ring->room, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
		if (page != MAP_FAILED) {
			ring->page = page;
			return 0;
		}
		if (errno != EPERM)
			return -errno;
	}
	return -ENOBUFS;
}

static int open_event(struct record_ring *ring, const struct perf_event_attr *attr, pid_t pid)
{
	ring->fd = event_fd_open(attr, pid, ring->cpu, -1);
	return ring->fd < 0 ? ring->fd : 0;
}

static int open_ring(struct record_ring *ring, const struct perf_event_attr *attr, pid_t pid,
		     size_t page_size, size_t most)
{
	struct perf_event_attr with_lost = *attr;
	int ret;

	with_lost.read_format = PERF_FORMAT_LOST;
	ret = open_event(ring, &with_lost, pid);
	ring->counts_lost = !ret;
	if (ret == -EINVAL)
		ret = open_event(ring, attr, pid);
	if (ret)
		return ret;
	ret = map_ring(ring, page_size, most);
	if (ret)
		return ret;
	return ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int record_rings_open(struct record_rings *rings, const struct gpmu_machine *machine,
		      const struct perf_event_attr *attr, pid_t pid, size_t most)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	const int *cpus = NULL;
	int ret = 0;

	rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (machine)
		n = (long)gpmu_machine_online_cpus(machine, &cpus);
	rings->list = calloc((size_t)n + 1, sizeof(*rings->list));
	if (!rings->list)
		return -ENOMEM;
	for (long i = 0; i < n && !ret; i++) {
		struct record_ring *ring = &rings->list[rings->count];

		ring->cpu = cpus ? cpus[i] : (int)i;
		ret = open_ring(ring, attr, pid, rings->page_size, most);
		/* The CPU is offline. */
		if (ret == -ENODEV) {
			ret = 0;
			continue;
		}
		rings->count++;
	}
	return ret;
}

void record_rings_release(struct record_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct record_ring *ring = &rings->list[i];

		if (ring->page)
			munmap(ring->page, rings->page_size + ring->room);
		if (ring->fd >= 0)
			close(ring->fd);
	}
	free(rings->list);
	*rings = (struct record_rings){ 0 };
}

static void copy(const struct record_ring *ring, size_t page_size, uint64_t from, char *to,
		 size_t size)
{
	size_t offset = (size_t)from & (ring->room - 1);
	size_t first = size < ring->room - offset ? size : ring->room - offset;

	memcpy(to, (const char *)ring->page + page_size + offset, first);
	memcpy(to + first, (const char *)ring->page + page_size, size - first);
}

/* PERF_RECORD_LOST: the event's id, then the number of lost records */
static void note_lost(struct record_ring *ring, const char *data, size_t size)
{
	uint64_t lost[2];

	if (size < sizeof(lost))
		return;
	memcpy(lost, data, sizeof(lost));
	ring->lost += lost[1];
}

static void drain(struct record_ring *ring, size_t page_size, record_ring_take *take, void *user)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->page->data_tail;
	struct perf_event_header header;
	char data[RECORD_MOST];

	while (at < head) {
		copy(ring, page_size, at, (char *)&header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - at)
			break;
		if (header.size <= sizeof(data)) {
			copy(ring, page_size, at + sizeof(header), data, header.size - sizeof(header));
			if (header.type == PERF_RECORD_LOST)
				note_lost(ring, data, header.size - sizeof(header));
			else
				take(user, ring, &header, data, header.size - sizeof(header));
		}
		at += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

void record_rings_drain(struct record_rings *rings, record_ring_take *take, void *user)
{
	for (size_t i = 0; i < rings->count; i++)
		drain(&rings->list[i], rings->page_size, take, user);
}

/* The kernel's count of lost records */
static uint64_t lost_of(const struct record_ring *ring)
{
	uint64_t of[2];		/* the event's count, number of lost records */

	if (!ring->counts_lost || read(ring->fd, of, sizeof(of)) != (ssize_t)sizeof(of))
		return 0;
	return of[1];
}

uint64_t record_rings_lost(const struct record_rings *rings, bool last)
{
	uint64_t n = 0;

	for (size_t i = 0; i < rings->count; i++) {
		uint64_t counted = last ? lost_of(&rings->list[i]) : 0, reported = rings->list[i].lost;

		n += counted > reported ? counted : reported;
	}
	return n;
}
