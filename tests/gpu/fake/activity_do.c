// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes CUPTI's records for the words of program.c. Each word has a call and its work, with the next correlation.
 */
#include <elf.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity_fake.h"
#include "ranges.h"

enum { RUNTIME_GET_LAST_ERROR = 10, RUNTIME_LAUNCH = 211, RUNTIME_MEMCPY = 31, RUNTIME_MEMSET = 45,
       RUNTIME_SYNCHRONIZE = 165, RUNTIME_GRAPH = 311, RUNTIME_HOST_ALLOC = 27, RUNTIME_FREE_HOST = 26,
       RUNTIME_HOST_REGISTER = 152, RUNTIME_MANAGED = 206 };

/* ns of work, shorter than the time between two calls, because work of a stream does not overlap */
#define WORK	10

static uint32_t correlation, context_id, kernels;
static __thread uint32_t marker_ids[16], marker_depth;
static uint32_t last_marker, started;
static uint64_t last_managed;	/* address of memory; 0: none */
static __thread const char *launched = "";	/* name of the kernel that the next call launches */

const char *activity_call_name(uint32_t domain, uint32_t cbid)
{
	static const struct {
		uint32_t cbid;
		const char *name;
	} names[] = {
		{ RUNTIME_GET_LAST_ERROR, "cudaGetLastError_v3020" },
		{ RUNTIME_LAUNCH, "cudaLaunchKernel_v7000" }, { RUNTIME_MEMCPY, "cudaMemcpy_v3020" },
		{ RUNTIME_MEMSET, "cudaMemset_v3020" },
		{ RUNTIME_SYNCHRONIZE, "cudaDeviceSynchronize_v3020" },
		{ RUNTIME_GRAPH, "cudaGraphLaunch_v10000" },
		{ RUNTIME_HOST_ALLOC, "cudaHostAlloc_v3020" }, { RUNTIME_FREE_HOST, "cudaFreeHost_v3020" },
		{ RUNTIME_HOST_REGISTER, "cudaHostRegister_v4000" }, { RUNTIME_MANAGED, "cudaMallocManaged_v6000" },
	};

	for (size_t i = 0; domain == CUPTI_CB_DOMAIN_RUNTIME_API && i < sizeof(names) / sizeof(*names); i++)
		if (names[i].cbid == cbid)
			return names[i].name;
	return NULL;
}

/* The driver's function that a function of the runtime calls; 0: none */
static uint32_t driver_function(uint32_t cbid)
{
	static const struct {
		uint32_t runtime, driver;
	} functions[] = {
		{ RUNTIME_LAUNCH, 307 }, { RUNTIME_MEMCPY, 276 }, { RUNTIME_MEMSET, 249 }, { RUNTIME_GRAPH, 514 },
		{ RUNTIME_HOST_ALLOC, 39 }, { RUNTIME_FREE_HOST, 38 }, { RUNTIME_HOST_REGISTER, 379 },
		{ RUNTIME_MANAGED, 371 },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].runtime == cbid)
			return functions[i].driver;
	return 0;
}

/* A callback about a graph. The executable graph has the handle 1. */
static void resource(uint32_t cbid, uintptr_t node, uint32_t type)
{
	/* The clone of node 1 is node 300, whose id is that of the records. */
	CUpti_GraphData graph = {
		.node = (void *)node, .originalNode = (void *)(node == 300 ? 1 : node), .nodeType = type, .graphExec = (void *)1,
	};
	const CUpti_ResourceData data = { .resourceDescriptor = &graph };

	activity_callback(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

/* Instantiates a graph of kernels, one of them in a child graph, as CUPTI 13.0 reports it */
static void instantiate(long nodes)
{
	enum { KERNEL, CHILD = 4, FUNCTION = 643 };
	CUpti_CallbackData data = { .callbackSite = CUPTI_API_ENTER, .functionName = "cuGraphInstantiateWithFlags" };

	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, FUNCTION, &data);
	for (long i = 1; i < nodes; i++) {
		const uintptr_t clone = i == 1 ? 300 : (uintptr_t)i;

		resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, clone, KERNEL);
		resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, clone, KERNEL);
		resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, clone, KERNEL);
	}
	resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, nodes + 1, CHILD);
	resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, nodes, KERNEL);
	resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, nodes, KERNEL);
	resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, nodes + 1, KERNEL);
	resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, 0, 0);
	data.callbackSite = CUPTI_API_EXIT;
	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, FUNCTION, &data);
}

