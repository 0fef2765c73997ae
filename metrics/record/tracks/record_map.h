/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps records to the timeline as defined in metrics/record/timeline.rst. Only the writer's
 * thread uses it.
 */
#ifndef GPMU_RECORD_MAP_H
#define GPMU_RECORD_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "trace/channel/activity.h"
#include "gpmu.h"
#include "record/queue/record.h"
#include "record/tracks/record_occupancy.h"
#include "record/tracks/record_pcs.h"
#include "record/tracks/record_subtracks.h"
#include "base/map.h"
#include "trace/gpmu_trace.h"
#include "trace/gpmu_trace_gpu.h"

#define RECORD_ARGS	24	/* arguments of an event */
#define RECORD_CALLS	(1u << 16)	/* correlations that are remembered for each process */

/* Arguments of an event */
struct record_args {
	struct gpmu_trace_arg list[RECORD_ARGS];
	size_t count;
};

struct record_gpu {
	char *uuid, *name, *address;	/* @name, @address: NULL: unknown */
	int number;		/* -1: unknown */
	struct record_limits limits;
	int track;
	uint32_t clock_min, clock_max;	/* MHz; 0: unknown */
	uint32_t throttle;
	bool is_used;		/* the timeline has something about it */
};

struct record_string {
	char *text;
	char *shown;		/* demangled; NULL: not yet needed */
};

struct record_context {
	uint32_t id, device;
	bool is_other;		/* not the process's first context on that GPU */
	int number;		/* in the trace; 0: not yet needed */
};

/* The launches of a kernel with the same configuration except for the grid */
struct record_kernel_variant {
	struct record_launch launch;
	uint32_t name, device;
	int number;		/* in the trace */
	uint32_t wave;		/* blocks that run at once on the GPU; 0: unknown */
};

struct record_work_stream {
	int queue;		/* in the trace */
	uint64_t end;		/* latest end of its work */
};

struct record_thread {
	struct record_subtracks *subtracks;
	int track;
	struct record_span runtime;	/* time and correlation of the last runtime call */
	uint32_t correlation;
	uint64_t *open;		/* ids of open NVTX ranges and regions, the latest last */
	size_t open_count;
};

struct record_range {
	uint64_t id, begin;
	uint32_t thread, name, domain;
};

/* A call, or work whose call has not arrived, indexed by the low bits of its correlation */
struct record_call {
	uint32_t correlation;
	uint32_t shown;		/* correlation of the call on the timeline */
	uint64_t begin;		/* of the call; 0: none */
	uint64_t work;		/* begin of work that arrived before the call; 0: none */
	uint64_t last_work;	/* id of the latest work of the call; 0: none yet */
	uint64_t external;
	bool has_external;
};

struct record_allocated {
	int track;
	int64_t bytes;
};

struct record_node {
	uint64_t created;
	uint32_t range;		/* name of the NVTX range; 0: none */
};

struct record_pool {
	uint32_t number;
	int reserved, used;	/* tracks of counters */
	uint64_t last_reserved, last_used;	/* their last values */
};

struct record_lost {
	uint64_t count, from, to;
};

