/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes Perfetto's format as defined by metrics/trace/trace.proto, in one sequence of packets.
 * protobuf-c packs the rare packets (trace_packet.c). Event packets (trace_event.c,
 * trace_sched.c, trace_sample.c) are encoded directly, byte for byte as protobuf-c would encode them, in
 * 0.4 to 0.6 of its time (make bench).
 */
#ifndef GPMU_TRACE_H
#define GPMU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "trace/gpmu_trace.h"
#include "trace/gpmu_trace_gpu.h"

#define TRACE_NAME_MAX		16384	/* bytes of a name or text */
#define TRACE_ARGS_MAX		32
#define TRACE_DEPTH_MAX	16	/* levels of nested tracks */
/* Limits of the string table; beyond either, it is cleared and numbering starts anew. */
#define TRACE_NAMES_MAX	65536
#define TRACE_NAMES_BYTES	(16U << 20)
#define TRACE_HINTS		1024	/* a power of 2 */
#define TRACE_TIME_END		((uint64_t)1 << 63)
#define TRACE_CPUS_MAX		1024	/* limit of Perfetto: it cannot read files with more CPUs */
#define TRACE_COMMS		1024	/* cached thread names; a power of 2 */

/*
 * Clocks of ClockSnapshot. Two clocks are our own: they advance with CLOCK_MONOTONIC_RAW,
 * and a time stamp is the difference from the previous packet with the same clock. The
 * ends of complete slices have a clock of their own: with several streams, the next slice
 * begins before such an end.
 */
enum trace_clock {
	TRACE_CLOCK_REALTIME = 1,
	TRACE_CLOCK_MONOTONIC = 3,
	TRACE_CLOCK_RAW = 5,
	TRACE_CLOCK_BOOTTIME = 6,
	TRACE_CLOCK_STEPS = 64,		/* default clock of packets */
	TRACE_CLOCK_ENDS = 65,
};

#define TRACE_FRAMES_MAX	512	/* of a sample */

/* The sequence of all packets but samples; those of sampler n have the sequence TRACE_SEQUENCE + n. */
#define TRACE_SEQUENCE	1

enum trace_sequence_flags {
	TRACE_STATE_CLEARED = 1,
	TRACE_STATE_NEEDED = 2,
};

/* String tables: a name has an entry in each table in which it is used. */
enum trace_name_kind {
	TRACE_CATEGORY = 1,	/* field number in InternedData, up to TRACE_ARG_NAME */
	TRACE_EVENT_NAME,
	TRACE_ARG_NAME,
	TRACE_ARG_TEXT,
	TRACE_COMPUTE_ARG,		/* of work of a GPU */
	TRACE_STAGE,			/* names of work, by kind */
	TRACE_NAME_KINDS = TRACE_STAGE + GPMU_TRACE_WORK_KINDS,
};

struct trace_name {
	char *key;			/* the caller's string */
	/* the string as written; equals key if key is valid UTF-8 */
	char *text;
	uint32_t key_length, length;
	uint64_t given[TRACE_NAME_KINDS];	/* the last restart that defined the name */
};

struct trace_names {
	struct trace_name *all;		/* a name's number is its index + 1 */
	size_t count;
	struct map indices;		/* by hash */
	uint32_t hints[TRACE_HINTS];	/* numbers by the address of the text; 0: none */
	size_t bytes;
};

/* TrackEvent.type */
enum { TRACE_BEGIN = 1, TRACE_END = 2, TRACE_INSTANT = 3, TRACE_COUNTER = 4 };

enum trace_track_kind {
	TRACE_TRACK_PROCESS,
	TRACE_TRACK_THREAD,
	TRACE_TRACK_PLAIN,
	TRACE_TRACK_COUNTER,
	TRACE_TRACK_QUEUE,		/* of a GPU, with the next kind; they have no TrackDescriptor */
	TRACE_TRACK_GPU_COUNTER,
};

