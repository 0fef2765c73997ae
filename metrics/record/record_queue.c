// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_queue.h"

int record_queue_init(struct record_queue *queue, size_t room)
{
	*queue = (struct record_queue){ .room = room };
	queue->fill = malloc(room);
	queue->look = malloc(room);
	if (!queue->fill || !queue->look) {
		free(queue->fill);
		free(queue->look);
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
	return (sizeof(struct record_item) + size + 7) / 8 * 8;
}

bool record_queue_put(struct record_queue *queue, struct record_item *item, const void *data,
		      size_t size)
{
	size_t need = whole(size);
	bool fits;

	item->size = (uint32_t)need;
	pthread_mutex_lock(&queue->lock);
	fits = queue->room - queue->length >= need;
	if (fits) {
		char *to = queue->fill + queue->length;

		memcpy(to, item, sizeof(*item));
		if (size)
			memcpy(to + sizeof(*item), data, size);
		memset(to + sizeof(*item) + size, 0, need - sizeof(*item) - size);
		queue->length += need;
		queue->items++;
	} else {
		queue->dropped++;
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

size_t record_queue_take(struct record_queue *queue, const char **items)
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
	*items = full;
	return length;
}

uint64_t record_queue_items(struct record_queue *queue, uint64_t *dropped)
{
	uint64_t items;

	pthread_mutex_lock(&queue->lock);
	items = queue->items;
	*dropped = queue->dropped;
	pthread_mutex_unlock(&queue->lock);
	return items;
}
