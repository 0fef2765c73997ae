/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Perfetto's format, of metrics/trace/trace.proto. There is one sequence of packets. Rare ones
 * (trace_packet.c) are packed by protobuf-c; those of events (trace_event.c, trace_sched.c) are written
 * straight, byte for byte as protobuf-c would, in 0.4 to 0.6 of the time (make bench).
 */
#ifndef GPMU_TRACE_H
#define GPMU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpmu.h"

#define TRACE_NAME_MOST		16384	/* bytes of a name or text */
#define TRACE_ARGS_MOST		32
#define TRACE_DEPTH_MOST	16	/* of tracks */
/* Beyond either, all names are forgotten and numbered anew. */
#define TRACE_NAMES_MOST	65536
#define TRACE_NAMES_BYTES	(16U << 20)
#define TRACE_TIME_END		((uint64_t)1 << 63)
#define TRACE_CPUS_MOST		1024	/* Perfetto reads no file with more */
#define TRACE_COMMS		1024	/* threads whose name is remembered; a power of 2 */

/*
 * Clocks of ClockSnapshot. The two of our own count as CLOCK_MONOTONIC_RAW does; a stamp
 * is what was added since the packet before that has the same one. The ends of slices that are
 * known whole have one to themselves, as the next slice begins before that end where
 * there are several streams.
 */
enum trace_clock {
	TRACE_CLOCK_REALTIME = 1,
	TRACE_CLOCK_MONOTONIC = 3,
	TRACE_CLOCK_RAW = 5,
	TRACE_CLOCK_BOOTTIME = 6,
	TRACE_CLOCK_STEPS = 64,		/* of packets that say nothing */
	TRACE_CLOCK_ENDS = 65,
};

#define TRACE_SEQUENCE	1	/* the one that there is */

enum trace_sequence_flags {
	TRACE_STATE_CLEARED = 1,
	TRACE_STATE_NEEDED = 2,
};

/* Names by number: each of these kinds is told of a name for itself. */
enum trace_name_kind {
	TRACE_CATEGORY = 1,	/* the number of its field in InternedData, but for the last one */
	TRACE_EVENT_NAME,
	TRACE_ARG_NAME,
	TRACE_ARG_TEXT,
	TRACE_NAME_KINDS,
};

struct trace_name {
	uint64_t hash;
	char *key;			/* as the caller has it */
	char *text;			/* as it is written; @key where that is UTF-8 */
	uint32_t key_length, length;
	uint64_t given[TRACE_NAME_KINDS];	/* the last restart that has it */
};

struct trace_names {
	struct trace_name *names;
	size_t n, room;
	uint32_t *slots;		/* index + 1 by hash; a power of 2 */
	size_t n_slots;
	size_t bytes;
};

enum trace_track_kind {
	TRACE_TRACK_PROCESS,
	TRACE_TRACK_THREAD,
	TRACE_TRACK_PLAIN,
	TRACE_TRACK_COUNTER,
};

struct trace_track {
	enum trace_track_kind kind;
	int parent;			/* 0: none */
	unsigned int depth;
	pid_t pid, tid;
	char *name, *unit;		/* valid UTF-8, or NULL */
	uint64_t given;			/* the last restart that has it */
};

/* The name that a thread was given last by an event of scheduling */
struct trace_comm {
	uint64_t hash, given;		/* the restart that has it; 0: none */
	pid_t tid;
};

struct trace_buffer {
	uint8_t *data;
	size_t length, room;
};

struct gpmu_trace {
	int fd;
	char *path;
	size_t flush_at;
	uint64_t restart_each;
	struct trace_buffer out, scratch;
	int failed;			/* -errno of writing */
	uint64_t written;		/* bytes in the file */
	uint64_t restart;		/* the number of the last one; 0: none */
	uint64_t restart_begin;		/* bytes of the trace before it */
	uint64_t restart_bytes;		/* ... and with it */
	bool restart_due;
	uint64_t last_time;		/* the latest of an event */
	uint64_t snapshot[TRACE_CLOCK_BOOTTIME + 1];	/* the last of each clock */
	uint64_t steps, ends;		/* what these clocks show */
	struct trace_names names;
	struct trace_track *tracks;	/* track n is [n - 1] */
	size_t n_tracks, tracks_room;
	int audit;			/* its track; 0: none yet */
	uint64_t system_given;		/* the last restart that says which kernel this is */
	struct trace_comm comms[TRACE_COMMS];	/* a thread is at its tid modulo that */
	struct gpmu_trace_stats stats;
};

/* trace_buffer.c: room for @n bytes more behind @length, or NULL */
uint8_t *trace_room(struct trace_buffer *buffer, size_t n);

/* trace_text.c: bytes of @text that are written, as it is or mended; *@mended: new, or NULL */
int trace_text(struct gpmu_trace *trace, const char *text, char **mended, size_t *length);

/* trace_names.c: the number of a name, above 0, or -ENOMEM */
int64_t trace_name_of(struct gpmu_trace *trace, const char *text);
uint64_t trace_hash(const char *text, size_t length);
void trace_names_forget(struct trace_names *names);
void trace_names_release(struct trace_names *names);

/* trace_track.c */
const struct trace_track *trace_track_of(const struct gpmu_trace *trace, int track);
void trace_tracks_release(struct gpmu_trace *trace);

/* trace_packet.c: appended to the buffer. 0 or -ENOMEM */
int trace_put_restart(struct gpmu_trace *trace, uint64_t time);
int trace_put_system(struct gpmu_trace *trace);
int trace_put_track(struct gpmu_trace *trace, int track);

/* trace_restart.c: what an event at @time on @track, 0: none, refers to is in the buffer; 0 or -errno */
int trace_prepare(struct gpmu_trace *trace, int track, uint64_t time);
/* After an event: writes a buffer that is full. 0 or -errno */
int trace_done(struct gpmu_trace *trace);

/* trace_write.c: what is in the buffer; 0 or -errno */
int trace_write(struct gpmu_trace *trace);

#endif /* GPMU_TRACE_H */
