/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of CUPTI's Activity and Callback APIs (CUDA 12.6 and later) as far as they are used. A record has the
 * members that all these versions have at the same offset, and may be longer. Names are CUPTI's;
 * tests/unit/sources/inject-abi.t compares them with the toolkit's.
 */
#ifndef GPMU_INJECT_API_H
#define GPMU_INJECT_API_H

#include <stddef.h>
#include <stdint.h>

/* CUptiResult */
#define CUPTI_SUCCESS						0
#define CUPTI_ERROR_INVALID_PARAMETER				1
#define CUPTI_ERROR_OUT_OF_MEMORY				8
#define CUPTI_ERROR_MAX_LIMIT_REACHED				12
#define CUPTI_ERROR_NOT_INITIALIZED				15
#define CUPTI_ERROR_HARDWARE_BUSY				26
#define CUPTI_ERROR_NOT_SUPPORTED				27
#define CUPTI_ERROR_INSUFFICIENT_PRIVILEGES			35
#define CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED		39
#define CUPTI_ERROR_UNKNOWN					999

/* CUpti_ActivityKind */
#define CUPTI_ACTIVITY_KIND_MEMCPY			1
#define CUPTI_ACTIVITY_KIND_MEMSET			2
#define CUPTI_ACTIVITY_KIND_DRIVER			4
#define CUPTI_ACTIVITY_KIND_RUNTIME			5
#define CUPTI_ACTIVITY_KIND_DEVICE			8
#define CUPTI_ACTIVITY_KIND_CONTEXT			9
#define CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL		10
#define CUPTI_ACTIVITY_KIND_MARKER			12
#define CUPTI_ACTIVITY_KIND_OVERHEAD			17
#define CUPTI_ACTIVITY_KIND_ENVIRONMENT			20
#define CUPTI_ACTIVITY_KIND_MEMCPY2			22
#define CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER	25
#define CUPTI_ACTIVITY_KIND_OPENACC_DATA		33
#define CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH		34
#define CUPTI_ACTIVITY_KIND_OPENACC_OTHER		35
#define CUPTI_ACTIVITY_KIND_SYNCHRONIZATION		38
#define CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION	39
#define CUPTI_ACTIVITY_KIND_MEMORY2			49
#define CUPTI_ACTIVITY_KIND_MEMORY_POOL			50
#define CUPTI_ACTIVITY_KIND_GRAPH_TRACE			51
#define CUPTI_ACTIVITY_KIND_JIT				52

/* CUpti_ActivityFlag */
#define CUPTI_ACTIVITY_FLAG_FLUSH_FORCED		1
#define CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS	1
#define CUPTI_ACTIVITY_FLAG_MARKER_START		2
#define CUPTI_ACTIVITY_FLAG_MARKER_END			4

#define CUPTI_ACTIVITY_OBJECT_THREAD			2
#define CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM		1
#define CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER	5
#define CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER	9
#define CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE	2
#define CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL		1
#define CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED	1
#define CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED	2
#define CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED	3
#define CUPTI_ACTIVITY_JIT_ENTRY_NVVM_IR_TO_PTX		2
#define CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD		1
#define CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE	2
#define CUPTI_ACTIVITY_JIT_OPERATION_COMPILE		3
#define CUPTI_ACTIVITY_ENVIRONMENT_SPEED		1
#define CUPTI_ACTIVITY_ENVIRONMENT_TEMPERATURE		2
#define CUPTI_ACTIVITY_ENVIRONMENT_POWER		3
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES	2
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD	1
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH	2
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT	3
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT	4
#define CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD	8

