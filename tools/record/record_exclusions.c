// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CUPTI 13.0 on an H200 returns success for most of these combinations and then has no data, or other data than requested, for
 * one of both modes.
 */
#include "common.h"
#include "record/record_exclusions.h"

static const char *const names[RECORD_MODES] = {
	[RECORD_PC_SAMPLING] = "--pc-sampling",
	[RECORD_PM_SAMPLING] = "counters of a GPU",
	[RECORD_CAPTURE_RANGE] = "--capture-range",
	[RECORD_DELAY] = "--delay",
	[RECORD_NO_CUDA] = "--no-cuda-trace",
};

static const struct exclusion {
	enum record_mode first, second;
	const char *why, *remedy;
} exclusions[] = {
	{ RECORD_PC_SAMPLING, RECORD_PM_SAMPLING, "both use the GPU's profiler, and neither gets data",
	  "record them in two runs, or take the counters of NVML" },
	{ RECORD_PC_SAMPLING, RECORD_CAPTURE_RANGE, "CUPTI refuses to record kernels once it samples",
	  "record the whole run" },
	{ RECORD_PC_SAMPLING, RECORD_DELAY, "sampling has to begin before the program loads its kernels",
	  "record from the start" },
	{ RECORD_PC_SAMPLING, RECORD_NO_CUDA, "samples come with the program's CUDA activity",
	  "use --cuda=kernel for little other activity" },
};

void record_exclusions_check(unsigned int modes)
{
	for (size_t i = 0; i < ARRAY_SIZE(exclusions); i++) {
		const struct exclusion *pair = &exclusions[i];

		if (modes >> pair->first & 1 && modes >> pair->second & 1)
			die("%s and %s exclude each other: %s; %s", names[pair->first], names[pair->second], pair->why, pair->remedy);
	}
}
