// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bytes of the host's memory that no copy moved, by process, kernel and memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report_memory.h"

/* --- the calls that allocated memory */

/* Memory in the order of the calls that allocated it */
struct order {
	const struct timeline_host_memory *host;
	uint32_t call;		/* name, or TIMELINE_NONE */
	bool is_runtime;
};

static int compare_call(const struct timeline_host_memory *host, uint32_t file, uint32_t correlation)
{
	return COMPARE(host->file, file) ?: COMPARE(host->correlation, correlation);
}

static int by_correlation(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	return compare_call(a->host, b->host->file, b->host->correlation);
}

/*
 * Processes of a file may use the same correlations, but the memory was allocated within its call. The runtime's call
 * takes precedence over the driver's in it.
 */
static void take_call(struct order *order, size_t n, const struct timeline_call *call)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_call(order[middle].host, call->file, call->correlation) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && !compare_call(order[low].host, call->file, call->correlation); low++) {
		if (order[low].is_runtime || call->begin > order[low].host->begin || order[low].host->begin > call->end)
			continue;
		order[low].call = call->name;
		order[low].is_runtime = !call->is_driver;
	}
}

static void make_label(struct gpmu_report *report, struct report_memory *memory, const struct order *order)
{
	const char *kind = report_string(report, order->host->kind);
	const char *text = order->call == TIMELINE_NONE ? kind :
			   report_print(report, "%s, %s", kind, report_string(report, order->call));

	if (strings_number(&report->timeline.strings, text,
			   &memory->labels[order->host - report->timeline.host_memory.list]))
		report->has_failed = true;
}

static void make_labels(struct gpmu_report *report, struct report_memory *memory)
{
	const struct timeline *timeline = &report->timeline;
	const size_t n = timeline->host_memory.n;
	struct order *order = calloc(n + 1, sizeof(*order));

	memory->labels = calloc(n + 1, sizeof(*memory->labels));
	report->has_failed = report->has_failed || !order || !memory->labels;
	for (size_t i = 0; i < n && !report->has_failed; i++)
		order[i] = (struct order){ .host = &timeline->host_memory.list[i], .call = TIMELINE_NONE };
	if (n && !report->has_failed)
		qsort(order, n, sizeof(*order), by_correlation);
	for (size_t i = 0; n && i < timeline->calls.n && !report->has_failed; i++)
		take_call(order, n, &timeline->calls.list[i]);
	for (size_t i = 0; i < n && !report->has_failed; i++)
		make_label(report, memory, &order[i]);
	free(order);
}

/* --- pinned memory on another node than its GPU's */

static const char *far_advice(struct gpmu_report *report, const char *node, const char *gpu_node)
{
	const int number = (int)strtol(gpu_node + strcspn(gpu_node, "0123456789"), NULL, 10);

	if (strstr(node, "GPU memory"))
		return report_print(report, "the memory belongs to a GPU (HBM): allocate it under numactl --membind=%d",
				    number);
	return report_print(report, "accesses cross nodes: allocate the memory under numactl --cpunodebind=%d --membind=%d",
			    number, number);
}

static void add_node(struct gpmu_report *report, struct report_memory *memory, const struct timeline_host_node *node)
{
	const struct timeline_host_memory *host = &report->timeline.host_memory.list[node->memory];
	const char *name = report_string(report, node->node);
	const uint32_t label = memory->labels[node->memory];
	struct report_memory_row *row;

	if (node->gpu_node == TIMELINE_NONE || node->gpu_node == node->node)
		return;
	row = report_memory_row(report, memory, "far %u %u %u %u %llu", host->file, host->process, label, node->node,
				(unsigned long long)host->bytes);
	if (!row)
		return;
	row->file = host->file;
	row->process = host->process;
	row->kernel = TIMELINE_NONE;
	row->what = "other node";
	row->memory = report_print(report, "%s, %s", report_string(report, label), name);
	row->advice = far_advice(report, name, report_string(report, node->gpu_node));
	row->buffers++;
	row->size += host->bytes;
	row->bytes += (double)node->bytes;
	row->confidence = NAN;
}

/* --- the table */

static void put_row(struct gpmu_report *report, const struct report_memory_row *row)
{
	report_text(report, REPORT_MEMORY, report_string(report, row->process));
	report_text(report, REPORT_MEMORY, report_rank(report, row->file));
	report_text(report, REPORT_MEMORY, row->what);
	report_text(report, REPORT_MEMORY, row->memory);
	report_number(report, REPORT_MEMORY, (double)row->buffers);
	report_number(report, REPORT_MEMORY, (double)row->size);
	report_number(report, REPORT_MEMORY, row->bytes);
	report_maybe(report, REPORT_MEMORY, row->is_split, row->in);
	report_maybe(report, REPORT_MEMORY, row->is_split, row->out);
	report_maybe(report, REPORT_MEMORY, row->faults > 0, (double)row->faults);
	report_maybe(report, REPORT_MEMORY, !isnan(row->confidence), row->confidence);
	report_text(report, REPORT_MEMORY, report_string(report, row->kernel));
	report_text(report, REPORT_MEMORY, row->advice);
}

void report_memory(struct gpmu_report *report)
{
	struct report_memory memory = { 0 };

	make_labels(report, &memory);
	if (!report->has_failed)
		report_unified(report, &memory);
	if (!report->has_failed)
		report_direct(report, &memory);
	for (size_t i = 0; i < report->timeline.host_nodes.n && !report->has_failed; i++)
		add_node(report, &memory, &report->timeline.host_nodes.list[i]);
	for (size_t i = 0; i < memory.rows.n && !report->has_failed; i++)
		put_row(report, &memory.rows.list[i]);
	vector_free(&memory.rows);
	map_release(&memory.numbers);
	free(memory.labels);
	report_table_done(report, REPORT_MEMORY, "bytes");
}
