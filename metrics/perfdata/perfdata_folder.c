// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "perfdata/perfdata.h"

static int is_data(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "data.", 5) && entry->d_name[5] &&
	       entry->d_name[5 + strspn(entry->d_name + 5, "0123456789")] == '\0';
}

static int fail(struct gpmu_error *error, const char *path, int ret)
{
	error_set_path(error, 0, path, ": %s", error_text(-ret));
	return ret;
}

static int open_in(struct perfdata_file *file, const char *folder, const char *name, struct gpmu_error *error)
{
	char *path = text_print("%s/%s", folder, name);
	int ret = path ? perfdata_file_open(file, path) : -ENOMEM;

	if (ret)
		fail(error, path ? path : folder, ret);
	free(path);
	return ret;
}

/* Opens "data" and the files of the threads, which perf numbers from 0 on. */
static int open_all(const char *path, struct dirent **entries, size_t found, struct perfdata_file *files, size_t *count,
		    struct gpmu_error *error)
{
	int ret = open_in(files, path, "data", error);

	if (ret == -ENOENT)
		error_set_path(error, 0, path, ": a folder without a file \"data\": not a recording of perf");
	*count = !ret;
	for (size_t i = 0; i < found && !ret; i++) {
		if (strtoull(entries[i]->d_name + 5, NULL, 10) != i) {
			error_set_path(error, 0, path, ": a folder without a file \"data.%zu\", but with \"%s\": not a whole recording of perf",
				       i, entries[i]->d_name);
			return -ENOENT;
		}
		ret = open_in(&files[i + 1], path, entries[i]->d_name, error);
		*count += !ret;
	}
	return ret;
}

static int open_folder(const char *path, struct perfdata_file **files, size_t *count, struct gpmu_error *error)
{
	struct dirent **entries;
	int found = scandir(path, &entries, is_data, versionsort), ret;

	if (found < 0)
		return fail(error, path, -errno);
	*files = calloc((size_t)found + 1, sizeof(**files));
	ret = *files ? open_all(path, entries, (size_t)found, *files, count, error) : fail(error, path, -ENOMEM);
	for (int i = 0; i < found; i++)
		free(entries[i]);
	free(entries);
	return ret;
}

int perfdata_folder_open(const char *path, struct perfdata_file **files, size_t *count, struct gpmu_error *error)
{
	int ret;

	*count = 0;
	*files = calloc(1, sizeof(**files));
	if (!*files)
		return fail(error, path, -ENOMEM);
	ret = perfdata_file_open(*files, path);
	if (ret == -EISDIR) {
		free(*files);
		*files = NULL;
		ret = open_folder(path, files, count, error);
	} else if (ret) {
		fail(error, path, ret);
	} else {
		*count = 1;
	}
	if (ret) {
		perfdata_folder_close(*files, *count);
		*files = NULL;
		*count = 0;
	}
	return ret;
}

void perfdata_folder_close(struct perfdata_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perfdata_file_close(&files[i]);
	free(files);
}
