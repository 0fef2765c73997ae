// SPDX-License-Identifier: LGPL-2.1-or-later
/* A fake of libcupti.so.13: all but the Host API and PM sampling */
#include <string.h>

#include "cupti.h"

int cupti_enter(const char *function, const void *params, size_t min, size_t max)
{
	int code = fake_enter(function);
	const struct {
		size_t size;
		const void *private;
	} *head = params;

	if (code)
		return code;
	if (!head || head->size < min || head->size > max || head->private) {
		fake_violation("%s: structSize %zu, pPriv %p; want %zu to %zu", function,
			       head ? head->size : 0, head ? head->private : NULL, min, max);
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	return CUPTI_SUCCESS;
}

int cupti_device(const char *function, size_t device)
{
	int gpu = fake_device((long)device);

	if (!fake_get("devices"))
		fake_violation("%s before cuInit()", function);
	return gpu;
}

int cupti_check_gpu(int gpu)
{
	return gpu < 0 ? ERROR_INVALID_DEVICE : fake_gpu(gpu)->vanished;
}

PUBLIC int cuptiGetVersion(uint32_t *version)
{
	int code = fake_enter(__func__);

	if (!code)
		*version = fake_options()->cupti;
	return code;
}

static const struct {
	int code;
	const char *name;
} results[] = {
#define RESULT(name)	{ name, #name }
	RESULT(CUPTI_SUCCESS),
	RESULT(CUPTI_ERROR_INVALID_PARAMETER),
	RESULT(CUPTI_ERROR_OUT_OF_MEMORY),
	RESULT(CUPTI_ERROR_NOT_INITIALIZED),
	RESULT(CUPTI_ERROR_HARDWARE_BUSY),
	RESULT(CUPTI_ERROR_NOT_SUPPORTED),
	RESULT(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED),
	RESULT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
	RESULT(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED),
	RESULT(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED),
	RESULT(CUPTI_ERROR_INVALID_CHIP_NAME),
	RESULT(CUPTI_ERROR_UNKNOWN),
#undef RESULT
};

PUBLIC int cuptiGetResultString(int result, const char **text)
{
	int code = fake_enter(__func__);

	if (code)
		return code;
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++) {
		if (results[i].code != result)
			continue;
		*text = results[i].name;
		return CUPTI_SUCCESS;
	}
	return CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
	int code = ENTER(params, pPriv);

	if (code)
		return code;
	return fake_get("devices") ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

PUBLIC int cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
	int code = ENTER(params, pChipName);
	int gpu;

	if (code)
		return code;
	gpu = cupti_device(__func__, params->deviceIndex);
	code = cupti_check_gpu(gpu);
	if (!code)
		params->pChipName = fake_gpu(gpu)->chip;
	return code;
}

PUBLIC int cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *params)
{
	int code = ENTER(params, api);
	const char *why;
	int gpu;

	if (code)
		return code;
	gpu = cupti_device(__func__, params->cuDevice);
	code = cupti_check_gpu(gpu);
	if (code)
		return code;
	why = fake_gpu(gpu)->support;
	const struct {
		const char *why;
		int *level;
	} levels[] = {
		{ "architecture", &params->architecture }, { "sli", &params->sli },
		{ "vgpu", &params->vGpu }, { "cc", &params->confidentialCompute },
		{ "cmp", &params->cmp }, { "wsl", &params->wsl },
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		*levels[i].level = strcmp(why, levels[i].why) ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED :
								CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
	params->isSupported = *why ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED :
				     CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
	return CUPTI_SUCCESS;
}
