// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_BYTES	(512 * 1024)	/* a power of two of pages on 4k, 16k and 64k kernels */
#define MAX_MEMBERS	16

/* A sample of PERF_SAMPLE_TIME | PERF_SAMPLE_READ with a group's ids. */
struct sample {
	uint64_t time, nr;
	struct {
		uint64_t value, id;
	} member[MAX_MEMBERS];
};

struct lost {
	uint64_t id, lost;
};

struct tally {
	uint64_t samples, lost;
	uint64_t nr;
	uint64_t first[MAX_MEMBERS], last[MAX_MEMBERS], decreases[MAX_MEMBERS];
};

int ring_map(struct ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned char *p;

	p = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	ring->meta = (struct perf_event_mmap_page *)p;
	ring->data = p + page;
	ring->data_size = RING_BYTES;
	return 0;
}

static void copy_out(const struct ring *ring, uint64_t pos, void *to, size_t n)
{
	unsigned char *dst = to;

	for (; n; n--, pos++)
		*dst++ = ring->data[pos % ring->data_size];
}

static void count_sample(struct tally *t, const struct sample *s)
{
	uint64_t i;

	for (i = 0; i < s->nr; i++) {
		if (!t->samples)
			t->first[i] = s->member[i].value;
		else if (s->member[i].value < t->last[i])
			t->decreases[i]++;
		t->last[i] = s->member[i].value;
	}
	t->nr = s->nr;
	t->samples++;
}

int ring_report(const struct ring *ring, const struct event *events, unsigned int nr_events)
{
	struct perf_event_header header;
	struct tally t = { 0 };
	uint64_t head = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = ring->meta->data_tail;
	unsigned int i;

	for (; pos + sizeof(header) <= head; pos += header.size) {
		copy_out(ring, pos, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - pos)
			break;
		if (header.type == PERF_RECORD_SAMPLE &&
		    header.size <= sizeof(header) + sizeof(struct sample)) {
			struct sample s = { 0 };

			copy_out(ring, pos + sizeof(header), &s, header.size - sizeof(header));
			if (s.nr != nr_events || s.nr > MAX_MEMBERS)
				break;
			count_sample(&t, &s);
		} else if (header.type == PERF_RECORD_LOST) {
			struct lost l;

			copy_out(ring, pos + sizeof(header), &l, sizeof(l));
			t.lost += l.lost;
		}
	}
	if (pos != head) {
		printf("malformed record at %" PRIu64 " of %" PRIu64 "\n", pos, head);
		return 1;
	}
	printf("samples %" PRIu64 " lost %" PRIu64 "\n", t.samples, t.lost);
	for (i = 0; i < nr_events && i < MAX_MEMBERS; i++)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
		       t.first[i], t.last[i], t.decreases[i], events[i].spec);
	return 0;
}