struct trace_track {
	enum trace_track_kind kind;
	int parent;			/* number of the parent track; 0: none */
	unsigned int depth;
	pid_t pid, tid;
	char *name, *unit;		/* valid UTF-8, or NULL */
	uint64_t given;			/* the last restart that defined the track */
	int gpu, context;		/* of a queue; @gpu: also of a counter of a GPU */
	char *description;		/* of a counter of a GPU; valid UTF-8, or NULL */
	enum gpmu_trace_group group;	/* likewise */
};

/* Texts are valid UTF-8, or NULL */
struct trace_gpu {
	char *name, *uuid, *address;
};

struct trace_context {
	pid_t pid;
	uint64_t given;			/* the last restart that defined it */
};

/* Texts are valid UTF-8; @arch may be NULL. Texts of arguments are copies */
struct trace_kernel {
	char *name, *demangled, *arch;
	struct gpmu_trace_arg *args;
	size_t arg_count;
	uint64_t given;			/* the last restart that defined it */
};

/* The last name written for a thread by a scheduling event */
struct trace_comm {
	uint64_t hash, given;		/* given: the restart that defined it; 0: none */
	pid_t tid;
};

/*
 * A sampled event. The tables are those of its sequence since the last restart; numbers in the trace are
 * indices + 1.
 */
struct trace_sampler {
	char *event;			/* valid UTF-8 */
	uint64_t given;			/* the restart that the tables belong to */
	struct strings functions, objects;
	struct trace_frame *frames;	/* see trace_sample.c */
	struct trace_stack *stacks;
	uint32_t *stack_frames;		/* numbers of frames */
	size_t frame_count, stack_count, stack_frame_count;
	struct map frame_indices, stack_indices;	/* by hash */
	uint64_t *counts;		/* of the event, by CPU */
};

struct trace_buffer {
	uint8_t *data;
	size_t length, room;
};

struct gpmu_trace {
	int fd;
	char *path, *kernel;		/* kernel: of the options, or NULL */
	size_t flush_at;
	uint64_t restart_each;
	struct trace_buffer out, scratch;
	int failed;			/* -errno of the failed write */
	uint64_t written;		/* bytes in the file */
	uint64_t restart;		/* number of the last restart; 0: none */
	uint64_t restart_begin;		/* bytes of the trace before the restart */
	uint64_t restart_bytes;		/* bytes of the trace including the restart's packets */
	bool is_restart_due;
	uint64_t last_time;		/* latest time of an event */
	/* each clock's value in the last snapshot */
	uint64_t snapshot[TRACE_CLOCK_BOOTTIME + 1];
	uint64_t steps, ends;		/* last values of these clocks */
	struct trace_names names;
	struct trace_track *tracks;	/* track n is tracks[n - 1] */
	size_t track_count;
	struct trace_sampler *samplers;	/* sampler n is samplers[n - 1] */
	size_t sampler_count;
	struct trace_gpu *gpus;		/* by number */
	size_t gpu_count;
	uint64_t gpus_given;		/* the last restart that described the GPUs; 0: none */
	struct trace_context *contexts;	/* context n is contexts[n - 1] */
	size_t context_count;
	struct trace_kernel *kernels;	/* kernel n is kernels[n - 1] */
	size_t kernel_count;
	int audit;			/* track of the audit; 0: none yet */
	uint64_t system_given;		/* the last restart that described the kernel */
	struct trace_comm comms[TRACE_COMMS];	/* indexed by tid modulo TRACE_COMMS */
	struct gpmu_trace_stats stats;
};

/* trace_write.c: reserves @n bytes after @length; NULL if out of memory */
uint8_t *trace_room(struct trace_buffer *buffer, size_t n);
/* Writes the buffer. Returns 0 or -errno. */
int trace_write(struct gpmu_trace *trace);

/*
 * trace_text.c: *@length is the number of bytes to write of @text or, if that is not
 * valid, of the corrected copy *@mended, which the caller frees; else *@mended is NULL
 */
int trace_text(struct gpmu_trace *trace, const char *text, char **mended, size_t *length);
/* Copies a text as it will be written; the copy of NULL is NULL. Returns 0 or -ENOMEM. */
int trace_text_copy(struct gpmu_trace *trace, const char *text, char **copy);

