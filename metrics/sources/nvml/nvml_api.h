/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of NVML, libnvidia-ml.so.1, as far as the plugin uses it: functions, numbers and layouts of nvml.h of
 * CUDA 12.6 and later. tests/gpu/nvml-layout.c compares them with nvml.h if that is installed. The library is loaded at
 * run time only.
 */
#ifndef GPMU_NVML_API_H
#define GPMU_NVML_API_H

#include <stddef.h>

/* nvmlReturn_t */
enum {
	NV_SUCCESS = 0,
	NV_UNINITIALIZED = 1,
	NV_INVALID_ARGUMENT = 2,
	NV_NOT_SUPPORTED = 3,
	NV_NO_PERMISSION = 4,
	NV_NOT_FOUND = 6,
	NV_INSUFFICIENT_SIZE = 7,
	NV_DRIVER_NOT_LOADED = 9,
	NV_TIMEOUT = 10,
	NV_LIBRARY_NOT_FOUND = 12,
	NV_FUNCTION_NOT_FOUND = 13,
	NV_GPU_IS_LOST = 15,
	NV_LIB_RM_VERSION_MISMATCH = 18,
	NV_NO_DATA = 21,
	NV_ARGUMENT_VERSION_MISMATCH = 25,
	NV_GPU_NOT_FOUND = 28,
	NV_UNKNOWN = 999,
};

typedef struct nv_device_of_library *nv_device;
typedef struct nv_gpm_sample_of_library *nv_gpm_sample;

enum { NV_CLOCK_GRAPHICS, NV_CLOCK_SM, NV_CLOCK_MEMORY, NV_CLOCK_VIDEO };
enum { NV_PCIE_TX, NV_PCIE_RX };
enum { NV_ARCH_HOPPER = 9 };
enum { NV_TEMPERATURE_GPU = 0 };
enum { NV_VM_ID_DOMAIN, NV_VM_ID_UUID };
enum { NV_AFFINITY_NODE = 0 };

#define NV_MAX_LINKS	36
#define NV_LINK_TO_SWITCH	2	/* type of the device at the other end of an NVLink */

/* Field values */
enum {
	NV_FIELD_MEMORY_TEMPERATURE = 82,
	NV_FIELD_NVLINK_DATA_TX = 138,	/* KiB */
	NV_FIELD_NVLINK_DATA_RX = 139,
	NV_FIELD_C2C_LINK_COUNT = 170,
	NV_FIELD_C2C_LINK_MAX_BW = 172,	/* MB/s of a link */
};

/* Bits of the reasons for lower clocks */
enum {
	NV_REASON_GPU_IDLE = 0x1,
	NV_REASON_APPLICATIONS_CLOCKS = 0x2,
	NV_REASON_SW_POWER_CAP = 0x4,
	NV_REASON_HW_SLOWDOWN = 0x8,
	NV_REASON_SYNC_BOOST = 0x10,
	NV_REASON_SW_THERMAL = 0x20,
	NV_REASON_HW_THERMAL = 0x40,
	NV_REASON_HW_POWER_BRAKE = 0x80,
	NV_REASON_DISPLAY_CLOCKS = 0x100,
};

/* GPU performance monitoring (GPM): rates in MiB/s, shares in percent */
enum {
	NV_GPM_GRAPHICS_UTIL = 1,
	NV_GPM_SM_UTIL = 2,
	NV_GPM_SM_OCCUPANCY = 3,
	NV_GPM_INTEGER_UTIL = 4,
	NV_GPM_TENSOR_UTIL = 5,
	NV_GPM_DRAM_UTIL = 10,
	NV_GPM_FP64_UTIL = 11,
	NV_GPM_FP32_UTIL = 12,
	NV_GPM_FP16_UTIL = 13,
	NV_GPM_PCIE_TX = 20,
	NV_GPM_PCIE_RX = 21,
	NV_GPM_NVLINK_RX = 60,
	NV_GPM_NVLINK_TX = 61,
	NV_GPM_C2C_TOTAL_TX = 100,
	NV_GPM_C2C_TOTAL_RX = 101,
	NV_GPM_C2C_DATA_TX = 102,
	NV_GPM_C2C_DATA_RX = 103,
	NV_GPM_IDS = 333,
};

struct nv_utilization {
	unsigned int gpu, memory;
};

struct nv_pci {
	char legacy_id[16];
	unsigned int domain, bus, device, device_id, subsystem_id;
	char id[32];
};

/* Here @used contains the memory that the driver reserves. */
struct nv_memory_v1 {
	unsigned long long total, free, used;
};

struct nv_memory {
	unsigned int version;
	unsigned long long total, reserved, free, used;
};

