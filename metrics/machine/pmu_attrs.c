// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/pmu_attrs.h"

/* An invalid file is skipped; the others are still read. */
static int add_attr(struct pmu_attrs *attrs, const struct sysfs_dir *dir, char **name)
{
	struct pmu_attr *attr = &attrs->list[attrs->len];
	int ret = sysfs_needed(dir, *name, sysfs_string(dir, *name, &attr->text));

	if (ret)
		return sysfs_optional(ret);
	attr->name = *name;
	*name = NULL;
	attrs->len++;
	return 0;
}

static int read_dir(struct pmu_attrs *attrs, const struct sysfs_dir *dir)
{
	struct sysfs_names names;
	int ret = sysfs_list(dir, &names);

	if (ret || !names.len)
		return ret;
	attrs->list = calloc(names.len, sizeof(*attrs->list));
	if (!attrs->list)
		ret = -ENOMEM;
	for (size_t i = 0; i < names.len && !ret; i++)
		ret = add_attr(attrs, dir, &names.names[i]);
	sysfs_names_release(&names);
	return ret;
}

int pmu_attrs_read(struct pmu_attrs *attrs, const struct sysfs_dir *pmu, const char *folder)
{
	struct sysfs_dir dir;
	int ret;

	*attrs = (struct pmu_attrs){ 0 };
	ret = sysfs_open(&dir, pmu, folder);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = read_dir(attrs, &dir);
	sysfs_close(&dir);
	if (ret)
		pmu_attrs_release(attrs);
	return ret;
}

void pmu_attrs_release(struct pmu_attrs *attrs)
{
	for (size_t i = 0; i < attrs->len; i++) {
		free(attrs->list[i].name);
		free(attrs->list[i].text);
	}
	free(attrs->list);
	*attrs = (struct pmu_attrs){ 0 };
}

static int compare(const void *name, const void *attr)
{
	return strverscmp(name, ((const struct pmu_attr *)attr)->name);
}

const struct pmu_attr *pmu_attrs_find(const struct pmu_attrs *attrs, const char *name)
{
	/* bsearch() must not get NULL. */
	if (!attrs->len)
		return NULL;
	return bsearch(name, attrs->list, attrs->len, sizeof(*attrs->list), compare);
}
