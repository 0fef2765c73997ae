/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace reader: reads a timeline that gpmu_trace wrote */
#ifndef GPMU_TRACE_READER_API_H
#define GPMU_TRACE_READER_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>

#include "trace/gpmu_trace.h"
#include "trace/gpmu_trace_gpu.h"

/*
 * A reader reads a trace that gpmu_trace wrote, from a file or a pipe, one event at a time. It
 * keeps the names since the last restart, the tracks, and the slices that have begun and not
 * ended. Its memory does not depend on the length of the file.
 *
 * A trace whose beginning is missing is read from its next restart on. The last packet may be
 * truncated, as after a program was killed: gpmu_trace_reader_get_stats() has its length.
 * Packets that Perfetto or other programs wrote are skipped and counted.
 *
 * Events come in the order of the file, which is the order of time if the writer kept it. A
 * slice comes at its end. An end belongs to the slice of its track that began last, and that
 * did not begin after the end. Slices that never end come last, and end at the end of the
 * trace.
 */
struct gpmu_trace_reader;

enum gpmu_trace_item_kind {
	GPMU_TRACE_SLICE,
	GPMU_TRACE_INSTANT,
	GPMU_TRACE_COUNT,
	GPMU_TRACE_SWITCH,	/* a CPU switches to another thread */
	GPMU_TRACE_STACK,	/* a sample of a thread's call stack */
};

/**
 * struct gpmu_trace_item - an event; texts and arguments are borrowed until the next event is read
 * @size: size of this structure
 * @kind: slice, instant, value of a counter, switch, or sample of a call stack
 * @track: its track, for gpmu_trace_reader_track(); 0: a switch or a sample, which is on no track
 * @begin: CLOCK_MONOTONIC_RAW in ns
 * @end: end of a slice in ns, not before @begin; for other kinds @begin
 * @name: name, of a sample its functions from the outermost on, separated by ";"; or NULL (no call stack)
 * @category: category, of a sample its event; or NULL
 * @args: array of @arg_count arguments
 * @arg_count: number of arguments; 0: none
 * @flow: number of the arrow through the event, for work of a GPU its id, for a call the id of the work that it
 *	submits; 0: none
 * @value: value of a counter, or period of a sample
 * @is_open: 1: a slice that had no end
 * @work: of work of a GPU: its queue, times, id, submission, grid and block; its kind, kernel and texts are those of
 *	the item; for other kinds NULL
 * @change: the switch, whose names are NULL unless they are new; for other kinds NULL
 * @tid: thread of a sample; 0: idle
 */
struct gpmu_trace_item {
	size_t size;
	enum gpmu_trace_item_kind kind;
	int track;
	uint64_t begin, end;
	const char *name, *category;
	const struct gpmu_trace_arg *args;
	size_t arg_count;
	uint64_t flow;
	double value;
	int is_open;
	const struct gpmu_trace_switch *change;
	uint32_t tid;
	const struct gpmu_trace_work *work;
};

enum gpmu_trace_track_kind {
	GPMU_TRACE_TRACK_UNKNOWN,	/* a parent that is not described yet */
	GPMU_TRACE_TRACK_PLAIN,
	GPMU_TRACE_TRACK_PROCESS,
	GPMU_TRACE_TRACK_THREAD,
	GPMU_TRACE_TRACK_COUNTER,
	GPMU_TRACE_TRACK_QUEUE,		/* of a GPU; its slices may overlap */
};

/**
 * struct gpmu_trace_track_info - the latest description of a track
 * @size: size of this structure
 * @kind: kind of the track
 * @parent: number of the track above it, which may be larger than its own; 0: none
 * @pid: number of the process, for a process, a thread or a queue
 * @tid: number of the thread, for a thread
 * @name: name; or NULL
 * @unit: unit of a counter, "ns", "B" or any other text; or NULL
 * @gpu: number of the GPU of a queue or a counter of a GPU; -1: none
 */
struct gpmu_trace_track_info {
	size_t size;
	enum gpmu_trace_track_kind kind;
	int parent;
	pid_t pid, tid;
	const char *name, *unit;
	int gpu;
};

/**
 * struct gpmu_trace_reader_stats - what was read so far
 * @size: size of this structure
 * @bytes: bytes of complete packets
 * @packets: number of complete packets
 * @restarts: how often names, tracks and clocks were read; 0 at the end: no part is from
 *	gpmu_trace
 * @others: packets that other programs wrote
 * @early: packets that refer to the missing beginning of the trace
 * @unmatched: ends of slices that had not begun
 * @open: slices that had no end
 * @cut: bytes of a truncated last packet
 */
struct gpmu_trace_reader_stats {
	size_t size;
	uint64_t bytes, packets, restarts, others, early, unmatched, open, cut;
};

/**
 * gpmu_trace_reader_new() - creates a reader of a trace
 * @fd: file descriptor open for reading; owned by the caller, and must stay open as long as the
 *	reader exists
 * @path: path for messages, copied; NULL: "trace"
 * @error: set on failure, or NULL
 *
 * Return: a new reader; NULL with errno ENOMEM
 */
struct gpmu_trace_reader *gpmu_trace_reader_new(int fd, const char *path, struct gpmu_error *error);
/* Frees @reader; NULL is allowed. */
void gpmu_trace_reader_free(struct gpmu_trace_reader *reader);

/**
 * gpmu_trace_reader_next() - reads the next event
 * @reader: the reader
 * @item: set to the event, if there is one; borrowed until the next call
 * @error: set on failure, or NULL. Its text begins with "PATH:OFFSET:", and its offset is the
 *	byte offset in the file
 *
 * Return: 1 if there is an event; 0 at the end; -EINVAL if the file is malformed from the
 * offset on; -ENOMEM; or the error of reading. After a failure all later calls return the same
 * error
 */
int gpmu_trace_reader_next(struct gpmu_trace_reader *reader, const struct gpmu_trace_item **item,
			   struct gpmu_error *error);
/* Returns a track, borrowed until the next event is read; NULL if there is no such track */
const struct gpmu_trace_track_info *gpmu_trace_reader_track(struct gpmu_trace_reader *reader, int track);
/* Returns the description of a GPU, borrowed until the next event is read; NULL if there is none of that number yet */
const struct gpmu_trace_gpu *gpmu_trace_reader_gpu(const struct gpmu_trace_reader *reader, int number);
/* Gets statistics. Returns 0; -EINVAL if @stats has no size */
int gpmu_trace_reader_get_stats(const struct gpmu_trace_reader *reader,
				struct gpmu_trace_reader_stats *stats);

#endif /* GPMU_TRACE_READER_API_H */