union nv_value {
	double d;
	int i;
	unsigned int u;
	unsigned long ul;
	unsigned long long ull;
	long long ll;
	unsigned short us;
};

/* The member of a union nv_value that is set */
enum {
	NV_TYPE_DOUBLE,
	NV_TYPE_UNSIGNED,
	NV_TYPE_UNSIGNED_LONG,
	NV_TYPE_UNSIGNED_LONG_LONG,
	NV_TYPE_LONG_LONG,
	NV_TYPE_INT,
	NV_TYPE_UNSIGNED_SHORT,
};

struct nv_field {
	unsigned int id, scope;
	long long time, latency;
	int type;
	int result;
	union nv_value value;
};

struct nv_process {
	unsigned int pid;
	unsigned long long memory;
	unsigned int gpu_instance, compute_instance;
};

struct nv_process_sample {
	unsigned int pid;
	unsigned long long time;
	unsigned int sm, memory, encoder, decoder;
};

struct nv_accounting {
	unsigned int gpu_utilization, memory_utilization;
	unsigned long long max_memory;
	unsigned long long time;	/* ms; 0 while the process lives */
	unsigned long long start_time;	/* us */
	unsigned int running;
	unsigned int reserved[5];
};

struct nv_c2c_mode {
	unsigned int enabled;
};

struct nv_gpm_support {
	unsigned int version;
	unsigned int supported;
};

struct nv_gpm_metric {
	unsigned int id;
	int result;
	double value;
	struct {
		char *short_name, *long_name, *unit;
	} info;
};

struct nv_gpm_metrics {
	unsigned int version;
	unsigned int length;
	nv_gpm_sample from, to;
	struct nv_gpm_metric metrics[NV_GPM_IDS];
};

struct nv_vgpu_sample {
	unsigned int instance;
	unsigned long long time;
	union nv_value sm, memory, encoder, decoder;
};

struct nv_vgpu_info {
	unsigned long long time;
	unsigned int instance;
	union nv_value sm, memory, encoder, decoder, jpeg, ofa;
};

struct nv_vgpu_infos {
	unsigned int version;
	int type;
	unsigned int length;
	unsigned long long last_seen;
	struct nv_vgpu_info *list;
};

#define NV_VGPU_NAME	64

struct nv_vgpu_process_sample {
	unsigned int instance, pid;
	char name[NV_VGPU_NAME];
	unsigned long long time;
	unsigned int sm, memory, encoder, decoder;
};

struct nv_vgpu_process_info {
	char name[NV_VGPU_NAME];
	unsigned long long time;
	unsigned int instance, pid;
	unsigned int sm, memory, encoder, decoder, jpeg, ofa;
};

struct nv_vgpu_process_infos {
	unsigned int version;
	unsigned int length;
	unsigned long long last_seen;
	struct nv_vgpu_process_info *list;
};

struct nv_license {
	unsigned char licensed;
	struct {
		unsigned int year;
		unsigned short month, day, hour, minute, second;
		unsigned char status;
	} expiry;
	unsigned int state;
};

/* The version of a structure in NVML's form */
#define NV_VERSION(type, number)	((unsigned int)sizeof(type) | (number) << 24u)
#define NV_GPM_VERSION			1u	/* of both GPM structures: without a size */

