/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVIDIA's libraries, which are found when a source is opened: CUPTI, and the CUDA driver
 * and NVML where GPUs are wanted. They stay in the process, with what they have started.
 *
 * A library of which a folder of $GPMU_CUDA (separated by colons) has a file is taken from
 * there. Else CUPTI is the copy that the process has, or the newest one that the driver
 * accepts among CUDA_HOME, /usr/local/cuda*, and the loader's path.
 */
#ifndef GPMU_CUPTI_LIBRARY_H
#define GPMU_CUPTI_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "cupti_api.h"
#include "cupti_files.h"
#include "cupti_trouble.h"
#include "gpmu.h"

#define CUPTI_FIRST_VERSION	24	/* has PM sampling: CUDA 12.6's */

struct library {
	struct cupti_api cupti;
	struct cuda_api cuda;
	struct nvml_api nvml;
	void *cupti_handle, *cuda_handle, *nvml_handle, *perf_handle;
	uint32_t version;		/* CUPTI's API version */
	int cuda_version;		/* of CUPTI, as the driver writes it: 13000 */
	int driver_version;		/* 0: no driver */
	size_t set_config_size;		/* of CUpti_PmSampling_SetConfig_Params */
	char path[PATH_MAX];		/* of CUPTI */
	struct trouble trouble;		/* why it could not be opened */
};

/*
 * Opens CUPTI and, if @gpus, the driver, which is then initialised, and NVML if it is
 * there. Returns 0 or -errno with the error and its trouble set; -ENODEV: they are not
 * there, or do not fit each other. The caller closes it in any case.
 */
int library_open(struct library *library, bool gpus, struct gpmu_error *error);
void library_close(struct library *library);

/* What a result of CUPTI's is called: "CUPTI_ERROR_HARDWARE_BUSY" */
const char *library_text(const struct library *library, int result);

/*
 * Opens a library that has one name: of $GPMU_CUDA, else of the loader's path. NULL:
 * there is none; dlerror() says why.
 */
void *library_dlopen(const char *name);

/* Sets its trouble: CUPTI is newer than the driver takes. */
void library_misfit(struct library *library);

/* The driver, by library_open(): driver.c */
int driver_open(struct library *library, struct gpmu_error *error);

/* Fills a table of functions: sets *missing to the first symbol that there is not. */
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
