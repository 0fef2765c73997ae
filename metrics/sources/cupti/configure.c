// SPDX-License-Identifier: LGPL-2.1-or-later
/* Configurations by the Profiler Host API, and the evaluation of images. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_host.h"
#include "sources/nvml/nvml_messages.h"

#define TRIES_MAX	400	/* of host_drop(), some 2 ms each */

/* Adds all metrics by one call: CUPTI gives each call's metrics passes of their own. */
static int add_metrics(const struct library *library, CUpti_Profiler_Host_Object *object,
		       const char *const *names, size_t length)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics, .pHostObject = object,
		     .ppMetricNames = (const char **)names, .numMetrics = length);

	return library->cupti.add_metrics(&params);
}

static int get_image(const struct library *library, CUpti_Profiler_Host_Object *object,
		     struct host_config *config)
{
	CUPTI_PARAMS(size, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize, .pHostObject = object);
	CUPTI_PARAMS(image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage, .pHostObject = object);
	int result = library->cupti.config_size(&size);

	if (result)
		return result;
	config->size = image.configImageSize = size.configImageSize;
	config->image = image.pConfigImage = malloc(config->size);
	return config->image ? library->cupti.config(&image) : CUPTI_ERROR_OUT_OF_MEMORY;
}

static int get_passes(const struct library *library, struct host_config *config)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses, .configImageSize = config->size,
		     .pConfigImage = config->image);
	int result = library->cupti.passes(&params);

	config->passes = params.numOfPasses;
	return result;
}

/* Each configuration gets a new object, because a failed configuration makes its object unusable. */
int host_configure(const struct host *host, const char *const *names, size_t length,
		   struct host_config *config, struct gpmu_error *error)
{
	const struct library *library = host->library;
	CUpti_Profiler_Host_Object *object;
	int result;

	*config = (struct host_config){ 0 };
	host_lock();
	result = host_object_new(host->library, host->type, host->chip, &object);
	if (!result)
		result = add_metrics(library, object, names, length);
	if (!result)
		result = get_image(library, object, config);
	if (!result)
		result = get_passes(library, config);
	host_object_free(library, object);
	host_unlock();
	if (!result)
		return 0;
	if (!config->image && config->size)
		return fail_memory(error);
	if (length == 1 && result == CUPTI_ERROR_INVALID_PARAMETER && host->type == CUPTI_PROFILER_TYPE_RANGE_PROFILER)
		return fail(error, -EINVAL, "%s: %s has no such metric, or ranges cannot count it: %s (%d)", names[0], host->chip,
			    library_text(library, result), result);
	return fail(error, -EINVAL, "%s%s: CUPTI cannot configure %s for %s: %s (%d)", names[0],
		    length > 1 ? " and others" : "", length > 1 ? "them" : "it",
		    host->type == CUPTI_PROFILER_TYPE_PM_SAMPLING ? "PM sampling" : "ranges",
		    library_text(library, result), result);
}

void host_config_release(struct host_config *config)
{
	free(config->image);
	*config = (struct host_config){ 0 };
}

/* A search for metrics to leave out */
struct drop {
	const struct host *host;
	const char *const *names;
	size_t length;
	bool *is_dropped;
	const char **rest;	/* room for names */
	size_t tries;
	struct gpmu_error *error;
};

/* Returns whether the metrics that are not dropped fit into one pass: 1, 0 or -errno. */
static int fits(struct drop *search)
{
	struct host_config config;
	size_t length = 0;
	int ret;

	for (size_t i = 0; i < search->length; i++)
		if (!search->is_dropped[i])
			search->rest[length++] = search->names[i];
	if (!length)
		return 1;
	search->tries++;
	ret = host_configure(search->host, search->rest, length, &config, search->error);
	if (!ret)
		ret = config.passes <= 1;
	host_config_release(&config);
	return ret;
}

/* Drops the metrics that do not fit even alone; returns their number or -errno */
static int drop_alone(struct drop *search)
{
	int dropped = 0;

	for (size_t i = 0; i < search->length; i++) {
		struct host_config config;
		int ret = host_configure(search->host, &search->names[i], 1, &config, search->error);

		search->is_dropped[i] = config.passes > 1;
		dropped += search->is_dropped[i];
		host_config_release(&config);
		if (ret)
			return ret;
	}
	return dropped;
}

