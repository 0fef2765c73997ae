/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a recording. One reads channels (recorder_channels.c), one reads the kernel's
 * scheduling events (record_sched.c), and the caller's thread brings rows; each fills its
 * own queue. A further thread (recorder_write.c) drains all queues and owns the trace until
 * it ends.
 */
#ifndef GPMU_RECORDER_H
#define GPMU_RECORDER_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "trace/channel/channel.h"
#include "gpmu.h"
#include "record/queue/record_merge.h"
#include "record/queue/record_queue.h"
#include "record/queue/record_window.h"
#include "record/sched/record_sched.h"
#include "record/spe/record_spe.h"
#include "record/stack/record_stack.h"
#include "record/tracks/record_map.h"
#include "trace/gpmu_trace.h"
#include "trace/gpmu_trace_gpu.h"

/* ns, for the begin and end of kernels, measured on an H200 with CUPTI 13.0 (trace/gpmu_clock.h) */
#define RECORDER_CUPTI_BOUND 396

#define RECORDER_PATIENCE	2000000000ULL	/* ns to wait for a silent process */
#define RECORDER_LAST		1000000000ULL	/* ns to wait at the end for records in transit */
#define RECORDER_LAST_MAX	5000000000ULL	/* ns to wait for them while some are read */

enum recorder_source { RECORDER_CHANNELS, RECORDER_ROWS, RECORDER_SCHED, RECORDER_SPE, RECORDER_STACKS, RECORDER_SOURCES };

struct recorder_channel;

#define RECORDER_RESERVE	2	/* file descriptors that a channel needs: the one that was sent, and gpmu's own */

/* Why a process could not be recorded; a process may have one of CUDA and one of its regions. */
struct recorder_refusal {
	int pid;
	char *why;
};

/* A counter of the session's rows, at the index that its row first had */
struct recorder_row {
	struct gpmu_row first;	/* its name and GPU are copies, other texts are not used */
	uint64_t interval;	/* the last one that it was in */
	int number;		/* the counter's number in the queue; -1: not yet described */
};

/* The trace file; old parts before a restart of the trace are cut off */
struct recorder_file {
	int fd;			/* -1: not open */
	bool is_created;	/* the recording created the file */
	bool has_begun;		/* earlier content has been truncated */
	uint64_t max;		/* bytes; 0: no limit */
	uint64_t cut;		/* bytes of the trace that have been cut off */
	uint64_t restarts[64];	/* offsets of restarts in the trace, in bytes */
	size_t restart_count;
	uint64_t restart;	/* number of the last restart */
};

struct gpmu_recorder {
	struct gpmu_recorder_ranges ranges;	/* mode 0: none */
	struct gpmu_recorder_options options;	/* strings are copies owned by the recorder */
	const struct gpmu_machine *machine;	/* NULL: none */
	const struct gpmu_session *session;	/* of the rows; NULL: none */
	char *path, *range, *program, *command, *sampler, *terms, *sample;
	/* Channels */
	char channel_name[CHANNEL_NAME];	/* of the socket */
	char *library;			/* libgpmu-inject.so; NULL: CUDA is not recorded */
	char *preload;			/* libgpmu-mark.so; NULL: regions are not recorded */
	struct channel_control *control;	/* NULL: no process is recorded */
	int control_fd;			/* -1: not open */
	/* the socket, the reader's end of the door, and the connections of processes without a channel */
	struct pollfd *peers;
	size_t peer_count;		/* with the first two; 0: these are closed */
	int door;			/* the end that processes inherit; -1: none */
	int reserve[RECORDER_RESERVE];	/* file descriptors; -1: not open */
	bool is_out_of_files;		/* no descriptor is free: processes wait in the socket's queue */
	bool has_loaded;		/* a process has loaded libgpmu-mark.so */
	bool has_stranger;		/* a process of another user has connected */
	struct recorder_channel *channels;
	size_t channel_count;
	uint32_t process_count;
	struct rlimit files;		/* limit of open files before the start; 0: unchanged */
	char **notes;			/* the caller's warnings */
	size_t note_count;
	struct recorder_refusal *refusals;
	atomic_size_t refusal_count, refused_count;	/* of reasons, of their processes */
	char **environment;
	char *variables[6];
	/* Rows: used by the caller's thread */
	struct recorder_row *rows;
	size_t row_count;
	uint64_t interval;	/* number of the latest rows, from 1 */
	size_t head_count;		/* counters described in the queue */
	pid_t *tids;			/* of the command, or of existing processes */
	size_t tid_count;
	struct record_sched sched;
	struct record_spe spe;
	struct record_stack stack;
	struct gpmu_recorder_symbols symbols;
	/* Threads */
	struct record_queue queues[RECORDER_SOURCES];
	pthread_t threads[RECORDER_SOURCES];	/* index RECORDER_ROWS: the writer */
	bool is_running[RECORDER_SOURCES];
	pthread_t decoder;		/* of SPE */
	bool is_decoding;
	atomic_bool ending;		/* the reading threads drain their sources and end */
	/* The reading threads have ended: the writing thread drains the queues and ends. */
	atomic_bool written;
	struct record_window window;
	bool is_started;
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
	uint64_t source_lost_count[RECORDER_SOURCES][RECORD_KERNEL_REASONS];
	uint64_t source_record_count[RECORDER_SOURCES];	/* number of values, switches, samples */
	uint64_t no_memory_count;	/* records lost for lack of memory */
	uint64_t put_count;		/* records that have been given to the trace */
	uint64_t safe_count;		/* those of them that are in the file */
	uint64_t *ends;			/* size of the trace after each record that is not yet in the file */
	size_t end_count;
	uint64_t unwritten_count;	/* records that came after a failed write */
	int failed;			/* -errno of writing the trace */
	uint64_t flushed;
};

