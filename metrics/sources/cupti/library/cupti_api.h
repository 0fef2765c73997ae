/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of the CUDA driver and CUPTI (12.6 and later) as far as the plugin uses them. The libraries are loaded
 * at run time, so that the build needs no header of NVIDIA's. Types, members and constants have NVIDIA's names;
 * tests/unit/sources/cupti-abi.t compares them with the toolkit's.
 *
 * The structSize of a parameter structure of CUPTI is its size up to the last member that the caller knows, without
 * padding.
 */
#ifndef GPMU_CUPTI_API_H
#define GPMU_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

/* Constants of the CUDA driver */
#define CUDA_ERROR_NO_DEVICE	100

typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

/* CUptiResult: the results that the plugin distinguishes */
#define CUPTI_SUCCESS						0
#define CUPTI_ERROR_INVALID_PARAMETER				1
#define CUPTI_ERROR_OUT_OF_MEMORY				8
#define CUPTI_ERROR_NOT_COMPATIBLE				14
#define CUPTI_ERROR_NOT_INITIALIZED				15
#define CUPTI_ERROR_HARDWARE_BUSY				26
#define CUPTI_ERROR_NOT_SUPPORTED				27
#define CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED		33
#define CUPTI_ERROR_INSUFFICIENT_PRIVILEGES			35
#define CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES	40
#define CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED	41
#define CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED			42
#define CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED			43
#define CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED			44
#define CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED			45
#define CUPTI_ERROR_INVALID_CHIP_NAME				46
#define CUPTI_ERROR_UNKNOWN					999

typedef uint64_t (*CUpti_TimestampCallbackFunc)(void);

/* The profiler and its devices: cupti_profiler_target.h, cupti_target.h */

typedef struct CUpti_Profiler_Initialize_Params {
	size_t structSize;
	void *pPriv;
} CUpti_Profiler_Initialize_Params;

/* CUpti_Profiler_Support_Level */
#define CUPTI_PROFILER_CONFIGURATION_UNKNOWN		0
#define CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED	1
#define CUPTI_PROFILER_CONFIGURATION_DISABLED		2
#define CUPTI_PROFILER_CONFIGURATION_SUPPORTED		3

/* CUpti_Profiler_API */
#define CUPTI_PROFILER_PM_SAMPLING	3

typedef struct {
	size_t structSize;
	void *pPriv;
	int cuDevice;
	int isSupported;
	int architecture;
	int sli;
	int vGpu;
	int confidentialCompute;
	int cmp;
	int wsl;
	int api;
} CUpti_Profiler_DeviceSupported_Params;

typedef struct CUpti_Device_GetChipName_Params {
	size_t structSize;
	void *pPriv;
	size_t deviceIndex;
	const char *pChipName;
} CUpti_Device_GetChipName_Params;

/* Metrics, configuration and evaluation: cupti_profiler_host.h */

#define CUPTI_PROFILER_TYPE_RANGE_PROFILER	0
#define CUPTI_PROFILER_TYPE_PM_SAMPLING		1

/* CUpti_MetricType */
#define CUPTI_METRIC_TYPE_COUNTER	0
#define CUPTI_METRIC_TYPE_RATIO		1
#define CUPTI_METRIC_TYPE_THROUGHPUT	2
#define CUPTI_METRIC_TYPE__COUNT	3

typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;

typedef struct CUpti_Profiler_Host_Initialize_Params {
	size_t structSize;
	void *pPriv;
	int profilerType;
	const char *pChipName;
	const uint8_t *pCounterAvailabilityImage;
	CUpti_Profiler_Host_Object *pHostObject;
} CUpti_Profiler_Host_Initialize_Params;

typedef struct CUpti_Profiler_Host_Deinitialize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
} CUpti_Profiler_Host_Deinitialize_Params;

typedef struct CUpti_Profiler_Host_GetSupportedChips_Params {
	size_t structSize;
	void *pPriv;
	size_t numChips;
	const char *const *ppChipNames;
} CUpti_Profiler_Host_GetSupportedChips_Params;

typedef struct CUpti_Profiler_Host_GetBaseMetrics_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	int metricType;
	const char **ppMetricNames;
	size_t numMetrics;
} CUpti_Profiler_Host_GetBaseMetrics_Params;

typedef struct CUpti_Profiler_Host_GetSubMetrics_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	int metricType;
	const char *pMetricName;
	size_t numOfSubmetrics;
	const char **ppSubMetrics;
} CUpti_Profiler_Host_GetSubMetrics_Params;

