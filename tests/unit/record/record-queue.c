// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record/record_queue.h"
#include "tap.h"

#define ITEMS	200000u

static size_t walk(const char *items, size_t length, uint64_t *next, bool *in_order)
{
	size_t n = 0;

	for (size_t at = 0; at < length; n++) {
		const struct record_item *item = (const struct record_item *)(items + at);

		*in_order = *in_order && item->begin >= *next &&
			    !memcmp(item + 1, &item->begin, sizeof(item->begin));
		*next = item->begin + 1;
		at += item->size;
	}
	return n;
}

static void bounds(void)
{
	const size_t whole = sizeof(struct record_item) + 8;
	struct record_item item = { .kind = 3, .of = 4, .begin = 1 };
	struct record_queue queue;
	uint64_t dropped, items;
	const char *data;
	size_t length;

	ok(!record_queue_init(&queue, 2 * whole + 7),
	   "queue: it is created with room for two items");
	ok(record_queue_put(&queue, &item, "12345", 5) && record_queue_has_room(&queue, 8) &&
	   record_queue_put(&queue, &item, "12345678", 8), "queue: two items fit");
	ok(!record_queue_has_room(&queue, 0) && !record_queue_put(&queue, &item, "1", 1) &&
	   !record_queue_put(&queue, &item, NULL, 0),
	   "queue: further items are refused and dropped");
	items = record_queue_items(&queue, &dropped);
	ok(items == 2 && dropped == 2, "queue: the numbers of items put and dropped are exact");
	length = record_queue_take(&queue, &data);
	ok(length == 2 * whole && ((const struct record_item *)data)->kind == 3 &&
	   !memcmp(data + sizeof(item), "12345\0\0\0", 8),
	   "queue: items are taken with their data padded by zeros");
	ok(record_queue_put(&queue, &item, "1", 1),
	   "queue: there is room again while taken items are in use");
	record_queue_release(&queue);
}

static void *produce(void *data)
{
	struct record_queue *queue = data;

	for (uint64_t i = 0; i < ITEMS; i++) {
		struct record_item item = { .begin = i };

		record_queue_put(queue, &item, &i, sizeof(i));
	}
	return NULL;
}

/* Either side is faster at times: no item is torn, and each one is taken or counted as dropped. */
static void threads(void)
{
	uint64_t next = 0, dropped, taken = 0;
	struct record_queue queue;
	bool in_order = true;
	pthread_t thread;
	const char *data;
	size_t length;

	record_queue_init(&queue, 4096);
	pthread_create(&thread, NULL, produce, &queue);
	while (record_queue_items(&queue, &dropped) + dropped < ITEMS) {
		length = record_queue_take(&queue, &data);
		taken += walk(data, length, &next, &in_order);
	}
	pthread_join(thread, NULL);
	length = record_queue_take(&queue, &data);
	taken += walk(data, length, &next, &in_order);
	ok(record_queue_items(&queue, &dropped) == taken && taken + dropped == ITEMS,
	   "queue: each of another thread's 200,000 items is taken or counted as dropped");
	ok(in_order, "queue: all items taken are whole and in order");
	diag("%" PRIu64 " dropped", dropped);
	record_queue_release(&queue);
}

int main(void)
{
	bounds();
	threads();
	return done_testing();
}
