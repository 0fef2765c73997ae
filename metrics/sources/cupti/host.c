// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_host.h"
#include "sources/nvml/nvml_messages.h"

static const char *const types[CUPTI_METRIC_TYPE__COUNT] = {
	[CUPTI_METRIC_TYPE_COUNTER] = "counter",
	[CUPTI_METRIC_TYPE_RATIO] = "ratio",
	[CUPTI_METRIC_TYPE_THROUGHPUT] = "throughput",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void host_lock(void)
{
	pthread_mutex_lock(&lock);
}

void host_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

const char *host_type(int type)
{
	return types[type];
}

size_t host_chips(const struct library *library, const char *const **names)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames, .pPriv = NULL);
	int result;

	host_lock();
	result = library->cupti.chips(&params);
	host_unlock();
	if (result)
		return 0;
	*names = params.ppChipNames;
	return params.numChips;
}

int host_object_new(const struct library *library, int type, const char *chip, CUpti_Profiler_Host_Object **object)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_Initialize_Params, pHostObject,
		     .profilerType = type, .pChipName = chip);
	int result = library->cupti.initialize(&params);

	*object = result ? NULL : params.pHostObject;
	return result;
}

static int new_object(const struct library *library, const char *chip,
		      CUpti_Profiler_Host_Object **object, struct gpmu_error *error)
{
	int result = host_object_new(library, CUPTI_PROFILER_TYPE_PM_SAMPLING, chip, object);

	if (result == CUPTI_ERROR_INVALID_CHIP_NAME)
		return fail(error, -EINVAL, "%s: CUPTI of CUDA %d.%d does not know this chip", chip,
			    library->cuda_version / 1000, library->cuda_version % 1000 / 10);
	if (result == CUPTI_ERROR_NOT_SUPPORTED)
		return fail(error, -ENODEV, "%s: CUPTI has no PM sampling of this chip", chip);
	if (result)
		return fail(error, -ENODEV, "%s: CUPTI cannot describe its metrics: %s (%d)%s", chip,
			    library_text(library, result), result,
			    library->perf_handle ? "" : "; there is no libnvperf_host.so beside it");
	return 0;
}

void host_object_free(const struct library *library, CUpti_Profiler_Host_Object *object)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_Deinitialize_Params, pHostObject, .pHostObject = object);

	if (object)
		library->cupti.deinitialize(&params);
}

/* Without memory a member is NULL. */
static int describe(const struct library *library, CUpti_Profiler_Host_Object *object, const char *name,
		    struct host_metric *metric)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetMetricProperties_Params, metricType, .pHostObject = object,
		     .pMetricName = name, .metricType = metric->type);

	if (library->cupti.properties(&params))
		params.pDescription = params.pHwUnit = params.pDimUnit = NULL;
	metric->name = strdup(name);
	metric->type = params.metricType;
	metric->description = strdup(params.pDescription ? params.pDescription : "");
	metric->hw_unit = strdup(params.pHwUnit ? params.pHwUnit : "");
	metric->unit = strdup(params.pDimUnit ? params.pDimUnit : "");
	return metric->name && metric->description && metric->hw_unit && metric->unit ? 0 : -ENOMEM;
}

static void release_metric(struct host_metric *metric)
{
	free(metric->name);
	free(metric->description);
	free(metric->hw_unit);
	free(metric->unit);
}

static int add_metric(struct host *host, const char *name, int type)
{
	struct host_metric *metric = &host->metrics[host->length++];

	*metric = (struct host_metric){ .type = type };
	return describe(host->library, host->object, name, metric);
}

