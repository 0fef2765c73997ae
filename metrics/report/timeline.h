/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline: what is on the tracks that metrics/record/timeline.rst describes, of several traces, for a report.
 * timeline_track.c says what a track is, timeline_take.c keeps what is on it, timeline_audit.c what is
 * true of the trace.
 */
#ifndef GPMU_TIMELINE_H
#define GPMU_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "gpmu.h"
#include "base/words.h"

#define TIMELINE_NONE	UINT32_MAX	/* no index, no word */

enum timeline_role {
	TIMELINE_NOTHING,	/* not looked at yet */
	TIMELINE_OTHER,
	TIMELINE_GPU,
	TIMELINE_STREAM,
	TIMELINE_NODE,
	TIMELINE_MACHINE,
	TIMELINE_COMMAND,
	TIMELINE_COUNTER,
	TIMELINE_PROCESS,
	TIMELINE_THREAD,
};

/* What a track of a file is */
struct timeline_track {
	enum timeline_role role;
	uint32_t index;		/* of the GPU, stream, counter, thread; the number of a node */
	uint32_t gpu;		/* that it is below, or none */
	uint32_t pid;
};

struct timeline_gpu {
	int number;
	uint32_t uuid, name;	/* words, or none */
	uint32_t file;		/* of the first that has it */
};

struct timeline_stream {
	uint32_t file, gpu, name;
};

enum timeline_work_kind { TIMELINE_KERNEL, TIMELINE_COPY, TIMELINE_SET, TIMELINE_GRAPH };

/* On a stream */
struct timeline_work {
	uint64_t begin, end, bytes;
	uint32_t name;
	uint32_t kind : 2, stream : 30;
};

/* On a thread */
struct timeline_call {
	uint64_t begin, end;
	uint32_t name, thread;
	uint32_t file : 30, is_driver : 1, has_failed : 1;
	uint32_t reserved;
};

/* Waits, ranges of NVTX, unified memory, gaps */
struct timeline_slice {
	uint64_t begin, end;
	uint32_t name, file;
	uint32_t other;		/* of a range its domain, of unified memory its GPU, of a gap what it is of */
	uint32_t reserved;
	uint64_t value;		/* of unified memory */
};

struct timeline_value {
	uint64_t time;
	double value;
};

struct timeline_counter {
	uint32_t file, name, unit;	/* unit: a word, or none */
	uint32_t gpu, node;	/* or none; neither: the machine's, or a process's */
	uint32_t of;		/* a word: of a GPU its UUID, or none; "node 0", "machine", "command", "100 train" */
	bool of_process;	/* or of the command */
	bool holds;		/* the last value does, to the end of the trace */
	struct array values;	/* struct timeline_value */
};

/* Something of the track audit */
struct timeline_fact {
	uint32_t file, name;
	struct array args;	/* struct timeline_arg */
};

struct timeline_arg {
	uint32_t name, text;	/* text: a word, or none: it is a number */
	double number;
};

struct timeline_file {
	char *path;
	uint32_t host;		/* word, or none */
	int64_t rank;		/* -1: not said */
	uint64_t begin, end;	/* of what was recorded */
	uint64_t first, last;	/* of events */
	uint64_t unplaced;	/* work that is not on the track of a stream */
	bool any;		/* there was an event */
	struct gpmu_trace_reader_stats stats;
};

struct timeline {
	struct words words;
	struct array files, gpus, streams, works, calls, waits, ranges, unified, gaps, counters, facts;
	struct array overheads;	/* struct timeline_slice */
	uint32_t n_threads;
	struct array tracks;	/* struct timeline_track, of the file that is read */
};

#define timeline_at(array, type, i)	((type *)(array)->data + (i))

/* Reads a file. 0 or -errno */
int timeline_add(struct timeline *timeline, int fd, const char *path, struct gpmu_error *error);
void timeline_release(struct timeline *timeline);

/* How long was recorded */
uint64_t timeline_wall(const struct timeline_file *file);
/* The number of an argument of a fact; false: it has none of the name */
bool timeline_number(const struct timeline *timeline, const struct timeline_fact *fact, const char *name,
		     double *number);
/* Likewise the text, or NULL */
const char *timeline_text(const struct timeline *timeline, const struct timeline_fact *fact,
			  const char *name);

/* timeline_track.c: NULL: no memory */
const struct timeline_track *timeline_track(struct timeline *timeline, struct gpmu_trace_reader *reader,
					    int number);
/* timeline_take.c: 0 or -ENOMEM */
int timeline_take(struct timeline *timeline, struct gpmu_trace_reader *reader,
		  const struct gpmu_trace_item *item);
/* timeline_audit.c: likewise */
int timeline_take_fact(struct timeline *timeline, const struct gpmu_trace_item *item);

#endif /* GPMU_TIMELINE_H */