/* Drops @count more of the metrics below @end; returns whether the rest fits: 1, 0 or -errno */
static int drop_more(struct drop *search, size_t count, size_t end)
{
	int ret = 0;

	if (!count)
		return fits(search);
	for (size_t i = end; i-- > 0 && !ret && search->tries < TRIES_MAX;) {
		if (search->is_dropped[i])
			continue;
		search->is_dropped[i] = true;
		ret = drop_more(search, count - 1, i);
		if (!ret)
			search->is_dropped[i] = false;
	}
	return ret;
}

/* Keeps each metric in turn that fits with those kept before; returns their number or -errno */
static int take_in_turn(struct drop *search, bool is_backwards)
{
	int ret = 0, taken = 0;

	for (size_t i = 0; i < search->length; i++)
		search->is_dropped[i] = true;
	for (size_t i = 0; i < search->length && ret >= 0; i++) {
		size_t place = is_backwards ? search->length - 1 - i : i;

		search->is_dropped[place] = false;
		ret = fits(search);
		search->is_dropped[place] = ret != 1;
		taken += ret == 1;
	}
	return ret < 0 ? ret : taken;
}

/* For too many combinations: tries both directions */
static int drop_many(struct drop *search)
{
	int forwards = take_in_turn(search, false), backwards = 0;

	if (forwards >= 0)
		backwards = take_in_turn(search, true);
	if (backwards >= 0 && forwards > backwards)
		forwards = take_in_turn(search, false);
	return forwards < 0 || backwards < 0 ? -EINVAL : 1;
}

int host_drop(const struct host *host, const char *const *names, size_t length, bool *is_dropped,
	      struct gpmu_error *error)
{
	struct drop search = { .host = host, .names = names, .length = length, .is_dropped = is_dropped,
			       .error = error };
	int ret, size = 0;

	search.rest = calloc(length, sizeof(*search.rest));
	if (!search.rest)
		return fail_memory(error);
	ret = drop_alone(&search);
	if (ret >= 0)
		ret = fits(&search);
	for (size_t count = 1; !ret && count < length && search.tries < TRIES_MAX; count++)
		ret = drop_more(&search, count, length);
	if (!ret)
		ret = drop_many(&search);
	free(search.rest);
	for (size_t i = 0; i < length; i++)
		size += is_dropped[i];
	return ret < 0 ? ret : size;
}

int evaluator_init(struct evaluator *evaluator, const struct host *host, const char *const *names,
		   size_t length, struct gpmu_error *error)
{
	int result;

	*evaluator = (struct evaluator){ .library = host->library, .length = length,
					 .names = (const char **)names };
	host_lock();
	result = host_object_new(host->library, host->type, host->chip, &evaluator->object);
	if (!result)
		result = add_metrics(host->library, evaluator->object, names, length);
	host_unlock();
	if (result)
		return fail(error, -EINVAL, "%s: CUPTI cannot evaluate it: %s (%d)", names[0],
			    library_text(host->library, result), result);
	return 0;
}

void evaluator_release(struct evaluator *evaluator)
{
	host_lock();
	host_object_free(evaluator->library, evaluator->object);
	host_unlock();
	*evaluator = (struct evaluator){ 0 };
}

int evaluator_values(const struct evaluator *evaluator, const uint8_t *image, size_t size,
		     size_t index, double *values)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues,
		     .pHostObject = evaluator->object, .pCounterDataImage = image, .counterDataImageSize = size,
		     .rangeIndex = index, .ppMetricNames = evaluator->names, .numMetrics = evaluator->length,
		     .pMetricValues = values);

	return evaluator->library->cupti.evaluate(&params);
}

int host_samples(const struct library *library, const uint8_t *image, size_t size, size_t *samples)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples,
		     .pCounterDataImage = image, .counterDataImageSize = size);
	int result = library->cupti.data_info(&params);

	/* Not numCompletedSamples, which is 0 if the unit of any metric is absent. */
	*samples = result ? 0 : params.numPopulatedSamples;
	return result;
}
