// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses work and values of counters of a GPU, by the rules of trace_processor's parser: what refers to a number that
 * the string table lacks is left out. Work without an id or a queue, and a value without a counter, are no events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "trace/trace_unit.h"
#include "trace/reader/trace_reader.h"

/* Arguments of work before those of its kernel and its launch */
#define KERNEL_ARGS	3
#define LAUNCH_ARGS	6

struct args {
	struct gpmu_trace_arg *list;
	size_t count;
};

static void add_text(struct args *args, const char *name, const char *text)
{
	if (text)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_TEXT, .text = text };
}

static void add_number(struct args *args, const char *name, bool is_given, uint32_t number)
{
	if (is_given)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .integer = number };
}

/* Adds an argument, unless its name or text is not in the string table. */
static void add_extra(const struct gpmu_trace_reader *reader, struct args *args, const GpmuPb__ExtraComputeArg *given)
{
	struct gpmu_trace_arg *arg = &args->list[args->count];

	*arg = (struct gpmu_trace_arg){
		.name = given->has_name_iid ? reader_name(reader, READER_COMPUTE_ARG, given->name_iid) : given->name,
		.integer = given->int_value,
	};
	if (given->has_int_value) {
		arg->kind = GPMU_TRACE_INT;
	} else if (given->has_uint_value) {
		arg->integer = (int64_t)given->uint_value;
	} else if (given->has_double_value) {
		arg->kind = GPMU_TRACE_DOUBLE;
		arg->real = given->double_value;
	} else {
		arg->kind = GPMU_TRACE_TEXT;
		arg->text = given->has_string_value_iid ?
				    reader_name(reader, READER_ARG_TEXT, given->string_value_iid) :
				    given->string_value;
	}
	args->count += arg->name && (arg->kind != GPMU_TRACE_TEXT || arg->text);
}

static void add_kernel(const struct gpmu_trace_reader *reader, struct args *args,
		       const GpmuPb__InternedComputeKernel *kernel)
{
	add_text(args, "kernel_name", kernel->name);
	add_text(args, "kernel_demangled_name", kernel->demangled_name);
	add_text(args, "arch", kernel->arch);
	for (size_t i = 0; i < kernel->n_args; i++)
		add_extra(reader, args, kernel->args[i]);
}

static void add_size(struct args *args, const char *const names[3], const GpmuPb__GpuRenderStageEvent__Dim3 *size,
		     uint32_t *numbers)
{
	if (!size)
		return;
	add_number(args, names[0], size->has_x, size->x);
	add_number(args, names[1], size->has_y, size->y);
	add_number(args, names[2], size->has_z, size->z);
	memcpy(numbers, (const uint32_t[]){ size->x, size->y, size->z }, 3 * sizeof(*numbers));
}

static void add_launch(struct gpmu_trace_reader *reader, struct args *args,
		       const GpmuPb__GpuRenderStageEvent__Launch *launch)
{
	static const char *const grid[] = { "launch.grid_size.x", "launch.grid_size.y", "launch.grid_size.z" };
	static const char *const block[] = {
		"launch.workgroup_size.x", "launch.workgroup_size.y", "launch.workgroup_size.z",
	};

	add_size(args, grid, launch->grid_size, reader->work.grid);
	add_size(args, block, launch->workgroup_size, reader->work.block);
	for (size_t i = 0; i < launch->n_args; i++)
		add_extra(reader, args, launch->args[i]);
}

static int read_args(struct gpmu_trace_reader *reader, const GpmuPb__GpuRenderStageEvent *event)
{
	const GpmuPb__InternedComputeKernel *kernel =
		event->has_kernel_iid ? reader_message(reader, READER_KERNEL, event->kernel_iid) : NULL;
	const size_t max = (kernel ? KERNEL_ARGS + kernel->n_args : 0) + (event->launch ? LAUNCH_ARGS + event->launch->n_args : 0);
	struct args args = { .list = max ? reader_alloc(reader, (max + 1) * sizeof(*args.list)) : NULL };

	if (!max)
		return 0;
	if (!args.list)
		return reader_no_memory(reader);
	if (kernel)
		add_kernel(reader, &args, kernel);
	if (event->launch)
		add_launch(reader, &args, event->launch);
	reader->item.args = args.count ? args.list : NULL;
	reader->item.arg_count = args.count;
	return 0;
}