/* The callbacks of a driver's function. @parameters: of the function, as far as they are used; @code: its result */
static void call_driver(uint32_t cbid, const void *parameters, int code, bool is_node_added)
{
	CUpti_CallbackData data = {
		.callbackSite = CUPTI_API_ENTER, .functionName = "cu", .functionParams = parameters,
		.correlationId = __atomic_load_n(&correlation, __ATOMIC_RELAXED), .symbolName = launched,
		.context = (void *)(uintptr_t)(context_id ? context_id : 1), .contextUid = context_id,
	};

	if (!cbid)
		return;
	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
	if (*launched && !code && !is_node_added) {
		ranges_launch(launched);
		sass_launch_kernel(data.context, launched);
	}
	if (is_node_added) {
		resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, 1, 0);
		resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 1, 0);
	}
	data.callbackSite = CUPTI_API_EXIT;
	data.functionReturnValue = &code;
	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

/* A call that begins or ends the capture of a stream. @code: its result */
static void call_capture(uint32_t cbid, const char *code)
{
	int result = (int)strtol(code, NULL, 0);
	CUpti_CallbackData data = { .callbackSite = CUPTI_API_ENTER, .functionName = "cuStream" };

	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
	data.callbackSite = CUPTI_API_EXIT;
	data.functionReturnValue = &result;
	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

static void do_capture(const char *code)
{
	fake_count("captures", !strtol(code, NULL, 0));
	call_capture(539, code);
}

static void do_captured(const char *code)
{
	fake_count("captures", -1);
	call_capture(497, code);
}

/* Calls without work: a launch that fails, a launch that adds a node to a graph, a copy of 0 bytes */
static void do_nothing(const char *unused)
{
	const uint64_t parameters[4] = { 0 };

	(void)unused;
	call_driver(307, parameters, 1, false);
	call_driver(307, parameters, 0, true);
	call_driver(276, parameters, 0, false);
}

/* Kernels that have been called and whose records CUPTI never delivers */
static void do_undelivered(const char *n)
{
	const uint64_t parameters[4] = { 0 };

	for (long i = strtol(n, NULL, 0); i > 0; i--)
		call_driver(307, parameters, 0, false);
}

static uint32_t call_with(uint32_t cbid, const void *parameters, int code, uint64_t *now)
{
	CUpti_ActivityAPI record = {
		.kind = CUPTI_ACTIVITY_KIND_RUNTIME, .cbid = cbid, .threadId = gettid(),
		.processId = getpid(), .start = activity_now(),
		.correlationId = __atomic_add_fetch(&correlation, 1, __ATOMIC_RELAXED),
	};

	if (fake_options()->launch_ex && driver_function(cbid) == 307)
		call_driver(652, (const void *[4]){ &((const uint64_t *)parameters)[1] }, code, false);
	else
		call_driver(driver_function(cbid), parameters, code, false);
	record.returnValue = code;
	record.end = activity_now();
	*now = record.end;
	if (!activity_is_off(record.kind, cbid))
		activity_put(&record, false);
	return record.correlationId;
}

#define ONE	UINT64_C(1)

static uint32_t call(uint32_t cbid, uint64_t *now)
{
	/* A function, and a block of 32 threads, as six numbers of 32 bits, as those of a launch */
	const uint64_t parameters[] = { 1, ONE << 32 | ONE, ONE << 37 | ONE, ONE << 32 | ONE };

	return call_with(cbid, parameters, 0, now);
}

/* Memory of the host: the n-th has the address n << 32. With a minus sign before the size the call fails. */
static uint64_t allocate(uint32_t cbid, const char *bytes)
{
	static uint64_t address;
	const bool is_indirect = cbid != RUNTIME_HOST_REGISTER, has_failed = *bytes == '-';
	uint64_t now, parameters[3] = { 0, strtoull(bytes + has_failed, NULL, 0), 0 };

	address += has_failed ? 0 : UINT64_C(1) << 32;
	parameters[0] = is_indirect ? (uint64_t)(uintptr_t)&address : address;
	call_with(cbid, parameters, has_failed ? 2 : 0, &now);
	return address;
}

static void do_pin(const char *bytes)
{
	allocate(RUNTIME_HOST_ALLOC, bytes);
}

static void do_register(const char *bytes)
{
	allocate(RUNTIME_HOST_REGISTER, bytes);
}

static void do_managed(const char *bytes)
{
	last_managed = allocate(RUNTIME_MANAGED, bytes);
}

static void do_unpin(const char *number)
{
	const uint64_t parameters[] = { strtoull(number, NULL, 0) << 32 };
	uint64_t now;

	call_with(RUNTIME_FREE_HOST, parameters, 0, &now);
}

/* A call of the driver API */
static void do_asked(const char *cbid)
{
	CUpti_ActivityAPI record = {
		.kind = CUPTI_ACTIVITY_KIND_DRIVER, .cbid = strtoul(cbid, NULL, 0),
		.threadId = gettid(), .processId = getpid(), .start = activity_now(),
	};

	record.end = activity_now();
	activity_put(&record, false);
}

static void put_kernel(const char *name, bool is_held, uint32_t graph, uint32_t call, uint64_t now)
{
	int zero = fake_options()->zero;
	CUpti_ActivityKernel9 record = {
		.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .contextId = context_id, .streamId = 7,
		.correlationId = call, .gridX = 4,
		.gridY = 2, .gridZ = 1, .blockX = 128, .blockY = 1, .blockZ = 1,
		.registersPerThread = 32, .staticSharedMemory = 1024, .dynamicSharedMemory = 2048,
		.graphId = graph, .graphNodeId = graph ? graph * 100 : 0,
		.name = strdup(name),
	};

	record.start = now;
	record.end = is_held ? 0 : now + WORK;
	if (zero && !(++kernels % zero))
		record.start = record.end = 0;
	activity_put(&record, is_held);
}

static void do_kernel(const char *name, bool is_held)
{
	uint64_t now;
	uint32_t correlation_id;

	launched = name;
	correlation_id = call(RUNTIME_LAUNCH, &now);
	launched = "";
	put_kernel(name, is_held, 0, correlation_id, now);
}

static void do_copy(const char *bytes)
{
	uint64_t now;
	CUpti_ActivityMemcpy5 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY, .copyKind = 1, .srcKind = 2, .dstKind = 3,
		.bytes = strtoull(bytes, NULL, 0), .contextId = context_id, .streamId = 7,
		.correlationId = call(RUNTIME_MEMCPY, &now),
	};

	record.start = now;
	record.end = now + WORK;
	activity_put(&record, false);
}

