// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"

/* The folders and files of a list like $PATH */
static int add_paths(struct catalog_load *load, const char *paths)
{
	const char *end;
	char *path;
	int ret = 0;

	for (; paths && !ret; paths = *end ? end + 1 : NULL) {
		end = strchrnul(paths, ':');
		if (end == paths)
			continue;
		path = malloc((size_t)(end - paths) + 1);
		if (!path)
			return -ENOMEM;
		memcpy(path, paths, (size_t)(end - paths));
		path[end - paths] = 0;
		ret = catalog_add_path(load, path);
		free(path);
	}
	return ret;
}

struct gpmu_catalog *gpmu_catalog_new(const char *paths, struct gpmu_error *error)
{
	struct gpmu_catalog *catalog = calloc(1, sizeof(*catalog));
	struct catalog_load load;
	int ret;

	if (!catalog) {
		catalog_no_memory(error);
		return NULL;
	}
	ret = catalog_load_init(&load, catalog, error);
	if (!ret) {
		ret = catalog_add_builtin(&load);
		if (!ret)
			ret = add_paths(&load, paths);
		ret = catalog_load_end(&load, catalog, ret);
	}
	if (ret) {
		gpmu_catalog_free(catalog);
		errno = -ret;
		return NULL;
	}
	return catalog;
}

int gpmu_catalog_add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error)
{
	struct catalog_load load;
	int ret = catalog_load_init(&load, catalog, error);

	return ret ? ret : catalog_load_end(&load, catalog, catalog_add_path(&load, path));
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
 * Of the namesakes, from @wanted on, those of its PMU if @of_pmu: one that the
 * machine has rather than one that it has not, and the last added of those
 */
static const struct catalog_entry *find(const struct catalog_list *list,
					const struct catalog_entry *wanted, bool of_pmu,
					const struct gpmu_machine *machine)
{
	const struct catalog_entry *found = NULL, *entry;
	int found_here = 0, here;
	size_t i;

	for (i = catalog_list_find(list, wanted); i < list->length; i++) {
		entry = list->entries[i];
		if (strcmp(entry->key, wanted->key))
			break;
		if (of_pmu && (!entry->pmu != !wanted->pmu ||
			       (entry->pmu && strcmp(entry->pmu, wanted->pmu))))
			break;
		here = machine ? catalog_supported(entry, machine) : 1;
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

/* As find(), by a name in any case */
static const struct catalog_entry *find_name(const struct catalog_list *list, const char *name,
					     const char *pmu, bool of_pmu,
					     const struct gpmu_machine *machine)
{
	static const struct catalog_file none;
	char key[CATALOG_MAX_LINE + 1];
	struct catalog_entry wanted = { .key = key, .pmu = pmu, .file = &none };
	size_t length = strlen(name);

	if (length > CATALOG_MAX_LINE) {
		errno = ENOENT;
		return NULL;
	}
	catalog_fold(key, name, length);
	return find(list, &wanted, of_pmu, machine);
}

const struct gpmu_metric *gpmu_catalog_find_metric(const struct gpmu_catalog *catalog,
						   const char *name,
						   const struct gpmu_machine *machine)
{
	return (const struct gpmu_metric *)find_name(&catalog->metrics, name, NULL, false,
						     machine);
}

/* The PMUs of perf's Units have an "uncore_" before their name that those of sysfs may lack. */
const struct gpmu_event_def *gpmu_catalog_find_event(const struct gpmu_catalog *catalog,
						     const char *pmu, const char *name,
						     const struct gpmu_machine *machine)
{
	const struct catalog_list *events = &catalog->events;
	const struct catalog_entry *found = find_name(events, name, pmu, true, machine);
	char uncore[sizeof(CATALOG_UNCORE) + CATALOG_MAX_LINE];

	if (!found && errno == ENOENT && pmu && strlen(pmu) <= CATALOG_MAX_LINE) {
		snprintf(uncore, sizeof(uncore), "%s%s", CATALOG_UNCORE, pmu);
		found = find_name(events, name, uncore, true, machine);
	}
	return (const struct gpmu_event_def *)found;
}