typedef struct CUpti_Profiler_Host_GetMetricProperties_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	const char *pMetricName;
	const char *pDescription;
	const char *pHwUnit;
	const char *pDimUnit;
	int metricType;
} CUpti_Profiler_Host_GetMetricProperties_Params;

typedef struct CUpti_Profiler_Host_ConfigAddMetrics_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	const char **ppMetricNames;
	size_t numMetrics;
} CUpti_Profiler_Host_ConfigAddMetrics_Params;

typedef struct CUpti_Profiler_Host_GetConfigImageSize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	size_t configImageSize;
} CUpti_Profiler_Host_GetConfigImageSize_Params;

typedef struct CUpti_Profiler_Host_GetConfigImage_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	size_t configImageSize;
	uint8_t *pConfigImage;
} CUpti_Profiler_Host_GetConfigImage_Params;

typedef struct CUpti_Profiler_Host_GetNumOfPasses_Params {
	size_t structSize;
	void *pPriv;
	size_t configImageSize;
	uint8_t *pConfigImage;
	size_t numOfPasses;
} CUpti_Profiler_Host_GetNumOfPasses_Params;

typedef struct CUpti_Profiler_Host_EvaluateToGpuValues_Params {
	size_t structSize;
	void *pPriv;
	CUpti_Profiler_Host_Object *pHostObject;
	const uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	size_t rangeIndex;
	const char **ppMetricNames;
	size_t numMetrics;
	double *pMetricValues;
} CUpti_Profiler_Host_EvaluateToGpuValues_Params;

/* PM sampling: cupti_pmsampling.h */

typedef struct CUpti_PmSampling_Object CUpti_PmSampling_Object;

/* CUpti_PmSampling_TriggerMode */
#define CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL	0
#define CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL	1

/* CUpti_PmSampling_DecodeStopReason */
#define CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER		0
#define CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL	1
#define CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS	2

/* CUpti_PmSampling_HardwareBuffer_AppendMode */
#define CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST	0

typedef struct CUpti_PmSampling_SetConfig_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
	size_t configSize;
	const uint8_t *pConfig;
	size_t hardwareBufferSize;
	uint64_t samplingInterval;
	int triggerMode;
	int hwBufferAppendMode;	/* missing in the first CUPTIs with PM sampling */
} CUpti_PmSampling_SetConfig_Params;

typedef struct CUpti_PmSampling_Enable_Params {
	size_t structSize;
	void *pPriv;
	size_t deviceIndex;
	CUpti_PmSampling_Object *pPmSamplingObject;
} CUpti_PmSampling_Enable_Params;

typedef struct CUpti_PmSampling_Disable_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
} CUpti_PmSampling_Disable_Params;

typedef struct CUpti_PmSampling_Start_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
} CUpti_PmSampling_Start_Params;

typedef struct CUpti_PmSampling_Stop_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
} CUpti_PmSampling_Stop_Params;

typedef struct CUpti_PmSampling_DecodeData_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
	uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	int decodeStopReason;
	uint8_t overflow;
} CUpti_PmSampling_DecodeData_Params;

typedef struct CUpti_PmSampling_GetCounterDataSize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
	const char **pMetricNames;
	size_t numMetrics;
	uint32_t maxSamples;
	size_t counterDataSize;
} CUpti_PmSampling_GetCounterDataSize_Params;

typedef struct CUpti_PmSampling_CounterDataImage_Initialize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
	size_t counterDataSize;
	uint8_t *pCounterData;
} CUpti_PmSampling_CounterDataImage_Initialize_Params;

typedef struct CUpti_PmSampling_GetCounterDataInfo_Params {
	size_t structSize;
	void *pPriv;
	const uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	size_t numTotalSamples;
	size_t numPopulatedSamples;
	size_t numCompletedSamples;
} CUpti_PmSampling_GetCounterDataInfo_Params;

typedef struct CUpti_PmSampling_CounterData_GetSampleInfo_Params {
	size_t structSize;
	void *pPriv;
	CUpti_PmSampling_Object *pPmSamplingObject;
	const uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	size_t sampleIndex;
	uint64_t startTimestamp;
	uint64_t endTimestamp;
} CUpti_PmSampling_CounterData_GetSampleInfo_Params;

/* The range profiler: cupti_range_profiler.h */

/* CUpti_ProfilerRange, CUpti_ProfilerReplayMode */
#define CUPTI_AutoRange			1
#define CUPTI_UserRange			2
#define CUPTI_ApplicationReplay		1
#define CUPTI_KernelReplay		2
#define CUPTI_UserReplay		3