/* CUpti_CallbackDomain and the callback ids used of each */
#define CUPTI_CB_DOMAIN_DRIVER_API			1
#define CUPTI_CB_DOMAIN_RUNTIME_API			2
#define CUPTI_CB_DOMAIN_RESOURCE			3
#define CUPTI_CB_DOMAIN_NVTX				5
#define CUPTI_CB_DOMAIN_STATE				6
#define CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING	2
#define CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING	4
#define CUPTI_CBID_RESOURCE_CU_INIT_FINISHED		5
#define CUPTI_CBID_RESOURCE_MODULE_LOADED		6
#define CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING	12
#define CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED		13
#define CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED		18
#define CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING	19
#define CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED		20
#define CUPTI_CBID_STATE_FATAL_ERROR			1
#define CUPTI_CBID_STATE_ERROR				2
#define CUPTI_CBID_STATE_WARNING			3
#define CUPTI_API_ENTER					0
#define CUPTI_API_EXIT					1
#define CUPTI_DRIVER_TRACE_CBID_cuProfilerStart		308
#define CUPTI_DRIVER_TRACE_CBID_cuProfilerStop		309
#define CUPTI_CBID_NVTX_nvtxRangeStartA			4
#define CUPTI_CBID_NVTX_nvtxRangeStartEx		6
#define CUPTI_CBID_NVTX_nvtxRangeEnd			7
#define CUPTI_CBID_NVTX_nvtxRangePushA			8
#define CUPTI_CBID_NVTX_nvtxRangePushEx			10
#define CUPTI_CBID_NVTX_nvtxRangePop			11
#define CUPTI_CBID_NVTX_nvtxDomainRangeStartEx		31
#define CUPTI_CBID_NVTX_nvtxDomainRangeEnd		32
#define CUPTI_CBID_NVTX_nvtxDomainRangePushEx		33
#define CUPTI_CBID_NVTX_nvtxDomainRangePop		34
#define CUPTI_CBID_NVTX_nvtxDomainRegisterStringA	39

#define PACKED	__attribute__((__packed__)) __attribute__((aligned(8)))

typedef struct PACKED {
	uint32_t kind;
} CUpti_Activity;

typedef struct PACKED {
	uint32_t kind;
	uint8_t cacheConfig;
	uint8_t sharedMemoryConfig;
	uint16_t registersPerThread;
	uint32_t partitionedGlobalCacheRequested;
	uint32_t partitionedGlobalCacheExecuted;
	uint64_t start;
	uint64_t end;
	uint64_t completed;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	int32_t gridX;
	int32_t gridY;
	int32_t gridZ;
	int32_t blockX;
	int32_t blockY;
	int32_t blockZ;
	int32_t staticSharedMemory;
	int32_t dynamicSharedMemory;
	uint32_t localMemoryPerThread;
	uint32_t localMemoryTotal;
	uint32_t correlationId;
	int64_t gridId;
	const char *name;
	void *reserved0;
	uint64_t queued;
	uint64_t submitted;
	uint8_t launchType;
	uint8_t isSharedMemoryCarveoutRequested;
	uint8_t sharedMemoryCarveoutRequested;
	uint8_t padding;
	uint32_t sharedMemoryExecuted;
	uint64_t graphNodeId;
	uint32_t shmemLimitConfig;
	uint32_t graphId;
} CUpti_ActivityKernel9;

typedef struct PACKED {
	uint32_t kind;
	uint8_t copyKind;
	uint8_t srcKind;
	uint8_t dstKind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t correlationId;
	uint32_t runtimeCorrelationId;
	uint32_t pad;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
} CUpti_ActivityMemcpy5;

typedef struct PACKED {
	uint32_t kind;
	uint8_t copyKind;
	uint8_t srcKind;
	uint8_t dstKind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t srcDeviceId;
	uint32_t srcContextId;
	uint32_t dstDeviceId;
	uint32_t dstContextId;
	uint32_t correlationId;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
} CUpti_ActivityMemcpyPtoP4;

typedef struct PACKED {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t correlationId;
	uint16_t flags;
	uint16_t memoryKind;
	uint32_t pad;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
} CUpti_ActivityMemset4;

typedef struct PACKED {
	uint32_t kind;
	uint32_t cbid;
	uint64_t start;
	uint64_t end;
	uint32_t processId;
	uint32_t threadId;
	uint32_t correlationId;
	uint32_t returnValue;
} CUpti_ActivityAPI;

