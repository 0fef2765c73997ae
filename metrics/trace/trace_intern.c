// SPDX-License-Identifier: LGPL-2.1-or-later
/* Defines GPUs, queues, counters and kernels, once after each restart, in packets of their own. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "trace.pb-c.h"
#include "trace/trace.h"
#include "trace/trace_unit.h"

enum { API_CUDA = 4, CATEGORY_COMPUTE = 2, FORWARDS_LOOKING = 2 };

static int put_interned(struct gpmu_trace *trace, GpmuPb__InternedData *data)
{
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;

	packet.interned_data = data;
	packet.has_sequence_flags = 1;
	packet.sequence_flags = TRACE_STATE_NEEDED;
	return trace_put(trace, &packet);
}

/* --- GPUs */

#define UUID_BYTES	16

/* Parses "GPU-" and 16 bytes in hexadecimal, as NVML writes a UUID. */
static bool parse_uuid(const char *text, uint8_t uuid[UUID_BYTES])
{
	if (strncmp(text, "GPU-", 4) != 0)
		return false;
	text += 4;
	for (size_t i = 0; i < UUID_BYTES; i++, text += 2) {
		text += *text == '-';
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return false;
		uuid[i] = (uint8_t)strtoul((const char[]){ text[0], text[1], '\0' }, NULL, 16);
	}
	return !*text;
}

struct gpu_message {
	GpmuPb__GpuInfo__Gpu gpu;
	GpmuPb__GpuInfo__KeyValue extra, *extras[1];
	uint8_t uuid[UUID_BYTES];
};

static void fill_gpu(struct gpu_message *to, const struct trace_gpu *from)
{
	gpmu_pb__gpu_info__gpu__init(&to->gpu);
	to->gpu.name = from->name;
	to->gpu.vendor = from->name ? "NVIDIA" : NULL;
	to->gpu.pci_bdf = from->address;
	if (!from->uuid)
		return;
	memset(to->uuid, 0, sizeof(to->uuid));
	if (parse_uuid(from->uuid, to->uuid)) {
		to->gpu.has_uuid = 1;
		to->gpu.uuid = (ProtobufCBinaryData){ .len = UUID_BYTES, .data = to->uuid };
		return;
	}
	/* A UUID of another form, such as that of a MIG instance, is a text. */
	gpmu_pb__gpu_info__key_value__init(&to->extra);
	to->extra.key = "uuid";
	to->extra.value = from->uuid;
	to->extras[0] = &to->extra;
	to->gpu.n_extra_info = 1;
	to->gpu.extra_info = to->extras;
}

int trace_put_gpus(struct gpmu_trace *trace)
{
	GpmuPb__GpuInfo info = GPMU_PB__GPU_INFO__INIT;
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;
	struct gpu_message *messages;
	GpmuPb__GpuInfo__Gpu *list[GPMU_TRACE_GPUS_MAX];
	int ret = -ENOMEM;

	messages = calloc(trace->gpu_count, sizeof(*messages));
	for (size_t i = 0; messages && i < trace->gpu_count; i++) {
		fill_gpu(&messages[i], &trace->gpus[i]);
		list[i] = &messages[i].gpu;
	}
	info.n_gpus = trace->gpu_count;
	info.gpus = list;
	packet.gpu_info = &info;
	if (messages)
		ret = trace_put(trace, &packet);
	if (!ret)
		trace->gpus_given = trace->restart;
	free(messages);
	return ret;
}

/* --- queues and counters */

static int need_context(struct gpmu_trace *trace, int number)
{
	struct trace_context *context = &trace->contexts[number - 1];
	GpmuPb__InternedGraphicsContext message = GPMU_PB__INTERNED_GRAPHICS_CONTEXT__INIT, *list[] = { &message };
	GpmuPb__InternedData data = GPMU_PB__INTERNED_DATA__INIT;
	int ret;

	if (context->given == trace->restart)
		return 0;
	message.has_iid = message.has_pid = message.has_api = 1;
	message.iid = (uint64_t)number;
	message.pid = context->pid;
	message.api = API_CUDA;
	data.n_graphics_contexts = 1;
	data.graphics_contexts = list;
	ret = put_interned(trace, &data);
	if (!ret)
		context->given = trace->restart;
	return ret;
}

