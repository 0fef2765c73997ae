// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/trust.h"
#include "library/cupti_files.h"

#define FIRST_MAJOR	12
#define LAST_MAJOR	19	/* newest major version to try by the loader */

static const char *const folders[] = { "/lib64", "/extras/CUPTI/lib64", "/lib" };

#define FOLDERS	ARRAY_SIZE(folders)

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
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (version >= versions[i].version)
			cuda = versions[i].cuda;
	return cuda;
}

/* Copies the next part of a list with colons; returns the rest, NULL at the end. */
static const char *next_folder(const char *list, char folder[PATH_MAX])
{
	size_t length = strcspn(list, ":");

	snprintf(folder, PATH_MAX, "%.*s", (int)length, list);
	return list[length] ? list + length + 1 : NULL;
}

const char *library_override(const char *name, char path[PATH_MAX])
{
	const char *list = secure_getenv("GPMU_CUDA");
	char folder[PATH_MAX];

	while (list && *list) {
		list = next_folder(list, folder);
		if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && !access(path, F_OK))
			return path;
	}
	return NULL;
}

void *library_load(const char *path, int flags, char *why, size_t size)
{
	char real[PATH_MAX];
	const char *trusted = strchr(path, '/') ? trust_path(path, real) : path;
	void *library = trusted ? dlopen(trusted, flags) : NULL;

	if (!trusted)
		snprintf(why, size, TRUST_REFUSED, real);
	else if (!library)
		snprintf(why, size, "%s", dlerror());
	return library;
}

void cupti_files_release(struct cupti_files *files)
{
	for (size_t i = 0; i < files->length; i++) {
		free(files->files[i].path);
		free(files->files[i].real);
	}
}

/* 13 of libcupti.so.13; libcupti.so.2025.3.1, to which that links, has no major version. */
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

static void add_file(struct cupti_files *files, const char *path, int major)
{
	struct cupti_file *file;

	if (!major || files->length == CUPTI_FILES_MAX)
		return;
	file = &files->files[files->length];
	file->path = strdup(path);
	if (!file->path)
		return;
	file->real = realpath(path, NULL);
	file->major = major;
	files->length++;
}

/* @below is a subfolder such as "/lib64" */
static void add_folder(struct cupti_files *files, const char *folder, const char *below)
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

static void add_override(struct cupti_files *files)
{
	const char *list = secure_getenv("GPMU_CUDA");
	char folder[PATH_MAX];

	while (list && *list) {
		list = next_folder(list, folder);
		add_folder(files, folder, "");
	}
}

static void add_system(struct cupti_files *files)
{
	const char *home = secure_getenv("CUDA_HOME");
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

/* Adds a copy that the process has loaded: a second one would compete for the GPU's profiler. */
static int add_mapped(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	if (name && !strncmp(name, "/libcupti.so", strlen("/libcupti.so")))
		add_file(data, info->dlpi_name, LAST_MAJOR);
	return 0;
}

/* A copy known only to the loader comes after copies of the same version with a path. */
static int newest_first(const void *left, const void *right)
{
	const struct cupti_file *a = left, *b = right;

	if (a->major != b->major)
		return b->major - a->major;
	return strverscmp(b->real ? b->real : "", a->real ? a->real : "");
}

void cupti_files_mapped(struct cupti_files *files)
{
	files->length = 0;
	dl_iterate_phdr(add_mapped, files);
}

void cupti_files_find(struct cupti_files *files)
{
	files->length = 0;
	add_override(files);
	if (!files->length)
		dl_iterate_phdr(add_mapped, files);
	if (!files->length)
		add_system(files);
	qsort(files->files, files->length, sizeof(files->files[0]), newest_first);
}
