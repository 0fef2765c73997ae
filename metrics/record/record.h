/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a record: one that reads channels (record_channels.c), one that reads the kernel's
 * scheduling (record_sched.c), the caller's, which brings rows; each fills a queue. One that writes
 * (record_write.c) takes from all, and has the trace to itself until it has ended.
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

/* Of kernels' edges, on an H200 with CUPTI 13.0 (clock.h) */
#define RECORD_CUPTI_BOUND 396

#define RECORD_PATIENCE	2000000000ULL	/* ns that a process which says nothing is waited for */
#define RECORD_LAST	1000000000ULL	/* ns for what is on its way at the end */

enum record_source { RECORD_CHANNELS, RECORD_ROWS, RECORD_SCHED, RECORD_SOURCES };

enum record_kind {
	RECORD_NEW,		/* a process, by number, from 0 on */
	RECORD_ACTIVITY,	/* a record of it */
	RECORD_ENDED,		/* uint32_t: enum record_process_end */
	RECORD_MARK,		/* of the source: all up to its begin is there */
	RECORD_COUNTER,		/* struct record_counter_head */
	RECORD_VALUE,		/* struct record_value */
	RECORD_SWITCH,		/* struct record_switch */
	RECORD_TASK,		/* struct record_task */
	RECORD_LOST,		/* uint64_t: so many of the kernel's */
};

struct record_channel;
struct record_sched;

/* A counter of the rows, by its place in them */
struct record_row {
	char *name, *gpu;
	int node, cpu;
	int number;		/* that the writer has for it; -1: none yet */
};

/* The file: what is older is cut off where the trace begins anew */
struct record_file {
	int fd;			/* -1: none */
	bool created;		/* it was not there before */
	bool begun;		/* what was there before is gone */
	uint64_t max;		/* 0: no limit */
	uint64_t cut;		/* bytes of the trace that are not in the file any more */
	uint64_t restarts[64];	/* where the trace began anew: bytes of it */
	size_t n_restarts;
	uint64_t restart;	/* number of the last one */
};

struct gpmu_record {
	struct gpmu_record_options options;	/* its texts are the record's */
	const struct gpmu_machine *machine;	/* or NULL */
	char *path, *range, *program, *command, *sampler;
	/* Channels */
	char *folder;			/* NULL: nothing of CUDA is recorded */
	int folder_lock;
	char *library;
	struct channel_control *control;
	struct record_channel *channels;
	size_t n_channels;
	uint32_t n_processes;
	int watch;			/* inotify */
	char **environment;
	char *variables[3];
	/* Rows: the caller's thread */
	struct record_row *rows;
	size_t n_rows, n_told;
	/* Scheduling */
	struct record_sched *sched;
	pid_t pid;			/* the command's; 0: it is not known */
	char *sched_note;		/* for the audit; NULL: it is of the whole machine */
	/* Threads */
	struct record_queue queues[RECORD_SOURCES];
	pthread_t threads[RECORD_SOURCES];	/* that of RECORD_ROWS writes */
	bool runs[RECORD_SOURCES];
	atomic_bool ending;		/* readers: the rest, and no more */
	atomic_bool written;		/* the writer: likewise, when they have ended */
	bool started, stopped;
	/* The writer's */
	struct record_file file;
	struct gpmu_trace *trace;
	struct record_map map;
	struct record_merge merge;
	int *streams;			/* of processes, in merge */
	size_t n_streams;
	int source_streams[RECORD_SOURCES];	/* of the others; -1: none yet */
	uint64_t source_lost[RECORD_SOURCES];
	uint64_t source_records[RECORD_SOURCES];	/* values, switches */
	uint64_t no_memory;		/* records that were lost for lack of it */
	int failed;			/* writing the trace: -errno */
	uint64_t flushed;
	uint64_t begin, end;		/* when it was enabled, and disabled */
};

#define RECORD_RING	(8u << 20)	/* bytes of /dev/shm, which has 64 MiB in a container, for each process */

uint64_t record_clock(void);

/* What happened at @time is to be recorded. */
static inline bool record_is_on(const struct gpmu_record *record, uint64_t time)
{
	return record->begin <= time && (!record->end || time <= record->end);
}

/* --- record_folder.c: the folder of the channels */
int record_folder_make(struct gpmu_record *record, struct gpmu_error *error);
void record_folder_remove(struct gpmu_record *record);
/* Of records that are gone, in @parent */
void record_folder_clean(const char *parent);

/* --- record_inject.c: how CUDA is told */
int record_inject_find(struct gpmu_record *record, struct gpmu_error *error);
/* Refuses what another tool has set */
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

/* --- record_file.c: 0 or -errno */
int record_file_open(struct record_file *file, const char *path, uint64_t max);
/* Before anything is written */
int record_file_begin(struct record_file *file);
/* One that was never begun is as it was before: removed, if it was not there */
void record_file_close(struct record_file *file, const char *path);
/* After something was written: what is older is cut off if there is too much */
int record_file_trim(struct record_file *file, struct gpmu_trace *trace, const char *path);
/* Bytes that it has */
uint64_t record_file_size(const struct record_file *file, const struct gpmu_trace *trace);

/* --- record_write.c */
void *record_write_run(void *record);

/* --- record_audit.c: 0 or -errno */
int record_audit(struct gpmu_record *record);

#endif /* GPMU_RECORD_H */
