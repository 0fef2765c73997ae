/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tracks that metrics/record/timeline.rst describes, of several traces, as data for a report.
 * timeline_track.c identifies tracks, timeline_take.c keeps their events, timeline_task.c adds up
 * the switches of threads, timeline_audit.c keeps the facts about the trace.
 */
#ifndef GPMU_TIMELINE_H
#define GPMU_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "gpmu.h"
#include "base/strings.h"
#include "trace/reader/gpmu_trace_reader.h"

#define TIMELINE_NONE	UINT32_MAX	/* no index, or no string */

enum timeline_role {
	TIMELINE_NOTHING,	/* not yet identified */
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

/* The meaning of a track in a file */
struct timeline_track {
	enum timeline_role role;
	uint32_t index;		/* of the GPU, stream, counter or thread; number of the node */
	uint32_t gpu;		/* GPU above the track, or TIMELINE_NONE */
	uint32_t thread;	/* the track's own thread, or the one above it; or TIMELINE_NONE */
	uint32_t pid;
	uint32_t process;	/* string "100 train", or TIMELINE_NONE */
};

struct timeline_gpu {
	int number;
	uint32_t uuid, name;	/* in the string table, or TIMELINE_NONE */
	uint32_t file;		/* the first file that has it */
};

struct timeline_stream {
	uint32_t file, gpu, name;
	uint32_t process;	/* string, or TIMELINE_NONE */
};

enum timeline_work_kind { TIMELINE_KERNEL, TIMELINE_COPY, TIMELINE_SET, TIMELINE_GRAPH };

/* Work on a stream */
struct timeline_work {
	uint64_t begin, end, bytes;
	uint32_t name;
	uint32_t kind : 2, stream : 30;
};

/* Work of a node of a graph */
struct timeline_node {
	uint64_t node;		/* its number in the process */
	uint64_t time;		/* ns that it ran */
	uint32_t name, range;	/* strings; range: NVTX range in which the node was created, or TIMELINE_NONE */
	uint32_t file, reserved;
};

/* A call on a thread */
struct timeline_call {
	uint64_t begin, end;
	uint32_t name, thread;
	uint32_t file : 30, is_driver : 1, has_failed : 1;
	uint32_t correlation;
};

/* A wait, NVTX range, gap, time that CUPTI used, operation on a module or of OpenACC */
struct timeline_slice {
	uint64_t begin, end;
	uint32_t name, file;
	/* range: domain; gap: name of what the counter counts; OpenACC: line */
	uint32_t other;
	uint32_t thread;	/* for a range, or TIMELINE_NONE */
	uint64_t value;		/* module, OpenACC: bytes */
};

struct timeline_slices {
	struct timeline_slice *list;
	size_t n;
};

/* A transfer or faults of unified memory */
struct timeline_unified {
	uint64_t begin, end, address, value;
	uint32_t name, gpu, process, file;
};

/* Pinned or managed memory */
struct timeline_host_memory {
	uint64_t begin, end;	/* its life; end: UINT64_MAX if it was not freed */
	uint64_t address, bytes;
	uint32_t file, process, kind;	/* kind: string: "pinned", "registered", "managed" */
	uint32_t correlation;	/* of the call that allocated it */
};

/* The part of pinned memory that is on a node */
struct timeline_host_node {
	size_t memory;		/* index in host_memory */
	uint64_t bytes;
	uint32_t node, gpu_node;	/* strings, gpu_node: of the GPU of the context, or TIMELINE_NONE */
};

struct timeline_value {
	uint64_t time;
	double value;
};

struct timeline_counter {
	uint32_t file, name, unit;	/* unit: string, or TIMELINE_NONE */
	uint32_t gpu, node;	/* or TIMELINE_NONE; both: machine or process */
	/*
	 * what it counts, a string: "node 0", "machine", "command", "100 train"; for a GPU
	 * its UUID, or TIMELINE_NONE
	 */
	uint32_t parent;
	bool is_of_process;	/* of a process, or of the command */
	bool is_held;		/* the last value is valid to the end of the trace */
	VECTOR(struct timeline_value) values;
};

#define TIMELINE_CPUS	1024	/* as many as a trace can have */

enum timeline_task_state { TIMELINE_UNKNOWN, TIMELINE_RUNS, TIMELINE_WAITS, TIMELINE_READY };

/* A thread whose switches were recorded, or that existed when the recording began */
struct timeline_task {
	uint32_t file, tid;
	uint32_t pid;			/* 0: unknown */
	uint32_t name, process;		/* strings, or TIMELINE_NONE */
	enum timeline_task_state state;	/* since @since */
	uint64_t since;
	uint64_t run, wait, ready;	/* ns */
	uint64_t switches;		/* how often it stopped running */
	uint64_t migrations;
	uint32_t cpu;			/* the last one on which it ran, or TIMELINE_NONE */
	uint64_t cpus[TIMELINE_CPUS / 64];	/* bits: all on which it ran */
};

/* The samples of SPE with the same texts, or TIMELINE_NONE */
struct timeline_samples {
	uint32_t tier, home;
	uint64_t count;
	uint64_t latency, latency_count, latency_max;	/* cycles, of those that have a latency */
};

/* The samples of SPE of a function with the same tier */
struct timeline_function {
	uint32_t function, object;	/* strings, or TIMELINE_NONE */
	struct timeline_samples samples;	/* without a home */
};

/* A sample of SPE of a thread */
struct timeline_sample {
	uint64_t time;
	uint32_t thread;
	uint32_t samples;	/* index in samples */
	uint32_t latency;	/* cycles, or TIMELINE_NONE */
};

/* The PC samples of an instruction of a GPU with the same stall reason */
struct timeline_pc {
	uint32_t function, stall, file;		/* strings; file: TIMELINE_NONE: its line is not known */
	uint32_t line, offset;
	uint64_t samples, not_issued;
};

/* The samples of an event with the same call stack, of threads with the same name */
struct timeline_stack {
	uint32_t comm;		/* string: last name of the threads; of PC samples GPU */
	uint32_t event;		/* string */
	uint32_t stack;		/* string: functions from the outermost on, separated by ";" */
	uint64_t count;
	uint64_t period;	/* sum */
};

/* The samples of an event with the same call stack, of one thread, whose name is known at the end of the file */
struct timeline_thread_stack {
	uint32_t call, tid;	/* tid: TIMELINE_NONE for PC samples */
	uint32_t event, stack;	/* strings */
	uint64_t count;
	uint64_t period;	/* sum */
};

struct timeline_arg {
	uint32_t name, text;	/* text: string; TIMELINE_NONE: the argument is a number */
	double number;
};

/* An entry of the track audit */
struct timeline_fact {
	uint32_t file, name;
	VECTOR(struct timeline_arg) args;
};

struct timeline_file {
	char *path;
	uint32_t host;		/* string, or TIMELINE_NONE */
	int64_t rank;		/* -1: unknown */
	uint64_t begin, end;	/* recorded time */
	uint64_t first, last;	/* first begin and last end of events */
	uint64_t unplaced;	/* number of works whose track is not a stream's */
	bool has_events;	/* the file has an event */
	struct gpmu_trace_reader_stats stats;
};

struct timeline {
	struct strings strings;
	VECTOR(struct timeline_file) files;
	VECTOR(struct timeline_gpu) gpus;
	VECTOR(struct timeline_stream) streams;
	VECTOR(struct timeline_work) works;
	VECTOR(struct timeline_call) calls;
	struct timeline_slices waits, ranges, gaps, overheads, modules, openacc;
	VECTOR(struct timeline_unified) unified;
	VECTOR(struct timeline_host_memory) host_memory;
	struct map host_numbers;	/* index of the latest in host_memory, by address and process */
	VECTOR(struct timeline_host_node) host_nodes;
	VECTOR(struct timeline_node) nodes;
	VECTOR(struct timeline_counter) counters;
	VECTOR(struct timeline_fact) facts;
	VECTOR(struct timeline_task) tasks;
	struct map task_numbers;	/* index in tasks by tid, of the current file */
	VECTOR(struct timeline_samples) samples;
	struct map sample_numbers;	/* index in samples, by tier and home */
	VECTOR(struct timeline_function) functions;
	struct map place_numbers;	/* index of the first one in functions, by function and object */
	struct map function_numbers;	/* index in functions, by place and tier */
	VECTOR(struct timeline_sample) thread_samples;
	VECTOR(struct timeline_pc) pcs;
	VECTOR(struct timeline_stack) stacks;
	struct map stack_numbers;	/* index in stacks, by call and comm */
	struct map call_numbers;	/* number of an event and its call stack */
	uint32_t call_count;
	VECTOR(struct timeline_thread_stack) thread_stacks;	/* of the current file */
	struct map thread_stack_numbers;	/* index in thread_stacks, by call and tid */
	struct map event_periods;	/* sum of the periods of an event's samples, by event */
	uint32_t thread_count;
	VECTOR(struct timeline_track) tracks;	/* of the current file */
};

/* Reads a trace. Returns 0 or -errno. */
int timeline_add(struct timeline *timeline, int fd, const char *path, struct gpmu_error *error);
void timeline_release(struct timeline *timeline);

/* Length of the recorded time in ns */
uint64_t timeline_wall(const struct timeline_file *file);
/* Numeric argument of a fact; false if there is none of that name */
bool timeline_number(const struct timeline *timeline, const struct timeline_fact *fact,
		     const char *name, double *number);
/* Text argument of a fact; NULL if there is none */
const char *timeline_text(const struct timeline *timeline, const struct timeline_fact *fact,
			  const char *name);

/* timeline_track.c: NULL if out of memory */
const struct timeline_track *timeline_track(struct timeline *timeline,
					    struct gpmu_trace_reader *reader, int number);
/* timeline_take.c: returns 0 or -ENOMEM */
int timeline_take(struct timeline *timeline, struct gpmu_trace_reader *reader,
		  const struct gpmu_trace_item *item);
/* timeline_host.c: likewise */
int timeline_take_unified(struct timeline *timeline, const struct timeline_track *track,
			  const struct gpmu_trace_item *item);
int timeline_take_host_memory(struct timeline *timeline, const struct timeline_track *track,
			      const struct gpmu_trace_item *item);
/* timeline_arg.c: arguments of an item; 0 or NULL if there is none */
const struct gpmu_trace_arg *timeline_arg(const struct gpmu_trace_item *item, const char *name);
uint64_t timeline_integer(const struct gpmu_trace_item *item, const char *name);
const char *timeline_text_of(const struct gpmu_trace_item *item, const char *name);
/* Sets the number of an argument's text, or TIMELINE_NONE. Returns 0 or -ENOMEM. */
int timeline_text_number(struct timeline *timeline, const struct gpmu_trace_item *item, const char *name,
			 uint32_t *number);
/* Counts a sample. @latency: in cycles, or TIMELINE_NONE */
void timeline_count(struct timeline_samples *samples, uint32_t latency);
/* timeline_task.c: likewise */
int timeline_take_switch(struct timeline *timeline, const struct gpmu_trace_switch *change);
/* Takes the state in which the thread has been since @since. */
int timeline_take_state(struct timeline *timeline, pid_t tid, uint64_t since,
			enum timeline_task_state state);
/* Ends the states of the current file's threads, and names the threads. */
int timeline_end_tasks(struct timeline *timeline, struct gpmu_trace_reader *reader);
/* timeline_audit.c: likewise */
int timeline_take_fact(struct timeline *timeline, const struct gpmu_trace_item *item);

#endif /* GPMU_TIMELINE_H */
