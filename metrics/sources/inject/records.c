// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts CUPTI's records to ours */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "inject.h"

/* The head of a record; size in bytes */
#define HEAD(type, kind)	{ sizeof(struct type), kind, 0 }

static bool is_wanted(const struct inject *self, enum activity_kind kind)
{
	return self->control->kinds >> kind & 1;
}

/* Returns whether a record has its times; without them it is counted as lost. */
static bool has_times(struct inject *self, enum activity_kind kind, uint64_t start, uint64_t end)
{
	if (start && end)
		return true;
	output_lost(self, self->is_last ? ACTIVITY_LOST_END : ACTIVITY_LOST_TIMES, kind, 1);
	return false;
}

static void put_kernel(struct inject *self, const void *record)
{
	const CUpti_ActivityKernel9 *from = record;
	struct activity_kernel to = {
		.work = { HEAD(activity_kernel, ACTIVITY_KERNEL), from->start, from->end, from->deviceId,
			  from->contextId, from->streamId, from->correlationId, from->graphId, 0,
			  from->graphNodeId },
		.grid = { from->gridX, from->gridY, from->gridZ },
		.block = { from->blockX, from->blockY, from->blockZ },
		.registers = from->registersPerThread,
		.shared_static = from->staticSharedMemory,
		.shared_dynamic = from->dynamicSharedMemory,
	};

	if (!has_times(self, ACTIVITY_KERNEL, from->start, from->end))
		return;
	to.name = names_intern(self, NAMES_OF_CUDA, from->name);
	output_write(self, &to.work.head);
}

static void put_copy(struct inject *self, const void *record)
{
	const CUpti_ActivityMemcpy5 *from = record;
	const struct activity_copy to = {
		.work = { HEAD(activity_copy, ACTIVITY_COPY), from->start, from->end, from->deviceId,
			  from->contextId, from->streamId, from->correlationId, from->graphId, 0,
			  from->graphNodeId },
		.bytes = from->bytes,
		.copy = from->copyKind < ACTIVITY_COPY_KINDS ? from->copyKind : 0,
		.from = from->srcKind < ACTIVITY_MEMORY_KINDS ? from->srcKind : 0,
		.to = from->dstKind < ACTIVITY_MEMORY_KINDS ? from->dstKind : 0,
		.peer = from->deviceId,
	};

	if (has_times(self, to.work.head.kind, from->start, from->end))
		output_write(self, &to.work.head);
}

static void put_peer_copy(struct inject *self, const void *record)
{
	const CUpti_ActivityMemcpyPtoP4 *from = record;
	const struct activity_copy to = {
		.work = { HEAD(activity_copy, ACTIVITY_COPY), from->start, from->end, from->deviceId,
			  from->contextId, from->streamId, from->correlationId, from->graphId, 0,
			  from->graphNodeId },
		.bytes = from->bytes,
		.copy = from->copyKind < ACTIVITY_COPY_KINDS ? from->copyKind : 0,
		.from = from->srcKind < ACTIVITY_MEMORY_KINDS ? from->srcKind : 0,
		.to = from->dstKind < ACTIVITY_MEMORY_KINDS ? from->dstKind : 0,
		.peer = from->deviceId == from->srcDeviceId ? from->dstDeviceId : from->srcDeviceId,
	};

	if (has_times(self, to.work.head.kind, from->start, from->end))
		output_write(self, &to.work.head);
}

static void put_set(struct inject *self, const void *record)
{
	const CUpti_ActivityMemset4 *from = record;
	const struct activity_set to = {
		.work = { HEAD(activity_set, ACTIVITY_SET), from->start, from->end, from->deviceId,
			  from->contextId, from->streamId, from->correlationId, from->graphId, 0,
			  from->graphNodeId },
		.bytes = from->bytes,
		.value = from->value,
		.memory = from->memoryKind < ACTIVITY_MEMORY_KINDS ? from->memoryKind : 0,
	};

	if (has_times(self, to.work.head.kind, from->start, from->end))
		output_write(self, &to.work.head);
}

