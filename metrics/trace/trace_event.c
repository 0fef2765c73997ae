// SPDX-License-Identifier: LGPL-2.1-or-later
/* Encodes packets of events on tracks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/sized.h"
#include "trace/trace_wire.h"


#define PLAIN_MAX	192	/* bytes of a packet without texts and arguments */
#define ARG_BYTES_MAX	48	/* bytes of an argument without its text */
#define ENTRY_MAX	32	/* bytes of an entry in InternedData without its text */

struct record {
	uint32_t type;
	int track;
	uint64_t time;
	enum trace_clock clock;
	uint64_t name, category;	/* numbers of names; 0: none */
	const struct gpmu_trace_event *event;	/* source of arguments and flow; NULL: none */
	const int64_t *count;		/* value of an integer counter, or NULL */
	const double *value;		/* value of a floating-point counter, or NULL */
	size_t arg_count, fresh_count, texts;	/* texts: total bytes of texts */
	uint64_t arg_names[TRACE_ARGS_MAX], arg_texts[TRACE_ARGS_MAX];
	char *mended[TRACE_ARGS_MAX];
	size_t lengths[TRACE_ARGS_MAX];
	/* Names that this packet is the first to use since the last restart */
	struct {
		enum trace_name_kind kind;
		uint64_t number;
	} fresh[2 * TRACE_ARGS_MAX + 2];
};

/*
 * Initialises a packet without names. Leaves the arrays uninitialised: clearing them would
 * take longer than all the rest.
 */
static inline void record_init(struct record *record, uint32_t type, int track, uint64_t time)
{
	record->type = type;
	record->track = track;
	record->time = time;
	record->clock = TRACE_CLOCK_STEPS;
	record->name = record->category = 0;
	record->event = NULL;
	record->count = NULL;
	record->value = NULL;
	record->arg_count = record->fresh_count = record->texts = 0;
}

static uint8_t *put_args(uint8_t *p, const struct record *record)
{
	for (size_t i = record->arg_count; i-- > 0;) {
		const struct gpmu_trace_arg *arg = &record->event->args[i];
		const uint8_t *end = p;

		if (arg->kind == GPMU_TRACE_TEXT)
			p = wire_text(p, 6, record->mended[i] ? record->mended[i] :
				 arg->text ? arg->text : "", record->lengths[i]);
		else if (arg->kind == GPMU_TRACE_NAME)
			p = wire_number(p, 17, record->arg_texts[i]);
		else if (arg->kind == GPMU_TRACE_DOUBLE)
			p = wire_real(p, 5, arg->real);
		else if (arg->kind == GPMU_TRACE_ADDRESS)
			p = wire_number(p, 7, (uint64_t)arg->integer);
		else
			p = wire_number(p, 4, (uint64_t)arg->integer);
		p = wire_number(p, 1, record->arg_names[i]);
		p = wire_message(p, 4, end);
	}
	return p;
}

/* Encodes the call's work of a GPU, GpuCorrelation. */
static inline uint8_t *put_correlation(uint8_t *p, uint64_t work)
{
	const uint8_t *end = p;

	return wire_message(wire_number(p, 1, work), 3000, end);
}

/* Encodes the fields of TrackEvent in metrics/trace/trace.proto. */
static inline uint8_t *put_event(uint8_t *p, const struct record *record)
{
	const struct gpmu_trace_event *event = record->event;
	const uint8_t *end = p;

	if (event && event->submits)
		p = put_correlation(p, event->submits);
	if (event && event->flow)
		p = wire_fixed64(p, event->flow_ends ? 48 : 47, event->flow);
	if (record->value)
		p = wire_real(p, 44, *record->value);
	if (record->count)
		p = wire_number(p, 30, (uint64_t)*record->count);
	p = wire_number(p, 11, (uint64_t)record->track);
	if (record->name)
		p = wire_number(p, 10, record->name);
	p = wire_number(p, 9, record->type);
	if (record->arg_count)
		p = put_args(p, record);
	if (record->category)
		p = wire_number(p, 3, record->category);
	return wire_message(p, 11, end);
}

static uint8_t *put_names(uint8_t *p, const struct gpmu_trace *trace, const struct record *record)
{
	const uint8_t *end = p, *message;

	for (unsigned int kind = TRACE_NAME_KINDS - 1; kind; kind--) {
		for (size_t i = record->fresh_count; i-- > 0;) {
			const struct trace_name *name;

			if (record->fresh[i].kind != kind)
				continue;
			name = trace_name(&trace->names, record->fresh[i].number);
			message = p;
			p = wire_text(p, 2, name->text, name->length);
			p = wire_number(p, 1, record->fresh[i].number);
			p = wire_message(p, kind == TRACE_ARG_TEXT ? 29 : kind, message);
		}
	}
	return wire_message(p, 12, end);
}

