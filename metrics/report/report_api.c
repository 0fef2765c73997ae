// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls of CUDA. A call's own time excludes the calls within it, so the sum of own times
 * is the time that threads spent in calls.
 */
#include <stdlib.h>

#include "report/report.h"

static int by_thread(const void *one, const void *other)
{
	const struct timeline_call *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	/* A driver call of the same span is within the runtime call. */
	return (int)a->is_driver - (int)b->is_driver;
}

/*
 * Returns the own time of each call; the caller frees the array. @calls must be sorted. If
 * a call ends after the enclosing call, only the common part counts as nested.
 */
static uint64_t *own_times(struct gpmu_report *report, const struct timeline_call *calls, size_t n)
{
	uint64_t *own = calloc(n + 1, sizeof(*own));
	struct vector around = { 0 };	/* size_t, indices of the calls that have not ended */

	report->failed = report->failed || !own;
	for (size_t i = 0; i < n && !report->failed; i++) {
		size_t *top;

		while (around.n) {
			const struct timeline_call *outer;

			top = timeline_at(&around, size_t, around.n - 1);
			outer = &calls[*top];
			if (outer->thread == calls[i].thread && outer->end > calls[i].begin)
				break;
			around.n--;
		}
		own[i] = calls[i].end - calls[i].begin;
		if (around.n) {
			size_t outer = *timeline_at(&around, size_t, around.n - 1);
			uint64_t end =
				calls[i].end < calls[outer].end ? calls[i].end : calls[outer].end;
			uint64_t inside = end - calls[i].begin;

			own[outer] -= inside < own[outer] ? inside : own[outer];
			own[i] -= calls[i].end - end;
		}
		top = vector_add(&around, sizeof(*top));
		if (top)
			*top = i;
		else
			report->failed = true;
	}
	vector_release(&around);
	return own;
}

uint64_t report_api_time(struct gpmu_report *report, uint32_t file)
{
	const struct timeline *timeline = &report->timeline;
	const struct timeline_call *calls = timeline->calls.data;
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
	report_number(report, REPORT_API, (double)tally->total);
	report_number(report, REPORT_API, (double)tally->min);
	report_number(report, REPORT_API, (double)tally->median);
	report_number(report, REPORT_API, (double)tally->max);
}

static uint64_t key_of(const struct timeline_call *call)
{
	return (uint64_t)call->name << 1 | call->is_driver;
}

static void make_calls(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	size_t n = timeline->calls.n, keys = (timeline->strings.texts.n + 1) * 2;
	struct timeline_call *calls = timeline->calls.data;
	struct sums *sums = calloc(keys, sizeof(*sums));
	struct vector entries = { 0 }, tallies;
	uint64_t *own, all = 0;

	if (n)
		qsort(calls, n, sizeof(*calls), by_thread);
	own = own_times(report, calls, n);
	if (!sums || !own) {
		report->failed = true;
		free(own);
		free(sums);
		return;
	}
	for (size_t i = 0; i < n && !report->failed; i++) {
		sums[key_of(&calls[i])].self += own[i];
		sums[key_of(&calls[i])].failed += calls[i].has_failed;
		all += own[i];
		report_count(report, &entries, key_of(&calls[i]), calls[i].end - calls[i].begin, 0);
	}
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->failed; i++) {
		const struct report_tally *tally = timeline_at(&tallies, struct report_tally, i);

		put_call(report, tally, &sums[tally->key], all);
	}
	vector_release(&entries);
	vector_release(&tallies);
	free(own);
	free(sums);
	if (!n)
		report_note(report, REPORT_API, "no call was recorded");
	report_table_done(report, REPORT_API, "self");
}

static void make_waits(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	struct vector entries = { 0 }, tallies;

	for (size_t i = 0; i < timeline->waits.n && !report->failed; i++) {
		const struct timeline_slice *wait =
			timeline_at(&timeline->waits, struct timeline_slice, i);

		report_count(report, &entries, wait->name, wait->end - wait->begin, 0);
	}
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->failed; i++) {
		const struct report_tally *tally = timeline_at(&tallies, struct report_tally, i);

		report_text(report, REPORT_WAITS, report_string(report, (uint32_t)tally->key));
		report_number(report, REPORT_WAITS, (double)tally->count);
		report_number(report, REPORT_WAITS, (double)tally->total);
		report_number(report, REPORT_WAITS, (double)tally->min);
		report_number(report, REPORT_WAITS, (double)tally->median);
		report_number(report, REPORT_WAITS, (double)tally->max);
	}
	vector_release(&entries);
	vector_release(&tallies);
	if (!timeline->waits.n)
		report_note(report, REPORT_WAITS, "no synchronization was recorded");
	report_table_done(report, REPORT_WAITS, "total");
}

void report_api(struct gpmu_report *report)
{
	make_calls(report);
	if (!report->failed)
		make_waits(report);
}