static void put_graph(struct inject *self, const void *record)
{
	const CUpti_ActivityGraphTrace *from = record;
	const struct activity_graph to = {
		.work = { HEAD(activity_graph, ACTIVITY_GRAPH), from->start, from->end, from->deviceId,
			  from->contextId, from->streamId, from->correlationId, from->graphId, 0, 0 },
	};

	if (has_times(self, to.work.head.kind, from->start, from->end))
		output_write(self, &to.work.head);
}

static void put_call(struct inject *self, const void *record)
{
	const CUpti_ActivityAPI *from = record;
	bool is_runtime = from->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
	uint32_t domain = is_runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
	struct activity_call to = {
		HEAD(activity_call, is_runtime ? ACTIVITY_RUNTIME : ACTIVITY_DRIVER), from->start, from->end,
		from->threadId, from->correlationId, 0, from->returnValue,
	};

	if (names_is_noise(domain, from->cbid) || probe_is_ours(from->threadId) ||
	    !has_times(self, to.head.kind, from->start, from->end))
		return;
	to.name = names_call(self, domain, from->cbid);
	output_write(self, &to.head);
}

static void put_sync(struct inject *self, const void *record)
{
	const CUpti_ActivitySynchronization *from = record;
	const struct activity_sync to = {
		HEAD(activity_sync, ACTIVITY_SYNC), from->start, from->end, from->contextId,
		from->streamId, from->correlationId,
		from->type < ACTIVITY_SYNC_KINDS ? from->type : 0,
	};

	if (has_times(self, ACTIVITY_SYNC, from->start, from->end))
		output_write(self, &to.head);
}

static void put_marker(struct inject *self, const void *record)
{
	static const struct {
		uint32_t flag;
		enum activity_marker_kind kind;
	} kinds[] = {
		{ CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, ACTIVITY_MARKER_INSTANT },
		{ CUPTI_ACTIVITY_FLAG_MARKER_START, ACTIVITY_MARKER_BEGIN },
		{ CUPTI_ACTIVITY_FLAG_MARKER_END, ACTIVITY_MARKER_END },
	};
	const CUpti_ActivityMarker2 *from = record;
	struct activity_marker to = {
		.head = HEAD(activity_marker, ACTIVITY_MARKER),
		.time = from->timestamp,
		.id = from->id,
		.thread = from->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from->objectId[1] : 0,
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(from->flags & kinds[i].flag))
			continue;
		to.marker = kinds[i].kind;
		if (to.marker != ACTIVITY_MARKER_END)
			to.name = names_intern(self, NAMES_OF_NVTX, from->name);
		to.domain = names_intern(self, NAMES_OF_CUDA, from->domain);
		output_write(self, &to.head);
		return;
	}
}

static void put_memory(struct inject *self, const void *record)
{
	const CUpti_ActivityMemory4 *from = record;
	struct activity_memory to = {
		HEAD(activity_memory, ACTIVITY_MEMORY), from->timestamp, from->address, from->bytes,
		from->deviceId, from->contextId,
		from->memoryKind < ACTIVITY_MEMORY_KINDS ? from->memoryKind : 0,
		from->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE ? ACTIVITY_MEMORY_FREED :
											    ACTIVITY_MEMORY_ALLOCATED,
		from->streamId, from->correlationId, 0, 0, 0, 0, 0, 0,
	};

	if (from->memoryPoolConfig.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) {
		to.pool = from->memoryPoolConfig.address;
		to.reserved = from->memoryPoolConfig.size;
		to.used = from->memoryPoolConfig.utilizedSize;
		to.threshold = from->memoryPoolConfig.releaseThreshold;
	}
	/* A CUPTI without the function may have shorter records. */
	if (self->has_allocators)
		to.source = names_intern(self, NAMES_OF_CUDA, from->source);
	output_write(self, &to.head);
}

