// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "catalog/catalog.h"

static int compare_members(const void *a, const void *b)
{
	const struct catalog_group *x = a, *y = b;
	int order = text_compare(x->name, y->name);

	return order ? order : catalog_compare(&x->metric->entry, &y->metric->entry);
}

static size_t count_members(const struct catalog_list *metrics)
{
	const struct gpmu_metric *metric;
	const char *const *group;
	size_t n = 0;

	for (size_t i = 0; i < metrics->length; i++) {
		metric = (const struct gpmu_metric *)metrics->entries[i];
		for (group = metric->groups; group && *group; group++)
			n++;
	}
	return n;
}

/* Sorts pairs, removes duplicates, sets where each group starts; returns how many groups. */
static size_t sort_members(struct catalog_group *members, size_t length, size_t *starts)
{
	size_t n = 0, count = 0;

	qsort(members, length, sizeof(*members), compare_members);
	for (size_t i = 0; i < length; i++) {
		bool is_first = !n || text_compare(members[i].name, members[n - 1].name);

		if (!is_first && members[i].metric == members[n - 1].metric)
			continue;
		if (is_first)
			starts[count++] = n;
		members[n++] = members[i];
	}
	starts[count] = n;
	return count;
}

int catalog_groups_init(struct catalog_groups *groups, const struct catalog_list *metrics)
{
	size_t n = count_members(metrics), length = 0, *starts;
	const struct gpmu_metric *metric;
	struct catalog_group *members;
	const char *const *group;

	*groups = (struct catalog_groups){ .count = 0 };
	if (!n)
		return 0;
	members = malloc(n * sizeof(*members) + (n + 1) * sizeof(*starts));
	if (!members)
		return -ENOMEM;
	starts = (size_t *)(members + n);
	for (size_t i = 0; i < metrics->length; i++) {
		metric = (const struct gpmu_metric *)metrics->entries[i];
		for (group = metric->groups; group && *group; group++)
			members[length++] = (struct catalog_group){ *group, metric };
	}
	groups->count = sort_members(members, length, starts);
	groups->members = groups->own = members;
	groups->starts = starts;
	return 0;
}

void catalog_groups_release(struct catalog_groups *groups)
{
	free(groups->own);
	*groups = (struct catalog_groups){ .count = 0 };
}

const char *gpmu_catalog_group(const struct gpmu_catalog *catalog, size_t index)
{
	const struct catalog_groups *groups = &catalog->groups;

	return index < groups->count ? groups->members[groups->starts[index]].name : NULL;
}

const struct gpmu_metric *gpmu_catalog_group_metric(const struct gpmu_catalog *catalog,
						    const char *group, size_t index)
{
	const struct catalog_groups *groups = &catalog->groups;
	size_t first = 0, end = groups->count, middle;
	int order;

	while (first < end) {
		middle = first + (end - first) / 2;
		order = text_compare(groups->members[groups->starts[middle]].name, group);
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
