/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a recording. One reads channels (record_channels.c), one reads the kernel's
 * scheduling events (record_sched.c), and the caller's thread brings rows; each fills its
 * own queue. A further thread (record_write.c) drains all queues and owns the trace until
 * it ends.
 */
#ifndef GPMU_RECORD_H
#define GPMU_RECORD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/channel/channel.h"
#include "gpmu.h"
#include "record/tracks/record_map.h"
#include "record/record_merge.h"
#include "record/record_queue.h"

/* ns, for the begin and end of kernels, measured on an H200 with CUPTI 13.0 (clock.h) */
#define RECORD_CUPTI_BOUND 396

#define RECORD_PATIENCE	2000000000ULL	/* ns to wait for a silent process */
#define RECORD_LAST	1000000000ULL	/* ns to wait at the end for records in transit */

enum record_source { RECORD_CHANNELS, RECORD_ROWS, RECORD_SCHED, RECORD_SOURCES };

enum record_kind {
	RECORD_NEW,		/* a new process; numbered from 0 in this order */
	RECORD_ACTIVITY,	/* a record of a process */
	RECORD_ENDED,		/* uint32_t: enum record_process_end */
	RECORD_MARK,		/* all items of the source up to begin have been queued */
	RECORD_COUNTER,		/* struct record_counter_head */
	RECORD_VALUE,		/* struct record_value */
	RECORD_SWITCH,		/* struct record_switch */
	RECORD_TASK,		/* struct record_task */
	RECORD_LOST,		/* uint64_t: number of events that the kernel lost */
};

struct record_channel;
struct record_sched;

/* A counter that rows have, at the rows' index */
struct record_row {
	char *name, *gpu;
	int node, cpu;
	int number;		/* the writer's number of it; -1: none yet */
};

/* The trace file; old parts before a restart of the trace are cut off */
struct record_file {
	int fd;			/* -1: not open */
	bool created;		/* the recording created the file */
	bool begun;		/* earlier content has been truncated */
	uint64_t max;		/* bytes; 0: no limit */
	uint64_t cut;		/* bytes of the trace that have been cut off */
	uint64_t restarts[64];	/* offsets of restarts in the trace, in bytes */
	size_t n_restarts;
	uint64_t restart;	/* number of the last restart */
};

struct gpmu_record {
	struct gpmu_record_options options;	/* strings are copies owned by the recording */
	const struct gpmu_machine *machine;	/* NULL: none */
	char *path, *range, *program, *command, *sampler;
	/* Channels */
	char *folder;			/* NULL: CUDA is not recorded */
	int folder_lock;
	char *library;
	struct channel_control *control;
	struct record_channel *channels;
	size_t n_channels;
	uint32_t n_processes;
	int watch;			/* inotify */
	char **environment;
	char *variables[3];
	/* Rows: used by the caller's thread */
	struct record_row *rows;
	size_t n_rows, n_told;
	/* Scheduling */
	struct record_sched *sched;
	pid_t pid;			/* of the command; 0: unknown */
	char *sched_note;		/* for the audit; NULL: the whole machine is recorded */
	/* Threads */
	struct record_queue queues[RECORD_SOURCES];
	pthread_t threads[RECORD_SOURCES];	/* index RECORD_ROWS: the writer */
	bool runs[RECORD_SOURCES];
	atomic_bool ending;		/* set for the readers: drain and end */
	/* set for the writer when the readers have ended: drain and end */
	atomic_bool written;
	bool started, stopped;
	/* The writer's thread only */
	struct record_file file;
	struct gpmu_trace *trace;
	struct record_map map;
	struct record_merge merge;
	int *streams;			/* streams in merge, by process */
	size_t n_streams;
	/* streams in merge of the other sources; -1: none yet */
	int source_streams[RECORD_SOURCES];
	uint64_t source_lost[RECORD_SOURCES];
	uint64_t source_records[RECORD_SOURCES];	/* number of values, switches */
	uint64_t no_memory;		/* records lost for lack of memory */
	int failed;			/* -errno of writing the trace */
	uint64_t flushed;
	uint64_t begin, end;		/* when recording was enabled and disabled */
};

/* bytes of /dev/shm for each process; a container's /dev/shm has 64 MiB */
#define RECORD_RING	(8u << 20)

/* Whether @time is within the recorded time */
static inline bool record_is_on(const struct gpmu_record *record, uint64_t time)
{
	return record->begin <= time && (!record->end || time <= record->end);
}

/* --- record_folder.c: the folder of the channels */
int record_folder_make(struct gpmu_record *record, struct gpmu_error *error);
void record_folder_remove(struct gpmu_record *record);
/* Removes folders in @parent that ended recordings left behind. */
void record_folder_clean(const char *parent);

/* --- record_inject.c: makes CUDA load the injection library */
int record_inject_find(struct gpmu_record *record, struct gpmu_error *error);
/* Fails if another tool has set the same variables. */
int record_inject_check(const struct gpmu_record *record, struct gpmu_error *error);
void record_inject_release(struct gpmu_record *record);

/* --- record_channels.c */
int record_channels_start(struct gpmu_record *record);
void *record_channels_run(void *record);
void record_channels_release(struct gpmu_record *record);

/* --- record_sched.c */
int record_sched_open(struct gpmu_record *record, struct gpmu_error *error);
void *record_sched_run(void *record);
void record_sched_release(struct gpmu_record *record);

/* --- record_file.c: functions return 0 or -errno */
int record_file_open(struct record_file *file, const char *path, uint64_t max);
/* To be called before the first write. */
int record_file_begin(struct record_file *file);
/*
 * Closes the file. If nothing was written, it is left as it was, or removed if it did not
 * exist.
 */
void record_file_close(struct record_file *file, const char *path);
/* To be called after writes: cuts off old parts if the file is too large. */
int record_file_trim(struct record_file *file, struct gpmu_trace *trace, const char *path);
/* Bytes in the file */
uint64_t record_file_size(const struct record_file *file, const struct gpmu_trace *trace);

/* --- record_write.c */
void *record_write_run(void *record);

/* --- record_audit.c: returns 0 or -errno */
int record_audit(struct gpmu_record *record);

#endif /* GPMU_RECORD_H */
