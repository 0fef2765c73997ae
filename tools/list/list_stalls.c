// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>

#include "list/list_stalls.h"
#include "trace/channel/gpmu_stall.h"

static void put_json(const struct gpmu_stall *stall)
{
	printf("{\"gpmu\":%d", LIST_SCHEMA);
	list_put_key("kind", "stall");
	list_put_key("name", stall->name);
	list_put_key("description", stall->description);
	puts("}");
}

static void put_row(struct table *table, const struct gpmu_stall *stall)
{
	table_cell(table, "%s", stall->name);
	table_cell(table, "%s", stall->description);
}

int list_stalls(const struct list *list)
{
	struct table table;
	size_t n = 0;

	table_init(&table, stdout, "");
	table_column(&table, "STALL REASON", 0, 0, 0);
	table_column(&table, "DESCRIPTION", TABLE_CUT, 0, 0);
	for (size_t i = 0; i < gpmu_stall_count; i++) {
		if (!list_matches(list, gpmu_stalls[i].name))
			continue;
		n++;
		if (list->wants_names)
			list_put_name(gpmu_stalls[i].name);
		else if (list->wants_json)
			put_json(&gpmu_stalls[i]);
		else
			put_row(&table, &gpmu_stalls[i]);
	}
	if (n && !list->wants_names && !list->wants_json)
		table_print(&table);
	else if (!n && !list->wants_names)
		say("no stall reason matches");
	return n ? EXIT_SUCCESS : EXIT_FAILURE;
}
