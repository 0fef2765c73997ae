/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of CUPTI's SASS Metrics API (CUDA 12.6 and later), and of its source lines, as far as they are used. Names are CUPTI's;
 * tests/unit/sources/inject-abi.t compares them with the toolkit's. The structSize of a parameter structure is its size up to
 * its last member, except that of CUpti_SassMetricsFlushData_Params, which ends before pMetricsData.
 */
#ifndef GPMU_SASS_API_H
#define GPMU_SASS_API_H

#include "inject_api.h"
#include "library/cupti_api.h"
#include "pcs/pcs_api.h"

#define CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU	0

typedef struct {
	uint64_t metricId;
	const char *pMetricName;
	const char *pMetricDescription;
} CUpti_SassMetrics_MetricDetails;

typedef struct {
	size_t structSize;
	void *pPriv;
	const char *pChipName;
	size_t numOfMetrics;
} CUpti_SassMetrics_GetNumOfMetrics_Params;

typedef struct {
	size_t structSize;
	void *pPriv;
	const char *pChipName;
	size_t numOfMetrics;
	CUpti_SassMetrics_MetricDetails *pMetricsList;
} CUpti_SassMetrics_GetMetrics_Params;

typedef struct {
	size_t structSize;
	void *pPriv;
	const char *pChipName;
	const char *pMetricName;
	CUpti_SassMetrics_MetricDetails metric;
} CUpti_SassMetrics_GetProperties_Params;

typedef struct {
	uint64_t metricId;
	uint8_t outputGranularity;
} CUpti_SassMetrics_Config;

typedef struct {
	size_t structSize;
	void *pPriv;
	size_t numOfMetricConfig;
	CUpti_SassMetrics_Config *pConfigs;
	uint32_t deviceIndex;
} CUpti_SassMetricsSetConfig_Params;

typedef struct {
	size_t structSize;
	void *pPriv;
	void *ctx;
	uint8_t enableLazyPatching;
} CUpti_SassMetricsEnable_Params;

typedef struct {
	size_t structSize;
	void *pPriv;
	void *ctx;
	size_t numOfDroppedRecords;
} CUpti_SassMetricsDisable_Params;

typedef struct {
	size_t structSize;
	void *pPriv;
	void *ctx;
	size_t numOfPatchedInstructionRecords;
	size_t numOfInstances;
} CUpti_SassMetricsGetDataProperties_Params;

typedef struct {
	uint64_t metricId;
	uint64_t value;
} CUpti_SassMetrics_InstanceValue;

typedef struct {
	size_t structSize;
	void *pPriv;
	uint32_t cubinCrc;
	uint32_t functionIndex;
	const char *functionName;
	uint32_t pcOffset;
	CUpti_SassMetrics_InstanceValue *pInstanceValues;
} CUpti_SassMetrics_Data;

typedef struct {
	size_t structSize;
	void *pPriv;
	void *ctx;
	size_t numOfPatchedInstructionRecords;
	size_t numOfInstances;
	CUpti_SassMetrics_Data *pMetricsData;
} CUpti_SassMetricsFlushData_Params;

typedef struct {
	size_t size;
	const void *cubin;
	const char *functionName;
	size_t cubinSize;
	uint32_t lineNumber;
	uint64_t pcOffset;
	char *fileName;	/* this and dirName: the caller frees them */
	char *dirName;
} CUpti_GetSassToSourceCorrelationParams;

/* F(member of the table, symbol, parameters...) */
#define SASS_FUNCTIONS(F) \
	F(init, cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params *params) \
	F(chip, cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params *params) \
	F(crc, cuptiGetCubinCrc, CUpti_GetCubinCrcParams *params) \
	F(line, cuptiGetSassToSourceCorrelation, CUpti_GetSassToSourceCorrelationParams *params) \
	F(device, cuptiGetDeviceId, void *context, uint32_t *device) \
	F(count, cuptiSassMetricsGetNumOfMetrics, CUpti_SassMetrics_GetNumOfMetrics_Params *params) \
	F(list, cuptiSassMetricsGetMetrics, CUpti_SassMetrics_GetMetrics_Params *params) \
	F(properties, cuptiSassMetricsGetProperties, CUpti_SassMetrics_GetProperties_Params *params) \
	F(configure, cuptiSassMetricsSetConfig, CUpti_SassMetricsSetConfig_Params *params) \
	F(enable, cuptiSassMetricsEnable, CUpti_SassMetricsEnable_Params *params) \
	F(size, cuptiSassMetricsGetDataProperties, CUpti_SassMetricsGetDataProperties_Params *params) \
	F(flush, cuptiSassMetricsFlushData, CUpti_SassMetricsFlushData_Params *params) \
	F(disable, cuptiSassMetricsDisable, CUpti_SassMetricsDisable_Params *params)

#define SASS_DRIVER_FUNCTIONS(F) \
	F(push, cuCtxPushCurrent_v2, void *context) \
	F(pop, cuCtxPopCurrent_v2, void **context) \
	F(wait, cuCtxSynchronize, void)

struct sass_api {
	SASS_FUNCTIONS(INJECT_MEMBER)
	SASS_DRIVER_FUNCTIONS(INJECT_MEMBER)
};

#endif /* GPMU_SASS_API_H */
