// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of CUPTI's SASS Metrics API, with what an H200 does under CUDA 13.0. A launched kernel has as many instructions as its
 * name has letters; each executes once, with 32 threads. A kernel with "ld" in its name also has a load of global memory. Like
 * the real API it returns success where it has no data: without a subscriber to all callbacks about resources only the first
 * function is counted, and beside CONCURRENT_KERNEL all values are 0. Only the granularity of the GPU has right values.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity_fake.h"
#include "cupti.h"
#include "sass/sass_api.h"

#define CONTEXTS	16
#define FUNCTIONS	64
#define METRICS		64
#define DEVICES		8
#define SMS		132	/* of GH100 */
#define SMSPS		528

enum { OPERATION = 7, UNCONFIGURED = 15, UNKNOWN = 999 };

struct function {
	char name[64];
	uint64_t launches;	/* since the last flush */
};

static struct {
	char name[96];
	uint64_t id;
	enum { INSTRUCTIONS, THREADS, LOADS, OTHER } what;
} metrics[METRICS];

static struct context {
	bool is_enabled;
	uint32_t device;
	struct function functions[FUNCTIONS];
	size_t function_count;
} contexts[CONTEXTS];

static struct {
	bool is_configured;
	size_t instances;	/* of a value, by the granularity */
	size_t chosen[METRICS], length;
} devices[DEVICES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t metric_count;

static void read_metrics(void)
{
	FILE *file = fake_open_data("sass_metrics.tsv");
	char line[256];

	while (fgets(line, sizeof(line), file) && metric_count < METRICS) {
		const char *name = metrics[metric_count].name;

		if (*line == '#' || sscanf(line, "%95s %lu", metrics[metric_count].name, &metrics[metric_count].id) != 2)
			continue;
		metrics[metric_count++].what = !strcmp(name, "smsp__sass_inst_executed") ? INSTRUCTIONS :
					       !strcmp(name, "smsp__sass_thread_inst_executed") ? THREADS :
					       !strcmp(name, "smsp__sass_inst_executed_op_global_ld") ? LOADS : OTHER;
	}
	fclose(file);
}

static void prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_metrics);
}

static struct context *context_of(const void *handle)
{
	const uintptr_t id = (uintptr_t)handle;
	uint32_t device;

	if (!id || id > CONTEXTS || cuptiGetDeviceId((void *)id, &device))
		return NULL;
	contexts[id - 1].device = device;
	return &contexts[id - 1];
}

PUBLIC int cuptiSassMetricsGetNumOfMetrics(CUpti_SassMetrics_GetNumOfMetrics_Params *params)
{
	int code = ENTER(params, numOfMetrics);

	prepare();
	params->numOfMetrics = metric_count;
	return code;
}

PUBLIC int cuptiSassMetricsGetMetrics(CUpti_SassMetrics_GetMetrics_Params *params)
{
	int code = ENTER(params, pMetricsList);

	if (code || params->numOfMetrics != metric_count)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; i < metric_count; i++)
		params->pMetricsList[i] = (CUpti_SassMetrics_MetricDetails){ metrics[i].id, metrics[i].name, "" };
	return 0;
}

PUBLIC int cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *params)
{
	int code = ENTER(params, metric);

	prepare();
	for (size_t i = 0; i < metric_count && !code; i++)
		if (!strcmp(metrics[i].name, params->pMetricName)) {
			params->metric = (CUpti_SassMetrics_MetricDetails){ metrics[i].id, metrics[i].name, "" };
			return 0;
		}
	return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *params)
{
	static const size_t instances[] = { [CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU] = 1, SMS, SMSPS };
	int code = ENTER(params, deviceIndex);
	typeof(&devices[0]) device = &devices[params->deviceIndex % DEVICES];

	if (code || device->is_configured)
		return code ? code : OPERATION;
	device->is_configured = true;
	for (size_t i = 0; i < params->numOfMetricConfig; i++) {
		size_t metric = 0;

		while (metric < metric_count && metrics[metric].id != params->pConfigs[i].metricId)
			metric++;
		if (metric == metric_count)
			return UNKNOWN;
		if (params->pConfigs[i].outputGranularity >= sizeof(instances) / sizeof(*instances))
			return CUPTI_ERROR_INVALID_PARAMETER;
		device->instances = instances[params->pConfigs[i].outputGranularity];
		device->chosen[device->length++] = metric;
	}
	return 0;
}

