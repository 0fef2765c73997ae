// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "perfdata/perfdata_folder.h"

static int is_data(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "data.", 5) && entry->d_name[5] &&
	       entry->d_name[5 + strspn(entry->d_name + 5, "0123456789")] == '\0';
}

static int open_in(struct perfdata_file *file, const char *folder, const char *name)
{
	char *path = text_print("%s/%s", folder, name);
	int ret = path ? perfdata_file_open(file, path) : -ENOMEM;

	free(path);
	return ret;
}

static int open_folder(const char *path, struct perfdata_file **files, size_t *count)
{
	struct dirent **entries;
	int found = scandir(path, &entries, is_data, versionsort), ret;

	if (found < 0)
		return -errno;
	*files = calloc((size_t)found + 1, sizeof(**files));
	ret = *files ? open_in(*files, path, "data") : -ENOMEM;
	*count = !ret;
	for (int i = 0; i < found && !ret; i++) {
		ret = open_in(&(*files)[i + 1], path, entries[i]->d_name);
		*count += !ret;
	}
	for (int i = 0; i < found; i++)
		free(entries[i]);
	free(entries);
	return ret;
}

int perfdata_folder_open(const char *path, struct perfdata_file **files, size_t *count)
{
	int ret;

	*count = 0;
	*files = calloc(1, sizeof(**files));
	if (!*files)
		return -ENOMEM;
	ret = perfdata_file_open(*files, path);
	if (ret == -EISDIR) {
		free(*files);
		*files = NULL;
		ret = open_folder(path, files, count);
	} else {
		*count = !ret;
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
