/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace reader: what gpmu_trace has written */
#ifndef GPMU_TRACE_READER_API_H
#define GPMU_TRACE_READER_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>
#include <gpmu/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a trace of gpmu_trace as it comes, from a file or a pipe, one event at a time. Memory
 * is that of the names since the last restart, of the tracks, and of the slices that have begun and not
 * ended, whatever the length of the file.
 *
 * A trace whose begin was cut off is read from its next restart on. The last packet may be cut off, as a
 * program that was killed leaves it: gpmu_trace_reader_get_stats() says so. What Perfetto or others have
 * written into it is left out, and counted.
 *
 * Events come in the order of the file, which is that of time as far as the writer's was; a slice comes
 * where its end is. An end belongs to the slice of its track that began last, and not after it. Slices
 * that never end come last, and end where the trace does.
 */
struct gpmu_trace_reader;

enum gpmu_trace_item_kind {
	GPMU_TRACE_SLICE,
	GPMU_TRACE_INSTANT,
	GPMU_TRACE_COUNT,
};

/**
 * struct gpmu_trace_item - an event; all is borrowed until the next is asked for
 * @size: of this structure
 * @kind: what it is
 * @track: that it is on: gpmu_trace_reader_track()
 * @begin: CLOCK_MONOTONIC_RAW in ns
 * @end: of a slice, not before @begin; else the same
 * @name: or NULL
 * @category: or NULL
 * @args: @n_args of them
 * @n_args: 0: none
 * @flow: of the arrow that it is on; 0: none
 * @value: of a counter
 * @is_open: 1: a slice that had no end
 */
struct gpmu_trace_item {
	size_t size;
	enum gpmu_trace_item_kind kind;
	int track;
	uint64_t begin, end;
	const char *name, *category;
	const struct gpmu_trace_arg *args;
	size_t n_args;
	uint64_t flow;
	double value;
	int is_open;
};

enum gpmu_trace_track_kind {
	GPMU_TRACE_TRACK_UNKNOWN,	/* it is a parent, and was not described yet */
	GPMU_TRACE_TRACK_PLAIN,
	GPMU_TRACE_TRACK_PROCESS,
	GPMU_TRACE_TRACK_THREAD,
	GPMU_TRACE_TRACK_COUNTER,
};

/**
 * struct gpmu_trace_track_info - a track as it was described last
 * @size: of this structure
 * @kind: what it is
 * @parent: above 0: the track that it is below; 0: none. Its number may be larger
 * @pid: of a process and a thread
 * @tid: of a thread
 * @name: or NULL
 * @unit: of a counter: "ns", "B", or as it was given; or NULL
 */
struct gpmu_trace_track_info {
	size_t size;
	enum gpmu_trace_track_kind kind;
	int parent;
	pid_t pid, tid;
	const char *name, *unit;
};

/**
 * struct gpmu_trace_reader_stats - what was read so far
 * @size: of this structure
 * @bytes: of whole packets
 * @packets: all of them
 * @restarts: how often names, tracks and clocks were given; 0 at the end: nothing was a trace of gpmu_trace
 * @others: packets that somebody else has written
 * @early: packets that need what was before the trace's begin
 * @unmatched: ends of slices that had not begun
 * @open: slices that had no end
 * @cut: bytes of a last packet that was not all there
 */
struct gpmu_trace_reader_stats {
	size_t size;
	uint64_t bytes, packets, restarts, others, early, unmatched, open, cut;
};

/**
 * gpmu_trace_reader_new() - a trace that is read
 * @fd: the caller's, open for reading, as long as the reader is there
 * @path: for messages, copied; NULL: "trace"
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno ENOMEM
 */
struct gpmu_trace_reader *gpmu_trace_reader_new(int fd, const char *path, struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_trace_reader_free(struct gpmu_trace_reader *reader);

/**
 * gpmu_trace_reader_next() - the next event
 * @reader: the reader
 * @item: set to it where there is one
 * @error: set on failure, or NULL: "PATH:OFFSET: " and what was expected there; the offset in bytes too
 *
 * Return: 1; 0: there is no other; -EINVAL: the file is no trace from there on; -ENOMEM; what reading
 * failed with. After a failure there is no event any more, and the same is returned
 */
int gpmu_trace_reader_next(struct gpmu_trace_reader *reader, const struct gpmu_trace_item **item,
			   struct gpmu_error *error);
/* Borrowed until the next event is asked for; NULL: there is no such track */
const struct gpmu_trace_track_info *gpmu_trace_reader_track(struct gpmu_trace_reader *reader, int track);
/* Return: 0; -EINVAL: @stats without a size */
int gpmu_trace_reader_get_stats(const struct gpmu_trace_reader *reader,
				struct gpmu_trace_reader_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_TRACE_READER_API_H */
