// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_library.h"
#include "cupti_messages.h"

/* What CUPTI or the driver has started would run on in code that is gone. */
#define OPEN_FLAGS	(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)

#define MAX_FILES	64
#define FIRST_MAJOR	12
#define LAST_MAJOR	19	/* that the loader is asked for */

/* The first CUPTI whose CUpti_PmSampling_SetConfig_Params has hwBufferAppendMode: CUDA 12.8's */
#define FIRST_WITH_APPEND_MODE	26

/* Copies of CUPTI, by their paths, the newest first */
struct files {
	struct file {
		char *path;
		char *real;	/* with links followed; NULL: the loader is to find it */
		int major;
	} files[MAX_FILES];
	size_t length;
};

static const char *const folders[] = { "/lib64", "/extras/CUPTI/lib64", "/lib" };

#define FOLDERS	(sizeof(folders) / sizeof(folders[0]))

int library_cuda_version(uint32_t version)
{
	static const struct {
		uint32_t version;
		int cuda;
	} versions[] = { { 24, 12060 }, { 26, 12080 }, { 27, 12090 }, { 28, 12090 } };
	int cuda = 0;

	/* From 13.0 on major, minor and patch version, two digits each */
	if (version >= 130000)
		return (int)(version / 10000 * 1000 + version / 100 % 100 * 10);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (version >= versions[i].version)
			cuda = versions[i].cuda;
	return cuda;
}

/* Copies the next part of a list with colons; the part behind it, NULL at the end. */
static const char *next_folder(const char *list, char folder[PATH_MAX])
{
	size_t length = strcspn(list, ":");

	snprintf(folder, PATH_MAX, "%.*s", (int)length, list);
	return list[length] ? list + length + 1 : NULL;
}

const char *library_override(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("GPMU_CUDA");
	char folder[PATH_MAX];

	while (list && *list) {
		list = next_folder(list, folder);
		if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && !access(path, F_OK))
			return path;
	}
	return NULL;
}

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

static void release_files(struct files *files)
{
	for (size_t i = 0; i < files->length; i++) {
		free(files->files[i].path);
		free(files->files[i].real);
	}
}

/* 13 of libcupti.so.13; the file libcupti.so.2025.3.1 that it leads to is none. */
static int major_of(const char *path)
{
	const char *suffix = strstr(path, "libcupti.so.");
	char *end;
	long major;

	if (!suffix)
		return 0;
	suffix += strlen("libcupti.so.");
	major = strtol(suffix, &end, 10);
	return *end || end == suffix || major < FIRST_MAJOR || major > 999 ? 0 : (int)major;
}

static void add_file(struct files *files, const char *path, int major)
{
	struct file *file;

	if (!major || files->length == MAX_FILES)
		return;
	file = &files->files[files->length];
	file->path = strdup(path);
	if (!file->path)
		return;
	file->real = realpath(path, NULL);
	file->major = major;
	files->length++;
}

/* @below: "/lib64" */
static void add_folder(struct files *files, const char *folder, const char *below)
{
	char pattern[PATH_MAX];
	glob_t found;

	if (snprintf(pattern, sizeof(pattern), "%s%s/libcupti.so.*", folder, below) >= PATH_MAX)
		return;
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_file(files, found.gl_pathv[i], major_of(strrchr(found.gl_pathv[i], '/')));
	globfree(&found);
}

static void add_override(struct files *files)
{
	const char *list = getenv("GPMU_CUDA");
	char folder[PATH_MAX];

	while (list && *list) {
		list = next_folder(list, folder);
		add_folder(files, folder, "");
	}
}

static void add_system(struct files *files)
{
	const char *home = getenv("CUDA_HOME");
	char name[32];

	for (size_t i = 0; i < FOLDERS; i++) {
		if (home && *home)
			add_folder(files, home, folders[i]);
		add_folder(files, "/usr/local/cuda*", folders[i]);
	}
	for (int major = FIRST_MAJOR; major <= LAST_MAJOR; major++) {
		snprintf(name, sizeof(name), "libcupti.so.%d", major);
		add_file(files, name, major);
	}
}

/* A copy that the process has: a second one would have the same GPU's profiler. */
static int add_mapped(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	if (name && !strncmp(name, "/libcupti.so", strlen("/libcupti.so")))
		add_file(data, info->dlpi_name, LAST_MAJOR);
	return 0;
}

