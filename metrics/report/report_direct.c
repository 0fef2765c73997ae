// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels that access the host's memory directly: bytes of the link to the host, less those of copies and of unified
 * memory in the same time, attributed to the kernels of each process as report_sharing.c does. What the link counts
 * beyond a copy's bytes, its overhead, is attributed to the copy.
 */
#include <stdlib.h>
#include <string.h>

#include "base/gpmu_double.h"
#include "report/report_memory.h"
#include "report/report_sharing.h"

/* Fewer bytes are the link's own traffic, such as launches. */
#define BYTES_MIN	1e6
#define SHARE_MIN	0.01	/* of all bytes of the link that no copy has moved */
#define OVERHEAD	0.25	/* of unified memory that moved while the kernel ran: up to 0.17 on PCIe of an H200 */

/* The works with the same name of a process */
struct group {
	uint32_t file, process, name;
	uint64_t begin, end;	/* from the first to the last */
};

struct groups {
	VECTOR(struct group) list;
	struct map owners;	/* number of a process by file and process */
	struct map numbers;	/* index in list by the process's number and name */
	uint32_t *keys;		/* index in list of each work */
};

/* Numbers the processes, as those of different files may have the same text. Returns the number or -1. */
static int64_t owner_of(struct groups *groups, const struct timeline_stream *stream)
{
	bool is_new;
	union map_cell *cell = map_add(&groups->owners, (uint64_t)stream->file << 32 | stream->process, &is_new);

	if (!cell)
		return -1;
	if (is_new)
		cell->number = groups->owners.n;
	return (int64_t)cell->number;
}

static void add_work(struct gpmu_report *report, struct groups *groups, size_t index)
{
	const struct timeline_work *work = &report->timeline.works.list[index];
	const struct timeline_stream *stream = &report->timeline.streams.list[work->stream];
	const int64_t owner = owner_of(groups, stream);
	struct group *group = NULL;

	if (owner >= 0)
		group = vector_element(&groups->list, &groups->numbers, (uint64_t)owner << 32 | work->name);
	if (!group) {
		report->has_failed = true;
		return;
	}
	groups->keys[index] = (uint32_t)(group - groups->list.list);
	group->begin = !group->end || work->begin < group->begin ? work->begin : group->begin;
	group->end = work->end > group->end ? work->end : group->end;
	group->file = stream->file;
	group->process = stream->process;
	group->name = work->name;
}

/* --- the bytes of a link that are not known */

/* Subtracts bytes that moved from @begin to @end, evenly, from the intervals that they overlap. */
static void subtract(struct report_steps *steps, uint64_t begin, uint64_t end, double bytes)
{
	size_t low = 0, high = steps->n;

	end = end > begin ? end : begin + 1;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (steps->list[middle].end <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < steps->n && steps->list[low].begin < end; low++) {
		struct report_step *step = &steps->list[low];
		const uint64_t from = step->begin > begin ? step->begin : begin, to = step->end < end ? step->end : end;

		step->rate -= bytes * (double)(to - from) / (double)(end - begin) / (double)(step->end - step->begin);
	}
}

static void subtract_known(struct gpmu_report *report, struct report_steps *steps, uint32_t gpu, enum report_way way)
{
	const struct timeline *timeline = &report->timeline;

	for (size_t i = 0; i < timeline->works.n; i++) {
		const struct timeline_work *work = &timeline->works.list[i];

		if (work->kind == TIMELINE_COPY && timeline->streams.list[work->stream].gpu == gpu &&
		    report_is_in_direction(report_string(report, work->name), way))
			subtract(steps, work->begin, work->end, (double)work->bytes);
	}
	for (size_t i = 0; i < timeline->unified.n; i++) {
		const struct timeline_unified *unified = &timeline->unified.list[i];
		const char *name = report_string(report, unified->name);

		if (unified->gpu == gpu && !strncmp(name, "bytes", 5) && report_is_in_direction(name, way))
			subtract(steps, unified->begin, unified->end, (double)unified->value);
	}
}

static void share_series(struct gpmu_report *report, struct report_sharing *sharing, uint32_t gpu,
			 const struct report_series *series)
{
	struct report_steps steps = { .n = series->steps.n };

	steps.list = malloc((steps.n + 1) * sizeof(*steps.list));
	if (!steps.list) {
		report->has_failed = true;
		return;
	}
	if (steps.n)
		memcpy(steps.list, series->steps.list, steps.n * sizeof(*steps.list));
	subtract_known(report, &steps, gpu, series->way);
	report_sharing_add(report, sharing, &steps, series->way);
	free(steps.list);
}

/* The counters of the GPU's link to the host */
static const struct report_link *link_of(const struct gpmu_report *report, uint32_t gpu)
{
	const struct report_link *links = report->gpus.list[gpu].links;

	return &links[links[REPORT_C2C].n ? REPORT_C2C : REPORT_PCIE];
}