PUBLIC int cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
	int code = ENTER(params, enableLazyPatching);
	struct context *context = context_of(params->ctx);

	if (code || !context)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	if (!devices[context->device % DEVICES].is_configured)
		return UNCONFIGURED;
	if (context->is_enabled)
		return OPERATION;
	if (!params->enableLazyPatching)
		fake_violation("%s: functions that are loaded later have no records", __func__);
	context->is_enabled = true;
	fake_count("sass", 1);
	return 0;
}

/* Instructions of a function that a metric has records of */
static size_t instructions(const struct function *function, size_t metric)
{
	if (metrics[metric].what == OTHER)
		return 0;
	return metrics[metric].what == LOADS ? strstr(function->name, "ld") != NULL : strlen(function->name);
}

static size_t count_records(const struct context *context)
{
	const typeof(devices[0]) *device = &devices[context->device % DEVICES];
	size_t records = 0;

	for (size_t i = 0; i < context->function_count; i++)
		for (size_t m = 0; m < device->length && context->functions[i].launches; m++)
			records += instructions(&context->functions[i], device->chosen[m]);
	return records;
}

PUBLIC int cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *params)
{
	int code = ENTER(params, numOfInstances);
	const struct context *context = context_of(params->ctx);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	params->numOfPatchedInstructionRecords = count_records(context);
	params->numOfInstances = devices[context->device % DEVICES].instances;
	return 0;
}

/* All instances have the value of the last one, as in CUPTI 13.0. The fake's kernels have a single warp, on the first one. */
static void fill(CUpti_SassMetrics_Data *record, struct function *function, size_t instances, size_t metric, size_t instruction)
{
	const uint64_t threads = metrics[metric].what == THREADS ? 32 : 1;

	record->cubinCrc = pc_sampling_last_module();
	record->functionName = function->name;
	record->pcOffset = (uint32_t)(16 * instruction);
	for (size_t i = 0; i < instances; i++)
		record->pInstanceValues[i] = (CUpti_SassMetrics_InstanceValue){ metrics[metric].id, 0 };
	if (instances == 1 && !activity_is_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
		record->pInstanceValues[0].value = (function->launches + (uint64_t)fake_options()->sass_more) * threads;
}

PUBLIC int cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *params)
{
	const size_t size = SIZE_MIN(params, numOfInstances);
	int code = fake_enter(__func__);
	struct context *context = context_of(params->ctx);
	CUpti_SassMetrics_Data *record = params->pMetricsData;

	if (code || !context || params->structSize != size || record->structSize != size)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	if (!context->is_enabled)
		return OPERATION;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < context->function_count; i++) {
		const typeof(devices[0]) *device = &devices[context->device % DEVICES];
		struct function *function = &context->functions[i];

		for (size_t m = 0; m < device->length && function->launches; m++)
			for (size_t k = 0; k < instructions(function, device->chosen[m]); k++)
				fill(record++, function, device->instances, device->chosen[m], k);
		function->launches = 0;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

PUBLIC int cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params *params)
{
	int code = ENTER(params, numOfDroppedRecords);
	struct context *context = context_of(params->ctx);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	params->numOfDroppedRecords = count_records(context) + (size_t)fake_options()->sass_drop;
	context->is_enabled = false;
	fake_count("sass", -1);
	return 0;
}

/* Each line has two instructions. */
PUBLIC int cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams *params)
{
	int code = fake_enter(__func__);

	if (code || !params->cubin || !params->cubinSize || params->size != sizeof(*params))
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	params->fileName = strdup("fake.cu");
	params->dirName = strdup("src");
	params->lineNumber = 10 + (uint32_t)params->pcOffset / 32;
	return 0;
}

bool sass_is_enabled(void)
{
	for (size_t i = 0; i < CONTEXTS; i++)
		if (contexts[i].is_enabled)
			return true;
	return false;
}

/* Returns the function, which is added; NULL: CUPTI does not see it */
static struct function *find(struct context *context, const char *kernel)
{
	struct function *function = context->functions;

	while (function < context->functions + context->function_count && strcmp(function->name, kernel) != 0)
		function++;
	if (function < context->functions + context->function_count)
		return function;
	if (context->function_count == FUNCTIONS ||
	    (context->function_count && (!activity_has_domain(CUPTI_CB_DOMAIN_RESOURCE) || fake_options()->sass_first)))
		return NULL;
	snprintf(function->name, sizeof(function->name), "%s", kernel);
	context->function_count++;
	return function;
}

void sass_launch_kernel(const void *handle, const char *kernel)
{
	struct context *context = &contexts[((uintptr_t)handle - 1) % CONTEXTS];
	struct function *function;

	if (!context->is_enabled)
		return;
	pthread_mutex_lock(&lock);
	function = find(context, kernel);
	if (function)
		function->launches++;
	pthread_mutex_unlock(&lock);
}
