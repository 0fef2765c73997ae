// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parses an event: its time, its texts and arguments, and its effect on the track. */
#include <errno.h>

#include "trace/trace.h"
#include "trace/reader/trace_reader.h"

int reader_time(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet, uint32_t usual, uint64_t *time)
{
	uint32_t clock = packet->has_timestamp_clock_id ? packet->timestamp_clock_id : usual;
	uint64_t *shown = clock == TRACE_CLOCK_STEPS ? &reader->steps :
			  clock == TRACE_CLOCK_ENDS  ? &reader->ends : NULL;

	if (!packet->has_timestamp || packet->timestamp >= READER_TIME_END)
		return reader_fail(reader, -EINVAL, "expected a time in ns below 2^63");
	if (!shown) {
		*time = packet->timestamp;
		return clock == TRACE_CLOCK_RAW;
	}
	if (*shown + packet->timestamp >= READER_TIME_END)
		return reader_fail(reader, -EINVAL, "expected a time in ns below 2^63");
	*shown += packet->timestamp;
	*time = *shown;
	return 1;
}

/* Returns 0 or -EINVAL. */
static int read_value(struct gpmu_trace_reader *reader, const GpmuPb__DebugAnnotation *given,
		      struct gpmu_trace_arg *arg)
{
	arg->kind = given->string_value || given->has_string_value_iid ? GPMU_TRACE_TEXT :
		    given->has_double_value ? GPMU_TRACE_DOUBLE :
		    given->has_pointer_value ? GPMU_TRACE_ADDRESS : GPMU_TRACE_INT;
	arg->integer = given->has_pointer_value ? (int64_t)given->pointer_value : given->int_value;
	arg->real = given->double_value;
	arg->text = given->string_value;
	if (!given->has_string_value_iid)
		return 0;
	arg->text = reader_need_name(reader, READER_ARG_TEXT, 0, given->string_value_iid, "an argument has the text");
	return arg->text ? 0 : reader->failed;
}

static int read_args(struct gpmu_trace_reader *reader, const GpmuPb__TrackEvent *event)
{
	const size_t count = event->n_debug_annotations;
	struct gpmu_trace_arg *args = count ? reader_alloc(reader, count * sizeof(*args)) : NULL;

	if (count && !args)
		return reader_no_memory(reader);
	for (size_t i = 0; i < count; i++) {
		const GpmuPb__DebugAnnotation *given = event->debug_annotations[i];

		args[i].name = reader_need_name(reader, READER_ARG_NAME, 0, given->name_iid, "an argument has the name");
		if (!args[i].name || read_value(reader, given, &args[i]))
			return reader->failed;
	}
	reader->item.args = args;
	reader->item.arg_count = count;
	return 0;
}

/* Sets the item's name, category and arguments. */
static int read_texts(struct gpmu_trace_reader *reader, const GpmuPb__TrackEvent *event)
{
	struct gpmu_trace_item *item = &reader->item;

	if (event->has_name_iid)
		item->name = reader_need_name(reader, READER_EVENT_NAME, 0, event->name_iid, "an event has the name");
	if (event->has_name_iid && !item->name)
		return reader->failed;
	if (event->n_category_iids)
		item->category = reader_need_name(reader, READER_CATEGORY, 0, event->category_iids[0],
						  "an event has the category");
	if (event->n_category_iids && !item->category)
		return reader->failed;
	item->flow = event->n_flow_ids		   ? event->flow_ids[0] :
		     event->n_terminating_flow_ids ? event->terminating_flow_ids[0] : 0;
	if (event->gpu_correlation && event->gpu_correlation->n_render_stage_submission_event_ids)
		item->flow = event->gpu_correlation->render_stage_submission_event_ids[0];
	return read_args(reader, event);
}

static int take(struct gpmu_trace_reader *reader, const GpmuPb__TrackEvent *event, size_t track,
		uint64_t time)
{
	struct gpmu_trace_item *item = &reader->item;
	int ret;

	*item = (struct gpmu_trace_item){
		.size = sizeof(*item), .track = (int)track + 1, .begin = time, .end = time,
	};
	if (event->type == TRACE_END)
		return reader_end(reader, track, time);
	if (event->type == TRACE_COUNTER) {
		item->kind = GPMU_TRACE_COUNT;
		item->value = event->has_double_counter_value ? event->double_counter_value :
								(double)event->counter_value;
		return 1;
	}
	ret = read_texts(reader, event);
	if (ret)
		return ret;
	if (event->type == TRACE_BEGIN)
		return reader_begin(reader, track);
	item->kind = GPMU_TRACE_INSTANT;
	return 1;
}

int reader_event(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__TrackEvent *event = packet->track_event;
	uint64_t time = 0;
	uint32_t track;
	int ret = reader_time(reader, packet, TRACE_CLOCK_STEPS, &time);

	if (ret < 0)
		return ret;
	if (!ret || event->type < TRACE_BEGIN || event->type > TRACE_COUNTER ||
	    !map_get(&reader->numbers, event->track_uuid, &track)) {
		reader->stats.others++;
		return 0;
	}
	if (time > reader->last_time)
		reader->last_time = time;
	return take(reader, event, track, time);
}

/* Sets the item's value to the period of a sample: the trace has the sum of the periods of the event on the CPU. */
static int set_period(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__PerfSample *sample = packet->perf_sample;
	const uint32_t cpu = sample->has_cpu ? sample->cpu : UINT32_MAX;
	union map_cell *count = map_add(&reader->counts, reader_key(packet, cpu), NULL);

	if (!count)
		return reader_no_memory(reader);
	reader->item.value = sample->timebase_count > count->number ? (double)(sample->timebase_count - count->number) : 0;
	count->number = sample->timebase_count;
	return 1;
}

int reader_sample(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__PerfSample *sample = packet->perf_sample;
	struct gpmu_trace_item *item = &reader->item;
	uint64_t time = 0;
	int ret = reader_time(reader, packet, TRACE_CLOCK_RAW, &time);

	if (ret <= 0)
		return ret;
	*item = (struct gpmu_trace_item){ .size = sizeof(*item), .kind = GPMU_TRACE_STACK, .begin = time, .end = time,
					 .tid = sample->tid };
	item->category = reader_name(reader, READER_SAMPLER, reader_key(packet, 0));
	if (sample->has_callstack_iid)
		item->name = reader_need_name(reader, READER_STACK, reader_key(packet, 0), sample->callstack_iid,
					      "a sample has the stack");
	if (sample->has_callstack_iid && !item->name)
		return reader->failed;
	if (time > reader->last_time)
		reader->last_time = time;
	return set_period(reader, packet);
}