static int put_specification(struct gpmu_trace *trace, GpmuPb__InternedGpuRenderStageSpecification *specification)
{
	GpmuPb__InternedData data = GPMU_PB__INTERNED_DATA__INIT;

	data.n_gpu_specifications = 1;
	data.gpu_specifications = &specification;
	return put_interned(trace, &data);
}

int trace_put_queue(struct gpmu_trace *trace, int number)
{
	struct trace_track *track = &trace->tracks[number - 1];
	GpmuPb__InternedGpuRenderStageSpecification message = GPMU_PB__INTERNED_GPU_RENDER_STAGE_SPECIFICATION__INIT;
	int ret;

	message.has_iid = 1;
	message.iid = trace_queue_iid(number);
	message.name = track->name;
	ret = need_context(trace, track->context);
	if (!ret)
		ret = put_specification(trace, &message);
	if (!ret)
		track->given = trace->restart;
	return ret;
}

struct counter_message {
	GpmuPb__InternedGpuCounterDescriptor interned;
	GpmuPb__GpuCounterDescriptor descriptor;
	GpmuPb__GpuCounterDescriptor__Spec spec, *specs[1];
	uint32_t group, numerator, denominator;
};

static void fill_counter(struct counter_message *to, const struct trace_track *track, int number)
{
	const struct trace_unit *unit = trace_unit(track->unit);

	gpmu_pb__gpu_counter_descriptor__spec__init(&to->spec);
	to->spec.has_counter_id = to->spec.has_value_direction = 1;
	to->spec.name = track->name;
	to->spec.description = track->description;
	to->spec.n_numerator_units = unit != NULL;
	to->spec.n_denominator_units = unit && unit->denominator;
	to->numerator = unit ? unit->numerator : 0;
	to->denominator = unit ? unit->denominator : 0;
	to->spec.numerator_units = &to->numerator;
	to->spec.denominator_units = &to->denominator;
	to->group = track->group;
	to->spec.n_groups = 1;
	to->spec.groups = &to->group;
	to->spec.value_direction = FORWARDS_LOOKING;
	to->specs[0] = &to->spec;
	gpmu_pb__gpu_counter_descriptor__init(&to->descriptor);
	to->descriptor.n_specs = 1;
	to->descriptor.specs = to->specs;
	gpmu_pb__interned_gpu_counter_descriptor__init(&to->interned);
	to->interned.has_iid = to->interned.has_gpu_id = 1;
	to->interned.iid = (uint64_t)number;
	to->interned.gpu_id = track->gpu;
	to->interned.counter_descriptor = &to->descriptor;
}

int trace_put_gpu_counter(struct gpmu_trace *trace, int number)
{
	struct trace_track *track = &trace->tracks[number - 1];
	struct counter_message message;
	GpmuPb__InternedGpuCounterDescriptor *list[] = { &message.interned };
	GpmuPb__InternedData data = GPMU_PB__INTERNED_DATA__INIT;
	int ret;

	fill_counter(&message, track, number);
	data.n_gpu_counter_descriptors = 1;
	data.gpu_counter_descriptors = list;
	ret = put_interned(trace, &data);
	if (!ret)
		track->given = trace->restart;
	return ret;
}

/* --- names and kernels */

static char *const kinds[GPMU_TRACE_WORK_KINDS] = {
	[GPMU_TRACE_WORK_KERNEL] = "kernel", [GPMU_TRACE_WORK_COPY] = "memcpy",
	[GPMU_TRACE_WORK_SET] = "memset", [GPMU_TRACE_WORK_GRAPH] = "graph",
};