#define RECORDER_RING	(8u << 20)	/* bytes of shared memory for each process */

/* --- recorder_inject.c: brings the libraries that write channels into processes */
/* Finds the libraries of the options. Fails if another tool has set the same variables. */
int recorder_inject_find(struct gpmu_recorder *recorder, struct gpmu_error *error);
/* Logs why programs cannot preload the library, if so. */
void recorder_inject_report(const struct gpmu_recorder *recorder);
void recorder_inject_release(struct gpmu_recorder *recorder);
/*
 * Returns whether no process has connected although one was expected: PC samples are wanted, the machine has GPUs, or the trace
 * has nothing else
 */
bool recorder_lacks_cuda(const struct gpmu_recorder *recorder);

/* --- recorder_peers.c: connections of processes */
/* Listens on the socket. Returns 0 or -errno. */
int recorder_peers_start(struct gpmu_recorder *recorder);
/* Adds the channel with the descriptor @fd, which the function closes. Returns 0 or -errno. */
typedef int recorder_channel_add(struct gpmu_recorder *recorder, pid_t pid, int fd);
/* Waits up to @wait ms for connections and messages, and handles them. */
void recorder_peers_serve(struct gpmu_recorder *recorder, int wait, recorder_channel_add *add_channel);
/* Returns whether a process is about to send its channel. */
bool recorder_has_peers(const struct gpmu_recorder *recorder);
/* Closes the socket, and refuses processes that have not sent their channel. */
void recorder_peers_end(struct gpmu_recorder *recorder);
void recorder_peers_release(struct gpmu_recorder *recorder);

/* recorder_rows.c */
void recorder_notes_release(struct gpmu_recorder *recorder);
/* Logs that a process is not recorded, and keeps this for the audit. @what: "cannot be recorded"; @why: the reason */
void recorder_refuse(struct gpmu_recorder *recorder, pid_t pid, const char *what, const char *why);

/* --- recorder_channels.c */
void recorder_channels_start(struct gpmu_recorder *recorder);
void *recorder_channels_run(void *recorder);
void recorder_channels_release(struct gpmu_recorder *recorder);

/* --- recorder_file.c: functions return 0 or -errno */
/* @fd: duplicated; 0: @path is opened */
int recorder_file_open(struct recorder_file *file, const char *path, int fd, uint64_t max);
/* To be called before the first write. */
int recorder_file_begin(struct recorder_file *file);
/*
 * Closes the file. If nothing was written, it is left as it was, or removed if it did not
 * exist.
 */
void recorder_file_close(struct recorder_file *file);
/* To be called after writes: cuts off old parts if the file is too large. */
int recorder_file_trim(struct recorder_file *file, struct gpmu_trace *trace);
/* Bytes in the file */
uint64_t recorder_file_size(const struct recorder_file *file, const struct gpmu_trace *trace);

/* --- recorder_write.c */
void *recorder_write_run(void *recorder);
/* Counts the records that are in the file. To be called after a write. */
void recorder_count_written(struct gpmu_recorder *recorder);

/* --- recorder_stats.c */
/* Publishes the statistics of this moment; the writing thread's, or the owner's without it */
void recorder_stats_publish(struct gpmu_recorder *recorder);

/* --- recorder_audit.c: returns 0 or -errno */
int recorder_audit(struct gpmu_recorder *recorder);

/* recorder_groups.c: the group of a counter of a GPU, and its description, or NULL */
enum gpmu_trace_group recorder_group(const struct gpmu_plan *plan, const struct gpmu_row *row, const char **description);

#endif /* GPMU_RECORDER_H */
