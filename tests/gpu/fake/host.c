// SPDX-License-Identifier: LGPL-2.1-or-later
/* A fake of libcupti.so.13: the Host API. metrics.tsv defines the passes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"
#include "ranges.h"

struct CUpti_Profiler_Host_Object {
	struct config_image config;
	bool is_spoilt;	/* by a failed call, after which the real object is unusable */
	/* The results returned last */
	const char *names[FAKE_METRICS];
	char suffixes[64][64];
	const char *suffix_list[64];
	char dim[64];
};

static const char *const chips[] = { "GV100", "TU102", "GA100", "GA102", "GH100", "GB100" };

PUBLIC int cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *params)
{
	int code = ENTER(params, ppChipNames);

	if (code)
		return code;
	params->numChips = sizeof(chips) / sizeof(*chips);
	params->ppChipNames = chips;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
	int code = ENTER(params, pHostObject);
	bool is_known = false;

	if (code)
		return code;
	if (params->profilerType > CUPTI_PROFILER_TYPE_PM_SAMPLING || !params->pChipName)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		is_known = is_known || !strcmp(chips[i], params->pChipName);
	if (!is_known)
		return CUPTI_ERROR_INVALID_CHIP_NAME;
	params->pHostObject = calloc(1, sizeof(*params->pHostObject));
	if (!params->pHostObject)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	params->pHostObject->config.magic = CONFIG_MAGIC;
	fake_count("host", 1);
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
	int code = ENTER(params, pHostObject);

	/* The object is freed even if the call has to fail. */
	if (params && params->pHostObject) {
		fake_count("host", -1);
		free(params->pHostObject);
	}
	return code;
}

PUBLIC int cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *params)
{
	static const int types[] = {
		[FAKE_COUNTER] = CUPTI_METRIC_TYPE_COUNTER,
		[FAKE_RATIO] = CUPTI_METRIC_TYPE_RATIO,
		[FAKE_THROUGHPUT] = CUPTI_METRIC_TYPE_THROUGHPUT,
	};
	int code = ENTER(params, numMetrics);
	struct CUpti_Profiler_Host_Object *host;

	if (code)
		return code;
	host = params->pHostObject;
	if (!host || params->metricType >= CUPTI_METRIC_TYPE__COUNT)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->numMetrics = 0;
	for (size_t i = 0; i < fake_metrics(); i++)
		if (types[fake_metric(i)->type] == params->metricType)
			host->names[params->numMetrics++] = fake_metric(i)->base;
	params->ppMetricNames = host->names;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params *params)
{
	int code = ENTER(params, ppSubMetrics);
	struct CUpti_Profiler_Host_Object *host;
	struct fake_name name;
	const char *suffix;
	size_t n = 0;

	if (code)
		return code;
	host = params->pHostObject;
	if (!host || !params->pMetricName)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (!fake_find(params->pMetricName, &name))
		return ERROR_INVALID_METRIC_NAME;
	for (; (suffix = fake_suffix(name.metric->type, n)); n++) {
		snprintf(host->suffixes[n], sizeof(host->suffixes[n]), ".%s", suffix);
		host->suffix_list[n] = host->suffixes[n];
	}
	params->numOfSubmetrics = n;
	params->ppSubMetrics = host->suffix_list;
	return CUPTI_SUCCESS;
}

static const char *dim_of(struct CUpti_Profiler_Host_Object *host, const struct fake_name *name)
{
	const char *per = "";

	if (strstr(name->suffix, "pct"))
		return "percent";
	if (strstr(name->suffix, "per_second"))
		per = "/second";
	else if (strstr(name->suffix, "per_cycle") || strstr(name->suffix, "peak"))
		per = "/cycle";
	snprintf(host->dim, sizeof(host->dim), "%s%s", name->metric->dim, per);
	return host->dim;
}

PUBLIC int cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *params)
{
	int code = ENTER(params, metricType);
	struct fake_name name;

	if (code)
		return code;
	if (!params->pHostObject || !params->pMetricName)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (!fake_find(params->pMetricName, &name))
		return ERROR_INVALID_METRIC_NAME;
	params->pDescription = name.metric->description;
	params->pHwUnit = name.metric->unit;
	params->pDimUnit = dim_of(params->pHostObject, &name);
	params->metricType = (int)name.metric->type;
	return CUPTI_SUCCESS;
}

