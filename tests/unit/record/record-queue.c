// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record/queue/record_queue.h"
#include "tap.h"

#define RECORDS	200000u

static size_t walk(const char *records, size_t length, uint64_t *next, bool *is_in_order)
{
	size_t n = 0;

	for (size_t offset = 0; offset < length; n++) {
		const struct record *record = (const struct record *)(records + offset);

		*is_in_order = *is_in_order && record->begin >= *next &&
			       !memcmp(record + 1, &record->begin, sizeof(record->begin));
		*next = record->begin + 1;
		offset += record->size;
	}
	return n;
}

static void bounds(void)
{
	const size_t whole = sizeof(struct record) + 8;
	struct record record = { .type = 3, .process = 4, .begin = 1 };
	struct record_queue queue;
	uint64_t dropped, records;
	const char *data;
	size_t length;

	ok(!record_queue_init(&queue, 2 * whole + 7),
	   "queue: it is created with room for two records");
	ok(record_queue_put(&queue, &record, "12345", 5) && record_queue_has_room(&queue, 8) &&
	   record_queue_put(&queue, &record, "12345678", 8), "queue: two records fit");
	ok(!record_queue_has_room(&queue, 0) && !record_queue_put(&queue, &record, "1", 1) &&
	   !record_queue_put(&queue, &record, NULL, 0),
	   "queue: further records are refused and dropped");
	records = record_queue_count(&queue, &dropped);
	ok(records == 2 && dropped == 2, "queue: the numbers of records put and dropped are exact");
	length = record_queue_take(&queue, &data);
	ok(length == 2 * whole && ((const struct record *)data)->type == 3 &&
	   !memcmp(data + sizeof(record), "12345\0\0\0", 8),
	   "queue: records are taken with their data padded by zeros");
	ok(record_queue_put(&queue, &record, "1", 1),
	   "queue: there is room again while taken records are in use");
	record_queue_release(&queue);
}

/* Fills the queue with @max bytes of records. Returns their number. */
static size_t burst(struct record_queue *queue, size_t max)
{
	static const char data[64 << 10];
	struct record record = { .type = 3 };
	size_t n = 0;

	while (queue->fill.length < max && record_queue_put(queue, &record, data, sizeof(data)))
		n++;
	return n;
}

static void memory(void)
{
	const size_t max = 16 * RECORD_QUEUE_MIN;
	struct record_queue queue;
	const char *data;
	uint64_t dropped;
	size_t n;

	ok(!record_queue_init(&queue, SIZE_MAX / 4) && queue.fill.room == RECORD_QUEUE_MIN,
	   "queue: memory for a limit larger than the address space is not allocated in advance");
	n = burst(&queue, max);
	ok(record_queue_take(&queue, &data) >= max && record_queue_count(&queue, &dropped) == n && !dropped,
	   "queue: a buffer grows with a burst of records, and drops none");
	for (int i = 0; i < 20; i++)
		record_queue_take(&queue, &data);
	ok(queue.fill.room == RECORD_QUEUE_MIN && queue.look.room == RECORD_QUEUE_MIN,
	   "queue: both buffers have their first size again some time after a burst");
	record_queue_release(&queue);
	record_queue_init(&queue, max - 1);
	ok(burst(&queue, max) < n && queue.fill.room == max - 1,
	   "queue: a buffer does not grow beyond its limit");
	record_queue_release(&queue);
}

static void *produce(void *data)
{
	struct record_queue *queue = data;

	for (uint64_t i = 0; i < RECORDS; i++) {
		struct record record = { .begin = i };

		record_queue_put(queue, &record, &i, sizeof(i));
	}
	return NULL;
}

/* Either side is faster at times: no record is torn, and each one is taken or counted as dropped. */
static void threads(void)
{
	uint64_t next = 0, dropped, taken = 0;
	struct record_queue queue;
	bool is_in_order = true;
	pthread_t thread;
	const char *data;
	size_t length;

	record_queue_init(&queue, 4096);
	pthread_create(&thread, NULL, produce, &queue);
	while (record_queue_count(&queue, &dropped) + dropped < RECORDS) {
		length = record_queue_take(&queue, &data);
		taken += walk(data, length, &next, &is_in_order);
	}
	pthread_join(thread, NULL);
	length = record_queue_take(&queue, &data);
	taken += walk(data, length, &next, &is_in_order);
	ok(record_queue_count(&queue, &dropped) == taken && taken + dropped == RECORDS,
	   "queue: each of another thread's 200,000 records is taken or counted as dropped");
	ok(is_in_order, "queue: all records taken are whole and in order");
	diag("%" PRIu64 " dropped", dropped);
	record_queue_release(&queue);
}

int main(void)
{
	bounds();
	memory();
	threads();
	return done_testing();
}
