// SPDX-License-Identifier: LGPL-2.1-or-later
/* Drains the queues of all sources, sorts the items and writes them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/raw_clock.h"
#include "record/record.h"

#define LOOK_EACH	5		/* ms */
#define FLUSH_EACH	1000000000ULL	/* ns */

static const void *data_of(const struct record_item *item)
{
	return item + 1;
}

/*
 * Notes an error. After -ENOMEM for one record the recording continues; a failed write
 * ends it.
 */
static void note(struct gpmu_record *record, int ret)
{
	if (ret == -ENOMEM)
		record->no_memory++;
	else if (ret && !record->failed)
		record->failed = ret;
}

static int add_process(struct gpmu_record *record)
{
	int *streams = list_room(record->streams, record->n_streams, sizeof(*streams));
	int stream, ret;

	if (!streams)
		return -ENOMEM;
	record->streams = streams;
	stream = record_merge_open(&record->merge, raw_clock_now());
	if (stream < 0)
		return stream;
	ret = record_map_process(&record->map);
	if (ret < 0)
		return ret;
	streams[record->n_streams++] = stream;
	return 0;
}

static int source_stream(struct gpmu_record *record, enum record_source source)
{
	int *stream = &record->source_streams[source];

	if (*stream < 0)
		*stream = record_merge_open(&record->merge, raw_clock_now());
	return *stream;
}

static int take_activity(struct gpmu_record *record, struct record_item *item)
{
	const struct activity_head *of = data_of(item);
	int ret;

	if (of->kind == ACTIVITY_COMPLETE) {
		record_merge_mark(&record->merge, record->streams[item->of],
				  ((const struct activity_complete *)data_of(item))->time,
				  raw_clock_now());
		return 0;
	}
	ret = record_map_early(&record->map, item->of, of);
	if (ret <= 0)
		return ret;
	{
		struct record_span span = record_map_span(of);

		item->begin = span.begin;
		item->end = span.end;
	}
	return record_merge_add(&record->merge, item, record->streams[item->of]);
}

static int take_end(struct gpmu_record *record, const struct record_item *item)
{
	uint32_t how;

	memcpy(&how, data_of(item), sizeof(how));
	record_merge_close(&record->merge, record->streams[item->of]);
	record->map.processes[item->of]->end = how;
	return 0;
}

static int take(struct gpmu_record *record, enum record_source source, struct record_item *item)
{
	int stream;

	switch (item->kind) {
	case RECORD_NEW:
		return add_process(record);
	case RECORD_ACTIVITY:
		return item->of < record->n_streams ? take_activity(record, item) : -ENOMEM;
	case RECORD_ENDED:
		return item->of < record->n_streams ? take_end(record, item) : -ENOMEM;
	case RECORD_COUNTER:
		return record_map_counter(&record->map, data_of(item));
	case RECORD_LOST:
		record->source_lost[source] += *(const uint64_t *)data_of(item);
		return 0;
	}
	stream = source_stream(record, source);
	if (stream < 0)
		return stream;
	if (item->kind != RECORD_MARK) {
		record->source_records[source]++;
		return record_merge_add(&record->merge, item, stream);
	}
	record_merge_mark(&record->merge, stream, item->begin, raw_clock_now());
	return 0;
}

static bool take_all(struct gpmu_record *record)
{
	bool any = false;

	for (int source = 0; source < RECORD_SOURCES; source++) {
		const char *items;
		size_t length = record_queue_take(&record->queues[source], &items), at = 0;

		any = any || length;
		while (at < length && !record->failed) {
			/* Points into the queue's buffer, valid until the next drain. */
			struct record_item *item = (struct record_item *)(items + at);

			note(record, take(record, source, item));
			at += item->size;
		}
	}
	return any;
}

static struct record_span window_of(const struct gpmu_record *record)
{
	return (struct record_span){ record->begin, record->end };
}

static int put(struct gpmu_record *record, const struct record_item *item)
{
	struct record_span span = { item->begin, item->end };

	switch (item->kind) {
	case RECORD_ACTIVITY:
		return record_map_event(&record->map, item->of, data_of(item));
	case RECORD_VALUE:
		return record_map_value(&record->map, span, data_of(item));
	case RECORD_SWITCH:
		return record_map_switch(&record->map, item->begin, data_of(item));
	case RECORD_TASK:
		return record_map_task(&record->map, item->begin, window_of(record), data_of(item));
	default:
		return 0;
	}
}

static void put_until(struct gpmu_record *record, uint64_t bound)
{
	struct record_item *item;

	while (!record->failed && (item = record_merge_next(&record->merge, bound))) {
		int ret = put(record, item);

		free(item);
		if (!ret)
			ret = record_file_trim(&record->file, record->trace, record->path);
		note(record, ret);
	}
}

static void flush_now_and_then(struct gpmu_record *record, uint64_t now)
{
	if (now < record->flushed + FLUSH_EACH)
		return;
	record->flushed = now;
	note(record, record_file_begin(&record->file));
	note(record, gpmu_trace_flush(record->trace, NULL));
}

void *record_write_run(void *data)
{
	struct gpmu_record *record = data;
	bool last = false;

	while (!last) {
		uint64_t now;

		/*
		 * Read the flag before draining: items that readers queued before they
		 * ended are then drained.
		 */
		last = atomic_load(&record->written);
		if (!take_all(record) && !last)
			poll(NULL, 0, LOOK_EACH);
		now = raw_clock_now();
		put_until(record, last ? UINT64_MAX :
			  record_merge_bound(&record->merge, now - RECORD_PATIENCE));
		flush_now_and_then(record, now);
	}
	if (!record->failed)
		note(record, record_map_tasks_begin(&record->map, window_of(record)));
	if (!record->failed)
		note(record, record_map_end(&record->map));
	return NULL;
}
