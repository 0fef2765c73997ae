// SPDX-License-Identifier: LGPL-2.1-or-later
/* Transfers and faults of unified memory, by the memory that has the address and the kernel that ran at the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report_memory.h"

#define NEIGHBOURS	64	/* memory at lower addresses that is examined */

struct finder {
	struct report_memory *memory;
	const struct timeline_host_memory **managed;	/* sorted by process and address */
	size_t managed_count;
	const struct timeline_work **kernels;		/* sorted by GPU and begin */
	uint64_t *ends;		/* by kernel: latest end of the kernels up to this one on its GPU */
	size_t kernel_count;
	struct map pairs;	/* keys: row and memory */
};

static int by_address(const void *left, const void *right)
{
	const struct timeline_host_memory *a = *(const struct timeline_host_memory *const *)left;
	const struct timeline_host_memory *b = *(const struct timeline_host_memory *const *)right;

	return COMPARE(a->file, b->file) ?: COMPARE(a->process, b->process) ?: COMPARE(a->address, b->address) ?:
	       COMPARE(a->begin, b->begin);
}

static uint32_t gpu_of(const struct gpmu_report *report, const struct timeline_work *work)
{
	return report->timeline.streams.list[work->stream].gpu;
}

static int by_gpu(const void *left, const void *right, void *user)
{
	const struct timeline_work *a = *(const struct timeline_work *const *)left;
	const struct timeline_work *b = *(const struct timeline_work *const *)right;

	return COMPARE(gpu_of(user, a), gpu_of(user, b)) ?: COMPARE(a->begin, b->begin);
}

static void list_managed(struct gpmu_report *report, struct finder *finder)
{
	const struct timeline *timeline = &report->timeline;

	for (size_t i = 0; i < timeline->host_memory.n; i++)
		if (!strncmp(report_string(report, timeline->host_memory.list[i].kind), "managed", 7))
			finder->managed[finder->managed_count++] = &timeline->host_memory.list[i];
	if (finder->managed_count)
		qsort(finder->managed, finder->managed_count, sizeof(struct timeline_host_memory *), by_address);
}

static void list_kernels(struct gpmu_report *report, struct finder *finder)
{
	const struct timeline *timeline = &report->timeline;
	uint64_t end = 0;

	for (size_t i = 0; i < timeline->works.n; i++)
		if (timeline->works.list[i].kind == TIMELINE_KERNEL || timeline->works.list[i].kind == TIMELINE_GRAPH)
			finder->kernels[finder->kernel_count++] = &timeline->works.list[i];
	if (finder->kernel_count)
		qsort_r(finder->kernels, finder->kernel_count, sizeof(struct timeline_work *), by_gpu, report);
	for (size_t i = 0; i < finder->kernel_count; i++) {
		const struct timeline_work *work = finder->kernels[i];

		if (!i || gpu_of(report, work) != gpu_of(report, finder->kernels[i - 1]))
			end = 0;
		end = work->end > end ? work->end : end;
		finder->ends[i] = end;
	}
}

