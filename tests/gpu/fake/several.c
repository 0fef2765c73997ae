// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CUPTI's functions for several subscribers, as the documentation of CUDA 13.3 describes them: the first subscriber is
 * served by activity.c, the second one is the program's, which counts its kernels. Functions without a subscriber fail from
 * then on. Only the fake of several/libcupti.so.13 has this file.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "activity_fake.h"
#include "several_api.h"

static void *first;	/* the handle; NULL: none */
static bool has_second;
static unsigned int second_kernels;
static CUpti_BuffersCallbackRequestFunc_v2 request;
static CUpti_BuffersCallbackCompleteFunc_v2 complete;

static void request_first(uint8_t **buffer, size_t *size, size_t *max)
{
	request(buffer, size, max, NULL);
}

static void complete_first(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	complete(buffer, size, valid, NULL);
}

int several_subscribe(void **subscriber, CUpti_CallbackFunc function, const CUpti_SubscriberParams *params)
{
	const struct several_params *several = (const void *)params;

	if (params->structSize != sizeof(*several) || !several->allowMultipleSubscribers || activity_is_alone())
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	if (first)
		*subscriber = &second_kernels;
	else
		*subscriber = first = activity_subscribe(function, true);
	return 0;
}

void several_put(const void *record)
{
	second_kernels += has_second && *(const uint32_t *)record == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

void several_do(const char *word)
{
	struct several_params params = { .params = { .structSize = sizeof(params) }, .allowMultipleSubscribers = 1 };
	void *subscriber;

	if (!strcmp(word, "joined"))
		dprintf(STDOUT_FILENO, "joined %u\n", second_kernels);
	else
		has_second = !several_subscribe(&subscriber, NULL, &params.params) && subscriber == &second_kernels;
}

/* Calls a function of activity.c for the first subscriber. */
#define CALL(function, ...) do { \
	int result = fake_enter(__func__); \
\
	if (result || !subscriber || subscriber != first) \
		return result ? result : CUPTI_ERROR_INVALID_PARAMETER; \
	activity_allow(true); \
	result = function(__VA_ARGS__); \
	activity_allow(false); \
	return result; \
} while (0)

PUBLIC int cuptiActivityRegisterCallbacks_v2(void *subscriber, CUpti_BuffersCallbackRequestFunc_v2 requested,
					     CUpti_BuffersCallbackCompleteFunc_v2 completed)
{
	request = requested;
	complete = completed;
	CALL(cuptiActivityRegisterCallbacks, request_first, complete_first);
}

static int set_first_attribute(uint32_t attribute, size_t *size, void *value)
{
	CUpti_TimestampCallbackFunc clock;

	switch (attribute) {
	case CUPTI_ACTIVITY_ATTR_ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE:
		return *size == 1 && !activity_enabled() ? 0 : CUPTI_ERROR_INVALID_PARAMETER;
	case CUPTI_ACTIVITY_ATTR_THREAD_ID_TYPE:
		return *size == sizeof(uint32_t) ? cuptiSetThreadIdType(*(uint32_t *)value) : CUPTI_ERROR_INVALID_PARAMETER;
	case CUPTI_ACTIVITY_ATTR_TIMESTAMP_CALLBACK:
		if (*size != sizeof(clock))
			return CUPTI_ERROR_INVALID_PARAMETER;
		memcpy(&clock, value, sizeof(clock));
		return cuptiActivityRegisterTimestampCallback(clock);
	default:
		return cuptiActivitySetAttribute(attribute, size, value);
	}
}

PUBLIC int cuptiActivitySetAttribute_v2(void *subscriber, uint32_t attribute, size_t *size, void *value)
{
	CALL(set_first_attribute, attribute, size, value);
}

PUBLIC int cuptiActivityEnable_v2(void *subscriber, uint32_t kind, void *config)
{
	(void)config;
	CALL(cuptiActivityEnable, kind);
}

PUBLIC int cuptiActivityDisable_v2(void *subscriber, uint32_t kind, void *config)
{
	(void)config;
	CALL(cuptiActivityDisable, kind);
}

PUBLIC int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	CALL(cuptiActivityGetNextRecord, buffer, valid, record);
}

PUBLIC int cuptiActivityGetNumDroppedRecords_v2(void *subscriber, void *context, uint32_t stream, size_t *number)
{
	CALL(cuptiActivityGetNumDroppedRecords, context, stream, number);
}

PUBLIC int cuptiActivityEnableRuntimeApi_v2(void *subscriber, uint32_t cbid, uint8_t enable)
{
	CALL(cuptiActivityEnableRuntimeApi, cbid, enable);
}

PUBLIC int cuptiActivityEnableDriverApi_v2(void *subscriber, uint32_t cbid, uint8_t enable)
{
	CALL(cuptiActivityEnableDriverApi, cbid, enable);
}

PUBLIC int cuptiGetTimestamp_v2(void *subscriber, uint64_t *time)
{
	CALL(cuptiGetTimestamp, time);
}
