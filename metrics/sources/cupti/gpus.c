// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/raw_clock.h"
#include "cupti_gpus.h"
#include "library/cupti_holders.h"

static int start_profiler(struct library *library, struct gpmu_error *error)
{
	CUPTI_PARAMS(params, CUpti_Profiler_Initialize_Params, pPriv, .pPriv = NULL);
	/* The clock of CUPTI's time stamps; called by CUPTI's threads */
	int result = library->cupti.timestamps(raw_clock_now);

	if (!result)
		result = library->cupti.profiler(&params);
	if (!result)
		return 0;
	if (library->driver_version && library->cuda_version > library->driver_version)
		library_misfit(library);
	else
		trouble_set(&library->trouble, "cupti", "", "CUPTI cannot be initialised: %s (%d)",
			    library_text(library, result), result);
	return trouble_fail(&library->trouble, NULL, -ENODEV, error);
}

static void write_uuid(const CUuuid *uuid, char text[64])
{
	const unsigned char *b = (const unsigned char *)uuid->bytes;

	snprintf(text, 64, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
		 b[13], b[14], b[15]);
}

/* Returns a CUresult. */
static int describe(const struct library *library, struct gpu *gpu)
{
	CUPTI_PARAMS(chip, CUpti_Device_GetChipName_Params, pChipName, .deviceIndex = gpu->ordinal);
	CUuuid uuid;
	int result;

	result = library->cuda.get(&gpu->device, (int)gpu->ordinal);
	if (!result)
		result = library->cuda.uuid(&uuid, gpu->device);
	if (!result)
		result = library->cuda.name(gpu->name, sizeof(gpu->name), gpu->device);
	if (!result)
		result = library->cuda.pci(gpu->pci, sizeof(gpu->pci), gpu->device);
	if (result)
		return result;
	write_uuid(&uuid, gpu->uuid);
	for (char *c = gpu->pci; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!library->cupti.chip(&chip) && chip.pChipName)
		snprintf(gpu->chip, sizeof(gpu->chip), "%s", chip.pChipName);
	return 0;
}

static int by_pci(const void *left, const void *right)
{
	const struct gpu *a = left, *b = right;

	return strcmp(a->pci, b->pci);
}

static int by_index(const void *left, const void *right)
{
	const struct gpu *a = left, *b = right;

	return a->index < b->index ? -1 : a->index > b->index;
}

/*
 * NVML numbers all GPUs by their PCI address, including GPUs that are hidden from this process because CUDA was already
 * initialised.
 */
static void number_gpus(const struct library *library, struct gpu *gpus, size_t length)
{
	qsort(gpus, length, sizeof(*gpus), by_pci);
	for (size_t i = 0; i < length; i++) {
		gpus[i].index = (unsigned int)i;
		if (!library->nvml_handle)
			continue;
		if (library->nvml.nvmlDeviceGetHandleByUUID(gpus[i].uuid, &gpus[i].nvml))
			gpus[i].nvml = NULL;
		if (!gpus[i].nvml)
			continue;
		library->nvml.nvmlDeviceGetIndex(gpus[i].nvml, &gpus[i].index);
		nv_find_links(&library->nvml, gpus[i].nvml, &gpus[i].links);
	}
	qsort(gpus, length, sizeof(*gpus), by_index);
}

int gpus_find(struct library *library, struct gpu **result, size_t *length,
	      struct messages *messages, struct gpmu_error *error)
{
	size_t found = 0;
	struct gpu *gpus;
	int count, ret;

	ret = start_profiler(library, error);
	if (ret)
		return ret;
	ret = library->cuda.count(&count);
	if (ret || count < 1) {
		trouble_set(&library->trouble, "gpu", "", "the CUDA driver finds no GPU");
		return trouble_fail(&library->trouble, NULL, -ENODEV, error);
	}
	gpus = calloc((size_t)count, sizeof(*gpus));
	if (!gpus)
		return fail_memory(error);
	for (int i = 0; i < count; i++) {
		gpus[found] = (struct gpu){ .ordinal = (size_t)i };
		ret = describe(library, &gpus[found]);
		if (ret)
			messages_add(messages, "the CUDA driver cannot describe GPU %d: error %d", i, ret);
		else
			found++;
	}
	if (!found) {
		free(gpus);
		return fail(error, -ENODEV, "the CUDA driver cannot describe a GPU: error %d", ret);
	}
	number_gpus(library, gpus, found);
	*result = gpus;
	*length = found;
	return 0;
}

/* Reasons why CUPTI cannot sample a GPU */
enum obstacle {
	OBSTACLE_CHIP, OBSTACLE_PERMISSION, OBSTACLE_VGPU, OBSTACLE_GUEST, OBSTACLE_CONFIDENTIAL,
	OBSTACLE_MIG, OBSTACLE_SLI, OBSTACLE_CMP, OBSTACLE_WSL, OBSTACLE_OTHER,
};

