// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finding, loading and checking a plugin. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/trust.h"
#include "plugin/plugin_folder.h"
#include "plugin/source_object.h"

#define END(member)	(offsetof(struct gpmu_source_plugin, member) + \
			 sizeof(((struct gpmu_source_plugin *)NULL)->member))

/* Functions that a plugin's table must have */
#define REQUIRED	END(group_read)

static const struct {
	const char *name;
	size_t offset;
} required[] = {
	{ "name", offsetof(struct gpmu_source_plugin, name) },
	{ "open()", offsetof(struct gpmu_source_plugin, open) },
	{ "close()", offsetof(struct gpmu_source_plugin, close) },
	{ "pmu()", offsetof(struct gpmu_source_plugin, pmu) },
	{ "group_open()", offsetof(struct gpmu_source_plugin, group_open) },
	{ "group_close()", offsetof(struct gpmu_source_plugin, group_close) },
	{ "enable()", offsetof(struct gpmu_source_plugin, enable) },
	{ "disable()", offsetof(struct gpmu_source_plugin, disable) },
	{ "group_read()", offsetof(struct gpmu_source_plugin, group_read) },
};

/* Sizes of array elements; 0 in a table is the size in the first version of the ABI. */
#define TABLE_SIZE_MAX	4096

static const struct {
	const char *name;
	size_t offset, first;
} sizes[] = {
	{ .name = "event_size", .offset = offsetof(struct gpmu_source_plugin, event_size),
	  .first = offsetof(struct gpmu_source_event, config4) },
	{ .name = "count_size", .offset = offsetof(struct gpmu_source_plugin, count_size),
	  .first = offsetof(struct gpmu_source_count, running) + sizeof(uint64_t) },
};

static bool is_file(const char *path)
{
	struct stat stat_buf;

	/* Loading a FIFO would wait for its writer. */
	return !stat(path, &stat_buf) && S_ISREG(stat_buf.st_mode);
}

/* Writes the path of @file in a folder to @path. Returns whether the file exists. */
static bool find_at(const char *folder, size_t length, const char *file, char *path, size_t size)
{
	return length &&
	       snprintf(path, size, "%.*s/%s", (int)length, folder, file) < (int)size &&
	       is_file(path);
}

/* Finds the first folder of a list that has the file. */
static bool find_in(const char *folders, const char *file, char *path, size_t size)
{
	while (*folders) {
		size_t len = strcspn(folders, ":");

		if (find_at(folders, len, file, path, size))
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

/* Replaces @path by the path to load, if this program may load it. */
static int trust(char *path, size_t size, struct gpmu_error *error)
{
	char real[PATH_MAX];
	const char *trusted = trust_path(path, real);

	if (!trusted) {
		error_set(error, 0, TRUST_REFUSED, real);
		return -EACCES;
	}
	if (trusted == real)
		snprintf(path, size, "%s", real);
	return 0;
}

int source_find_file(const char *file, char *path, size_t size, struct gpmu_error *error)
{
	const char *folders = secure_getenv("GPMU_PLUGINS");
	char own[PATH_MAX];

	folders = folders ? folders : "";
	if (find_in(folders, file, path, size) ||
	    (plugin_folder(own, sizeof(own)) && find_at(own, strlen(own), file, path, size)))
		return trust(path, size, error);
	error_set(error, 0, "no %s in %s%s%s; %s", file, folders, *folders ? ":" : "",
		  *own ? own : "the folder of libgpmu, which needs /proc",
		  trust_is_limited() ? "a program with capabilities searches no other folder" :
				       "GPMU_PLUGINS can name its folder");
	return -ENOENT;
}

static int find(const char *name, char *path, size_t size, struct gpmu_error *error)
{
	char file[NAME_MAX + 1];

	if (strchr(name, '/')) {
		if (snprintf(path, size, "%s", name) < (int)size && is_file(path))
			return trust(path, size, error);
		error_set(error, 0, "%s: no such file", name);
		return -ENOENT;
	}
	if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_-")]) {
		error_set(error, 0, "expected NAME=OPTIONS or ./FILE.so=OPTIONS, found \"%.64s\"", name);
		return -EINVAL;
	}
	if (snprintf(file, sizeof(file), "gpmu-%s.so", name) < (int)sizeof(file))
		return source_find_file(file, path, size, error);
	error_set(error, 0, "%.64s...: too long a name", name);
	return -ENOENT;
}

static int check_functions(const struct gpmu_source_plugin *plugin, const char *path,
			   struct gpmu_error *error)
{
	const void *member;

	for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
		memcpy(&member, (const char *)plugin + required[i].offset, sizeof(member));
		if (!member) {
			error_set(error, 0, "%s: its table has no %s", path, required[i].name);
			return -EINVAL;
		}
	}
	return 0;
}

static int take_sizes(struct gpmu_source_plugin *plugin, const char *path,
		      struct gpmu_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *member = (char *)plugin + sizes[i].offset;
		size_t size;

		memcpy(&size, member, sizeof(size));
		if (!size)
			memcpy(member, &sizes[i].first, sizeof(size));
		else if (size < sizes[i].first || size > TABLE_SIZE_MAX || size % sizeof(uint64_t)) {
			error_set(error, 0, "%s: its table's %s is %zu, expected one from %zu to %d, by %zu",
				  path, sizes[i].name, size, sizes[i].first, TABLE_SIZE_MAX,
				  sizeof(uint64_t));
			return -EINVAL;
		}
	}
	return 0;
}

/* Copies the table of the library, if it is one for this libgpmu. */
static int read_table(struct gpmu_source *source, const char *path, struct gpmu_error *error)
{
	const struct gpmu_source_plugin *table = dlsym(source->library, "gpmu_source_plugin");
	int ret;

	if (!table) {
		error_set(error, 0, "%s: not a plugin of libgpmu: it has no gpmu_source_plugin", path);
		return -EINVAL;
	}
	if (table->size >= END(abi) && table->abi != GPMU_SOURCE_ABI) {
		error_set(error, 0, "%s: made for plugin ABI %u, this libgpmu has %u", path,
			  table->abi, GPMU_SOURCE_ABI);
		return -EINVAL;
	}
	if (table->size < REQUIRED) {
		error_set(error, 0, "%s: its table has %zu bytes, expected at least %zu", path,
			  table->size, REQUIRED);
		return -EINVAL;
	}
	sized_copy(&source->plugin, sizeof(source->plugin), table);
	ret = check_functions(&source->plugin, path, error);
	return ret ? ret : take_sizes(&source->plugin, path, error);
}

int source_load(struct gpmu_source *source, const char *name, struct gpmu_error *error)
{
	char path[PATH_MAX];
	int ret = find(name, path, sizeof(path), error);

	if (ret)
		return ret;
	source->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!source->library) {
		error_set(error, 0, "%s", dlerror());
		return -EINVAL;
	}
	ret = read_table(source, path, error);
	if (ret)
		source_unload(source);
	return ret;
}

void source_unload(struct gpmu_source *source)
{
	dlclose(source->library);
	source->library = NULL;
}