/* The passes of the metrics: one for each different use of a resource */
static uint32_t passes_of(const struct config_image *config)
{
	uint32_t max = 1;

	for (size_t i = 0; i < config->length; i++) {
		const char *pass = fake_metric(config->metrics[i])->pass;
		size_t resource = strcspn(pass, ":") + 1;
		uint32_t uses = 0;

		for (size_t j = 0; pass[0] != '-' && j < config->length; j++) {
			const char *other = fake_metric(config->metrics[j])->pass;
			bool is_seen = strncmp(pass, other, resource);

			for (size_t k = 0; k < j && !is_seen; k++)
				is_seen = !strcmp(fake_metric(config->metrics[k])->pass, other);
			uses += !is_seen;
		}
		max = uses > max ? uses : max;
	}
	return max;
}

PUBLIC int cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
	int code = ENTER(params, numMetrics);
	struct CUpti_Profiler_Host_Object *host;
	struct fake_name name;

	if (code)
		return code;
	host = params->pHostObject;
	if (!host || !params->ppMetricNames || !params->numMetrics)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (host->is_spoilt)
		return CUPTI_ERROR_UNKNOWN;
	host->config.passes += host->config.length ? 1 : 0;
	for (size_t i = 0; i < params->numMetrics; i++) {
		if (!fake_find(params->ppMetricNames[i], &name) || !name.suffix[0] ||
		    host->config.length == IMAGE_METRICS) {
			host->is_spoilt = true;
			return CUPTI_ERROR_INVALID_PARAMETER;
		}
		host->config.metrics[host->config.length++] = (uint16_t)name.index;
	}
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
	int code = ENTER(params, configImageSize);

	if (code)
		return code;
	if (!params->pHostObject)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (params->pHostObject->is_spoilt || !params->pHostObject->config.length)
		return CUPTI_ERROR_UNKNOWN;
	params->configImageSize = sizeof(struct config_image);
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
	int code = ENTER(params, pConfigImage);
	struct config_image config;

	if (code)
		return code;
	if (!params->pHostObject || !params->pConfigImage ||
	    params->configImageSize < sizeof(struct config_image))
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (params->pHostObject->is_spoilt || !params->pHostObject->config.length)
		return CUPTI_ERROR_UNKNOWN;
	config = params->pHostObject->config;
	config.passes += passes_of(&config);
	memcpy(params->pConfigImage, &config, sizeof(config));
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
	int code = ENTER(params, numOfPasses);
	struct config_image config;

	if (code)
		return code;
	if (!params->pConfigImage || params->configImageSize < sizeof(config))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&config, params->pConfigImage, sizeof(config));
	if (config.magic != CONFIG_MAGIC)
		return CUPTI_ERROR_INVALID_PARAMETER;
	params->numOfPasses = config.passes;
	return CUPTI_SUCCESS;
}

static bool is_sampled(const struct data_image *image, size_t metric)
{
	for (size_t i = 0; i < image->length; i++)
		if (image->metrics[i] == metric)
			return true;
	return false;
}

static double evaluate(const struct data_image *image, size_t index, const char *text,
		       const struct fake_name *name)
{
	const struct data_sample *sample = data_sample_of(image, index);

	if (!is_sampled(image, name->index))
		return NAN;
	if (fake_replays())
		return fake_replayed_value(sample->index, text);
	return fake_value(name, image->gpu, sample->from, sample->to);
}

/* Returns whether the image is one of ranges; *@code is then the result. */
static bool evaluate_range(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params, int *code)
{
	struct fake_name name;

	for (size_t i = 0; i < params->numMetrics; i++) {
		if (!fake_find(params->ppMetricNames[i], &name))
			return false;
		if (!ranges_evaluate(params->pCounterDataImage, params->rangeIndex, (uint16_t)name.index, &params->pMetricValues[i]))
			return false;
	}
	*code = CUPTI_SUCCESS;
	return true;
}

PUBLIC int cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
	int code = ENTER(params, pMetricValues);
	const struct data_image *image;
	struct fake_name name;

	if (code || (params->pMetricValues && evaluate_range(params, &code)))
		return code;
	image = data_image_of(params->pCounterDataImage, params->counterDataImageSize);
	if (!params->pHostObject || !image || !params->pMetricValues)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (params->rangeIndex >= image->populated) {
		fake_violation("%s: sample %zu of %u: the real one reads past the image",
			       __func__, params->rangeIndex, image->populated);
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	for (size_t i = 0; i < params->numMetrics; i++) {
		if (!fake_find(params->ppMetricNames[i], &name))
			return ERROR_INVALID_METRIC_NAME;
		params->pMetricValues[i] =
			evaluate(image, params->rangeIndex, params->ppMetricNames[i], &name);
	}
	return CUPTI_SUCCESS;
}
