/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of a process's activity, sent through a channel. The injection library makes them from
 * CUPTI's records, and libgpmu-mark.so from the regions that programs mark; gpmu record shows
 * them on the timeline.
 *
 * Times are CLOCK_MONOTONIC_RAW in ns. Names are numbers: an ACTIVITY_NAME record precedes
 * the first use of its number; 0 is no name. Each record begins with its head, and its
 * size is a multiple of 8 bytes; a text is at the end and NUL-terminated. A newer writer's
 * records may be longer; unknown kinds are ignored.
 */
#ifndef GPMU_ACTIVITY_H
#define GPMU_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

enum activity_kind {
	/* Always recorded */
	ACTIVITY_NAME,
	ACTIVITY_PROCESS,	/* the first record */
	ACTIVITY_DEVICE,
	ACTIVITY_CONTEXT,
	ACTIVITY_NOTE,		/* a message to the user */
	ACTIVITY_LOST,
	ACTIVITY_COMPLETE,	/* time up to which records are complete */
	ACTIVITY_CAPTURE,
	/* Recorded on request */
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
	ACTIVITY_HOST_MEMORY,
	ACTIVITY_MODULE,
	ACTIVITY_OPENACC,
	ACTIVITY_NODE,		/* recorded with graph_nodes */
	ACTIVITY_PC,		/* samples of an instruction */
	ACTIVITY_PC_TOTAL,
	ACTIVITY_CUBIN,
	ACTIVITY_CALLS,		/* numbers of calls; always recorded, once, by the reader */
	/* Counters of ranges; recorded if ranges are requested */
	ACTIVITY_RANGE_NAME,
	ACTIVITY_RANGE,
	ACTIVITY_RANGES,
	ACTIVITY_KINDS
};

/* Kinds whose calls are counted: from ACTIVITY_KERNEL to ACTIVITY_GRAPH */
#define ACTIVITY_WORKS	(ACTIVITY_GRAPH - ACTIVITY_KERNEL + 1)

struct activity_head {
	uint32_t size;	/* bytes, including the head */
	uint16_t kind;
	uint16_t flags;
};

/* A flag of any record: channel_owe() has counted the record */
#define ACTIVITY_OWED	0x8000

struct activity_name {
	struct activity_head head;
	uint32_t id, reserved;
	char text[];
};

/* A flag: the channel has the regions that the process marks, and nothing of CUDA */
enum activity_process_flags { ACTIVITY_PROCESS_REGIONS = 1 };

struct activity_process {
	struct activity_head head;
	uint64_t time;		/* begin of recording in the process */
	uint32_t pid, parent;
	uint32_t cupti;		/* cuptiGetVersion(); 0: no CUPTI, and a note has the reason */
	uint32_t driver;	/* cuDriverGetVersion() */
	char text[];		/* name of the program */
};

struct activity_device {
	struct activity_head head;
	uint32_t device;	/* the process's number of the device, used by other records */
	uint32_t major, minor;	/* compute capability; 0: the members up to @uuid are not known */
	uint32_t multiprocessors;
	/* Limits of a multiprocessor; shared: bytes */
	uint32_t warps, blocks, registers, shared;
	char uuid[48];		/* "GPU-..." */
	char text[];		/* name of the device */
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
	char text[];		/* one line without a full stop */
};

enum activity_lost_why {
	ACTIVITY_LOST_CUPTI,	/* CUPTI had no buffer */
	ACTIVITY_LOST_CHANNEL,	/* the ring was full, or no memory was left */
	ACTIVITY_LOST_TIMES,	/* the records had no times, or impossible ones */
	ACTIVITY_LOST_CORRUPT,	/* the rest of a buffer was invalid; count is in buffers */
	ACTIVITY_LOST_IDS,	/* the pid or tid is 0 or beyond INT_MAX */
	ACTIVITY_LOST_NESTING,	/* ends of regions that were not the innermost of their thread */
	ACTIVITY_LOST_END,	/* called, but not ended or not delivered by CUPTI when the process ended */
	ACTIVITY_LOST_PC_FULL,	/* PC sampling: the hardware buffer was full; number of times */
	ACTIVITY_LOST_PC_DROPPED,	/* samples that the hardware dropped */
	ACTIVITY_LOST_PC_FOREIGN,	/* samples of functions that CUPTI gives no address of */
	ACTIVITY_LOST_PC_CONTEXT,	/* contexts whose samples are missing, or missing from some time on */
	ACTIVITY_LOST_PC_MISSING,	/* samples that CUPTI counted, but did not deliver */
	ACTIVITY_LOST_REASONS,
	ACTIVITY_NOT_REFUSED = ACTIVITY_LOST_REASONS
};

