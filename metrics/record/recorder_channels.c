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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "record/recorder.h"

#define POLL_LEAST	1	/* ms, once channels are empty, or the queue is full */
#define POLL_MOST	20
#define LAG		100000000ULL	/* ns from taking the time of a region's record to writing it */
#define BATCH		4096	/* records of one process before the next process is served */

struct recorder_channel {
	char *name;		/* that the file had in its folder: "PID.N" */
	struct channel_reader *reader;	/* NULL: the channel has ended */
	uint32_t process;
	bool regions;		/* written by libgpmu-mark.so */
	bool left;		/* the last look left records in it */
	uint64_t complete;	/* latest ACTIVITY_COMPLETE time */
	uint64_t end;		/* when its process was first seen to have ended; 0: not yet */
};

/* Each channel needs a file descriptor. gpmu_recorder_free() restores the limit. */
static void raise_files(struct gpmu_recorder *recorder)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	recorder->files = limit;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		recorder->files = (struct rlimit){ 0 };
}

static int watch_folder(const struct gpmu_recorder *recorder, struct recorder_folder *folder)
{
	if (!folder->path)
		return 0;
	/* Stays open, because another descriptor may not be available later. */
	folder->dir = opendir(folder->path);
	/* A channel's file is linked under its name once it is complete. */
	if (!folder->dir ||
	    inotify_add_watch(recorder->watch, folder->path, IN_CREATE | IN_MOVED_TO) < 0)
		return -errno;
	return 0;
}

int recorder_channels_start(struct gpmu_recorder *recorder)
{
	int ret = 0;

	raise_files(recorder);
	recorder->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (recorder->watch < 0)
		return -errno;
	for (int i = 0; i < RECORDER_FOLDERS && !ret; i++)
		ret = watch_folder(recorder, &recorder->folders[i]);
	return ret;
}

void recorder_channels_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < recorder->channel_count; i++) {
		free(recorder->channels[i].name);
		if (recorder->channels[i].reader)
			channel_reader_free(recorder->channels[i].reader);
	}
	free(recorder->channels);
	for (size_t i = 0; i < recorder->refusal_count; i++)
		free(recorder->refusals[i].why);
	free(recorder->refusals);
	for (int i = 0; i < RECORDER_FOLDERS; i++)
		if (recorder->folders[i].dir)
			closedir(recorder->folders[i].dir);
	if (recorder->watch >= 0)
		close(recorder->watch);
	if (recorder->files.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &recorder->files);
}

/* --- processes that cannot be recorded */

/* Logs the reason, and keeps it for the audit. */
static void refuse(struct gpmu_recorder *recorder, int pid, const char *why)
{
	const size_t n = recorder->refusal_count;
	struct recorder_refusal *refusals = vector_room(recorder->refusals, n, sizeof(*refusals));
	size_t same = 0;

	log_line(GPMU_LOG_WARNING, "%s", why);
	if (!refusals)
		return;
	recorder->refusals = refusals;
	refusals[n] = (struct recorder_refusal){ pid, strdup(why) };
	if (!refusals[n].why)
		return;
	while (refusals[same].pid != pid)
		same++;
	recorder->refused_count += same == n;
	recorder->refusal_count = n + 1;
}

/* Takes the reason that a process has left. */
static void take_refusal(struct gpmu_recorder *recorder, const struct recorder_folder *folder,
			 const char *name)
{
	char why[256];
	ssize_t n = readlinkat(dirfd(folder->dir), name, why, sizeof(why) - 1);

	if (n <= 0 || unlinkat(dirfd(folder->dir), name, 0))
		return;
	why[n] = '\0';
	refuse(recorder, (int)strtol(name + strlen(CHANNEL_LOST), NULL, 10), gpmu_shown(why));
}

/* @name: of the channel's file; @what: "cannot be recorded" */
static void refuse_channel(struct gpmu_recorder *recorder, const char *name, const char *what,
			   const char *why)
{
	char text[160];

	snprintf(text, sizeof(text), "process %.*s %s: %s", (int)strcspn(name, "."), name, what, why);
	refuse(recorder, (int)strtol(name, NULL, 10), text);
}