static int put_name(struct gpmu_trace *trace, enum trace_name_kind kind, uint64_t number, char *text)
{
	GpmuPb__InternedGpuRenderStageSpecification stage = GPMU_PB__INTERNED_GPU_RENDER_STAGE_SPECIFICATION__INIT;
	GpmuPb__InternedName name = GPMU_PB__INTERNED_NAME__INIT, *list[] = { &name };
	GpmuPb__InternedData data = GPMU_PB__INTERNED_DATA__INIT;
	const enum gpmu_trace_work_kind work = kind - TRACE_STAGE;

	name.has_iid = stage.has_iid = 1;
	name.iid = number;
	name.name = text;
	if (kind < TRACE_STAGE) {
		data.n_compute_arg_names = kind == TRACE_COMPUTE_ARG;
		data.n_debug_annotation_string_values = kind == TRACE_ARG_TEXT;
		data.compute_arg_names = data.debug_annotation_string_values = list;
		return put_interned(trace, &data);
	}
	stage.iid = trace_stage_iid(number, work);
	stage.name = text;
	stage.description = kinds[work];
	stage.has_category = work == GPMU_TRACE_WORK_KERNEL;
	stage.category = CATEGORY_COMPUTE;
	return put_specification(trace, &stage);
}

int trace_need_name(struct gpmu_trace *trace, enum trace_name_kind kind, const char *text, uint64_t *number)
{
	const int64_t found = trace_name_of(trace, text);
	struct trace_name *name;
	char *copy;
	int ret;

	if (found < 0)
		return (int)found;
	*number = (uint64_t)found;
	name = trace_name(&trace->names, found);
	if (name->given[kind] == trace->restart)
		return 0;
	/* A text that is too long ends before its NUL. */
	copy = strndup(name->text, name->length);
	ret = copy ? put_name(trace, kind, *number, copy) : -ENOMEM;
	free(copy);
	if (!ret)
		name->given[kind] = trace->restart;
	return ret;
}

static int fill_arg(struct gpmu_trace *trace, GpmuPb__ExtraComputeArg *to, const struct gpmu_trace_arg *from)
{
	int ret = trace_need_name(trace, TRACE_COMPUTE_ARG, from->name, &to->name_iid);

	to->has_name_iid = 1;
	to->has_double_value = from->kind == GPMU_TRACE_DOUBLE;
	to->double_value = from->real;
	to->has_int_value = from->kind == GPMU_TRACE_INT;
	to->int_value = from->integer;
	to->has_uint_value = from->kind == GPMU_TRACE_ADDRESS;
	to->uint_value = (uint64_t)from->integer;
	to->has_string_value_iid = from->kind == GPMU_TRACE_TEXT || from->kind == GPMU_TRACE_NAME;
	if (!ret && to->has_string_value_iid)
		ret = trace_need_name(trace, TRACE_ARG_TEXT, from->text ? from->text : "", &to->string_value_iid);
	return ret;
}

int trace_put_kernel(struct gpmu_trace *trace, int number)
{
	struct trace_kernel *kernel = &trace->kernels[number - 1];
	GpmuPb__InternedComputeKernel message = GPMU_PB__INTERNED_COMPUTE_KERNEL__INIT, *list[] = { &message };
	GpmuPb__InternedData data = GPMU_PB__INTERNED_DATA__INIT;
	GpmuPb__ExtraComputeArg args[TRACE_ARGS_MAX], *each[TRACE_ARGS_MAX];
	int ret = 0;

	for (size_t i = 0; i < kernel->arg_count && !ret; i++) {
		gpmu_pb__extra_compute_arg__init(&args[i]);
		ret = fill_arg(trace, &args[i], &kernel->args[i]);
		each[i] = &args[i];
	}
	message.has_iid = 1;
	message.iid = (uint64_t)number;
	message.name = kernel->name;
	message.demangled_name = kernel->demangled;
	message.arch = kernel->arch;
	message.n_args = kernel->arg_count;
	message.args = each;
	data.n_compute_kernels = 1;
	data.compute_kernels = list;
	if (!ret)
		ret = put_interned(trace, &data);
	if (!ret)
		kernel->given = trace->restart;
	return ret;
}
