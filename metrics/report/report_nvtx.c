// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NVTX ranges, and regions that programs mark: number, duration, GPU activity of their program
 * within them, bytes moved, and the mean of each counter over them.
 */
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

static uint64_t key_of(const struct timeline_slice *range)
{
	return (uint64_t)range->other << 32 | range->name;
}

/*
 * Returns whether a file has work on a GPU. A file without any work is treated as if it used all
 * GPUs.
 */
static bool uses(const struct gpmu_report *report, uint32_t file, uint32_t gpu)
{
	bool has_any = false;

	for (size_t i = 0; i < report->loads.n; i++) {
		const struct report_load *load = &report->loads.list[i];

		if (load->file == file && load->gpu == gpu)
			return true;
		has_any = has_any || load->file == file;
	}
	return !has_any;
}

/* Sums over the ranges of a name */
struct sums {
	uint64_t busy, gpu_time;	/* gpu_time: duration of the ranges, once for each GPU */
	bool is_known[REPORT_LINKS_N];
	double bytes[REPORT_LINKS_N];
};

static void add_links(struct gpmu_report *report, const struct timeline_slice *range, uint32_t gpu,
		      struct sums *sums)
{
	for (size_t link = 0; link < REPORT_LINKS_N; link++) {
		const struct report_link *all = &report->gpus.list[gpu].links[link];

		for (size_t i = 0; i < all->n; i++) {
			uint64_t time;

			sums->bytes[link] += report_within(&all->list[i].steps, range->begin, range->end, &time);
			sums->is_known[link] = true;
		}
	}
}

static void add_range(struct gpmu_report *report, const struct timeline_slice *range,
		      struct sums *sums)
{
	for (size_t i = 0; i < report->loads.n; i++) {
		const struct report_load *load = &report->loads.list[i];

		if (load->file != range->file)
			continue;
		sums->busy += spans_within(&load->busy, range->begin, range->end);
		sums->gpu_time += range->end - range->begin;
	}
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		if (uses(report, range->file, gpu))
			add_links(report, range, gpu, sums);
}

static void put_range(struct gpmu_report *report, const struct report_tally *tally,
		      const struct sums *sums)
{
	report_text(report, REPORT_NVTX, report_string(report, (uint32_t)tally->key));
	report_text(report, REPORT_NVTX, report_string(report, (uint32_t)(tally->key >> 32)));
	report_number(report, REPORT_NVTX, (double)tally->count);
	report_put_times(report, REPORT_NVTX, tally);
	report_maybe(report, REPORT_NVTX, sums->gpu_time > 0, (double)sums->busy);
	report_maybe(report, REPORT_NVTX, sums->gpu_time > 0,
		     (double)sums->busy / (double)sums->gpu_time);
	for (size_t link = 0; link < REPORT_LINKS_N; link++)
		report_maybe(report, REPORT_NVTX, sums->is_known[link], sums->bytes[link]);
}

struct mean {
	double sum;
	uint64_t time, all;
};

static void put_mean(struct gpmu_report *report, uint64_t key,
		     const struct timeline_counter *counter, const struct mean *mean)
{
	report_text(report, REPORT_NVTX_COUNTERS, report_string(report, (uint32_t)key));
	report_text(report, REPORT_NVTX_COUNTERS, report_string(report, (uint32_t)(key >> 32)));
	report_text(report, REPORT_NVTX_COUNTERS, report_counter_of(report, counter));
	report_maybe(report, REPORT_NVTX_COUNTERS, mean->time > 0, mean->sum / (double)mean->time);
	report_text(report, REPORT_NVTX_COUNTERS, report_string(report, counter->unit));
	report_maybe(report, REPORT_NVTX_COUNTERS, mean->all > 0,
		     (double)mean->time / (double)mean->all);
	report_text(report, REPORT_NVTX_COUNTERS, report_string(report, counter->name));
}

/*
 * Adds the counter's mean to each tally; @order lists the ranges by tally. Only ranges of
 * files that the counter covers are used.
 */
static void add_means(struct gpmu_report *report, const struct timeline_counter *counter,
		      const size_t *order, const struct report_tallies *tallies)
{
	struct report_steps steps = report_steps(report, counter, 1);
	size_t index = 0;

	for (size_t i = 0; i < tallies->n && !report->has_failed; i++) {
		const struct report_tally *tally = &tallies->list[i];
		struct mean mean = { 0 };

		for (size_t end = index + tally->count; index < end; index++) {
			const struct timeline_slice *range = &report->timeline.ranges.list[order[index]];
			uint64_t time;

			if (counter->is_of_process ? counter->file != range->file :
						  counter->gpu != TIMELINE_NONE &&
							  !uses(report, range->file, counter->gpu))
				continue;
			mean.sum += report_within(&steps, range->begin, range->end, &time);
			mean.time += time;
			mean.all += range->end - range->begin;
		}
		if (mean.all)
			put_mean(report, tally->key, counter, &mean);
	}
	vector_free(&steps);
}

static int by_key(const void *left, const void *right, void *user)
{
	const struct gpmu_report *report = user;
	uint64_t a = key_of(&report->timeline.ranges.list[*(const size_t *)left]),
		 b = key_of(&report->timeline.ranges.list[*(const size_t *)right]);

	return COMPARE(a, b);
}

/* Returns the ranges in the order of their keys, as the tallies are; the caller frees the array. */
static size_t *order_of(struct gpmu_report *report)
{
	const size_t n = report->timeline.ranges.n;
	size_t *order = calloc(n + 1, sizeof(*order));

	report->has_failed = report->has_failed || !order;
	for (size_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && n)
		qsort_r(order, n, sizeof(*order), by_key, report);
	return order;
}

static void make_rows(struct gpmu_report *report, const size_t *order, const struct report_tallies *tallies)
{
	size_t index = 0;

	for (size_t i = 0; i < tallies->n && !report->has_failed; i++) {
		const struct report_tally *tally = &tallies->list[i];
		struct sums sums = { 0 };

		for (size_t end = index + tally->count; index < end; index++)
			add_range(report, &report->timeline.ranges.list[order[index]], &sums);
		put_range(report, tally, &sums);
	}
	for (size_t i = 0; i < report->timeline.counters.n && !report->has_failed; i++)
		add_means(report, &report->timeline.counters.list[i], order, tallies);
	report_nvtx_tiers(report, order, tallies);
}

void report_nvtx(struct gpmu_report *report)
{
	struct report_entries entries = { 0 };
	struct report_tallies tallies;
	size_t *order;

	for (size_t i = 0; i < report->timeline.ranges.n; i++) {
		const struct timeline_slice *range = &report->timeline.ranges.list[i];

		report_count(report, &entries, key_of(range), range->end - range->begin, 0);
	}
	tallies = report_tallies(report, &entries);
	order = order_of(report);
	if (!report->has_failed && tallies.n)
		make_rows(report, order, &tallies);
	vector_free(&tallies);
	free(order);
	report_table_done(report, REPORT_NVTX, "total");
	report_table_done(report, REPORT_NVTX_COUNTERS, NULL);
	report_table_done(report, REPORT_NVTX_TIERS, "samples");
}
