// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects the work on each GPU: of all files, and of each file if there are several. */
#include <stdlib.h>

#include "report/report.h"

static uint32_t find(struct gpmu_report *report, uint32_t file, uint32_t gpu)
{
	for (uint32_t i = 0; i < report->loads.n; i++)
		if (report->loads.list[i].file == file && report->loads.list[i].gpu == gpu)
			return i;
	if (vector_push(&report->loads, &(struct report_load){ .file = file, .gpu = gpu })) {
		report->has_failed = true;
		return 0;
	}
	return (uint32_t)report->loads.n - 1;
}

/* Labels a GPU by its number; if two GPUs have the same number, also by machine or trace. */
static const char *label_of(struct gpmu_report *report, uint32_t gpu)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_gpu *own = &timeline->gpus.list[gpu];
	const struct timeline_file *file = &timeline->files.list[own->file];

	for (size_t i = 0; i < timeline->gpus.n; i++) {
		if (i == gpu || timeline->gpus.list[i].number != own->number)
			continue;
		return report_print(report, "%d, %s", own->number,
				    file->host == TIMELINE_NONE ?
					    file->path :
					    report_string(report, file->host));
	}
	return report_print(report, "%d", own->number);
}

static void make_gpus(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	for (uint32_t gpu = 0; gpu < timeline->gpus.n; gpu++)
		if (vector_push(&report->gpus,
				&(struct report_gpu){ .load = TIMELINE_NONE, .label = label_of(report, gpu) })) {
			report->has_failed = true;
			return;
		}
	report->stream_loads = calloc(timeline->streams.n + 1, sizeof(*report->stream_loads));
	report->has_failed = report->has_failed || !report->stream_loads;
}

/*
 * Sets the load of each stream and each GPU; they are equal if all streams of the GPU
 * belong to one file.
 */
static void make_places(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	for (uint32_t i = 0; i < timeline->streams.n && !report->has_failed; i++) {
		const struct timeline_stream *stream = &timeline->streams.list[i];
		uint32_t *whole = &report->gpus.list[stream->gpu].load;
		uint32_t own = find(report, stream->file, stream->gpu);

		report->stream_loads[i] = own;
		if (*whole == TIMELINE_NONE)
			*whole = own;
		else if (*whole != own)
			*whole = find(report, TIMELINE_NONE, stream->gpu);
	}
	for (uint32_t gpu = 0; gpu < timeline->gpus.n && !report->has_failed; gpu++)
		if (report->gpus.list[gpu].load == TIMELINE_NONE)
			report->gpus.list[gpu].load = find(report, TIMELINE_NONE, gpu);
}

static void take(struct gpmu_report *report, struct report_load *load,
		 const struct timeline_work *work)
{
	bool is_compute = work->kind == TIMELINE_KERNEL || work->kind == TIMELINE_GRAPH;

	if (spans_add(&load->busy, work->begin, work->end) ||
	    spans_add(is_compute ? &load->kernels : &load->copies, work->begin, work->end))
		report->has_failed = true;
	load->sum += work->end - work->begin;
	if (work->kind == TIMELINE_COPY)
		load->bytes += work->bytes;
}

void report_loads(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	make_gpus(report);
	if (!report->has_failed)
		make_places(report);
	for (size_t i = 0; i < timeline->works.n && !report->has_failed; i++) {
		const struct timeline_work *work = &timeline->works.list[i];
		const struct timeline_stream *stream = &timeline->streams.list[work->stream];
		uint32_t own = report->stream_loads[work->stream];
		uint32_t whole = report->gpus.list[stream->gpu].load;

		take(report, &report->loads.list[own], work);
		if (whole != own)
			take(report, &report->loads.list[whole], work);
	}
	for (size_t i = 0; i < report->loads.n && !report->has_failed; i++) {
		struct report_load *load = &report->loads.list[i];

		if (spans_several(&load->busy, &load->several))
			report->has_failed = true;
		spans_unite(&load->busy);
		spans_unite(&load->kernels);
		spans_unite(&load->copies);
	}
}

void report_loads_release(struct gpmu_report *report)
{
	for (size_t i = 0; i < report->loads.n; i++) {
		spans_release(&report->loads.list[i].busy);
		spans_release(&report->loads.list[i].kernels);
		spans_release(&report->loads.list[i].copies);
	}
	vector_free(&report->loads);
	vector_free(&report->gpus);
	free(report->stream_loads);
}

const char *report_counter_of(struct gpmu_report *report, const struct timeline_counter *counter)
{
	if (counter->gpu != TIMELINE_NONE)
		return report_print(report, "GPU %s", report->gpus.list[counter->gpu].label);
	return report_string(report, counter->parent);
}

struct span report_gpu_wall(const struct gpmu_report *report, uint32_t gpu)
{
	const struct timeline *timeline = &report->timeline;
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < timeline->files.n; i++) {
		const struct timeline_file *file = &timeline->files.list[i];
		bool has_work = timeline->gpus.list[gpu].file == i;

		for (size_t k = 0; k < report->loads.n && !has_work; k++)
			has_work = report->loads.list[k].file == i &&
				   report->loads.list[k].gpu == gpu;
		if (!has_work)
			continue;
		begin = file->begin < begin ? file->begin : begin;
		end = file->end > end ? file->end : end;
	}
	return end > begin ? (struct span){ .begin = begin, .end = end } : (struct span){ 0 };
}
