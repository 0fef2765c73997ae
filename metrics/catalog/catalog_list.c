// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/vector.h"
#include "catalog/catalog.h"

void catalog_fold(char *key, const char *name)
{
	do
		*key++ = text_lower(*name);
	while (*name++);
}

const char *catalog_key_of(struct catalog_pool *pool, const char *name)
{
	char *key = catalog_pool_copy(pool, name, strlen(name));

	if (key)
		catalog_fold(key, name);
	return key;
}

int catalog_list_add(struct catalog_list *list, const struct catalog_entry *entry)
{
	if (vector_append_value(list->own, list->length, entry))
		return -ENOMEM;
	list->entries = list->own;
	return 0;
}

void catalog_list_release(struct catalog_list *list)
{
	free(list->own);
	*list = (struct catalog_list){ .length = 0 };
}

/* NULL is less than all texts. */
static int compare_texts(const char *a, const char *b)
{
	if (a == b || !a || !b)
		return !!a - !!b;
	return strcmp(a, b);
}

int catalog_compare(const struct catalog_entry *a, const struct catalog_entry *b)
{
	int order = strcmp(a->key, b->key);

	if (!order)
		order = compare_texts(a->pmu, b->pmu);
	if (!order)
		order = compare_texts(a->file->cpu, b->file->cpu);
	if (!order)
		order = compare_texts(a->compat, b->compat);
	return order;
}

static int compare_added(const void *a, const void *b)
{
	const struct catalog_entry *x = *(const struct catalog_entry *const *)a;
	const struct catalog_entry *y = *(const struct catalog_entry *const *)b;
	int order = catalog_compare(x, y);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

int catalog_list_sort(struct catalog_load *load, struct catalog_list *list)
{
	const struct catalog_entry **kept = list->own, *entry;

	if (list->length < 2)
		return 0;
	qsort(list->own, list->length, sizeof(struct catalog_entry *), compare_added);
	for (size_t i = 1; i < list->length; i++) {
		entry = list->own[i];
		if (catalog_compare(*kept, entry)) {
			*++kept = entry;
		} else if ((*kept)->file != entry->file) {
			*kept = entry;
		} else if (catalog_warn(load, entry->file->name, entry->line,
					"%s is in line %u too: left out", entry->name,
					(*kept)->line)) {
			return -ENOMEM;
		}
	}
	list->length = (size_t)(kept - list->own) + 1;
	return 0;
}

int catalog_list_merge(struct catalog_list *merged, const struct catalog_list *older,
		       const struct catalog_list *newer)
{
	size_t i = 0, j = 0;

	*merged = (struct catalog_list){ .length = 0 };
	while (i < older->length || j < newer->length) {
		int order = i == older->length ? 1 : j == newer->length ? -1 :
			    catalog_compare(older->entries[i], newer->entries[j]);

		if (catalog_list_add(merged, order < 0 ? older->entries[i] : newer->entries[j]))
			return -ENOMEM;
		i += order <= 0;
		j += order >= 0;
	}
	return 0;
}

size_t catalog_list_find(const struct catalog_list *list, const struct catalog_entry *entry)
{
	size_t first = 0, end = list->length, middle;

	while (first < end) {
		middle = first + (end - first) / 2;
		if (catalog_compare(list->entries[middle], entry) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}
