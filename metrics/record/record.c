// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "record/record.h"
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
	{ GPMU_RECORD_KERNEL, 1u << ACTIVITY_KERNEL },
	{ GPMU_RECORD_MEMCPY, 1u << ACTIVITY_COPY },
	{ GPMU_RECORD_MEMSET, 1u << ACTIVITY_SET },
	{ GPMU_RECORD_GRAPH, 1u << ACTIVITY_GRAPH },
	{ GPMU_RECORD_RUNTIME, 1u << ACTIVITY_RUNTIME },
	{ GPMU_RECORD_DRIVER, 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORD_CALLS, 1u << ACTIVITY_RUNTIME | 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORD_SYNC, 1u << ACTIVITY_SYNC },
	{ GPMU_RECORD_NVTX, 1u << ACTIVITY_MARKER },
	{ GPMU_RECORD_MEMORY, 1u << ACTIVITY_MEMORY },
	{ GPMU_RECORD_UNIFIED, 1u << ACTIVITY_UNIFIED },
	{ GPMU_RECORD_OVERHEAD, 1u << ACTIVITY_OVERHEAD },
	{ GPMU_RECORD_EXTERNAL, 1u << ACTIVITY_EXTERNAL },
	{ GPMU_RECORD_ENVIRONMENT, 1u << ACTIVITY_ENVIRONMENT },
};

static int refuse(struct gpmu_error *error, const char *text)
{
	error_set(error, 0, "%s", text);
	return -EINVAL;
}

static int check(const struct gpmu_record_options *options, struct gpmu_error *error)
{
	if (!options->path || !*options->path)
		return refuse(error, "a record needs the path of its trace");
	if (options->max_size && options->max_size < MAX_LEAST)
		return refuse(error, "a trace may not be limited to less than 1 MiB");
	if (options->range && strlen(options->range) >= sizeof(((struct channel_control *)0)->range))
		return refuse(error, "the name of a range has at most 255 bytes");
	if (options->capture == GPMU_RECORD_RANGE && (!options->range || !*options->range))
		return refuse(error, "to record within NVTX ranges takes their name");
	return 0;
}

static bool copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return *copy || !text;
}

static int copy_options(struct gpmu_record *record, const struct gpmu_record_options *options,
			struct gpmu_error *error)
{
	int ret;

	memcpy(&record->options, options, options->size < sizeof(*options) ? options->size :
	       sizeof(*options));
	ret = check(&record->options, error);
	if (ret)
		return ret;
	if (copy_text(&record->path, record->options.path) &&
	    copy_text(&record->range, record->options.range) &&
	    copy_text(&record->program, record->options.program) &&
	    copy_text(&record->command, record->options.command) &&
	    copy_text(&record->sampler, record->options.sampler))
		return 0;
	error_set(error, 0, "no memory");
	return -ENOMEM;
}

static int make_control(struct gpmu_record *record, struct gpmu_error *error)
{
	struct channel_control control = {
		.version = CHANNEL_VERSION,
		.size = sizeof(control),
		.ring = RECORD_RING,
		.graph_nodes = record->options.graph_nodes != 0,
		.capture = (uint32_t)record->options.capture,
		.flush = FLUSH,
		.buffer = CUPTI_BUFFER,
		.buffers = CUPTI_BUFFERS,
	};
	int ret;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (record->options.cuda & kinds[i].cuda)
			control.kinds |= kinds[i].activity;
	if (record->range)
		memcpy(control.range, record->range, strlen(record->range));
	ret = channel_create_control(record->folder, &control);
	if (!ret) {
		record->control = channel_map_control(record->folder);
		ret = record->control ? 0 : -errno;
	}
	if (ret)
		error_set(error, 0, "%.150s: %s", record->folder, strerror(-ret));
	return ret;
}

static int prepare_cuda(struct gpmu_record *record, struct gpmu_error *error)
{
	int ret = record_inject_find(record, error);

	if (!ret)
		ret = record_inject_check(record, error);
	if (!ret)
		ret = record_folder_make(record, error);
	return ret ? ret : make_control(record, error);
}

