/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From records to what is on the timeline, by metrics/record/timeline.rst. All of this is the writing
 * thread's.
 */
#ifndef GPMU_RECORD_MAP_H
#define GPMU_RECORD_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/channel/activity.h"
#include "gpmu.h"
#include "record/tracks/record_lanes.h"
#include "record/tracks/record_table.h"

#define RECORD_CALLS	(1u << 16)	/* correlations that are known of a process */

struct record_gpu {
	char *uuid, *name;
	int number;		/* -1: it is not known */
	int track;
	uint32_t clock_min, clock_max;	/* MHz; 0: not known */
	uint32_t throttle;
	bool used;		/* something of it is on the timeline */
};

struct record_name {
	char *text;
	char *shown;		/* demangled; NULL: it was not asked for */
};

struct record_context {
	uint32_t id, device;
	bool other;		/* not the process's first on that GPU */
};

struct record_work_stream {
	struct record_lanes lanes;
	uint64_t end;		/* the latest of it */
};

struct record_thread {
	struct record_lanes lanes;
	int track;
	struct record_span runtime;	/* the last call of the runtime, and its correlation */
	uint32_t correlation;
	uint64_t *open;		/* ids of NVTX ranges, the last one on top */
	size_t n_open;
};

struct record_range {
	uint64_t id, begin;
	uint32_t thread, name, domain;
};

/* A call, or work whose call has not come: by its correlation, which its index is the end of */
struct record_call {
	uint32_t correlation;
	uint32_t shown;		/* correlation of the call that is on the timeline */
	uint64_t begin;		/* 0: none */
	uint64_t work;		/* begin of work that came before; 0: none */
	uint64_t external;
	bool has_external;
};

struct record_allocated {
	int track;
	int64_t bytes;
};

struct record_lost {
	uint64_t count, from, to;
};

enum record_process_end { RECORD_RUNNING, RECORD_CLOSED, RECORD_VANISHED };

struct record_process {
	uint32_t number, pid;
	char *program;
	uint32_t cupti, driver;
	int track;		/* 0: its first record has not come */
	enum record_process_end end;
	struct record_table names;	/* struct record_name * */
	struct record_table devices;	/* index in gpus */
	struct record_table contexts;	/* struct record_context * */
	struct record_table streams;	/* struct record_work_stream *, by context and stream */
	struct record_table threads;	/* struct record_thread * */
	struct record_table ranges;	/* struct record_range *, that are open */
	struct record_table addresses;	/* bytes that are allocated there */
	struct record_table allocated;	/* struct record_allocated *, by GPU */
	struct record_table lanes;	/* struct record_lanes *, by GPU and what they are of */
	struct record_lanes *nvtx;
	struct record_call *calls;	/* RECORD_CALLS of them; NULL: none yet */
	struct record_lost lost[ACTIVITY_LOST_REASONS];
	uint64_t records;
};

struct record_counter {
	char *name;
	int track;
	uint64_t end;		/* of the last value; 0: none */
	double value;
	double share;		/* the lowest; NaN: it is not known */
	uint64_t gaps;
	struct record_lanes *missing;	/* on "gaps" */
	char *of;		/* "node 0", "machine", "command", or the GPU's UUID */
	bool is_total;
};

struct record_causality {
	uint64_t early, overlaps, outside, checked;
};

struct record_map {
	struct gpmu_trace *trace;
	const struct gpmu_machine *machine;
	bool inner_driver;	/* calls of the driver within those of the runtime too */
	struct record_process **processes;
	size_t n_processes;
	struct record_gpu *gpus;
	size_t n_gpus;
	bool gpus_listed;
	struct record_counter *counters;
	size_t n_counters;
	struct record_table nodes;	/* tracks */
	struct record_table tasks;	/* struct record_known_task *, by thread */
	size_t n_task_tracks;
	int32_t *task_runs;	/* on each CPU, 0: none of them; NULL: none has yet */
	bool tasks_shown;	/* from the time on that is recorded */
	int machine_track, command_track, gaps_track, cupti_track;
	struct record_lanes *overhead;
	struct record_causality causality;
	char **told;		/* notes that were */
	size_t n_told;
	uint64_t first, last;	/* of what was recorded; 0: nothing */
};

/* Of the kernel's sched_switch */
struct record_switch {
	uint32_t cpu;
	int32_t prev_pid, next_pid;
	int32_t prev_prio, next_prio;
	uint32_t reserved;
	int64_t prev_state;
	char prev_comm[16], next_comm[16];
};

/* What a thread of the command does */
enum record_task_what {
	RECORD_TASK_RUNS,
	RECORD_TASK_WAITS,
	RECORD_TASK_PREEMPTED,
	RECORD_TASK_FORKED,	/* by @parent, whose name it has */
	RECORD_TASK_NAMED,
	RECORD_TASK_EXECUTES,	/* likewise named */
	RECORD_TASK_ENDS,
};

struct record_task {
	uint32_t what, cpu;
	int32_t pid, tid, parent;
	uint32_t reserved;
	char comm[16];
};

