// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compares the declarations of nvml_api.h with nvml.h, if the compiler finds that. To run it alone: cc -Itests/lib
 * -Imetrics/sources/nvml -I/usr/local/cuda/include.
 */
#include "tap.h"

#if __has_include(<nvml.h>)
#include <nvml.h>

#include "nvml_api.h"

struct layout {
	const char *name;
	size_t own, theirs;
};

#define SIZE(own, theirs)	{ #theirs, sizeof(struct own), sizeof(theirs) }
#define AT(own, member, theirs, their_member) \
	{ #theirs "." #their_member, offsetof(struct own, member), offsetof(theirs, their_member) }
#define NUMBER(own, theirs)	{ #theirs, (size_t)(own), (size_t)(theirs) }

static const struct layout structures[] = {
	SIZE(nv_utilization, nvmlUtilization_t),
	AT(nv_utilization, memory, nvmlUtilization_t, memory),
	SIZE(nv_pci, nvmlPciInfo_t),
	AT(nv_pci, domain, nvmlPciInfo_t, domain),
	AT(nv_pci, device, nvmlPciInfo_t, device),
	AT(nv_pci, id, nvmlPciInfo_t, busId),
	SIZE(nv_memory_v1, nvmlMemory_t),
	AT(nv_memory_v1, used, nvmlMemory_t, used),
	SIZE(nv_memory, nvmlMemory_v2_t),
	AT(nv_memory, total, nvmlMemory_v2_t, total),
	AT(nv_memory, reserved, nvmlMemory_v2_t, reserved),
	AT(nv_memory, used, nvmlMemory_v2_t, used),
	SIZE(nv_field, nvmlFieldValue_t),
	AT(nv_field, scope, nvmlFieldValue_t, scopeId),
	AT(nv_field, type, nvmlFieldValue_t, valueType),
	AT(nv_field, result, nvmlFieldValue_t, nvmlReturn),
	AT(nv_field, value, nvmlFieldValue_t, value),
	SIZE(nv_process, nvmlProcessInfo_t),
	AT(nv_process, memory, nvmlProcessInfo_t, usedGpuMemory),
	SIZE(nv_process_sample, nvmlProcessUtilizationSample_t),
	AT(nv_process_sample, time, nvmlProcessUtilizationSample_t, timeStamp),
	AT(nv_process_sample, decoder, nvmlProcessUtilizationSample_t, decUtil),
	SIZE(nv_accounting, nvmlAccountingStats_t),
	AT(nv_accounting, max_memory, nvmlAccountingStats_t, maxMemoryUsage),
	AT(nv_accounting, time, nvmlAccountingStats_t, time),
	AT(nv_accounting, start_time, nvmlAccountingStats_t, startTime),
	AT(nv_accounting, running, nvmlAccountingStats_t, isRunning),
	SIZE(nv_c2c_mode, nvmlC2cModeInfo_v1_t),
	SIZE(nv_gpm_support, nvmlGpmSupport_t),
	AT(nv_gpm_support, supported, nvmlGpmSupport_t, isSupportedDevice),
	SIZE(nv_gpm_metric, nvmlGpmMetric_t),
	AT(nv_gpm_metric, result, nvmlGpmMetric_t, nvmlReturn),
	AT(nv_gpm_metric, value, nvmlGpmMetric_t, value),
	AT(nv_gpm_metrics, length, nvmlGpmMetricsGet_t, numMetrics),
	AT(nv_gpm_metrics, from, nvmlGpmMetricsGet_t, sample1),
	AT(nv_gpm_metrics, to, nvmlGpmMetricsGet_t, sample2),
	AT(nv_gpm_metrics, metrics, nvmlGpmMetricsGet_t, metrics),
	SIZE(nv_vgpu_sample, nvmlVgpuInstanceUtilizationSample_t),
	AT(nv_vgpu_sample, time, nvmlVgpuInstanceUtilizationSample_t, timeStamp),
	AT(nv_vgpu_sample, decoder, nvmlVgpuInstanceUtilizationSample_t, decUtil),
	SIZE(nv_vgpu_info, nvmlVgpuInstanceUtilizationInfo_v1_t),
	AT(nv_vgpu_info, instance, nvmlVgpuInstanceUtilizationInfo_v1_t, vgpuInstance),
	AT(nv_vgpu_info, ofa, nvmlVgpuInstanceUtilizationInfo_v1_t, ofaUtil),
	SIZE(nv_vgpu_infos, nvmlVgpuInstancesUtilizationInfo_t),
	AT(nv_vgpu_infos, length, nvmlVgpuInstancesUtilizationInfo_t, vgpuInstanceCount),
	AT(nv_vgpu_infos, last_seen, nvmlVgpuInstancesUtilizationInfo_t, lastSeenTimeStamp),
	AT(nv_vgpu_infos, list, nvmlVgpuInstancesUtilizationInfo_t, vgpuUtilArray),
	SIZE(nv_vgpu_process_sample, nvmlVgpuProcessUtilizationSample_t),
	AT(nv_vgpu_process_sample, name, nvmlVgpuProcessUtilizationSample_t, processName),
	AT(nv_vgpu_process_sample, time, nvmlVgpuProcessUtilizationSample_t, timeStamp),
	AT(nv_vgpu_process_sample, decoder, nvmlVgpuProcessUtilizationSample_t, decUtil),
	SIZE(nv_vgpu_process_info, nvmlVgpuProcessUtilizationInfo_v1_t),
	AT(nv_vgpu_process_info, time, nvmlVgpuProcessUtilizationInfo_v1_t, timeStamp),
	AT(nv_vgpu_process_info, pid, nvmlVgpuProcessUtilizationInfo_v1_t, pid),
	AT(nv_vgpu_process_info, ofa, nvmlVgpuProcessUtilizationInfo_v1_t, ofaUtil),
	SIZE(nv_vgpu_process_infos, nvmlVgpuProcessesUtilizationInfo_t),
	AT(nv_vgpu_process_infos, length, nvmlVgpuProcessesUtilizationInfo_t, vgpuProcessCount),
	AT(nv_vgpu_process_infos, list, nvmlVgpuProcessesUtilizationInfo_t, vgpuProcUtilArray),
	SIZE(nv_license, nvmlVgpuLicenseInfo_t),
	AT(nv_license, expiry, nvmlVgpuLicenseInfo_t, licenseExpiry),
	AT(nv_license, expiry.second, nvmlVgpuLicenseInfo_t, licenseExpiry.sec),
	AT(nv_license, expiry.status, nvmlVgpuLicenseInfo_t, licenseExpiry.status),
	AT(nv_license, state, nvmlVgpuLicenseInfo_t, currentState),
};

static const struct layout numbers[] = {
	NUMBER(NV_NOT_SUPPORTED, NVML_ERROR_NOT_SUPPORTED),
	NUMBER(NV_NO_PERMISSION, NVML_ERROR_NO_PERMISSION),
	NUMBER(NV_NOT_FOUND, NVML_ERROR_NOT_FOUND),
	NUMBER(NV_INSUFFICIENT_SIZE, NVML_ERROR_INSUFFICIENT_SIZE),
	NUMBER(NV_DRIVER_NOT_LOADED, NVML_ERROR_DRIVER_NOT_LOADED),
	NUMBER(NV_FUNCTION_NOT_FOUND, NVML_ERROR_FUNCTION_NOT_FOUND),
	NUMBER(NV_GPU_IS_LOST, NVML_ERROR_GPU_IS_LOST),
	NUMBER(NV_LIB_RM_VERSION_MISMATCH, NVML_ERROR_LIB_RM_VERSION_MISMATCH),
	NUMBER(NV_NO_DATA, NVML_ERROR_NO_DATA),
	NUMBER(NV_ARGUMENT_VERSION_MISMATCH, NVML_ERROR_ARGUMENT_VERSION_MISMATCH),
	NUMBER(NV_GPU_NOT_FOUND, NVML_ERROR_GPU_NOT_FOUND),
	NUMBER(NV_CLOCK_VIDEO, NVML_CLOCK_VIDEO),
	NUMBER(NV_PCIE_RX, NVML_PCIE_UTIL_RX_BYTES),
	NUMBER(NV_ARCH_HOPPER, NVML_DEVICE_ARCH_HOPPER),
	NUMBER(NV_FIELD_MEMORY_TEMPERATURE, NVML_FI_DEV_MEMORY_TEMP),
	NUMBER(NV_FIELD_NVLINK_DATA_TX, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX),
	NUMBER(NV_FIELD_NVLINK_DATA_RX, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX),
	NUMBER(NV_FIELD_C2C_LINK_COUNT, NVML_FI_DEV_C2C_LINK_COUNT),
	NUMBER(NV_REASON_HW_POWER_BRAKE, nvmlClocksThrottleReasonHwPowerBrakeSlowdown),
	NUMBER(NV_REASON_DISPLAY_CLOCKS, nvmlClocksThrottleReasonDisplayClockSetting),
	NUMBER(NV_TYPE_UNSIGNED_LONG_LONG, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG),
	NUMBER(NV_TYPE_INT, NVML_VALUE_TYPE_SIGNED_INT),
	NUMBER(NV_GPM_TENSOR_UTIL, NVML_GPM_METRIC_ANY_TENSOR_UTIL),
	NUMBER(NV_GPM_DRAM_UTIL, NVML_GPM_METRIC_DRAM_BW_UTIL),
	NUMBER(NV_GPM_PCIE_RX, NVML_GPM_METRIC_PCIE_RX_PER_SEC),
	NUMBER(NV_GPM_NVLINK_RX, NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC),
	NUMBER(NV_VGPU_NAME, NVML_VGPU_NAME_BUFFER_SIZE),
	NUMBER(NV_VERSION(struct nv_vgpu_infos, 1u), nvmlVgpuInstancesUtilizationInfo_v1),
	NUMBER(NV_VERSION(struct nv_vgpu_process_infos, 1u), nvmlVgpuProcessesUtilizationInfo_v1),
	NUMBER(NV_VERSION(struct nv_memory, 2u), nvmlMemory_v2),
	NUMBER(NV_GPM_VERSION, NVML_GPM_METRICS_GET_VERSION),
	NUMBER(NV_GPM_VERSION, NVML_GPM_SUPPORT_VERSION),
};

static void compare(const struct layout *list, size_t length, const char *what)
{
	size_t different = 0;

	for (size_t i = 0; i < length; i++) {
		if (list[i].own == list[i].theirs)
			continue;
		diag("%s: own %zu, of nvml.h %zu", list[i].name, list[i].own, list[i].theirs);
		different++;
	}
	ok(!different, "%zu %s are equal to nvml.h's", length, what);
}

int main(void)
{
	compare(structures, sizeof(structures) / sizeof(structures[0]), "sizes and offsets");
	compare(numbers, sizeof(numbers) / sizeof(numbers[0]), "numbers");
	return done_testing();
}
#else
int main(void)
{
	printf("ok 1 - the layouts are equal to nvml.h's # SKIP there is no nvml.h\n1..1\n");
	return 0;
}
#endif
