// SPDX-License-Identifier: LGPL-2.1-or-later
/* Modules of kernels: loads, and operations of the driver's compiler; with CUPTI's times of loads by the runtime. */
#include <string.h>

#include "base/array.h"
#include "report/report.h"

bool report_is_loading(const char *name)
{
	static const char *const names[] = { "module loading by the runtime", "lazy function loading" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void count(struct gpmu_report *report, struct report_entries *entries, const struct timeline_slice *slice)
{
	report_count(report, entries, slice->name, slice->end - slice->begin, slice->value);
}

void report_modules(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	struct report_entries entries = { 0 };
	struct report_tallies tallies;

	for (size_t i = 0; i < timeline->modules.n && !report->has_failed; i++)
		count(report, &entries, &timeline->modules.list[i]);
	for (size_t i = 0; i < timeline->overheads.n && !report->has_failed; i++)
		if (report_is_loading(report_string(report, timeline->overheads.list[i].name)))
			count(report, &entries, &timeline->overheads.list[i]);
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->has_failed; i++) {
		const struct report_tally *tally = &tallies.list[i];

		report_text(report, REPORT_MODULES, report_string(report, (uint32_t)tally->key));
		report_number(report, REPORT_MODULES, (double)tally->count);
		report_maybe(report, REPORT_MODULES, tally->bytes > 0, (double)tally->bytes);
		report_put_times(report, REPORT_MODULES, tally);
	}
	vector_free(&tallies);
	report_table_done(report, REPORT_MODULES, "total");
}