static void do_peer(const char *bytes)
{
	uint64_t now;
	CUpti_ActivityMemcpyPtoP4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY2, .copyKind = 10, .srcKind = 3, .dstKind = 3,
		.bytes = strtoull(bytes, NULL, 0), .contextId = context_id, .streamId = 7,
		.dstDeviceId = 1, .correlationId = call(RUNTIME_MEMCPY, &now),
	};

	record.start = now;
	record.end = now + WORK;
	activity_put(&record, false);
}

static void do_set(const char *bytes)
{
	uint64_t now;
	CUpti_ActivityMemset4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMSET, .value = 255, .bytes = strtoull(bytes, NULL, 0),
		.contextId = context_id, .streamId = 7, .memoryKind = 3,
		.correlationId = call(RUNTIME_MEMSET, &now),
	};

	record.start = now;
	record.end = now + WORK;
	activity_put(&record, false);
}

static bool has_graphs;

bool activity_has_graphs(void)
{
	return has_graphs;
}

/* With the kind GRAPH_TRACE a graph is one record; otherwise each node has one. */
static void do_graph(const char *nodes)
{
	uint64_t now;
	CUpti_ActivityGraphTrace record = {
		.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE, .graphId = 3, .contextId = context_id, .streamId = 7,
	};

	has_graphs = true;
	instantiate(strtol(nodes, NULL, 0));
	record.correlationId = call(RUNTIME_GRAPH, &now);
	if (!activity_is_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) {
		for (long i = strtol(nodes, NULL, 0); i > 0; i--)
			put_kernel("node", false, 3, record.correlationId, now + (uint64_t)i * 2 * WORK);
		return;
	}
	record.start = now;
	record.end = now + WORK;
	activity_put(&record, false);
}

static void do_sync(const char *unused)
{
	uint64_t now;
	CUpti_ActivitySynchronization record = {
		.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, .type = 4, .contextId = context_id,
		.streamId = UINT32_MAX, .correlationId = call(RUNTIME_SYNCHRONIZE, &now),
	};

	(void)unused;
	record.start = record.end = now;
	activity_put(&record, false);
}