/* --- channels */

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
		poll(NULL, 0, POLL_LEAST);
	record_queue_put(queue_of(recorder), &record, data, size);
}

/* Returns 0; or -errno, and then a later scan can try again. @name becomes the channel's. */
static int open_channel(struct gpmu_recorder *recorder, const char *path, char *name)
{
	struct recorder_channel *channels = vector_room(recorder->channels, recorder->channel_count,
						      sizeof(*channels));
	struct recorder_channel channel = { .name = name, .process = recorder->process_count };

	if (!channels)
		return -ENOMEM;
	recorder->channels = channels;
	channel.reader = channel_reader_new(path);
	if (!channel.reader && errno != EBADMSG)
		return -errno;
	/* A file without a name cannot be truncated by the program, which would end it by SIGBUS. */
	unlink(path);
	channels[recorder->channel_count++] = channel;
	if (!channel.reader) {
		refuse_channel(recorder, name, "cannot be recorded", "its channel has another version; "
			       "does libgpmu-inject.so belong to another gpmu?");
		return 0;
	}
	recorder->process_count++;
	put_surely(recorder, RECORD_PROCESS, &channel, NULL, 0);
	return 0;
}

/* @last: a channel that cannot be opened now is lost */
static void look_at(struct gpmu_recorder *recorder, const struct recorder_folder *folder,
		    const char *name, bool last)
{
	char *path, *own, why[96];
	int ret;

	if (!strncmp(name, CHANNEL_LOST, strlen(CHANNEL_LOST)))
		take_refusal(recorder, folder, name);
	if (!isdigit((unsigned char)*name))
		return;
	path = text_print("%s/%s", folder->path, name);
	own = strdup(name);
	ret = path && own ? open_channel(recorder, path, own) : -ENOMEM;
	free(path);
	if (!ret)
		return;
	free(own);
	recorder->unopened = true;
	if (last)
		refuse_channel(recorder, name, "cannot be recorded",
			       ret == -EMFILE ? "too many open files; raise ulimit -n" :
			       strerror_r(-ret, why, sizeof(why)));
}

/* Scans the folders for new files. */
static void scan_folders(struct gpmu_recorder *recorder, bool last)
{
	const struct dirent *entry;

	recorder->unopened = false;
	for (int i = 0; i < RECORDER_FOLDERS; i++) {
		const struct recorder_folder *folder = &recorder->folders[i];

		if (!folder->dir)
			continue;
		rewinddir(folder->dir);
		while ((entry = readdir(folder->dir)))
			look_at(recorder, folder, entry->d_name, last);
	}
}

static bool folder_changed(const struct gpmu_recorder *recorder)
{
	char events[4096];
	bool changed = false;

	while (read(recorder->watch, events, sizeof(events)) > 0)
		changed = true;
	return changed;
}

/* Queues the numbers of calls, after all records of the channel. */
static void put_calls(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	struct activity_calls calls;

	if (!channel_read_calls(channel->reader, &calls))
		return;
	calls.from = channel->complete;
	calls.to = channel->end ? channel->end : raw_clock_now();
	put_surely(recorder, RECORD_ACTIVITY, channel, &calls, sizeof(calls));
}

static void end_channel(struct gpmu_recorder *recorder, struct recorder_channel *channel,
			uint32_t how)
{
	put_surely(recorder, RECORD_END, channel, &how, sizeof(how));
	put_calls(recorder, channel);
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
		if (of->kind == ACTIVITY_PROCESS)
			channel->regions = of->flags & ACTIVITY_PROCESS_REGIONS;
		if (of->kind == ACTIVITY_COMPLETE)
			channel->complete =
				((const struct activity_complete *)(const void *)of)->time;
		record_queue_put(queue_of(recorder), &record, of, of->size);
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
		{ sizeof(complete), ACTIVITY_COMPLETE, 0 }, time - LAG, 0,
	};
	struct record record = { .type = RECORD_ACTIVITY, .process = channel->process };

	if (complete.time < channel->complete + LAG / 2 ||
	    !record_queue_has_room(queue_of(recorder), sizeof(complete)))
		return;
	channel->complete = complete.time;
	record_queue_put(queue_of(recorder), &record, &complete, sizeof(complete));
}

