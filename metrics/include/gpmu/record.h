/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record: what a command, its GPUs and the machine do, on a timeline */
#ifndef GPMU_RECORD_API_H
#define GPMU_RECORD_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>
#include <gpmu/machine.h>
#include <gpmu/row.h>
#include <gpmu/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A record writes a trace of Perfetto's format, in which metrics/record/timeline.rst says what is.
 * What processes do with CUDA comes from a library that CUDA loads into each of them, where the
 * environment of gpmu_record_environment() says so, through memory that they share with the record;
 * values of counters from a session, by gpmu_record_rows(); scheduling from the kernel.
 *
 * Each of these is read by a thread of its own into a queue, and another one puts all in order of
 * time and writes it, in memory that is bounded. What does not fit is dropped, whole records, and counted; no
 * process ever waits. Each second what is there is written to the file.
 *
 * A record belongs to one thread at a time. After a fork() the child may neither use nor free it.
 * Its threads block all signals.
 */
struct gpmu_record;

/* What of CUDA is recorded: bits */
enum gpmu_record_cuda {
	GPMU_RECORD_KERNEL = 1 << 0,
	GPMU_RECORD_MEMCPY = 1 << 1,
	GPMU_RECORD_MEMSET = 1 << 2,
	GPMU_RECORD_GRAPH = 1 << 3,	/* each launch of a graph; its kernels by graph_nodes */
	GPMU_RECORD_RUNTIME = 1 << 4,
	GPMU_RECORD_DRIVER = 1 << 5,	/* all calls, also those within one of the runtime */
	GPMU_RECORD_CALLS = 1 << 6,	/* the runtime's, and the driver's that are in none of these */
	GPMU_RECORD_SYNC = 1 << 7,
	GPMU_RECORD_NVTX = 1 << 8,
	GPMU_RECORD_MEMORY = 1 << 9,	/* allocations */
	GPMU_RECORD_UNIFIED = 1 << 10,	/* unified memory */
	GPMU_RECORD_OVERHEAD = 1 << 11,	/* CUPTI's own */
	GPMU_RECORD_EXTERNAL = 1 << 12,	/* ids that the program gives to calls */
	GPMU_RECORD_ENVIRONMENT = 1 << 13,	/* clocks, for the audit */
};

/* When what processes do with CUDA is recorded */
enum gpmu_record_capture {
	GPMU_RECORD_ALWAYS,
	GPMU_RECORD_PROFILER,	/* from cudaProfilerStart() to cudaProfilerStop() */
	GPMU_RECORD_RANGE,	/* within NVTX ranges that have a name */
	GPMU_RECORD_REGION,	/* from gpmu_region_begin() to gpmu_region_end() */
};

/**
 * struct gpmu_record_options - what is recorded; what is 0 or NULL is the default
 * @size: of this structure
 * @path: of the trace; it has to be there
 * @cuda: bits of enum gpmu_record_cuda; 0: nothing of CUDA, and no library is loaded
 * @graph_nodes: 1: kernels of graphs one by one, 0: each launch of a graph is one slice
 * @capture: when
 * @range: the name for GPMU_RECORD_RANGE; that of a region, NULL: any. At most 255 bytes
 * @sched: 1: who runs on which CPU: of the whole machine, or of the command (gpmu_record_pid())
 * @max_size: bytes of the trace at most, from 1 MiB on: what is older is dropped, so that at
 *	least half of that is there; 0: all is kept
 * @program: "gpmu 0.1.0", for the audit; NULL: "libgpmu"
 * @command: for the audit; NULL: none
 * @rank: among the processes of a parallel program; -1: none
 * @ranks: how many there are; 0: not known
 * @sampler: path of the trace that has the counters, where another record has them; or NULL
 */
struct gpmu_record_options {
	size_t size;
	const char *path;
	uint32_t cuda;
	int graph_nodes;
	enum gpmu_record_capture capture;
	const char *range;
	int sched;
	uint64_t max_size;
	const char *program, *command;
	int rank, ranks;
	const char *sampler;
};

