// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of libcupti.so.13: the range profiler, as measured with CUDA 13.0. A launched kernel counts as many units
 * of each metric as its name has letters, and as many more as the contents of the program's memory are in sum.
 * Calls in an order at which the real one crashes are violations, and end the program. The fake silently loses the
 * same data as the real one: ranges for which the image has no room, bytes of a name after the 59th, and metrics
 * that are configured without Disable and Enable between.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti.h"
#include "heap.h"
#include "ranges.h"

#define DEPTH	16
#define NAME	60	/* bytes of a name, with its NUL */
#define WAITING	"wait_known"	/* a kernel of this name waits for a later one: its replay and checkpoints never end */

struct CUpti_RangeProfiler_Object {
	void *context;
	bool is_enabled, has_image, is_configured, is_started, is_refused;
	int range, replay;
	size_t levels, lap, laps, per_pass, launches;
	struct config_image config;
	struct range_image *image;
	char names[DEPTH][NAME];
	size_t depth;
};

/* One for a context, and the fake has one context */
static struct CUpti_RangeProfiler_Object profiler;

static void crash(const char *function, const char *why)
{
	fake_violation("%s: %s: the real one crashes", function, why);
	abort();
}

static struct CUpti_RangeProfiler_Object *check(const char *function, CUpti_RangeProfiler_Object *object)
{
	if (object != &profiler || !object->is_enabled)
		crash(function, "no enabled object");
	return object;
}

PUBLIC int cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params)
{
	int code = ENTER(params, pRangeProfilerObject);

	if (code)
		return code;
	if (!params->ctx)
		return CUPTI_ERROR_INVALID_PARAMETER;
	profiler = (struct CUpti_RangeProfiler_Object){ .context = params->ctx, .is_enabled = true };
	params->pRangeProfilerObject = &profiler;
	fake_count("ranges", 1);
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params)
{
	int code = ENTER(params, pRangeProfilerObject);

	if (params && params->pRangeProfilerObject != &profiler)
		crash(__func__, "no object");
	if (!profiler.is_enabled)
		crash(__func__, "a second Disable");
	profiler.is_enabled = false;
	fake_count("ranges", -1);
	return code;
}

PUBLIC int cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
	int code = ENTER(params, counterDataSize);
	size_t max = params->maxNumOfRanges;

	if (code)
		return code;
	if (!profiler.is_enabled || params->maxNumRangeTreeNodes < max)
		return CUPTI_ERROR_INVALID_PARAMETER;
	profiler.image = NULL;
	params->counterDataSize = sizeof(struct range_image) + max * sizeof(struct range_data);
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params)
{
	int code = ENTER(params, pCounterData);
	struct range_image *image = (void *)params->pCounterData;

	if (code)
		return code;
	check(__func__, params->pRangeProfilerObject);
	memset(image, 0, params->counterDataSize);
	image->magic = RANGE_MAGIC;
	image->max = (uint32_t)((params->counterDataSize - sizeof(*image)) / sizeof(struct range_data));
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params)
{
	int code = ENTER(params, targetNestingLevel);
	struct CUpti_RangeProfiler_Object *object;
	struct range_image *image = (void *)params->pCounterDataImage;

	object = check(__func__, params->pRangeProfilerObject);
	if (image->magic != RANGE_MAGIC)
		crash(__func__, "an image that is not initialised");
	object->is_refused = code || (params->range == CUPTI_UserRange && params->replayMode == CUPTI_KernelReplay);
	if (object->is_refused)
		return code ? code : ERROR_INVALID_OPERATION;
	if (params->minNestingLevel != 1)
		fake_violation("%s: minNestingLevel %u never ends or is wrong", __func__, params->minNestingLevel);
	if (object->is_configured)
		image->is_spoilt = true;
	memcpy(&object->config, params->pConfig, sizeof(object->config));
	object->image = image;
	object->range = params->range;
	object->replay = params->replayMode;
	object->levels = params->numNestingLevels;
	object->per_pass = params->maxRangesPerPass;
	object->laps = object->config.passes * object->levels;
	object->lap = params->replayMode == CUPTI_ApplicationReplay ?
		      params->passIndex * object->levels + params->targetNestingLevel - 1 : 0;
	memcpy(image->metrics, object->config.metrics, sizeof(image->metrics));
	image->length = object->config.length;
	object->is_configured = true;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params)
{
	int code = ENTER(params, pRangeProfilerObject);
	struct CUpti_RangeProfiler_Object *object = check(__func__, params->pRangeProfilerObject);

	if (!object->is_configured || object->is_refused)
		crash(__func__, "no configuration");
	if (code)
		return code;
	object->is_started = true;
	fake_count("started", 1);
	object->depth = 0;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *params)
{
	int code = ENTER(params, isAllPassSubmitted);
	struct CUpti_RangeProfiler_Object *object = check(__func__, params->pRangeProfilerObject);

