/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace: GPUs, their work and their counters in Perfetto's own model */
#ifndef GPMU_TRACE_GPU_API_H
#define GPMU_TRACE_GPU_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/gpmu_trace.h"

/*
 * Perfetto shows the work of a GPU as GPU render stages. In SQL these are in the table gpu_slice, and their arguments
 * have no prefix "debug.". A piece of work is on a queue, whose slices may overlap. A call that has the id of a piece
 * of work in @submits of its event has an arrow to it.
 */

#define GPMU_TRACE_GPUS_MAX	256

/**
 * struct gpmu_trace_gpu - a GPU
 * @size: size of this structure
 * @number: its number, 0 to GPMU_TRACE_GPUS_MAX - 1
 * @name: name; NULL: not known
 * @uuid: UUID as NVML writes it; NULL: not known
 * @address: PCI address, "0009:01:00.0"; NULL: not known
 */
struct gpmu_trace_gpu {
	size_t size;
	int number;
	const char *name, *uuid, *address;
};

/**
 * gpmu_trace_gpu() - describes a GPU
 * @trace: the trace
 * @gpu: copied; it replaces an earlier description of that number
 *
 * Return: 0; -EINVAL (no such number) or -ENOMEM
 */
int gpmu_trace_gpu(struct gpmu_trace *trace, const struct gpmu_trace_gpu *gpu);
/* Adds a context of CUDA of a process. Returns its number, above 0; -EINVAL, -ENOMEM */
int gpmu_trace_context(struct gpmu_trace *trace, pid_t pid);
/**
 * gpmu_trace_queue() - adds a queue of a GPU, such as a stream
 * @trace: the trace
 * @gpu: number of a GPU, which need not have been described
 * @context: a number of gpmu_trace_context()
 * @name: copied
 *
 * Return: its track, for struct gpmu_trace_work only; -EINVAL, -ENOMEM
 */
int gpmu_trace_queue(struct gpmu_trace *trace, int gpu, int context, const char *name);

/* Groups of counters, with the numbers of GpuCounterDescriptor.GpuCounterGroup */
enum gpmu_trace_group {
	GPMU_TRACE_UNCLASSIFIED = 0,
	GPMU_TRACE_SYSTEM = 1,
	GPMU_TRACE_MEMORY = 5,
	GPMU_TRACE_COMPUTE = 6,
};

/**
 * struct gpmu_trace_gpu_counter - a counter of a GPU
 * @size: size of this structure
 * @gpu: number of the GPU
 * @name: name; counters of a GPU with one name are one track in Perfetto
 * @unit: NULL: none. A unit without a number in the format, other than "B", "GB/s", "%", "ns", "W", "MHz" and similar,
 *	is part of the description
 * @description: NULL: none
 * @group: group of the counter
 */
struct gpmu_trace_gpu_counter {
	size_t size;
	int gpu;
	const char *name, *unit, *description;
	enum gpmu_trace_group group;
};

/* Adds a counter. Returns its track, for gpmu_trace_count() and gpmu_trace_value(); -EINVAL, -ENOMEM */
int gpmu_trace_gpu_counter(struct gpmu_trace *trace, const struct gpmu_trace_gpu_counter *counter);

/**
 * struct gpmu_trace_kernel - a kernel with what its launches have in common
 * @size: size of this structure
 * @name: mangled name
 * @demangled: demangled name
 * @arch: architecture of the GPU, "sm_90"; NULL: not known
 * @args: array of @arg_count arguments: integers, real numbers and texts
 * @arg_count: number of arguments, 0 to 32
 */
struct gpmu_trace_kernel {
	size_t size;
	const char *name, *demangled, *arch;
	const struct gpmu_trace_arg *args;
	size_t arg_count;
};

/* Adds a kernel to the string table. Returns its number, above 0; -EINVAL, -ENOMEM */
int gpmu_trace_kernel(struct gpmu_trace *trace, const struct gpmu_trace_kernel *kernel);

enum gpmu_trace_work_kind {
	GPMU_TRACE_WORK_KERNEL,
	GPMU_TRACE_WORK_COPY,
	GPMU_TRACE_WORK_SET,
	GPMU_TRACE_WORK_GRAPH,
	GPMU_TRACE_WORK_KINDS
};

/**
 * struct gpmu_trace_work - a piece of work of a GPU
 * @size: size of this structure
 * @queue: a track of gpmu_trace_queue()
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @duration: ns
 * @kind: its kind; in SQL it is the argument "description": "kernel", "memcpy", "memset" or "graph"
 * @name: name
 * @id: number that no other work of the trace has
 * @after: id of the work from which an arrow comes; 0: none
 * @submission: number of the call that submitted it; 0: none
 * @kernel: a number of gpmu_trace_kernel(); 0: none
 * @grid: number of blocks; of a kernel
 * @block: number of threads of a block; of a kernel
 * @args: array of @arg_count arguments
 * @arg_count: number of arguments, 0 to 32
 */
struct gpmu_trace_work {
	size_t size;
	int queue;
	uint64_t time, duration;
	enum gpmu_trace_work_kind kind;
	const char *name;
	uint64_t id, after;
	uint32_t submission;
	int kernel;
	uint32_t grid[3], block[3];
	const struct gpmu_trace_arg *args;
	size_t arg_count;
};

/* Writes a piece of work. Returns as gpmu_trace_begin() */
int gpmu_trace_work(struct gpmu_trace *trace, const struct gpmu_trace_work *work);

#endif /* GPMU_TRACE_GPU_API_H */
