// SPDX-License-Identifier: LGPL-2.1-or-later
/* A fake of libcupti.so.13: counter-data images of PM sampling */
#include <string.h>

#include "cupti.h"

/* As large as the real library's. */
#define METRIC_BYTES	704

struct data_image *data_image_of(const uint8_t *image, size_t size)
{
	struct data_image *data = (struct data_image *)(void *)image;

	if (!image || size < sizeof(*data) || data->magic != DATA_MAGIC ||
	    size < sizeof(*data) + (size_t)data->max * data->bytes)
		return NULL;
	return data;
}

struct data_sample *data_sample_of(const struct data_image *image, size_t index)
{
	if (fake_options()->reversed)
		index = image->max - 1 - index;
	return (struct data_sample *)((char *)(image + 1) + index * image->bytes);
}

static int plan(struct data_image *image, const CUpti_PmSampling_GetCounterDataSize_Params *params,
		int gpu)
{
	struct fake_name name;

	if (!params->numMetrics || !params->maxSamples || params->numMetrics > IMAGE_METRICS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*image = (struct data_image){ .magic = DATA_MAGIC, .max = params->maxSamples, .gpu = gpu };
	if (fake_options()->image && (uint32_t)fake_options()->image < image->max)
		image->max = fake_options()->image;
	for (; image->length < params->numMetrics; image->length++) {
		if (!fake_find(params->pMetricNames[image->length], &name))
			return ERROR_INVALID_METRIC_NAME;
		image->metrics[image->length] = (uint16_t)name.index;
	}
	image->bytes = METRIC_BYTES * image->length + sizeof(struct data_sample);
	return CUPTI_SUCCESS;
}

static size_t size_of(const struct data_image *image)
{
	return sizeof(*image) + (size_t)image->max * image->bytes;
}

PUBLIC int cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *params)
{
	int code = ENTER(params, counterDataSize);
	CUpti_PmSampling_Object *object;

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	object = params->pPmSamplingObject;
	code = plan(&object->image, params, object->gpu);
	if (!code)
		params->counterDataSize = size_of(&object->image);
	return cupti_release(object, code);
}

PUBLIC int cuptiPmSamplingCounterDataImageInitialize(
	CUpti_PmSampling_CounterDataImage_Initialize_Params *params)
{
	int code = ENTER(params, pCounterData);
	CUpti_PmSampling_Object *object;

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	object = params->pPmSamplingObject;
	if (!object->image.max)
		code = ERROR_INVALID_OPERATION;
	else if (!params->pCounterData || params->counterDataSize < size_of(&object->image))
		code = CUPTI_ERROR_INVALID_PARAMETER;
	else
		memcpy(memset(params->pCounterData, 0, params->counterDataSize), &object->image,
		       sizeof(object->image));
	return cupti_release(object, code);
}

PUBLIC int cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *params)
{
	int code = ENTER(params, numCompletedSamples);
	const struct data_image *image;

	if (code)
		return code;
	image = data_image_of(params->pCounterDataImage, params->counterDataImageSize);
	if (!image)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->numTotalSamples = image->max;
	params->numPopulatedSamples = image->populated;
	params->numCompletedSamples = image->completed;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiPmSamplingCounterDataGetSampleInfo(
	CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)
{
	int code = ENTER(params, endTimestamp);
	const struct data_sample *sample;
	const struct data_image *image;

	if (code)
		return code;
	image = data_image_of(params->pCounterDataImage, params->counterDataImageSize);
	if (!image)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (params->sampleIndex >= image->populated) {
		fake_violation("%s: sample %zu of %u", __func__, params->sampleIndex,
			       image->populated);
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	sample = data_sample_of(image, params->sampleIndex);
	params->startTimestamp = sample->start;
	params->endTimestamp = sample->end;
	return CUPTI_SUCCESS;
}