	if (code)
		return code;
	if (!object->is_started)
		return ERROR_INVALID_OPERATION;
	object->is_started = false;
	fake_count("started", -1);
	object->lap = object->replay == CUPTI_KernelReplay ? object->laps : object->lap + 1;
	params->passIndex = object->lap / object->levels;
	params->targetNestingLevel = object->lap % object->levels + 1;
	params->isAllPassSubmitted = object->lap >= object->laps;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *params)
{
	int code = ENTER(params, numOfRangeDropped);
	struct CUpti_RangeProfiler_Object *object = check(__func__, params->pRangeProfilerObject);

	if (code || !object->image)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	object->image->decoded = object->image->count;
	params->numOfRangeDropped = 0;
	return CUPTI_SUCCESS;
}

/* The range of this name in the image, which is added; NULL: no room */
static struct range_data *find(struct range_image *image, const char *name)
{
	struct range_data *range;

	for (uint32_t i = 0; i < image->count; i++)
		if (!strcmp(image->ranges[i].name, name))
			return &image->ranges[i];
	if (image->count == image->max)
		return NULL;
	range = &image->ranges[image->count++];
	snprintf(range->name, sizeof(range->name), "%s", name);
	return range;
}

/* Adds what the pass counts. */
static void add(struct CUpti_RangeProfiler_Object *object, struct range_data *range, size_t pass, double units)
{
	for (uint32_t i = 0; range && i < object->config.length; i++)
		if (object->replay == CUPTI_KernelReplay || i % object->config.passes == pass)
			range->sums[i] += units;
}

/* Names down to the level that this lap counts */
static void join(const struct CUpti_RangeProfiler_Object *object, size_t level, char *name, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < level; i++)
		used += (size_t)snprintf(name + used, size - used, "%s%s", i ? "/" : "", object->names[i]);
}

static size_t lap_level(const struct CUpti_RangeProfiler_Object *object)
{
	return object->lap % object->levels + 1;
}

void ranges_launch(const char *kernel)
{
	const double units = (double)strlen(kernel) + (double)heap_run();
	char name[sizeof(((struct range_data *)0)->name)];

	if (strstr(kernel, WAITING))
		fake_count("waiting", 1);
	if (!profiler.is_started)
		return;
	if (profiler.range == CUPTI_AutoRange)
		snprintf(name, sizeof(name), "%zu", profiler.launches++);
	else if (profiler.depth >= lap_level(&profiler))
		join(&profiler, lap_level(&profiler), name, sizeof(name));
	else
		return;
	add(&profiler, find(profiler.image, name), profiler.lap / profiler.levels, units);
	while (profiler.replay == CUPTI_KernelReplay && strstr(kernel, WAITING))
		pause();
}

PUBLIC int cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *params)
{
	int code = ENTER(params, pRangeName);
	struct CUpti_RangeProfiler_Object *object = check(__func__, params->pRangeProfilerObject);
	char name[sizeof(((struct range_data *)0)->name)];

	if (code || !params->pRangeName)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	if (object->depth == DEPTH)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	snprintf(object->names[object->depth++], NAME, "%s", params->pRangeName);
	if (object->is_started && object->depth == lap_level(object)) {
		join(object, object->depth, name, sizeof(name));
		find(object->image, name);
	}
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *params)
{
	int code = ENTER(params, pRangeProfilerObject);
	struct CUpti_RangeProfiler_Object *object = check(__func__, params->pRangeProfilerObject);

	if (!object->is_configured)
		crash(__func__, "no configuration");
	object->depth -= !code && object->depth;
	return code;
}

static const struct range_image *image_of(const void *bytes)
{
	const struct range_image *image = bytes;

	return image && image->magic == RANGE_MAGIC ? image : NULL;
}

PUBLIC int cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
	int code = ENTER(params, numTotalRanges);
	const struct range_image *image = image_of(params->pCounterDataImage);

	if (code || !image)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	params->numTotalRanges = image->decoded;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)
{
	int code = ENTER(params, rangeName);
	const struct range_image *image = image_of(params->pCounterDataImage);

	if (code || !image || params->rangeIndex >= image->decoded)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	params->rangeName = image->ranges[params->rangeIndex].name;
	return CUPTI_SUCCESS;
}

bool ranges_evaluate(const uint8_t *bytes, size_t index, uint16_t metric, double *value)
{
	const struct range_image *image = image_of(bytes);

	if (!image || index >= image->decoded)
		return false;
	*value = NAN;
	for (uint32_t i = 0; i < image->length; i++)
		if (image->metrics[i] == metric && !image->is_spoilt)
			*value = image->ranges[index].sums[i];
	return true;
}
