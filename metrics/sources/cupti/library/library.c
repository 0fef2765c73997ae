// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/cupti_files.h"
#include "library/cupti_library.h"
#include "sources/nvml/nvml_messages.h"

/* Never unload: threads of CUPTI and the driver would run on in unmapped code. */
#define OPEN_FLAGS	(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)

/* The first CUPTI whose CUpti_PmSampling_SetConfig_Params has hwBufferAppendMode: CUDA 12.8's */
#define FIRST_WITH_APPEND_MODE	26

void *library_dlopen(const char *name)
{
	char path[PATH_MAX];
	const char *found = library_override(name, path);

	return dlopen(found ? found : name, OPEN_FLAGS);
}

const char *library_text(const struct library *library, int result)
{
	const char *text = NULL;

	if (!library->cupti.text || library->cupti.text(result, &text) || !text)
		return "an unknown error";
	return text;
}

static void close_cupti(struct library *library)
{
	if (library->cupti_handle)
		dlclose(library->cupti_handle);
	library->cupti_handle = NULL;
	library->version = 0;
	memset(&library->cupti, 0, sizeof(library->cupti));
}

/* Returns whether the file is a CUPTI with all functions; if not, sets the trouble. @flags are dlopen()'s. */
static bool load_cupti(struct library *library, const char *path, int flags)
{
	const char *missing;
	char why[sizeof(library->trouble.text)];

	library->cupti_handle = library_load(path, flags, why, sizeof(why));
	if (!library->cupti_handle) {
		/* Keep the error of a file with a path, not that of a name unknown to the loader. */
		if (strchr(path, '/'))
			trouble_set(&library->trouble, "cupti", "", "%s", why);
		return false;
	}
	missing = LIBRARY_SYMBOLS(CUPTI_HOST_FUNCTIONS, library->cupti_handle, &library->cupti);
	if (!missing)
		missing = LIBRARY_SYMBOLS(CUPTI_SAMPLING_FUNCTIONS, library->cupti_handle,
					  &library->cupti);
	if (missing || library->cupti.version(&library->version) ||
	    library->version < CUPTI_FIRST_VERSION) {
		trouble_set(&library->trouble, "cupti", "install one of CUDA 12.6 or later, which PM sampling requires",
			    "%s has no %s", path, missing ? missing : "PM sampling");
		close_cupti(library);
		return false;
	}
	library->cuda_version = library_cuda_version(library->version);
	return true;
}

void library_misfit(struct library *library)
{
	int major = library->driver_version / 1000, minor = library->driver_version % 1000 / 10;
	char remedy[80];

	snprintf(remedy, sizeof(remedy), "install the CUPTI of CUDA %d.%d", major, minor);
	trouble_set(&library->trouble, "cupti", remedy, "CUPTI is of CUDA %d.%d, the driver for CUDA %d.%d",
		    library->cuda_version / 1000, library->cuda_version % 1000 / 10, major, minor);
}

/* How well this CUPTI fits the driver: one of a later minor version may work. */
static int fitness(const struct library *library)
{
	if (!library->driver_version || library->cuda_version <= library->driver_version)
		return 2;
	return library->cuda_version / 1000 == library->driver_version / 1000;
}

/* Chooses the file to load; NULL with the trouble set */
static const struct cupti_file *choose(struct library *library, const struct cupti_files *files)
{
	const struct cupti_file *chosen = NULL;
	int best = 0;

	for (size_t i = 0; i < files->length && best < 2; i++) {
		const struct cupti_file *file = &files->files[i];
		int fits;

		if (!load_cupti(library, file->path, RTLD_NOW | RTLD_LOCAL))
			continue;
		fits = fitness(library);
		if (fits > best) {
			best = fits;
			chosen = file;
		}
		if (!fits)
			library_misfit(library);
		close_cupti(library);
	}
	return chosen;
}

/*
 * CUPTI loads libnvperf_host.so by its name without a path, and finds it if it was loaded by its path before. Without it
 * CUPTI's functions fail, which is reported then.
 */
static void open_perf_host(struct library *library)
{
	char path[PATH_MAX + sizeof("libnvperf_host.so")];
	struct link_map *map;
	char *slash, why[1];

	if (dlinfo(library->cupti_handle, RTLD_DI_LINKMAP, &map))
		return;
	snprintf(library->path, sizeof(library->path), "%s", map->l_name);
	slash = strrchr(library->path, '/');
	snprintf(path, sizeof(path), "%.*slibnvperf_host.so",
		 slash ? (int)(slash + 1 - library->path) : 0, library->path);
	library->perf_handle = library_load(path, OPEN_FLAGS, why, sizeof(why));
}

/* Recommends the CUPTI of the driver's version, which fits in any case */
static void no_cupti(struct library *library)
{
	char remedy[80] = "install CUDA 12.6 or later";

	if (library->driver_version)
		snprintf(remedy, sizeof(remedy), "install CUDA's package cuda-cupti-%d-%d",
			 library->driver_version / 1000, library->driver_version % 1000 / 10);
	trouble_set(&library->trouble, "cupti", remedy, "no CUPTI");
}

static int open_cupti(struct library *library, struct gpmu_error *error)
{
	const struct cupti_file *file;
	struct cupti_files files;
	int ret = 0;

	cupti_files_find(&files);
	no_cupti(library);
	file = choose(library, &files);
	if (!file || !load_cupti(library, file->path, OPEN_FLAGS))
		ret = -ENODEV;
	cupti_files_release(&files);
	if (ret)
		return trouble_fail(&library->trouble, NULL, ret, error);
	library->trouble.kind = NULL;
	library->set_config_size = CUPTI_STRUCT_SIZE(CUpti_PmSampling_SetConfig_Params,
						     hwBufferAppendMode);
	if (library->version < FIRST_WITH_APPEND_MODE)
		library->set_config_size = offsetof(CUpti_PmSampling_SetConfig_Params,
						    hwBufferAppendMode);
	open_perf_host(library);
	return 0;
}

static void open_nvml(struct library *library)
{
	library->nvml_handle = library_dlopen("libnvidia-ml.so.1");
	if (!library->nvml_handle)
		return;
	(void)LIBRARY_SYMBOLS(NVML_OPTIONAL, library->nvml_handle, &library->nvml);
	if (!LIBRARY_SYMBOLS(NVML_FUNCTIONS, library->nvml_handle, &library->nvml) &&
	    !library->nvml.nvmlInit_v2())
		return;
	dlclose(library->nvml_handle);
	library->nvml_handle = NULL;
}

int library_open(struct library *library, bool needs_gpus, struct gpmu_error *error)
{
	int ret = 0;

	memset(library, 0, sizeof(*library));
	if (needs_gpus)
		ret = driver_open(library, error);
	if (!ret)
		ret = open_cupti(library, error);
	if (!ret && needs_gpus)
		open_nvml(library);
	return ret;
}

void library_close(struct library *library)
{
	if (library->nvml_handle) {
		library->nvml.nvmlShutdown();
		dlclose(library->nvml_handle);
	}
	if (library->perf_handle)
		dlclose(library->perf_handle);
	close_cupti(library);
	if (library->cuda_handle)
		dlclose(library->cuda_handle);
	memset(library, 0, sizeof(*library));
}