struct gpmu_record *gpmu_record_new(const struct gpmu_record_options *options,
				    struct gpmu_error *error)
{
	struct gpmu_record *record;
	int ret;

	if (options->size < sizeof(options->size)) {
		errno = -refuse(error, "a record's options: expected their size");
		return NULL;
	}
	record = calloc(1, sizeof(*record));
	if (!record) {
		error_set(error, 0, "no memory");
		return NULL;
	}
	record->options.rank = -1;
	record->watch = record->folder_lock = record->file.fd = -1;
	for (int i = 0; i < RECORD_SOURCES; i++)
		record->source_streams[i] = -1;
	ret = copy_options(record, options, error);
	if (!ret && record->options.cuda)
		ret = prepare_cuda(record, error);
	if (!ret)
		return record;
	gpmu_record_free(record);
	errno = -ret;
	return NULL;
}

static void end_threads(struct gpmu_record *record)
{
	atomic_store(&record->ending, true);
	for (int i = 0; i < RECORD_SOURCES; i++)
		if (i != RECORD_ROWS && record->runs[i])
			pthread_join(record->threads[i], NULL);
	atomic_store(&record->written, true);
	if (record->runs[RECORD_ROWS])
		pthread_join(record->threads[RECORD_ROWS], NULL);
	memset(record->runs, 0, sizeof(record->runs));
}

void gpmu_record_free(struct gpmu_record *record)
{
	if (!record)
		return;
	end_threads(record);
	record_sched_release(record);
	record_channels_release(record);
	if (record->control)
		channel_unmap_control(record->control);
	record_folder_remove(record);
	record_inject_release(record);
	for (int i = 0; i < RECORD_SOURCES; i++)
		record_queue_release(&record->queues[i]);
	record_map_release(&record->map);
	record_merge_release(&record->merge);
	gpmu_trace_free(record->trace);
	record_file_close(&record->file, record->path);
	for (size_t i = 0; i < record->n_rows; i++) {
		free(record->rows[i].name);
		free(record->rows[i].gpu);
	}
	free(record->rows);
	free(record->streams);
	free(record->path);
	free(record->range);
	free(record->program);
	free(record->command);
	free(record->sampler);
	free(record->sched_note);
	free(record);
}

int gpmu_record_pid(struct gpmu_record *record, pid_t pid)
{
	if (pid <= 0 || record->started)
		return -EINVAL;
	record->pid = pid;
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

static int open_trace(struct gpmu_record *record, struct gpmu_error *error)
{
	uint64_t max = record->options.max_size;
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = record->path, .buffer = (size_t)(max / 32),
		.restart = max / 16,
	};
	int ret = record_file_open(&record->file, record->path, max);

	if (ret) {
		say_unopened(record->path, ret, error);
		return ret;
	}
	record->trace = gpmu_trace_new(record->file.fd, &options, error);
	if (!record->trace)
		return -errno;
	record_map_init(&record->map, record->trace, record->machine);
	record->map.inner_driver = record->options.cuda & GPMU_RECORD_DRIVER ||
				   !(record->options.cuda & GPMU_RECORD_CALLS);
	record_merge_init(&record->merge, MERGE_ROOM);
	return 0;
}

static int open_sources(struct gpmu_record *record, struct gpmu_error *error)
{
	const size_t rooms[RECORD_SOURCES] = {
		[RECORD_CHANNELS] = record->folder ? QUEUE_ROOM : 4096,
		[RECORD_ROWS] = ROWS_ROOM,
		[RECORD_SCHED] = record->options.sched ? QUEUE_ROOM : 4096,
	};
	int ret = 0;

	for (int i = 0; i < RECORD_SOURCES && !ret; i++)
		ret = record_queue_init(&record->queues[i], rooms[i]);
	if (!ret && record->folder)
		ret = record_channels_start(record);
	if (ret)
		error_set(error, 0, "%s", strerror(-ret));
	if (!ret && record->options.sched)
		ret = record_sched_open(record, error);
	return ret;
}

