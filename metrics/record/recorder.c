// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "record/recorder.h"
#include "trace/trace.h"

/* bytes of each of two buffers: a quarter of a channel's ring fits */
#define QUEUE_ROOM	(32u << 20)
#define ROWS_ROOM	(4u << 20)
#define MERGE_ROOM	(128u << 20)
#define MAX_LEAST	(1u << 20)
#define FLUSH		200		/* ms */
#define CUPTI_BUFFER	(2u << 20)
#define CUPTI_BUFFERS	16

static const struct {
	uint32_t cuda, activity;
} kinds[] = {
	{ GPMU_RECORDER_KERNEL, 1u << ACTIVITY_KERNEL },
	{ GPMU_RECORDER_MEMCPY, 1u << ACTIVITY_COPY },
	{ GPMU_RECORDER_MEMSET, 1u << ACTIVITY_SET },
	{ GPMU_RECORDER_GRAPH, 1u << ACTIVITY_GRAPH },
	{ GPMU_RECORDER_RUNTIME, 1u << ACTIVITY_RUNTIME },
	{ GPMU_RECORDER_DRIVER, 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORDER_CALLS, 1u << ACTIVITY_RUNTIME | 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORDER_SYNC, 1u << ACTIVITY_SYNC },
	{ GPMU_RECORDER_NVTX, 1u << ACTIVITY_MARKER },
	{ GPMU_RECORDER_MEMORY, 1u << ACTIVITY_MEMORY },
	{ GPMU_RECORDER_UNIFIED, 1u << ACTIVITY_UNIFIED },
	{ GPMU_RECORDER_OVERHEAD, 1u << ACTIVITY_OVERHEAD },
	{ GPMU_RECORDER_EXTERNAL, 1u << ACTIVITY_EXTERNAL },
	{ GPMU_RECORDER_ENVIRONMENT, 1u << ACTIVITY_ENVIRONMENT },
};

static int refuse(struct gpmu_error *error, const char *text)
{
	error_set(error, 0, "%s", text);
	return -EINVAL;
}

static int check(const struct gpmu_recorder_options *options, struct gpmu_error *error)
{
	if (!options->path || !*options->path)
		return refuse(error, "a record needs the path of its trace");
	if (options->max_size && options->max_size < MAX_LEAST)
		return refuse(error, "a trace may not be limited to less than 1 MiB");
	if (options->range && strlen(options->range) >= sizeof(((struct channel_control *)0)->range))
		return refuse(error, "the name of a range has at most 255 bytes");
	if (options->capture == GPMU_RECORDER_RANGE && (!options->range || !*options->range))
		return refuse(error, "to record within NVTX ranges takes their name");
	return 0;
}

static bool copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return *copy || !text;
}

static int copy_options(struct gpmu_recorder *recorder, const struct gpmu_recorder_options *options,
			struct gpmu_error *error)
{
	int ret;

	memcpy(&recorder->options, options, options->size < sizeof(*options) ? options->size :
	       sizeof(*options));
	ret = check(&recorder->options, error);
	if (ret)
		return ret;
	if (copy_text(&recorder->path, recorder->options.path) &&
	    copy_text(&recorder->range, recorder->options.range) &&
	    copy_text(&recorder->program, recorder->options.program) &&
	    copy_text(&recorder->command, recorder->options.command) &&
	    copy_text(&recorder->sampler, recorder->options.sampler))
		return 0;
	error_set(error, 0, "no memory");
	return -ENOMEM;
}

static int make_control(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct channel_control control = {
		.version = CHANNEL_VERSION,
		.size = sizeof(control),
		.ring = RECORDER_RING,
		.graph_nodes = recorder->options.graph_nodes != 0,
		.capture = (uint32_t)recorder->options.capture,
		.flush = FLUSH,
		.buffer = CUPTI_BUFFER,
		.buffers = CUPTI_BUFFERS,
	};
	int ret;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (recorder->options.cuda & kinds[i].cuda)
			control.kinds |= kinds[i].activity;
	if (recorder->range)
		memcpy(control.range, recorder->range, strlen(recorder->range));
	ret = channel_create_control(recorder->folder, &control);
	if (!ret) {
		recorder->control = channel_map_control(recorder->folder);
		ret = recorder->control ? 0 : -errno;
	}
	if (ret)
		error_set(error, 0, "%.150s: %s", recorder->folder, strerror(-ret));
	return ret;
}

