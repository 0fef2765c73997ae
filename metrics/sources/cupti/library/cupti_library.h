/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVIDIA's libraries, loaded when a source is opened: CUPTI, and for GPUs the CUDA driver and NVML. They are never
 * unloaded, because their threads go on.
 *
 * A folder of $GPMU_CUDA (separated by colons) that has the library's file takes precedence. Otherwise CUPTI is the copy
 * that the process has loaded, or the newest one that the driver accepts among CUDA_HOME, /usr/local/cuda*, and the
 * loader's path.
 */
#ifndef GPMU_CUPTI_LIBRARY_H
#define GPMU_CUPTI_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "gpmu.h"
#include "library/cupti_api.h"
#include "library/cupti_files.h"
#include "sources/nvml/nvml_messages.h"
#include "sources/nvml/nvml_api.h"

#define CUPTI_FIRST_VERSION	24	/* the first with PM sampling: CUDA 12.6's */

/* The functions of NVML that the plugin uses */
#define NVML_FUNCTIONS(F) \
	F(nvmlInit_v2, nvmlInit_v2) \
	F(nvmlShutdown, nvmlShutdown) \
	F(nvmlDeviceGetHandleByUUID, nvmlDeviceGetHandleByUUID) \
	F(nvmlDeviceGetIndex, nvmlDeviceGetIndex)
/* Older drivers lack some of these; NV_CALL() calls them. */
#define NVML_OPTIONAL(F) \
	F(nvmlDeviceGetClockInfo, nvmlDeviceGetClockInfo) \
	F(nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksEventReasons) \
	F(nvmlDeviceGetCurrentClocksThrottleReasons, nvmlDeviceGetCurrentClocksThrottleReasons) \
	F(nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkState) \
	F(nvmlDeviceGetFieldValues, nvmlDeviceGetFieldValues) \
	F(nvmlDeviceGetC2cModeInfoV, nvmlDeviceGetC2cModeInfoV)

struct library {
	struct cupti_api cupti;
	struct cuda_api cuda;
	struct nv_api nvml;		/* NVML_FUNCTIONS and NVML_OPTIONAL only */
	void *cupti_handle, *cuda_handle, *nvml_handle, *perf_handle;
	uint32_t version;		/* CUPTI's API version */
	int cuda_version;		/* CUPTI's CUDA version, in the driver's form: 13000 */
	int driver_version;		/* 0: no driver */
	size_t set_config_size;		/* of CUpti_PmSampling_SetConfig_Params */
	char path[PATH_MAX];		/* of CUPTI */
	struct trouble trouble;		/* the reason why it could not be opened */
};

/*
 * Opens CUPTI and, if @needs_gpus is set, the driver, which it initialises, and NVML if present. Returns 0 or -errno with the
 * error and the trouble set; -ENODEV if a library is missing or the versions do not match. The caller closes it in any
 * case.
 */
int library_open(struct library *library, bool needs_gpus, struct gpmu_error *error);
void library_close(struct library *library);

/* The name of a CUptiResult: "CUPTI_ERROR_HARDWARE_BUSY" */
const char *library_text(const struct library *library, int result);

/*
 * Opens a library from $GPMU_CUDA, or else from the loader's path. On failure it returns NULL and dlerror() has the
 * reason.
 */
void *library_dlopen(const char *name);

/* Sets the trouble for a CUPTI that is newer than the driver accepts */
void library_misfit(struct library *library);

/* Opens the driver; called by library_open(). driver.c */
int driver_open(struct library *library, struct gpmu_error *error);

/* Fills a table of functions, and sets *missing to the first missing symbol */
#define LIBRARY_SYMBOL(name, symbol, ...) \
	*(void **)&(*symbol_table).name = dlsym(symbol_handle, #symbol); \
	if (!(*symbol_table).name && !symbol_missing) \
		symbol_missing = #symbol;
#define LIBRARY_SYMBOLS(functions, handle, table) ({ \
	void *symbol_handle = (handle); \
	typeof(table) symbol_table = (table); \
	const char *symbol_missing = NULL; \
	functions(LIBRARY_SYMBOL) \
	symbol_missing; \
})

#endif /* GPMU_CUPTI_LIBRARY_H */
