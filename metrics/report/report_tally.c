// SPDX-License-Identifier: LGPL-2.1-or-later
/* Number and durations of all entries with the same key. */
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

void report_count(struct gpmu_report *report, struct report_entries *entries, uint64_t key, uint64_t time,
		  uint64_t bytes)
{
	if (vector_push(entries, &(struct report_entry){ .key = key, .time = time, .bytes = bytes }))
		report->has_failed = true;
}

static int compare(const void *left, const void *right)
{
	const struct report_entry *a = left, *b = right;

	return COMPARE(a->key, b->key) ?: COMPARE(a->time, b->time);
}

/*
 * Makes the tally of @n entries of one key, sorted by time. The median of an even number
 * is the mean of the middle two.
 */
static struct report_tally tally(const struct report_entry *entries, size_t n)
{
	struct report_tally tally = {
		.key = entries->key,
		.count = n,
		.min = entries->time,
		.max = entries[n - 1].time,
		.median = entries[(n - 1) / 2].time,
	};

	tally.median += (entries[n / 2].time - tally.median) / 2;
	for (size_t i = 0; i < n; i++) {
		tally.total += entries[i].time;
		tally.bytes += entries[i].bytes;
	}
	return tally;
}

struct report_tallies report_tallies(struct gpmu_report *report, struct report_entries *entries)
{
	const struct report_entry *all = entries->list;
	struct report_tallies tallies = { 0 };

	vector_sort(entries, compare);
	for (size_t i = 0, n; i < entries->n && !report->has_failed; i += n) {
		for (n = 1; i + n < entries->n && all[i + n].key == all[i].key; n++)
			;
		if (vector_push(&tallies, (struct report_tally[]){ tally(all + i, n) }))
			report->has_failed = true;
	}
	vector_free(entries);
	return tallies;
}

void report_put_times(struct gpmu_report *report, enum report_table_id id, const struct report_tally *tally)
{
	report_number(report, id, (double)tally->total);
	report_number(report, id, (double)tally->min);
	report_number(report, id, (double)tally->median);
	report_number(report, id, (double)tally->max);
}
