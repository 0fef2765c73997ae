// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/queue/record_queue.h"

int record_queue_init(struct record_queue *queue, size_t room)
{
	const size_t min = room < RECORD_QUEUE_MIN ? room : RECORD_QUEUE_MIN;

	*queue = (struct record_queue){
		.room = room,
		.fill = { .bytes = malloc(min), .room = min },
		.look = { .bytes = malloc(min), .room = min },
	};
	if (!queue->fill.bytes || !queue->look.bytes) {
		free(queue->fill.bytes);
		free(queue->look.bytes);
		queue->fill.bytes = queue->look.bytes = NULL;
		return -ENOMEM;
	}
	pthread_mutex_init(&queue->lock, NULL);
	return 0;
}

void record_queue_release(struct record_queue *queue)
{
	if (!queue->fill.bytes)
		return;
	pthread_mutex_destroy(&queue->lock);
	free(queue->fill.bytes);
	free(queue->look.bytes);
	queue->fill.bytes = queue->look.bytes = NULL;
}

static size_t whole(size_t size)
{
	return (sizeof(struct record) + size + 7) / 8 * 8;
}

static bool resize(struct record_buffer *buffer, size_t room)
{
	/* For blocks of this size realloc() moves pages, and copies no bytes. */
	char *bytes = realloc(buffer->bytes, room);

	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->room = room;
	return true;
}

/* Returns whether so many bytes fit, for which the buffer may grow. */
static bool has_room(struct record_queue *queue, size_t need)
{
	struct record_buffer *fill = &queue->fill;
	size_t room = fill->room;

	if (queue->room - fill->length < need)
		return false;
	while (room - fill->length < need)
		room = room < queue->room / 2 ? room * 2 : queue->room;
	return room == fill->room || resize(fill, room);
}

bool record_queue_put(struct record_queue *queue, struct record *record, const void *data,
		      size_t size)
{
	size_t need = whole(size);
	bool is_fitting;

	record->size = (uint32_t)need;
	pthread_mutex_lock(&queue->lock);
	is_fitting = has_room(queue, need);
	if (is_fitting) {
		char *to = queue->fill.bytes + queue->fill.length;

		memcpy(to, record, sizeof(*record));
		if (size)
			memcpy(to + sizeof(*record), data, size);
		memset(to + sizeof(*record) + size, 0, need - sizeof(*record) - size);
		queue->fill.length += need;
		queue->record_count++;
	} else {
		queue->dropped_count++;
	}
	pthread_mutex_unlock(&queue->lock);
	return is_fitting;
}

bool record_queue_has_room(struct record_queue *queue, size_t size)
{
	bool is_fitting;

	pthread_mutex_lock(&queue->lock);
	is_fitting = has_room(queue, whole(size));
	pthread_mutex_unlock(&queue->lock);
	return is_fitting;
}

/* Empties a buffer, which gives half of its room back if it used less than a quarter. */
static void empty(struct record_buffer *buffer)
{
	if (buffer->length < buffer->room / 4 && buffer->room / 2 >= RECORD_QUEUE_MIN)
		resize(buffer, buffer->room / 2);
	buffer->length = 0;
}

size_t record_queue_take(struct record_queue *queue, const char **records)
{
	struct record_buffer full;

	/* Only this thread uses the buffer that was processed. */
	empty(&queue->look);
	pthread_mutex_lock(&queue->lock);
	full = queue->fill;
	queue->fill = queue->look;
	pthread_mutex_unlock(&queue->lock);
	queue->look = full;
	*records = full.bytes;
	return full.length;
}

uint64_t record_queue_count(struct record_queue *queue, uint64_t *dropped)
{
	uint64_t records;

	pthread_mutex_lock(&queue->lock);
	records = queue->record_count;
	*dropped = queue->dropped_count;
	pthread_mutex_unlock(&queue->lock);
	return records;
}