/* The track of a queue of a GPU with that number and name; a new name is a new track. Returns its index or -ENOMEM. */
static int64_t queue_track(struct gpmu_trace_reader *reader, int gpu, uint64_t iid, const char *name)
{
	const uint64_t key = (uint64_t)(uint32_t)gpu << 32 ^ iid;
	int64_t added;
	uint32_t index;

	if (map_get(&reader->queues, key, &index)) {
		const char *known = reader->tracks[index].info.name;

		if (reader->tracks[index].info.gpu == gpu && (known && name ? !strcmp(known, name) : known == name))
			return index;
	}
	added = reader_add_track(reader, GPMU_TRACE_TRACK_QUEUE, gpu, name);
	if (added >= 0 && map_set(&reader->queues, key, (uint32_t)added))
		return reader_no_memory(reader);
	return added;
}

static void note_time(struct gpmu_trace_reader *reader, uint64_t time)
{
	if (time > reader->last_time)
		reader->last_time = time;
}

static void set_work(struct gpmu_trace_reader *reader, const GpmuPb__GpuRenderStageEvent *event, int track,
		     uint64_t time)
{
	reader->work = (struct gpmu_trace_work){
		.size = sizeof(reader->work), .queue = track, .time = time, .duration = event->duration, .id = event->event_id,
		.after = event->n_event_wait_ids ? event->event_wait_ids[0] : 0, .submission = event->submission_id,
	};
	reader->item = (struct gpmu_trace_item){
		.size = sizeof(reader->item), .kind = GPMU_TRACE_SLICE, .track = track, .begin = time,
		.end = time + event->duration, .flow = event->event_id, .work = &reader->work,
	};
}

/* Sets the item's name and category. */
static void read_names(struct gpmu_trace_reader *reader, const GpmuPb__GpuRenderStageEvent *event)
{
	const GpmuPb__InternedGpuRenderStageSpecification *stage =
		event->has_stage_iid ? reader_message(reader, READER_SPECIFICATION, event->stage_iid) : NULL;

	reader->item.category = stage ? stage->description : NULL;
	if (event->has_name_iid)
		reader->item.name = reader_name(reader, READER_EVENT_NAME, event->name_iid);
	else
		reader->item.name = event->name ? event->name : stage ? stage->name : NULL;
}

/* A packet that yields no event. Returns 0. */
static int skip(struct gpmu_trace_reader *reader)
{
	reader->stats.others++;
	return 0;
}

int reader_work(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__GpuRenderStageEvent *event = packet->gpu_render_stage_event;
	const GpmuPb__InternedGpuRenderStageSpecification *queue =
		event->has_hw_queue_iid ? reader_message(reader, READER_SPECIFICATION, event->hw_queue_iid) : NULL;
	const GpmuPb__InternedGraphicsContext *context = reader_message(reader, READER_CONTEXT, event->context);
	uint64_t time = reader->last_time;
	int64_t track;
	int ret = packet->has_timestamp ? reader_time(reader, packet, TRACE_CLOCK_STEPS, &time) : 1;

	if (ret < 0)
		return ret;
	if (!ret || !event->has_event_id || !queue || event->gpu_id < 0)
		return skip(reader);
	if (event->duration >= READER_TIME_END - time)
		return reader_fail(reader, -EINVAL, "expected work that ends at a time in ns below 2^63");
	track = queue_track(reader, event->gpu_id, event->hw_queue_iid, queue->name);
	if (track < 0)
		return (int)track;
	reader->tracks[track].info.pid = context ? context->pid : 0;
	set_work(reader, event, (int)track + 1, time);
	read_names(reader, event);
	note_time(reader, reader->item.end);
	ret = read_args(reader, event);
	return ret ? ret : 1;
}

/* --- counters */

static int64_t find_counter(const struct gpmu_trace_reader *reader, int gpu, const char *name)
{
	for (size_t i = 0; i < reader->track_count; i++) {
		const struct gpmu_trace_track_info *info = &reader->tracks[i].info;

		if (info->kind == GPMU_TRACE_TRACK_COUNTER && info->gpu == gpu && info->name &&
		    !strcmp(info->name, name))
			return (int64_t)i;
	}
	return -1;
}