static const struct {
	const char *kind, *text, *remedy;	/* remedy NULL: there is none */
} obstacles[] = {
	[OBSTACLE_CHIP] = { .kind = "chip", .text = "its architecture is older than CUPTI's PM sampling" },
	[OBSTACLE_PERMISSION] = { .kind = "permission", .text = "only root may use its counters",
				  .remedy = "run as root, or load the driver with "
					    "NVreg_RestrictProfilingToAdminUsers=0" },
	[OBSTACLE_VGPU] = { .kind = "vgpu", .text = "it is a vGPU",
			    .remedy = "set its plugin parameter enable_profiling to 1 on the host" },
	[OBSTACLE_GUEST] = { .kind = "vgpu", .text = "its virtual machine does not allow profiling" },
	[OBSTACLE_CONFIDENTIAL] = { .kind = "confidential", .text = "confidential computing is enabled",
				    .remedy = "set its mode to devtools or off on the host" },
	[OBSTACLE_MIG] = { .kind = "mig", .text = "it is divided by MIG", .remedy = "nvidia-smi -mig 0" },
	[OBSTACLE_SLI] = { .kind = "sli", .text = "it is in SLI" },
	[OBSTACLE_CMP] = { .kind = "chip", .text = "it is a mining processor" },
	[OBSTACLE_WSL] = { .kind = "wsl", .text = "it is used through WSL" },
	[OBSTACLE_OTHER] = { .kind = "other", .text = "its driver or configuration does not allow it (MIG, MPS)",
			     .remedy = "nvidia-smi -q -d MIG,COMPUTE; MPS ends by echo quit | nvidia-cuda-mps-control" },
};

static void set_obstacle(struct trouble *trouble, enum obstacle obstacle)
{
	const char *remedy = obstacles[obstacle].remedy;

	trouble_set(trouble, obstacles[obstacle].kind, remedy ? remedy : "",
		    "CUPTI cannot sample it: %s", obstacles[obstacle].text);
}

/* The obstacle by the members of CUPTI's answer */
static enum obstacle find_obstacle(const CUpti_Profiler_DeviceSupported_Params *params)
{
	const struct {
		int level;
		enum obstacle obstacle;
	} features[] = {
		{ params->architecture, OBSTACLE_CHIP },
		{ params->vGpu, OBSTACLE_VGPU },
		{ params->confidentialCompute, OBSTACLE_CONFIDENTIAL },
		{ params->sli, OBSTACLE_SLI },
		{ params->cmp, OBSTACLE_CMP },
		{ params->wsl, OBSTACLE_WSL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
		    features[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
			return features[i].obstacle;
	return OBSTACLE_OTHER;
}

bool gpu_is_supported(const struct library *library, const struct gpu *gpu, struct trouble *trouble)
{
	CUPTI_PARAMS(params, CUpti_Profiler_DeviceSupported_Params, api, .cuDevice = gpu->device,
		     .api = CUPTI_PROFILER_PM_SAMPLING);
	int result = library->cupti.supported(&params);

	if (!*gpu->chip) {
		trouble_set(trouble, "chip", "", "CUPTI cannot identify its chip");
		return false;
	}
	/* If CUPTI does not know, sampling is tried. */
	if (result || params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED ||
	    params.isSupported == CUPTI_PROFILER_CONFIGURATION_UNKNOWN)
		return true;
	set_obstacle(trouble, find_obstacle(&params));
	return false;
}

void gpu_refusal(const struct library *library, int result, struct trouble *trouble)
{
	static const struct {
		int result;
		enum obstacle obstacle;
	} reasons[] = {
		{ CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, OBSTACLE_PERMISSION },
		{ CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, OBSTACLE_GUEST },
		{ CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, OBSTACLE_VGPU },
		{ CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, OBSTACLE_CONFIDENTIAL },
		{ CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, OBSTACLE_CMP },
		{ CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, OBSTACLE_MIG },
		{ CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, OBSTACLE_SLI },
		{ CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, OBSTACLE_WSL },
	};
	char holder[192];

	if (result == CUPTI_ERROR_HARDWARE_BUSY) {
		holders_describe("/proc", holder, sizeof(holder));
		trouble_set(trouble, "busy", "end that program, or if it is DCGM: dcgmi profile --pause",
			    "its profiler is in use by %s", holder);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].result != result)
			continue;
		set_obstacle(trouble, reasons[i].obstacle);
		return;
	}
	trouble_set(trouble, "other", "", "CUPTI cannot sample it: %s (%d)", library_text(library, result),
		    result);
}

bool gpu_lacks(const struct gpu *gpu, enum nv_need need)
{
	return nv_lacks(&gpu->links, need);
}

unsigned int gpu_clock(const struct library *library, const struct gpu *gpu)
{
	unsigned int mhz;

	if (!gpu->nvml || NV_CALL(&library->nvml, nvmlDeviceGetClockInfo, gpu->nvml, NV_CLOCK_SM, &mhz))
		return 0;
	return mhz;
}

bool gpu_is_idle(const struct library *library, const struct gpu *gpu)
{
	unsigned long long reasons;

	return gpu->nvml && !nv_get_reasons(&library->nvml, gpu->nvml, &reasons) && reasons & NV_REASON_GPU_IDLE;
}