static void put_pool(struct inject *self, const void *record)
{
	static const uint8_t operations[] = {
		[CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED] = ACTIVITY_MEMORY_POOL_CREATED,
		[CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED] = ACTIVITY_MEMORY_POOL_DESTROYED,
		[CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED] = ACTIVITY_MEMORY_POOL_TRIMMED,
	};
	const CUpti_ActivityMemoryPool2 *from = record;
	struct activity_memory to = {
		HEAD(activity_memory, ACTIVITY_MEMORY), from->timestamp, from->address, 0, from->deviceId, 0,
		ACTIVITY_MEMORY_DEVICE, 0, 0, from->correlationId, from->address, from->size, from->utilizedSize,
		from->releaseThreshold, 0, 0,
	};

	if (from->memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL ||
	    from->memoryPoolOperationType >= ARRAY_SIZE(operations) || !operations[from->memoryPoolOperationType])
		return;
	to.operation = operations[from->memoryPoolOperationType];
	output_write(self, &to.head);
}

static const char *overhead_name(uint32_t kind)
{
	/* CUpti_ActivityOverheadKind; values from the second on are in the upper 16 bits */
	static const char *const names[] = {
		NULL, "buffer flush", "instrumentation", "resource", "module loading by the runtime",
		"lazy function loading", "command buffer full", "activity buffer request",
		"unified memory activity",
	};
	uint32_t index = kind >> 16;

	if (kind == 1)
		return "driver compiler";
	return index && index < ARRAY_SIZE(names) ? names[index] : "overhead";
}

static void put_overhead(struct inject *self, const void *record)
{
	const CUpti_ActivityOverhead *from = record;
	struct activity_overhead to = {
		HEAD(activity_overhead, ACTIVITY_OVERHEAD), from->start, from->end,
		from->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from->objectId[1] : 0, 0,
	};

	to.name = names_intern(self, NAMES_OF_CUDA, overhead_name(from->overheadKind));
	output_write(self, &to.head);
}

static void put_external(struct inject *self, const void *record)
{
	const CUpti_ActivityExternalCorrelation *from = record;
	const struct activity_external to = {
		HEAD(activity_external, ACTIVITY_EXTERNAL), from->externalId, from->externalKind,
		from->correlationId,
	};

	output_write(self, &to.head);
}

static void put_unified(struct inject *self, const void *record)
{
	/* CUpti_ActivityUnifiedMemoryCounterKind, and which ends are GPUs */
	static const struct {
		const char *name;
		bool is_from_gpu, is_to_gpu;
	} kinds[] = {
		[1] = { "bytes HtoD", false, true },
		[2] = { "bytes DtoH", true, false },
		[3] = { "CPU page faults", false, false },
		[4] = { "GPU page faults", true, false },
		[8] = { "bytes DtoD", true, true },
	};
	const CUpti_ActivityUnifiedMemoryCounter2 *from = record;
	uint32_t kind = from->counterKind;
	struct activity_unified to = {
		HEAD(activity_unified, ACTIVITY_UNIFIED), from->start, from->end, from->address,
		from->value, 0, UINT32_MAX, UINT32_MAX, 0,
	};

	if (kind >= ARRAY_SIZE(kinds) || !kinds[kind].name)
		return;
	/* Its value is the address of the instruction. */
	if (kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT)
		to.value = 1;
	/* A record of an instant has no end. */
	if (!to.end)
		to.end = to.begin;
	if (kinds[kind].is_from_gpu)
		to.from = from->srcId;
	if (kinds[kind].is_to_gpu)
		to.to = from->dstId;
	to.name = names_intern(self, NAMES_OF_CUDA, kinds[kind].name);
	output_write(self, &to.head);
}

static void put_environment(struct inject *self, const void *record)
{
	const CUpti_ActivityEnvironment *from = record;
	struct activity_environment to = {
		HEAD(activity_environment, ACTIVITY_ENVIRONMENT), from->timestamp, from->deviceId,
		from->environmentKind, { from->data[0] },
	};

	switch (from->environmentKind) {
	case CUPTI_ACTIVITY_ENVIRONMENT_SPEED:
		to.values[1] = from->data[1];
		to.values[2] = from->data[4];
		break;
	case CUPTI_ACTIVITY_ENVIRONMENT_TEMPERATURE:
		break;
	case CUPTI_ACTIVITY_ENVIRONMENT_POWER:
		to.values[1] = from->data[1];
		break;
	default:
		return;
	}
	output_write(self, &to.head);
}

