// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog_key.h"

/* All keys of Linux 6.1 to 7.3, sorted by name */
static const struct catalog_key_info keys[] = {
	{ .name = "AggregationMode", .kind = KIND_IGNORED },
	{ .name = "AnyThread", .kind = KIND_LINE, .key = KEY_ANY_THREAD },
	{ .name = "ArchStdEvent", .kind = KIND_LINE, .key = KEY_ARCH_STD_EVENT },
	{ .name = "BriefDescription", .kind = KIND_TEXT, .key = KEY_BRIEF_DESCRIPTION },
	{ .name = "CollectPEBSRecord", .kind = KIND_IGNORED },
	{ .name = "Compat", .kind = KIND_LINE, .key = KEY_COMPAT },
	{ .name = "ConfigCode", .kind = KIND_LINE, .key = KEY_CONFIG_CODE },
	{ .name = "Counter", .kind = KIND_IGNORED },
	{ .name = "CounterHTOff", .kind = KIND_IGNORED },
	{ .name = "CounterMask", .kind = KIND_LINE, .key = KEY_COUNTER_MASK },
	{ .name = "CounterType", .kind = KIND_IGNORED },
	{ .name = "CountersNumFixed", .kind = KIND_IGNORED },
	{ .name = "CountersNumGeneric", .kind = KIND_IGNORED },
	{ .name = "Data_LA", .kind = KIND_IGNORED },
	{ .name = "DefaultMetricgroupName", .kind = KIND_IGNORED },
	{ .name = "DefaultShowEvents", .kind = KIND_IGNORED },
	{ .name = "Deprecated", .kind = KIND_IGNORED },
	{ .name = "ELLC", .kind = KIND_IGNORED },
	{ .name = "EdgeDetect", .kind = KIND_LINE, .key = KEY_EDGE_DETECT },
	{ .name = "EnAllCores", .kind = KIND_LINE, .key = KEY_EN_ALL_CORES },
	{ .name = "EnAllSlices", .kind = KIND_LINE, .key = KEY_EN_ALL_SLICES },
	{ .name = "Errata", .kind = KIND_IGNORED },
	{ .name = "EventCode", .kind = KIND_LINE, .key = KEY_EVENT_CODE },
	{ .name = "EventName", .kind = KIND_LINE, .key = KEY_EVENT_NAME },
	{ .name = "EventidCode", .kind = KIND_LINE, .key = KEY_EVENTID_CODE },
	{ .name = "Experimental", .kind = KIND_IGNORED },
	{ .name = "ExtSel", .kind = KIND_LINE, .key = KEY_EXT_SEL },
	{ .name = "FCMask", .kind = KIND_LINE, .key = KEY_FC_MASK },
	{ .name = "Filter", .kind = KIND_LINE, .key = KEY_FILTER },
	{ .name = "Invert", .kind = KIND_LINE, .key = KEY_INVERT },
	{ .name = "L1_Hit_Indication", .kind = KIND_IGNORED },
	{ .name = "LegacyCacheCode", .kind = KIND_LINE, .key = KEY_LEGACY_CACHE_CODE },
	{ .name = "LegacyConfigCode", .kind = KIND_LINE, .key = KEY_LEGACY_CONFIG_CODE },
	{ .name = "MSRIndex", .kind = KIND_LINE, .key = KEY_MSR_INDEX },
	{ .name = "MSRValue", .kind = KIND_LINE, .key = KEY_MSR_VALUE },
	{ .name = "MetricConstraint", .kind = KIND_LINE, .key = KEY_METRIC_CONSTRAINT },
	{ .name = "MetricExpr", .kind = KIND_TEXT, .key = KEY_METRIC_EXPR },
	{ .name = "MetricGroup", .kind = KIND_TEXT, .key = KEY_METRIC_GROUP },
	{ .name = "MetricName", .kind = KIND_LINE, .key = KEY_METRIC_NAME },
	{ .name = "MetricThreshold", .kind = KIND_TEXT, .key = KEY_METRIC_THRESHOLD },
	{ .name = "MetricgroupNoGroup", .kind = KIND_IGNORED },
	{ .name = "NodeType", .kind = KIND_LINE, .key = KEY_NODE_TYPE },
	{ .name = "Offcore", .kind = KIND_IGNORED },
	{ .name = "PDIR_COUNTER", .kind = KIND_IGNORED },
	{ .name = "PEBS", .kind = KIND_IGNORED },
	{ .name = "PEBScounters", .kind = KIND_IGNORED },
	{ .name = "PRECISE_STORE", .kind = KIND_IGNORED },
	{ .name = "PerPkg", .kind = KIND_IGNORED },
	{ .name = "PortMask", .kind = KIND_LINE, .key = KEY_PORT_MASK },
	{ .name = "PublicDescription", .kind = KIND_TEXT, .key = KEY_PUBLIC_DESCRIPTION },
	{ .name = "RdWrMask", .kind = KIND_LINE, .key = KEY_RD_WR_MASK },
	{ .name = "RetirementLatencyMax", .kind = KIND_IGNORED },
	{ .name = "RetirementLatencyMean", .kind = KIND_IGNORED },
	{ .name = "RetirementLatencyMin", .kind = KIND_IGNORED },
	{ .name = "SampleAfterValue", .kind = KIND_LINE, .key = KEY_SAMPLE_AFTER_VALUE },
	{ .name = "ScaleUnit", .kind = KIND_LINE, .key = KEY_SCALE_UNIT },
	{ .name = "SliceId", .kind = KIND_LINE, .key = KEY_SLICE_ID },
	{ .name = "Speculative", .kind = KIND_IGNORED },
	{ .name = "TakenAlone", .kind = KIND_IGNORED },
	{ .name = "ThreadMask", .kind = KIND_LINE, .key = KEY_THREAD_MASK },
	{ .name = "UMask", .kind = KIND_LINE, .key = KEY_UMASK },
	{ .name = "UMaskExt", .kind = KIND_IGNORED },
	{ .name = "Unit", .kind = KIND_LINE, .key = KEY_UNIT },
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
