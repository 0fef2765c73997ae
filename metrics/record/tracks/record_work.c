// SPDX-License-Identifier: LGPL-2.1-or-later
/* Work in streams: kernels, copies, memsets, graphs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "record/tracks/record_map.h"

static const char *const copies[ACTIVITY_COPY_KINDS] = {
	[ACTIVITY_COPY_UNKNOWN] = "memcpy", [ACTIVITY_COPY_HTOD] = "memcpy HtoD",
	[ACTIVITY_COPY_DTOH] = "memcpy DtoH", [ACTIVITY_COPY_HTOA] = "memcpy HtoA",
	[ACTIVITY_COPY_ATOH] = "memcpy AtoH", [ACTIVITY_COPY_ATOA] = "memcpy AtoA",
	[ACTIVITY_COPY_ATOD] = "memcpy AtoD", [ACTIVITY_COPY_DTOA] = "memcpy DtoA",
	[ACTIVITY_COPY_DTOD] = "memcpy DtoD", [ACTIVITY_COPY_HTOH] = "memcpy HtoH",
	[ACTIVITY_COPY_PTOP] = "memcpy PtoP",
};

static char *stream_name(const struct record_process *process, const struct activity_work *work)
{
	const struct record_context *context = record_context_of(process, work->context);

	if (context && context->is_other)
		return text_print("%u %s: context %u stream %u", process->pid, process->program,
				  work->context, work->stream);
	return text_print("%u %s: stream %u", process->pid, process->program, work->stream);
}

/* The number of the work's context in the trace; a context without a description gets one for each stream. */
static int context_number(struct record_map *map, struct record_process *process, const struct activity_work *work)
{
	struct record_context *context = record_context_of(process, work->context);

	if (!context)
		return gpmu_trace_context(map->trace, (pid_t)process->pid);
	if (!context->number)
		context->number = gpmu_trace_context(map->trace, (pid_t)process->pid);
	return context->number;
}

static struct record_work_stream *make_stream(struct record_map *map,
					      struct record_process *process,
					      const struct activity_work *work)
{
	const struct record_gpu *gpu = record_process_gpu(map, process, work->device);
	struct record_work_stream *stream = calloc(1, sizeof(*stream));
	char *name = stream_name(process, work);

	if (gpu && stream && name)
		stream->queue = gpmu_trace_queue(map->trace, gpu->number, context_number(map, process, work), name);
	free(name);
	if (stream && stream->queue > 0)
		return stream;
	free(stream);
	return NULL;
}

static struct record_work_stream *stream_of(struct record_map *map, struct record_process *process,
					    const struct activity_work *work)
{
	union map_cell *value = map_add(&process->streams, (uint64_t)work->context << 32 | work->stream, NULL);

	if (!value)
		return NULL;
	if (!value->pointer)
		value->pointer = make_stream(map, process, work);
	return value->pointer;
}

/*
 * Checks order in a stream. Nodes of a graph can run concurrently although they share a
 * stream.
 */
static void check(struct record_map *map, struct record_work_stream *stream,
		  const struct activity_work *work, struct record_call *call)
{
	map->causality.checked++;
	if (!work->node && work->begin < stream->end)
		map->causality.overlaps++;
	if (work->end > stream->end)
		stream->end = work->end;
	if (!call)
		return;
	if (!call->begin)
		call->work = call->work && call->work < work->begin ? call->work : work->begin;
	else if (work->begin < call->begin)
		map->causality.early++;
}

/*
 * The id of work: that of the call for the first work of a call, which has the arrow from the call. Each further work
 * of a call has an arrow from the one before.
 */
static void set_id(struct record_map *map, const struct record_process *process, struct record_call *call,
		   struct gpmu_trace_work *work)
{
	work->id = call && !call->last_work ? record_flow(process, call->correlation) : ++map->work_count;
	if (!call)
		return;
	work->after = call->last_work;
	call->last_work = work->id;
}