static void put_jit(struct inject *self, const void *record)
{
	const CUpti_ActivityJit2 *from = record;
	struct activity_module to = {
		HEAD(activity_module, ACTIVITY_MODULE), from->start, from->end, 0, from->threadId, 0, 0, 0,
	};

	if (!has_times(self, ACTIVITY_MODULE, from->start, from->end))
		return;
	switch (from->jitOperationType) {
	case CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD:
		to.what = ACTIVITY_MODULE_FROM_CACHE;
		break;
	case CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE:
		to.what = ACTIVITY_MODULE_TO_CACHE;
		break;
	case CUPTI_ACTIVITY_JIT_OPERATION_COMPILE:
		to.what = from->jitEntryType == CUPTI_ACTIVITY_JIT_ENTRY_NVVM_IR_TO_PTX ? ACTIVITY_MODULE_NVVM :
											   ACTIVITY_MODULE_PTX;
		break;
	default:
		return;
	}
	to.path = names_intern(self, NAMES_OF_CUDA, from->cachePath);
	output_write(self, &to.head);
}

static void put_openacc(struct inject *self, const void *record)
{
	const CUpti_ActivityOpenAccData *from = record;
	const CUpti_ActivityOpenAccLaunch *launch = record;
	struct activity_openacc to = {
		HEAD(activity_openacc, ACTIVITY_OPENACC), from->start, from->end, 0, from->cuThreadId, from->eventKind,
		from->lineNo, 0, 0, 0,
	};

	if (!has_times(self, ACTIVITY_OPENACC, from->start, from->end))
		return;
	to.file = names_intern(self, NAMES_OF_CUDA, from->srcFile);
	to.function = names_intern(self, NAMES_OF_CUDA, from->funcName);
	if (from->kind == CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH)
		to.subject = names_intern(self, NAMES_OF_CUDA, launch->kernelName);
	if (from->kind == CUPTI_ACTIVITY_KIND_OPENACC_DATA) {
		to.subject = names_intern(self, NAMES_OF_CUDA, from->varName);
		to.bytes = from->bytes;
	}
	output_write(self, &to.head);
}

static void put_device(struct inject *self, const void *record)
{
	const CUpti_ActivityDevice4 *from = record;
	const uint8_t *id = from->uuid;
	union {
		struct activity_device device;
		char bytes[sizeof(struct activity_device) + 96];
	} to = { .device = {
		.head.kind = ACTIVITY_DEVICE, .device = from->id,
		.major = from->computeCapabilityMajor, .minor = from->computeCapabilityMinor,
		.multiprocessors = from->numMultiprocessors, .warps = from->maxWarpsPerMultiprocessor,
		.blocks = from->maxBlocksPerMultiprocessor, .registers = from->maxRegistersPerMultiprocessor,
		.shared = from->maxSharedMemoryPerMultiprocessor,
	} };

	snprintf(to.device.uuid, sizeof(to.device.uuid),
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0], id[1],
		 id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13],
		 id[14], id[15]);
	snprintf(to.device.text, 95, "%s", from->name ? from->name : "");
	to.device.head.size = (sizeof(to.device) + strlen(to.device.text) + 1 + 7) / 8 * 8;
	output_write(self, &to.device.head);
}

static void put_context(struct inject *self, const void *record)
{
	const CUpti_ActivityContext *from = record;
	const struct activity_context to = {
		HEAD(activity_context, ACTIVITY_CONTEXT), from->contextId, from->deviceId,
		from->nullStreamId, 0,
	};

	output_write(self, &to.head);
}

#define T(type, member)		offsetof(CUpti_Activity##type, member)
#define WORK(type)		T(type, start), T(type, correlationId)

