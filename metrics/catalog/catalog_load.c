// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begins the additions of one call, and merges them into the catalog at the end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"

static void take_warnings(struct catalog_warnings *warnings, const struct catalog_warnings *from)
{
	size_t i;

	for (i = 0; i < from->length && warnings->length < CATALOG_MAX_WARNINGS; i++)
		warnings->lines[warnings->length++] = from->lines[i];
	warnings->more += from->length - i + from->more;
	if (warnings->more)
		snprintf(warnings->last, sizeof(warnings->last), "%zu more warnings",
			 warnings->more);
}

/*
 * Logs entries that replace older ones: a user could have chosen the name unknowingly. Entries
 * of perf's tree for some CPUs have such names intentionally.
 */
static void log_replaced(const struct catalog_list *older, const struct catalog_list *newer,
			 bool is_event)
{
	for (size_t i = 0; i < newer->length; i++) {
		const struct catalog_entry *entry = newer->entries[i], *other;
		const struct catalog_file none = { .cpu = NULL };
		const struct catalog_entry wanted = {
			.key = entry->key, .pmu = is_event ? entry->pmu : NULL, .file = &none,
		};
		size_t index = catalog_list_find(older, &wanted);

		other = index < older->length ? older->entries[index] : NULL;
		if (entry->file->cpu || !other || strcmp(other->key, entry->key) ||
		    (is_event && (!other->pmu != !entry->pmu ||
				  (entry->pmu && strcmp(other->pmu, entry->pmu)))))
			continue;
		log_line(GPMU_LOG_WARNING, "%s: the definition in %s:%u replaces that in %s:%u",
			 entry->name, entry->file->name, entry->line, other->file->name,
			 other->line);
	}
}

/* Merges @older and the loaded entries into @merged; the load then has no entries. */
static int merge(struct gpmu_catalog *merged, const struct gpmu_catalog *older,
		 struct catalog_load *load)
{
	int ret = catalog_list_sort(load, &load->metrics);

	if (!ret)
		ret = catalog_list_sort(load, &load->events);
	if (!ret)
		ret = catalog_list_merge(&merged->metrics, &older->metrics, &load->metrics);
	if (!ret)
		ret = catalog_list_merge(&merged->events, &older->events, &load->events);
	if (!ret) {
		log_replaced(&older->metrics, &load->metrics, false);
		log_replaced(&older->events, &load->events, true);
	}
	load->metrics.length = 0;
	load->events.length = 0;
	return ret;
}

/* Bounds the linear search among entries of one name. */
static int check_namesakes(struct catalog_load *load, const struct catalog_list *list)
{
	const struct catalog_entry *entry;

	for (size_t i = CATALOG_MAX_NAMESAKES; i < list->length; i++) {
		entry = list->entries[i];
		if (!strcmp(entry->key, list->entries[i - CATALOG_MAX_NAMESAKES]->key))
			return catalog_fail(load, entry->file->name, entry->line, 0,
					    "%s: expected at most %d of one name", entry->name,
					    CATALOG_MAX_NAMESAKES);
	}
	return 0;
}

static void release_lists(struct gpmu_catalog *catalog)
{
	catalog_list_release(&catalog->metrics);
	catalog_list_release(&catalog->events);
	catalog_groups_release(&catalog->groups);
}

static int commit(struct gpmu_catalog *catalog, struct catalog_load *load)
{
	struct gpmu_catalog direct = { .order = 0 }, all = { .order = 0 };
	int ret;

	ret = merge(&direct, catalog, load);
	if (!ret)
		ret = catalog_resolve(load, &direct.metrics, &direct.events);
	if (!ret)
		ret = merge(&all, &direct, load);
	if (!ret)
		ret = check_namesakes(load, &all.metrics);
	if (!ret)
		ret = check_namesakes(load, &all.events);
	if (!ret)
		ret = catalog_groups_init(&all.groups, &all.metrics);
	release_lists(&direct);
	if (ret) {
		release_lists(&all);
		return ret;
	}
	release_lists(catalog);
	catalog->metrics = all.metrics;
	catalog->events = all.events;
	catalog->groups = all.groups;
	catalog->order = load->order;
	catalog_pool_take(&catalog->pool, &load->pool);
	take_warnings(&catalog->warnings, &load->warnings);
	return 0;
}

int catalog_load_init(struct catalog_load *load, const struct gpmu_catalog *catalog,
		      struct gpmu_error *error)
{
	*load = (struct catalog_load){
		.order = catalog->order,
		.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
		.error = error,
	};
	return load->locale ? 0 : error_no_memory(error);
}

int catalog_load_end(struct catalog_load *load, struct gpmu_catalog *catalog, int ret)
{
	if (!ret)
		ret = commit(catalog, load);
	catalog_list_release(&load->metrics);
	catalog_list_release(&load->events);
	catalog_pool_release(&load->pool);
	freelocale(load->locale);
	return ret == -ENOMEM ? error_no_memory(load->error) : ret;
}