static int prepare_cuda(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	int ret = recorder_inject_find(recorder, error);

	if (!ret)
		ret = recorder_inject_check(recorder, error);
	if (!ret)
		ret = recorder_folder_make(recorder, error);
	return ret ? ret : make_control(recorder, error);
}

struct gpmu_recorder *gpmu_recorder_new(const struct gpmu_recorder_options *options,
				    struct gpmu_error *error)
{
	struct gpmu_recorder *recorder;
	int ret;

	if (options->size < sizeof(options->size)) {
		errno = -refuse(error, "a record's options: expected their size");
		return NULL;
	}
	recorder = calloc(1, sizeof(*recorder));
	if (!recorder) {
		error_set(error, 0, "no memory");
		return NULL;
	}
	pthread_mutex_init(&recorder->stats_lock, NULL);
	recorder->options.rank = -1;
	recorder->watch = recorder->folder_lock = recorder->file.fd = -1;
	for (int i = 0; i < RECORDER_SOURCES; i++)
		recorder->source_streams[i] = -1;
	ret = copy_options(recorder, options, error);
	if (!ret && recorder->options.cuda)
		ret = prepare_cuda(recorder, error);
	if (!ret)
		return recorder;
	gpmu_recorder_free(recorder);
	errno = -ret;
	return NULL;
}

static void end_threads(struct gpmu_recorder *recorder)
{
	atomic_store(&recorder->ending, true);
	for (int i = 0; i < RECORDER_SOURCES; i++)
		if (i != RECORDER_ROWS && recorder->runs[i])
			pthread_join(recorder->threads[i], NULL);
	atomic_store(&recorder->written, true);
	if (recorder->runs[RECORDER_ROWS])
		pthread_join(recorder->threads[RECORDER_ROWS], NULL);
	memset(recorder->runs, 0, sizeof(recorder->runs));
}

void gpmu_recorder_free(struct gpmu_recorder *recorder)
{
	if (!recorder)
		return;
	end_threads(recorder);
	record_sched_release(&recorder->sched);
	recorder_channels_release(recorder);
	if (recorder->control)
		channel_unmap_control(recorder->control);
	recorder_folder_remove(recorder);
	recorder_inject_release(recorder);
	for (int i = 0; i < RECORDER_SOURCES; i++)
		record_queue_release(&recorder->queues[i]);
	record_map_release(&recorder->map);
	record_merge_release(&recorder->merge);
	gpmu_trace_free(recorder->trace);
	recorder_file_close(&recorder->file, recorder->path);
	for (size_t i = 0; i < recorder->row_count; i++) {
		free(recorder->rows[i].name);
		free(recorder->rows[i].gpu);
	}
	free(recorder->rows);
	free(recorder->streams);
	free(recorder->path);
	free(recorder->range);
	free(recorder->program);
	free(recorder->command);
	free(recorder->sampler);
	pthread_mutex_destroy(&recorder->stats_lock);
	free(recorder);
}

int gpmu_recorder_pid(struct gpmu_recorder *recorder, pid_t pid)
{
	if (pid <= 0 || recorder->started)
		return -EINVAL;
	recorder->sched.pid = pid;
	return 0;
}

static void say_unopened(const char *path, int ret, struct gpmu_error *error)
{
	static const struct {
		int ret;
		const char *remedy;
	} remedies[] = {
		{ -ESPIPE, ": what is no file cannot be limited" },
		{ -ENOENT, ": its folder is to be there" },
		{ -EBUSY, ": another gpmu record writes it; each takes a file of its own" },
	};
	const char *remedy = "";
	char why[96];

	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].ret == ret)
			remedy = remedies[i].remedy;
	error_set(error, 0, "%.100s: %s%s", path, strerror_r(-ret, why, sizeof(why)), remedy);
}

static int open_trace(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	uint64_t max = recorder->options.max_size;
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = recorder->path, .buffer = (size_t)(max / 32),
		.restart = max / 16,
	};
	int ret = recorder_file_open(&recorder->file, recorder->path, max);

	if (ret) {
		say_unopened(recorder->path, ret, error);
		return ret;
	}
	recorder->trace = gpmu_trace_new(recorder->file.fd, &options, error);
	if (!recorder->trace)
		return -errno;
	record_map_init(&recorder->map, recorder->trace, recorder->machine);
	recorder->map.inner_driver = recorder->options.cuda & GPMU_RECORDER_DRIVER ||
				   !(recorder->options.cuda & GPMU_RECORDER_CALLS);
	record_merge_init(&recorder->merge, MERGE_ROOM);
	return 0;
}

