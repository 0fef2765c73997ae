// SPDX-License-Identifier: LGPL-2.1-or-later
/* Work in streams: kernels, copies, memsets, graphs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "record/tracks/record_map.h"

#define SIZE_TEXT	34	/* bytes: three numbers of 10 digits, two "x", NUL */

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

static struct record_work_stream *make_stream(struct record_map *map,
					      struct record_process *process,
					      const struct activity_work *work)
{
	struct record_gpu *gpu = record_process_gpu(map, process, work->device);
	struct record_work_stream *stream = calloc(1, sizeof(*stream));
	char *name = stream_name(process, work);

	if (gpu && stream && name)
		stream->subtracks = record_subtracks_new(map->trace, gpu->track, 0, name, false);
	free(name);
	if (stream && stream->subtracks)
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

static int put(struct record_map *map, struct record_process *process,
	       const struct activity_work *work, const char *category, const char *name,
	       struct record_args *args)
{
	struct gpmu_trace_event event = {
		.time = work->begin, .name = name, .category = category, .flow_ends = !work->node,
	};
	struct record_work_stream *stream = stream_of(map, process, work);
	struct record_call *call = NULL;

	if (!stream)
		return -ENOMEM;
	if (work->correlation) {
		call = record_call_of(process, work->correlation);
		if (!call)
			return -ENOMEM;
		event.flow = record_flow(process, call->shown);
	}
	check(map, stream, work, call);
	if (work->graph)
		record_arg(args, "graph", work->graph);
	if (work->node)
		record_arg(args, "node", (int64_t)work->node);
	return record_slice(map, stream->subtracks, &event, args, work->end);
}

/*
 * Formats "128x1x1" at the end of @text, which has SIZE_TEXT bytes. snprintf() took a
 * tenth of the total time.
 */
static const char *size_text(char *text, const uint32_t sizes[3])
{
	size_t pos = SIZE_TEXT - 1;

	text[pos] = '\0';
	for (int i = 2; i >= 0; i--) {
		uint32_t left = sizes[i];

		do
			text[--pos] = (char)('0' + left % 10);
		while (left /= 10);
		if (i)
			text[--pos] = 'x';
	}
	return &text[pos];
}

int record_kernel(struct record_map *map, struct record_process *process,
		  const struct activity_kernel *kernel)
{
	struct record_args args = { .count = 0 };
	char grid[SIZE_TEXT], block[SIZE_TEXT];

	record_arg(&args, "correlation", kernel->work.correlation);
	record_arg_name(&args, "grid", size_text(grid, kernel->grid));
	record_arg_name(&args, "block", size_text(block, kernel->block));
	record_arg(&args, "registers", kernel->registers);
	record_arg(&args, "shared", (int64_t)kernel->shared_static + kernel->shared_dynamic);
	return put(map, process, &kernel->work, "kernel",
		   record_string_demangled(process, kernel->name), &args);
}

int record_copy(struct record_map *map, struct record_process *process,
		const struct activity_copy *copy)
{
	uint32_t direction = copy->copy < ACTIVITY_COPY_KINDS ? copy->copy : ACTIVITY_COPY_UNKNOWN;
	struct record_args args = { .count = 0 };

	record_arg(&args, "correlation", copy->work.correlation);
	record_arg(&args, "bytes", (int64_t)copy->bytes);
	record_arg_name(&args, "from", record_memory_name(copy->from));
	record_arg_name(&args, "to", record_memory_name(copy->to));
	if (copy->peer != copy->work.device) {
		const struct record_gpu *gpu = record_process_gpu(map, process, copy->peer);

		record_arg(&args, "peer", gpu ? gpu->number : -1);
	}
	return put(map, process, &copy->work, "memcpy", copies[direction], &args);
}

int record_set(struct record_map *map, struct record_process *process,
	       const struct activity_set *set)
{
	struct record_args args = { .count = 0 };

	record_arg(&args, "correlation", set->work.correlation);
	record_arg(&args, "bytes", (int64_t)set->bytes);
	record_arg(&args, "value", set->value);
	return put(map, process, &set->work, "memset", "memset", &args);
}

int record_graph(struct record_map *map, struct record_process *process,
		 const struct activity_graph *graph)
{
	struct record_args args = { .count = 0 };
	char name[32];

	snprintf(name, sizeof(name), "graph %" PRIu32, graph->work.graph);
	record_arg(&args, "correlation", graph->work.correlation);
	return put(map, process, &graph->work, "graph", name, &args);
}
