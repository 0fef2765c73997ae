/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of CUPTI's functions of CUDA 13.3 and later for several subscribers, which have kinds, buffers and settings
 * of their own. They were written from CUPTI's documentation and not tried with CUPTI. Names are CUPTI's.
 */
#ifndef GPMU_SEVERAL_API_H
#define GPMU_SEVERAL_API_H

#include "inject_api.h"

/* CUpti_ActivityAttribute; their numbers follow from the order in the documentation */
#define CUPTI_ACTIVITY_ATTR_ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE	20
#define CUPTI_ACTIVITY_ATTR_THREAD_ID_TYPE			21
#define CUPTI_ACTIVITY_ATTR_TIMESTAMP_CALLBACK			22

/* CUpti_SubscriberParams, which is longer than in CUDA 13.0 */
struct several_params {
	CUpti_SubscriberParams params;
	uint8_t allowMultipleSubscribers;
	uint8_t padding[7];
};

typedef void (*CUpti_BuffersCallbackRequestFunc_v2)(uint8_t **buffer, size_t *size, size_t *max, void *info);
typedef void (*CUpti_BuffersCallbackCompleteFunc_v2)(uint8_t *buffer, size_t size, size_t valid, void *info);

/* F(member of the table, symbol, parameters...); all are required. CUDA 13.2 does not have the last one. */
#define SEVERAL_FUNCTIONS(F) \
	F(buffers, cuptiActivityRegisterCallbacks_v2, void *subscriber, CUpti_BuffersCallbackRequestFunc_v2 request, \
	  CUpti_BuffersCallbackCompleteFunc_v2 complete) \
	F(attribute, cuptiActivitySetAttribute_v2, void *subscriber, uint32_t attribute, size_t *size, void *value) \
	F(enable, cuptiActivityEnable_v2, void *subscriber, uint32_t kind, void *config) \
	F(disable, cuptiActivityDisable_v2, void *subscriber, uint32_t kind, void *config) \
	F(next, cuptiActivityGetNextRecord_v2, void *subscriber, uint8_t *buffer, size_t valid, CUpti_Activity **record) \
	F(dropped, cuptiActivityGetNumDroppedRecords_v2, void *subscriber, void *context, uint32_t stream, \
	  size_t *dropped) \
	F(timestamp, cuptiGetTimestamp_v2, void *subscriber, uint64_t *time)

/* Optional functions, NULL if missing */
#define SEVERAL_OPTIONAL(F) \
	F(runtime_api, cuptiActivityEnableRuntimeApi_v2, void *subscriber, uint32_t cbid, uint8_t enable) \
	F(driver_api, cuptiActivityEnableDriverApi_v2, void *subscriber, uint32_t cbid, uint8_t enable)

struct several_api {
	SEVERAL_FUNCTIONS(INJECT_MEMBER)
	SEVERAL_OPTIONAL(INJECT_MEMBER)
};

#endif /* GPMU_SEVERAL_API_H */