/* Records without the end of a range */
#define ACTIVITY_NO_END		UINT32_MAX

struct activity_lost {
	struct activity_head head;
	uint64_t from, to;	/* time in which they were lost, as far as known */
	uint64_t count;
	uint32_t why;
	uint32_t kind;		/* enum activity_kind of the records; 0: of any kind */
	/* Thread with ends of its ranges among the records; 0: any thread; or ACTIVITY_NO_END */
	uint32_t thread, reserved;
};

/*
 * All activity that had ended at this time has been written, as far as CUPTI has delivered
 * it.
 */
struct activity_complete {
	struct activity_head head;
	uint64_t time;
	uint64_t memory;	/* most bytes that CUPTI's buffers have had at once */
};

/*
 * Work that a process has called, each by kind from ACTIVITY_KERNEL on. Calls that fail are not counted, and neither are
 * launches that add a node to a graph.
 */
struct activity_calls {
	struct activity_head head;
	uint64_t from, to;	/* time in which missing records were lost, as far as known */
	uint64_t called[ACTIVITY_WORKS];	/* while CUPTI recorded the kind */
	/* while CUPTI began or ceased to record the kind: the call may have a record */
	uint64_t unsure[ACTIVITY_WORKS];
	uint64_t outside[ACTIVITY_WORKS];	/* records that arrived, but are outside of capture ranges */
};

/* Begin or end of a capture range; of nested ranges, those of the outermost */
struct activity_capture {
	struct activity_head head;
	uint64_t time;
	uint32_t begins, reserved;
};

/* Common begin of all records of work in a stream */
struct activity_work {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t device, context, stream, correlation;
	uint32_t graph, graph_reserved;
	uint64_t node;		/* node of the graph; 0: not in a graph */
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
	/* device at the other end; the work's own device if there is none */
	uint32_t peer;
};

struct activity_set {
	struct activity_work work;
	uint64_t bytes;
	uint32_t value, memory;
};

/* A graph that is recorded as a whole */
struct activity_graph {
	struct activity_work work;
};

/* A call: ACTIVITY_RUNTIME or ACTIVITY_DRIVER */
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
	uint32_t context, stream;	/* stream: UINT32_MAX: none */
	uint32_t correlation, sync;
};

enum activity_marker_kind { ACTIVITY_MARKER_BEGIN, ACTIVITY_MARKER_END, ACTIVITY_MARKER_INSTANT };

/*
 * NVTX, or a region that the program marks. Begin and end of a range have the same id; the end has
 * no name.
 */
struct activity_marker {
	struct activity_head head;
	uint64_t time, id;
	uint32_t thread;	/* calling thread; 0: unknown */
	uint32_t marker;
	uint32_t name, domain;	/* domain: 0: the default domain */
};

enum activity_memory_operation {
	ACTIVITY_MEMORY_ALLOCATED,
	ACTIVITY_MEMORY_FREED,
	/* Operations on a pool, whose address is address; bytes is 0 */
	ACTIVITY_MEMORY_POOL_CREATED,
	ACTIVITY_MEMORY_POOL_DESTROYED,
	ACTIVITY_MEMORY_POOL_TRIMMED,	/* also at each synchronization */
	ACTIVITY_MEMORY_OPERATIONS
};

/* Allocation or release of memory, or an operation on a pool of memory */
struct activity_memory {
	struct activity_head head;
	uint64_t time, address, bytes;
	uint32_t device, context;
	uint32_t memory;	/* enum activity_memory_kind */
	uint32_t operation;	/* enum activity_memory_operation */
	uint32_t stream, correlation;
	/* The pool after the operation; 0: none, or a pool of another process */
	uint64_t pool;		/* address */
	uint64_t reserved, used;	/* bytes that it has, and those of them that are allocated */
	uint64_t threshold;	/* bytes that it keeps at a synchronization */
	uint32_t source;	/* path of the library that has allocated; 0: not known */
	uint32_t padding;
};

