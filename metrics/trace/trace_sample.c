// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packs samples. A packet defines the functions, frames and stacks that it is the first to use since the last
 * restart.
 */
#include <errno.h>

#include "base/sized.h"
#include "trace/trace_packet.h"

#define FRAMES		GPMU_TRACE_FRAMES_MOST

/* PerfSample.cpu_mode */
enum { MODE_KERNEL = 1, MODE_USER = 2 };

/* The definitions of a packet */
struct fresh {
	GpmuPb__InternedData data;
	GpmuPb__InternedName functions[FRAMES], paths[FRAMES], build_ids[FRAMES];
	GpmuPb__InternedName *each_function[FRAMES], *each_path[FRAMES], *each_build_id[FRAMES];
	GpmuPb__Mapping mappings[FRAMES], *each_mapping[FRAMES];
	GpmuPb__Frame frames[FRAMES], *each_frame[FRAMES];
	GpmuPb__Callstack stack, *each_stack[1];
	uint64_t path_ids[FRAMES], frame_ids[FRAMES];
};

static void set_name(GpmuPb__InternedName *name, int64_t number, char *text)
{
	gpmu_pb__interned_name__init(name);
	name->has_iid = 1;
	name->iid = (uint64_t)number;
	name->name = text;
}

/* Whether the packet must define the name */
static bool is_fresh(struct gpmu_trace *trace, int64_t number, enum trace_name_kind kind)
{
	uint64_t *given = &trace_name(&trace->names, number)->given[kind];
	const bool fresh = *given != trace->restart;

	*given = trace->restart;
	return fresh;
}

static void add_function(struct gpmu_trace *trace, struct fresh *fresh, int64_t number)
{
	const size_t n = fresh->data.n_function_names;

	if (!is_fresh(trace, number, TRACE_FUNCTION))
		return;
	set_name(&fresh->functions[n], number, trace_name(&trace->names, number)->text);
	fresh->each_function[n] = &fresh->functions[n];
	fresh->data.n_function_names++;
}

/* A mapping has the number of its path. Perfetto needs a build id, which is empty: functions have names. */
static void add_mapping(struct gpmu_trace *trace, struct fresh *fresh, int64_t number)
{
	static char none[] = "";
	const size_t n = fresh->data.n_mappings;
	GpmuPb__Mapping *mapping = &fresh->mappings[n];

	if (!is_fresh(trace, number, TRACE_OBJECT))
		return;
	set_name(&fresh->paths[n], number, trace_name(&trace->names, number)->text);
	set_name(&fresh->build_ids[n], number, none);
	gpmu_pb__mapping__init(mapping);
	mapping->has_iid = mapping->has_build_id = 1;
	mapping->iid = mapping->build_id = fresh->path_ids[n] = (uint64_t)number;
	mapping->n_path_string_ids = 1;
	mapping->path_string_ids = &fresh->path_ids[n];
	fresh->each_path[n] = &fresh->paths[n];
	fresh->each_build_id[n] = &fresh->build_ids[n];
	fresh->each_mapping[n] = mapping;
	fresh->data.n_mappings = fresh->data.n_mapping_paths = fresh->data.n_build_ids = n + 1;
}

/* Sets the number of a frame. Returns 0 or -ENOMEM. */
static int add_frame(struct gpmu_trace *trace, struct fresh *fresh, const struct gpmu_trace_frame *of, uint64_t *iid)
{
	const int64_t function = trace_name_of(trace, of->function), object = trace_name_of(trace, of->object);
	const uint64_t key = (uint64_t)function << 32 | (uint64_t)object;
	const size_t n = fresh->data.n_frames;
	GpmuPb__Frame *frame = &fresh->frames[n];
	uint32_t number;

	if (function < 0 || object < 0)
		return -ENOMEM;
	if (map_get(&trace->stacks.frames, key, &number)) {
		*iid = number;
		return 0;
	}
	*iid = trace->stacks.frames.n + 1;
	if (map_set(&trace->stacks.frames, key, (uint32_t)*iid))
		return -ENOMEM;
	add_function(trace, fresh, function);
	add_mapping(trace, fresh, object);
	gpmu_pb__frame__init(frame);
	frame->has_iid = frame->has_function_name_id = frame->has_mapping_id = frame->has_rel_pc = 1;
	frame->iid = *iid;
	frame->function_name_id = (uint64_t)function;
	frame->mapping_id = (uint64_t)object;
	fresh->each_frame[n] = frame;
	fresh->data.n_frames++;
	return 0;
}

