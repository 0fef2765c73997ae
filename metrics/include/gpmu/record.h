/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record: records a command and its GPUs on a timeline */
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
 * A record writes a trace in Perfetto's format, whose content metrics/record/timeline.rst describes.
 * CUDA loads a library into each process whose environment is from gpmu_record_environment().
 * This library passes the activity of CUDA to the record through shared memory. Values of
 * counters are from a session, by gpmu_record_rows(). Scheduling is from the kernel.
 *
 * A thread per source reads its records into a queue. Another thread sorts all records by time
 * and writes them. Memory is bounded: if a queue is full, whole records are dropped and
 * counted, and no process ever waits. Everything recorded is written to the file each second.
 *
 * One thread at a time may use a record. After fork() the child may neither use nor free it.
 * The threads of a record block all signals.
 */
struct gpmu_record;

/* Activity of CUDA to record; bits */
enum gpmu_record_cuda {
	GPMU_RECORD_KERNEL = 1 << 0,	/* kernels */
	GPMU_RECORD_MEMCPY = 1 << 1,	/* copies */
	GPMU_RECORD_MEMSET = 1 << 2,	/* memsets */
	GPMU_RECORD_GRAPH = 1 << 3,	/* launches of graphs; graph_nodes selects their kernels */
	GPMU_RECORD_RUNTIME = 1 << 4,	/* calls of the CUDA runtime */
	GPMU_RECORD_DRIVER = 1 << 5,	/* calls of the driver, also inside runtime calls */
	GPMU_RECORD_CALLS = 1 << 6,	/* runtime calls, and driver calls outside of them */
	GPMU_RECORD_SYNC = 1 << 7,	/* waits for streams, contexts and events */
	GPMU_RECORD_NVTX = 1 << 8,	/* NVTX ranges */
	GPMU_RECORD_MEMORY = 1 << 9,	/* allocations */
	GPMU_RECORD_UNIFIED = 1 << 10,	/* unified memory */
	GPMU_RECORD_OVERHEAD = 1 << 11,	/* overhead of CUPTI */
	GPMU_RECORD_EXTERNAL = 1 << 12,	/* external correlation ids */
	GPMU_RECORD_ENVIRONMENT = 1 << 13,	/* clocks of GPUs, for the audit */
};

/* When activity of CUDA is recorded */
enum gpmu_record_capture {
	GPMU_RECORD_ALWAYS,	/* the whole run */
	GPMU_RECORD_PROFILER,	/* from cudaProfilerStart() to cudaProfilerStop() */
	GPMU_RECORD_RANGE,	/* in NVTX ranges with the name in range */
	GPMU_RECORD_REGION,	/* from gpmu_region_begin() to gpmu_region_end() */
};

/**
 * struct gpmu_record_options - what to record
 * @size: size of this structure
 * @path: path of the trace; required
 * @cuda: bits of enum gpmu_record_cuda; 0: nothing of CUDA is recorded and no library is loaded
 * @graph_nodes: 1: record each kernel of a graph, 0: each launch of a graph is one slice
 * @capture: when to record
 * @range: name of the range for GPMU_RECORD_RANGE, at most 255 bytes; for GPMU_RECORD_REGION
 *	the name of a region, NULL: any region
 * @sched: 1: record which thread runs on which CPU, of the whole machine or of a command
 *	(gpmu_record_pid())
 * @max_size: largest size of the trace in bytes, at least 1 MiB. Older parts are dropped, so
 *	that at least half of this size is kept. 0: no limit
 * @program: name and version of the program for the audit, "gpmu 0.1.0"; NULL: "libgpmu"
 * @command: the recorded command for the audit; NULL: none
 * @rank: rank of this process in a parallel program; -1: none
 * @ranks: number of ranks; 0: not known
 * @sampler: path of the trace that has the counters if another record counts them; or NULL
 *
 * Fields that are 0 or NULL take their defaults.
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
 * @size: size of this structure
 * @processes: number of processes that have connected
 * @records: number of records of all sources
 * @lost: number of records that were dropped, as a queue was full or as they had no times
 * @bytes: current size of the trace in bytes
 * @clock_bound: largest error of converted times in ns; 0: no times of another clock
 * @early: work of a GPU that began before the call that launched it
 * @overlaps: work that began before the previous work in its stream ended
 * @outside: calls that ended after the call around them
 * @checked: number of records checked for @early, @overlaps and @outside
 * @late: records that came after the writer had passed their time; they are written as well
 */
