// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog_key.h"

/* All keys of Linux 6.1 to 7.3, sorted by name */
static const struct catalog_key_info keys[] = {
	{ "AggregationMode", KIND_IGNORED, 0 },
	{ "AnyThread", KIND_LINE, KEY_ANY_THREAD },
	{ "ArchStdEvent", KIND_LINE, KEY_ARCH_STD_EVENT },
	{ "BriefDescription", KIND_TEXT, KEY_BRIEF_DESCRIPTION },
	{ "CollectPEBSRecord", KIND_IGNORED, 0 },
	{ "Compat", KIND_LINE, KEY_COMPAT },
	{ "ConfigCode", KIND_LINE, KEY_CONFIG_CODE },
	{ "Counter", KIND_IGNORED, 0 },
	{ "CounterHTOff", KIND_IGNORED, 0 },
	{ "CounterMask", KIND_LINE, KEY_COUNTER_MASK },
	{ "CounterType", KIND_IGNORED, 0 },
	{ "CountersNumFixed", KIND_IGNORED, 0 },
	{ "CountersNumGeneric", KIND_IGNORED, 0 },
	{ "Data_LA", KIND_IGNORED, 0 },
	{ "DefaultMetricgroupName", KIND_IGNORED, 0 },
	{ "DefaultShowEvents", KIND_IGNORED, 0 },
	{ "Deprecated", KIND_IGNORED, 0 },
	{ "ELLC", KIND_IGNORED, 0 },
	{ "EdgeDetect", KIND_LINE, KEY_EDGE_DETECT },
	{ "EnAllCores", KIND_LINE, KEY_EN_ALL_CORES },
	{ "EnAllSlices", KIND_LINE, KEY_EN_ALL_SLICES },
	{ "Errata", KIND_IGNORED, 0 },
	{ "EventCode", KIND_LINE, KEY_EVENT_CODE },
	{ "EventName", KIND_LINE, KEY_EVENT_NAME },
	{ "EventidCode", KIND_LINE, KEY_EVENTID_CODE },
	{ "Experimental", KIND_IGNORED, 0 },
	{ "ExtSel", KIND_LINE, KEY_EXT_SEL },
	{ "FCMask", KIND_LINE, KEY_FC_MASK },
	{ "Filter", KIND_LINE, KEY_FILTER },
	{ "Invert", KIND_LINE, KEY_INVERT },
	{ "L1_Hit_Indication", KIND_IGNORED, 0 },
	{ "LegacyCacheCode", KIND_LINE, KEY_LEGACY_CACHE_CODE },
	{ "LegacyConfigCode", KIND_LINE, KEY_LEGACY_CONFIG_CODE },
	{ "MSRIndex", KIND_LINE, KEY_MSR_INDEX },
	{ "MSRValue", KIND_LINE, KEY_MSR_VALUE },
	{ "MetricConstraint", KIND_LINE, KEY_METRIC_CONSTRAINT },
	{ "MetricExpr", KIND_TEXT, KEY_METRIC_EXPR },
	{ "MetricGroup", KIND_TEXT, KEY_METRIC_GROUP },
	{ "MetricName", KIND_LINE, KEY_METRIC_NAME },
	{ "MetricThreshold", KIND_TEXT, KEY_METRIC_THRESHOLD },
	{ "MetricgroupNoGroup", KIND_IGNORED, 0 },
	{ "NodeType", KIND_LINE, KEY_NODE_TYPE },
	{ "Offcore", KIND_IGNORED, 0 },
	{ "PDIR_COUNTER", KIND_IGNORED, 0 },
	{ "PEBS", KIND_IGNORED, 0 },
	{ "PEBScounters", KIND_IGNORED, 0 },
	{ "PRECISE_STORE", KIND_IGNORED, 0 },
	{ "PerPkg", KIND_IGNORED, 0 },
	{ "PortMask", KIND_LINE, KEY_PORT_MASK },
	{ "PublicDescription", KIND_TEXT, KEY_PUBLIC_DESCRIPTION },
	{ "RdWrMask", KIND_LINE, KEY_RD_WR_MASK },
	{ "RetirementLatencyMax", KIND_IGNORED, 0 },
	{ "RetirementLatencyMean", KIND_IGNORED, 0 },
	{ "RetirementLatencyMin", KIND_IGNORED, 0 },
	{ "SampleAfterValue", KIND_LINE, KEY_SAMPLE_AFTER_VALUE },
	{ "ScaleUnit", KIND_LINE, KEY_SCALE_UNIT },
	{ "SliceId", KIND_LINE, KEY_SLICE_ID },
	{ "Speculative", KIND_IGNORED, 0 },
	{ "TakenAlone", KIND_IGNORED, 0 },
	{ "ThreadMask", KIND_LINE, KEY_THREAD_MASK },
	{ "UMask", KIND_LINE, KEY_UMASK },
	{ "UMaskExt", KIND_IGNORED, 0 },
	{ "Unit", KIND_LINE, KEY_UNIT },
};

#define N_KEYS	ARRAY_SIZE(keys)

static int compare_key(const void *name, const void *key)
{
	return strcmp(name, ((const struct catalog_key_info *)key)->name);
}

const struct catalog_key_info *catalog_key_find(const char *name)
{
	return bsearch(name, keys, N_KEYS, sizeof(keys[0]), compare_key);
}

const char *catalog_key_name(enum catalog_key key)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (keys[i].kind != KIND_IGNORED && keys[i].key == key)
			break;
	return i < N_KEYS ? keys[i].name : "";
}
