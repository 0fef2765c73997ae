/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of CUPTI's PC Sampling API (CUDA 12.6 and later) as far as they are used. Names are CUPTI's;
 * tests/unit/sources/inject-abi.t compares them with the toolkit's.
 */
#ifndef GPMU_PCS_API_H
#define GPMU_PCS_API_H

#include "inject_api.h"

#define CUPTI_CBID_RESOURCE_CONTEXT_CREATED		1
#define CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING	2
#define CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING	7

#define CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS		1
#define CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED	2
#define CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED		1
#define CUPTI_STALL_REASON_STRING_SIZE				128

/* CUpti_PCSamplingConfigurationAttributeType */
#define CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD	1
#define CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON		2
#define CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE	5
#define CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT	7
#define CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER	8

typedef struct PACKED {
	uint32_t pcSamplingStallReasonIndex;
	uint32_t samples;
} CUpti_PCSamplingStallReason;

typedef struct PACKED {
	size_t size;
	uint64_t cubinCrc;
	uint64_t pcOffset;
	uint32_t functionIndex;
	uint32_t pad;
	char *functionName;	/* CUPTI may give the same address again, so it is never freed */
	size_t stallReasonCount;
	CUpti_PCSamplingStallReason *stallReason;
	uint32_t correlationId;
} CUpti_PCSamplingPCData;

typedef struct PACKED {
	size_t size;
	size_t collectNumPcs;
	uint64_t totalSamples;
	uint64_t droppedSamples;
	size_t totalNumPcs;
	size_t remainingNumPcs;
	uint64_t rangeId;
	CUpti_PCSamplingPCData *pPcData;
	uint64_t nonUsrKernelsTotalSamples;
	uint8_t hardwareBufferFull;
} CUpti_PCSamplingData;

typedef struct {
	uint32_t attributeType;
	uint32_t attributeStatus;
	union {
		uint64_t data[3];
		uint32_t number;	/* period as a power of 2, mode, format */
		void *buffer;
		struct {
			size_t count;
			uint32_t *indices;
		} reasons;
	} attributeData;
} CUpti_PCSamplingConfigurationInfo;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
	size_t numAttributes;
	CUpti_PCSamplingConfigurationInfo *pPCSamplingConfigurationInfo;
} CUpti_PCSamplingConfigurationInfoParams;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
	void *pcSamplingData;
} CUpti_PCSamplingGetDataParams;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
} CUpti_PCSamplingEnableParams;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
} CUpti_PCSamplingDisableParams;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
	size_t *numStallReasons;
} CUpti_PCSamplingGetNumStallReasonsParams;

typedef struct {
	size_t size;
	void *pPriv;
	void *ctx;
	size_t numStallReasons;
	uint32_t *stallReasonIndex;
	char **stallReasons;
} CUpti_PCSamplingGetStallReasonsParams;

typedef struct {
	size_t size;
	size_t cubinSize;
	const void *cubin;
	uint64_t cubinCrc;
} CUpti_GetCubinCrcParams;

/* F(member of the table, symbol, parameters...); PC sampling needs all of them */
#define PCS_FUNCTIONS(F) \
	F(device, cuptiGetDeviceId, void *context, uint32_t *device) \
	F(context, cuptiGetContextId, void *context, uint32_t *id) \
	F(crc, cuptiGetCubinCrc, CUpti_GetCubinCrcParams *params) \
	F(enable, cuptiPCSamplingEnable, CUpti_PCSamplingEnableParams *params) \
	F(disable, cuptiPCSamplingDisable, CUpti_PCSamplingDisableParams *params) \
	F(count_reasons, cuptiPCSamplingGetNumStallReasons, CUpti_PCSamplingGetNumStallReasonsParams *params) \
	F(list_reasons, cuptiPCSamplingGetStallReasons, CUpti_PCSamplingGetStallReasonsParams *params) \
	F(configure, cuptiPCSamplingSetConfigurationAttribute, CUpti_PCSamplingConfigurationInfoParams *params) \
	F(get, cuptiPCSamplingGetData, CUpti_PCSamplingGetDataParams *params)

struct pcs_api {
	PCS_FUNCTIONS(INJECT_MEMBER)
};

#endif /* GPMU_PCS_API_H */
