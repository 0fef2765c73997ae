/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading Perfetto's format, of metrics/trace/trace.proto, as gpmu_trace writes it. Bytes become packets
 * (trace_reader_file.c), a packet changes what is known (trace_reader_state.c) or is an event
 * (trace_reader_event.c), and ends are given their slices (trace_reader_slice.c).
 */
#ifndef GPMU_TRACE_READER_H
#define GPMU_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "gpmu.h"
#include "base/map.h"
#include "trace.pb-c.h"

#define READER_PACKET_MOST	(4U << 20)	/* bytes; a longer one is not gpmu_trace's */
#define READER_OPEN_MOST	65536U		/* slices that have begun and not ended */
#define READER_TIME_END		((uint64_t)1 << 63)

/* As in InternedData */
enum reader_name_kind { READER_CATEGORY, READER_EVENT_NAME, READER_ARG_NAME, READER_ARG_TEXT, READER_NAME_KINDS };

struct reader_names {
	struct map numbers;		/* iid to index */
	struct array texts;		/* char * */
};

/* A slice that has begun; what it says is a copy, as a restart forgets names */
struct reader_open {
	uint64_t begin, flow;
	size_t n_args;
	char *name, *category;		/* in @block, or NULL */
	struct gpmu_trace_arg *args;	/* the begin of @block, which is one allocation */
};

struct reader_track {
	enum gpmu_trace_track_kind kind;
	uint64_t parent;		/* uuid; 0: none */
	pid_t pid, tid;
	char *name, *unit;
	struct array open;		/* struct reader_open, the one that began last is the last */
};

/* Memory of one unpacked packet, used again for the next */
struct reader_arena {
	uint8_t *data;
	size_t used, room, wanted;
	struct array more;		/* void *, where that was too little */
	bool failed;			/* there was no memory */
};

struct gpmu_trace_reader {
	int fd;
	char *path;
	int failed;			/* -errno, and why */
	struct gpmu_error why;
	/* The file: bytes from @at to @length of the buffer are not read yet */
	uint8_t *data;
	size_t at, length, room;
	uint64_t offset;		/* of the buffer's begin in the file */
	uint64_t packet_offset;		/* of the packet that is being read */
	bool ended;
	struct reader_arena arena;
	GpmuPb__TracePacket *packet;
	/* What is known since the last restart */
	bool known;
	uint32_t sequence;
	uint64_t steps, ends;		/* what the incremental clocks show */
	struct reader_names names[READER_NAME_KINDS];
	/* Tracks, which stay */
	struct map numbers;		/* uuid to index */
	struct array tracks;		/* struct reader_track */
	size_t n_open;
	uint64_t last_time;
	size_t closing;			/* the track whose open slices are given at the end */
	/* What the caller has */
	struct gpmu_trace_item item;
	struct gpmu_trace_track_info track;
	struct array args;		/* struct gpmu_trace_arg */
	struct gpmu_trace_arg *block;	/* of the slice that ended */
	struct gpmu_trace_reader_stats stats;
};

/* Sets @why at the packet's offset. Returns @ret */
__attribute__((format(printf, 3, 4)))
int reader_fail(struct gpmu_trace_reader *reader, int ret, const char *fmt, ...);
int reader_no_memory(struct gpmu_trace_reader *reader);

/* trace_reader_file.c: 1 and @packet, 0 at the end, or -errno */
int reader_packet(struct gpmu_trace_reader *reader);
void reader_file_release(struct gpmu_trace_reader *reader);

/* trace_reader_state.c: names, clocks and tracks. 1; 0: the packet is somebody else's; or -errno */
int reader_learn(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);
/* The text of a number; NULL: there is none */
const char *reader_name(const struct gpmu_trace_reader *reader, enum reader_name_kind kind,
			uint64_t number);
struct reader_track *reader_track(const struct gpmu_trace_reader *reader, size_t index);
void reader_state_release(struct gpmu_trace_reader *reader);

/* trace_reader_event.c: 1: the item is one, 0: there is none for the caller, or -errno */
int reader_event(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet);

/* trace_reader_slice.c: the item begins. 0 or -errno */
int reader_begin(struct gpmu_trace_reader *reader, size_t track);
/* The end of a slice at a time: 1: the item is that slice; 0: there is none */
int reader_end(struct gpmu_trace_reader *reader, size_t track, uint64_t time);
/* Those that are open at the end of the file: likewise */
int reader_close(struct gpmu_trace_reader *reader);

#endif /* GPMU_TRACE_READER_H */
