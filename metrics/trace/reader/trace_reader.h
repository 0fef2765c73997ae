/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads Perfetto's format (metrics/trace/trace.proto) as written by gpmu_trace.
 * trace_reader_file.c splits the file into packets. A packet either updates the state
 * (trace_reader_state.c, trace_reader_gpu.c) or is an event (trace_reader_event.c, trace_reader_work.c,
 * trace_reader_sched.c).
 * trace_reader_slice.c matches ends with the begins of slices.
 */
#ifndef GPMU_TRACE_READER_H
#define GPMU_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "gpmu.h"
#include "base/map.h"
#include "trace.pb-c.h"
#include "trace/reader/gpmu_trace_reader.h"

#define READER_PACKET_MAX	(4U << 20)	/* bytes; gpmu_trace writes no longer packets */
#define READER_OPEN_MAX	65536U		/* slices that have begun and not ended */
#define READER_TIME_END		((uint64_t)1 << 63)

/* String tables, in the order of InternedData */
enum reader_name_kind {
	READER_CATEGORY, READER_EVENT_NAME, READER_ARG_NAME, READER_ARG_TEXT, READER_FUNCTION,
	READER_FRAME,		/* its function */
	READER_STACK,		/* its functions, separated by ";" */
	READER_SAMPLER,		/* sampled events, by sequence */
	READER_COMPUTE_ARG,
	READER_NAME_KINDS
};

/* Interned messages that are more than a text */
enum reader_message_kind { READER_CONTEXT, READER_SPECIFICATION, READER_DESCRIPTOR, READER_KERNEL, READER_MESSAGE_KINDS };

struct reader_message {
	ProtobufCMessage *message;
};

struct reader_messages {
	struct map numbers;		/* maps iid to index */
	struct reader_message *list;
	size_t count;
};

struct reader_names {
	struct map numbers;		/* maps iid to index */
	char **texts;
	size_t count;
};

/* A slice that has begun. Its texts are copies, because a restart clears the string tables. */
struct reader_open {
	uint64_t begin, flow;
	size_t arg_count;
	char *name, *category;		/* in @block; NULL: none */
	struct gpmu_trace_arg *args;	/* beginning of @block, which is a single allocation */
};

struct reader_track {
	struct gpmu_trace_track_info info;	/* its parent is set when the caller asks for it; owns name and unit */
	uint64_t parent;		/* uuid; 0: none */
	struct reader_open *open;	/* the latest begin last */
	size_t open_count;
};

/* Memory of one unpacked packet, reused for the next */
struct reader_arena {
	uint8_t *data;
	size_t used, room, wanted;
	void **more;			/* further blocks for a packet that exceeds data */
	size_t more_count;
	bool has_failed;		/* out of memory */
};

struct gpmu_trace_reader {
	int fd;
	char *path;
	int failed;			/* -errno; why has the reason */
	struct gpmu_error why;
	/* The file: bytes from @pos to @length of the buffer are unread. */
	uint8_t *data;
	size_t pos, length, room;
	uint64_t offset;		/* of the buffer's first byte in the file */
	uint64_t packet_offset;		/* of the current packet in the file */
	bool has_ended;
	struct reader_arena arena;
	GpmuPb__TracePacket *packet;
	/* State since the last restart */
	bool is_known;
	uint32_t sequence;
	uint64_t steps, ends;		/* last values of the incremental clocks */
	struct reader_names names[READER_NAME_KINDS];
	/* Tracks, which restarts keep */
	struct map numbers;		/* maps uuid to index */
	struct reader_track *tracks;
	size_t track_count;
	size_t open_count;
	uint64_t last_time;
	/* State of GPUs; messages are those since the last restart */
	struct reader_messages messages[READER_MESSAGE_KINDS];
	struct gpmu_trace_gpu *gpus;	/* by number; owns its texts; size 0: not described */
	size_t gpu_count;
	struct map queues;		/* index of the latest track, by GPU and iid */
	struct map counters;		/* index of the track, by iid of the descriptor and counter, since the last restart */
	struct map counts;		/* of a sampled event on a CPU, so far; by reader_key() */
	/* track whose open slices are being returned at the end of the file */
	size_t closing;
	/* Data returned to the caller */
	struct gpmu_trace_item item;
	struct gpmu_trace_switch change;
	struct gpmu_trace_work work;
	struct gpmu_trace_arg *block;	/* of the slice that has ended */
	struct gpmu_trace_reader_stats stats;
};