static int by_name(const void *left, const void *right)
{
	const struct host_metric *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int add_type(struct host *host, int type, struct gpmu_error *error)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics, .pHostObject = host->object,
		     .metricType = type);
	int result = host->library->cupti.base_metrics(&params);
	struct host_metric *larger;
	size_t first = host->length;

	if (result)
		return fail(error, -ENODEV, "%s: CUPTI cannot list its metrics: %s (%d)", host->chip,
			    library_text(host->library, result), result);
	if (!params.numMetrics)
		return 0;
	larger = reallocarray(host->metrics, first + params.numMetrics, sizeof(*larger));
	if (!larger)
		return fail_memory(error);
	host->metrics = larger;
	for (size_t i = 0; i < params.numMetrics; i++)
		if (add_metric(host, params.ppMetricNames[i], type))
			return fail_memory(error);
	qsort(host->metrics + first, params.numMetrics, sizeof(*larger), by_name);
	return 0;
}

void host_metrics_free(struct host_metric *metrics, size_t length)
{
	for (size_t i = 0; metrics && i < length; i++)
		release_metric(&metrics[i]);
	free(metrics);
}

void host_free(struct host *host)
{
	if (!host)
		return;
	host_metrics_free(host->metrics, host->length);
	host_lock();
	host_object_free(host->library, host->object);
	host_unlock();
	free(host->chip);
	free(host);
}

int host_new(const struct library *library, const char *chip, struct host **result,
	     struct gpmu_error *error)
{
	struct host *host = calloc(1, sizeof(*host));
	int ret = 0;

	if (!host)
		return fail_memory(error);
	host->library = library;
	host->chip = strdup(chip);
	host->type = CUPTI_PROFILER_TYPE_PM_SAMPLING;
	if (!host->chip)
		ret = fail_memory(error);
	host_lock();
	if (!ret)
		ret = new_object(library, chip, &host->object, error);
	for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT && !ret; type++)
		ret = add_type(host, type, error);
	host_unlock();
	if (ret)
		host_free(host);
	else
		*result = host;
	return ret;
}

size_t host_suffixes(const struct host *host, const struct host_metric *metric,
		     const char *const **suffixes)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics, .pHostObject = host->object,
		     .metricType = metric->type, .pMetricName = metric->name);
	int result;

	host_lock();
	result = host->library->cupti.sub_metrics(&params);
	host_unlock();
	if (result)
		return 0;
	*suffixes = params.ppSubMetrics;
	return params.numOfSubmetrics;
}

static bool has_suffix(const struct host *host, const struct host_metric *metric, const char *suffix)
{
	const char *const *suffixes;
	size_t length = host_suffixes(host, metric, &suffixes);

	for (size_t i = 0; i < length; i++)
		if (!strcmp(suffixes[i], suffix))
			return true;
	return false;
}

/* The suffix may begin at any ".": "CTC.TriageCompute.ctc__rx_bytes.sum.per_second" */
const struct host_metric *host_find(const struct host *host, const char *name, const char **suffix)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t length = (size_t)(dot - name);

		for (size_t i = 0; i < host->length; i++) {
			const struct host_metric *metric = &host->metrics[i];

			if (strncmp(metric->name, name, length) || metric->name[length])
				continue;
			if (!has_suffix(host, metric, dot))
				continue;
			*suffix = dot;
			return metric;
		}
	}
	return NULL;
}

const char *host_suffix(const char *name)
{
	const char *unit = strstr(name, "__");

	return unit ? strchr(unit, '.') : NULL;
}

struct host_metric *host_describe(const struct host *host, const char *const *names, size_t length)
{
	struct host_metric *metrics = calloc(length ? length : 1, sizeof(*metrics));
	CUpti_Profiler_Host_Object *object = NULL;
	bool has_memory = metrics != NULL;

	host_lock();
	host_object_new(host->library, host->type, host->chip, &object);
	for (size_t i = 0; i < length && has_memory && object; i++) {
		const char *suffix = host_suffix(names[i]);
		char *base = strndup(names[i], suffix ? (size_t)(suffix - names[i]) : strlen(names[i]));

		has_memory = base && !describe(host->library, object, base, &metrics[i]);
		free(base);
	}
	host_object_free(host->library, object);
	host_unlock();
	if (has_memory && object)
		return metrics;
	host_metrics_free(metrics, length);
	return NULL;
}
