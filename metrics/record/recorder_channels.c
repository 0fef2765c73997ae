// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the channels of all processes. Records for which the queue has no room remain in
 * their channel. When a channel is full, its writer drops records, counts them and reports
 * the number.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vector.h"
#include "base/raw_clock.h"
#include "record/recorder.h"

#define POLL_MIN	1	/* ms, once channels are empty, or the queue is full */
#define POLL_MAX	20
#define LAG		100000000ULL	/* ns from taking the time of a region's record to writing it */
#define BATCH		4096	/* records of one process before the next process is served */

struct recorder_channel {
	pid_t pid;
	struct channel_reader *reader;	/* NULL: the channel has ended */
	uint32_t process;
	bool has_regions;	/* written by libgpmu-mark.so */
	bool has_rest;		/* the last look left records in it */
	uint64_t complete;	/* latest ACTIVITY_COMPLETE time */
	uint64_t end;		/* when its process was first seen to have ended; 0: not yet */
};

/* Each channel needs a file descriptor. gpmu_recorder_free() restores the limit. */
void recorder_channels_start(struct gpmu_recorder *recorder)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	recorder->files = limit;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		recorder->files = (struct rlimit){ 0 };
}

void recorder_channels_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < recorder->channel_count; i++)
		if (recorder->channels[i].reader)
			channel_reader_free(recorder->channels[i].reader);
	free(recorder->channels);
	if (recorder->files.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &recorder->files);
}

static struct record_queue *queue_of(struct gpmu_recorder *recorder)
{
	return &recorder->queues[RECORDER_CHANNELS];
}

/* Queues a record that everything else depends on; waits for room. */
static void put_surely(struct gpmu_recorder *recorder, enum record_type type,
		       const struct recorder_channel *channel, const void *data, size_t size)
{
	struct record record = { .type = type, .process = channel->process, .begin = channel->end, .end = channel->end };

	while (!record_queue_has_room(queue_of(recorder), size))
		poll(NULL, 0, POLL_MIN);
	record_queue_put(queue_of(recorder), &record, data, size);
}

static int add_channel(struct gpmu_recorder *recorder, pid_t pid, int fd)
{
	struct recorder_channel *added = vector_append(recorder->channels, recorder->channel_count);
	struct recorder_channel channel = { .pid = pid, .process = recorder->process_count };

	if (!added) {
		close(fd);
		return -ENOMEM;
	}
	channel.reader = channel_reader_new(fd);
	if (!channel.reader) {
		recorder->channel_count--;
		return -errno;
	}
	*added = channel;
	recorder->process_count++;
	put_surely(recorder, RECORD_PROCESS, &channel, NULL, 0);
	return 0;
}

/* Queues the numbers of calls, after all records of the channel. */
static void put_calls(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	struct activity_calls calls;

	if (!channel_read_calls(channel->reader, &calls))
		return;
	calls.from = channel->complete ? channel->complete : record_window_get(&recorder->window).begin;
	calls.to = channel->end ? channel->end : raw_clock_now();
	put_surely(recorder, RECORD_ACTIVITY, channel, &calls, sizeof(calls));
}

static void end_channel(struct gpmu_recorder *recorder, struct recorder_channel *channel,
			uint32_t how)
{
	put_calls(recorder, channel);
	put_surely(recorder, RECORD_END, channel, &how, sizeof(how));
	channel_reader_free(channel->reader);
	channel->reader = NULL;
}

/* Returns 1 if more records may follow, 0 if the channel is drained, or -errno. */
static int drain(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	const struct activity_head *head;
	size_t max = RECORDER_RING / 4;
	int ret = 1;

	for (int i = 0; i < BATCH; i++) {
		struct record record = { .type = RECORD_ACTIVITY, .process = channel->process };

		if (!record_queue_has_room(queue_of(recorder), max))
			return 1;
		ret = channel_read(channel->reader, &head);
		if (ret <= 0)
			return ret;
		if (head->kind == ACTIVITY_PROCESS)
			channel->has_regions = head->flags & ACTIVITY_PROCESS_REGIONS;
		if (head->kind == ACTIVITY_COMPLETE)
			channel->complete =
				((const struct activity_complete *)(const void *)head)->time;
		record_queue_put(queue_of(recorder), &record, head, head->size);
	}
	return ret;
}

/*
 * libgpmu-mark.so has no thread that reports what is complete. All records that are older than LAG
 * have arrived in a channel that was empty after @time; a later one is written late.
 */
static void complete_regions(struct gpmu_recorder *recorder, struct recorder_channel *channel,
			     uint64_t time)
{
	const struct activity_complete complete = {
		.head = { .size = sizeof(complete), .kind = ACTIVITY_COMPLETE },
		.time = time - LAG,
	};
	struct record record = { .type = RECORD_ACTIVITY, .process = channel->process };

	if (complete.time < channel->complete + LAG / 2 ||
	    !record_queue_has_room(queue_of(recorder), sizeof(complete)))
		return;
	channel->complete = complete.time;
	record_queue_put(queue_of(recorder), &record, &complete, sizeof(complete));
}

