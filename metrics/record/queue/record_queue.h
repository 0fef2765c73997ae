/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes records from a reading thread to the writing thread through two buffers: one is
 * filled while the other is processed. Nobody waits; records that do not fit are dropped.
 * A buffer grows when records need it, and shrinks again when they do not.
 */
#ifndef GPMU_RECORD_QUEUE_H
#define GPMU_RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/queue/record.h"

/* The room that a buffer has at least, if the queue's limit is not lower */
#define RECORD_QUEUE_MIN	((size_t)4 << 20)

struct record_buffer {
	char *bytes;
	size_t length, room;
};

struct record_queue {
	pthread_mutex_t lock;
	struct record_buffer fill, look;
	size_t room;		/* limit of each buffer's room */
	uint64_t record_count, dropped_count;
};

/* @room: limit for each of the two buffers, in bytes. Returns 0 or -ENOMEM. */
int record_queue_init(struct record_queue *queue, size_t room);
/* A queue that is all zeros, or that record_queue_init() has refused, is allowed. */
void record_queue_release(struct record_queue *queue);
/*
 * Appends a record and sets @record->size. Returns false, and counts the drop, if there is no
 * room or no memory for it.
 */
bool record_queue_put(struct record_queue *queue, struct record *record, const void *data,
		      size_t size);
/* Appends a record of a moment. Returns likewise. */
static inline bool record_queue_put_at(struct record_queue *queue, enum record_type type, uint64_t time, const void *data,
				       size_t size)
{
	struct record record = { .type = type, .begin = time, .end = time };

	return record_queue_put(queue, &record, data, size);
}

/* Returns whether a record with @size bytes of data fits. */
bool record_queue_has_room(struct record_queue *queue, size_t size);
/* Returns all records and their size in bytes; valid until the next call. */
size_t record_queue_take(struct record_queue *queue, const char **records);
/* Number of records that were appended; *dropped: number of records dropped */
uint64_t record_queue_count(struct record_queue *queue, uint64_t *dropped);

#endif /* GPMU_RECORD_QUEUE_H */
