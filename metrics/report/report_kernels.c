// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernels by name; copies and memsets by direction and kind of memory. */
#include "report/report.h"

static struct vector tallies_of(struct gpmu_report *report, bool computes)
{
	const struct timeline *timeline = &report->timeline;
	struct vector entries = { 0 }, tallies;

	for (size_t i = 0; i < timeline->works.n && !report->failed; i++) {
		const struct timeline_work *work =
			timeline_at(&timeline->works, struct timeline_work, i);

		if ((work->kind == TIMELINE_KERNEL || work->kind == TIMELINE_GRAPH) == computes)
			report_count(report, &entries, work->name, work->end - work->begin,
				     work->bytes);
	}
	tallies = report_tallies(report, &entries);
	vector_release(&entries);
	return tallies;
}

static void put_times(struct gpmu_report *report, enum report_table_id id,
		      const struct report_tally *tally)
{
	report_number(report, id, (double)tally->total);
	report_number(report, id, (double)tally->min);
	report_number(report, id, (double)tally->median);
	report_number(report, id, (double)tally->max);
}

static void make_kernels(struct gpmu_report *report)
{
	struct vector tallies = tallies_of(report, true);
	const struct report_tally *all = tallies.data;
	uint64_t total = 0;

	for (size_t i = 0; i < tallies.n; i++)
		total += all[i].total;
	for (size_t i = 0; i < tallies.n; i++) {
		report_text(report, REPORT_KERNELS, report_string(report, (uint32_t)all[i].key));
		report_number(report, REPORT_KERNELS, (double)all[i].count);
		report_maybe(report, REPORT_KERNELS, total > 0,
			     (double)all[i].total / (double)total);
		put_times(report, REPORT_KERNELS, &all[i]);
	}
	if (!tallies.n)
		report_note(report, REPORT_KERNELS, "no kernel ran, or none was recorded");
	report_table_done(report, REPORT_KERNELS, "total");
	vector_release(&tallies);
}

static void make_copies(struct gpmu_report *report)
{
	struct vector tallies = tallies_of(report, false);
	const struct report_tally *all = tallies.data;

	for (size_t i = 0; i < tallies.n; i++) {
		report_text(report, REPORT_COPIES, report_string(report, (uint32_t)all[i].key));
		report_number(report, REPORT_COPIES, (double)all[i].count);
		report_number(report, REPORT_COPIES, (double)all[i].bytes);
		report_maybe(report, REPORT_COPIES, all[i].total > 0,
			     (double)all[i].bytes * 1e9 / (double)all[i].total);
		put_times(report, REPORT_COPIES, &all[i]);
	}
	if (!tallies.n)
		report_note(report, REPORT_COPIES, "no copy or memset was recorded");
	report_table_done(report, REPORT_COPIES, "total");
	vector_release(&tallies);
}

void report_kernels(struct gpmu_report *report)
{
	make_kernels(report);
	make_copies(report);
}
