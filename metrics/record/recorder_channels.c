// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the channels of all processes. Records for which the queue has no room remain in
 * their channel. When a channel is full, its writer drops records, counts them and reports
 * the number.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vector.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "record/recorder.h"

#define POLL_LEAST	1	/* ms, while records arrive */
#define POLL_MOST	20
#define BATCH		4096	/* records of one process before the next process is served */

struct recorder_channel {
	char *name;		/* of the channel's file */
	struct channel_reader *reader;	/* NULL: the channel has ended */
	uint32_t process;
	uint64_t complete;	/* latest ACTIVITY_COMPLETE time */
};

int recorder_channels_start(struct gpmu_recorder *recorder)
{
	recorder->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (recorder->watch < 0)
		return -errno;
	/* A channel's file is linked under its name once it is complete. */
	return inotify_add_watch(recorder->watch, recorder->folder, IN_CREATE | IN_MOVED_TO) < 0 ?
	       -errno : 0;
}

void recorder_channels_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < recorder->channel_count; i++) {
		free(recorder->channels[i].name);
		if (recorder->channels[i].reader)
			channel_reader_free(recorder->channels[i].reader);
	}
	free(recorder->channels);
	if (recorder->watch >= 0)
		close(recorder->watch);
}

static struct record_queue *queue_of(struct gpmu_recorder *recorder)
{
	return &recorder->queues[RECORDER_CHANNELS];
}

/* Queues a record that everything else depends on; waits for room. */
static void put_surely(struct gpmu_recorder *recorder, enum record_type type, uint32_t process,
		       const void *data, size_t size)
{
	struct record record = { .type = type, .process = process };

	while (!record_queue_has_room(queue_of(recorder), size))
		poll(NULL, 0, POLL_LEAST);
	record_queue_put(queue_of(recorder), &record, data, size);
}

static bool is_known(const struct gpmu_recorder *recorder, const char *name)
{
	for (size_t i = 0; i < recorder->channel_count; i++)
		if (!strcmp(recorder->channels[i].name, name))
			return true;
	return false;
}

static void open_channel(struct gpmu_recorder *recorder, const char *name)
{
	struct recorder_channel *channels = vector_room(recorder->channels, recorder->channel_count,
						      sizeof(*channels));
	char *path = text_print("%s/%s", recorder->folder, name);
	struct recorder_channel channel = { .process = recorder->process_count };

	if (!channels) {
		free(path);
		return;
	}
	recorder->channels = channels;
	errno = ENOMEM;
	channel.reader = path ? channel_reader_new(path) : NULL;
	if (!channel.reader && errno != EBADMSG) {
		/* The next scan of the folder retries. */
		free(path);
		return;
	}
	channel.name = strdup(name);
	if (!channel.reader)
		log_line(GPMU_LOG_WARNING, "%s: it is no channel of this gpmu's version; is "
			 "libgpmu-inject.so another one's?", path);
	free(path);
	if (!channel.name) {
		if (channel.reader)
			channel_reader_free(channel.reader);
		return;
	}
	channels[recorder->channel_count++] = channel;
	if (!channel.reader)
		return;
	recorder->process_count++;
	put_surely(recorder, RECORD_PROCESS, channel.process, NULL, 0);
}

/* Scans the folder for new files PID.N. */
static void scan_folder(struct gpmu_recorder *recorder)
{
	DIR *dir = opendir(recorder->folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && !is_known(recorder, entry->d_name))
			open_channel(recorder, entry->d_name);
	if (dir)
		closedir(dir);
}

static bool folder_changed(const struct gpmu_recorder *recorder)
{
	char events[4096];
	bool changed = false;

	while (read(recorder->watch, events, sizeof(events)) > 0)
		changed = true;
	return changed;
}

static void end_channel(struct gpmu_recorder *recorder, struct recorder_channel *channel,
			uint32_t how)
{
	put_surely(recorder, RECORD_END, channel->process, &how, sizeof(how));
	channel_reader_free(channel->reader);
	channel->reader = NULL;
}

/* Returns 1 if more records may follow, 0 if the channel is drained, or -errno. */
static int drain(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	const struct activity_head *of;
	size_t most = RECORDER_RING / 4;
	int ret = 1;

	for (int i = 0; i < BATCH; i++) {
		struct record record = { .type = RECORD_ACTIVITY, .process = channel->process };

		if (!record_queue_has_room(queue_of(recorder), most))
			return 1;
		ret = channel_read(channel->reader, &of);
		if (ret <= 0)
			return ret;
		if (of->kind == ACTIVITY_COMPLETE)
			channel->complete = ((const struct activity_complete *)(const void *)of)->time;
		record_queue_put(queue_of(recorder), &record, of, of->size);
	}
	return ret;
}

/* Whether any records arrived */
static bool drain_all(struct gpmu_recorder *recorder)
{
	bool busy = false;

	for (size_t i = 0; i < recorder->channel_count; i++) {
		struct recorder_channel *channel = &recorder->channels[i];
		bool ended;
		int ret;

		if (!channel->reader)
			continue;
		/*
		 * Check first: all that the process wrote before its end is then in the
		 * channel.
		 */
		ended = channel_has_ended(channel->reader);
		ret = drain(recorder, channel);
		busy = busy || ret == 1;
		if (ret == -EBADMSG)
			log_line(GPMU_LOG_WARNING, "%s/%s: what follows makes no sense, and is not "
				 "recorded", recorder->folder, channel->name);
		if (ret < 0 && ret != -ENOMEM)
			end_channel(recorder, channel, RECORD_VANISHED);
		else if (!ret && ended)
			end_channel(recorder, channel, channel_is_closed(channel->reader) ?
				    RECORD_CLOSED : RECORD_VANISHED);
	}
	return busy;
}

/* Whether each live process has reported that its records up to the end are complete */
static bool is_complete(struct gpmu_recorder *recorder)
{
	const uint64_t end = record_window_get(&recorder->window).end;

	for (size_t i = 0; i < recorder->channel_count; i++)
		if (recorder->channels[i].reader && recorder->channels[i].complete < end)
			return false;
	return true;
}

void *recorder_channels_run(void *data)
{
	struct gpmu_recorder *recorder = data;
	struct pollfd watch = { .fd = recorder->watch, .events = POLLIN };
	uint64_t until = 0;
	int wait = POLL_LEAST;

	channel_hold(recorder->control);
	scan_folder(recorder);
	for (;;) {
		/* Read the flag before the last scan, so that the scan misses nothing. */
		bool ending = atomic_load(&recorder->ending), busy;

		if (poll(&watch, 1, wait) > 0 && folder_changed(recorder))
			scan_folder(recorder);
		busy = drain_all(recorder);
		wait = busy ? POLL_LEAST : wait < POLL_MOST / 2 ? wait * 2 : POLL_MOST;
		if (!ending)
			continue;
		if (!until)
			until = raw_clock_now() + RECORDER_LAST;
		if ((!busy && is_complete(recorder)) || raw_clock_now() > until)
			break;
	}
	atomic_store((atomic_uint *)&recorder->control->closed, 1);
	return NULL;
}