static void add_arg(struct record_args *args, const char *name, double value)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_DOUBLE, .real = value };
}

static int put(struct record_map *map, struct record_process *process, const struct activity_work *work,
	       struct gpmu_trace_work *to, struct record_args *args)
{
	struct record_work_stream *stream = stream_of(map, process, work);
	struct record_call *call = NULL;

	if (!stream)
		return -ENOMEM;
	if (work->correlation) {
		call = record_call_of(process, work->correlation);
		if (!call)
			return -ENOMEM;
	}
	check(map, stream, work, call);
	/* A call within another one is not shown. */
	if (call && call->shown != call->correlation)
		call = record_call_of(process, call->shown);
	set_id(map, process, call, to);
	if (work->graph)
		record_arg(args, "graph", work->graph);
	if (work->node)
		record_arg(args, "node", (int64_t)work->node);
	if (work->node)
		record_node_args(process, work->node, args);
	to->size = sizeof(*to);
	to->queue = stream->queue;
	to->time = work->begin;
	to->duration = work->end - work->begin;
	to->submission = work->correlation;
	to->args = args->list;
	to->arg_count = args->count;
	return gpmu_trace_work(map->trace, to);
}

static uint64_t product(const uint32_t sizes[3])
{
	return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

int record_kernel(struct record_map *map, struct record_process *process,
		  const struct activity_kernel *kernel)
{
	const struct record_kernel_variant *variant = record_kernel_variant(map, process, kernel);
	struct gpmu_trace_work work = {
		.kind = GPMU_TRACE_WORK_KERNEL, .name = record_string_demangled(process, kernel->name),
	};
	const uint64_t blocks = product(kernel->grid);
	struct record_args args = { .count = 0 };

	if (!variant)
		return -ENOMEM;
	work.kernel = variant->number;
	memcpy(work.grid, kernel->grid, sizeof(work.grid));
	memcpy(work.block, kernel->block, sizeof(work.block));
	record_arg(&args, "grid_size", (int64_t)blocks);
	record_arg(&args, "thread_count", (int64_t)(blocks * product(kernel->block)));
	if (variant->wave)
		add_arg(&args, "waves_per_multiprocessor", (double)blocks / variant->wave);
	return put(map, process, &kernel->work, &work, &args);
}

int record_copy(struct record_map *map, struct record_process *process,
		const struct activity_copy *copy)
{
	uint32_t direction = copy->copy < ACTIVITY_COPY_KINDS ? copy->copy : ACTIVITY_COPY_UNKNOWN;
	struct gpmu_trace_work work = { .kind = GPMU_TRACE_WORK_COPY, .name = copies[direction] };
	struct record_args args = { .count = 0 };

	record_arg(&args, "bytes", (int64_t)copy->bytes);
	record_arg_name(&args, "from", record_memory_name(copy->from));
	record_arg_name(&args, "to", record_memory_name(copy->to));
	if (copy->peer != copy->work.device) {
		const struct record_gpu *gpu = record_process_gpu(map, process, copy->peer);

		record_arg(&args, "peer", gpu ? gpu->number : -1);
	}
	return put(map, process, &copy->work, &work, &args);
}

int record_set(struct record_map *map, struct record_process *process,
	       const struct activity_set *set)
{
	struct gpmu_trace_work work = { .kind = GPMU_TRACE_WORK_SET, .name = "memset" };
	struct record_args args = { .count = 0 };

	record_arg(&args, "bytes", (int64_t)set->bytes);
	record_arg(&args, "value", set->value);
	return put(map, process, &set->work, &work, &args);
}

int record_graph(struct record_map *map, struct record_process *process,
		 const struct activity_graph *graph)
{
	char name[32];
	struct gpmu_trace_work work = { .kind = GPMU_TRACE_WORK_GRAPH, .name = name };
	struct record_args args = { .count = 0 };

	snprintf(name, sizeof(name), "graph %" PRIu32, graph->work.graph);
	return put(map, process, &graph->work, &work, &args);
}