struct activity_overhead {
	struct activity_head head;
	uint64_t begin, end;
	uint32_t thread;	/* 0: no particular thread */
	uint32_t name;		/* of the overhead's type */
};

/* An id that the program has attached to the call with this correlation */
struct activity_external {
	struct activity_head head;
	uint64_t external;
	uint32_t kind;		/* CUpti_ExternalCorrelationKind */
	uint32_t correlation;
};

/* Unified memory: bytes migrated, or page faults */
struct activity_unified {
	struct activity_head head;
	uint64_t begin, end, address, value;
	uint32_t name;		/* of the counter: "bytes HtoD" */
	uint32_t from, to;	/* devices; UINT32_MAX: the host */
	uint32_t reserved;
};

enum activity_host_event {
	ACTIVITY_HOST_ALLOCATED,
	ACTIVITY_HOST_REGISTERED,	/* pages of the program are pinned */
	ACTIVITY_HOST_FREED,
	ACTIVITY_HOST_ON_NODE,
	ACTIVITY_HOST_EVENTS
};

/* Memory that host and GPUs access: pinned or managed. Its address identifies it until it is freed. */
struct activity_host_memory {
	struct activity_head head;
	uint64_t time, address;
	uint64_t bytes;		/* ACTIVITY_HOST_ON_NODE: those on the node */
	uint32_t event;		/* enum activity_host_event */
	uint32_t memory;	/* ACTIVITY_MEMORY_PINNED or ACTIVITY_MEMORY_MANAGED */
	uint32_t context, correlation;	/* of the call */
	uint32_t node, reserved;
};

/* The state of a GPU */
struct activity_environment {
	struct activity_head head;
	uint64_t time;
	uint32_t device;
	/*
	 * 1: clocks in MHz (SM, memory), throttle reasons; 2: temperature in degrees
	 * Celsius; 3: power and its limit in mW
	 */
	uint32_t what;
	uint32_t values[4];
};

enum activity_module_what {
	ACTIVITY_MODULE_LOADED,
	ACTIVITY_MODULE_PTX,		/* the driver compiled PTX */
	ACTIVITY_MODULE_NVVM,		/* the driver compiled NVVM IR to PTX */
	ACTIVITY_MODULE_FROM_CACHE,	/* the driver's cache of compiled modules had it */
	ACTIVITY_MODULE_TO_CACHE,
	ACTIVITY_MODULE_WHATS
};

/* A module of kernels: its load, which is an instant, or an operation of the driver's compiler */
struct activity_module {
	struct activity_head head;
	uint64_t begin, end;
	uint64_t bytes;		/* of the loaded cubin; 0: not known */
	uint32_t thread;
	uint32_t what;		/* enum activity_module_what */
	uint32_t path;		/* name of the file in the cache; 0: none */
	uint32_t reserved;
};

/* An operation of OpenACC's runtime */
struct activity_openacc {
	struct activity_head head;
	uint64_t begin, end;
	uint64_t bytes;		/* of a copy or an allocation; 0: none */
	uint32_t thread;
	uint32_t event;		/* CUpti_OpenAccEventKind */
	uint32_t line;		/* of the construct; 0: not known */
	/* Names; 0: not known. subject: the kernel or variable */
	uint32_t file, function, subject;
};

/* A node of a graph, created by the program or cloned from another one */
struct activity_node {
	struct activity_head head;
	uint64_t begin, end;	/* equal */
	uint64_t node;		/* that of the records of its work, if the graph is executable */
	uint64_t original;	/* the node from which it was cloned; 0: none */
	uint32_t thread, reserved;
};

/*
 * Samples of an instruction with a stall reason, taken between begin and end. The instruction is in a function of a
 * cubin, which is known by its CRC.
 */
struct activity_pc {
	struct activity_head head;
	uint64_t begin, end;
	uint64_t cubin;		/* CRC */
	uint64_t offset;	/* bytes from the function's begin */
	uint32_t device, context;
	uint32_t function;	/* mangled name */
	uint32_t symbol;	/* index in the cubin's symbol table */
	uint32_t stall;		/* name of the reason */
	uint32_t correlation;	/* of the kernel; 0: not known */
	uint64_t samples;	/* all, and those of them in which the scheduler issued nothing */
	uint64_t not_issued;
};