static const struct {
	uint32_t kind;
	enum activity_kind activity;	/* the kind of gpmu, or one that is always recorded */
	void (*put)(struct inject *self, const void *record);
	size_t time;		/* offset of the time by which it is in a capture range; 0: always recorded */
	size_t call;		/* offset of its call's correlation, whose range takes precedence over its own time; 0: none */
} kinds[] = {
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ACTIVITY_KERNEL, put_kernel, WORK(Kernel9) },
	{ CUPTI_ACTIVITY_KIND_RUNTIME, ACTIVITY_RUNTIME, put_call, T(API, start), 0 },
	{ CUPTI_ACTIVITY_KIND_DRIVER, ACTIVITY_DRIVER, put_call, T(API, start), 0 },
	{ CUPTI_ACTIVITY_KIND_MEMCPY, ACTIVITY_COPY, put_copy, WORK(Memcpy5) },
	{ CUPTI_ACTIVITY_KIND_MEMCPY2, ACTIVITY_COPY, put_peer_copy, WORK(MemcpyPtoP4) },
	{ CUPTI_ACTIVITY_KIND_MEMSET, ACTIVITY_SET, put_set, WORK(Memset4) },
	{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, ACTIVITY_GRAPH, put_graph, WORK(GraphTrace) },
	{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, ACTIVITY_SYNC, put_sync, WORK(Synchronization) },
	{ CUPTI_ACTIVITY_KIND_MARKER, ACTIVITY_MARKER, put_marker, 0, 0 },
	{ CUPTI_ACTIVITY_KIND_MEMORY2, ACTIVITY_MEMORY, put_memory, T(Memory4, timestamp), 0 },
	{ CUPTI_ACTIVITY_KIND_MEMORY_POOL, ACTIVITY_MEMORY, put_pool, T(MemoryPool2, timestamp), 0 },
	{ CUPTI_ACTIVITY_KIND_OVERHEAD, ACTIVITY_OVERHEAD, put_overhead, T(Overhead, start), 0 },
	{ CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, ACTIVITY_EXTERNAL, put_external, 0, 0 },
	{ CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, ACTIVITY_UNIFIED, put_unified,
	  T(UnifiedMemoryCounter2, start), 0 },
	{ CUPTI_ACTIVITY_KIND_ENVIRONMENT, ACTIVITY_ENVIRONMENT, put_environment,
	  T(Environment, timestamp), 0 },
	{ CUPTI_ACTIVITY_KIND_OPENACC_DATA, ACTIVITY_OPENACC, put_openacc, T(OpenAccData, start), 0 },
	{ CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH, ACTIVITY_OPENACC, put_openacc, T(OpenAccData, start), 0 },
	{ CUPTI_ACTIVITY_KIND_OPENACC_OTHER, ACTIVITY_OPENACC, put_openacc, T(OpenAccData, start), 0 },
	{ CUPTI_ACTIVITY_KIND_JIT, ACTIVITY_MODULE, put_jit, T(Jit2, start), 0 },
	{ CUPTI_ACTIVITY_KIND_DEVICE, ACTIVITY_DEVICE, put_device, 0, 0 },
	{ CUPTI_ACTIVITY_KIND_CONTEXT, ACTIVITY_CONTEXT, put_context, 0, 0 },
};

/* The last CALLS calls by correlation: whether they were in a capture range */
#define CALLS	65536

static struct call {
	uint32_t correlation;	/* 0: none */
	bool is_inside;
} *calls;	/* NULL before the first call, or without memory */

static void note_call(struct inject *self, const CUpti_Activity *record)
{
	const CUpti_ActivityAPI *api = (const void *)record;
	struct call *call;

	if (record->kind != CUPTI_ACTIVITY_KIND_RUNTIME && record->kind != CUPTI_ACTIVITY_KIND_DRIVER)
		return;
	if (!calls)
		calls = inject_table(CALLS * sizeof(*calls));
	if (!calls)
		return;
	call = &calls[api->correlationId % CALLS];
	/* A driver call inside a runtime call has the same correlation. */
	call->is_inside = capture_has(self, api->start) ||
			  (call->correlation == api->correlationId && call->is_inside);
	call->correlation = api->correlationId;
}

static uint32_t correlation_of(size_t kind, const CUpti_Activity *record)
{
	uint32_t correlation;

	memcpy(&correlation, (const char *)record + kinds[kind].call, sizeof(correlation));
	return correlation;
}

