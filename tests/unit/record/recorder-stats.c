// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Statistics of a recording, read while processes connect and the writing thread takes their
 * records. ThreadSanitizer checks the same program (-tsan).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "gpmu.h"
#include "tap.h"
#include "trace/channel-connect.h"

#define PROCESSES	40u
#define CALLS		100u
#define PATIENCE	20000	/* ms */

static char folder[] = "/tmp/gpmu-recorder-stats-XXXXXX";
static char path[64];

static struct gpmu_recorder_stats stats_of(struct gpmu_recorder *recorder)
{
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };

	gpmu_recorder_get_stats(recorder, &stats);
	return stats;
}

static void put(struct channel_writer *writer, void *record, uint16_t kind, size_t size)
{
	struct activity_head *head = record;

	head->kind = kind;
	head->size = (uint32_t)size;
	while (channel_write(writer, head) == -EAGAIN)
		poll(NULL, 0, 1);
}

/* Writes the channel of one process, whose records are before @time. */
static struct channel_writer *connect_process(const char *channels, uint32_t pid, uint64_t time)
{
	struct {
		struct activity_process body;
		char text[8];
	} process = { .body = { .pid = pid }, .text = "app" };
	struct activity_complete complete = { .time = time };
	struct channel_control *control;
	struct channel_writer *writer = connect_writer(channels, 1 << 16, &control);

	if (!writer)
		return NULL;
	channel_unmap_control(control);
	put(writer, &process, ACTIVITY_PROCESS, sizeof(process));
	for (uint32_t i = 0; i < CALLS; i++) {
		struct activity_call call = { .begin = time - 2 * CALLS + 2 * i,
					      .end = time - 2 * CALLS + 2 * i + 1,
					      .thread = pid, .correlation = i + 1 };

		put(writer, &call, ACTIVITY_RUNTIME, sizeof(call));
	}
	put(writer, &complete, ACTIVITY_COMPLETE, sizeof(complete));
	return writer;
}

/* Returns whether no number is lower than in the previous statistics. */
static bool is_later(struct gpmu_recorder *recorder, struct gpmu_recorder_stats *last)
{
	struct gpmu_recorder_stats now = stats_of(recorder);
	bool is_newer = now.process_count >= last->process_count &&
			now.record_count >= last->record_count && now.bytes >= last->bytes &&
			now.checked_count >= last->checked_count;

	*last = now;
	return is_newer;
}

static const char *channels_of(struct gpmu_recorder *recorder)
{
	char *const none[] = { NULL };
	char *const *variable = gpmu_recorder_environment(recorder, none);

	while (variable && *variable &&
	       strncmp(*variable, CHANNEL_VARIABLE "=", strlen(CHANNEL_VARIABLE "=")))
		variable++;
	return variable && *variable ? *variable + strlen(CHANNEL_VARIABLE "=") : "";
}

static void while_recording(void)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = path, .cuda = GPMU_RECORDER_RUNTIME,
	};
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);
	struct gpmu_recorder_stats last = { .size = sizeof(last) };
	struct channel_writer *writers[PROCESSES];
	const uint64_t time = raw_clock_now();
	bool is_newer = true, is_right = true;

	ok(recorder && !stats_of(recorder).bytes, "recorder stats: all are 0 before the start");
	if (!recorder || gpmu_recorder_start(recorder, NULL, NULL, NULL))
		return;
	gpmu_recorder_enable(recorder);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		writers[i] = connect_process(channels_of(recorder), 1000 + i, time);
		is_right = is_right && writers[i];
		is_newer = is_newer && is_later(recorder, &last);
	}
	for (int i = 0; i < PATIENCE && last.record_count < PROCESSES * CALLS; i++) {
		poll(NULL, 0, 1);
		is_newer = is_newer && is_later(recorder, &last);
	}
	ok(is_right && last.process_count == PROCESSES && last.record_count == PROCESSES * CALLS,
	   "recorder stats: processes and their records are counted while recording");
	ok(is_newer, "recorder stats: numbers never decrease while recording");
	for (uint32_t i = 0; i < PROCESSES; i++)
		if (writers[i])
			channel_writer_close(writers[i]);
	gpmu_recorder_stop(recorder, NULL);
	ok(is_later(recorder, &last) && last.record_count == PROCESSES * CALLS &&
	   !last.lost_count && !last.late_count && last.checked_count == PROCESSES * CALLS && last.clock_bound,
	   "recorder stats: numbers are exact after the stop");
	gpmu_recorder_free(recorder);
}

int main(void)
{
	unsetenv("CUDA_INJECTION64_PATH");
	unsetenv("NVTX_INJECTION64_PATH");
	unsetenv(CHANNEL_VARIABLE);
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	setenv("GPMU_PLUGINS", folder, 1);
	close(open("libgpmu-inject.so", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	snprintf(path, sizeof(path), "%s/trace", folder);
	while_recording();
	unlink("libgpmu-inject.so");
	unlink(path);
	rmdir(folder);
	return done_testing();
}
