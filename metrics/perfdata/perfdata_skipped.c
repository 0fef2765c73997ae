// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "perfdata/perfdata.h"

/* Types whose fields are read */
static const char *const names[GPMU_PERFDATA_TYPES] = {
	[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM", [PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE", [PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE", [PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ", [PERF_RECORD_SAMPLE] = "SAMPLE", [PERF_RECORD_MMAP2] = "MMAP2", [PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START", [PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES", [PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE", [PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL", [PERF_RECORD_BPF_EVENT] = "BPF_EVENT", [PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE", [PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[GPMU_PERFDATA_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED", [GPMU_PERFDATA_HEADER_ATTR] = "HEADER_ATTR",
	[GPMU_PERFDATA_HEADER_BUILD_ID] = "HEADER_BUILD_ID", [GPMU_PERFDATA_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[GPMU_PERFDATA_AUXTRACE] = "AUXTRACE", [GPMU_PERFDATA_EVENT_UPDATE] = "EVENT_UPDATE", [GPMU_PERFDATA_TIME_CONV] = "TIME_CONV",
	[GPMU_PERFDATA_HEADER_FEATURE] = "HEADER_FEATURE",
};

void perfdata_skipped_add(struct perfdata_skipped *skipped, uint32_t type, uint64_t offset)
{
	const uint32_t slot = type < GPMU_PERFDATA_TYPES ? type : GPMU_PERFDATA_TYPES;

	if (!skipped->types[slot].count++)
		skipped->types[slot].first = offset;
	if (!skipped->first)
		skipped->first = offset;
}

/* "skipped malformed records: 3 of type 10 (MMAP2) from byte 256 on, ..." */
char *gpmu_perfdata_skipped(const struct gpmu_perfdata *perfdata)
{
	const struct perfdata_skipped *skipped = &perfdata->skipped;
	char *text = NULL;

	for (uint32_t type = 0; type <= GPMU_PERFDATA_TYPES; type++) {
		const char *name = type < GPMU_PERFDATA_TYPES && names[type] ? names[type] : "unknown";
		char *longer;

		if (!skipped->types[type].count)
			continue;
		longer = text_print("%s%s %" PRIu64 " of type %u (%s) from byte %" PRIu64 " on",
				    text ? text : "skipped malformed records:", text ? "," : "",
				    skipped->types[type].count, type, name, skipped->types[type].first);
		free(text);
		text = longer;
		if (!text)
			return NULL;
	}
	return text;
}
