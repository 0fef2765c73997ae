// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decodes the hardware's samples into images */
#include "cupti_decode.h"

#define DRAINS_MAX	1000
#define BEHIND		3		/* naps */

static int sample_times(const struct sampler *sampler, const struct image *image, size_t index,
			struct sample_time *times)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp,
		     .pPmSamplingObject = sampler->object, .pCounterDataImage = image->bytes,
		     .counterDataImageSize = sampler->image_size, .sampleIndex = index);
	int result = sampler->library->cupti.sample(&params);

	*times = (struct sample_time){ params.startTimestamp, params.endTimestamp };
	return result;
}

/* Submits the samples of an image with their times; returns a CUptiResult */
static int take_samples(struct sampler *sampler, struct image *image, bool is_full)
{
	size_t samples;
	int result = host_samples(sampler->library, image->bytes, sampler->image_size, &samples);

	if (samples > sampler->image_samples)
		samples = sampler->image_samples;
	for (size_t i = 0; i < samples && !result; i++)
		result = sample_times(sampler, image, i, &image->times[i]);
	image->samples = image->decoded = result ? 0 : samples;
	sampler->batch = samples;
	image->is_full = is_full;
	if (!image->samples)
		return result;
	image->is_skipped = sampler->is_skipped;
	image->reason = sampler->reason;
	/* A sample without its time is repeated in the next image. */
	sampler->is_skipped &= image->samples == 1 && image->times[0].start == image->times[0].end;
	sampler->reason = GAP_NONE;
	images_submit(sampler, image);
	return 0;
}

static bool is_full(const CUpti_PmSampling_DecodeData_Params *params)
{
	return params->decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
}

/* Makes one call to CUPTI; returns its result, or a failure of taking the samples */
static int decode_once(struct sampler *sampler, CUpti_PmSampling_DecodeData_Params *params)
{
	struct image *image = images_free(sampler);
	int result, taken;

	*params = (CUpti_PmSampling_DecodeData_Params){
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_DecodeData_Params, overflow),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = image->bytes,
		.counterDataImageSize = sampler->image_size };
	result = sampler->library->cupti.decode(params);
	taken = take_samples(sampler, image, is_full(params));
	if (params->overflow)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	return result ? result : taken;
}

int sampler_decode(struct sampler *sampler, bool *has_more)
{
	CUpti_PmSampling_DecodeData_Params params;
	int result = decode_once(sampler, &params);

	*has_more = is_full(&params) || sampler->batch * sampler->period > BEHIND * sampler->nap;
	/* Depending on the metrics CUPTI drops the remaining samples, or only their times. */
	if (!result && is_full(&params))
		sampler->reason = GAP_IMAGE;
	return result;
}

void sampler_drain(struct sampler *sampler)
{
	CUpti_PmSampling_DecodeData_Params params;

	if (sampler->is_dead || sampler_stop_hardware(sampler))
		return;
	for (int i = 0; i < DRAINS_MAX; i++)
		if (decode_once(sampler, &params) ||
		    params.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS)
			return;
}
