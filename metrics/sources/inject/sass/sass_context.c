// SPDX-License-Identifier: LGPL-2.1-or-later
/* SASS metrics of a context. CUPTI takes one configuration of a device in the life of a process, with all metrics in it. */
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_nearest.h"
#include "sass/sass.h"

static bool check(struct inject *self, const char *call, int code)
{
	const char *text = NULL;

	if (!code)
		return true;
	if (self->api.text(code, &text) || !text)
		text = "an unknown error";
	output_note(self, ACTIVITY_WARNING, "SASS metrics are not counted: %s returned %d, %s%s", call, code, text,
		    code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ?
			    ": run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0" : "");
	return false;
}

static const char *find_chip(struct inject *self, const struct sass_api *api, uint32_t device)
{
	CUPTI_PARAMS(init, CUpti_Profiler_Initialize_Params, pPriv);
	CUPTI_PARAMS(chip, CUpti_Device_GetChipName_Params, pChipName, .deviceIndex = device);

	if (!check(self, "cuptiProfilerInitialize", api->init(&init)) || !check(self, "cuptiDeviceGetChipName", api->chip(&chip)))
		return NULL;
	return chip.pChipName;
}

/* The chip's metric of the most similar name, owned by CUPTI; NULL: none is similar. */
static const char *find_nearest(const struct sass_api *api, const char *chip, const char *name)
{
	CUPTI_PARAMS(count, CUpti_SassMetrics_GetNumOfMetrics_Params, numOfMetrics, .pChipName = chip);
	CUPTI_PARAMS(params, CUpti_SassMetrics_GetMetrics_Params, pMetricsList, .pChipName = chip);
	struct nearest nearest;

	gpmu_nearest_init(&nearest, name);
	if (!api->count(&count))
		params.pMetricsList = calloc(count.numOfMetrics, sizeof(*params.pMetricsList));
	params.numOfMetrics = count.numOfMetrics;
	if (params.pMetricsList && !api->list(&params))
		for (size_t i = 0; i < params.numOfMetrics; i++)
			gpmu_nearest_try(&nearest, params.pMetricsList[i].pMetricName);
	free(params.pMetricsList);
	return nearest.name;
}

