// SPDX-License-Identifier: LGPL-2.1-or-later
/* How each GPU, and each stream, spent its time. */
#include <stdlib.h>

#include "report/report.h"

static void put_gpu(struct gpmu_report *report, uint32_t index)
{
	const struct timeline_gpu *gpu = &report->timeline.gpus.list[index];
	const struct report_load *load = &report->loads.list[report->gpus.list[index].load];
	const struct span whole = report_gpu_wall(report, index);
	/* Work launched during the recording may end after it. */
	uint64_t wall = whole.end - whole.begin,
		 busy = spans_within(&load->busy, whole.begin, whole.end);
	uint64_t idle = wall - busy;

	report_text(report, REPORT_GPUS, report->gpus.list[index].label);
	report_number(report, REPORT_GPUS, (double)wall);
	report_number(report, REPORT_GPUS, (double)busy);
	report_number(report, REPORT_GPUS, (double)idle);
	report_maybe(report, REPORT_GPUS, wall > 0, (double)idle / (double)wall);
	report_number(report, REPORT_GPUS, (double)spans_total(&load->kernels));
	report_number(report, REPORT_GPUS, (double)spans_total(&load->copies));
	report_number(report, REPORT_GPUS, (double)spans_common(&load->kernels, &load->copies));
	report_number(report, REPORT_GPUS, (double)load->several);
	report_maybe(report, REPORT_GPUS, load->sum > 0,
		     (double)load->sum / (double)spans_total(&load->busy));
	report_text(report, REPORT_GPUS, report_string(report, gpu->name));
	report_put_text(report, REPORT_GPUS, gpu->uuid);
}

struct stream {
	struct spans busy;
	uint64_t kernels, kernel_time, copies, bytes;
};

static void take(struct gpmu_report *report, struct stream *stream,
		 const struct timeline_work *work)
{
	if (spans_add(&stream->busy, work->begin, work->end))
		report->has_failed = true;
	if (work->kind == TIMELINE_KERNEL || work->kind == TIMELINE_GRAPH) {
		stream->kernels++;
		stream->kernel_time += work->end - work->begin;
	} else if (work->kind == TIMELINE_COPY) {
		stream->copies++;
		stream->bytes += work->bytes;
	}
}

static void put_stream(struct gpmu_report *report, uint32_t index, struct stream *stream)
{
	const struct timeline_stream *known = &report->timeline.streams.list[index];
	const struct timeline_file *file = &report->timeline.files.list[known->file];
	uint64_t wall = timeline_wall(file), busy;

	spans_unite(&stream->busy);
	busy = spans_total(&stream->busy);
	report_text(report, REPORT_STREAMS, report_string(report, known->name));
	report_text(report, REPORT_STREAMS, report->gpus.list[known->gpu].label);
	report_text(report, REPORT_STREAMS, report_rank(report, known->file));
	report_number(report, REPORT_STREAMS, (double)stream->kernels);
	report_number(report, REPORT_STREAMS, (double)stream->kernel_time);
	report_number(report, REPORT_STREAMS, (double)stream->copies);
	report_number(report, REPORT_STREAMS, (double)stream->bytes);
	report_number(report, REPORT_STREAMS, (double)busy);
	report_maybe(report, REPORT_STREAMS, wall > 0, (double)busy / (double)wall);
}

static void make_streams(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	size_t n = timeline->streams.n;
	struct stream *streams = calloc(n + 1, sizeof(*streams));

	if (!streams) {
		report->has_failed = true;
		return;
	}
	for (size_t i = 0; i < timeline->works.n && !report->has_failed; i++) {
		const struct timeline_work *work = &timeline->works.list[i];

		take(report, &streams[work->stream], work);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!report->has_failed)
			put_stream(report, i, &streams[i]);
		spans_release(&streams[i].busy);
	}
	free(streams);
	report_table_done(report, REPORT_STREAMS, "busy");
}

void report_gpus(struct gpmu_report *report)
{
	for (uint32_t i = 0; i < report->gpus.n && !report->has_failed; i++)
		put_gpu(report, i);
	report_table_done(report, REPORT_GPUS, NULL);
	if (!report->has_failed)
		make_streams(report);
}