/* Whether any records arrived */
static bool drain_all(struct gpmu_recorder *recorder)
{
	bool busy = false;

	for (size_t i = 0; i < recorder->channel_count; i++) {
		struct recorder_channel *channel = &recorder->channels[i];
		uint64_t now;
		bool ended;
		int ret;

		if (!channel->reader)
			continue;
		now = raw_clock_now();
		/*
		 * Check first: all that the process wrote before its end is then in the
		 * channel.
		 */
		ended = channel_has_ended(channel->reader);
		if (ended && !channel->end)
			channel->end = raw_clock_now();
		ret = drain(recorder, channel);
		channel->left = ret == 1 || ret == -ENOMEM;
		busy = busy || ret == 1;
		if (!ret && channel->regions)
			complete_regions(recorder, channel, now);
		if (ret == -EBADMSG)
			refuse_channel(recorder, channel->name, "is not recorded to its end",
				       "its channel has invalid data");
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

/* ms until the next look at channels that were empty */
static int next_wait(int wait)
{
	if (wait < POLL_LEAST)
		return POLL_LEAST;
	return wait < POLL_MOST / 2 ? wait * 2 : POLL_MOST;
}

/* Counts the records that are in the channel when gpmu does not wait any longer. */
static void lose_rest(struct gpmu_recorder *recorder, struct recorder_channel *channel)
{
	struct activity_lost lost[ACTIVITY_KINDS] = { 0 };
	const struct activity_head *of;

	for (size_t bytes = 0; bytes < RECORDER_RING && channel_read(channel->reader, &of) == 1; bytes += of->size) {
		struct activity_lost *by_kind = &lost[of->kind];
		struct record_span span = { 0, 0 };

		if (of->kind == ACTIVITY_LOST)
			put_surely(recorder, RECORD_ACTIVITY, channel, of, of->size);
		if (of->kind == ACTIVITY_LOST || of->kind == ACTIVITY_NAME || of->kind == ACTIVITY_COMPLETE)
			continue;
		if (record_map_has_span(of))
			span = record_map_span(of);
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

	scan_folders(recorder, true);
	until = raw_clock_now() + RECORDER_LAST;
	while (drain_all(recorder) && raw_clock_now() < until)
		if (!record_queue_has_room(queue_of(recorder), RECORDER_RING / 4))
			poll(NULL, 0, POLL_LEAST);
	for (size_t i = 0; i < recorder->channel_count; i++) {
		struct recorder_channel *channel = &recorder->channels[i];

		if (channel->left) {
			lose_rest(recorder, channel);
			refuse_channel(recorder, channel->name, "is not recorded to its end",
				       "gpmu could not read its records in time");
		}
		if (channel->reader)
			put_calls(recorder, channel);
	}
}

void *recorder_channels_run(void *data)
{
	struct gpmu_recorder *recorder = data;
	struct pollfd watch = { .fd = recorder->watch, .events = POLLIN };
	uint64_t until = 0, last = 0;
	int wait = POLL_LEAST;

	channel_hold(recorder->control, recorder->control_fd);
	scan_folders(recorder, false);
	for (;;) {
		/* Read the flag before the last scan, so that the scan misses nothing. */
		bool ending = atomic_load(&recorder->ending), busy;

		if ((poll(&watch, 1, wait) > 0 && folder_changed(recorder)) || recorder->unopened)
			scan_folders(recorder, false);
		busy = drain_all(recorder);
		if (busy)
			wait = record_queue_has_room(queue_of(recorder), RECORDER_RING / 4) ? 0 : POLL_LEAST;
		else
			wait = next_wait(wait);
		if (!ending)
			continue;
		if (!until)
			last = raw_clock_now() + RECORDER_LAST_MOST;
		/* A slow disk may have filled the queue: records in transit find room little by little. */
		if (!until || busy)
			until = raw_clock_now() + RECORDER_LAST;
		if (raw_clock_now() > (until < last ? until : last) ||
		    (!busy && !recorder->unopened && is_complete(recorder)))
			break;
	}
	drain_last(recorder);
	channel_set_control(recorder->control_fd, offsetof(struct channel_control, closed), 1);
	return NULL;
}