struct record_process {
	uint32_t number, pid;
	bool has_regions;	/* its channel has regions, and nothing of CUDA */
	/* Another channel of the same process, which came first and has the threads; or NULL */
	struct record_process *first;
	bool is_joined;		/* has the regions of a process that has another channel */
	char *program;
	uint32_t cupti, driver;
	int track;		/* 0: the process's first record has not arrived */
	enum record_process_end end;
	uint64_t end_time;	/* 0: the process has not ended */
	struct map strings;	/* struct record_string * */
	struct map devices;	/* index in gpus, by device */
	struct map contexts;	/* struct record_context * */
	struct map streams;	/* struct record_work_stream *, by context and stream */
	VECTOR(struct record_kernel_variant) kernels;
	struct map kernel_numbers;	/* index in kernels, by hash */
	struct map threads;	/* struct record_thread * */
	struct map ranges;	/* struct record_range *, the open ones */
	struct map addresses;	/* bytes allocated at the address */
	struct map sources;	/* library that has allocated the memory at the address */
	struct map allocated;	/* struct record_allocated *, by GPU and library */
	struct map nodes;	/* struct record_node *, by id of the node of a graph */
	struct map pools;	/* struct record_pool *, by address */
	uint32_t pool_count;
	struct record_subtracks *pool_subtracks;	/* operations on pools; NULL: none yet */
	struct map subtracks;	/* struct record_subtracks *, by GPU and purpose */
	struct record_subtracks *nvtx;
	int host_memory;	/* track; 0: not yet made */
	struct record_call *calls;	/* RECORD_CALLS entries; NULL: none yet */
	struct record_lost lost[ACTIVITY_LOST_REASONS][ACTIVITY_KINDS];
	/* Work, by kind from ACTIVITY_KERNEL on: calls of the process, and records that have arrived or were counted as lost */
	struct activity_calls tally;	/* its size is 0 until the record has arrived */
	uint64_t arrived[ACTIVITY_WORKS], accounted[ACTIVITY_WORKS];
	/* Until when ends of ranges may have been lost: of any thread, and by thread */
	uint64_t ends_lost;
	struct map ends_lost_by;
	uint64_t memory;	/* most bytes that CUPTI's buffers have had */
	struct record_pcs pcs;
	uint64_t record_count;
};

struct record_counter {
	char *name;
	int track;
	uint64_t end;		/* of the last value; 0: none */
	double value;
	double share;		/* the lowest; NaN: unknown */
	uint64_t gaps;
	struct record_subtracks *missing;	/* sub-tracks on "gaps" */
	char *parent;		/* name of the parent, such as "node 0", or the GPU's UUID */
	bool is_total;
};

struct record_causality {
	uint64_t early, overlaps, outside, checked;
};

struct record_map {
	struct gpmu_trace *trace;
	const struct gpmu_machine *machine;
	bool wants_inner_driver;	/* also show driver calls within runtime calls */
	struct record_process **processes;
	size_t process_count;
	size_t joined_count;		/* processes that are the second channel of another */
	size_t cuda_count;		/* processes with a channel of CUDA */
	uint64_t region_count;
	struct record_gpu *gpus;
	size_t gpu_count;
	uint64_t work_count;	/* work whose id is not that of a call */
	bool has_listed_gpus;
	struct record_counter *counters;
	size_t counter_count;
	struct strings tops;	/* names of the tracks "gaps" and those that are parents of counters */
	int *top_tracks;	/* by the number of their name; 0: not yet made */
	size_t top_track_count;
	struct map tasks;	/* struct record_known_task *, by tid */
	size_t task_track_count;
	struct map switched;	/* keys: CPUs of which a switch was mapped */
	/* tid of the command's thread on each CPU, 0: none; NULL: no thread ran yet */
	int32_t *task_runs;
	bool has_shown_tasks;	/* threads that ran at the begin have been written */
	int sampler;		/* of call stacks; 0: they are not sampled */
	int idle_track, ended_track;	/* of their samples without a thread; 0: not yet made */
	int outside_track;	/* of samples of tasks outside the PID namespace; 0: not yet made */
	uint64_t outside_samples;
	const struct gpmu_recorder_ranges *ranges;	/* takes counters of ranges; NULL: nothing does */
	const struct gpmu_recorder_symbols *symbols;	/* NULL: stacks and samples of SPE have no functions */
	const struct perf_event_attr *copied;	/* of samples with a copy of the stack; NULL: callers are in the samples */
	struct gpmu_spe_memory memory;	/* of the machine, for samples of SPE and pinned memory */
	bool has_read_memory;		/* for pinned memory */
	int spe_track;
	struct record_subtracks *overhead;
	struct record_causality causality;
	char **logged;		/* texts of notes already logged */
	size_t logged_count;
	uint64_t first, last;	/* of all recorded events; 0: none */
};

/* Functions return 0 or -errno: -ENOMEM, or the error of writing the trace. */

void record_map_init(struct record_map *map, struct gpmu_trace *trace,
		     const struct gpmu_machine *machine);