/* Returns whether any records arrived. */
static bool drain_all(struct gpmu_recorder *recorder)
{
	bool is_busy = false;

	for (size_t i = 0; i < recorder->channel_count; i++) {
		struct recorder_channel *channel = &recorder->channels[i];
		uint64_t now;
		bool has_ended;
		int ret;

		if (!channel->reader)
			continue;
		now = raw_clock_now();
		/*
		 * Check first: all that the process wrote before its end is then in the
		 * channel.
		 */
		has_ended = channel_has_ended(channel->reader);
		if (has_ended && !channel->end)
			channel->end = raw_clock_now();
		ret = drain(recorder, channel);
		channel->has_rest = ret == 1 || ret == -ENOMEM;
		is_busy = is_busy || ret == 1;
		if (!ret && channel->has_regions)
			complete_regions(recorder, channel, now);
		if (ret == -EBADMSG)
			recorder_refuse(recorder, channel->pid, "is not recorded to its end",
					"its channel has invalid data");
		if (ret < 0 && ret != -ENOMEM)
			end_channel(recorder, channel, RECORD_VANISHED);
		else if (!ret && has_ended)
			end_channel(recorder, channel, channel_is_closed(channel->reader) ?
				    RECORD_CLOSED : RECORD_VANISHED);
	}
	return is_busy;
}

/* Returns whether each live process has reported that its records up to the end are complete. */
static bool is_complete(struct gpmu_recorder *recorder)
{
	const uint64_t end = record_window_get(&recorder->window).end;

	for (size_t i = 0; i < recorder->channel_count; i++)
		if (recorder->channels[i].reader && recorder->channels[i].complete < end)
			return false;
	return true;
}

/* ms until the next look at channels that were empty */
static int next_wait(int wait)
{
	if (wait < POLL_MIN)
		return POLL_MIN;
	return wait < POLL_MAX / 2 ? wait * 2 : POLL_MAX;
}

/* Counts the records that are in the channel when gpmu does not wait any longer. */
static void lose_rest(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	struct activity_lost lost[ACTIVITY_KINDS] = { 0 };
	const struct activity_head *head;

	for (size_t bytes = 0; bytes < RECORDER_RING && channel_read(channel->reader, &head) == 1; bytes += head->size) {
		struct activity_lost *by_kind = &lost[head->kind];
		struct record_span span = { 0, 0 };

		if (head->kind == ACTIVITY_LOST)
			put_surely(recorder, RECORD_ACTIVITY, channel, head, head->size);
		if (head->kind == ACTIVITY_LOST || head->kind == ACTIVITY_NAME || head->kind == ACTIVITY_COMPLETE)
			continue;
		if (record_map_has_span(head))
			span = record_map_span(head);
		if (!by_kind->count++ || span.begin < by_kind->from)
			by_kind->from = span.begin;
		if (span.end > by_kind->to)
			by_kind->to = span.end;
	}
	for (uint32_t kind = 0; kind < ACTIVITY_KINDS; kind++) {
		lost[kind].head = (struct activity_head){ sizeof(lost[kind]), ACTIVITY_LOST, 0 };
		lost[kind].why = ACTIVITY_LOST_CHANNEL;
		lost[kind].kind = kind;
		if (lost[kind].count)
			put_surely(recorder, RECORD_ACTIVITY, channel, &lost[kind], sizeof(lost[kind]));
	}
}

/*
 * Reads channels that appear with the last scan: they are of late processes, or could not be opened
 * before. No later look follows, so channels that still have records are reported.
 */
static void drain_last(struct gpmu_recorder *recorder)
{
	uint64_t until;

	recorder_peers_serve(recorder, 0, add_channel);
	until = raw_clock_now() + RECORDER_LAST;
	while (drain_all(recorder) && raw_clock_now() < until)
		if (!record_queue_has_room(queue_of(recorder), RECORDER_RING / 4))
			poll(NULL, 0, POLL_MIN);
	for (size_t i = 0; i < recorder->channel_count; i++) {
		struct recorder_channel *channel = &recorder->channels[i];

		if (channel->has_rest) {
			lose_rest(recorder, channel);
			recorder_refuse(recorder, channel->pid, "is not recorded to its end",
					"gpmu could not read its records in time");
		}
		if (channel->reader)
			put_calls(recorder, channel);
	}
}

void *recorder_channels_run(void *data)
{
	struct gpmu_recorder *recorder = data;
	uint64_t until = 0, last = 0;
	int wait = POLL_MIN;

	channel_hold(recorder->control);
	for (;;) {
		/* Read the flag before the last look at the peers, so that it misses none. */
		bool is_ending = atomic_load(&recorder->ending), is_busy, has_peers;

		recorder_peers_serve(recorder, wait, add_channel);
		is_busy = drain_all(recorder);
		if (is_busy)
			wait = record_queue_has_room(queue_of(recorder), RECORDER_RING / 4) ? 0 : POLL_MIN;
		else
			wait = next_wait(wait);
		if (!is_ending)
			continue;
		has_peers = recorder_has_peers(recorder);
		if (!until)
			last = raw_clock_now() + RECORDER_LAST_MAX;
		/* A slow disk may have filled the queue: records in transit find room little by little. */
		if (!until || is_busy || has_peers)
			until = raw_clock_now() + RECORDER_LAST;
		if (raw_clock_now() > (until < last ? until : last) ||
		    (!is_busy && !has_peers && is_complete(recorder)))
			break;
	}
	drain_last(recorder);
	__atomic_store_n(&recorder->control->closed, 1, __ATOMIC_RELAXED);
	recorder_peers_end(recorder);
	return NULL;
}