/*
 * Sets the unit of a counter; one that the format lacks is in brackets at the end of the description. Returns 0 or
 * -ENOMEM.
 */
static int set_unit(struct gpmu_trace_track_info *info, const GpmuPb__GpuCounterDescriptor__Spec *spec)
{
	const char *text = spec->description ? spec->description : "", *unit = strrchr(text, '[');
	size_t length = unit ? strlen(unit) : 0;

	if (spec->n_numerator_units || spec->n_denominator_units) {
		unit = trace_unit_text(spec->n_numerator_units, spec->numerator_units, spec->n_denominator_units,
				       spec->denominator_units);
		length = unit ? strlen(unit) : 0;
	} else if (length > 1 && unit[length - 1] == ']') {
		unit++;
		length -= 2;
	} else {
		unit = NULL;
	}
	info->unit = unit ? strndup(unit, length) : NULL;
	return unit && !info->unit ? -ENOMEM : 0;
}

static const GpmuPb__GpuCounterDescriptor__Spec *find_spec(const GpmuPb__InternedGpuCounterDescriptor *descriptor,
							   uint32_t counter)
{
	const GpmuPb__GpuCounterDescriptor *list = descriptor ? descriptor->counter_descriptor : NULL;

	for (size_t i = 0; list && i < list->n_specs; i++)
		if (list->specs[i]->has_counter_id && list->specs[i]->counter_id == counter)
			return list->specs[i]->name ? list->specs[i] : NULL;
	return NULL;
}

static int64_t add_counter(struct gpmu_trace_reader *reader, int gpu, const GpmuPb__GpuCounterDescriptor__Spec *spec)
{
	const int64_t track = reader_add_track(reader, GPMU_TRACE_TRACK_COUNTER, gpu, spec->name);

	return track >= 0 && set_unit(&reader->tracks[track].info, spec) ? reader_no_memory(reader) : track;
}

/* The track of a counter: those of a GPU with one name are one. Returns its index, -ENOENT or -ENOMEM. */
static int64_t counter_track(struct gpmu_trace_reader *reader, uint64_t iid, uint32_t counter)
{
	const GpmuPb__InternedGpuCounterDescriptor *descriptor;
	const GpmuPb__GpuCounterDescriptor__Spec *spec;
	const uint64_t key = iid << 32 ^ counter;
	uint32_t index;
	int64_t track;

	if (map_get(&reader->counters, key, &index))
		return index;
	descriptor = reader_message(reader, READER_DESCRIPTOR, iid);
	spec = find_spec(descriptor, counter);
	if (!spec || descriptor->gpu_id < 0)
		return -ENOENT;
	track = find_counter(reader, descriptor->gpu_id, spec->name);
	if (track < 0)
		track = add_counter(reader, descriptor->gpu_id, spec);
	if (track >= 0 && map_set(&reader->counters, key, (uint32_t)track))
		return reader_no_memory(reader);
	return track;
}

int reader_gpu_value(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__GpuCounterEvent *event = packet->gpu_counter_event;
	const GpmuPb__GpuCounterEvent__Counter *counter = event->n_counters == 1 ? event->counters[0] : NULL;
	uint64_t time = 0;
	int64_t track;
	int ret = packet->has_timestamp ? reader_time(reader, packet, TRACE_CLOCK_STEPS, &time) : 0;

	if (ret < 0)
		return ret;
	if (!ret || !counter || !counter->has_counter_id || (!counter->has_int_value && !counter->has_double_value) ||
	    !event->has_counter_descriptor_iid)
		return skip(reader);
	track = counter_track(reader, event->counter_descriptor_iid, counter->counter_id);
	if (track < 0)
		return track == -ENOENT ? skip(reader) : (int)track;
	note_time(reader, time);
	reader->item = (struct gpmu_trace_item){
		.size = sizeof(reader->item), .kind = GPMU_TRACE_COUNT, .track = (int)track + 1, .begin = time, .end = time,
		.value = counter->has_int_value ? (double)counter->int_value : counter->double_value,
	};
	return 1;
}