#define NV_FUNCTIONS(X) \
	X(nvmlInit_v2, (void)) \
	X(nvmlShutdown, (void)) \
	X(nvmlSystemGetDriverVersion, (char *text, unsigned int size)) \
	X(nvmlSystemGetNVMLVersion, (char *text, unsigned int size)) \
	X(nvmlSystemGetCudaDriverVersion_v2, (int *version)) \
	X(nvmlSystemGetProcessName, (unsigned int pid, char *name, unsigned int size)) \
	X(nvmlDeviceGetCount_v2, (unsigned int *count)) \
	X(nvmlDeviceGetHandleByIndex_v2, (unsigned int index, nv_device *device)) \
	X(nvmlDeviceGetHandleByUUID, (const char *uuid, nv_device *device)) \
	X(nvmlDeviceGetIndex, (nv_device device, unsigned int *index)) \
	X(nvmlDeviceGetUUID, (nv_device device, char *text, unsigned int size)) \
	X(nvmlDeviceGetName, (nv_device device, char *text, unsigned int size)) \
	X(nvmlDeviceGetPciInfo_v3, (nv_device device, struct nv_pci *pci)) \
	X(nvmlDeviceGetArchitecture, (nv_device device, unsigned int *arch)) \
	X(nvmlDeviceGetBrand, (nv_device device, int *brand)) \
	X(nvmlDeviceGetCudaComputeCapability, (nv_device device, int *major, int *minor)) \
	X(nvmlDeviceGetNumGpuCores, (nv_device device, unsigned int *cores)) \
	X(nvmlDeviceGetMemoryBusWidth, (nv_device device, unsigned int *bits)) \
	X(nvmlDeviceGetMaxPcieLinkGeneration, (nv_device device, unsigned int *generation)) \
	X(nvmlDeviceGetMaxPcieLinkWidth, (nv_device device, unsigned int *width)) \
	X(nvmlDeviceGetNvLinkRemoteDeviceType, (nv_device device, unsigned int link, int *type)) \
	X(nvmlDeviceGetMemoryAffinity, (nv_device device, unsigned int length, unsigned long *nodes, \
					unsigned int scope)) \
	X(nvmlDeviceGetUtilizationRates, (nv_device device, struct nv_utilization *rates)) \
	X(nvmlDeviceGetEncoderUtilization, (nv_device device, unsigned int *percent, unsigned int *us)) \
	X(nvmlDeviceGetDecoderUtilization, (nv_device device, unsigned int *percent, unsigned int *us)) \
	X(nvmlDeviceGetJpgUtilization, (nv_device device, unsigned int *percent, unsigned int *us)) \
	X(nvmlDeviceGetOfaUtilization, (nv_device device, unsigned int *percent, unsigned int *us)) \
	X(nvmlDeviceGetClockInfo, (nv_device device, int type, unsigned int *mhz)) \
	X(nvmlDeviceGetMaxClockInfo, (nv_device device, int type, unsigned int *mhz)) \
	X(nvmlDeviceGetDefaultApplicationsClock, (nv_device device, int type, unsigned int *mhz)) \
	X(nvmlDeviceSetGpuLockedClocks, (nv_device device, unsigned int min_mhz, unsigned int max_mhz)) \
	X(nvmlDeviceResetGpuLockedClocks, (nv_device device)) \
	X(nvmlDeviceGetCurrentClocksEventReasons, (nv_device device, unsigned long long *reasons)) \
	X(nvmlDeviceGetCurrentClocksThrottleReasons, (nv_device device, unsigned long long *reasons)) \
	X(nvmlDeviceGetSupportedClocksEventReasons, (nv_device device, unsigned long long *reasons)) \
	X(nvmlDeviceGetPowerUsage, (nv_device device, unsigned int *mw)) \
	X(nvmlDeviceGetEnforcedPowerLimit, (nv_device device, unsigned int *mw)) \
	X(nvmlDeviceGetTotalEnergyConsumption, (nv_device device, unsigned long long *mj)) \
	X(nvmlDeviceGetTemperature, (nv_device device, int sensor, unsigned int *celsius)) \
	X(nvmlDeviceGetMemoryInfo, (nv_device device, struct nv_memory_v1 *memory)) \
	X(nvmlDeviceGetMemoryInfo_v2, (nv_device device, struct nv_memory *memory)) \
	X(nvmlDeviceGetPcieThroughput, (nv_device device, int counter, unsigned int *kbps)) \
	X(nvmlDeviceGetCurrPcieLinkGeneration, (nv_device device, unsigned int *generation)) \
	X(nvmlDeviceGetCurrPcieLinkWidth, (nv_device device, unsigned int *width)) \
	X(nvmlDeviceGetNvLinkState, (nv_device device, unsigned int link, int *active)) \
	X(nvmlDeviceGetFieldValues, (nv_device device, int length, struct nv_field *fields)) \
	X(nvmlDeviceGetC2cModeInfoV, (nv_device device, struct nv_c2c_mode *mode)) \
	X(nvmlDeviceGetEccMode, (nv_device device, int *current, int *pending)) \
	X(nvmlDeviceGetMigMode, (nv_device device, unsigned int *current, unsigned int *pending)) \
	X(nvmlDeviceGetPersistenceMode, (nv_device device, int *mode)) \
	X(nvmlDeviceGetComputeMode, (nv_device device, int *mode)) \
	X(nvmlDeviceGetComputeRunningProcesses_v3, (nv_device device, unsigned int *length, \
						    struct nv_process *list)) \
	X(nvmlDeviceGetGraphicsRunningProcesses_v3, (nv_device device, unsigned int *length, \
						     struct nv_process *list)) \
	X(nvmlDeviceGetProcessUtilization, (nv_device device, struct nv_process_sample *list, \
					    unsigned int *length, unsigned long long last_seen)) \
	X(nvmlDeviceGetAccountingMode, (nv_device device, int *mode)) \
	X(nvmlDeviceGetAccountingBufferSize, (nv_device device, unsigned int *size)) \
	X(nvmlDeviceGetAccountingPids, (nv_device device, unsigned int *length, unsigned int *pids)) \
	X(nvmlDeviceGetAccountingStats, (nv_device device, unsigned int pid, \
					 struct nv_accounting *stats)) \
	X(nvmlGpmQueryDeviceSupport, (nv_device device, struct nv_gpm_support *support)) \
	X(nvmlGpmSampleAlloc, (nv_gpm_sample *sample)) \
	X(nvmlGpmSampleFree, (nv_gpm_sample sample)) \
	X(nvmlGpmSampleGet, (nv_device device, nv_gpm_sample sample)) \
	X(nvmlGpmMetricsGet, (struct nv_gpm_metrics *metrics)) \
	X(nvmlDeviceGetVirtualizationMode, (nv_device device, int *mode)) \
	X(nvmlDeviceGetHostVgpuMode, (nv_device device, int *mode)) \
	X(nvmlDeviceGetActiveVgpus, (nv_device device, unsigned int *length, unsigned int *instances)) \
	X(nvmlDeviceGetVgpuInstancesUtilizationInfo, (nv_device device, struct nv_vgpu_infos *infos)) \
	X(nvmlDeviceGetVgpuProcessUtilization, (nv_device device, unsigned long long last_seen, \
						unsigned int *length, \
						struct nv_vgpu_process_sample *list)) \
	X(nvmlDeviceGetVgpuProcessesUtilizationInfo, (nv_device device, \
						      struct nv_vgpu_process_infos *infos)) \
	X(nvmlDeviceGetVgpuUtilization, (nv_device device, unsigned long long last_seen, int *type, \
					 unsigned int *length, struct nv_vgpu_sample *list)) \
	X(nvmlVgpuInstanceClearAccountingPids, (unsigned int instance)) \
	X(nvmlVgpuInstanceGetAccountingMode, (unsigned int instance, int *mode)) \
	X(nvmlVgpuInstanceGetAccountingPids, (unsigned int instance, unsigned int *length, \
					      unsigned int *pids)) \
	X(nvmlVgpuInstanceGetAccountingStats, (unsigned int instance, unsigned int pid, \
					       struct nv_accounting *stats)) \
	X(nvmlVgpuInstanceGetLicenseInfo_v2, (unsigned int instance, struct nv_license *license)) \
	X(nvmlVgpuInstanceGetUUID, (unsigned int instance, char *text, unsigned int size)) \
	X(nvmlVgpuInstanceGetVmID, (unsigned int instance, char *text, unsigned int size, int *type)) \
	X(nvmlVgpuInstanceGetType, (unsigned int instance, unsigned int *type)) \
	X(nvmlVgpuTypeGetName, (unsigned int type, char *text, unsigned int *size)) \
	X(nvmlVgpuInstanceGetFbUsage, (unsigned int instance, unsigned long long *bytes)) \
	X(nvmlVgpuInstanceGetVmDriverVersion, (unsigned int instance, char *text, unsigned int size))