void record_map_release(struct record_map *map);
/* Adds a process that has connected. Returns its number or -ENOMEM. */
int record_map_process(struct record_map *map);
/*
 * Handles a record that has no time or that others depend on. Drops and counts a record whose
 * time or ids are impossible. Returns 1 if the record has a time and must go to
 * record_map_event().
 */
int record_map_early(struct record_map *map, uint32_t process, const struct activity_head *record);
/* Returns whether the record is an event, which is mapped in order of time. */
bool record_map_has_span(const struct activity_head *record);
/* Begin and end of such a record */
struct record_span record_map_span(const struct activity_head *record);
/* Maps a record; records must come in order of time. */
int record_map_event(struct record_map *map, uint32_t process, const struct activity_head *record);
int record_map_counter(struct record_map *map, const struct record_counter_head *head);
int record_map_value(struct record_map *map, struct record_span span,
		     const struct record_value *value);
/* @begin: begin of the recorded time */
int record_map_switch(struct record_map *map, uint64_t time, uint64_t begin, const struct record_switch *change);
/*
 * Maps a change of a thread. @window: the recorded time; its begin is 0 if recording has
 * not begun, and its end is 0 if it has not ended.
 */
int record_map_task(struct record_map *map, uint64_t time, struct record_span window,
		    const struct record_task *event);
/* Writes the threads that run at the window's begin, unless already written. */
int record_map_tasks_begin(struct record_map *map, struct record_span window);
/* Writes the threads that have not switched in the window. */
int record_map_tasks_end(struct record_map *map, struct record_span window);
/* For the audit, if the memory is empty after record_map_samples_begin() */
#define RECORD_NO_HOMES	"SPE: homes of operations are not known: no memory blocks of nodes in /sys/devices/system/node"
/* Reads what samples of SPE need. To be called before the first sample. */
int record_map_samples_begin(struct record_map *map);
int record_map_sample(struct record_map *map, uint64_t time, const struct record_sample *sample);
/* Maps a record of the kernel: a sample of a stack, or what the symbols need. */
int record_map_raw(struct record_map *map, const void *raw, size_t size);
/* Closes what is open at the end. */
int record_map_end(struct record_map *map);

/* --- record_task.c */
void record_map_tasks_release(struct record_map *map);
/*
 * The track of a thread. @pid: 0 if unknown. Returns 0 if the thread can have no track: it is in no process of this PID
 * namespace, or there are too many.
 */
int record_map_task_track(struct record_map *map, int32_t pid, int32_t tid);
/* The track of its samples of SPE; likewise */
int record_map_task_samples(struct record_map *map, int32_t pid, int32_t tid);
/* The process of a thread that has been described; 0: not known */
int32_t record_map_task_process(const struct record_map *map, int32_t tid);

/* --- record_strings.c */
int record_string_add(struct record_process *process, uint32_t id, const char *text);
/* "?" if the number has no name */
const char *record_string(const struct record_process *process, uint32_t id);
/* Demangles C++ names if libstdc++ is available. */
const char *record_string_demangled(const struct record_process *process, uint32_t id);
/* @string: a struct record_string */
void record_string_free(void *string);

/* --- record_gpus.c */
/* Returns the GPU's index and makes its track. @uuid: NULL if unknown */
int record_gpu_of(struct record_map *map, const char *uuid, const char *name);
/* Describes the GPU in the trace. Returns 0 or -errno. */
int record_gpu_describe(struct record_map *map, const struct record_gpu *gpu);
void record_gpus_release(struct record_map *map);

/* --- record_process.c */
/* Logs a note of the process at once, and adds it to the audit. */
int record_note(struct record_map *map, const struct record_process *process,
		const struct activity_note *note);
void record_process_free(struct record_process *process);
struct record_gpu *record_process_gpu(struct record_map *map, struct record_process *process,
				      uint32_t device);
struct record_thread *record_thread_of(struct record_map *map, struct record_process *process,
				       uint32_t tid);
/* Sub-tracks "PID PROGRAM: WHAT" below a GPU */
struct record_subtracks *record_gpu_subtracks(struct record_map *map,
					      struct record_process *process,
					      struct record_gpu *gpu, const char *what,
					      uint32_t number);
