// SPDX-License-Identifier: LGPL-2.1-or-later
/* GPUs, their queues and their counters */
#include <errno.h>
#include <stdlib.h>

#include "base/sized.h"
#include "base/text/text.h"
#include "trace/trace_unit.h"
#include "trace/trace_wire.h"

#define VALUE_MAX	96	/* bytes of a packet with a value */

static bool is_number(int gpu)
{
	return gpu >= 0 && gpu < GPMU_TRACE_GPUS_MAX;
}

static void free_gpu(struct trace_gpu *gpu)
{
	free(gpu->name);
	free(gpu->uuid);
	free(gpu->address);
}

int gpmu_trace_gpu(struct gpmu_trace *trace, const struct gpmu_trace_gpu *gpu)
{
	struct gpmu_trace_gpu own = { 0 };
	struct trace_gpu copy = { 0 };

	if (gpu->size < offsetof(struct gpmu_trace_gpu, name))
		return -EINVAL;
	sized_copy(&own, sizeof(own), gpu);
	if (!is_number(own.number))
		return -EINVAL;
	while (trace->gpu_count <= (size_t)own.number)
		if (!vector_append(trace->gpus, trace->gpu_count))
			return -ENOMEM;
	if (trace_text_copy(trace, own.name, &copy.name) || trace_text_copy(trace, own.uuid, &copy.uuid) ||
	    trace_text_copy(trace, own.address, &copy.address)) {
		free_gpu(&copy);
		return -ENOMEM;
	}
	free_gpu(&trace->gpus[own.number]);
	trace->gpus[own.number] = copy;
	trace->gpus_given = 0;
	return 0;
}

int gpmu_trace_context(struct gpmu_trace *trace, pid_t pid)
{
	struct trace_context *context;

	if (pid <= 0)
		return -EINVAL;
	context = vector_append(trace->contexts, trace->context_count);
	if (!context)
		return -ENOMEM;
	context->pid = pid;
	return (int)trace->context_count;
}

int gpmu_trace_queue(struct gpmu_trace *trace, int gpu, int context, const char *name)
{
	const struct trace_track track = { .kind = TRACE_TRACK_QUEUE, .gpu = gpu, .context = context };

	if (!is_number(gpu) || context <= 0 || (size_t)context > trace->context_count || !name)
		return -EINVAL;
	return trace_track_add(trace, track, name, NULL);
}

/* The description of a counter, followed by a unit that the format lacks */
static char *describe(const struct gpmu_trace_gpu_counter *counter)
{
	const char *text = counter->description ? counter->description : "";

	if (!counter->unit || trace_unit(counter->unit))
		return strdup(text);
	return text_print("%s%s[%s]", text, *text ? " " : "", counter->unit);
}

int gpmu_trace_gpu_counter(struct gpmu_trace *trace, const struct gpmu_trace_gpu_counter *counter)
{
	struct trace_track track = { .kind = TRACE_TRACK_GPU_COUNTER };
	struct gpmu_trace_gpu_counter own = { 0 };
	char *text;
	int ret;

	if (counter->size < offsetof(struct gpmu_trace_gpu_counter, unit))
		return -EINVAL;
	sized_copy(&own, sizeof(own), counter);
	if (!is_number(own.gpu) || !own.name || (unsigned int)own.group > GPMU_TRACE_COMPUTE)
		return -EINVAL;
	text = describe(&own);
	ret = text ? trace_text_copy(trace, text, &track.description) : -ENOMEM;
	free(text);
	track.gpu = own.gpu;
	track.group = own.group;
	if (!ret)
		ret = trace_track_add(trace, track, own.name, own.unit);
	if (ret < 0)
		free(track.description);
	return ret;
}

/* Encodes a GpuCounterEvent with one counter, which has the number 0 in its descriptor. */
static uint8_t *put_value(uint8_t *p, int track, const int64_t *count, const double *value)
{
	const uint8_t *end = p, *counter;

	p = wire_number(p, 4, (uint64_t)track);
	counter = p;
	p = value ? wire_real(p, 3, *value) : wire_number(p, 2, (uint64_t)*count);
	p = wire_number(p, 1, 0);
	p = wire_message(p, 2, counter);
	return wire_message(p, 52, end);
}

int trace_gpu_value(struct gpmu_trace *trace, int track, uint64_t time, const int64_t *count, const double *value)
{
	uint8_t *p, *end;
	int ret;

	if (time >= TRACE_TIME_END)
		return -EINVAL;
	ret = trace_prepare(trace, 0, time);
	if (!ret)
		ret = trace_need_gpus(trace);
	if (!ret)
		ret = trace_need_gpu_counter(trace, track);
	if (!ret && (!trace_room(&trace->scratch, VALUE_MAX) || !trace_room(&trace->out, VALUE_MAX)))
		ret = -ENOMEM;
	if (ret)
		return ret;
	p = end = trace->scratch.data + trace->scratch.room;
	p = wire_clock(p, trace, time);
	p = put_value(p, track, count, value);
	p = wire_stamp(p, trace, time);
	wire_packet(trace, wire_message(p, 1, end), end, time);
	trace->stats.events++;
	return trace_done(trace);
}

void trace_gpus_release(struct gpmu_trace *trace)
{
	while (trace->gpu_count)
		free_gpu(&trace->gpus[--trace->gpu_count]);
	free(trace->gpus);
	free(trace->contexts);
}