/* The loaded library; a function that it lacks is NULL */
struct nv_api {
	void *library;
	const char *(*error_string)(int result);
#define NV_MEMBER(name, arguments)	int (*name) arguments;
	NV_FUNCTIONS(NV_MEMBER)
#undef NV_MEMBER
};

#define NV_CALL(api, name, ...)	((api)->name ? (api)->name(__VA_ARGS__) : NV_FUNCTION_NOT_FOUND)

/* Gets the reasons for the clocks, by the function's older name if NVML lacks the new one. */
static inline int nv_get_reasons(const struct nv_api *api, nv_device device, unsigned long long *reasons)
{
	int result = NV_CALL(api, nvmlDeviceGetCurrentClocksEventReasons, device, reasons);

	if (result == NV_FUNCTION_NOT_FOUND)
		result = NV_CALL(api, nvmlDeviceGetCurrentClocksThrottleReasons, device, reasons);
	return result;
}

/*
 * Gets the memory as nvidia-smi shows it. If NVML does not report reserved memory, @reserved is NVML's error and
 * @memory->used contains the reserved memory.
 */
static inline int nv_get_memory(const struct nv_api *api, nv_device device, struct nv_memory *memory, int *reserved)
{
	struct nv_memory_v1 old = { 0 };
	int result;

	*memory = (struct nv_memory){ .version = NV_VERSION(*memory, 2u) };
	*reserved = NV_CALL(api, nvmlDeviceGetMemoryInfo_v2, device, memory);
	if (!*reserved)
		return NV_SUCCESS;
	result = NV_CALL(api, nvmlDeviceGetMemoryInfo, device, &old);
	*memory = (struct nv_memory){ .total = old.total, .free = old.free, .used = old.used };
	return result;
}

#endif /* GPMU_NVML_API_H */
