// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds the *.json below a folder, sorted by name. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/text.h"
#include "catalog/catalog.h"

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Returns "FOLDER/NAME" without further slashes between them; NULL if out of memory. */
static char *join(const char *folder, const char *name)
{
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		length--;
	return text_print("%.*s/%s", (int)length, folder, name);
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
	bool is_json_file = is_json(real), is_link;
	struct stat st;

	if (lstat(real, &st))
		return catalog_fail_errno(load, name);
	is_link = S_ISLNK(st.st_mode);
	if (is_link && stat(real, &st))
		return is_json_file ? catalog_fail_errno(load, name) : 0;
	if (S_ISDIR(st.st_mode))
		/* A link could lead to a folder that contains it. */
		return is_link ? catalog_warn(load, name, 0, "a link to a folder: left out") :
			      add_folder(load, name, real, depth);
	if (!is_json_file)
		return 0;
	if (!S_ISREG(st.st_mode))
		return catalog_warn(load, name, 0, "neither a file nor a folder: left out");
	return catalog_add_file(load, name, real);
}

static int add_folder(struct catalog_load *load, const char *name, const char *real,
		      unsigned int depth)
{
	struct dirent **members;
	char *next_name, *next_real;
	int n, ret = 0;

	if (depth == CATALOG_MAX_DEPTH)
		return catalog_fail(load, name, 0, 0, "expected at most %d nested folders",
				    CATALOG_MAX_DEPTH);
	n = scandir(real, &members, is_shown, by_name);
	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : catalog_fail_errno(load, name);
	for (int i = 0; i < n && !ret; i++) {
		next_name = join(name, members[i]->d_name);
		next_real = join(real, members[i]->d_name);
		ret = next_name && next_real ?
		      add_member(load, next_name, next_real, depth + 1) : -ENOMEM;
		free(next_name);
		free(next_real);
	}
	for (int i = 0; i < n; i++)
		free(members[i]);
	free(members);
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
