/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From one thread that reads a source to the one that writes the trace: items in two buffers, of
 * which one is filled and the other is being looked at. Nobody waits: what does not fit is dropped.
 */
#ifndef GPMU_RECORD_QUEUE_H
#define GPMU_RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has its data behind it. Items are multiples of 8 bytes. */
struct record_item {
	uint32_t size;		/* of both */
	uint32_t kind;		/* enum record_kind */
	uint32_t of;		/* number of a process, a counter, a CPU */
	uint32_t reserved;
	uint64_t begin, end;	/* CLOCK_MONOTONIC_RAW in ns */
};

struct record_queue {
	pthread_mutex_t lock;
	char *fill, *look;
	size_t length, room;	/* of fill; each buffer has room */
	uint64_t items, dropped;
};

/* 0 or -ENOMEM, then with nothing to release */
int record_queue_init(struct record_queue *queue, size_t room);
void record_queue_release(struct record_queue *queue);
/* @item->size is set. false: there was no room, it is counted */
bool record_queue_put(struct record_queue *queue, struct record_item *item, const void *data,
		      size_t size);
/* There is room for an item with so much data. */
bool record_queue_has_room(struct record_queue *queue, size_t size);
/* All that is there, how many bytes; valid until the next call */
size_t record_queue_take(struct record_queue *queue, const char **items);
uint64_t record_queue_items(struct record_queue *queue, uint64_t *dropped);

#endif /* GPMU_RECORD_QUEUE_H */