/* Appends the packet; both buffers have room. */
static void put(struct gpmu_trace *trace, const struct record *record)
{
	uint64_t *clock = record->clock == TRACE_CLOCK_ENDS ? &trace->ends : &trace->steps;
	uint8_t *const end = trace->scratch.data + trace->scratch.room, *p = end;
	bool is_earlier = record->time < *clock;

	if (is_earlier)
		p = wire_number(p, 58, TRACE_CLOCK_RAW);
	else if (record->clock != TRACE_CLOCK_STEPS)
		p = wire_number(p, 58, record->clock);
	p = wire_number(p, 13, TRACE_STATE_NEEDED);
	if (record->fresh_count)
		p = put_names(p, trace, record);
	p = put_event(p, record);
	p = wire_number(p, 10, TRACE_SEQUENCE);
	p = wire_number(p, 8, is_earlier ? record->time : record->time - *clock);
	wire_packet(trace, wire_message(p, 1, end), end, record->time);
	if (is_earlier)
		trace->stats.back++;
	else
		*clock = record->time;
	for (size_t i = 0; i < record->fresh_count; i++)
		trace_name(&trace->names, record->fresh[i].number)->given[record->fresh[i].kind] =
			trace->restart;
}

static int number_of(struct gpmu_trace *trace, struct record *record, enum trace_name_kind kind,
		     const char *name, uint64_t *number)
{
	int64_t found = trace_name_of(trace, name);
	const struct trace_name *known;

	if (found < 0)
		return (int)found;
	*number = (uint64_t)found;
	known = trace_name(&trace->names, found);
	if (known->given[kind] == trace->restart)
		return 0;
	record->fresh[record->fresh_count].kind = kind;
	record->fresh[record->fresh_count].number = *number;
	record->fresh_count++;
	record->texts += known->length;
	return 0;
}

/* Arguments up to arg_count are complete even if this fails. */
static int prepare_args(struct gpmu_trace *trace, struct record *record)
{
	const struct gpmu_trace_event *event = record->event;

	for (size_t i = 0; i < event->arg_count; i++) {
		const struct gpmu_trace_arg *arg = &event->args[i];

		record->mended[i] = NULL;
		record->lengths[i] = 0;
		if (number_of(trace, record, TRACE_ARG_NAME, arg->name, &record->arg_names[i]))
			return -ENOMEM;
		if (arg->kind == GPMU_TRACE_TEXT && arg->text &&
		    trace_text(trace, arg->text, &record->mended[i], &record->lengths[i]))
			return -ENOMEM;
		if (arg->kind == GPMU_TRACE_NAME &&
		    number_of(trace, record, TRACE_ARG_TEXT, arg->text ? arg->text : "", &record->arg_texts[i]))
			return -ENOMEM;
		record->texts += record->lengths[i];
		record->arg_count = i + 1;
	}
	return 0;
}

/* Reserves room. The scratch buffer is empty between packets. */
static int room(struct gpmu_trace *trace, const struct record *record)
{
	size_t max = PLAIN_MAX + record->arg_count * ARG_BYTES_MAX + record->fresh_count * ENTRY_MAX +
		      record->texts;

	/* plus the packet of the slice's end */
	if (!trace_room(&trace->scratch, max) || !trace_room(&trace->out, max + PLAIN_MAX))
		return -ENOMEM;
	return 0;
}

static bool is_on(const struct gpmu_trace *trace, int number, bool is_counter)
{
	const struct trace_track *track = trace_track_of(trace, number);

	return track && track->kind <= TRACE_TRACK_COUNTER && (track->kind == TRACE_TRACK_COUNTER) == is_counter;
}

static bool is_of_gpu(const struct gpmu_trace *trace, int number)
{
	const struct trace_track *track = trace_track_of(trace, number);

	return track && track->kind == TRACE_TRACK_GPU_COUNTER;
}