struct record_call *record_call_of(struct record_process *process, uint32_t correlation);
uint64_t record_flow(const struct record_process *process, uint32_t correlation);
struct record_context *record_context_of(const struct record_process *process, uint32_t id);
/* Writes a slice to the sub-tracks; -ENOMEM if @subtracks is NULL. @args: of the event; NULL: @event has its own */
int record_slice(struct record_map *map, struct record_subtracks *subtracks, struct gpmu_trace_event *event,
		 const struct record_args *args, uint64_t end);

/* --- record_kernels.c */
/* The kernel's entry; NULL: out of memory */
const struct record_kernel_variant *record_kernel_variant(struct record_map *map, struct record_process *process,
							   const struct activity_kernel *kernel);

/* --- record_work.c */
int record_kernel(struct record_map *map, struct record_process *process,
		  const struct activity_kernel *kernel);
int record_copy(struct record_map *map, struct record_process *process,
		const struct activity_copy *copy);
int record_set(struct record_map *map, struct record_process *process,
	       const struct activity_set *set);
int record_graph(struct record_map *map, struct record_process *process,
		 const struct activity_graph *graph);

/* --- record_balance.c */
/* Counts a record of work that has arrived, or records that the process has counted as lost. */
void record_balance_add(struct record_process *process, const struct activity_head *record);
/* Returns the number of calls without a record, of the kind ACTIVITY_KERNEL + @work. */
uint64_t record_balance_missing(const struct record_process *process, int work);
/*
 * Compares the work that a process has called with the records that have arrived, when it has ended. Missing records are
 * counted as lost, for ACTIVITY_LOST_END, and logged.
 */
void record_balance_end(struct record_process *process);

/* --- record_calls.c */
int record_call(struct record_map *map, struct record_process *process,
		const struct activity_call *call);
int record_external(struct record_process *process, const struct activity_external *external);

/* --- record_modules.c */
int record_module(struct record_map *map, struct record_process *process, const struct activity_module *module);

/* --- record_openacc.c */
int record_openacc(struct record_map *map, struct record_process *process, const struct activity_openacc *openacc);

/* --- record_nodes.c */
int record_node(struct record_map *map, struct record_process *process, const struct activity_node *node);
/* Adds when, and in which NVTX range, the node was created, if this is known. */
void record_node_args(const struct record_process *process, uint64_t node, struct record_args *args);

/* --- record_nvtx.c */
/* The name of the innermost NVTX range that is open on the thread; 0: none */
uint32_t record_nvtx_open(const struct record_process *process, const struct record_thread *thread);
int record_marker(struct record_map *map, struct record_process *process,
		  const struct activity_marker *marker);
int record_nvtx_end(struct record_map *map, struct record_process *process);

/* --- record_host_memory.c */
int record_host_memory(struct record_map *map, struct record_process *process, const struct activity_host_memory *memory);
int record_unified(struct record_map *map, struct record_process *process,
		   const struct activity_unified *unified);

/* --- record_memory.c */
int record_memory(struct record_map *map, struct record_process *process,
		  const struct activity_memory *memory);
const char *record_memory_name(uint32_t memory);

/* --- record_pools.c */
/* @memory: of a pool, or of memory in one */
int record_pool(struct record_map *map, struct record_process *process, const struct activity_memory *memory);

/* --- record_counters.c */
void record_counters_release(struct record_map *map);
int record_counters_end(struct record_map *map);

static inline void record_arg(struct record_args *args, const char *name, int64_t value)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .integer = value };
}

static inline void record_arg_text(struct record_args *args, const char *name, const char *text)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_TEXT,
							 .text = text };
}

/* Adds a text that many events share, so it goes to the string table. */
static inline void record_arg_name(struct record_args *args, const char *name, const char *text)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_NAME,
							 .text = text };
}

/* --- record_ranges.c */
/* Passes a record about counters of ranges on to map->ranges. */
int record_ranges(struct record_map *map, const struct record_process *process, const struct activity_head *record);

#endif /* GPMU_RECORD_MAP_H */
