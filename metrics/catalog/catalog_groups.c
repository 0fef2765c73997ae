// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* ASCII's letters alike, in any locale */
static int compare_names(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) - lower(*b);
}

static int compare_members(const void *a, const void *b)
{
	const struct catalog_group *x = a, *y = b;
	int order = compare_names(x->name, y->name);

	return order ? order : catalog_compare(&x->metric->entry, &y->metric->entry);
}

static size_t count_members(const struct catalog_list *metrics)
{
	const struct gpmu_metric *metric;
	size_t i, n = 0;
	const char **group;

	for (i = 0; i < metrics->length; i++) {
		metric = (const struct gpmu_metric *)metrics->entries[i];
		for (group = metric->groups; group && *group; group++)
			n++;
	}
	return n;
}

/* Sorts the members, takes out those that are there twice, and marks where groups begin. */
static void sort_members(struct catalog_groups *groups)
{
	struct catalog_group *members = groups->members;
	size_t i, n = 0;

	qsort(members, groups->length, sizeof(*members), compare_members);
	for (i = 0; i < groups->length; i++) {
		bool first = !n || compare_names(members[i].name, members[n - 1].name);

		if (!first && members[i].metric == members[n - 1].metric)
			continue;
		if (first)
			groups->starts[groups->n_groups++] = n;
		members[n++] = members[i];
	}
	groups->starts[groups->n_groups] = n;
	groups->length = n;
}

int catalog_groups_init(struct catalog_groups *groups, const struct catalog_list *metrics)
{
	size_t i, n = count_members(metrics);
	const struct gpmu_metric *metric;
	const char **group;

	*groups = (struct catalog_groups){ .length = 0 };
	if (!n)
		return 0;
	groups->members = malloc(n * sizeof(*groups->members));
	groups->starts = malloc((n + 1) * sizeof(*groups->starts));
	if (!groups->members || !groups->starts) {
		catalog_groups_release(groups);
		return -ENOMEM;
	}
	for (i = 0; i < metrics->length; i++) {
		metric = (const struct gpmu_metric *)metrics->entries[i];
		for (group = metric->groups; group && *group; group++)
			groups->members[groups->length++] =
				(struct catalog_group){ *group, metric };
	}
	sort_members(groups);
	return 0;
}

void catalog_groups_release(struct catalog_groups *groups)
{
	free(groups->members);
	free(groups->starts);
	*groups = (struct catalog_groups){ .length = 0 };
}

const char *gpmu_catalog_group(const struct gpmu_catalog *catalog, size_t index)
{
	const struct catalog_groups *groups = &catalog->groups;

	if (catalog_need(catalog))
		return NULL;
	return index < groups->n_groups ? groups->members[groups->starts[index]].name : NULL;
}

const struct gpmu_metric *gpmu_catalog_group_metric(const struct gpmu_catalog *catalog,
						    const char *group, size_t index)
{
	const struct catalog_groups *groups = &catalog->groups;
	size_t first = 0, end, middle;
	int order;

	if (catalog_need(catalog))
		return NULL;
	end = groups->n_groups;
	while (first < end) {
		middle = first + (end - first) / 2;
		order = compare_names(groups->members[groups->starts[middle]].name, group);
		if (!order) {
			if (index >= groups->starts[middle + 1] - groups->starts[middle])
				return NULL;
			return groups->members[groups->starts[middle] + index].metric;
		}
		if (order < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}