static bool find_metric(struct inject *self, const struct sass_api *api, const char *chip, const char *name, uint64_t *id)
{
	CUPTI_PARAMS(params, CUpti_SassMetrics_GetProperties_Params, metric, .pChipName = chip, .pMetricName = name);
	int code = api->properties(&params);
	const char *nearest;

	*id = params.metric.metricId;
	if (!code)
		return true;
	nearest = find_nearest(api, chip, name);
	output_note(self, ACTIVITY_WARNING, "SASS metrics are not counted: %s has no SASS metric %.100s (CUPTI's error %d)%s%.100s%s", chip,
		    name, code, nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
	return false;
}

static bool set_config(struct inject *self, const struct sass_api *api, uint32_t device, const uint64_t *ids, size_t length)
{
	CUpti_SassMetrics_Config *list = calloc(length, sizeof(*list));
	CUPTI_PARAMS(params, CUpti_SassMetricsSetConfig_Params, deviceIndex, .numOfMetricConfig = length, .pConfigs = list,
		     .deviceIndex = device);
	bool is_set;

	/* With the granularities of multiprocessors and their sub-partitions CUPTI 13.0 gives all instances the value of one. */
	for (size_t i = 0; list && i < length; i++)
		list[i] = (CUpti_SassMetrics_Config){ ids[i], CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU };
	is_set = list && check(self, "cuptiSassMetricsSetConfig", api->configure(&params));
	free(list);
	return is_set;
}

uint64_t *sass_configure(struct inject *self, const struct sass_api *api, uint32_t device)
{
	const size_t length = self->control->ranges.metric_count;
	const char *name = self->control->ranges.metrics, *chip = find_chip(self, api, device);
	uint64_t *ids = chip ? calloc(length, sizeof(*ids)) : NULL;
	bool has_all = ids;

	for (size_t i = 0; i < length && has_all; i++, name += strlen(name) + 1)
		has_all = find_metric(self, api, chip, name, &ids[i]);
	if (has_all && set_config(self, api, device, ids, length))
		return ids;
	free(ids);
	return NULL;
}

bool sass_context_begin(struct inject *self, const struct sass_api *api, struct sass_context *context)
{
	CUPTI_PARAMS(params, CUpti_SassMetricsEnable_Params, enableLazyPatching, .ctx = context->handle, .enableLazyPatching = 1);

	if (context->state != SASS_NEW)
		return false;
	context->state = check(self, "cuptiSassMetricsEnable", api->enable(&params)) ? SASS_ENABLED : SASS_ENDED;
	return context->state == SASS_ENABLED;
}

/* Adds the values of a metric of the record, of which there are none or @instances. */
static void add_values(const struct inject *self, const CUpti_SassMetrics_Data *record, const char *part, uint64_t id,
		       size_t metric, size_t instances)
{
	bool has_values = false;
	double sum = 0;

	for (size_t i = 0; i < instances; i++) {
		if (record->pInstanceValues[i].metricId != id)
			continue;
		has_values = true;
		sum += (double)record->pInstanceValues[i].value;
	}
	if (has_values)
		sass_functions_add(self, &(struct sass_value){
			record->functionName ? record->functionName : "", part, !record->pcOffset, metric, sum,
		});
}

static void add_record(struct inject *self, const struct sass_api *api, const struct sass_context *context,
		       const CUpti_SassMetrics_Data *record, size_t instances)
{
	char part[SASS_PART];

	sass_parts_instruction(self, api, record, part, sizeof(part));
	for (size_t metric = 0; metric < self->control->ranges.metric_count; metric++)
		add_values(self, record, part, context->ids[metric], metric, instances);
}

/* Fetches and adds @records, for which there are buffers. */
static bool fetch(struct inject *self, const struct sass_api *api, const struct sass_context *context,
		  CUpti_SassMetrics_Data *list, CUpti_SassMetrics_InstanceValue *values, size_t records, size_t instances)
{
	CUPTI_PARAMS(params, CUpti_SassMetricsFlushData_Params, numOfInstances, .ctx = context->handle,
		     .numOfPatchedInstructionRecords = records, .numOfInstances = instances, .pMetricsData = list);

	for (size_t i = 0; i < records; i++) {
		list[i].structSize = params.structSize;
		list[i].pInstanceValues = values + i * instances;
	}
	if (!check(self, "cuptiSassMetricsFlushData", api->flush(&params)))
		return false;
	for (size_t i = 0; i < records; i++)
		add_record(self, api, context, &list[i], instances);
	return true;
}

void sass_context_flush(struct inject *self, const struct sass_api *api, struct sass_context *context)
{
	CUPTI_PARAMS(size, CUpti_SassMetricsGetDataProperties_Params, numOfInstances, .ctx = context->handle);
	CUpti_SassMetrics_InstanceValue *values;
	CUpti_SassMetrics_Data *list;
	size_t records;

	if (context->state != SASS_ENABLED)
		return;
	if (!check(self, "cuptiSassMetricsGetDataProperties", api->size(&size))) {
		context->state = SASS_ENDED;
		return;
	}
	records = size.numOfPatchedInstructionRecords;
	if (!records || !size.numOfInstances || records > SIZE_MAX / size.numOfInstances)
		return;
	list = calloc(records, sizeof(*list));
	values = calloc(records * size.numOfInstances, sizeof(*values));
	if (!list || !values)
		output_note(self, ACTIVITY_WARNING, "SASS metrics are not counted: no memory for %zu instructions", records);
	else if (!fetch(self, api, context, list, values, records, size.numOfInstances))
		context->state = SASS_ENDED;
	free(list);
	free(values);
}

size_t sass_context_end(struct inject *self, const struct sass_api *api, struct sass_context *context)
{
	CUPTI_PARAMS(params, CUpti_SassMetricsDisable_Params, numOfDroppedRecords, .ctx = context->handle);
	void *handle = context->handle;
	const bool is_pushed = !api->push(handle);

	/* A kernel that still runs would be missing. */
	if (is_pushed)
		api->wait();
	sass_context_flush(self, api, context);
	if (context->state == SASS_ENABLED && !check(self, "cuptiSassMetricsDisable", api->disable(&params)))
		params.numOfDroppedRecords = 1;
	context->state = SASS_ENDED;
	if (is_pushed)
		api->pop(&handle);
	return params.numOfDroppedRecords;
}
