// SPDX-License-Identifier: LGPL-2.1-or-later
/* Encodes the work of a GPU: a packet has the whole slice, and refers to queue, kernel and names by number. */
#include <errno.h>

#include "base/sized.h"
#include "trace/trace_wire.h"

#define PLAIN_MAX	256	/* bytes of a packet without arguments */
#define ARG_BYTES_MAX	32	/* bytes of an argument */

/* Numbers of the names that a packet refers to */
struct numbers {
	uint64_t stage, args[TRACE_ARGS_MAX], texts[TRACE_ARGS_MAX];
};

static bool has_text(const struct gpmu_trace_arg *arg)
{
	return arg->kind == GPMU_TRACE_TEXT || arg->kind == GPMU_TRACE_NAME;
}

static uint8_t *put_size(uint8_t *p, unsigned int field, const uint32_t size[3])
{
	const uint8_t *end = p;

	for (unsigned int i = 3; i--;)
		p = wire_number(p, i + 1, size[i]);
	return wire_message(p, field, end);
}

static uint8_t *put_args(uint8_t *p, const struct gpmu_trace_work *work, const struct numbers *numbers)
{
	for (size_t i = work->arg_count; i-- > 0;) {
		const struct gpmu_trace_arg *arg = &work->args[i];
		const uint8_t *end = p;

		if (has_text(arg))
			p = wire_number(p, 7, numbers->texts[i]);
		else if (arg->kind == GPMU_TRACE_DOUBLE)
			p = wire_real(p, 5, arg->real);
		else
			p = wire_number(p, arg->kind == GPMU_TRACE_ADDRESS ? 4 : 3, (uint64_t)arg->integer);
		p = wire_number(p, 1, numbers->args[i]);
		p = wire_message(p, 3, end);
	}
	return p;
}

static uint8_t *put_launch(uint8_t *p, const struct gpmu_trace_work *work, const struct numbers *numbers)
{
	const uint8_t *end = p;

	p = put_args(p, work, numbers);
	if (work->kernel) {
		p = put_size(p, 2, work->block);
		p = put_size(p, 1, work->grid);
	}
	return p != end ? wire_message(p, 21, end) : p;
}

/* Encodes the fields of GpuRenderStageEvent in metrics/trace/trace.proto. */
static uint8_t *put_work(uint8_t *p, const struct gpmu_trace_work *work, const struct trace_track *queue,
			 const struct numbers *numbers)
{
	const uint8_t *end = p;

	p = put_launch(p, work, numbers);
	if (work->kernel)
		p = wire_number(p, 19, (uint64_t)work->kernel);
	if (work->after)
		p = wire_number(p, 18, work->after);
	p = wire_number(p, 14, trace_stage_iid(numbers->stage, work->kind));
	p = wire_number(p, 13, trace_queue_iid(work->queue));
	if (queue->gpu)
		p = wire_number(p, 11, (uint64_t)queue->gpu);
	if (work->submission)
		p = wire_number(p, 10, work->submission);
	p = wire_number(p, 5, (uint64_t)queue->context);
	p = wire_number(p, 2, work->duration);
	p = wire_number(p, 1, work->id);
	return wire_message(p, 53, end);
}

static int need_names(struct gpmu_trace *trace, const struct gpmu_trace_work *work, struct numbers *numbers)
{
	int ret = trace_need_name(trace, TRACE_STAGE + work->kind, work->name, &numbers->stage);

	for (size_t i = 0; i < work->arg_count && !ret; i++) {
		const struct gpmu_trace_arg *arg = &work->args[i];

		ret = trace_need_name(trace, TRACE_COMPUTE_ARG, arg->name, &numbers->args[i]);
		if (!ret && has_text(arg))
			ret = trace_need_name(trace, TRACE_ARG_TEXT, arg->text ? arg->text : "", &numbers->texts[i]);
	}
	return ret;
}

/* Appends packets that define what the work refers to. Returns 0 or -errno. */
static int prepare(struct gpmu_trace *trace, const struct gpmu_trace_work *work, struct numbers *numbers)
{
	const size_t max = PLAIN_MAX + work->arg_count * ARG_BYTES_MAX;
	int ret = trace_prepare(trace, 0, work->time);

	if (!ret)
		ret = trace_need_gpus(trace);
	if (!ret)
		ret = trace_need_queue(trace, work->queue);
	if (!ret && work->kernel)
		ret = trace_need_kernel(trace, work->kernel);
	if (!ret)
		ret = need_names(trace, work, numbers);
	if (!ret && (!trace_room(&trace->scratch, max) || !trace_room(&trace->out, max)))
		ret = -ENOMEM;
	return ret;
}

static bool is_valid(const struct gpmu_trace *trace, const struct gpmu_trace_work *work)
{
	const struct trace_track *queue = trace_track_of(trace, work->queue);

	if (!queue || queue->kind != TRACE_TRACK_QUEUE || !work->name || work->time >= TRACE_TIME_END ||
	    work->duration >= TRACE_TIME_END - work->time || (unsigned int)work->kind >= GPMU_TRACE_WORK_KINDS ||
	    work->kernel < 0 || (size_t)work->kernel > trace->kernel_count || work->arg_count > TRACE_ARGS_MAX ||
	    (work->arg_count && !work->args))
		return false;
	for (size_t i = 0; i < work->arg_count; i++)
		if (!work->args[i].name || (unsigned int)work->args[i].kind > GPMU_TRACE_ADDRESS)
			return false;
	return true;
}

int gpmu_trace_work(struct gpmu_trace *trace, const struct gpmu_trace_work *work)
{
	struct gpmu_trace_work own = { 0 };
	struct numbers numbers;
	uint8_t *p, *end;
	int ret;

	if (work->size < offsetof(struct gpmu_trace_work, kernel))
		return -EINVAL;
	sized_copy(&own, sizeof(own), work);
	if (!is_valid(trace, &own))
		return -EINVAL;
	ret = prepare(trace, &own, &numbers);
	if (ret)
		return ret;
	p = end = trace->scratch.data + trace->scratch.room;
	p = wire_clock(p, trace, own.time);
	p = put_work(p, &own, trace_track_of(trace, own.queue), &numbers);
	p = wire_stamp(p, trace, own.time);
	wire_packet(trace, wire_message(p, 1, end), end, own.time);
	trace->stats.events++;
	return trace_done(trace);
}
