// SPDX-License-Identifier: LGPL-2.1-or-later
/* Channels that appear, or still have records, when the recording ends */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/recorder.h"
#include "tap.h"
#include "trace/channel-connect.h"

static char folder[] = "/tmp/gpmu-recorder-channels-XXXXXX";
static char path[64], warning[256];
static struct gpmu_recorder *recorder;
static atomic_bool endless;	/* the process never stops writing */

int __real_channel_accept(int listener, int control);
int __real_channel_read(struct channel_reader *reader, const struct activity_head **record);
int __wrap_channel_accept(int listener, int control);
int __wrap_channel_read(struct channel_reader *reader, const struct activity_head **record);
void __wrap_log_line(int level, const char *fmt, ...);

/* Stands for a process that connects, makes a call, and ends. */
static void *connect_and_end(void *name)
{
	const struct activity_process process = { { sizeof(process), ACTIVITY_PROCESS, 0 }, .pid = 5 };
	const struct activity_call call = { { sizeof(call), ACTIVITY_RUNTIME, 0 }, .begin = 10, .end = 20,
					    .thread = 6 };
	struct channel_control *control;
	struct channel_writer *writer = connect_writer(name, CHANNEL_RING_MIN, &control);

	if (!writer)
		return NULL;
	channel_unmap_control(control);
	channel_write(writer, &process.head);
	channel_write(writer, &call.head);
	channel_writer_close(writer);
	return NULL;
}

static void *connect_and_leave(void *name)
{
	int connection;
	struct channel_control *control = channel_connect(name, "CUDA", &connection);

	if (!control)
		return NULL;
	channel_unmap_control(control);
	close(connection);
	return NULL;
}

static int (*accept_endless)(void);	/* NULL: connections are real */
static int accepted;

/* Limits the loop of a reader that accepts without end. */
static int count_accepted(int result)
{
	return ++accepted > 2 * SOMAXCONN ? -EAGAIN : result;
}

static int abort_endless(void)
{
	return count_accepted(-ECONNABORTED);
}

static int refuse_endless(void)
{
	return count_accepted(-EPERM);
}

/* A process that connects is seen when the recording ends. */
int __wrap_channel_accept(int listener, int control)
{
	if (accept_endless)
		return accept_endless();
	return atomic_load(&recorder->ending) ? __real_channel_accept(listener, control) : -EAGAIN;
}

int __wrap_channel_read(struct channel_reader *reader, const struct activity_head **record)
{
	static const struct activity_complete complete = { .head = { sizeof(complete), ACTIVITY_COMPLETE, 0 } };
	static const struct activity_call call = { { sizeof(call), ACTIVITY_RUNTIME, 0 }, .begin = 10, .end = 20,
						   .thread = 6 };
	static int n;

	if (!atomic_load(&endless))
		return __real_channel_read(reader, record);
	*record = &complete.head;
	if (++n % 256 == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		*record = &call.head;
	}
	return 1;
}

__attribute__((format(printf, 2, 3)))
void __wrap_log_line(int level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (level == GPMU_LOG_WARNING)
		vsnprintf(warning, sizeof(warning), fmt, args);
	va_end(args);
}

/* Records nothing but a process that connects late. */
static struct gpmu_recorder_stats record_late(void *(*run)(void *name))
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = path, .cuda = GPMU_RECORDER_RUNTIME,
	};
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };
	struct pollfd queue = { .events = POLLIN };
	pthread_t process;

	recorder = gpmu_recorder_new(&options, NULL);
	if (!recorder)
		return stats;
	queue.fd = recorder->peers[0].fd;
	if (gpmu_recorder_start(recorder, NULL, NULL, NULL))
		return stats;
	gpmu_recorder_enable(recorder);
	pthread_create(&process, NULL, run, recorder->channel_name);
	poll(&queue, 1, -1);
	gpmu_recorder_stop(recorder, NULL);
	pthread_join(process, NULL);
	gpmu_recorder_get_stats(recorder, &stats);
	gpmu_recorder_free(recorder);
	return stats;
}

/* Other processes connect faster than the reader accepts. */
static void accept_without_end(void)
{
	const struct gpmu_recorder_options options = { .size = sizeof(options), .path = path, .cuda = GPMU_RECORDER_RUNTIME };

	recorder = gpmu_recorder_new(&options, NULL);
	if (!recorder || recorder_peers_start(recorder))
		abort();
	if (recorder->control_fd < 0)
		recorder->control_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	accept_endless = abort_endless;
	recorder->is_out_of_files = true;	/* looks into the queues without poll() */
	recorder_peers_serve(recorder, 0, NULL);
	is_u64((uint64_t)accepted, SOMAXCONN, "recorder channels: connections that end at once are accepted up to the length of the queue, and then channels are read");
	accepted = 0;
	accept_endless = refuse_endless;
	recorder->is_out_of_files = true;
	recorder_peers_end(recorder);
	is_u64((uint64_t)accepted, SOMAXCONN, "recorder channels: connections of another user do not delay the end of the recording beyond the length of the queue");
	accept_endless = NULL;
	gpmu_recorder_free(recorder);
	warning[0] = '\0';
}

int main(void)
{
	struct gpmu_recorder_stats stats;
	char library[80], text[160];

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/trace", folder);
	snprintf(library, sizeof(library), "%s/libgpmu-inject.so", folder);
	close(open(library, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	setenv("GPMU_PLUGINS", folder, 1);
	unsetenv("GPMU_CHANNEL");
	stats = record_late(connect_and_end);
	ok(stats.process_count == 1 && stats.record_count == 1 && !stats.lost_process_count,
	   "recorder channels: a process that gpmu finds only when the recording ends is recorded");
	is_str(warning, "", "recorder channels: no warning is printed if all channels are read to their end");
	stats = record_late(connect_and_leave);
	snprintf(text, sizeof(text),
		 "process %d cannot be recorded: it has ended, or waited too long, before it sent its channel", (int)getpid());
	is_str(warning, text, "recorder channels: a warning names a process that connects and sends no channel");
	ok(!stats.process_count && stats.lost_process_count == 1,
	   "recorder channels: a process that connects and sends no channel is counted as not recorded");
	atomic_store(&endless, true);
	stats = record_late(connect_and_end);
	snprintf(text, sizeof(text), "process %d is not recorded to its end: gpmu could not read its records in time",
		 (int)getpid());
	is_str(warning, text, "recorder channels: a warning names a process that is not recorded to its end");
	ok(stats.lost_process_count == 1,
	   "recorder channels: a process that is not recorded to its end is counted");
	ok(stats.record_count > 0 && stats.lost_count > 0,
	   "recorder channels: records that are in a channel at the end are counted as lost");
	atomic_store(&endless, false);
	accept_without_end();
	unlink(path);
	unlink(library);
	rmdir(folder);
	return done_testing();
}
