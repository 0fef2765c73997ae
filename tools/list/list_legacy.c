// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "list/list_items.h"
#include "list/list_legacy.h"

#define MAX_NAME	36	/* characters of the column; longer names push the others */

static bool is_selected(const struct list *list, const struct gpmu_legacy *legacy)
{
	return (list->kind == ITEM_EVENT ? legacy->is_event : list->kind != ITEM_METRIC || legacy->is_metric) &&
	       list_matches(list, legacy->name);
}

/* Returns the next name from *@index on that is listed, or NULL. */
static const struct gpmu_legacy *next(const struct list *list, size_t *index)
{
	const struct gpmu_legacy *legacy;

	do
		legacy = gpmu_legacy((*index)++);
	while (legacy && !is_selected(list, legacy));
	return legacy;
}

static const char *kind(const struct gpmu_legacy *legacy)
{
	return !legacy->is_event ? "metric" : legacy->is_metric ? "both" : "event";
}

void list_legacy_more(struct table *table, const struct gpmu_legacy *legacy)
{
	char *why_not = gpmu_legacy_why_not(legacy);

	list_more(table, "why not", why_not);
	list_more(table, "formula", legacy->formula);
	list_more(table, "match", legacy->match);
	list_more(table, "note", legacy->note);
	free(why_not);
}

static void put_table(const struct list *list)
{
	const struct gpmu_legacy *legacy;
	struct table table;

	table_init(&table, stdout, "");
	table_column(&table, "LEGACY NAME", 0, 0, MAX_NAME);
	table_column(&table, "KIND", 0, 0, 0);
	table_column(&table, "UNIT", TABLE_OPTIONAL, 0, 0);
	table_column(&table, "BY", 0, 0, 0);
	table_column(&table, "MATCH", 0, 0, 0);
	table_column(&table, "FORMULA", TABLE_CUT, 0, 0);
	for (size_t i = 0; (legacy = next(list, &i)); ) {
		table_cell(&table, "%s", legacy->name);
		table_cell(&table, "%s", kind(legacy));
		table_cell(&table, "%s", legacy->unit ? legacy->unit : "");
		table_cell(&table, "%s", gpmu_legacy_mode(legacy));
		table_cell(&table, "%s", legacy->match);
		table_cell(&table, "%s", legacy->formula ? legacy->formula : legacy->note);
		if (list->common.is_verbose) {
			list_more(&table, "details", legacy->description);
			list_legacy_more(&table, legacy);
		}
	}
	table_print(&table);
}

void list_legacy_json(const struct gpmu_legacy *legacy)
{
	char *why_not = gpmu_legacy_why_not(legacy);

	list_put_key("legacy", kind(legacy));
	list_put_key("collected", gpmu_legacy_mode(legacy));
	list_put_key("match", legacy->match);
	list_put_key("unit", legacy->unit);
	list_put_key("formula", legacy->formula);
	list_put_key("note", legacy->note);
	list_put_key("why_not", why_not);
	free(why_not);
}

static void put_json(const struct gpmu_legacy *legacy)
{
	printf("{\"gpmu\":%d", LIST_SCHEMA);
	list_put_key("kind", "legacy");
	list_put_key("name", legacy->name);
	list_put_key("description", legacy->description);
	list_legacy_json(legacy);
	puts("}");
}

int list_legacy(const struct list *list)
{
	const struct gpmu_legacy *legacy;
	size_t first = 0;

	if (list->kind >= 0 && list->kind != ITEM_METRIC && list->kind != ITEM_EVENT)
		die("--legacy lists metrics and events: expected metric, event or neither");
	if (!next(list, &first)) {
		if (!list->wants_names)
			say("no legacy name matches");
		return EXIT_FAILURE;
	}
	if (!list->wants_json && !list->wants_names) {
		put_table(list);
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; (legacy = next(list, &i)); )
		if (list->wants_json)
			put_json(legacy);
		else
			list_put_name(legacy->name);
	return EXIT_SUCCESS;
}
