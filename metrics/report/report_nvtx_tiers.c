// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of Arm SPE in the NVTX ranges and regions of their thread, by tier and home of the data. */
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

static int by_thread(const void *left, const void *right)
{
	const struct timeline_sample *a = left, *b = right;

	return COMPARE(a->thread, b->thread) ?: COMPARE(a->time, b->time);
}

/* The index of the first sample of @thread at @time or later, or of a later thread */
static size_t first_sample(const struct timeline *timeline, uint32_t thread, uint64_t time)
{
	const struct timeline_sample key = { .time = time, .thread = thread };
	size_t low = 0, high = timeline->thread_samples.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_thread(&timeline->thread_samples.list[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Counts the samples in a range by their tier and home, and returns their number. */
static uint64_t count_in(const struct timeline *timeline, const struct timeline_slice *range,
			 struct timeline_samples *sums)
{
	size_t first = first_sample(timeline, range->thread, range->begin), i;

	for (i = first; i < timeline->thread_samples.n; i++) {
		const struct timeline_sample *sample = &timeline->thread_samples.list[i];

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
	const struct timeline_slice *all = timeline->ranges.list, *first = &all[ranges[0]];
	uint64_t count = 0;

	for (size_t i = 0; i < timeline->samples.n; i++) {
		const struct timeline_samples *known = &timeline->samples.list[i];

		sums[i] = (struct timeline_samples){ .tier = known->tier, .home = known->home };
	}
	for (size_t i = 0; i < n; i++)
		if (all[ranges[i]].thread != TIMELINE_NONE)
			count += count_in(timeline, &all[ranges[i]], sums);
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

void report_nvtx_tiers(struct gpmu_report *report, const size_t *order, const struct report_tallies *tallies)
{
	struct timeline *timeline = &report->timeline;
	struct timeline_samples *sums;

	if (!timeline->thread_samples.n)
		return;
	sums = calloc(timeline->samples.n, sizeof(*sums));
	if (!sums) {
		report->has_failed = true;
		return;
	}
	vector_sort(&timeline->thread_samples, by_thread);
	for (size_t i = 0; i < tallies->n && !report->has_failed; order += tallies->list[i++].count)
		put_ranges(report, order, tallies->list[i].count, sums);
	free(sums);
}
