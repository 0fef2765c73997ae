// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "collect.h"

static bool check(struct ranges_failure *failure, const char *call, int code)
{
	if (code)
		*failure = (struct ranges_failure){ call, code };
	return !code;
}

static bool initialize(struct metrics *metrics, const char *chip, struct ranges_failure *failure)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_Initialize_Params, pHostObject,
		     .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER, .pChipName = chip);

	if (!check(failure, "cuptiProfilerHostInitialize", metrics->api->initialize(&params)))
		return false;
	metrics->host = params.pHostObject;
	return true;
}

/* All metrics in one call: CUPTI packs those of one call into as few passes as possible. */
static bool add(struct metrics *metrics, struct ranges_failure *failure)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics, .pHostObject = metrics->host,
		     .ppMetricNames = metrics->names, .numMetrics = metrics->length);

	return check(failure, "cuptiProfilerHostConfigAddMetrics", metrics->api->add_metrics(&params));
}

static bool make_config(struct metrics *metrics, struct ranges_failure *failure)
{
	CUPTI_PARAMS(size, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize, .pHostObject = metrics->host);
	CUPTI_PARAMS(image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage, .pHostObject = metrics->host);

	if (!check(failure, "cuptiProfilerHostGetConfigImageSize", metrics->api->config_size(&size)))
		return false;
	metrics->config_size = size.configImageSize;
	metrics->config = calloc(1, metrics->config_size);
	if (!metrics->config)
		return check(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
	image.configImageSize = metrics->config_size;
	image.pConfigImage = metrics->config;
	return check(failure, "cuptiProfilerHostGetConfigImage", metrics->api->config(&image));
}

static bool count_passes(struct metrics *metrics, struct ranges_failure *failure)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses,
		     .configImageSize = metrics->config_size, .pConfigImage = metrics->config);

	if (!check(failure, "cuptiProfilerHostGetNumOfPasses", metrics->api->passes(&params)))
		return false;
	metrics->passes = params.numOfPasses;
	return true;
}

bool metrics_configure(struct metrics *metrics, const char *chip, struct ranges_failure *failure)
{
	if (metrics->config)
		return true;
	return initialize(metrics, chip, failure) && add(metrics, failure) && make_config(metrics, failure) &&
	       count_passes(metrics, failure);
}

bool metrics_evaluate(const struct metrics *metrics, const uint8_t *image, size_t size, size_t index, double *values)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues, .pHostObject = metrics->host,
		     .pCounterDataImage = image, .counterDataImageSize = size, .rangeIndex = index,
		     .ppMetricNames = metrics->names, .numMetrics = metrics->length, .pMetricValues = values);

	return !metrics->api->evaluate(&params);
}