typedef struct PACKED {
	uint32_t kind;
	uint32_t type;
	uint64_t start;
	uint64_t end;
	uint32_t correlationId;
	uint32_t contextId;
	uint32_t streamId;
} CUpti_ActivitySynchronization;

typedef struct {
	uint32_t kind;
	uint32_t correlationId;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t graphId;
	uint32_t contextId;
	uint32_t streamId;
} CUpti_ActivityGraphTrace;

typedef struct PACKED {
	uint32_t kind;
	uint32_t flags;
	uint64_t timestamp;
	uint32_t id;
	uint32_t objectKind;
	uint32_t objectId[3];	/* of a thread: its process id and its own id */
	uint32_t pad;
	const char *name;
	const char *domain;
} CUpti_ActivityMarker2;

typedef struct PACKED {
	uint32_t kind;
	uint32_t memoryOperationType;
	uint32_t memoryKind;
	uint32_t correlationId;
	uint64_t address;
	uint64_t bytes;
	uint64_t timestamp;
	uint64_t PC;
	uint32_t processId;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	const char *name;
	uint32_t isAsync;
	uint32_t pad1;
	struct PACKED {
		uint32_t memoryPoolType;
		uint32_t pad2;
		uint64_t address;
		uint64_t releaseThreshold;
		uint64_t size;		/* CUPTI: pool.size */
		uint64_t utilizedSize;
	} memoryPoolConfig;
	const char *source;
} CUpti_ActivityMemory4;

typedef struct PACKED {
	uint32_t kind;
	uint32_t memoryPoolOperationType;
	uint32_t memoryPoolType;
	uint32_t correlationId;
	uint32_t processId;
	uint32_t deviceId;
	size_t minBytesToKeep;
	uint64_t address;
	uint64_t size;
	uint64_t releaseThreshold;
	uint64_t timestamp;
	uint64_t utilizedSize;
} CUpti_ActivityMemoryPool2;

typedef struct PACKED {
	uint32_t kind;
	uint32_t overheadKind;
	uint32_t objectKind;
	uint32_t objectId[3];
	uint64_t start;
	uint64_t end;
} CUpti_ActivityOverhead;

typedef struct PACKED {
	uint32_t kind;
	uint32_t externalKind;
	uint64_t externalId;
	uint32_t correlationId;
	uint32_t reserved;
} CUpti_ActivityExternalCorrelation;

typedef struct PACKED {
	uint32_t kind;
	uint32_t counterKind;
	uint64_t value;
	uint64_t start;
	uint64_t end;
	uint64_t address;
	uint32_t srcId;
	uint32_t dstId;
} CUpti_ActivityUnifiedMemoryCounter2;

typedef struct PACKED {
	uint32_t kind;
	uint32_t deviceId;
	uint64_t timestamp;
	uint32_t environmentKind;
	uint32_t data[5];	/* speed: SM's and memory's clock, PCIe's generation and width, throttle reasons */
} CUpti_ActivityEnvironment;

/* OpenACC's records of other kinds have the members up to funcName. */
typedef struct PACKED {
	uint32_t kind;
	uint32_t eventKind;
	uint32_t parentConstruct;
	uint32_t version;
	uint32_t implicit;
	uint32_t deviceType;
	uint32_t deviceNumber;
	uint32_t threadId;
	uint64_t async;
	uint64_t asyncMap;
	uint32_t lineNo;
	uint32_t endLineNo;
	uint32_t funcLineNo;
	uint32_t funcEndLineNo;
	uint64_t start;
	uint64_t end;
	uint32_t cuDeviceId;
	uint32_t cuContextId;
	uint32_t cuStreamId;
	uint32_t cuProcessId;
	uint32_t cuThreadId;
	uint32_t externalId;
	const char *srcFile;
	const char *funcName;
	uint64_t bytes;
	uint64_t hostPtr;
	uint64_t devicePtr;
	const char *varName;
} CUpti_ActivityOpenAccData;

