// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/pmu.h"

bool pmu_is_name(const char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			return false;
	return true;
}

static int read_type(struct gpmu_pmu *pmu, const struct sysfs_dir *dir)
{
	int64_t type = 0;
	int ret = sysfs_number(dir, "type", 0, UINT32_MAX, &type);

	pmu->type = (uint32_t)type;
	return sysfs_needed(dir, "type", ret);
}

static int read_identifier(struct gpmu_pmu *pmu, const struct sysfs_dir *dir)
{
	int ret = sysfs_string(dir, "identifier", &pmu->identifier);

	return ret == -ENOENT ? 0 : ret;
}

/*
 * Finds a PMU's CPUs: a core PMU can count on these CPUs only. On x86 the core PMU of all CPUs
 * has no list and is named "cpu".
 */
static int read_cpus(struct gpmu_pmu *pmu, const struct sysfs_dir *dir, const struct cpus *online)
{
	int ret = sysfs_cpus(dir, "cpumask", &pmu->cpus);

	if (ret != -ENOENT) {
		pmu->has_cpumask = true;
		return ret;
	}
	ret = sysfs_cpus(dir, "cpus", &pmu->cpus);
	if (ret == -ENOENT) {
		if (strcmp(pmu->name, "cpu"))
			return 0;
		ret = cpus_copy(&pmu->cpus, online);
	} else if (!ret && online->len) {
		cpus_keep(&pmu->cpus, online);
	}
	pmu->kind = GPMU_PMU_CORE;
	return ret;
}

/* Reads a number in caps/; -1 if the driver has no such file, as in-tree drivers. */
static int read_cap(const struct gpmu_pmu *pmu, const struct sysfs_dir *dir, const char *name,
		    int min, int max, int *cap)
{
	const struct pmu_attr *attr = pmu_attrs_find(&pmu->caps, name);
	char path[32];
	int64_t number;

	*cap = -1;
	if (!attr)
		return 0;
	if (sysfs_parse_number(attr->text, min, max, &number)) {
		*cap = (int)number;
		return 0;
	}
	snprintf(path, sizeof(path), "caps/%s", name);
	return sysfs_optional(sysfs_warn(dir, path, "expected a number from %d to %d, found \"%.32s\"",
					 min, max, attr->text));
}

/* kernel-drivers/grace-cspmu.rst, "User ABI"; the limits come from Arm IHI 0091, PMCFGR. */
static int read_caps(struct gpmu_pmu *pmu, const struct sysfs_dir *dir)
{
	int ret = pmu_attrs_read(&pmu->caps, dir, "caps");

	if (!ret)
		ret = read_cap(pmu, dir, "counters", 0, 256, &pmu->counters);
	if (!ret)
		ret = read_cap(pmu, dir, "counter_width", 1, 64, &pmu->counter_width);
	if (!ret)
		ret = read_cap(pmu, dir, "cycle_counter", 0, 1, &pmu->cycle_counter);
	return ret;
}

static int read_pmu(struct gpmu_pmu *pmu, const struct sysfs_dir *dir, const struct cpus *online)
{
	int ret;

	pmu->kind = pmu_name_parse(pmu->name, &pmu->number);
	ret = read_type(pmu, dir);
	if (!ret)
		ret = read_identifier(pmu, dir);
	if (!ret)
		ret = read_cpus(pmu, dir, online);
	if (!ret)
		ret = pmu_attrs_read(&pmu->formats, dir, "format");
	if (!ret)
		ret = pmu_attrs_read(&pmu->events, dir, "events");
	if (!ret)
		ret = read_caps(pmu, dir);
	return ret;
}

int pmu_new(struct gpmu_pmu **result, const struct sysfs_dir *devices, const char *name,
	    const struct cpus *online)
{
	struct sysfs_dir dir;
	struct gpmu_pmu *pmu;
	int ret;

	if (!pmu_is_name(name))
		return sysfs_warn(devices, name, "expected a name of printable characters");
	ret = sysfs_needed(devices, name, sysfs_open(&dir, devices, name));
	if (ret)
		return ret;
	pmu = calloc(1, sizeof(*pmu));
	if (pmu)
		pmu->name = strdup(name);
	ret = pmu && pmu->name ? read_pmu(pmu, &dir, online) : -ENOMEM;
	sysfs_close(&dir);
	if (ret)
		pmu_free(pmu);
	else
		*result = pmu;
	return ret;
}

void pmu_free(struct gpmu_pmu *pmu)
{
	if (!pmu)
		return;
	pmu_attrs_release(&pmu->events);
	pmu_attrs_release(&pmu->caps);
	pmu_attrs_release(&pmu->formats);
	cpus_release(&pmu->cpus);
	free(pmu->identifier);
	free(pmu->name);
	free(pmu);
}

const char *gpmu_pmu_name(const struct gpmu_pmu *pmu)
{
	return pmu->name;
}

uint32_t gpmu_pmu_type(const struct gpmu_pmu *pmu)
{
	return pmu->type;
}

enum gpmu_pmu_kind gpmu_pmu_kind(const struct gpmu_pmu *pmu)
{
	return pmu->kind;
}

const char *gpmu_pmu_identifier(const struct gpmu_pmu *pmu)
{
	return pmu->identifier;
}

int gpmu_pmu_number(const struct gpmu_pmu *pmu)
{
	return pmu->number;
}

const struct gpmu_node *gpmu_pmu_node(const struct gpmu_pmu *pmu)
{
	return pmu->node;
}

int gpmu_pmu_has_cpumask(const struct gpmu_pmu *pmu)
{
	return pmu->has_cpumask;
}

size_t gpmu_pmu_cpus(const struct gpmu_pmu *pmu, const int **cpus)
{
	if (cpus)
		*cpus = pmu->cpus.ids;
	return pmu->cpus.len;
}

int gpmu_pmu_counter_count(const struct gpmu_pmu *pmu)
{
	return pmu->counters;
}

int gpmu_pmu_counter_width(const struct gpmu_pmu *pmu)
{
	return pmu->counter_width;
}

int gpmu_pmu_cycle_counter(const struct gpmu_pmu *pmu)
{
	return pmu->cycle_counter;
}

static const char *attr_name(const struct pmu_attrs *attrs, size_t index)
{
	return index < attrs->len ? attrs->list[index].name : NULL;
}

static const char *attr_text(const struct pmu_attrs *attrs, const char *name)
{
	const struct pmu_attr *attr = pmu_attrs_find(attrs, name);

	return attr ? attr->text : NULL;
}

const char *gpmu_pmu_format_name(const struct gpmu_pmu *pmu, size_t index)
{
	return attr_name(&pmu->formats, index);
}

const char *gpmu_pmu_format(const struct gpmu_pmu *pmu, const char *name)
{
	return attr_text(&pmu->formats, name);
}

const char *pmu_cap(const struct gpmu_pmu *pmu, const char *name)
{
	return attr_text(&pmu->caps, name);
}

const char *gpmu_pmu_event_name(const struct gpmu_pmu *pmu, size_t index)
{
	return attr_name(&pmu->events, index);
}

const char *gpmu_pmu_event(const struct gpmu_pmu *pmu, const char *name)
{
	return attr_text(&pmu->events, name);
}

double pmu_event_scale(const struct gpmu_pmu *pmu, const char *name)
{
	const struct pmu_attr *event = pmu_attrs_find(&pmu->events, name);

	return event ? event->scale : 1;
}

const char *gpmu_pmu_event_unit(const struct gpmu_pmu *pmu, const char *name)
{
	const struct pmu_attr *event = pmu_attrs_find(&pmu->events, name);

	return event ? event->unit : NULL;
}
