// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measured with each pair in one process, and in two, on an H200 with CUDA 13.0: tests/unit/modes/measured.tsv */
#include <stdio.h>

#include "base/array.h"
#include "modes/gpmu_modes.h"

static const char *const names[GPMU_MODES] = {
	[GPMU_MODE_RECORDS] = "recording of kernels",
	[GPMU_MODE_SERIAL_RECORDS] = "recording of serialised kernels",
	[GPMU_MODE_RANGE_KERNEL] = "a range for each kernel",
	[GPMU_MODE_RANGE_USER] = "ranges of the program",
	[GPMU_MODE_PM] = "PM sampling",
	[GPMU_MODE_PC] = "PC sampling",
	[GPMU_MODE_PC_SERIAL] = "serialised PC sampling",
	[GPMU_MODE_SASS] = "SASS metrics",
	[GPMU_MODE_CHECKPOINT] = "checkpoints",
};

#define ONE_PROFILER	"the GPU's counters have one user at a time"
#define SEPARATE	"run the command once for each"

#define EXCLUDE(first_mode, second_mode, why_not, what_instead) \
	{ GPMU_MODE_##first_mode, GPMU_MODE_##second_mode, why_not, what_instead }

static const struct gpmu_exclusion exclusions[] = {
	EXCLUDE(RECORDS, SERIAL_RECORDS, "CUPTI refuses the second of these kinds", "choose one"),
	EXCLUDE(RECORDS, SASS, "all SASS metrics would be 0", "record serialised kernels, or " SEPARATE),
	EXCLUDE(RANGE_KERNEL, RANGE_USER, "a context has one range profiler", SEPARATE),
	EXCLUDE(RANGE_KERNEL, PM, ONE_PROFILER, SEPARATE),
	EXCLUDE(RANGE_USER, PM, ONE_PROFILER, SEPARATE),
	EXCLUDE(RANGE_KERNEL, PC, "PC sampling would get no samples", SEPARATE),
	EXCLUDE(RANGE_USER, PC, "PC sampling would get no samples", SEPARATE),
	EXCLUDE(RANGE_KERNEL, PC_SERIAL, "PC sampling would get no samples", SEPARATE),
	EXCLUDE(RANGE_USER, PC_SERIAL, "PC sampling would get no samples", SEPARATE),
	EXCLUDE(RANGE_KERNEL, SASS, "a kernel would be missing in the SASS metrics",
		"use ranges of the program, or " SEPARATE),
	EXCLUDE(PM, PC, "both would lose their samples", SEPARATE),
	EXCLUDE(PM, PC_SERIAL, "both would lose their samples", SEPARATE),
	EXCLUDE(PC, PC_SERIAL, "a context is sampled in one way", "choose one"),
	EXCLUDE(PC, SASS, "the buffer of the samples would overflow", SEPARATE),
	EXCLUDE(PC_SERIAL, SASS, "the instrumentation would be sampled, too", SEPARATE),
	EXCLUDE(SASS, CHECKPOINT, "a restored checkpoint sets SASS metrics to 0", SEPARATE),
};

const char *gpmu_mode_name(enum gpmu_mode mode)
{
	return mode < GPMU_MODES ? names[mode] : "an unknown mode";
}

const struct gpmu_exclusion *gpmu_modes_exclusion(uint32_t modes)
{
	for (size_t i = 0; i < ARRAY_SIZE(exclusions); i++)
		if (modes >> exclusions[i].first & 1 && modes >> exclusions[i].second & 1)
			return &exclusions[i];
	return NULL;
}

int gpmu_modes_refuse(uint32_t modes, char *text, size_t size)
{
	const struct gpmu_exclusion *found = gpmu_modes_exclusion(modes);

	if (!found)
		return 0;
	snprintf(text, size, "%s and %s exclude each other: %s; %s", names[found->first], names[found->second],
		 found->why, found->remedy);
	return 1;
}
