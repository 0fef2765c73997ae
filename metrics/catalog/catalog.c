// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "catalog/catalog.h"

/* Adds folders and files of a list like $PATH. */
static int add_paths(struct catalog_load *load, const char *paths)
{
	const char *end;
	char *path;
	int ret = 0;

	for (; paths && !ret; paths = *end ? end + 1 : NULL) {
		end = strchrnul(paths, ':');
		if (end == paths)
			continue;
		path = strndup(paths, (size_t)(end - paths));
		ret = path ? catalog_add_path(load, path) : -ENOMEM;
		free(path);
	}
	return ret;
}

static int load_paths(struct gpmu_catalog *catalog, const char *paths, struct gpmu_error *error,
		      int (*add)(struct catalog_load *load, const char *paths))
{
	struct catalog_load load;
	int ret = catalog_load_init(&load, catalog, error);

	return ret ? ret : catalog_load_end(&load, catalog, add(&load, paths));
}

struct gpmu_catalog *gpmu_catalog_new(const char *paths, struct gpmu_error *error)
{
	struct gpmu_catalog *catalog = malloc(sizeof(*catalog));
	int ret = 0;

	if (!catalog) {
		error_no_memory(error);
		return NULL;
	}
	*catalog = catalog_builtin;
	if (paths && *paths)
		ret = load_paths(catalog, paths, error, add_paths);
	if (ret) {
		gpmu_catalog_free(catalog);
		errno = -ret;
		return NULL;
	}
	return catalog;
}

int gpmu_catalog_add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error)
{
	return load_paths(catalog, path, error, catalog_add_path);
}

void gpmu_catalog_free(struct gpmu_catalog *catalog)
{
	if (!catalog)
		return;
	catalog_list_release(&catalog->metrics);
	catalog_list_release(&catalog->events);
	catalog_groups_release(&catalog->groups);
	catalog_pool_release(&catalog->pool);
	free(catalog);
}

const char *gpmu_catalog_warning(const struct gpmu_catalog *catalog, size_t index)
{
	const struct catalog_warnings *warnings = &catalog->warnings;

	if (index < warnings->length)
		return warnings->lines[index];
	return index == warnings->length && warnings->more ? warnings->last : NULL;
}

const struct gpmu_metric *gpmu_catalog_metric(const struct gpmu_catalog *catalog, size_t index)
{
	if (index >= catalog->metrics.length)
		return NULL;
	return (const struct gpmu_metric *)catalog->metrics.entries[index];
}

const struct gpmu_event_def *gpmu_catalog_event(const struct gpmu_catalog *catalog, size_t index)
{
	if (index >= catalog->events.length)
		return NULL;
	return (const struct gpmu_event_def *)catalog->events.entries[index];
}

/*
 * How well a metric fits the machine: 2 if the machine supports it, 1 if it has only the CPU and the
 * PMU, 0, or -ENOMEM
 */
static int grade(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	int ret = gpmu_metric_supported(metric, machine);

	if (ret)
		return ret < 0 ? ret : 2;
	return catalog_metric_fits(metric, machine);
}

/*
 * Finds an event of the name and PMU in @wanted, or a metric of this name: of those that the
 * machine supports, or of those that fit best if it supports none, the one added last. NULL with
 * errno ENOENT or ENOMEM
 */
static const struct catalog_entry *find(const struct catalog_list *list,
					const struct catalog_entry *wanted, bool is_event,
					const struct gpmu_machine *machine)
{
	const struct catalog_entry *found = NULL, *entry;
	int found_here = 0, here;
	size_t i;

	for (i = catalog_list_find(list, wanted); i < list->length; i++) {
		entry = list->entries[i];
		if (strcmp(entry->key, wanted->key))
			break;
		if (is_event && (!entry->pmu != !wanted->pmu ||
			       (entry->pmu && strcmp(entry->pmu, wanted->pmu))))
			break;
		here = !machine ? 1 : is_event ? catalog_supported(entry, machine) :
		       grade((const struct gpmu_metric *)entry, machine);
		if (here < 0) {
			errno = -here;
			return NULL;
		}
		if (!found || here > found_here ||
		    (here == found_here && entry->order > found->order)) {
			found = entry;
			found_here = here;
		}
	}
	if (!found)
		errno = ENOENT;
	return found;
}

/* As find(), by a name of any case */
static const struct catalog_entry *find_name(const struct catalog_list *list, const char *name,
					     const char *pmu, bool is_event,
					     const struct gpmu_machine *machine)
{
	static const struct catalog_file none;
	char key[CATALOG_MAX_LINE + 1];
	struct catalog_entry wanted = { .key = key, .pmu = pmu, .file = &none };

	if (strlen(name) > CATALOG_MAX_LINE) {
		errno = ENOENT;
		return NULL;
	}
	catalog_fold(key, name);
	return find(list, &wanted, is_event, machine);
}

const struct gpmu_metric *gpmu_catalog_find_metric(const struct gpmu_catalog *catalog,
						   const char *name,
						   const struct gpmu_machine *machine)
{
	const struct catalog_alias *alias = catalog->aliases;
	const struct catalog_entry *found;
	const struct gpmu_legacy *legacy;

	found = find_name(&catalog->metrics, name, NULL, false, machine);
	if (!found && errno == ENOENT) {
		while (alias->key && strcasecmp(alias->key, name))
			alias++;
		if (alias->key)
			found = find_name(&catalog->metrics, alias->metric, NULL, false, machine);
	}
	legacy = !found && errno == ENOENT ? gpmu_legacy_find(name) : NULL;
	if (legacy && legacy->metric)
		return legacy->metric;
	return (const struct gpmu_metric *)found;
}

/* The PMU of one of perf's Units has a prefix "uncore_", which its name in sysfs can lack. */
const struct gpmu_event_def *catalog_find_event(const struct gpmu_catalog *catalog,
						const char *pmu, const char *name,
						const struct gpmu_machine *machine)
{
	const struct catalog_list *events = &catalog->events;
	char uncore[sizeof(CATALOG_UNCORE) + CATALOG_MAX_LINE];
	const struct catalog_entry *found;

	found = find_name(events, name, pmu, true, machine);
	if (!found && errno == ENOENT && pmu && strlen(pmu) <= CATALOG_MAX_LINE) {
		snprintf(uncore, sizeof(uncore), "%s%s", CATALOG_UNCORE, pmu);
		found = find_name(events, name, uncore, true, machine);
	}
	return (const struct gpmu_event_def *)found;
}