static void do_context(const char *device)
{
	CUpti_ActivityContext record = {
		.kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = ++context_id,
		.deviceId = strtoul(device, NULL, 0), .nullStreamId = 7,
	};
	int gpu = fake_device(record.deviceId);
	/* The limits of an H200 */
	CUpti_ActivityDevice4 value = {
		.kind = CUPTI_ACTIVITY_KIND_DEVICE, .id = record.deviceId, .computeCapabilityMajor = 9,
		.numMultiprocessors = 132, .maxWarpsPerMultiprocessor = 64, .maxBlocksPerMultiprocessor = 32,
		.maxRegistersPerMultiprocessor = 65536, .maxSharedMemoryPerMultiprocessor = 233472,
	};
	char byte[3] = "";
	size_t n = 0;

	fake_count("contexts", 1);
	if (gpu < 0)
		return;
	for (const char *text = fake_gpu(gpu)->uuid + 4; *text && n < 16; text += 2) {
		text += *text == '-';
		memcpy(byte, text, 2);
		value.uuid[n++] = strtoul(byte, NULL, 16);
	}
	value.name = fake_gpu(gpu)->name;
	activity_put(&value, false);
	activity_put(&record, false);
	pc_sampling_context(record.contextId, record.deviceId);
}

static void do_memory(const char *bytes)
{
	CUpti_ActivityMemory4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMORY2, .memoryOperationType = *bytes == '-' ? 2 : 1,
		.memoryKind = 3, .address = 0x1000, .bytes = strtoull(bytes + (*bytes == '-'), NULL, 0),
		.timestamp = activity_now(), .contextId = context_id,
		.source = activity_has_sources() && *bytes != '-' ? "/lib/libfoo.so" : NULL,
	};

	activity_put(&record, false);
}

/* BYTES of a pool that has reserved 32 MiB; -BYTES: freed */
static void do_async(const char *bytes)
{
	static uint64_t used;
	CUpti_ActivityMemory4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMORY2, .memoryOperationType = *bytes == '-' ? 2 : 1, .memoryKind = 3,
		.address = 0x5000, .bytes = strtoull(bytes + (*bytes == '-'), NULL, 0), .timestamp = activity_now(),
		.contextId = context_id, .streamId = 7, .isAsync = 1,
		.memoryPoolConfig = { CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL, 0, 0x7000, 4096, 32 << 20, 0 },
	};

	used += *bytes == '-' ? -record.bytes : record.bytes;
	record.memoryPoolConfig.utilizedSize = used;
	activity_put(&record, false);
}

/* OPERATION: the number of CUpti_ActivityMemoryPoolOperationType; -OPERATION: on a pool of another process */
static void do_pool(const char *operation)
{
	CUpti_ActivityMemoryPool2 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL, .memoryPoolType = *operation == '-' ? 2 : 1,
		.memoryPoolOperationType = strtoul(operation + (*operation == '-'), NULL, 0), .minBytesToKeep = 1000,
		.address = 0x7000, .size = 32 << 20, .releaseThreshold = 4096, .timestamp = activity_now(), .utilizedSize = 100,
	};

	activity_put(&record, false);
}

static void do_unified(const char *bytes)
{
	CUpti_ActivityUnifiedMemoryCounter2 record = {
		.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, .counterKind = 1,
		.value = strtoull(bytes, NULL, 0), .start = activity_now(), .address = last_managed + 0x2000,
	};

	record.end = record.start + 1000;
	activity_put(&record, false);
}

/* A fault of the host: the value is the address of the instruction. */
static void do_fault(const char *pc)
{
	CUpti_ActivityUnifiedMemoryCounter2 record = {
		.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, .counterKind = 3, .value = strtoull(pc, NULL, 0),
		.start = activity_now(), .address = last_managed + 0x3000,
	};

	activity_put(&record, false);
}

static void do_environment(const char *mhz)
{
	CUpti_ActivityEnvironment record = {
		.kind = CUPTI_ACTIVITY_KIND_ENVIRONMENT, .timestamp = activity_now(),
		.environmentKind = 1, .data = { strtoul(mhz, NULL, 0), 3201, 5, 16, 4 },
	};

	activity_put(&record, false);
}

static void do_overhead(const char *kind)
{
	CUpti_ActivityOverhead record = {
		.kind = CUPTI_ACTIVITY_KIND_OVERHEAD, .overheadKind = strtoul(kind, NULL, 0) << 16,
		.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD, .objectId = { getpid(), gettid() },
		.start = activity_now(),
	};

	record.end = record.start + 1000;
	activity_put(&record, false);
}