/* Numbers of samples that CUPTI has counted since the last record of the context */
struct activity_pc_total {
	struct activity_head head;
	uint64_t time;
	uint64_t samples, dropped;
	uint64_t foreign;	/* those of @samples for which CUPTI gives no instruction */
	uint64_t full;		/* how often the hardware buffer was full */
	uint32_t device, context;
	uint32_t mode;		/* enum channel_pc_mode */
	uint32_t period;	/* cycles: 1 << period */
	uint32_t stalls;	/* chosen reasons, as in struct channel_control; 0: all */
	uint32_t reserved;
};

/* A part of a cubin's image, which follows the record */
struct activity_cubin {
	struct activity_head head;
	uint64_t cubin;		/* CRC */
	uint64_t total;		/* bytes of the image */
	uint64_t offset, bytes;	/* of the part */
};

/* Precedes the first range of this name in the process */
struct activity_range_name {
	struct activity_head head;
	uint32_t id;		/* from 1 */
	uint32_t parent;	/* id of the range around it; 0: none */
	char text[];		/* of a kernel: mangled */
};

/* The counters of a range: a kernel's launch, or a range of the program. With SASS metrics: of all launches of a function */
struct activity_range {
	struct activity_head head;
	uint64_t number;	/* of the launch, or of the outermost range around it, from 0 */
	uint64_t count;		/* 1, or the launches of the function */
	uint32_t name;		/* id */
	uint32_t value_count;
	double values[];	/* of the requested metrics, in their order */
};

/* Why ranges have no counters */
enum activity_ranges_lost {
	ACTIVITY_RANGES_DROPPED,	/* counted, but missing in CUPTI's image */
	ACTIVITY_RANGES_SKIPPED,	/* left out by the filter, skip or count */
	ACTIVITY_RANGES_DEEP,		/* nested deeper than the levels that are counted */
	ACTIVITY_RANGES_OVERLAPPING,	/* of a thread while another thread's range was open, or not nested */
	ACTIVITY_RANGES_LAPS,		/* counted in one of several passes, which are combined in one range */
	ACTIVITY_RANGES_PARTIAL,	/* not counted in all passes */
	ACTIVITY_RANGES_FOREIGN,	/* of another context, or after the profiler has ended */
	ACTIVITY_RANGES_EMPTY,		/* without work of the GPU */
	ACTIVITY_RANGES_REASONS
};

/* Checkpoints of the memory of the GPU; sums */
struct activity_checkpoints {
	uint64_t saved, restored;
	uint64_t failed;	/* could not be saved or restored, which ends counting */
	uint64_t bytes;		/* that the program had allocated */
	uint64_t device_bytes;	/* that they took of the memory of the GPU; the rest is in memory of the host */
	uint64_t save_time, restore_time;	/* ns */
};

/* The numbers of a process's ranges since its last record of them. A process that ends in order has one or more. */
struct activity_ranges {
	struct activity_head head;
	uint64_t seen;		/* kernels launched, or ranges begun */
	uint64_t counted;	/* records of ranges */
	uint64_t lost[ACTIVITY_RANGES_REASONS];
	uint32_t passes;	/* of the metrics on this chip */
	uint32_t is_complete;	/* application replay: 1: this run was the last one */
	struct activity_checkpoints checkpoints;
};

/* Minimum size of a kind's records; has_text: the record ends with a NUL-terminated text */
struct activity_shape {
	uint32_t size;
	bool has_text;
};

extern const struct activity_shape activity_shapes[ACTIVITY_KINDS];

/*
 * Returns whether a record has all members of its kind and its text is terminated. Of unknown
 * kinds only the size is checked, which must be a multiple of 8 bytes. Inline, as both ends of a channel check each record.
 */
static inline bool activity_is_valid(const struct activity_head *record)
{
	const char *bytes = (const char *)record;

	if (record->size < sizeof(*record) || record->size % 8)
		return false;
	if (record->kind >= ACTIVITY_KINDS)
		return true;
	if (record->size < activity_shapes[record->kind].size)
		return false;
	if (activity_shapes[record->kind].has_text && bytes[record->size - 1])
		return false;
	return record->kind != ACTIVITY_DEVICE ||
	       !((const struct activity_device *)record)->uuid[sizeof(((struct activity_device *)0)->uuid) - 1];
}

#endif /* GPMU_ACTIVITY_H */
