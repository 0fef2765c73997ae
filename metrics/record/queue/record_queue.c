// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/queue/record_queue.h"

int record_queue_init(struct record_queue *queue, size_t room)
{
	*queue = (struct record_queue){ .room = room };
	queue->fill = malloc(room);
	queue->look = malloc(room);
	if (!queue->fill || !queue->look) {
		free(queue->fill);
		free(queue->look);
		queue->fill = NULL;
		return -ENOMEM;
	}
	pthread_mutex_init(&queue->lock, NULL);
	return 0;
}

void record_queue_release(struct record_queue *queue)
{
	if (!queue->fill)
		return;
	pthread_mutex_destroy(&queue->lock);
	free(queue->fill);
	free(queue->look);
	queue->fill = NULL;
}

static size_t whole(size_t size)
{
	return (sizeof(struct record) + size + 7) / 8 * 8;
}

bool record_queue_put(struct record_queue *queue, struct record *record, const void *data,
		      size_t size)
{
	size_t need = whole(size);
	bool fits;

	record->size = (uint32_t)need;
	pthread_mutex_lock(&queue->lock);
	fits = queue->room - queue->length >= need;
	if (fits) {
		char *to = queue->fill + queue->length;

		memcpy(to, record, sizeof(*record));
		if (size)
			memcpy(to + sizeof(*record), data, size);
		memset(to + sizeof(*record) + size, 0, need - sizeof(*record) - size);
		queue->length += need;
		queue->record_count++;
	} else {
		queue->dropped_count++;
	}
	pthread_mutex_unlock(&queue->lock);
	return fits;
}

bool record_queue_has_room(struct record_queue *queue, size_t size)
{
	bool fits;

	pthread_mutex_lock(&queue->lock);
	fits = queue->room - queue->length >= whole(size);
	pthread_mutex_unlock(&queue->lock);
	return fits;
}

size_t record_queue_take(struct record_queue *queue, const char **records)
{
	char *full;
	size_t length;

	pthread_mutex_lock(&queue->lock);
	full = queue->fill;
	length = queue->length;
	queue->fill = queue->look;
	queue->look = full;
	queue->length = 0;
	pthread_mutex_unlock(&queue->lock);
	*records = full;
	return length;
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