static bool has_link(const struct gpmu_report *report)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		if (link_of(report, gpu)->n)
			return true;
	return false;
}

static void share_gpu(struct gpmu_report *report, struct report_sharing *sharing, uint32_t gpu)
{
	const struct report_link *link = link_of(report, gpu);

	if (link->n)
		report_sharing_begin(report, sharing, gpu);
	for (size_t i = 0; i < link->n && !report->has_failed; i++)
		share_series(report, sharing, gpu, &link->list[i]);
}

/* --- rows */

/* Adds the memory of the process that existed while the kernel ran, and returns its kinds: "pinned, managed". */
static const char *find_memory(struct gpmu_report *report, const struct group *group, struct report_memory_row *row)
{
	const struct timeline *timeline = &report->timeline;
	const char *kinds = "";

	for (size_t i = 0; i < timeline->host_memory.n; i++) {
		const struct timeline_host_memory *host = &timeline->host_memory.list[i];
		const char *kind = report_string(report, host->kind);

		if (host->file != group->file || host->process != group->process || host->begin > group->end ||
		    host->end < group->begin)
			continue;
		row->buffers++;
		row->size += host->bytes;
		if (!strstr(kinds, kind))
			kinds = report_print(report, "%s%s%s", kinds, *kinds ? ", " : "", kind);
	}
	return *kinds ? kinds : "not known";
}

/*
 * Bytes of unified memory that moved while the kernel ran. Their overhead on the link cannot be distinguished from the
 * kernel's bytes.
 */
static double find_unified(const struct report_memory *memory, const struct group *group)
{
	double bytes = 0;

	for (size_t i = 0; i < memory->rows.n; i++) {
		const struct report_memory_row *row = &memory->rows.list[i];

		if (row->is_unified && row->file == group->file && row->process == group->process &&
		    row->kernel == group->name)
			bytes += row->bytes;
	}
	return bytes;
}

static void add_row(struct gpmu_report *report, struct report_memory *memory, const struct group *group,
		    const struct report_share *share, bool is_split)
{
	struct report_memory_row *row;

	row = report_memory_row(report, memory, "direct %u %u %u", group->file, group->process, group->name);
	if (!row)
		return;
	row->file = group->file;
	row->process = group->process;
	row->kernel = group->name;
	row->what = "direct";
	row->in = share->ways[REPORT_IN];
	row->out = share->ways[REPORT_OUT];
	row->bytes = report_sum_of_ways(share->ways);
	row->is_split = is_split;
	row->confidence = share->sure / row->bytes;
	row->memory = find_memory(report, group, row);
	row->advice = "the kernel waits for the link: copy data that it reuses to the GPU first";
}

static void add_rows(struct gpmu_report *report, struct report_memory *memory, const struct groups *groups,
		     const struct report_sharing *sharing)
{
	double all = report_sum_of_ways(sharing->nobody), both = sharing->nobody[REPORT_BOTH];

	for (size_t i = 0; i < groups->list.n; i++) {
		all += report_sum_of_ways(sharing->shares[i].ways);
		both += sharing->shares[i].ways[REPORT_BOTH];
	}
	for (size_t i = 0; i < groups->list.n && !report->has_failed; i++) {
		const struct report_share *share = &sharing->shares[i];
		const double bytes = report_sum_of_ways(share->ways);

		if ((share->kind == TIMELINE_KERNEL || share->kind == TIMELINE_GRAPH) &&
		    bytes >= gpmu_double_max(BYTES_MIN, SHARE_MIN * all) &&
		    bytes > OVERHEAD * find_unified(memory, &groups->list.list[i]))
			add_row(report, memory, &groups->list.list[i], share, both == 0);
	}
}

void report_direct(struct gpmu_report *report, struct report_memory *memory)
{
	struct report_sharing sharing = { 0 };
	struct groups groups = { 0 };

	if (!has_link(report))
		return;
	groups.keys = calloc(report->timeline.works.n + 1, sizeof(*groups.keys));
	report->has_failed = report->has_failed || !groups.keys;
	for (size_t i = 0; i < report->timeline.works.n && !report->has_failed; i++)
		add_work(report, &groups, i);
	if (!report->has_failed)
		report_sharing_init(report, &sharing, groups.list.n, groups.keys);
	for (uint32_t gpu = 0; gpu < report->gpus.n && !report->has_failed; gpu++)
		share_gpu(report, &sharing, gpu);
	if (!report->has_failed)
		add_rows(report, memory, &groups, &sharing);
	report_sharing_release(&sharing);
	vector_free(&groups.list);
	map_release(&groups.owners);
	map_release(&groups.numbers);
	free(groups.keys);
}
