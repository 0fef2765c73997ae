// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernels by name; copies and memsets by direction and kind of memory. */
#include <stdlib.h>

#include "report/report.h"

static struct report_tallies tallies_of(struct gpmu_report *report, bool is_compute)
{
	const struct timeline *timeline = &report->timeline;
	struct report_entries entries = { 0 };

	for (size_t i = 0; i < timeline->works.n && !report->has_failed; i++) {
		const struct timeline_work *work = &timeline->works.list[i];

		if ((work->kind == TIMELINE_KERNEL || work->kind == TIMELINE_GRAPH) == is_compute)
			report_count(report, &entries, work->name, work->end - work->begin,
				     work->bytes);
	}
	return report_tallies(report, &entries);
}

static void make_kernels(struct gpmu_report *report)
{
	struct report_tallies tallies = tallies_of(report, true);
	const struct report_tally *all = tallies.list;
	uint64_t total = 0;

	for (size_t i = 0; i < tallies.n; i++)
		total += all[i].total;
	for (size_t i = 0; i < tallies.n; i++) {
		report_text(report, REPORT_KERNELS, report_string(report, (uint32_t)all[i].key));
		report_number(report, REPORT_KERNELS, (double)all[i].count);
		report_maybe(report, REPORT_KERNELS, total > 0,
			     (double)all[i].total / (double)total);
		report_put_times(report, REPORT_KERNELS, &all[i]);
	}
	report_table_done(report, REPORT_KERNELS, "total");
	vector_free(&tallies);
}

static void make_copies(struct gpmu_report *report)
{
	struct report_tallies tallies = tallies_of(report, false);
	const struct report_tally *all = tallies.list;

	for (size_t i = 0; i < tallies.n; i++) {
		report_text(report, REPORT_COPIES, report_string(report, (uint32_t)all[i].key));
		report_number(report, REPORT_COPIES, (double)all[i].count);
		report_number(report, REPORT_COPIES, (double)all[i].bytes);
		report_maybe(report, REPORT_COPIES, all[i].total > 0,
			     (double)all[i].bytes * 1e9 / (double)all[i].total);
		report_put_times(report, REPORT_COPIES, &all[i]);
	}
	report_table_done(report, REPORT_COPIES, "total");
	vector_free(&tallies);
}

void report_kernels(struct gpmu_report *report)
{
	make_kernels(report);
	make_copies(report);
}
