// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CUPTI's range profiler. Measured with CUDA 13.0: it crashes at Start or Pop without a configuration, at Start after a
 * refused SetConfig, and at a second Disable. After any failure this makes no further call.
 */
#include <stdlib.h>
#include <string.h>

#include "collect.h"

static bool check(struct profiler *profiler, const char *call, int code)
{
	if (!code)
		return true;
	profiler->failure = (struct ranges_failure){ call, code };
	profiler->state = PROFILER_DEAD;
	return false;
}

void profiler_abandon(struct profiler *profiler)
{
	profiler->state = PROFILER_DEAD;
}

bool profiler_enable(struct profiler *profiler, void *context)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject, .ctx = context);

	if (profiler->state != PROFILER_OFF || !context)
		return false;
	if (!check(profiler, "cuptiRangeProfilerEnable", profiler->api->enable(&params)))
		return false;
	profiler->object = params.pRangeProfilerObject;
	profiler->state = PROFILER_ENABLED;
	profiler->open = 0;
	profiler->pass = 0;
	profiler->level = 1;
	profiler->is_complete = false;
	return true;
}

size_t profiler_image_size(struct profiler *profiler, const struct metrics *metrics, size_t ranges)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize,
		     .pRangeProfilerObject = profiler->object, .pMetricNames = metrics->names, .numMetrics = metrics->length,
		     .maxNumOfRanges = ranges, .maxNumRangeTreeNodes = (uint32_t)ranges * 2);

	if (profiler->state != PROFILER_ENABLED ||
	    !check(profiler, "cuptiRangeProfilerGetCounterDataSize", profiler->api->data_size(&params)))
		return 0;
	return params.counterDataSize;
}

static bool make_image(struct profiler *profiler, const struct profiler_setup *setup)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData,
		     .pRangeProfilerObject = profiler->object);
	size_t size = setup->image ? setup->image_size : profiler_image_size(profiler, setup->metrics, setup->ranges);

	if (!size)
		return false;
	if (size != profiler->image_size || !profiler->image) {
		free(profiler->image);
		profiler->image = calloc(1, size);
		profiler->image_size = profiler->image ? size : 0;
	}
	if (!profiler->image)
		return check(profiler, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
	if (setup->image) {
		memcpy(profiler->image, setup->image, size);
		return true;
	}
	params.counterDataSize = size;
	params.pCounterData = profiler->image;
	return check(profiler, "cuptiRangeProfilerCounterDataImageInitialize", profiler->api->data_initialize(&params));
}

bool profiler_configure(struct profiler *profiler, const struct profiler_setup *setup)
{
	static const int replays[] = {
		[CHANNEL_REPLAY_KERNEL] = CUPTI_KernelReplay,
		[CHANNEL_REPLAY_USER] = CUPTI_UserReplay,
		[CHANNEL_REPLAY_APPLICATION] = CUPTI_ApplicationReplay,
	};
	CUPTI_PARAMS(params, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel,
		     .pRangeProfilerObject = profiler->object, .configSize = setup->metrics->config_size,
		     .pConfig = setup->metrics->config, .range = setup->is_auto ? CUPTI_AutoRange : CUPTI_UserRange,
		     .replayMode = replays[setup->replay], .maxRangesPerPass = setup->per_pass,
		     .numNestingLevels = setup->levels, .minNestingLevel = 1, .passIndex = setup->pass,
		     .targetNestingLevel = (uint16_t)setup->level);

	if (profiler->state != PROFILER_ENABLED || !make_image(profiler, setup))
		return false;
	params.pCounterDataImage = profiler->image;
	params.counterDataImageSize = profiler->image_size;
	if (!check(profiler, "cuptiRangeProfilerSetConfig", profiler->api->set_config(&params)))
		return false;
	profiler->state = PROFILER_READY;
	return true;
}

bool profiler_start(struct profiler *profiler)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject,
		     .pRangeProfilerObject = profiler->object);

	if (profiler->state != PROFILER_READY ||
	    !check(profiler, "cuptiRangeProfilerStart", profiler->api->start(&params)))
		return false;
	profiler->state = PROFILER_STARTED;
	return true;
}

bool profiler_push(struct profiler *profiler, const char *name)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_PushRange_Params, pRangeName,
		     .pRangeProfilerObject = profiler->object, .pRangeName = name);

	if (profiler->state != PROFILER_STARTED ||
	    !check(profiler, "cuptiRangeProfilerPushRange", profiler->api->push(&params)))
		return false;
	profiler->open++;
	return true;
}

bool profiler_pop(struct profiler *profiler)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject,
		     .pRangeProfilerObject = profiler->object);

	if (profiler->state != PROFILER_STARTED || !profiler->open)
		return false;
	profiler->open--;
	return check(profiler, "cuptiRangeProfilerPopRange", profiler->api->pop(&params));
}

bool profiler_stop(struct profiler *profiler, bool wants_end)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted,
		     .pRangeProfilerObject = profiler->object);

	if (profiler->state != PROFILER_STARTED)
		return false;
	while (profiler->open && profiler_pop(profiler))
		;
	if (profiler->state != PROFILER_STARTED ||
	    !check(profiler, "cuptiRangeProfilerStop", profiler->api->stop(&params)))
		return false;
	profiler->pass = params.passIndex;
	profiler->level = params.targetNestingLevel;
	profiler->is_complete = params.isAllPassSubmitted;
	profiler->state = wants_end || profiler->is_complete ? PROFILER_STOPPED : PROFILER_READY;
	return true;
}

/* CUPTI's number of dropped ranges is 0 although ranges are missing: the caller compares counts. */
bool profiler_decode(struct profiler *profiler)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped,
		     .pRangeProfilerObject = profiler->object);

	return profiler->state == PROFILER_STOPPED &&
	       check(profiler, "cuptiRangeProfilerDecodeData", profiler->api->decode(&params));
}

size_t profiler_count(struct profiler *profiler)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges,
		     .pCounterDataImage = profiler->image, .counterDataImageSize = profiler->image_size);

	return profiler->state == PROFILER_STOPPED && !profiler->api->data_info(&params) ? params.numTotalRanges : 0;
}

const char *profiler_name(struct profiler *profiler, size_t index)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeName,
		     .pCounterDataImage = profiler->image, .counterDataImageSize = profiler->image_size, .rangeIndex = index,
		     .rangeDelimiter = "/");
	const char *inner;

	if (profiler->state != PROFILER_STOPPED || profiler->api->range_info(&params) || !params.rangeName)
		return NULL;
	inner = strrchr(params.rangeName, '/');
	return inner ? inner + 1 : params.rangeName;
}

bool profiler_disable(struct profiler *profiler)
{
	CUPTI_PARAMS(params, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject,
		     .pRangeProfilerObject = profiler->object);

	if (profiler->state == PROFILER_OFF || profiler->state == PROFILER_DEAD || profiler->state == PROFILER_STARTED)
		return false;
	profiler->object = NULL;
	if (!check(profiler, "cuptiRangeProfilerDisable", profiler->api->disable(&params)))
		return false;
	profiler->state = PROFILER_OFF;
	return true;
}
