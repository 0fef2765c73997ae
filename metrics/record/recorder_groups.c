// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of counters of a GPU in Perfetto: of metrics by their groups, of events by the part of the chip. */
#include <string.h>

#include "base/array.h"
#include "plan/plan.h"
#include "record/recorder.h"

struct rule {
	const char *name;	/* of a group of metrics, or the begin of an event's name */
	enum gpmu_trace_group group;
};

static const struct rule metric_rules[] = {
	{ "gpu_memory", GPMU_TRACE_MEMORY }, { "gpu_sm", GPMU_TRACE_COMPUTE }, { "gpu_occupancy", GPMU_TRACE_COMPUTE },
	{ "gpu_c2c", GPMU_TRACE_SYSTEM }, { "gpu_pcie", GPMU_TRACE_SYSTEM }, { "gpu_nvlink", GPMU_TRACE_SYSTEM },
	{ "gpu_frequency", GPMU_TRACE_SYSTEM }, { "gpu_utilization", GPMU_TRACE_COMPUTE },
};

static const struct rule event_rules[] = {
	{ "sm__", GPMU_TRACE_COMPUTE }, { "smsp__", GPMU_TRACE_COMPUTE }, { "gpc__", GPMU_TRACE_COMPUTE },
	{ "tpc__", GPMU_TRACE_COMPUTE }, { "gr__", GPMU_TRACE_COMPUTE }, { "gpu__", GPMU_TRACE_COMPUTE },
	{ "dram__", GPMU_TRACE_MEMORY }, { "fbpa__", GPMU_TRACE_MEMORY }, { "lts__", GPMU_TRACE_MEMORY },
	{ "l1tex__", GPMU_TRACE_MEMORY }, { "ltc__", GPMU_TRACE_MEMORY }, { "pcie__", GPMU_TRACE_SYSTEM },
	{ "ctc__", GPMU_TRACE_SYSTEM }, { "nvl", GPMU_TRACE_SYSTEM },
};

static enum gpmu_trace_group group_of_metric(const struct gpmu_metric *metric)
{
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(metric_rules); i++)
		for (size_t k = 0; (name = gpmu_metric_group(metric, k)); k++)
			if (!strcmp(name, metric_rules[i].name))
				return metric_rules[i].group;
	return GPMU_TRACE_UNCLASSIFIED;
}

/*
 * @name: "nvidia_gpu/dram__bytes_read.sum/", with a unit and a trigger
 * "nvidia_gpu/CTC.TriageCompute.ctc__rx_bytes.sum/"
 */
static enum gpmu_trace_group group_of_event(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_rules); i++) {
		const char *begin = strstr(name, event_rules[i].name);

		if (begin > name && (begin[-1] == '/' || begin[-1] == '.'))
			return event_rules[i].group;
	}
	return GPMU_TRACE_UNCLASSIFIED;
}

enum gpmu_trace_group recorder_group(const struct gpmu_plan *plan, const struct gpmu_row *row, const char **description)
{
	*description = NULL;
	if (!row->metric)
		return group_of_event(row->name);
	for (size_t i = 0; i < plan->metric_count; i++) {
		const struct plan_metric *metric = &plan->metrics[i];

		if (strcmp(metric->label, row->name) != 0 || !metric->metric)
			continue;
		*description = gpmu_metric_description(metric->metric);
		return group_of_metric(metric->metric);
	}
	return GPMU_TRACE_UNCLASSIFIED;
}
