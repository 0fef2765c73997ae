// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls of CUDA. A call's own time excludes the calls within it, so the sum of own times
 * is the time that threads spent in calls.
 */
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

static int by_thread(const void *left, const void *right)
{
	const struct timeline_call *a = left, *b = right;

	/* A driver call of the same span is within the runtime call. */
	return COMPARE(a->thread, b->thread) ?: COMPARE(a->begin, b->begin) ?: COMPARE(b->end, a->end) ?:
	       COMPARE(a->is_driver, b->is_driver);
}

/*
 * Returns the own time of each call; the caller frees the array. @calls must be sorted. If
 * a call ends after the enclosing call, only the common part counts as nested.
 */
static uint64_t *own_times(struct gpmu_report *report, const struct timeline_call *calls, size_t n)
{
	uint64_t *own = calloc(n + 1, sizeof(*own));
	VECTOR(size_t) around = { 0 };	/* indices of the calls that have not ended */

	report->has_failed = report->has_failed || !own;
	for (size_t i = 0; i < n && !report->has_failed; i++) {
		while (around.n) {
			const struct timeline_call *outer = &calls[around.list[around.n - 1]];

			if (outer->thread == calls[i].thread && outer->end > calls[i].begin)
				break;
			around.n--;
		}
		own[i] = calls[i].end - calls[i].begin;
		if (around.n) {
			size_t outer = around.list[around.n - 1];
			uint64_t end = calls[i].end < calls[outer].end ? calls[i].end : calls[outer].end;
			uint64_t inside = end - calls[i].begin;

			own[outer] -= inside < own[outer] ? inside : own[outer];
			own[i] -= calls[i].end - end;
		}
		if (vector_push(&around, &i))
			report->has_failed = true;
	}
	vector_free(&around);
	return own;
}

uint64_t report_api_time(struct gpmu_report *report, uint32_t file)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_call *calls = timeline->calls.list;
	uint64_t time = 0, end = 0;

	/* report_api() has sorted the calls by thread and time. */
	for (size_t i = 0; i < timeline->calls.n; i++) {
		if (!i || calls[i].thread != calls[i - 1].thread)
			end = 0;
		if (calls[i].file == file && calls[i].end > end)
			time += calls[i].end - (calls[i].begin > end ? calls[i].begin : end);
		end = calls[i].end > end ? calls[i].end : end;
	}
	return time;
}

struct sums {
	uint64_t self, failed;
};

static void put_call(struct gpmu_report *report, const struct report_tally *tally,
		     const struct sums *sums, uint64_t all)
{
	report_text(report, REPORT_API, report_string(report, (uint32_t)(tally->key >> 1)));
	report_text(report, REPORT_API, tally->key & 1 ? "driver" : "runtime");
	report_number(report, REPORT_API, (double)tally->count);
	report_number(report, REPORT_API, (double)sums->failed);
	report_number(report, REPORT_API, (double)sums->self);
	report_maybe(report, REPORT_API, all > 0, (double)sums->self / (double)all);
	report_put_times(report, REPORT_API, tally);
}

static uint64_t key_of(const struct timeline_call *call)
{
	return (uint64_t)call->name << 1 | call->is_driver;
}

static void make_calls(struct gpmu_report *report)
{
	struct timeline *timeline = &report->timeline;
	size_t n = timeline->calls.n, keys = (timeline->strings.texts.n + 1) * 2;
	const struct timeline_call *calls = timeline->calls.list;
	struct sums *sums = calloc(keys, sizeof(*sums));
	struct report_entries entries = { 0 };
	struct report_tallies tallies;
	uint64_t *own, all = 0;

	vector_sort(&timeline->calls, by_thread);
	own = own_times(report, calls, n);
	if (!sums || !own) {
		report->has_failed = true;
		free(own);
		free(sums);
		return;
	}
	for (size_t i = 0; i < n && !report->has_failed; i++) {
		sums[key_of(&calls[i])].self += own[i];
		sums[key_of(&calls[i])].failed += calls[i].has_failed;
		all += own[i];
		report_count(report, &entries, key_of(&calls[i]), calls[i].end - calls[i].begin, 0);
	}
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->has_failed; i++)
		put_call(report, &tallies.list[i], &sums[tallies.list[i].key], all);
	vector_free(&tallies);
	free(own);
	free(sums);
	report_table_done(report, REPORT_API, "self");
}

static void make_waits(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	struct report_entries entries = { 0 };
	struct report_tallies tallies;

	for (size_t i = 0; i < timeline->waits.n && !report->has_failed; i++) {
		const struct timeline_slice *wait = &timeline->waits.list[i];

		report_count(report, &entries, wait->name, wait->end - wait->begin, 0);
	}
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->has_failed; i++) {
		const struct report_tally *tally = &tallies.list[i];

		report_text(report, REPORT_WAITS, report_string(report, (uint32_t)tally->key));
		report_number(report, REPORT_WAITS, (double)tally->count);
		report_put_times(report, REPORT_WAITS, tally);
	}
	vector_free(&tallies);
	report_table_done(report, REPORT_WAITS, "total");
}

void report_api(struct gpmu_report *report)
{
	make_calls(report);
	if (!report->has_failed)
		make_waits(report);
}
