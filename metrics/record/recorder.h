/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a recording. One reads channels (recorder_channels.c), one reads the kernel's
 * scheduling events (record_sched.c), and the caller's thread brings rows; each fills its
 * own queue. A further thread (recorder_write.c) drains all queues and owns the trace until
 * it ends.
 */
#ifndef GPMU_RECORDER_H
#define GPMU_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/channel/channel.h"
#include "gpmu.h"
#include "record/queue/record_merge.h"
#include "record/queue/record_queue.h"
#include "record/queue/record_window.h"
#include "record/sched/record_sched.h"
#include "record/tracks/record_map.h"

/* ns, for the begin and end of kernels, measured on an H200 with CUPTI 13.0 (clock.h) */
#define RECORDER_CUPTI_BOUND 396

#define RECORDER_PATIENCE	2000000000ULL	/* ns to wait for a silent process */
#define RECORDER_LAST	1000000000ULL	/* ns to wait at the end for records in transit */

enum recorder_source { RECORDER_CHANNELS, RECORDER_ROWS, RECORDER_SCHED, RECORDER_SOURCES };

struct recorder_channel;

/* A counter that rows have, at the rows' index */
struct recorder_row {
	char *name, *gpu;
	int node, cpu;
	int number;		/* the writer's number of it; -1: none yet */
};

/* The trace file; old parts before a restart of the trace are cut off */
struct recorder_file {
	int fd;			/* -1: not open */
	bool created;		/* the recording created the file */
	bool begun;		/* earlier content has been truncated */
	uint64_t max;		/* bytes; 0: no limit */
	uint64_t cut;		/* bytes of the trace that have been cut off */
	uint64_t restarts[64];	/* offsets of restarts in the trace, in bytes */
	size_t n_restarts;
	uint64_t restart;	/* number of the last restart */
};

struct gpmu_recorder {
	struct gpmu_recorder_options options;	/* strings are copies owned by the recording */
	const struct gpmu_machine *machine;	/* NULL: none */
	char *path, *range, *program, *command, *sampler;
	/* Channels */
	char *folder;			/* NULL: CUDA is not recorded */
	int folder_lock;
	char *library;
	struct channel_control *control;
	struct recorder_channel *channels;
	size_t n_channels;
	uint32_t process_count;
	int watch;			/* inotify */
	char **environment;
	char *variables[3];
	/* Rows: used by the caller's thread */
	struct recorder_row *rows;
	size_t row_count, n_told;
	/* Scheduling */
	struct record_sched sched;
	/* Threads */
	struct record_queue queues[RECORDER_SOURCES];
	pthread_t threads[RECORDER_SOURCES];	/* index RECORDER_ROWS: the writer */
	bool runs[RECORDER_SOURCES];
	atomic_bool ending;		/* set for the readers: drain and end */
	/* set for the writer when the readers have ended: drain and end */
	atomic_bool written;
	struct record_window window;
	bool started;
	pthread_mutex_t stats_lock;	/* protects stats */
	struct gpmu_recorder_stats stats;	/* without what the queues have dropped */
	/* The writer's thread only; the owner's after it has ended */
	struct recorder_file file;
	struct gpmu_trace *trace;
	struct record_map map;
	struct record_merge merge;
	int *streams;			/* streams in merge, by process */
	size_t stream_count;
	/* streams in merge of the other sources; -1: none yet */
	int source_streams[RECORDER_SOURCES];
	uint64_t source_lost[RECORDER_SOURCES];
	uint64_t source_records[RECORDER_SOURCES];	/* number of values, switches */
	uint64_t no_memory;		/* records lost for lack of memory */
	int failed;			/* -errno of writing the trace */
	uint64_t flushed;
};

/* bytes of /dev/shm for each process; a container's /dev/shm has 64 MiB */
#define RECORDER_RING	(8u << 20)

/* --- recorder_folder.c: the folder of the channels */
int recorder_folder_make(struct gpmu_recorder *recorder, struct gpmu_error *error);
void recorder_folder_remove(struct gpmu_recorder *recorder);
/* Removes folders in @parent that ended recordings left behind. */
void recorder_folder_clean(const char *parent);

/* --- recorder_inject.c: makes CUDA load the injection library */
int recorder_inject_find(struct gpmu_recorder *recorder, struct gpmu_error *error);
/* Fails if another tool has set the same variables. */
int recorder_inject_check(const struct gpmu_recorder *recorder, struct gpmu_error *error);
void recorder_inject_release(struct gpmu_recorder *recorder);

/* --- recorder_channels.c */
int recorder_channels_start(struct gpmu_recorder *recorder);
void *recorder_channels_run(void *recorder);
void recorder_channels_release(struct gpmu_recorder *recorder);

/* --- recorder_file.c: functions return 0 or -errno */
int recorder_file_open(struct recorder_file *file, const char *path, uint64_t max);
/* To be called before the first write. */
int recorder_file_begin(struct recorder_file *file);
/*
 * Closes the file. If nothing was written, it is left as it was, or removed if it did not
 * exist.
 */
void recorder_file_close(struct recorder_file *file, const char *path);
/* To be called after writes: cuts off old parts if the file is too large. */
int recorder_file_trim(struct recorder_file *file, struct gpmu_trace *trace, const char *path);
/* Bytes in the file */
uint64_t recorder_file_size(const struct recorder_file *file, const struct gpmu_trace *trace);

/* --- recorder_write.c */
void *recorder_write_run(void *recorder);

/* --- recorder_stats.c */
/* Publishes the statistics of this moment; the writing thread's, or the owner's without it */
void recorder_stats_publish(struct gpmu_recorder *recorder);

/* --- recorder_audit.c: returns 0 or -errno */
int recorder_audit(struct gpmu_recorder *recorder);

#endif /* GPMU_RECORDER_H */
