// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "machine/pmu_attrs.h"

/*
 * Reads events, with their .scale and .unit files:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-events of Linux.
 */
static const char *const infos[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };

static bool is_info(const char *name)
{
	size_t i, len = strlen(name), end;

	for (i = 0; i < ARRAY_SIZE(infos); i++) {
		end = strlen(infos[i]);
		if (len >= end && !strcmp(name + len - end, infos[i]))
			return true;
	}
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, *(char *const *)b);
}

/* Reads EVENT.scale or EVENT.unit, if the folder has it. */
static int read_info(const struct sysfs_dir *dir, const struct sysfs_names *names,
		     const char *event, const char *info, const char **text)
{
	char name[NAME_MAX + 1];
	int len = snprintf(name, sizeof(name), "%s%s", event, info);
	char **found = NULL;

	if (len < (int)sizeof(name))
		found = bsearch(name, names->names, names->len, sizeof(*names->names),
				compare_names);
	return found ? sysfs_text(dir, *found, text) : -ENOENT;
}

/* The kernel's decimal point is ".", whatever the program's locale. */
static int parse_scale(const char *text, double *scale)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end;

	if (!c)
		return -ENOMEM;
	*scale = strtod_l(text, &end, c);
	freelocale(c);
	return end == text || *end || !isfinite(*scale) ? -EINVAL : 0;
}

static int read_scale(const struct sysfs_dir *dir, const struct sysfs_names *names,
		      struct pmu_attr *attr)
{
	const char *text;
	int ret = read_info(dir, names, attr->name, ".scale", &text);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = parse_scale(text, &attr->scale);
	if (ret == -EINVAL)
		ret = sysfs_warn(dir, attr->name, "expected a number as its scale, found \"%.32s\"",
				 text);
	return ret;
}

static int read_unit(const struct sysfs_dir *dir, const struct sysfs_names *names,
		     struct pmu_attr *attr)
{
	const char *text;
	int ret = read_info(dir, names, attr->name, ".unit", &text);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	attr->unit = strdup(text);
	return attr->unit ? 0 : -ENOMEM;
}

static void drop_last(struct pmu_attrs *attrs)
{
	struct pmu_attr *attr = &attrs->list[--attrs->len];

	free(attr->name);
	free(attr->text);
	free(attr->unit);
}

struct pmu_attr *pmu_attrs_add(struct pmu_attrs *attrs, const char *name)
{
	struct pmu_attr *attr = vector_append(attrs->list, attrs->len);

	if (!attr)
		return NULL;
	attr->scale = 1;
	attr->name = strdup(name);
	if (attr->name)
		return attr;
	drop_last(attrs);
	return NULL;
}

/* Skips a file if it, its scale or its unit is invalid: without its scale an event would be a different one. */
static int add_file(void *user, const struct sysfs_dir *dir, const struct sysfs_names *names, size_t index)
{
	const char *name = names->names[index];
	struct pmu_attrs *attrs = user;
	struct pmu_attr *attr;
	int ret;

	if (is_info(name))
		return 0;
	attr = pmu_attrs_add(attrs, name);
	if (!attr)
		return -ENOMEM;
	ret = sysfs_string(dir, name, &attr->text);
	if (!ret)
		ret = read_scale(dir, names, attr);
	if (!ret)
		ret = read_unit(dir, names, attr);
	ret = sysfs_needed(dir, name, ret);
	if (ret)
		drop_last(attrs);
	return sysfs_optional(ret);
}

int pmu_attrs_read(struct pmu_attrs *attrs, const struct sysfs_dir *pmu, const char *folder)
{
	int ret = sysfs_each(pmu, folder, add_file, attrs);

	return ret == -ENOENT ? 0 : ret;
}

void pmu_attrs_release(struct pmu_attrs *attrs)
{
	while (attrs->len)
		drop_last(attrs);
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