/* Work launched inside a range belongs to it, whenever it runs. */
static bool is_captured(const struct inject *self, size_t kind, const CUpti_Activity *record)
{
	const char *bytes = (const char *)record;
	uint64_t time;

	if (!kinds[kind].time)
		return true;
	memcpy(&time, bytes + kinds[kind].time, sizeof(time));
	/* Records without a time pass here and are counted as lost later. */
	if (!time)
		return true;
	if (kinds[kind].call && self->control->capture != CHANNEL_CAPTURE_ALL) {
		const uint32_t correlation = correlation_of(kind, record);

		if (correlation && calls && calls[correlation % CALLS].correlation == correlation)
			return calls[correlation % CALLS].is_inside;
	}
	return capture_has(self, time);
}

static bool is_work(size_t kind)
{
	return kinds[kind].activity >= ACTIVITY_KERNEL && kinds[kind].activity <= ACTIVITY_GRAPH;
}

/* An unsure call is a sure one when its record has arrived. */
static void count_work(struct inject *self, size_t kind, const CUpti_Activity *record)
{
	self->arrived++;
	if (!calls_are_unsure(correlation_of(kind, record)))
		return;
	channel_count(self->writer, CHANNEL_UNSURE, kinds[kind].activity, (uint64_t)-1);
	channel_count(self->writer, CHANNEL_CALLED, kinds[kind].activity, 1);
}

/* Counts a record as lost whose times are of another clock. */
static void lose(struct inject *self, const CUpti_Activity *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].kind != record->kind)
			continue;
		if (kinds[i].activity == ACTIVITY_DEVICE || kinds[i].activity == ACTIVITY_CONTEXT)
			kinds[i].put(self, record);
		else if (is_wanted(self, kinds[i].activity))
			output_lost(self, ACTIVITY_LOST_TIMES, kinds[i].activity, 1);
	}
}

/* Skips kinds that are not recorded: the program itself may have enabled them. */
static void put(struct inject *self, const CUpti_Activity *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].kind != record->kind)
			continue;
		if (kinds[i].activity != ACTIVITY_DEVICE && kinds[i].activity != ACTIVITY_CONTEXT && !is_wanted(self, kinds[i].activity))
			return;
		if (is_work(i))
			count_work(self, i, record);
		if (is_captured(self, i, record))
			kinds[i].put(self, record);
		else if (is_work(i))
			channel_count(self->writer, CHANNEL_OUTSIDE, kinds[i].activity, 1);
		return;
	}
}

/* The records of a buffer. CUPTI is asked for them only once, as its data beside them may be freed then. */
static const CUpti_Activity **list;
static size_t list_room;

static bool grow_list(size_t length)
{
	size_t room = list_room ? list_room * 2 : 1024;
	const CUpti_Activity **more;

	if (length < list_room)
		return true;
	more = reallocarray(list, room, sizeof(CUpti_Activity *));
	if (!more)
		return false;
	list = more;
	list_room = room;
	return true;
}

/* Lists the records of a buffer; returns CUPTI's result at its end */
static int read_list(struct inject *self, const struct inject_buffer *buffer, size_t *length)
{
	CUpti_Activity *record = NULL;
	int code = CUPTI_ERROR_MAX_LIMIT_REACHED;

	*length = 0;
	while (inject_is_alive(self)) {
		code = self->api.next(buffer->bytes, buffer->valid, &record);
		if (code)
			break;
		if (grow_list(*length))
			list[(*length)++] = record;
		else
			output_lost(self, ACTIVITY_LOST_CHANNEL, 0, 1);
	}
	return code;
}

void records_read(struct inject *self, struct inject_buffer *buffer)
{
	size_t dropped = 0, length;
	int code = read_list(self, buffer, &length);
	const bool has_clock = probe_clock_is_ours(self);

	/* A kernel's record may precede its call's. */
	if (self->control->capture != CHANNEL_CAPTURE_ALL)
		for (size_t i = 0; i < length; i++)
			note_call(self, list[i]);
	for (size_t i = 0; i < length; i++)
		(has_clock ? put : lose)(self, list[i]);
	if (code != 0 && code != CUPTI_ERROR_MAX_LIMIT_REACHED)
		output_lost(self, ACTIVITY_LOST_CORRUPT, 0, 1);
	if (inject_is_alive(self) && !self->api.dropped(buffer->context, buffer->stream, &dropped))
		output_lost(self, ACTIVITY_LOST_CUPTI, 0, dropped);
}
