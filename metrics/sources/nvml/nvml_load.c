// SPDX-License-Identifier: LGPL-2.1-or-later
/* Loads libnvidia-ml.so.1, and explains its results. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "nvml_source.h"

#define LIBRARY		"libnvidia-ml.so.1"

/* Results with which NVML fails to initialise */
static const struct {
	int result, error;
	const char *kind, *text, *remedy;
} refusals[] = {
	{ .result = NV_DRIVER_NOT_LOADED, .error = -ENODEV, .kind = "driver",
	  .text = "NVIDIA's driver is not loaded", .remedy = "sudo modprobe nvidia" },
	{ .result = NV_NO_PERMISSION, .error = -EACCES, .kind = "permission",
	  .text = "no permission for /dev/nvidiactl", .remedy = "join the group that ls -l /dev/nvidiactl shows" },
	{ .result = NV_LIB_RM_VERSION_MISMATCH, .error = -ENODEV, .kind = "driver",
	  .text = "the loaded driver has another version than " LIBRARY, .remedy = "load the new one, or reboot" },
	{ .result = NV_GPU_IS_LOST, .error = -ENODEV, .kind = "gpu",
	  .text = "the GPU is lost", .remedy = "reset the GPU or the machine" },
};

const char *nv_text(const struct nv_api *api, int result)
{
	const char *text = api->error_string ? api->error_string(result) : NULL;

	if (result == NV_FUNCTION_NOT_FOUND)
		return "this NVML is too old for it";
	return text ? text : "an unknown error";
}

/*
 * Never unload: NVML and the driver register functions that run when a thread or the process ends.
 */
#define OPEN_FLAGS	(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)

/* Opens the library in a folder of $GPMU_CUDA (separated by ":"), or else the system's */
static void *open_library(void)
{
	const char *folders = secure_getenv("GPMU_CUDA");
	char path[PATH_MAX];

	while (folders && *folders) {
		size_t length = strcspn(folders, ":");

		if (length && snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)length, folders) <
				      (int)sizeof(path) && !access(path, F_OK))
			return dlopen(path, OPEN_FLAGS);
		folders += length + (folders[length] == ':');
	}
	return dlopen(LIBRARY, OPEN_FLAGS);
}

/* POSIX, unlike C, allows converting dlsym()'s result to a function pointer. */
static void find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
}

static void find_all(struct nv_api *api)
{
#define FIND(name, arguments)	find(api->library, #name, &api->name);
	NV_FUNCTIONS(FIND)
#undef FIND
	find(api->library, "nvmlErrorString", &api->error_string);
}

static int init(const struct nv_api *api, struct trouble *trouble)
{
	int result = NV_CALL(api, nvmlInit_v2);

	if (result == NV_SUCCESS)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (refusals[i].result != result)
			continue;
		trouble_set(trouble, refusals[i].kind, refusals[i].remedy, "NVML: %s", refusals[i].text);
		return refusals[i].error;
	}
	trouble_set(trouble, "other", "", "NVML: %s", nv_text(api, result));
	return -EIO;
}

int nv_load(struct nv_api *api, struct trouble *trouble)
{
	int ret;

	trouble->kind = NULL;
	api->library = open_library();
	if (!api->library) {
		trouble_set(trouble, "library", "", "no " LIBRARY ": NVIDIA's driver is not installed");
		return -ENODEV;
	}
	find_all(api);
	ret = init(api, trouble);
	if (ret) {
		dlclose(api->library);
		api->library = NULL;
	}
	return ret;
}

void nv_unload(struct nv_api *api)
{
	if (!api->library)
		return;
	NV_CALL(api, nvmlShutdown);
	dlclose(api->library);
	api->library = NULL;
}
