// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Locks the SM clock of all GPUs to one frequency, and ends the lock. NVML cannot report a lock, so an earlier lock by
 * somebody else is not restored.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "nvml_source.h"

static int fail_gpu(const struct gpu *gpu, int result, struct gpmu_error *error)
{
	return fail(error, result == NV_NO_PERMISSION ? -EPERM : result == NV_NOT_SUPPORTED ? -EOPNOTSUPP : -EIO,
		    "GPU %u (%s): NVML: %s%s", gpu->index, gpu->uuid, nv_text(gpu->api, result),
		    result == NV_NO_PERMISSION ? "; run as root" : "");
}

/* Ends the locks of the first @count GPUs. A failure does not keep the others locked; the first one is reported. */
static int reset_first(struct source *source, size_t count, struct gpmu_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < count; i++) {
		const struct gpu *gpu = &source->gpus[i];
		const int result = NV_CALL(gpu->api, nvmlDeviceResetGpuLockedClocks, gpu->device);

		if (result && !ret)
			ret = fail_gpu(gpu, result, error);
	}
	return ret;
}

/* Sets @mhz, if it is 0, to the GPU's default, and @kind to what it is. */
static int choose_clock(const struct gpu *gpu, unsigned int *mhz, const char **kind, struct gpmu_error *error)
{
	unsigned int max = 0;
	const int result = NV_CALL(gpu->api, nvmlDeviceGetMaxClockInfo, gpu->device, NV_CLOCK_GRAPHICS, &max);

	*kind = "requested";
	if (*mhz && !result && *mhz > max)
		return fail(error, -ERANGE, "GPU %u (%s): %u MHz is above its maximum of %u MHz", gpu->index, gpu->uuid, *mhz,
			    max);
	if (*mhz)
		return 0;
	*kind = "default";
	if (!NV_CALL(gpu->api, nvmlDeviceGetDefaultApplicationsClock, gpu->device, NV_CLOCK_GRAPHICS, mhz) && *mhz)
		return 0;
	*kind = "maximum";
	*mhz = max;
	return result ? fail_gpu(gpu, result, error) : 0;
}

/* Locks a GPU, and adds its object to @gpus. */
static int lock(const struct gpu *gpu, unsigned int mhz, json_t *gpus, struct gpmu_error *error)
{
	json_t *object = nv_gpu_object(gpu);
	const char *kind;
	int result, ret = choose_clock(gpu, &mhz, &kind, error);

	json_object_set_new(object, "mhz", json_integer(mhz));
	json_object_set_new(object, "kind", json_string(ret ? "" : kind));
	json_array_append_new(gpus, object);
	if (ret)
		return ret;
	result = NV_CALL(gpu->api, nvmlDeviceSetGpuLockedClocks, gpu->device, mhz, mhz);
	return result ? fail_gpu(gpu, result, error) : 0;
}

int nv_lock_clocks(struct source *source, unsigned int mhz, json_t *gpus, struct gpmu_error *error)
{
	struct gpmu_error ignored = { .size = sizeof(ignored) };

	for (size_t i = 0; i < source->gpu_count; i++) {
		const int ret = lock(&source->gpus[i], mhz, gpus, error);

		if (!ret)
			continue;
		reset_first(source, i, &ignored);
		return ret;
	}
	return 0;
}

int nv_reset_clocks(struct source *source, struct gpmu_error *error)
{
	return reset_first(source, source->gpu_count, error);
}
