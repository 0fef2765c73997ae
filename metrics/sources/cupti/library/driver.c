// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens the CUDA driver and initialises it for all GPUs, whatever the environment selects. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "library/cupti_library.h"
#include "sources/nvml/nvml_messages.h"

/*
 * The driver reads these variables in cuInit(): the first two hide or reorder GPUs; the others make it load a tool, which
 * would take the profiler, into this process.
 */
static const char *const hidden[] = {
	"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_INJECTION32_PATH",
	"CUDA_INJECTION64_PATH", "NVTX_INJECTION32_PATH", "NVTX_INJECTION64_PATH",
};

#define HIDDEN	ARRAY_SIZE(hidden)

static void restore_environment(char *kept[HIDDEN])
{
	for (size_t i = 0; i < HIDDEN; i++) {
		if (kept[i])
			setenv(hidden[i], kept[i], 1);
		free(kept[i]);
	}
}

static int hide_environment(char *kept[HIDDEN])
{
	memset(kept, 0, HIDDEN * sizeof(kept[0]));
	for (size_t i = 0; i < HIDDEN; i++) {
		const char *value = getenv(hidden[i]);

		if (!value)
			continue;
		kept[i] = strdup(value);
		if (!kept[i]) {
			restore_environment(kept);
			return -ENOMEM;
		}
		unsetenv(hidden[i]);
	}
	return 0;
}

static int refuse(struct library *library, struct gpmu_error *error)
{
	return trouble_fail(&library->trouble, NULL, -ENODEV, error);
}

static int driver_init(struct library *library, struct gpmu_error *error)
{
	char *kept[HIDDEN];
	int result;

	if (hide_environment(kept))
		return fail_memory(error);
	result = library->cuda.init(0);
	restore_environment(kept);
	if (!result)
		return 0;
	if (result == CUDA_ERROR_NO_DEVICE)
		trouble_set(&library->trouble, "gpu", "", "the CUDA driver finds no GPU");
	else
		trouble_set(&library->trouble, "driver", "sudo dmesg | grep NVRM",
			    "the CUDA driver cannot be initialised: cuInit returns %d", result);
	return refuse(library, error);
}

static bool is_too_old(const struct library *library)
{
	return library->driver_version && library->driver_version < library_cuda_version(CUPTI_FIRST_VERSION);
}

int driver_open(struct library *library, struct gpmu_error *error)
{
	const char *missing;

	library->cuda_handle = library_dlopen("libcuda.so.1");
	if (!library->cuda_handle) {
		trouble_set(&library->trouble, "driver", "", "no CUDA driver: %s", dlerror());
		return refuse(library, error);
	}
	missing = LIBRARY_SYMBOLS(CUDA_FUNCTIONS, library->cuda_handle, &library->cuda);
	if (missing) {
		trouble_set(&library->trouble, "driver", "install NVIDIA's driver again",
			    "the CUDA driver has no %s", missing);
		return refuse(library, error);
	}
	if (library->cuda.version(&library->driver_version))
		library->driver_version = 0;
	if (!is_too_old(library))
		return driver_init(library, error);
	trouble_set(&library->trouble, "driver", "install one for CUDA 12.6 or later, which PM sampling requires",
		    "the driver is for CUDA %d.%d", library->driver_version / 1000,
		    library->driver_version % 1000 / 10);
	return refuse(library, error);
}