/* trace_reader_file.c: sets @why with the packet's offset. Returns @ret. */
__attribute__((format(printf, 3, 4)))
int reader_fail(struct gpmu_trace_reader *reader, int ret, const char *fmt, ...);
int reader_no_memory(struct gpmu_trace_reader *reader);

/* Returns 1 with @packet set, 0 at the end, or -errno */
int reader_packet(struct gpmu_trace_reader *reader);
/* Allocates memory that is valid until the next packet; NULL if out of memory */
void *reader_alloc(struct gpmu_trace_reader *reader, size_t size);
void reader_file_release(struct gpmu_trace_reader *reader);

/*
 * trace_reader_state.c: learns names, clocks and tracks. Returns 1; 0 if gpmu_trace did
 * not write the packet; or -errno.
 */
int reader_learn(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);
/* Number of an entry of the tables of a sampled event's sequence in ours */
static inline uint64_t reader_key(const GpmuPb__TracePacket *packet, uint64_t number)
{
	return (uint64_t)packet->trusted_packet_sequence_id << 32 ^ number;
}
/* Text of a number in a string table; NULL: none */
const char *reader_name(const struct gpmu_trace_reader *reader, enum reader_name_kind kind,
			uint64_t number);
/*
 * Text of a number that must be in the table; NULL with the error "@user NUMBER, which is not in the string table".
 * @base: number of the sequence's entry 0
 */
const char *reader_need_name(struct gpmu_trace_reader *reader, enum reader_name_kind kind, uint64_t base,
			     uint64_t number, const char *user);
/* Adds a track without uuid. Returns its index or -ENOMEM. */
int64_t reader_add_track(struct gpmu_trace_reader *reader, enum gpmu_trace_track_kind kind, int gpu, const char *name);
void reader_state_release(struct gpmu_trace_reader *reader);

/* trace_reader_gpu.c: learns from interned data and descriptions of GPUs. Returns 0 or -errno. */
int reader_learn_gpu(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);
/* An interned message; NULL: there is none of that number */
const void *reader_message(const struct gpmu_trace_reader *reader, enum reader_message_kind kind, uint64_t iid);
void reader_forget_gpu(struct gpmu_trace_reader *reader);
void reader_gpu_release(struct gpmu_trace_reader *reader);

/*
 * trace_reader_event.c: the time of a packet, which must have one. @usual: clock of the sequence. Returns 1 with @time
 * set, 0 if the clock is not one of gpmu_trace's, or -EINVAL
 */
int reader_time(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet, uint32_t usual, uint64_t *time);
/* Returns 1 if the item is set, 0 if the packet yields none, or -errno */
int reader_event(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);

/* Likewise, of a packet with a sample of a call stack */
int reader_sample(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);

/* trace_reader_work.c: likewise, of a packet with work of a GPU, and with a value of its counter */
int reader_work(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);
int reader_gpu_value(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);

/* trace_reader_sched.c: likewise, of a packet with scheduling events */
int reader_sched(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);

/* trace_reader_slice.c: begins a slice from the item. Returns 0 or -errno. */
int reader_begin(struct gpmu_trace_reader *reader, size_t track);
/* Ends a slice at @time. Returns 1 if the item is the ended slice, 0 if none was open. */
int reader_end(struct gpmu_trace_reader *reader, size_t track, uint64_t time);
/* Ends the next slice that is open at the end of the file, likewise. */
int reader_close(struct gpmu_trace_reader *reader);

#endif /* GPMU_TRACE_READER_H */
