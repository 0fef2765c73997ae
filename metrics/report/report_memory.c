// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bytes of the host's memory that no copy moved, by process, kernel and memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report_memory.h"

/* --- the calls that allocated memory */

static int by_correlation(const void *left, const void *right)
{
	const struct timeline_call *a = *(const struct timeline_call *const *)left;
	const struct timeline_call *b = *(const struct timeline_call *const *)right;

	/* The runtime's call is before the driver's call in it. */
	return COMPARE(a->file, b->file) ?: COMPARE(a->correlation, b->correlation) ?: COMPARE(a->is_driver, b->is_driver);
}

/* Processes of a file may use the same correlations, but the memory was allocated within its call. */
static const char *find_call(const struct gpmu_report *report, const struct timeline_call **calls, size_t n,
			     const struct timeline_host_memory *memory)
{
	const struct timeline_call wanted = { .file = memory->file & ((1U << 30) - 1), .correlation = memory->correlation };
	const struct timeline_call *key = &wanted;
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_correlation(&calls[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && calls[low]->file == wanted.file && calls[low]->correlation == wanted.correlation; low++)
		if (calls[low]->begin <= memory->begin && memory->begin <= calls[low]->end)
			return report_string(report, calls[low]->name);
	return NULL;
}

static void make_labels(struct gpmu_report *report, struct report_memory *memory)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_call **calls = calloc(timeline->calls.n + 1, sizeof(*calls));

	memory->labels = calloc(timeline->host_memory.n + 1, sizeof(*memory->labels));
	report->has_failed = report->has_failed || !calls || !memory->labels;
	for (size_t i = 0; i < timeline->calls.n && !report->has_failed; i++)
		calls[i] = &timeline->calls.list[i];
	if (!report->has_failed && timeline->calls.n)
		qsort(calls, timeline->calls.n, sizeof(*calls), by_correlation);
	for (size_t i = 0; i < timeline->host_memory.n && !report->has_failed; i++) {
		const struct timeline_host_memory *host = &timeline->host_memory.list[i];
		const char *call = find_call(report, calls, timeline->calls.n, host), *kind = report_string(report, host->kind);
		const char *text = call ? report_print(report, "%s, %s", kind, call) : kind;

		report->has_failed = report->has_failed ||
				     strings_number(&report->timeline.strings, text, &memory->labels[i]);
	}
	free(calls);
}

/* --- pinned memory on another node than its GPU's */

static const char *far_advice(struct gpmu_report *report, const char *node, const char *gpu_node)
{
	const int number = atoi(gpu_node + strcspn(gpu_node, "0123456789"));

	if (strstr(node, "GPU memory"))
		return report_print(report, "is in memory of a GPU (HBM): allocate it under numactl --membind=%d", number);
	return report_print(report, "crosses nodes: allocate it under numactl --cpunodebind=%d --membind=%d", number,
			    number);
}

static void add_node(struct gpmu_report *report, struct report_memory *memory, const struct timeline_node *node)
{
	const struct timeline_host_memory *host = &report->timeline.host_memory.list[node->memory];
	const char *label = report_string(report, memory->labels[node->memory]), *name = report_string(report, node->node);
	struct report_memory_row *row;

	if (node->gpu_node == TIMELINE_NONE || node->gpu_node == node->node)
		return;
	row = report_memory_row(report, memory, "far %u %u %u %u %llu", host->file, host->process, memory->labels[node->memory],
				node->node, (unsigned long long)host->bytes);
	if (!row)
		return;
	row->file = host->file;
	row->process = host->process;
	row->kernel = TIMELINE_NONE;
	row->what = "other node";
	row->memory = report_print(report, "%s, %s", label, name);
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
	for (size_t i = 0; i < report->timeline.nodes.n && !report->has_failed; i++)
		add_node(report, &memory, &report->timeline.nodes.list[i]);
	for (size_t i = 0; i < memory.rows.n && !report->has_failed; i++)
		put_row(report, &memory.rows.list[i]);
	vector_free(&memory.rows);
	map_release(&memory.numbers);
	free(memory.labels);
	report_table_done(report, REPORT_MEMORY, "bytes");
}