/* Of a counter, before its first value; name, unit and UUID of the GPU, each with a 0, are behind it */
struct record_counter_head {
	int32_t scope, node, gpu_number;
	uint32_t has_unit, has_gpu;
	uint32_t is_total;	/* a value is what was counted in its time, not what was so in it */
};

struct record_value {
	uint32_t counter;
	uint32_t counted;	/* 0: it was not */
	double value, share;
};

/* All of these: 0 or -errno: -ENOMEM, or what writing the trace failed with */

void record_map_init(struct record_map *map, struct gpmu_trace *trace,
		     const struct gpmu_machine *machine);
void record_map_release(struct record_map *map);
/* A process that has connected: its number, or -ENOMEM */
int record_map_process(struct record_map *map);
/* What is not of a time, or all else depends on; 1: it has a time, and is for record_map_event() */
int record_map_early(struct record_map *map, uint32_t process, const struct activity_head *record);
/* The begin and end of such a record */
struct record_span record_map_span(const struct activity_head *record);
/* In order of time */
int record_map_event(struct record_map *map, uint32_t process, const struct activity_head *record);
int record_map_counter(struct record_map *map, const struct record_counter_head *head);
int record_map_value(struct record_map *map, struct record_span span,
		     const struct record_value *value);
int record_map_switch(struct record_map *map, uint64_t time, const struct record_switch *of);
/* @window: what is shown; its end is 0 where that has not come, and its begin where it has not begun */
int record_map_task(struct record_map *map, uint64_t time, struct record_span window,
		    const struct record_task *of);
/* Those that run at its begin, if they were not shown yet */
int record_map_tasks_begin(struct record_map *map, struct record_span window);
/* What was open, at the end */
int record_map_end(struct record_map *map);

/* --- record_task.c */
void record_map_tasks_release(struct record_map *map);

/* --- record_names.c */
int record_name_add(struct record_process *process, uint32_t id, const char *text);
/* "?" where there is none of the number */
const char *record_name(const struct record_process *process, uint32_t id);
/* Of C++ as it was written, where libstdc++ is there */
const char *record_name_demangled(const struct record_process *process, uint32_t id);
void record_names_release(struct record_process *process);

/* --- record_gpus.c */
/* Its index, with its track. @uuid NULL: not known */
int record_gpu_of(struct record_map *map, const char *uuid, const char *name);
void record_gpus_release(struct record_map *map);

/* --- record_process.c */
void record_process_free(struct record_process *process);
struct record_gpu *record_process_gpu(struct record_map *map, struct record_process *process,
				      uint32_t device);
struct record_thread *record_thread_of(struct record_map *map, struct record_process *process,
				       uint32_t tid);
/* The lanes "PID PROGRAM: WHAT" below a GPU */
struct record_lanes *record_gpu_lanes(struct record_map *map, struct record_process *process,
				      struct record_gpu *gpu, const char *what, uint32_t number);
struct record_call *record_call_of(struct record_process *process, uint32_t correlation);
uint64_t record_flow(const struct record_process *process, uint32_t correlation);
const struct record_context *record_context_of(const struct record_process *process, uint32_t id);
/* A slice on the lanes */
int record_slice(struct record_map *map, struct record_lanes *lanes,
		 struct gpmu_trace_event *event, uint64_t end);

/* --- record_work.c */
int record_kernel(struct record_map *map, struct record_process *process,
		  const struct activity_kernel *kernel);
int record_copy(struct record_map *map, struct record_process *process,
		const struct activity_copy *copy);
int record_set(struct record_map *map, struct record_process *process,
	       const struct activity_set *set);
int record_graph(struct record_map *map, struct record_process *process,
		 const struct activity_graph *graph);

/* --- record_calls.c */
int record_call(struct record_map *map, struct record_process *process,
		const struct activity_call *call);
int record_external(struct record_process *process, const struct activity_external *external);

/* --- record_nvtx.c */
int record_marker(struct record_map *map, struct record_process *process,
		  const struct activity_marker *marker);
int record_nvtx_end(struct record_map *map, struct record_process *process);

/* --- record_memory.c */
int record_memory(struct record_map *map, struct record_process *process,
		  const struct activity_memory *memory);
int record_unified(struct record_map *map, struct record_process *process,
		   const struct activity_unified *unified);
const char *record_memory_kind(uint32_t kind);

/* --- record_counters.c */
void record_counters_release(struct record_map *map);
int record_counters_end(struct record_map *map);

/* Arguments of an event */
struct record_args {
	struct gpmu_trace_arg list[16];
	size_t n;
};

static inline void record_arg(struct record_args *args, const char *name, int64_t value)
{
	args->list[args->n++] = (struct gpmu_trace_arg){ .name = name, .integer = value };
}

static inline void record_arg_text(struct record_args *args, const char *name, const char *text)
{
	args->list[args->n++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_TEXT,
							 .text = text };
}

/* Likewise, of a text that many events have */
static inline void record_arg_name(struct record_args *args, const char *name, const char *text)
{
	args->list[args->n++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_NAME,
							 .text = text };
}

#endif /* GPMU_RECORD_MAP_H */
