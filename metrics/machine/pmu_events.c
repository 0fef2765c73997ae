// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/pmu_events.h"

/*
 * Reads events and their .scale and .unit files:
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
		      struct pmu_event *event)
{
	const char *text;
	int ret;

	event->scale = 1;
	ret = read_info(dir, names, event->name, ".scale", &text);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = parse_scale(text, &event->scale);
	if (ret == -EINVAL)
		ret = sysfs_warn(dir, event->name, "expected a number as its scale, found \"%.32s\"",
				 text);
	return ret;
}

static int read_unit(const struct sysfs_dir *dir, const struct sysfs_names *names,
		     struct pmu_event *event)
{
	const char *text;
	int ret = read_info(dir, names, event->name, ".unit", &text);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	event->unit = strdup(text);
	return event->unit ? 0 : -ENOMEM;
}

static void release_event(struct pmu_event *event)
{
	free(event->name);
	free(event->text);
	free(event->unit);
	*event = (struct pmu_event){ 0 };
}

/* Skips an event with an invalid file: without its scale it would be a different event. */
static int add_event(struct pmu_events *events, const struct sysfs_dir *dir,
		     const struct sysfs_names *names, const char *name)
{
	struct pmu_event *event = &events->list[events->len];
	int ret;

	event->name = strdup(name);
	if (!event->name)
		return -ENOMEM;
	ret = sysfs_string(dir, name, &event->text);
	if (!ret)
		ret = read_scale(dir, names, event);
	if (!ret)
		ret = read_unit(dir, names, event);
	ret = sysfs_needed(dir, name, ret);
	if (!ret)
		events->len++;
	else
		release_event(event);
	return sysfs_optional(ret);
}

static int read_dir(struct pmu_events *events, const struct sysfs_dir *dir)
{
	struct sysfs_names names;
	int ret = sysfs_list(dir, &names);

	if (ret || !names.len)
		return ret;
	events->list = calloc(names.len, sizeof(*events->list));
	if (!events->list)
		ret = -ENOMEM;
	for (size_t i = 0; i < names.len && !ret; i++)
		if (!is_info(names.names[i]))
			ret = add_event(events, dir, &names, names.names[i]);
	sysfs_names_release(&names);
	return ret;
}

int pmu_events_read(struct pmu_events *events, const struct sysfs_dir *pmu)
{
	struct sysfs_dir dir;
	int ret;

	*events = (struct pmu_events){ 0 };
	ret = sysfs_open(&dir, pmu, "events");
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = read_dir(events, &dir);
	sysfs_close(&dir);
	if (ret)
		pmu_events_release(events);
	return ret;
}

void pmu_events_release(struct pmu_events *events)
{
	for (size_t i = 0; i < events->len; i++)
		release_event(&events->list[i]);
	free(events->list);
	*events = (struct pmu_events){ 0 };
}

static int compare(const void *name, const void *event)
{
	return strverscmp(name, ((const struct pmu_event *)event)->name);
}

const struct pmu_event *pmu_events_find(const struct pmu_events *events, const char *name)
{
	/* bsearch() must not get NULL. */
	if (!events->len)
		return NULL;
	return bsearch(name, events->list, events->len, sizeof(*events->list), compare);
}
