// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of Arm SPE in the NVTX ranges and regions of their thread, by tier and home of the data. */
#include <stdlib.h>

#include "report/report.h"

static int by_thread(const void *one, const void *other)
{
	const struct timeline_sample *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

/* The index of the first sample of @thread at @time or later, or of a later thread */
static size_t first_sample(const struct vector *samples, uint32_t thread, uint64_t time)
{
	const struct timeline_sample key = { .time = time, .thread = thread };
	size_t low = 0, high = samples->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_thread(timeline_at(samples, struct timeline_sample, middle), &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Counts the samples in a range by their tier and home, and returns their number. */
static uint64_t count_in(const struct vector *samples, const struct timeline_slice *range, struct timeline_samples *sums)
{
	size_t first = first_sample(samples, range->thread, range->begin), i;

	for (i = first; i < samples->n; i++) {
		const struct timeline_sample *sample = timeline_at(samples, struct timeline_sample, i);

		if (sample->thread != range->thread || sample->time >= range->end)
			break;
		timeline_count(&sums[sample->samples], sample->latency);
	}
	return i - first;
}

/* @ranges: indices of the ranges of one name */
static void put_ranges(struct gpmu_report *report, const size_t *ranges, size_t n, struct timeline_samples *sums)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_slice *all = timeline->ranges.data, *first = &all[ranges[0]];
	uint64_t count = 0;

	for (size_t i = 0; i < timeline->samples.n; i++) {
		const struct timeline_samples *known = timeline_at(&timeline->samples, struct timeline_samples, i);

		sums[i] = (struct timeline_samples){ .tier = known->tier, .home = known->home };
	}
	for (size_t i = 0; i < n; i++)
		if (all[ranges[i]].thread != TIMELINE_NONE)
			count += count_in(&timeline->thread_samples, &all[ranges[i]], sums);
	/* A share is a share of all samples. Operations other than loads and stores have no row. */
	for (size_t i = 0; i < timeline->samples.n; i++) {
		if (!sums[i].count || sums[i].tier == TIMELINE_NONE)
			continue;
		report_text(report, REPORT_NVTX_TIERS, report_string(report, first->name));
		report_text(report, REPORT_NVTX_TIERS, report_string(report, first->other));
		report_put_text(report, REPORT_NVTX_TIERS, sums[i].tier);
		report_put_text(report, REPORT_NVTX_TIERS, sums[i].home);
		report_put_samples(report, REPORT_NVTX_TIERS, &sums[i], count);
	}
}

void report_nvtx_tiers(struct gpmu_report *report, const struct vector *order, const struct vector *tallies)
{
	struct vector *samples = &report->timeline.thread_samples;
	const size_t *ranges = order->data;
	struct timeline_samples *sums;

	if (!samples->n)
		return;
	sums = calloc(report->timeline.samples.n, sizeof(*sums));
	if (!sums) {
		report->failed = true;
		return;
	}
	qsort(samples->data, samples->n, sizeof(struct timeline_sample), by_thread);
	for (size_t i = 0; i < tallies->n && !report->failed; i++) {
		const struct report_tally *tally = timeline_at(tallies, struct report_tally, i);

		put_ranges(report, ranges, tally->count, sums);
		ranges += tally->count;
	}
	free(sums);
}
