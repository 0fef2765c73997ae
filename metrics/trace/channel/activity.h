/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * activity: what a process does with GPUs, as records that go through a channel. The injection
 * library makes them of CUPTI's, gpmu record puts them on the timeline.
 *
 * Times are CLOCK_MONOTONIC_RAW in ns. Names are by number: the record of a name comes before the first
 * that has its number; 0 is no name. Each record begins with its head, and is a multiple of 8 bytes; those with a text end with
 * it, with a 0 behind it. Records of a newer writer may be longer; kinds that are not known are left out.
 */
#ifndef GPMU_ACTIVITY_H
#define GPMU_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

enum activity_kind {
	/* Always there */
	ACTIVITY_NAME,
	ACTIVITY_PROCESS,	/* the first */
	ACTIVITY_DEVICE,
	ACTIVITY_CONTEXT,
	ACTIVITY_NOTE,		/* what the user should know */
	ACTIVITY_LOST,
	ACTIVITY_COMPLETE,	/* how far all is there */
	ACTIVITY_CAPTURE,
	/* As asked for */
	ACTIVITY_KERNEL,
	ACTIVITY_COPY,
	ACTIVITY_SET,
	ACTIVITY_GRAPH,
	ACTIVITY_RUNTIME,
	ACTIVITY_DRIVER,
	ACTIVITY_SYNC,
	ACTIVITY_MARKER,
	ACTIVITY_MEMORY,
	ACTIVITY_OVERHEAD,
	ACTIVITY_EXTERNAL,
	ACTIVITY_UNIFIED,
	ACTIVITY_ENVIRONMENT,
	ACTIVITY_KINDS
};

struct activity_head {
	uint32_t size;	/* with the head */
	uint16_t kind;
	uint16_t flags;
};

struct activity_name {
	struct activity_head head;
	uint32_t id, reserved;
	char text[];
};

struct activity_process {
	struct activity_head head;
	uint64_t time;		/* of the begin of recording in it */
	uint32_t pid, parent;
	uint32_t cupti;		/* cuptiGetVersion(); 0: there is none, a note says why */
	uint32_t driver;	/* cuDriverGetVersion() */
	char text[];		/* the program's name */
};

struct activity_device {
	struct activity_head head;
	uint32_t device;	/* its number in this process, by which the others name it */
	uint32_t reserved;
	char uuid[48];		/* "GPU-..." */
	char text[];		/* its name */
};

struct activity_context {
	struct activity_head head;
	uint32_t context, device;
	uint32_t null_stream;	/* number of the default stream */
	uint32_t reserved;
};

enum activity_note_level { ACTIVITY_INFO, ACTIVITY_WARNING, ACTIVITY_FATAL };

struct activity_note {
	struct activity_head head;
	uint64_t time;
	uint32_t level, reserved;
	char text[];		/* a line without a full stop */
};

enum activity_lost_why {
	ACTIVITY_LOST_CUPTI,	/* CUPTI had no buffer */
	ACTIVITY_LOST_CHANNEL,	/* the ring was full */
	ACTIVITY_LOST_TIMES,	/* records without times */
	ACTIVITY_LOST_CORRUPT,	/* the rest of a buffer that made no sense; count is of buffers */
	ACTIVITY_LOST_REASONS
};

struct activity_lost {
	struct activity_head head;
	uint64_t from, to;	/* between which they were lost, as far as it is known */
	uint64_t count;
	uint32_t why, reserved;
};

/* All that had ended at that time has been written, as far as CUPTI has given it. */
struct activity_complete {
	struct activity_head head;
	uint64_t time;
};

/* A capture range begins or ends; the first of nested ones, and the last */
struct activity_capture {
	struct activity_head head;
	uint64_t time;
	uint32_t begins, reserved;
};

/* What is of a stream begins like this. */
struct activity_work {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t device, context, stream, correlation;
	uint32_t graph, graph_reserved;
	uint64_t node;		/* in the graph; 0: in none */
};

struct activity_kernel {
	struct activity_work work;
	uint32_t name;		/* mangled */
	uint32_t grid[3], block[3];
	uint32_t registers, shared_static, shared_dynamic;	/* bytes */
};

