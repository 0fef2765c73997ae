// SPDX-License-Identifier: LGPL-2.1-or-later
/* Work of graphs by its name and the NVTX range in which the program created its node */
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

static uint64_t key_of(const struct timeline_node *node)
{
	return (uint64_t)node->name << 32 | node->range;
}

static int by_node(const void *left, const void *right)
{
	const struct timeline_node *a = left, *b = right;

	return COMPARE(key_of(a), key_of(b)) ?: COMPARE(a->file, b->file) ?: COMPARE(a->node, b->node);
}

/* The number of different nodes among @n entries in the order of by_node() */
static size_t count_nodes(const struct timeline_node *all, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += !i || all[i].node != all[i - 1].node || all[i].file != all[i - 1].file;
	return count;
}

static void put_nodes(struct gpmu_report *report, const struct report_tally *tally, const struct timeline_node *all)
{
	report_text(report, REPORT_NODES, report_string(report, all->range));
	report_text(report, REPORT_NODES, report_string(report, all->name));
	report_number(report, REPORT_NODES, (double)tally->count);
	report_number(report, REPORT_NODES, (double)count_nodes(all, tally->count));
	report_put_times(report, REPORT_NODES, tally);
}

void report_nodes(struct gpmu_report *report)
{
	struct timeline *timeline = &report->timeline;
	const struct timeline_node *all = timeline->nodes.list;
	struct report_entries entries = { 0 };
	struct report_tallies tallies;

	vector_sort(&timeline->nodes, by_node);
	for (size_t i = 0; i < timeline->nodes.n && !report->has_failed; i++)
		report_count(report, &entries, key_of(&all[i]), all[i].time, 0);
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->has_failed; all += tallies.list[i++].count)
		put_nodes(report, &tallies.list[i], all);
	vector_free(&tallies);
	report_table_done(report, REPORT_NODES, "total");
}
