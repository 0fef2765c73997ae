// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds the *.json below a folder, sorted by name. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vector.h"
#include "catalog/catalog.h"

struct names {
	char **list;
	size_t length;
};

static void names_release(struct names *names)
{
	while (names->length)
		free(names->list[--names->length]);
	free(names->list);
}

static int names_add(struct names *names, const char *name)
{
	char **added = vector_append(names->list, names->length);

	if (added)
		*added = strdup(name);
	return added && *added ? 0 : -ENOMEM;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Reads the names in a folder, except hidden ones. Returns 0, or -errno with nothing to release.
 */
static int names_read(struct names *names, const char *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	int ret = 0;

	*names = (struct names){ .length = 0 };
	if (!dir)
		return -errno;
	while (!ret) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			ret = -errno;
			break;
		}
		if (entry->d_name[0] != '.')
			ret = names_add(names, entry->d_name);
	}
	closedir(dir);
	if (ret)
		names_release(names);
	else if (names->length)
		qsort(names->list, names->length, sizeof(*names->list), compare_names);
	return ret;
}

static char *join(const char *folder, const char *name)
{
	size_t length = strlen(folder), name_size = strlen(name) + 1;
	char *path;

	while (length > 1 && folder[length - 1] == '/')
		length--;
	path = malloc(length + 1 + name_size);
	if (!path)
		return NULL;
	memcpy(path, folder, length);
	path[length] = '/';
	memcpy(path + length + 1, name, name_size);
	return path;
}

static bool is_json(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".json");
}

static int add_folder(struct catalog_load *load, const char *name, const char *real,
		      unsigned int depth);

/*
 * Adds a member of a folder. @name: its path as shown to users; @real: its path, in which only
 * the last part can be a link
 */
static int add_member(struct catalog_load *load, const char *name, const char *real,
		      unsigned int depth)
{
	bool json = is_json(real), link;
	struct stat st;

	if (lstat(real, &st))
		return catalog_fail_errno(load, name);
	link = S_ISLNK(st.st_mode);
	if (link && stat(real, &st))
		return json ? catalog_fail_errno(load, name) : 0;
	if (S_ISDIR(st.st_mode))
		/* A link could lead to a folder that contains it. */
		return link ? catalog_warn(load, name, 0, "a link to a folder: left out") :
			      add_folder(load, name, real, depth);
	if (!json)
		return 0;
	if (!S_ISREG(st.st_mode))
		return catalog_warn(load, name, 0, "neither a file nor a folder: left out");
	return catalog_add_file(load, name, real);
}

static int add_folder(struct catalog_load *load, const char *name, const char *real,
		      unsigned int depth)
{
	struct names names;
	char *next_name, *next_real;
	size_t i;
	int ret;

	if (depth == CATALOG_MAX_DEPTH)
		return catalog_fail(load, name, 0, 0, "expected at most %d nested folders",
				    CATALOG_MAX_DEPTH);
	ret = names_read(&names, real);
	if (ret) {
		errno = -ret;
		return ret == -ENOMEM ? ret : catalog_fail_errno(load, name);
	}
	for (i = 0; i < names.length && !ret; i++) {
		next_name = join(name, names.list[i]);
		next_real = join(real, names.list[i]);
		ret = next_name && next_real ?
		      add_member(load, next_name, next_real, depth + 1) : -ENOMEM;
		free(next_name);
		free(next_real);
	}
	names_release(&names);
	return ret;
}

int catalog_add_path(struct catalog_load *load, const char *path)
{
	size_t files = load->files;
	char real[PATH_MAX];
	struct stat st;
	int ret;

	if (!realpath(path, real) || stat(real, &st))
		return catalog_fail_errno(load, path);
	if (!S_ISDIR(st.st_mode))
		return catalog_add_file(load, path, real);
	ret = add_folder(load, path, real, 0);
	if (!ret && load->files == files)
		ret = catalog_warn(load, path, 0, "no *.json in it");
	return ret;
}