struct gpmu_record_stats {
	size_t size;
	uint64_t processes, records, lost, bytes, clock_bound;
	uint64_t early, overlaps, outside, checked, late;
};

/**
 * gpmu_record_new() - prepares a record; nothing is recorded or written yet
 * @options: copied
 * @error: set on failure, or NULL
 *
 * If @options->cuda is not 0, this creates a folder for shared memory in /dev/shm or $TMPDIR,
 * and removes the folder of a record that was killed.
 *
 * Return: a new record; NULL with errno EINVAL (no path, size, or name of a range), ENOENT
 * (libgpmu-inject.so is not in the folders of plugins), EBUSY (another tool has set
 * CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH, or this process runs under a record), ENOMEM,
 * or the error of creating the folder
 */
struct gpmu_record *gpmu_record_new(const struct gpmu_record_options *options,
				    struct gpmu_error *error);
/* Frees @record without writing what is pending, and removes the folder. NULL is allowed. */
void gpmu_record_free(struct gpmu_record *record);

/**
 * gpmu_record_environment() - makes the environment of a command to record
 * @record: the record
 * @environment: "NAME=VALUE" texts up to a NULL; the result refers to these texts
 *
 * Return: @environment with the variables for CUDA, for execve(2); borrowed from the record,
 * valid until the next call and as long as the texts of @environment. NULL: no memory
 */
char *const *gpmu_record_environment(struct gpmu_record *record, char *const *environment);

/**
 * gpmu_record_pid() - selects a command, if scheduling of the whole machine may not be recorded
 * @record: a record that is not started
 * @pid: a process of one thread, such as a child that waits before it executes the command
 *
 * From gpmu_record_start() on the record has when, and on which CPU, the threads of the command
 * and of everything that it starts run, and whether they then wait or make the CPU available to
 * another thread. A message to gpmu_log_set() tells of this limit and of the permission that
 * the whole machine takes.
 *
 * Return: 0; -EINVAL if @pid is below 1 or the record has been started
 */
int gpmu_record_pid(struct gpmu_record *record, pid_t pid);

/**
 * gpmu_record_start() - opens the trace and all sources; replaces an existing file
 * @record: a record that is not started
 * @machine: provides the numbers of GPUs; must outlive the record. NULL, or a machine without
 *	GPUs: GPUs are numbered by PCI address
 * @error: set on failure, or NULL
 *
 * Return: 0; -EACCES or -EPERM (the error names the required permission); -ENOMEM; or the error
 * of opening the file
 */
int gpmu_record_start(struct gpmu_record *record, const struct gpmu_machine *machine,
		      struct gpmu_error *error);
/* Start and stop recording. The record has been started. */
void gpmu_record_enable(struct gpmu_record *record);
void gpmu_record_disable(struct gpmu_record *record);

/**
 * gpmu_record_rows() - records the values of counters
 * @record: a record that has been started
 * @session: the session of the rows
 * @rows: rows of gpmu_session_next(); successive calls pass
 *	successive intervals
 * @length: number of rows
 *
 * Rows are dropped and counted if the queue is full.
 *
 * Return: 0; -ENOMEM
 */
int gpmu_record_rows(struct gpmu_record *record, const struct gpmu_session *session,
		     const struct gpmu_row *rows, size_t length);

/**
 * gpmu_record_stop() - ends a record: writes pending records and the audit
 * @record: a record that has been started
 * @error: set on failure, or NULL
 *
 * Processes that are still running have one second to hand over their records.
 *
 * Return: 0; the error of writing the trace, now or before
 */
int gpmu_record_stop(struct gpmu_record *record, struct gpmu_error *error);
/*
 * Gets statistics, which are exact after gpmu_record_stop(). Returns 0; -EINVAL if @stats has
 * no size.
 */
int gpmu_record_get_stats(const struct gpmu_record *record, struct gpmu_record_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_RECORD_API_H */
