/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes items from a reading thread to the writing thread through two buffers: one is
 * filled while the other is processed. Nobody waits; items that do not fit are dropped.
 */
#ifndef GPMU_RECORD_QUEUE_H
#define GPMU_RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An item; its data follow it. Items are multiples of 8 bytes. */
struct record_item {
	uint32_t size;		/* bytes of item and data */
	uint32_t kind;		/* enum record_kind */
	uint32_t of;		/* number of the process, counter or CPU */
	uint32_t reserved;
	uint64_t begin, end;	/* CLOCK_MONOTONIC_RAW, ns */
};

struct record_queue {
	pthread_mutex_t lock;
	char *fill, *look;
	size_t length, room;	/* of fill; both buffers have this room */
	uint64_t items, dropped;
};

/* Returns 0, or -ENOMEM with nothing to release. */
int record_queue_init(struct record_queue *queue, size_t room);
void record_queue_release(struct record_queue *queue);
/*
 * Appends an item and sets @item->size. Returns false, and counts the drop, if there is no
 * room.
 */
bool record_queue_put(struct record_queue *queue, struct record_item *item, const void *data,
		      size_t size);
/* Whether an item with @size bytes of data fits */
bool record_queue_has_room(struct record_queue *queue, size_t size);
/* Returns all items and their size in bytes; valid until the next call. */
size_t record_queue_take(struct record_queue *queue, const char **items);
uint64_t record_queue_items(struct record_queue *queue, uint64_t *dropped);

#endif /* GPMU_RECORD_QUEUE_H */