/* Number of elements of the sorted @list that are not greater than @key */
static size_t count_before(const void *list, size_t n, const void *key,
			   int (*compare)(const void *, const void *))
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare((const char *)list + middle * sizeof(void *), key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the memory that has the address and was allocated last before the time, or NULL. */
static const struct timeline_host_memory *find_memory(const struct finder *finder,
						      const struct timeline_unified *unified)
{
	const struct timeline_host_memory wanted = {
		.file = unified->file, .process = unified->process, .address = unified->address,
		.begin = unified->begin,
	};
	const struct timeline_host_memory *key = &wanted, *found = NULL;
	size_t i = count_before(finder->managed, finder->managed_count, &key, by_address);

	for (size_t left = NEIGHBOURS; i && left; i--, left--) {
		const struct timeline_host_memory *memory = finder->managed[i - 1];

		if (memory->file != wanted.file || memory->process != wanted.process)
			break;
		if (wanted.address - memory->address < memory->bytes && memory->begin <= wanted.begin &&
		    (!found || memory->begin > found->begin))
			found = memory;
	}
	return found;
}

/* Returns the name of the kernel of the process that ran longest in the time, or TIMELINE_NONE. */
static uint32_t find_kernel(const struct gpmu_report *report, const struct finder *finder,
			    const struct timeline_unified *unified)
{
	const uint64_t begin = unified->begin, end = unified->end > begin ? unified->end : begin + 1;
	uint32_t name = TIMELINE_NONE;
	uint64_t longest = 0;
	size_t i = 0, high = finder->kernel_count;

	while (i < high) {
		const size_t middle = i + (high - i) / 2;
		const uint32_t gpu = gpu_of(report, finder->kernels[middle]);

		if (gpu < unified->gpu || (gpu == unified->gpu && finder->kernels[middle]->begin < end))
			i = middle + 1;
		else
			high = middle;
	}
	for (; i && gpu_of(report, finder->kernels[i - 1]) == unified->gpu && finder->ends[i - 1] > begin; i--) {
		const struct timeline_work *work = finder->kernels[i - 1];
		const struct timeline_stream *stream = &report->timeline.streams.list[work->stream];
		const uint64_t from = work->begin > begin ? work->begin : begin, to = work->end < end ? work->end : end;

		if (to <= from || to - from <= longest || stream->process != unified->process ||
		    stream->file != unified->file)
			continue;
		longest = to - from;
		name = work->name;
	}
	return name;
}

static void count_memory(struct gpmu_report *report, struct finder *finder, struct report_memory_row *row,
			 const struct timeline_host_memory *memory)
{
	const uint64_t index = (uint64_t)(memory - report->timeline.host_memory.list);
	bool is_new;

	if (!map_add(&finder->pairs, (uint64_t)(row - finder->memory->rows.list) << 32 | index, &is_new)) {
		report->has_failed = true;
	} else if (is_new) {
		row->buffers++;
		row->size += memory->bytes;
	}
}

static void count_bytes(struct report_memory_row *row, const char *name, uint64_t value)
{
	if (strncmp(name, "bytes", 5) != 0) {
		row->faults += value;
		return;
	}
	row->bytes += (double)value;
	if (report_is_in_direction(name, REPORT_IN))
		row->in += (double)value;
	else if (report_is_in_direction(name, REPORT_OUT))
		row->out += (double)value;
}

static void add_unified(struct gpmu_report *report, struct finder *finder, const struct timeline_unified *unified)
{
	const struct timeline_host_memory *memory = find_memory(finder, unified);
	const size_t index = memory ? (size_t)(memory - report->timeline.host_memory.list) : 0;
	const char *label = memory ? report_string(report, finder->memory->labels[index]) : "not known";
	const uint32_t kernel = find_kernel(report, finder, unified);
	struct report_memory_row *row;

	row = report_memory_row(report, finder->memory, "unified %u %u %u %llu %s", unified->file, unified->process,
				kernel, memory ? (unsigned long long)memory->bytes : 0, label);
	if (!row)
		return;
	row->file = unified->file;
	row->process = unified->process;
	row->kernel = kernel;
	row->what = "unified";
	row->memory = label;
	row->confidence = NAN;
	row->is_split = row->is_unified = true;
	count_bytes(row, report_string(report, unified->name), unified->value);
	if (memory)
		count_memory(report, finder, row, memory);
}

static const char *advice_of(const struct report_memory_row *row)
{
	if (row->kernel == TIMELINE_NONE && row->faults)
		return "the host faults: prefetch the memory back by cudaMemPrefetchAsync(), or copy what the host needs";
	if (row->kernel != TIMELINE_NONE && row->out > 0)
		return "memory leaves the GPU while the kernel runs: the GPU's memory is full, or the host accesses it";
	if (row->faults)
		return "the kernel waits for faults: prefetch the memory by cudaMemPrefetchAsync() before the launch";
	return "the memory moved without faults, as by cudaMemPrefetchAsync()";
}

void report_unified(struct gpmu_report *report, struct report_memory *memory)
{
	const struct timeline *timeline = &report->timeline;
	struct finder finder = {
		.memory = memory, .managed = calloc(timeline->host_memory.n + 1, sizeof(struct timeline_host_memory *)),
		.kernels = calloc(timeline->works.n + 1, sizeof(struct timeline_work *)),
		.ends = calloc(timeline->works.n + 1, sizeof(*finder.ends)),
	};
	const size_t first = memory->rows.n;

	report->has_failed = report->has_failed || !finder.managed || !finder.kernels || !finder.ends;
	if (!report->has_failed) {
		list_managed(report, &finder);
		list_kernels(report, &finder);
	}
	for (size_t i = 0; i < timeline->unified.n && !report->has_failed; i++)
		add_unified(report, &finder, &timeline->unified.list[i]);
	for (size_t i = first; i < memory->rows.n; i++)
		memory->rows.list[i].advice = advice_of(&memory->rows.list[i]);
	map_release(&finder.pairs);
	free(finder.managed);
	free(finder.kernels);
	free(finder.ends);
}
