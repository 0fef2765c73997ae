// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects the work on each GPU: of all files, and of each file if there are several. */
#include <stdlib.h>

#include "report/report.h"

struct report_place *report_place(const struct gpmu_report *report, size_t index)
{
	return (struct report_place *)report->places.data + index;
}

struct report_gpu *report_gpu(const struct gpmu_report *report, size_t index)
{
	return (struct report_gpu *)report->gpus.data + index;
}

static uint32_t find(struct gpmu_report *report, uint32_t file, uint32_t gpu)
{
	struct report_place *place;

	for (uint32_t i = 0; i < report->places.n; i++)
		if (report_place(report, i)->file == file && report_place(report, i)->gpu == gpu)
			return i;
	place = vector_add(&report->places, sizeof(*place));
	if (!place) {
		report->failed = true;
		return 0;
	}
	place->file = file;
	place->gpu = gpu;
	return (uint32_t)report->places.n - 1;
}

/* Labels a GPU by its number; if two GPUs have the same number, also by machine or trace. */
static const char *label_of(struct gpmu_report *report, uint32_t gpu)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_gpu *own = timeline_at(&timeline->gpus, struct timeline_gpu, gpu);
	const struct timeline_file *file = timeline_at(&timeline->files, struct timeline_file, own->file);

	for (size_t i = 0; i < timeline->gpus.n; i++) {
		if (i == gpu || timeline_at(&timeline->gpus, struct timeline_gpu, i)->number != own->number)
			continue;
		return report_print(report, "%d, %s", own->number,
				    file->host == TIMELINE_NONE ? file->path : report_string(report, file->host));
	}
	return report_print(report, "%d", own->number);
}

static void make_gpus(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	for (uint32_t gpu = 0; gpu < timeline->gpus.n; gpu++) {
		struct report_gpu *added = vector_add(&report->gpus, sizeof(*added));

		if (!added) {
			report->failed = true;
			return;
		}
		added->place = TIMELINE_NONE;
		added->label = label_of(report, gpu);
	}
	report->stream_places = calloc(timeline->streams.n + 1, sizeof(*report->stream_places));
	report->failed = report->failed || !report->stream_places;
}

/*
 * Sets the place of each stream and each GPU; they are equal if all streams of the GPU
 * belong to one file.
 */
static void make_places(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	for (uint32_t i = 0; i < timeline->streams.n && !report->failed; i++) {
		const struct timeline_stream *stream = timeline_at(&timeline->streams, struct timeline_stream, i);
		uint32_t *whole = &report_gpu(report, stream->gpu)->place;
		uint32_t own = find(report, stream->file, stream->gpu);

		report->stream_places[i] = own;
		if (*whole == TIMELINE_NONE)
			*whole = own;
		else if (*whole != own)
			*whole = find(report, TIMELINE_NONE, stream->gpu);
	}
	for (uint32_t gpu = 0; gpu < timeline->gpus.n && !report->failed; gpu++)
		if (report_gpu(report, gpu)->place == TIMELINE_NONE)
			report_gpu(report, gpu)->place = find(report, TIMELINE_NONE, gpu);
}

static void take(struct gpmu_report *report, struct report_place *place, const struct timeline_work *work)
{
	bool computes = work->kind == TIMELINE_KERNEL || work->kind == TIMELINE_GRAPH;

	if (spans_add(&place->busy, work->begin, work->end) ||
	    spans_add(computes ? &place->kernels : &place->copies, work->begin, work->end))
		report->failed = true;
	place->sum += work->end - work->begin;
	if (work->kind == TIMELINE_COPY)
		place->bytes += work->bytes;
}

void report_places(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;

	make_gpus(report);
	if (!report->failed)
		make_places(report);
	for (size_t i = 0; i < timeline->works.n && !report->failed; i++) {
		const struct timeline_work *work = timeline_at(&timeline->works, struct timeline_work, i);
		const struct timeline_stream *stream =
			timeline_at(&timeline->streams, struct timeline_stream, work->stream);
		uint32_t own = report->stream_places[work->stream];
		uint32_t whole = report_gpu(report, stream->gpu)->place;

		take(report, report_place(report, own), work);
		if (whole != own)
			take(report, report_place(report, whole), work);
	}
	for (size_t i = 0; i < report->places.n && !report->failed; i++) {
		struct report_place *place = report_place(report, i);

		if (spans_several(&place->busy, &place->several))
			report->failed = true;
		spans_unite(&place->busy);
		spans_unite(&place->kernels);
		spans_unite(&place->copies);
	}
}

void report_places_release(struct gpmu_report *report)
{
	for (size_t i = 0; i < report->places.n; i++) {
		spans_release(&report_place(report, i)->busy);
		spans_release(&report_place(report, i)->kernels);
		spans_release(&report_place(report, i)->copies);
	}
	vector_release(&report->places);
	vector_release(&report->gpus);
	free(report->stream_places);
}

const char *report_counter_of(struct gpmu_report *report, const struct timeline_counter *counter)
{
	if (counter->gpu != TIMELINE_NONE)
		return report_print(report, "GPU %s", report_gpu(report, counter->gpu)->label);
	return report_string(report, counter->of);
}

struct span report_gpu_wall(const struct gpmu_report *report, uint32_t gpu)
{
	const struct timeline *timeline = &report->timeline;
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < timeline->files.n; i++) {
		const struct timeline_file *file = timeline_at(&timeline->files, struct timeline_file, i);
		bool has = timeline_at(&timeline->gpus, struct timeline_gpu, gpu)->file == i;

		for (size_t k = 0; k < report->places.n && !has; k++)
			has = report_place(report, k)->file == i && report_place(report, k)->gpu == gpu;
		if (!has)
			continue;
		begin = file->begin < begin ? file->begin : begin;
		end = file->end > end ? file->end : end;
	}
	return end > begin ? (struct span){ .begin = begin, .end = end } : (struct span){ 0 };
}
