// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "inject.h"
#include "library/cupti_files.h"

/* CUDA 12.6's, the first whose records have all members that are used */
#define FIRST_VERSION	24

static void *handle;

/* The program has loaded the driver, or is about to. */
static int driver_version(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
	int (*get)(int *), version = 0;

	if (!driver)
		return 0;
	*(void **)&get = dlsym(driver, "cuDriverGetVersion");
	if (!get || get(&version))
		version = 0;
	return version;
}

static const char *fill(struct inject_api *api)
{
	const char *missing = NULL;

#define FILL(member, symbol, ...) \
	*(void **)&api->member = dlsym(handle, #symbol); \
	if (!api->member && !missing) \
		missing = #symbol;
	INJECT_FUNCTIONS(FILL)
#define FILL_OPTIONAL(member, symbol, ...) \
	*(void **)&api->member = dlsym(handle, #symbol);
	INJECT_OPTIONAL(FILL_OPTIONAL)
	return missing;
}

/* Never unloaded: CUPTI's threads would run on in unmapped code. */
static bool open_one(struct inject *self, const char *path, char *why, size_t size)
{
	const char *missing;
	char reason[256];

	handle = library_load(path, RTLD_NOW | RTLD_LOCAL, reason, sizeof(reason));
	if (!handle) {
		if (strchr(path, '/'))
			snprintf(why, size, "%s", reason);
		return false;
	}
	missing = fill(&self->api);
	if (!missing && !self->api.version(&self->version) && self->version >= FIRST_VERSION)
		return true;
	snprintf(why, size, "%s is not of CUDA 12.6 or later", path);
	dlclose(handle);
	handle = NULL;
	return false;
}

/* A CUPTI of a later minor version of the same major version works, too. */
static bool is_compatible(const struct inject *self, char *why, size_t size)
{
	int cuda = library_cuda_version(self->version), driver = (int)self->driver;

	if (!driver || cuda <= driver || cuda / 1000 == driver / 1000)
		return true;
	snprintf(why, size, "CUPTI is of CUDA %d.%d, the driver for CUDA %d.%d: install the CUPTI of CUDA %d.%d",
		 cuda / 1000, cuda % 1000 / 10, driver / 1000, driver % 1000 / 10, driver / 1000,
		 driver % 1000 / 10);
	dlclose(handle);
	handle = NULL;
	return false;
}

static bool open_any(struct inject *self, const struct cupti_files *files, bool wants_any, char *why,
		     size_t size)
{
	for (size_t i = 0; i < files->length; i++) {
		if (!open_one(self, files->files[i].path, why, size))
			continue;
		if (wants_any || is_compatible(self, why, size)) {
			snprintf(self->path, sizeof(self->path), "%s", files->files[i].path);
			library_load(files->files[i].path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE,
				     why, size);
			return true;
		}
	}
	return false;
}

bool inject_load(struct inject *self, char *why, size_t size)
{
	struct cupti_files files;
	bool is_found;

	if (handle)
		return true;
	self->driver = driver_version();
	snprintf(why, size, "no CUPTI: install CUDA's package cuda-cupti-%d-%d",
		 self->driver ? (int)self->driver / 1000 : 13, (int)self->driver % 1000 / 10);
	/* A second copy in the process would compete for the GPU's profiler. */
	cupti_files_mapped(&files);
	is_found = open_any(self, &files, true, why, size);
	cupti_files_release(&files);
	if (is_found)
		return true;
	cupti_files_find(&files);
	is_found = open_any(self, &files, false, why, size);
	cupti_files_release(&files);
	return is_found;
}

void *inject_mapped_symbol(const char *name)
{
	struct cupti_files files;
	void *library = NULL;

	cupti_files_mapped(&files);
	for (size_t i = 0; i < files.length && !library; i++)
		library = dlopen(files.files[i].path, RTLD_LAZY | RTLD_NOLOAD);
	cupti_files_release(&files);
	return library ? dlsym(library, name) : NULL;
}

void *inject_cupti_symbol(const char *name)
{
	return handle ? dlsym(handle, name) : NULL;
}
