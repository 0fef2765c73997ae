// SPDX-License-Identifier: LGPL-2.1-or-later
/* NVML's GPU performance monitoring: values of the time between two samples. */
#include "nvml_source.h"

bool nv_supports_gpm(const struct gpu *gpu)
{
	struct nv_gpm_support support = { .version = NV_GPM_VERSION };

	return !NV_CALL(gpu->api, nvmlGpmQueryDeviceSupport, gpu->device, &support) &&
	       support.supported;
}

void nv_gpm_release(struct gpu *gpu)
{
	for (int i = 0; i < 2; i++) {
		if (gpu->samples[i])
			NV_CALL(gpu->api, nvmlGpmSampleFree, gpu->samples[i]);
		gpu->samples[i] = NULL;
	}
	gpu->is_sampled = false;
}

int nv_gpm_take(struct gpu *gpu, struct nv_gpm_metrics *metrics)
{
	nv_gpm_sample last;
	int result = NV_SUCCESS;

	for (int i = 0; i < 2 && !result; i++)
		if (!gpu->samples[i])
			result = NV_CALL(gpu->api, nvmlGpmSampleAlloc, &gpu->samples[i]);
	if (!result)
		result = NV_CALL(gpu->api, nvmlGpmSampleGet, gpu->device, gpu->samples[1]);
	if (result)
		return result;
	last = gpu->samples[0];
	gpu->samples[0] = gpu->samples[1];
	gpu->samples[1] = last;
	if (gpu->is_sampled) {
		metrics->version = NV_GPM_VERSION;
		metrics->from = gpu->samples[1];
		metrics->to = gpu->samples[0];
		result = NV_CALL(gpu->api, nvmlGpmMetricsGet, metrics);
	}
	gpu->is_sampled = true;
	return result;
}