typedef struct PACKED {
	uint32_t kind;
	uint32_t eventKind;
	uint32_t parentConstruct;
	uint32_t version;
	uint32_t implicit;
	uint32_t deviceType;
	uint32_t deviceNumber;
	uint32_t threadId;
	uint64_t async;
	uint64_t asyncMap;
	uint32_t lineNo;
	uint32_t endLineNo;
	uint32_t funcLineNo;
	uint32_t funcEndLineNo;
	uint64_t start;
	uint64_t end;
	uint32_t cuDeviceId;
	uint32_t cuContextId;
	uint32_t cuStreamId;
	uint32_t cuProcessId;
	uint32_t cuThreadId;
	uint32_t externalId;
	const char *srcFile;
	const char *funcName;
	uint64_t numGangs;
	uint64_t numWorkers;
	uint64_t vectorLength;
	const char *kernelName;
} CUpti_ActivityOpenAccLaunch;

typedef struct PACKED {
	uint32_t kind;
	uint32_t jitEntryType;
	uint32_t jitOperationType;
	uint32_t deviceId;
	uint64_t start;
	uint64_t end;
	uint32_t correlationId;
	uint32_t padding;
	uint64_t jitOperationCorrelationId;
	uint64_t cacheSize;
	const char *cachePath;
	uint32_t processId;
	uint32_t threadId;
} CUpti_ActivityJit2;

typedef struct PACKED {
	uint32_t kind;
	uint32_t flags;
	uint64_t globalMemoryBandwidth;
	uint64_t globalMemorySize;
	uint32_t constantMemorySize;
	uint32_t l2CacheSize;
	uint32_t numThreadsPerWarp;
	uint32_t coreClockRate;
	uint32_t numMemcpyEngines;
	uint32_t numMultiprocessors;
	uint32_t maxIPC;
	uint32_t maxWarpsPerMultiprocessor;
	uint32_t maxBlocksPerMultiprocessor;
	uint32_t maxSharedMemoryPerMultiprocessor;
	uint32_t maxRegistersPerMultiprocessor;
	uint32_t maxRegistersPerBlock;
	uint32_t maxSharedMemoryPerBlock;
	uint32_t maxThreadsPerBlock;
	uint32_t maxBlockDimX;
	uint32_t maxBlockDimY;
	uint32_t maxBlockDimZ;
	uint32_t maxGridDimX;
	uint32_t maxGridDimY;
	uint32_t maxGridDimZ;
	uint32_t computeCapabilityMajor;
	uint32_t computeCapabilityMinor;
	uint32_t id;
	uint32_t eccEnabled;
	uint8_t uuid[16];
	const char *name;
} CUpti_ActivityDevice4;

typedef struct PACKED {
	uint32_t kind;
	uint32_t contextId;
	uint32_t deviceId;
	uint16_t computeApiKind;
	uint16_t nullStreamId;
} CUpti_ActivityContext;

typedef struct PACKED {
	uint32_t scope;
	uint32_t kind;
	uint32_t deviceId;
	uint32_t enable;
} CUpti_ActivityUnifiedMemoryCounterConfig;

/* Callbacks */

typedef struct {
	uint32_t callbackSite;
	const char *functionName;
	const void *functionParams;
	void *functionReturnValue;	/* at CUPTI_API_EXIT; of the driver API: int, 0 is success */
	const char *symbolName;
	void *context;
	uint32_t contextUid;
	uint64_t *correlationData;
	uint32_t correlationId;		/* that of the records of the call and of its work */
} CUpti_CallbackData;

typedef struct {
	void *context;
	void *resourceHandle;
	void *resourceDescriptor;	/* of graphs: CUpti_GraphData; of modules: CUpti_ModuleResourceData */
} CUpti_ResourceData;

typedef struct {
	uint32_t moduleId;
	size_t cubinSize;
	const char *pCubin;
} CUpti_ModuleResourceData;