static bool is_valid(const struct gpmu_trace *trace, const struct gpmu_trace_event *event)
{
	if (!is_on(trace, event->track, false) || event->time >= TRACE_TIME_END ||
	    event->arg_count > TRACE_ARGS_MAX || (event->arg_count && !event->args))
		return false;
	for (size_t i = 0; i < event->arg_count; i++)
		if (!event->args[i].name || (unsigned int)event->args[i].kind > GPMU_TRACE_ADDRESS)
			return false;
	return true;
}

static int prepare_names(struct gpmu_trace *trace, struct record *record)
{
	const struct gpmu_trace_event *event = record->event;
	int ret = 0;

	if (event->category)
		ret = number_of(trace, record, TRACE_CATEGORY, event->category, &record->category);
	if (!ret && event->name)
		ret = number_of(trace, record, TRACE_EVENT_NAME, event->name, &record->name);
	return ret || !event->arg_count ? ret : prepare_args(trace, record);
}

/* Writes an event. @duration: of a complete slice, or NULL */
static int write_event(struct gpmu_trace *trace, uint32_t type,
		       const struct gpmu_trace_event *event, const uint64_t *duration)
{
	struct record record;
	int ret;

	record_init(&record, type, event->track, event->time);
	record.event = event;
	ret = trace_prepare(trace, event->track, event->time);
	if (!ret)
		ret = prepare_names(trace, &record);
	if (!ret)
		ret = room(trace, &record);
	if (!ret)
		put(trace, &record);
	for (size_t i = 0; i < record.arg_count; i++)
		free(record.mended[i]);
	if (ret)
		return ret;
	if (duration) {
		record_init(&record, TRACE_END, event->track, event->time + *duration);
		record.clock = TRACE_CLOCK_ENDS;
		put(trace, &record);
	}
	trace->stats.events += type != TRACE_END;
	return trace_done(trace);
}

/* Copies the event of a caller that was compiled with another version of gpmu.h. */
static int take_event(struct gpmu_trace *trace, uint32_t type,
		      const struct gpmu_trace_event *event, const uint64_t *duration)
{
	struct gpmu_trace_event own = { 0 };

	if (event->size < offsetof(struct gpmu_trace_event, name))
		return -EINVAL;
	if (event->size != sizeof(own)) {
		sized_copy(&own, sizeof(own), event);
		event = &own;
	}
	if (!is_valid(trace, event) || (duration && *duration >= TRACE_TIME_END - event->time))
		return -EINVAL;
	return write_event(trace, type, event, duration);
}

int gpmu_trace_begin(struct gpmu_trace *trace, const struct gpmu_trace_event *event)
{
	return take_event(trace, TRACE_BEGIN, event, NULL);
}

int gpmu_trace_slice(struct gpmu_trace *trace, const struct gpmu_trace_event *event,
		     uint64_t duration)
{
	return take_event(trace, TRACE_BEGIN, event, &duration);
}

int gpmu_trace_instant(struct gpmu_trace *trace, const struct gpmu_trace_event *event)
{
	return take_event(trace, TRACE_INSTANT, event, NULL);
}

/* Writes a packet without names. */
static int write_plain(struct gpmu_trace *trace, uint32_t type, int track, uint64_t time,
		       const int64_t *count, const double *value)
{
	struct record record;
	int ret;

	record_init(&record, type, track, time);
	record.count = count;
	record.value = value;
	if (type == TRACE_COUNTER && is_of_gpu(trace, track))
		return trace_gpu_value(trace, track, time, count, value);
	if (!is_on(trace, track, type == TRACE_COUNTER) || time >= TRACE_TIME_END)
		return -EINVAL;
	ret = trace_prepare(trace, track, time);
	if (!ret)
		ret = room(trace, &record);
	if (ret)
		return ret;
	put(trace, &record);
	trace->stats.events += type != TRACE_END;
	return trace_done(trace);
}

int gpmu_trace_end(struct gpmu_trace *trace, int track, uint64_t time)
{
	return write_plain(trace, TRACE_END, track, time, NULL, NULL);
}

int gpmu_trace_count(struct gpmu_trace *trace, int track, uint64_t time, int64_t value)
{
	return write_plain(trace, TRACE_COUNTER, track, time, &value, NULL);
}

int gpmu_trace_value(struct gpmu_trace *trace, int track, uint64_t time, double value)
{
	if (isfinite(value))
		return write_plain(trace, TRACE_COUNTER, track, time, NULL, &value);
	if ((!is_on(trace, track, true) && !is_of_gpu(trace, track)) || time >= TRACE_TIME_END)
		return -EINVAL;
	trace->stats.gaps++;
	return trace->failed;
}