static int open_sched(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct record_sched *sched = &recorder->sched;

	sched->machine = recorder->machine;
	sched->queue = &recorder->queues[RECORDER_SCHED];
	sched->window = &recorder->window;
	sched->ending = &recorder->ending;
	return record_sched_open(sched, error);
}

static int open_sources(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const size_t rooms[RECORDER_SOURCES] = {
		[RECORDER_CHANNELS] = recorder->folder ? QUEUE_ROOM : 4096,
		[RECORDER_ROWS] = ROWS_ROOM,
		[RECORDER_SCHED] = recorder->options.sched ? QUEUE_ROOM : 4096,
	};
	int ret = 0;

	for (int i = 0; i < RECORDER_SOURCES && !ret; i++)
		ret = record_queue_init(&recorder->queues[i], rooms[i]);
	if (!ret && recorder->folder)
		ret = recorder_channels_start(recorder);
	if (ret)
		error_set(error, 0, "%s", strerror(-ret));
	if (!ret && recorder->options.sched)
		ret = open_sched(recorder, error);
	return ret;
}

static int start_threads(struct gpmu_recorder *recorder)
{
	const struct {
		bool wanted;
		void *(*run)(void *user);
		void *user;
	} threads[RECORDER_SOURCES] = {
		[RECORDER_CHANNELS] = { recorder->folder != NULL, recorder_channels_run, recorder },
		[RECORDER_ROWS] = { true, recorder_write_run, recorder },
		[RECORDER_SCHED] = { recorder->options.sched != 0, record_sched_run,
				     &recorder->sched },
	};
	sigset_t all, before;
	int ret = 0;

	/* Signals are handled by the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < RECORDER_SOURCES && !ret; i++) {
		if (!threads[i].wanted)
			continue;
		ret = -pthread_create(&recorder->threads[i], NULL, threads[i].run,
				      threads[i].user);
		recorder->runs[i] = !ret;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int gpmu_recorder_start(struct gpmu_recorder *recorder, const struct gpmu_machine *machine,
		      struct gpmu_error *error)
{
	int ret;

	recorder->machine = machine;
	ret = open_sources(recorder, error);

	if (!ret)
		ret = open_trace(recorder, error);
	if (ret)
		return ret;
	/* The recorded time is empty until recording is enabled. */
	recorder->flushed = raw_clock_now();
	record_window_init(&recorder->window, recorder->flushed);
	recorder_stats_publish(recorder);
	ret = start_threads(recorder);
	recorder->started = !ret;
	if (ret)
		error_set(error, 0, "a thread cannot be started: %s", strerror(-ret));
	return ret;
}

static void set_enabled(struct gpmu_recorder *recorder, uint32_t enabled)
{
	if (recorder->control)
		atomic_store((atomic_uint *)&recorder->control->enabled, enabled);
}

void gpmu_recorder_enable(struct gpmu_recorder *recorder)
{
	record_window_open(&recorder->window, raw_clock_now());
	set_enabled(recorder, 1);
}

void gpmu_recorder_disable(struct gpmu_recorder *recorder)
{
	record_window_close(&recorder->window, raw_clock_now());
	set_enabled(recorder, 0);
}

/* Warns of the cause that leaves users with an empty trace. */
static void say_nobody(const struct gpmu_recorder *recorder)
{
	if (!recorder->folder || recorder->map.process_count)
		return;
	log_line(GPMU_LOG_WARNING, "0 processes connected: none has used CUDA or NVTX, or "
		 "CUDA_INJECTION64_PATH did not reach it: set-user-id programs, sudo and env -i drop it, so "
		 "gpmu record has to be behind them");
}

int gpmu_recorder_stop(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	char why[96];
	int ret;

	gpmu_recorder_disable(recorder);
	end_threads(recorder);
	say_nobody(recorder);
	ret = recorder->failed ? recorder->failed : recorder_file_begin(&recorder->file);
	if (!ret)
		ret = recorder_audit(recorder);
	if (!ret)
		ret = gpmu_trace_finish(recorder->trace, error);
	recorder_stats_publish(recorder);
	if (ret)
		error_set(error, 0, "%.100s: %s", recorder->path, strerror_r(-ret, why, sizeof(why)));
	return ret;
}