static int add_stack(struct gpmu_trace *trace, struct fresh *fresh, const struct gpmu_trace_sample *sample,
		     uint64_t *iid)
{
	uint64_t hash;
	uint32_t number;

	for (size_t i = 0; i < sample->frame_count; i++)
		if (add_frame(trace, fresh, &sample->frames[i], &fresh->frame_ids[i]))
			return -ENOMEM;
	hash = trace_hash((const char *)fresh->frame_ids, sample->frame_count * sizeof(fresh->frame_ids[0]));
	if (map_get(&trace->stacks.stacks, hash, &number)) {
		*iid = number;
		return 0;
	}
	*iid = trace->stacks.stacks.n + 1;
	if (map_set(&trace->stacks.stacks, hash, (uint32_t)*iid))
		return -ENOMEM;
	gpmu_pb__callstack__init(&fresh->stack);
	fresh->stack.has_iid = 1;
	fresh->stack.iid = *iid;
	fresh->stack.n_frame_ids = sample->frame_count;
	fresh->stack.frame_ids = fresh->frame_ids;
	fresh->each_stack[0] = &fresh->stack;
	fresh->data.n_callstacks = 1;
	return 0;
}

static void init(struct fresh *fresh)
{
	gpmu_pb__interned_data__init(&fresh->data);
	fresh->data.function_names = fresh->each_function;
	fresh->data.mapping_paths = fresh->each_path;
	fresh->data.build_ids = fresh->each_build_id;
	fresh->data.mappings = fresh->each_mapping;
	fresh->data.frames = fresh->each_frame;
	fresh->data.callstacks = fresh->each_stack;
}

static int write_sample(struct gpmu_trace *trace, const struct gpmu_trace_sample *sample)
{
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;
	GpmuPb__PerfSample of = GPMU_PB__PERF_SAMPLE__INIT;
	struct fresh fresh;
	int ret;

	init(&fresh);
	ret = add_stack(trace, &fresh, sample, &of.callstack_iid);
	of.has_cpu = of.has_pid = of.has_tid = of.has_callstack_iid = of.has_cpu_mode = 1;
	of.cpu = sample->cpu;
	of.pid = (uint32_t)sample->pid;
	of.tid = (uint32_t)sample->tid;
	of.cpu_mode = sample->is_kernel ? MODE_KERNEL : MODE_USER;
	packet.perf_sample = &of;
	packet.has_timestamp = packet.has_timestamp_clock_id = packet.has_sequence_flags = 1;
	packet.timestamp = sample->time;
	packet.timestamp_clock_id = TRACE_CLOCK_RAW;
	packet.sequence_flags = TRACE_STATE_NEEDED;
	if (fresh.data.n_frames || fresh.data.n_callstacks)
		packet.interned_data = &fresh.data;
	if (!ret)
		ret = trace_put(trace, &packet);
	/* The packet's definitions are missing in the file: define everything again. */
	trace->restart_due = trace->restart_due || ret;
	return ret;
}

int gpmu_trace_sample(struct gpmu_trace *trace, const struct gpmu_trace_sample *sample)
{
	struct gpmu_trace_sample own = { 0 };
	int ret;

	sized_copy(&own, sizeof(own), sample);
	if (own.time >= TRACE_TIME_END || own.pid <= 0 || own.tid <= 0 || !own.frame_count ||
	    own.frame_count > GPMU_TRACE_FRAMES_MOST || (own.track && !trace_track_of(trace, own.track)))
		return -EINVAL;
	ret = trace_prepare(trace, own.track, own.time);
	if (ret)
		return ret;
	if (trace->stacks.restart != trace->restart) {
		map_clear(&trace->stacks.frames);
		map_clear(&trace->stacks.stacks);
		trace->stacks.restart = trace->restart;
	}
	ret = write_sample(trace, &own);
	if (ret)
		return ret;
	trace->stats.events++;
	if (own.time > trace->last_time)
		trace->last_time = own.time;
	return trace_done(trace);
}