/**
 * struct gpmu_record_stats - what was recorded so far
 * @size: of this structure
 * @processes: that have connected
 * @records: of all sources
 * @lost: of all sources: those that there was no room for, and that had no times
 * @bytes: of the trace, as it is now
 * @clock_bound: ns by which times may be off; 0: there are none of another clock
 * @early: work of a GPU that began before the call that has launched it
 * @overlaps: work that began before what was before it in its stream had ended
 * @outside: calls that ended after the one around them
 * @checked: how many were looked at for these three
 * @late: records that came after all of their time was said to be there; they are written all the same
 */
struct gpmu_record_stats {
	size_t size;
	uint64_t processes, records, lost, bytes, clock_bound;
	uint64_t early, overlaps, outside, checked, late;
};

/**
 * gpmu_record_new() - prepares; nothing is recorded, or written, as yet
 * @options: copied
 * @error: set on failure, or NULL
 *
 * With @cuda there is a folder from now on, in /dev/shm or $TMPDIR, for the memory that is shared. One that a
 * record left behind which was killed is removed.
 *
 * Return: new; NULL with errno EINVAL (no path, size, or name of a range), ENOENT (no
 * libgpmu-inject.so where plugins are), EBUSY (CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH is
 * another tool's, or this runs under a record), ENOMEM, or that of making the folder
 */
struct gpmu_record *gpmu_record_new(const struct gpmu_record_options *options,
				    struct gpmu_error *error);
/* Without what has not been written; the folder is removed. NULL is allowed. */
void gpmu_record_free(struct gpmu_record *record);

/**
 * gpmu_record_environment() - the environment by which a command is recorded
 * @record: the record
 * @environment: "NAME=VALUE" texts up to a NULL; not kept
 *
 * Return: those and what CUDA is to be told, as execve() takes it; borrowed from the record, valid
 * until this is called again, as long as @environment's texts are. NULL: no memory
 */
char *const *gpmu_record_environment(struct gpmu_record *record, char *const *environment);

/**
 * gpmu_record_pid() - the command, for its scheduling where that of the whole machine may not be recorded
 * @record: not started
 * @pid: a process of one thread, as one that waits for what it is to execute
 *
 * What is recorded then is when its threads run from gpmu_record_start() on, and those of all that it starts, on
 * which CPU, and whether they wait or make room. gpmu_log_set() is told that it is these alone, and what more takes.
 *
 * Return: 0; -EINVAL: @pid is below 1, or @record has been started
 */
int gpmu_record_pid(struct gpmu_record *record, pid_t pid);

/**
 * gpmu_record_start() - opens the trace, which replaces the file that is there, and what is recorded
 * @record: that has not been started
 * @machine: whose GPUs have the numbers that the trace gives them; NULL, or where it has none: they
 *	are numbered by PCI address. It must outlive the record
 * @error: set on failure, or NULL
 *
 * Return: 0; -EACCES, -EPERM (the error says what it takes), -ENOMEM, that of opening the file
 */
int gpmu_record_start(struct gpmu_record *record, const struct gpmu_machine *machine,
		      struct gpmu_error *error);
/* From now on what happens is recorded, or not. It has been started */
void gpmu_record_enable(struct gpmu_record *record);
void gpmu_record_disable(struct gpmu_record *record);

/**
 * gpmu_record_rows() - values of counters
 * @record: started
 * @session: that they are of
 * @rows: of gpmu_session_interval() or gpmu_session_next(), one interval after the other
 * @length: how many
 *
 * Return: 0; -ENOMEM. Those for which the queue has no room are dropped and counted
 */
int gpmu_record_rows(struct gpmu_record *record, const struct gpmu_session *session,
		     const struct gpmu_row *rows, size_t length);

/**
 * gpmu_record_stop() - ends it: what is on its way is written, and the audit
 * @record: started
 * @error: set on failure, or NULL
 *
 * Processes that are still there are given a second to hand over what they have.
 *
 * Return: 0; what writing the trace failed with, now or before
 */
int gpmu_record_stop(struct gpmu_record *record, struct gpmu_error *error);
/* Return: 0; -EINVAL: @stats without a size. Exact once it has been stopped */
int gpmu_record_get_stats(const struct gpmu_record *record, struct gpmu_record_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_RECORD_API_H */
