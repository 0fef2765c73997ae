/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records, as queues carry them from the reading threads to the writing thread */
#ifndef GPMU_RECORD_H
#define GPMU_RECORD_H

#include <stdint.h>

#include "spe/gpmu_spe.h"

enum record_type {
	RECORD_PROCESS,		/* a new process; numbered from 0 in this order */
	RECORD_ACTIVITY,	/* an activity record of a process (trace/channel/activity.h) */
	RECORD_END,		/* uint32_t: enum record_process_end; end: when it ended */
	RECORD_MARK,		/* all records of the source up to begin have been queued */
	RECORD_COUNTER,		/* struct record_counter_head */
	RECORD_VALUE,		/* struct record_value */
	RECORD_SWITCH,		/* struct record_switch */
	RECORD_TASK,		/* struct record_task */
	RECORD_SPE,		/* struct record_sample */
	RECORD_RAW,		/* a record of the kernel, with its header */
	RECORD_LOST,		/* struct record_kernel_lost */
};

/* A record; its data follow it. Records are multiples of 8 bytes. */
struct record {
	uint32_t size;		/* bytes of record and data */
	uint32_t type;		/* enum record_type */
	uint32_t process;	/* number of the process; 0 if the type has none */
	uint32_t reserved;
	uint64_t begin, end;	/* CLOCK_MONOTONIC_RAW, ns */
};

struct record_span {
	uint64_t begin, end;	/* CLOCK_MONOTONIC_RAW, ns */
};

/* How a process ended */
enum record_process_end { RECORD_RUNNING, RECORD_CLOSED, RECORD_VANISHED };

enum record_kernel_why {
	RECORD_KERNEL_FULL,	/* the kernel's ring was full */
	RECORD_KERNEL_TRUNCATED,	/* an AUX buffer was full: each time, at least one sample is lost */
	RECORD_KERNEL_UNSPOOLED,	/* samples and marks could not be put into the spool, or read from it */
	RECORD_KERNEL_ENDED,	/* the program ended the writing: progress() */
	RECORD_KERNEL_THROTTLED,	/* the kernel paused an event to the end of its tick: each time, samples may be lost */
	RECORD_KERNEL_MALFORMED,	/* a record is too short for its type, or its length is impossible */
	RECORD_KERNEL_REASONS
};

/* Lost records of the kernel */
struct record_kernel_lost {
	uint64_t count;
	uint32_t why;		/* enum record_kernel_why */
	uint32_t reserved;
};

/* Fields of the kernel's sched_switch */
struct record_switch {
	uint32_t cpu;
	int32_t prev_pid, next_pid;
	int32_t prev_prio, next_prio;
	uint32_t reserved;
	int64_t prev_state;
	char prev_comm[16], next_comm[16];
};

/* State changes of a thread of the command */
enum record_task_change {
	RECORD_TASK_RUNS,
	RECORD_TASK_WAITS,
	RECORD_TASK_PREEMPTED,
	RECORD_TASK_FORKED,	/* by @parent, whose name it inherits */
	RECORD_TASK_NAMED,
	RECORD_TASK_EXECUTES,	/* the thread also gets the new name */
	RECORD_TASK_ENDS,
	RECORD_TASK_CHECKED,	/* has run for @ran at the end of the recording */
};

/* State of a thread that does not run, or may not run */
enum record_task_state {
	RECORD_TASK_UNKNOWN,
	RECORD_TASK_SLEEPS,
	RECORD_TASK_READY,
	RECORD_TASK_ACTIVE,	/* it runs or is ready: /proc does not tell which, the time for which it runs later does */
};

struct record_task {
	uint32_t change;	/* enum record_task_change */
	uint32_t cpu;
	int32_t pid, tid, parent;
	uint32_t state;		/* enum record_task_state; with RECORD_TASK_NAMED */
	char comm[16];
	uint64_t ran;		/* ns, with RECORD_TASK_NAMED and _CHECKED; 0: not known */
};

/* A sample of Arm SPE */
struct record_sample {
	uint32_t cpu;
	int32_t node;		/* of the CPU; -1: not known */
	int32_t pid, tid;	/* @tid 0: idle, or not known; @pid 0: not known */
	struct gpmu_spe_record spe;
};

/*
 * Describes a counter, before its first value; followed by name, unit, target (the name of the parent of its
 * track, or the GPU's UUID) and description, each NUL-terminated. Counters are numbered from 0 in this order.
 */
struct record_counter_head {
	int32_t gpu_number;
	uint32_t has_unit, has_gpu;
	uint32_t is_total;	/* a value is a total over its interval, not a mean */
	uint32_t group;		/* of a counter of a GPU: enum gpmu_trace_group */
	uint32_t reserved;
};

struct record_value {
	uint32_t counter;
	uint32_t counted;	/* 0: not counted */
	double value, share;
};

#endif /* GPMU_RECORD_H */