/* trace_names.c: number of a name, above 0, or -ENOMEM */
int64_t trace_name_of(struct gpmu_trace *trace, const char *text);
static inline struct trace_name *trace_name(const struct trace_names *names, int64_t number)
{
	return &names->all[number - 1];
}

uint64_t trace_hash(const char *text, size_t length);
void trace_names_forget(struct trace_names *names);
void trace_names_release(struct trace_names *names);

/* trace_track.c */
const struct trace_track *trace_track_of(const struct gpmu_trace *trace, int track);
void trace_tracks_release(struct gpmu_trace *trace);

/* Adds a track with copies of the texts. Returns its number or -ENOMEM. */
int trace_track_add(struct gpmu_trace *trace, struct trace_track track, const char *name, const char *unit);

/* trace_gpu.c: writes a value of a counter of a GPU; @count or @value is NULL. Returns as gpmu_trace_value() */
int trace_gpu_value(struct gpmu_trace *trace, int track, uint64_t time, const int64_t *count, const double *value);
void trace_gpus_release(struct gpmu_trace *trace);
/* trace_kernel.c */
void trace_kernels_release(struct gpmu_trace *trace);

/* trace_sample.c */
void trace_samplers_release(struct gpmu_trace *trace);

/* trace_packet.c: appends packets to the buffer. Returns 0 or -ENOMEM. */
struct GpmuPb__TracePacket;
int trace_put(struct gpmu_trace *trace, struct GpmuPb__TracePacket *packet);
int trace_put_restart(struct gpmu_trace *trace, uint64_t time);
int trace_put_system(struct gpmu_trace *trace);
int trace_put_track(struct gpmu_trace *trace, int track);
int trace_put_sampler(struct gpmu_trace *trace, int sampler);

/* trace_intern.c: appends packets that define what later packets refer to. Return 0 or -ENOMEM. */
int trace_put_gpus(struct gpmu_trace *trace);
int trace_put_queue(struct gpmu_trace *trace, int track);
int trace_put_gpu_counter(struct gpmu_trace *trace, int track);
int trace_put_kernel(struct gpmu_trace *trace, int kernel);
/* Sets the name's number, and defines it unless the present restart has. @kind: TRACE_ARG_TEXT or later */
int trace_need_name(struct gpmu_trace *trace, enum trace_name_kind kind, const char *text, uint64_t *number);

/* Define it unless the present restart has. Return 0 or -ENOMEM. */
static inline int trace_need_gpus(struct gpmu_trace *trace)
{
	return trace->gpus_given == trace->restart || !trace->gpu_count ? 0 : trace_put_gpus(trace);
}

static inline int trace_need_queue(struct gpmu_trace *trace, int track)
{
	return trace->tracks[track - 1].given == trace->restart ? 0 : trace_put_queue(trace, track);
}

static inline int trace_need_gpu_counter(struct gpmu_trace *trace, int track)
{
	return trace->tracks[track - 1].given == trace->restart ? 0 : trace_put_gpu_counter(trace, track);
}

static inline int trace_need_kernel(struct gpmu_trace *trace, int kernel)
{
	return trace->kernels[kernel - 1].given == trace->restart ? 0 : trace_put_kernel(trace, kernel);
}

/* Numbers of specifications: queues, whose numbers are stable, are odd, and stages even. */
static inline uint64_t trace_queue_iid(int track)
{
	return (uint64_t)track << 1 | 1;
}

static inline uint64_t trace_stage_iid(uint64_t name, enum gpmu_trace_work_kind kind)
{
	return (name << 2 | (uint64_t)kind) << 1;
}

/*
 * trace_restart.c: appends all that an event at @time on @track (0: none) refers to.
 * Returns 0 or -errno.
 */
int trace_prepare(struct gpmu_trace *trace, int track, uint64_t time);
/* Completes an event: writes the buffer if it is full. Returns 0 or -errno. */
int trace_done(struct gpmu_trace *trace);

#endif /* GPMU_TRACE_H */
