// SPDX-License-Identifier: LGPL-2.1-or-later
/* Drains the queues of all sources, sorts the records and writes them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "base/raw_clock.h"
#include "record/recorder.h"
#include "trace/trace.h"

#define POLL_EACH	5		/* ms */
#define FLUSH_EACH	1000000000ULL	/* ns */

static const void *data_of(const struct record *record)
{
	return record + 1;
}

/*
 * Keeps an error. After -ENOMEM for one record the recording continues; a failed write
 * ends it.
 */
static void note_error(struct gpmu_recorder *recorder, int ret)
{
	if (ret == -ENOMEM)
		recorder->no_memory_count++;
	else if (ret && !recorder->failed)
		recorder->failed = ret;
}

static int add_process(struct gpmu_recorder *recorder)
{
	int stream, ret, *added;

	stream = record_merge_open(&recorder->merge, raw_clock_now());
	if (stream < 0)
		return stream;
	ret = record_map_process(&recorder->map);
	if (ret < 0)
		return ret;
	added = vector_append(recorder->streams, recorder->stream_count);
	if (!added)
		return -ENOMEM;
	*added = stream;
	return 0;
}

static int source_stream(struct gpmu_recorder *recorder, enum recorder_source source)
{
	int *stream = &recorder->source_streams[source];

	if (*stream < 0)
		*stream = record_merge_open(&recorder->merge, raw_clock_now());
	return *stream;
}

static void take_complete(struct gpmu_recorder *recorder, const struct record *record)
{
	const struct activity_complete *complete = data_of(record);

	record_merge_mark(&recorder->merge, recorder->streams[record->process], complete->time,
			  raw_clock_now());
	recorder->map.processes[record->process]->memory = complete->memory;
}

static int take_activity(struct gpmu_recorder *recorder, struct record *record)
{
	const struct activity_head *head = data_of(record);
	struct record_span span;
	int ret;

	if (head->kind == ACTIVITY_COMPLETE) {
		take_complete(recorder, record);
		return 0;
	}
	ret = record_map_early(&recorder->map, record->process, head);
	if (ret <= 0)
		return ret;
	span = record_map_span(head);
	record->begin = span.begin;
	record->end = span.end;
	return record_merge_add(&recorder->merge, record, recorder->streams[record->process]);
}

static int take_end(struct gpmu_recorder *recorder, const struct record *record)
{
	uint32_t how;

	memcpy(&how, data_of(record), sizeof(how));
	record_merge_close(&recorder->merge, recorder->streams[record->process]);
	recorder->map.processes[record->process]->end = how;
	recorder->map.processes[record->process]->end_time = record->end;
	record_balance_end(recorder->map.processes[record->process]);
	record_pcs_balance(recorder->map.processes[record->process]);
	return 0;
}

/* A process that could not be added for lack of memory has no stream. */
static bool has_process(const struct gpmu_recorder *recorder, const struct record *record)
{
	return record->process < recorder->stream_count;
}

static int take(struct gpmu_recorder *recorder, enum recorder_source source, struct record *record)
{
	const struct record_kernel_lost *lost;
	int stream;

	switch (record->type) {
	case RECORD_PROCESS:
		return add_process(recorder);
	case RECORD_ACTIVITY:
		return has_process(recorder, record) ? take_activity(recorder, record) : -ENOMEM;
	case RECORD_END:
		return has_process(recorder, record) ? take_end(recorder, record) : -ENOMEM;
	case RECORD_COUNTER:
		return record_map_counter(&recorder->map, data_of(record));
	case RECORD_LOST:
		lost = data_of(record);
		recorder->source_lost_count[source][lost->why] += lost->count;
		return 0;
	}
	stream = source_stream(recorder, source);
	if (stream < 0)
		return stream;
	if (record->type != RECORD_MARK) {
		recorder->source_record_count[source]++;
		return record_merge_add(&recorder->merge, record, stream);
	}
	record_merge_mark(&recorder->merge, stream, record->begin, raw_clock_now());
	return 0;
}

/* Returns whether the record is one that statistics count. */
static bool is_event(const struct record *record)
{
	const struct activity_head *head = data_of(record);

	return record->type == RECORD_VALUE || record->type == RECORD_SWITCH ||
	       record->type == RECORD_TASK || record->type == RECORD_SPE ||
	       record->type == RECORD_RAW ||
	       (record->type == RECORD_ACTIVITY && head->kind >= ACTIVITY_KERNEL);
}

