// SPDX-License-Identifier: LGPL-2.1-or-later
/* Number and durations of all entries with the same key. */
#include <stdlib.h>

#include "report/report.h"

void report_count(struct gpmu_report *report, struct vector *entries, uint64_t key, uint64_t time,
		  uint64_t bytes)
{
	struct report_entry *entry = vector_add(entries, sizeof(*entry));

	if (entry)
		*entry = (struct report_entry){ .key = key, .time = time, .bytes = bytes };
	else
		report->failed = true;
}

static int compare(const void *one, const void *other)
{
	const struct report_entry *a = one, *b = other;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
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

struct vector report_tallies(struct gpmu_report *report, struct vector *entries)
{
	const struct report_entry *all = entries->data;
	struct vector tallies = { 0 };

	if (!entries->n || report->failed)
		return tallies;
	qsort(entries->data, entries->n, sizeof(*all), compare);
	for (size_t i = 0, n; i < entries->n; i += n) {
		struct report_tally *added = vector_add(&tallies, sizeof(*added));

		for (n = 1; i + n < entries->n && all[i + n].key == all[i].key; n++)
			;
		if (added)
			*added = tally(all + i, n);
		else
			report->failed = true;
	}
	return tallies;
}