enum activity_memory_kind {
	ACTIVITY_MEMORY_UNKNOWN,
	ACTIVITY_MEMORY_PAGEABLE,
	ACTIVITY_MEMORY_PINNED,
	ACTIVITY_MEMORY_DEVICE,
	ACTIVITY_MEMORY_ARRAY,
	ACTIVITY_MEMORY_MANAGED,
	ACTIVITY_MEMORY_DEVICE_STATIC,
	ACTIVITY_MEMORY_MANAGED_STATIC,
	ACTIVITY_MEMORY_KINDS
};

enum activity_copy_kind {
	ACTIVITY_COPY_UNKNOWN,
	ACTIVITY_COPY_HTOD,
	ACTIVITY_COPY_DTOH,
	ACTIVITY_COPY_HTOA,
	ACTIVITY_COPY_ATOH,
	ACTIVITY_COPY_ATOA,
	ACTIVITY_COPY_ATOD,
	ACTIVITY_COPY_DTOA,
	ACTIVITY_COPY_DTOD,
	ACTIVITY_COPY_HTOH,
	ACTIVITY_COPY_PTOP,
	ACTIVITY_COPY_KINDS
};

struct activity_copy {
	struct activity_work work;
	uint64_t bytes;
	uint32_t copy;		/* enum activity_copy_kind */
	uint32_t from, to;	/* enum activity_memory_kind */
	uint32_t peer;		/* the device at the other end; that of work if there is none */
};

struct activity_set {
	struct activity_work work;
	uint64_t bytes;
	uint32_t value, memory;
};

/* A whole graph */
struct activity_graph {
	struct activity_work work;
};

/* A call, of the kinds ACTIVITY_RUNTIME and ACTIVITY_DRIVER */
struct activity_call {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t thread;	/* gettid() */
	uint32_t correlation;
	uint32_t name;
	uint32_t result;	/* 0: success */
};

enum activity_sync_kind {
	ACTIVITY_SYNC_UNKNOWN,
	ACTIVITY_SYNC_EVENT,
	ACTIVITY_SYNC_STREAM_WAIT,	/* a stream waits for an event */
	ACTIVITY_SYNC_STREAM,
	ACTIVITY_SYNC_CONTEXT,
	ACTIVITY_SYNC_KINDS
};

struct activity_sync {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t context, stream;	/* stream: UINT32_MAX: of none */
	uint32_t correlation, sync;
};

enum activity_marker_kind { ACTIVITY_MARKER_BEGIN, ACTIVITY_MARKER_END, ACTIVITY_MARKER_INSTANT };

/* NVTX. The begin and the end of a range have the same id; the end has no name. */
struct activity_marker {
	struct activity_head head;
	uint64_t time, id;
	uint32_t thread;	/* that has marked this; 0: not known */
	uint32_t marker;
	uint32_t name, domain;	/* domain: 0: the default */
};

/* Of memory: allocated, or freed */
struct activity_memory {
	struct activity_head head;
	uint64_t time, address, bytes;
	uint32_t device, context;
	uint32_t memory;	/* enum activity_memory_kind */
	uint32_t frees;		/* 1: freed, 0: allocated */
	uint32_t stream, correlation;
};

struct activity_overhead {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t thread;	/* 0: not of one */
	uint32_t name;		/* what it is of */
};

/* An id that the program has given to the call with this correlation */
struct activity_external {
	struct activity_head head;
	uint64_t external;
	uint32_t kind;		/* CUpti_ExternalCorrelationKind */
	uint32_t correlation;
};

/* Unified memory: bytes moved, or page faults */
struct activity_unified {
	struct activity_head head;
	uint64_t begin, end, address, value;
	uint32_t name;		/* what was counted: "bytes HtoD" */
	uint32_t from, to;	/* devices; UINT32_MAX: the host */
	uint32_t reserved;
};

/* The state of a GPU */
struct activity_environment {
	struct activity_head head;
	uint64_t time;
	uint32_t device;
	uint32_t what;		/* 1: clocks in MHz (sm, memory), throttle reasons; 2: degrees; 3: mW, its limit */
	uint32_t values[4];
};

/*
 * Whether a record has all members of its kind, and its texts have an end. One of a kind that is not
 * known only has to be a multiple of 8 bytes.
 */
bool activity_is_valid(const struct activity_head *record);

#endif /* GPMU_ACTIVITY_H */