static bool take_all(struct gpmu_recorder *recorder)
{
	bool has_any = false;

	for (int source = 0; source < RECORDER_SOURCES; source++) {
		const char *records;
		size_t length = record_queue_take(&recorder->queues[source], &records), offset = 0;

		has_any = has_any || length;
		while (offset < length) {
			/* Points into the queue's buffer, valid until the next drain. */
			struct record *record = (struct record *)(records + offset);

			if (recorder->failed)
				recorder->unwritten_count += is_event(record);
			else
				note_error(recorder, take(recorder, source, record));
			offset += record->size;
		}
	}
	return has_any;
}

static int put(struct gpmu_recorder *recorder, const struct record *record)
{
	struct record_span span = { record->begin, record->end };

	switch (record->type) {
	case RECORD_ACTIVITY:
		return record_map_event(&recorder->map, record->process, data_of(record));
	case RECORD_VALUE:
		return record_map_value(&recorder->map, span, data_of(record));
	case RECORD_SWITCH:
		return record_map_switch(&recorder->map, record->begin, record_window_get(&recorder->window).begin,
					 data_of(record));
	case RECORD_SPE:
		return record_map_sample(&recorder->map, record->begin, data_of(record));
	case RECORD_RAW:
		return record_map_raw(&recorder->map, data_of(record), record->size - sizeof(*record));
	case RECORD_TASK:
		return record_map_task(&recorder->map, record->begin,
				       record_window_get(&recorder->window), data_of(record));
	default:
		return 0;
	}
}

/* Notes the size of the trace up to the end of a record. Without memory for it, a failed write counts the record as lost. */
static void note_end(struct gpmu_recorder *recorder)
{
	uint64_t *end = vector_append(recorder->ends, recorder->end_count);

	if (end)
		*end = recorder->trace->written + recorder->trace->out.length;
}

void recorder_count_written(struct gpmu_recorder *recorder)
{
	size_t n = 0;

	while (n < recorder->end_count && recorder->ends[n] <= recorder->trace->written)
		n++;
	if (!n)
		return;
	recorder->safe_count += n;
	recorder->end_count -= n;
	memmove(recorder->ends, recorder->ends + n, recorder->end_count * sizeof(*recorder->ends));
}

static void put_until(struct gpmu_recorder *recorder, uint64_t bound)
{
	const struct record *record;

	while ((record = record_merge_next(&recorder->merge, bound))) {
		const uint64_t written = recorder->trace->written;
		int ret;

		if (recorder->failed) {
			recorder->unwritten_count++;
			continue;
		}
		ret = put(recorder, record);
		if (!ret)
			ret = recorder_file_trim(&recorder->file, recorder->trace);
		recorder->put_count++;
		note_error(recorder, ret);
		if (!ret)
			note_end(recorder);
		if (recorder->trace->written != written)
			recorder_count_written(recorder);
	}
}

static void flush_now_and_then(struct gpmu_recorder *recorder, uint64_t now)
{
	if (now < recorder->flushed + FLUSH_EACH)
		return;
	recorder->flushed = now;
	note_error(recorder, recorder_file_begin(&recorder->file));
	note_error(recorder, gpmu_trace_flush(recorder->trace, NULL));
	recorder_count_written(recorder);
}

void *recorder_write_run(void *data)
{
	struct gpmu_recorder *recorder = data;
	bool is_last = false;

	while (!is_last) {
		uint64_t now;

		/*
		 * Read the flag before draining: records that readers queued before they
		 * ended are then drained.
		 */
		is_last = atomic_load(&recorder->written);
		if (!take_all(recorder) && !is_last)
			poll(NULL, 0, POLL_EACH);
		now = raw_clock_now();
		put_until(recorder, is_last ? UINT64_MAX :
			  record_merge_bound(&recorder->merge, now - RECORDER_PATIENCE));
		flush_now_and_then(recorder, now);
		recorder_stats_publish(recorder);
	}
	if (!recorder->failed)
		note_error(recorder, record_map_tasks_begin(&recorder->map,
							    record_window_get(&recorder->window)));
	if (!recorder->failed)
		note_error(recorder, record_map_tasks_end(&recorder->map,
							  record_window_get(&recorder->window)));
	if (!recorder->failed)
		note_error(recorder, record_map_end(&recorder->map));
	return NULL;
}
