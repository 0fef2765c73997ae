// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hold DEVICE SECONDS: another profiler: it has the performance monitor of one GPU, by CUPTI,
 * and says "held" once it has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>

static void check(int result, const char *call)
{
	if (!result)
		return;
	fprintf(stderr, "%s: %d\n", call, result);
	exit(1);
}

int main(int argc, char **argv)
{
	CUpti_Profiler_Initialize_Params init = {};
	CUpti_PmSampling_Enable_Params enable = {};

	if (argc != 3) {
		fprintf(stderr, "usage: hold DEVICE SECONDS\n");
		return 2;
	}
	init.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
	enable.structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE;
	check(cuInit(0), "cuInit");
	check(cuptiProfilerInitialize(&init), "cuptiProfilerInitialize");
	enable.deviceIndex = (size_t)atoi(argv[1]);
	check(cuptiPmSamplingEnable(&enable), "cuptiPmSamplingEnable");
	puts("held");
	fflush(stdout);
	sleep((unsigned int)atoi(argv[2]));
	return 0;
}