static int start_threads(struct gpmu_record *record)
{
	const struct {
		bool wanted;
		void *(*run)(void *record);
	} threads[RECORD_SOURCES] = {
		[RECORD_CHANNELS] = { record->folder != NULL, record_channels_run },
		[RECORD_ROWS] = { true, record_write_run },
		[RECORD_SCHED] = { record->options.sched != 0, record_sched_run },
	};
	sigset_t all, before;
	int ret = 0;

	/* Signals are handled by the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < RECORD_SOURCES && !ret; i++) {
		if (!threads[i].wanted)
			continue;
		ret = -pthread_create(&record->threads[i], NULL, threads[i].run, record);
		record->runs[i] = !ret;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int gpmu_record_start(struct gpmu_record *record, const struct gpmu_machine *machine,
		      struct gpmu_error *error)
{
	int ret;

	record->machine = machine;
	ret = open_sources(record, error);

	if (!ret)
		ret = open_trace(record, error);
	if (ret)
		return ret;
	/* The recorded time is empty until recording is enabled. */
	record->begin = record->end = record->flushed = raw_clock_now();
	ret = start_threads(record);
	record->started = !ret;
	if (ret)
		error_set(error, 0, "a thread cannot be started: %s", strerror(-ret));
	return ret;
}

static void set_enabled(struct gpmu_record *record, uint32_t enabled)
{
	if (record->control)
		atomic_store((atomic_uint *)&record->control->enabled, enabled);
}

void gpmu_record_enable(struct gpmu_record *record)
{
	record->begin = raw_clock_now();
	record->end = 0;
	set_enabled(record, 1);
}

void gpmu_record_disable(struct gpmu_record *record)
{
	if (!record->end)
		record->end = raw_clock_now();
	set_enabled(record, 0);
}

/* Warns of the cause that leaves users with an empty trace. */
static void say_nobody(const struct gpmu_record *record)
{
	if (!record->folder || record->map.n_processes)
		return;
	log_line(GPMU_LOG_WARNING, "0 processes connected: none has used CUDA or NVTX, or "
		 "CUDA_INJECTION64_PATH did not reach it: set-user-id programs, sudo and env -i drop it, so "
		 "gpmu record has to be behind them");
}

int gpmu_record_stop(struct gpmu_record *record, struct gpmu_error *error)
{
	char why[96];
	int ret;

	gpmu_record_disable(record);
	end_threads(record);
	record->stopped = true;
	say_nobody(record);
	ret = record->failed ? record->failed : record_file_begin(&record->file);
	if (!ret)
		ret = record_audit(record);
	if (!ret)
		ret = gpmu_trace_finish(record->trace, error);
	if (ret)
		error_set(error, 0, "%.100s: %s", record->path, strerror_r(-ret, why, sizeof(why)));
	return ret;
}

static void count_lost(const struct gpmu_record *record, struct gpmu_record_stats *stats)
{
	const struct record_map *map = &record->map;
	uint64_t dropped;

	stats->lost = record->no_memory;
	for (int i = 0; i < RECORD_SOURCES && record->started; i++) {
		record_queue_items((struct record_queue *)&record->queues[i], &dropped);
		stats->records += record->source_records[i];
		stats->lost += dropped + record->source_lost[i];
	}
	for (size_t i = 0; i < map->n_processes; i++) {
		stats->records += map->processes[i]->records;
		for (size_t why = 0; why < ACTIVITY_LOST_REASONS; why++)
			stats->lost += map->processes[i]->lost[why].count;
	}
}

int gpmu_record_get_stats(const struct gpmu_record *record, struct gpmu_record_stats *stats)
{
	const struct record_causality *causality = &record->map.causality;
	size_t size = stats->size;
	struct gpmu_record_stats own = {
		.size = size, .processes = record->map.n_processes, .early = causality->early,
		.overlaps = causality->overlaps, .outside = causality->outside,
		.checked = causality->checked, .late = record->merge.late,
	};

	if (size < sizeof(stats->size))
		return -EINVAL;
	if (record->trace)
		own.bytes = record_file_size(&record->file, record->trace);
	if (own.processes)
		own.clock_bound = RECORD_CUPTI_BOUND;
	count_lost(record, &own);
	memset(stats, 0, size);
	memcpy(stats, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}