/* One that only the loader finds comes after those of its version that have a path. */
static int newest_first(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	if (a->major != b->major)
		return b->major - a->major;
	return strverscmp(b->real ? b->real : "", a->real ? a->real : "");
}

static void find_files(struct files *files)
{
	files->length = 0;
	add_override(files);
	if (!files->length)
		dl_iterate_phdr(add_mapped, files);
	if (!files->length)
		add_system(files);
	qsort(files->files, files->length, sizeof(files->files[0]), newest_first);
}

static void close_cupti(struct library *library)
{
	if (library->cupti_handle)
		dlclose(library->cupti_handle);
	library->cupti_handle = NULL;
	library->version = 0;
	memset(&library->cupti, 0, sizeof(library->cupti));
}

/* Whether it is CUPTI and has what is used; @flags of dlopen(). The trouble says why not. */
static bool load_cupti(struct library *library, const char *path, int flags)
{
	const char *missing;

	library->cupti_handle = dlopen(path, flags);
	if (!library->cupti_handle) {
		/* That the loader knows none of a name says nothing of those with a path. */
		if (strchr(path, '/'))
			trouble_set(&library->trouble, "cupti", "", "%s", dlerror());
		return false;
	}
	missing = LIBRARY_SYMBOLS(CUPTI_HOST_FUNCTIONS, library->cupti_handle, &library->cupti);
	if (!missing)
		missing = LIBRARY_SYMBOLS(CUPTI_SAMPLING_FUNCTIONS, library->cupti_handle,
					  &library->cupti);
	if (missing || library->cupti.version(&library->version) ||
	    library->version < CUPTI_FIRST_VERSION) {
		trouble_set(&library->trouble, "cupti", "install CUDA 12.6's or a later one, which PM sampling needs",
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
	trouble_set(&library->trouble, "cupti", remedy, "CUPTI is CUDA %d.%d's, the driver is CUDA %d.%d's",
		    library->cuda_version / 1000, library->cuda_version % 1000 / 10, major, minor);
}

/* Whether a driver takes this CUPTI: that of a later minor version can, at best. */
static int fitness(const struct library *library)
{
	if (!library->driver_version || library->cuda_version <= library->driver_version)
		return 2;
	return library->cuda_version / 1000 == library->driver_version / 1000;
}

/* The file to be taken; NULL with the trouble set */
static const struct file *choose(struct library *library, const struct files *files)
{
	const struct file *chosen = NULL;
	int best = 0;

	for (size_t i = 0; i < files->length && best < 2; i++) {
		const struct file *file = &files->files[i];
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
 * CUPTI looks for it by its name alone: one that is loaded by its path before is found.
 * What it cannot do without it, it says.
 */
static void open_perf_host(struct library *library)
{
	char path[PATH_MAX + sizeof("libnvperf_host.so")];
	struct link_map *map;
	char *slash;

	if (dlinfo(library->cupti_handle, RTLD_DI_LINKMAP, &map))
		return;
	snprintf(library->path, sizeof(library->path), "%s", map->l_name);
	slash = strrchr(library->path, '/');
	snprintf(path, sizeof(path), "%.*slibnvperf_host.so",
		 slash ? (int)(slash + 1 - library->path) : 0, library->path);
	library->perf_handle = dlopen(path, OPEN_FLAGS);
}

/* That of the driver's version fits in any case. */
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
	const struct file *file;
	struct files files;
	int ret = 0;

	find_files(&files);
	no_cupti(library);
	file = choose(library, &files);
	if (!file || !load_cupti(library, file->path, OPEN_FLAGS))
		ret = -ENODEV;
	release_files(&files);
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
	if (!LIBRARY_SYMBOLS(NVML_FUNCTIONS, library->nvml_handle, &library->nvml) &&
	    !library->nvml.init())
		return;
	dlclose(library->nvml_handle);
	library->nvml_handle = NULL;
}

int library_open(struct library *library, bool gpus, struct gpmu_error *error)
{
	int ret = 0;

	memset(library, 0, sizeof(*library));
	if (gpus)
		ret = driver_open(library, error);
	if (!ret)
		ret = open_cupti(library, error);
	if (!ret && gpus)
		open_nvml(library);
	return ret;
}

void library_close(struct library *library)
{
	if (library->nvml_handle) {
		library->nvml.shutdown();
		dlclose(library->nvml_handle);
	}
	if (library->perf_handle)
		dlclose(library->perf_handle);
	close_cupti(library);
	if (library->cuda_handle)
		dlclose(library->cuda_handle);
	memset(library, 0, sizeof(*library));
}