typedef struct CUpti_RangeProfiler_Object CUpti_RangeProfiler_Object;

typedef struct CUpti_RangeProfiler_SetConfig_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	size_t configSize;
	const uint8_t *pConfig;
	size_t counterDataImageSize;
	uint8_t *pCounterDataImage;
	int range;
	int replayMode;
	size_t maxRangesPerPass;
	uint16_t numNestingLevels;
	uint16_t minNestingLevel;
	size_t passIndex;
	uint16_t targetNestingLevel;
} CUpti_RangeProfiler_SetConfig_Params;

typedef struct CUpti_RangeProfiler_Enable_Params {
	size_t structSize;
	void *pPriv;
	void *ctx;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
} CUpti_RangeProfiler_Enable_Params;

typedef struct CUpti_RangeProfiler_Disable_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
} CUpti_RangeProfiler_Disable_Params;

typedef struct CUpti_RangeProfiler_Start_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
} CUpti_RangeProfiler_Start_Params;

typedef struct CUpti_RangeProfiler_Stop_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	size_t passIndex;
	size_t targetNestingLevel;
	uint8_t isAllPassSubmitted;
} CUpti_RangeProfiler_Stop_Params;

typedef struct CUpti_RangeProfiler_PushRange_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	const char *pRangeName;
} CUpti_RangeProfiler_PushRange_Params;

typedef struct CUpti_RangeProfiler_PopRange_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
} CUpti_RangeProfiler_PopRange_Params;

typedef struct CUpti_RangeProfiler_DecodeData_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	size_t numOfRangeDropped;
} CUpti_RangeProfiler_DecodeData_Params;

typedef struct CUpti_RangeProfiler_GetCounterDataSize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	const char **pMetricNames;
	size_t numMetrics;
	size_t maxNumOfRanges;
	uint32_t maxNumRangeTreeNodes;
	size_t counterDataSize;
} CUpti_RangeProfiler_GetCounterDataSize_Params;

typedef struct CUpti_RangeProfiler_CounterDataImage_Initialize_Params {
	size_t structSize;
	void *pPriv;
	CUpti_RangeProfiler_Object *pRangeProfilerObject;
	size_t counterDataSize;
	uint8_t *pCounterData;
} CUpti_RangeProfiler_CounterDataImage_Initialize_Params;

typedef struct CUpti_RangeProfiler_GetCounterDataInfo_Params {
	size_t structSize;
	void *pPriv;
	const uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	size_t numTotalRanges;
} CUpti_RangeProfiler_GetCounterDataInfo_Params;

typedef struct CUpti_RangeProfiler_CounterData_GetRangeInfo_Params {
	size_t structSize;
	void *pPriv;
	const uint8_t *pCounterDataImage;
	size_t counterDataImageSize;
	size_t rangeIndex;
	const char *rangeDelimiter;
	const char *rangeName;
} CUpti_RangeProfiler_CounterData_GetRangeInfo_Params;

/* The structSize of a type with @last as its last member */
#define CUPTI_STRUCT_SIZE(type, last) \
	(offsetof(type, last) + sizeof(typeof(((type *)NULL)->last)))
/* Declares the parameters of a call, up to the member @last. Designators follow; other members are 0. */
#define CUPTI_PARAMS(variable, type, last, ...) \
	type variable = { .structSize = CUPTI_STRUCT_SIZE(type, last), __VA_ARGS__ }

/*
 * Functions: F(member of the table, symbol, parameters...). Functions that some versions lack are in a table's optional
 * part.
 */
#define CUDA_FUNCTIONS(F) \
	F(init, cuInit, unsigned int flags) \
	F(version, cuDriverGetVersion, int *version) \
	F(count, cuDeviceGetCount, int *count) \
	F(get, cuDeviceGet, int *device, int ordinal) \
	F(uuid, cuDeviceGetUuid_v2, CUuuid *uuid, int device) \
	F(name, cuDeviceGetName, char *name, int length, int device) \
	F(pci, cuDeviceGetPCIBusId, char *id, int length, int device)