/* The driver's compiler: OPERATION is the number of CUpti_ActivityJitOperationType. */
static void do_jit(const char *operation)
{
	CUpti_ActivityJit2 record = {
		.kind = CUPTI_ACTIVITY_KIND_JIT, .jitEntryType = 1, .jitOperationType = strtoul(operation, NULL, 0),
		.start = activity_now(), .cachePath = "/cache/0/1", .processId = getpid(), .threadId = gettid(),
	};

	record.end = record.start + 1000;
	if (fake_options()->zero)
		record.start = record.end = 0;
	activity_put(&record, false);
}

/* Loads a cubin whose table of names, its first section, has this name. */
static void do_cubin(const char *name)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section;
		char names[64];
	} image = {
		.head = { .e_ident = ELFMAG, .e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 1 },
		.section = { .sh_type = SHT_STRTAB, .sh_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Shdr), .sh_size = 64 },
	};
	CUpti_ModuleResourceData module = { .moduleId = 1, .cubinSize = sizeof(image), .pCubin = (const char *)&image };
	const CUpti_ResourceData data = { .resourceDescriptor = &module };

	snprintf(image.names, sizeof(image.names), "_%s", name);
	activity_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

/* An operation of OpenACC's runtime: KIND of activity */
static void do_acc(const char *kind)
{
	CUpti_ActivityOpenAccData record = {
		.kind = strtoul(kind, NULL, 0), .lineNo = 12, .start = activity_now(), .cuThreadId = gettid(),
		.srcFile = "a.c", .funcName = "main", .bytes = 64, .varName = "x",
	};

	record.eventKind = record.kind == CUPTI_ACTIVITY_KIND_OPENACC_DATA ? 5 :
			   record.kind == CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH ? 4 : 9;
	record.end = record.start + 1000;
	if (activity_has_openacc())
		activity_put(&record, false);
}

/* Loads images that are no cubins, or whose sections are outside of them. */
static void do_broken(const char *unused)
{
	const Elf64_Ehdr head = { .e_ident = ELFMAG, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 65535 };
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section;
	} image = { .head = head, .section = { .sh_type = SHT_STRTAB, .sh_offset = 8, .sh_size = UINT64_MAX } };
	CUpti_ModuleResourceData module = { .moduleId = 1, .pCubin = (const char *)&image };
	const CUpti_ResourceData data = { .resourceDescriptor = &module };
	static const uint64_t places[] = { 0, sizeof(image.head), sizeof(image) - 8, sizeof(image), UINT64_MAX - 8 };
	static const size_t sizes[] = { 0, 4, sizeof(image.head), sizeof(image) };

	(void)unused;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) * 2; i++) {
		image.head.e_shoff = places[i / 2];
		image.head.e_shnum = i % 2 ? 65535 : 0;
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			module.cubinSize = sizes[k];
			activity_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
		}
	}
}

static void do_external(const char *id)
{
	CUpti_ActivityExternalCorrelation record = {
		.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, .externalKind = 5,
		.externalId = strtoull(id, NULL, 0), .correlationId = correlation + 1,
	};

	activity_put(&record, false);
}

static void marker(uint32_t flags, uint32_t id, const char *name)
{
	CUpti_ActivityMarker2 record = {
		.kind = CUPTI_ACTIVITY_KIND_MARKER, .flags = flags, .timestamp = activity_now(), .id = id,
		.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD, .objectId = { getpid(), gettid() },
		.name = name ? strdup(name) : NULL,
	};

	activity_put(&record, false);
}

static void nvtx(uint32_t cbid, const void *params, const void *result)
{
	const CUpti_NvtxData data = { "nvtx", params, result };

	activity_callback(CUPTI_CB_DOMAIN_NVTX, cbid, &data);
}

static void do_nvtx(const char *word, const char *name)
{
	const char *const params[1] = { name };
	uint64_t id = started;

	if (!activity_has_nvtx())
		return;
	if (!strcmp(word, "mark")) {
		marker(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, ++last_marker, name);
	} else if (!strcmp(word, "push")) {
		marker_ids[marker_depth++ % 16] = ++last_marker;
		marker(CUPTI_ACTIVITY_FLAG_MARKER_START, last_marker, name);
		nvtx(CUPTI_CBID_NVTX_nvtxRangePushA, params, NULL);
	} else if (!strcmp(word, "pop")) {
		marker(CUPTI_ACTIVITY_FLAG_MARKER_END, marker_ids[--marker_depth % 16], NULL);
		nvtx(CUPTI_CBID_NVTX_nvtxRangePop, NULL, NULL);
	} else if (!strcmp(word, "start")) {
		id = started = ++last_marker;
		marker(CUPTI_ACTIVITY_FLAG_MARKER_START, started, name);
		nvtx(CUPTI_CBID_NVTX_nvtxRangeStartA, params, &id);
	} else {
		marker(CUPTI_ACTIVITY_FLAG_MARKER_END, started, NULL);
		nvtx(CUPTI_CBID_NVTX_nvtxRangeEnd, &id, NULL);
	}
}