typedef struct {
	void *graph;
	void *originalGraph;
	void *node;
	void *originalNode;
	uint32_t nodeType;
	void *dependency;
	void *graphExec;
} CUpti_GraphData;

typedef struct {
	const char *functionName;
	const void *functionParams;
	const void *functionReturnValue;
} CUpti_NvtxData;

/* The content of CUpti_StateData's union */
struct inject_state {
	uint32_t result;
	const char *message;
};

/* CUDA 13.0 and later */
#define CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN		64

typedef struct {
	size_t structSize;
	const char *subscriberName;
	char *oldSubscriberName;
	size_t oldSubscriberSize;
} CUpti_SubscriberParams;

typedef void (*CUpti_CallbackFunc)(void *data, uint32_t domain, uint32_t cbid, const void *info);
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *max);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(void *context, uint32_t stream, uint8_t *buffer,
						  size_t size, size_t valid);
typedef uint64_t (*CUpti_TimestampCallbackFunc)(void);

/* F(member of the table, symbol, parameters...); all are required */
#define INJECT_FUNCTIONS(F) \
	F(version, cuptiGetVersion, uint32_t *version) \
	F(text, cuptiGetResultString, int result, const char **text) \
	F(subscribe, cuptiSubscribe, void **subscriber, CUpti_CallbackFunc callback, void *data) \
	F(callback, cuptiEnableCallback, uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid) \
	F(domain, cuptiEnableDomain, uint32_t enable, void *subscriber, uint32_t domain) \
	F(callback_name, cuptiGetCallbackName, uint32_t domain, uint32_t cbid, const char **name) \
	F(thread_ids, cuptiSetThreadIdType, uint32_t type) \
	F(timestamps, cuptiActivityRegisterTimestampCallback, CUpti_TimestampCallbackFunc callback) \
	F(buffers, cuptiActivityRegisterCallbacks, CUpti_BuffersCallbackRequestFunc request, \
	  CUpti_BuffersCallbackCompleteFunc complete) \
	F(attribute, cuptiActivitySetAttribute, uint32_t attribute, size_t *size, void *value) \
	F(enable, cuptiActivityEnable, uint32_t kind) \
	F(disable, cuptiActivityDisable, uint32_t kind) \
	F(runtime_api, cuptiActivityEnableRuntimeApi, uint32_t cbid, uint8_t enable) \
	F(driver_api, cuptiActivityEnableDriverApi, uint32_t cbid, uint8_t enable) \
	F(unified, cuptiActivityConfigureUnifiedMemoryCounter, \
	  CUpti_ActivityUnifiedMemoryCounterConfig *config, uint32_t length) \
	F(node_id, cuptiGetGraphNodeId, void *node, uint64_t *id) \
	F(flush, cuptiActivityFlushAll, uint32_t flags) \
	F(next, cuptiActivityGetNextRecord, uint8_t *buffer, size_t valid, CUpti_Activity **record) \
	F(dropped, cuptiActivityGetNumDroppedRecords, void *context, uint32_t stream, size_t *dropped)

/* Optional functions, NULL if missing: CUDA 12 has no cuptiSubscribe_v2() */
#define INJECT_OPTIONAL(F) \
	F(subscribe_v2, cuptiSubscribe_v2, void **subscriber, CUpti_CallbackFunc callback, void *data, \
	  CUpti_SubscriberParams *params) \
	F(unsubscribe, cuptiUnsubscribe, void *subscriber) \
	F(timestamp, cuptiGetTimestamp, uint64_t *time) \
	F(callback_state, cuptiGetCallbackState, uint32_t *is_enabled, void *subscriber, uint32_t domain, uint32_t cbid) \
	F(allocation_source, cuptiActivityEnableAllocationSource, uint8_t enable) \
	F(openacc, cuptiOpenACCInitialize, void *add, void *drop, void *lookup)

#define INJECT_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);

struct inject_api {
	INJECT_FUNCTIONS(INJECT_MEMBER)
	INJECT_OPTIONAL(INJECT_MEMBER)
};

#endif /* GPMU_INJECT_API_H */