#define CUPTI_HOST_FUNCTIONS(F) \
	F(version, cuptiGetVersion, uint32_t *version) \
	F(text, cuptiGetResultString, int result, const char **text) \
	F(chips, cuptiProfilerHostGetSupportedChips, \
	  CUpti_Profiler_Host_GetSupportedChips_Params *params) \
	F(initialize, cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params *params) \
	F(deinitialize, cuptiProfilerHostDeinitialize, \
	  CUpti_Profiler_Host_Deinitialize_Params *params) \
	F(base_metrics, cuptiProfilerHostGetBaseMetrics, \
	  CUpti_Profiler_Host_GetBaseMetrics_Params *params) \
	F(sub_metrics, cuptiProfilerHostGetSubMetrics, \
	  CUpti_Profiler_Host_GetSubMetrics_Params *params) \
	F(properties, cuptiProfilerHostGetMetricProperties, \
	  CUpti_Profiler_Host_GetMetricProperties_Params *params) \
	F(add_metrics, cuptiProfilerHostConfigAddMetrics, \
	  CUpti_Profiler_Host_ConfigAddMetrics_Params *params) \
	F(config_size, cuptiProfilerHostGetConfigImageSize, \
	  CUpti_Profiler_Host_GetConfigImageSize_Params *params) \
	F(config, cuptiProfilerHostGetConfigImage, \
	  CUpti_Profiler_Host_GetConfigImage_Params *params) \
	F(passes, cuptiProfilerHostGetNumOfPasses, \
	  CUpti_Profiler_Host_GetNumOfPasses_Params *params) \
	F(evaluate, cuptiProfilerHostEvaluateToGpuValues, \
	  CUpti_Profiler_Host_EvaluateToGpuValues_Params *params) \
	F(data_info, cuptiPmSamplingGetCounterDataInfo, \
	  CUpti_PmSampling_GetCounterDataInfo_Params *params)

#define CUPTI_SAMPLING_FUNCTIONS(F) \
	F(timestamps, cuptiActivityRegisterTimestampCallback, \
	  CUpti_TimestampCallbackFunc callback) \
	F(profiler, cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params *params) \
	F(chip, cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params *params) \
	F(supported, cuptiProfilerDeviceSupported, CUpti_Profiler_DeviceSupported_Params *params) \
	F(enable, cuptiPmSamplingEnable, CUpti_PmSampling_Enable_Params *params) \
	F(disable, cuptiPmSamplingDisable, CUpti_PmSampling_Disable_Params *params) \
	F(set_config, cuptiPmSamplingSetConfig, CUpti_PmSampling_SetConfig_Params *params) \
	F(start, cuptiPmSamplingStart, CUpti_PmSampling_Start_Params *params) \
	F(stop, cuptiPmSamplingStop, CUpti_PmSampling_Stop_Params *params) \
	F(decode, cuptiPmSamplingDecodeData, CUpti_PmSampling_DecodeData_Params *params) \
	F(data_size, cuptiPmSamplingGetCounterDataSize, \
	  CUpti_PmSampling_GetCounterDataSize_Params *params) \
	F(data_initialize, cuptiPmSamplingCounterDataImageInitialize, \
	  CUpti_PmSampling_CounterDataImage_Initialize_Params *params) \
	F(sample, cuptiPmSamplingCounterDataGetSampleInfo, \
	  CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)

#define CUPTI_RANGE_FUNCTIONS(F) \
	F(set_config, cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params *params) \
	F(enable, cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params *params) \
	F(disable, cuptiRangeProfilerDisable, CUpti_RangeProfiler_Disable_Params *params) \
	F(start, cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params *params) \
	F(stop, cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params *params) \
	F(push, cuptiRangeProfilerPushRange, CUpti_RangeProfiler_PushRange_Params *params) \
	F(pop, cuptiRangeProfilerPopRange, CUpti_RangeProfiler_PopRange_Params *params) \
	F(decode, cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params *params) \
	F(data_size, cuptiRangeProfilerGetCounterDataSize, \
	  CUpti_RangeProfiler_GetCounterDataSize_Params *params) \
	F(data_initialize, cuptiRangeProfilerCounterDataImageInitialize, \
	  CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params) \
	F(data_info, cuptiRangeProfilerGetCounterDataInfo, \
	  CUpti_RangeProfiler_GetCounterDataInfo_Params *params) \
	F(range_info, cuptiRangeProfilerCounterDataGetRangeInfo, \
	  CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)

#define API_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);

struct cuda_api {
	CUDA_FUNCTIONS(API_MEMBER)
};

struct cupti_api {
	CUPTI_HOST_FUNCTIONS(API_MEMBER)
	CUPTI_SAMPLING_FUNCTIONS(API_MEMBER)
};

#endif /* GPMU_CUPTI_API_H */