/* Marks with texts that never repeat, of 4000 characters */
static void do_names(const char *n)
{
	char text[4001];

	for (long i = strtol(n, NULL, 0); i > 0; i--) {
		snprintf(text, sizeof(text), "%0*ld", (int)sizeof(text) - 1, i);
		do_nvtx("mark", text);
	}
}

static void profiler(uint32_t cbid)
{
	CUpti_CallbackData data = { .callbackSite = CUPTI_API_ENTER, .functionName = "cuProfiler" };

	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
	data.callbackSite = CUPTI_API_EXIT;
	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

static void do_state(const char *word, const char *text)
{
	const struct inject_state data = { 999, text };
	bool is_fatal = !strcmp(word, "fatal");

	if (is_fatal)
		activity_end();
	activity_callback(CUPTI_CB_DOMAIN_STATE, is_fatal ? CUPTI_CBID_STATE_FATAL_ERROR : CUPTI_CBID_STATE_WARNING,
			  &data);
}

static void do_more(const char *word, const char *value)
{
	uint64_t now;

	if (!strcmp(word, "kernel"))
		do_kernel(value, false);
	else if (!strcmp(word, "hold"))
		do_kernel(value, true);
	else if (!strcmp(word, "release"))
		activity_release();
	else if (!strcmp(word, "steal"))
		activity_steal();
	else if (!strcmp(word, "finalize"))
		activity_finalize();
	else if (!strcmp(word, "clock"))
		cuptiActivityRegisterTimestampCallback(activity_late);
	else if (several_do && (!strcmp(word, "join") || !strcmp(word, "joined")))
		several_do(word);
	else if (!strcmp(word, "ask"))
		call(RUNTIME_GET_LAST_ERROR, &now);
	else if (!strcmp(word, "initialised"))
		activity_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, NULL);
	else if (!strcmp(word, "locked"))
		activity_kill(strtol(value, NULL, 0));
	else if (!strcmp(word, "destroy"))
		activity_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, NULL);
	else if (!strcmp(word, "profile"))
		profiler(*value == '1' ? CUPTI_DRIVER_TRACE_CBID_cuProfilerStart :
				      CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
	else if (!strcmp(word, "flushed"))
		activity_await_flush();
	else if (!strcmp(word, "enabled") && *value)
		while (activity_enabled() != strtoul(value, NULL, 0))
			poll(NULL, 0, 1);
	else if (!strcmp(word, "enabled"))
		dprintf(STDOUT_FILENO, "enabled %u\n", activity_enabled());
	else if (!strcmp(word, "off"))
		dprintf(STDOUT_FILENO, "off %zu\n", activity_off());
	else if (!strcmp(word, "fatal") || !strcmp(word, "warn"))
		do_state(word, value);
	else
		do_nvtx(word, value);
}

void activity_do(const char *word, const char *value)
{
	static const struct {
		const char *word;
		void (*function)(const char *value);
	} words[] = {
		{ "copy", do_copy }, { "peer", do_peer }, { "set", do_set }, { "graph", do_graph },
		{ "sync", do_sync }, { "context", do_context }, { "memory", do_memory },
		{ "unified", do_unified }, { "environment", do_environment },
		{ "overhead", do_overhead }, { "asked", do_asked }, { "external", do_external },
		{ "names", do_names }, { "nothing", do_nothing }, { "capture", do_capture }, { "captured", do_captured },
		{ "undelivered", do_undelivered }, { "pin", do_pin }, { "register", do_register }, { "managed", do_managed },
		{ "fault", do_fault },
		{ "unpin", do_unpin },
		{ "undelivered", do_undelivered }, { "jit", do_jit }, { "async", do_async }, { "pool", do_pool }, { "cubin", do_cubin },
		{ "broken", do_broken }, { "acc", do_acc },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].function(value);
	if (!pc_sampling_do(word, value) && !heap_do(word, value))
		do_more(word, value);
}
