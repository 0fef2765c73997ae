// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operations of OpenACC's runtime by the line of their construct */
#include "report/report.h"

void report_openacc(struct gpmu_report *report)
{
	const struct timeline_slices *slices = &report->timeline.openacc;
	struct report_entries entries = { 0 };
	struct report_tallies tallies;

	for (size_t i = 0; i < slices->n && !report->has_failed; i++) {
		const struct timeline_slice *slice = &slices->list[i];

		report_count(report, &entries, (uint64_t)slice->other << 32 | slice->name, slice->end - slice->begin, slice->value);
	}
	tallies = report_tallies(report, &entries);
	for (size_t i = 0; i < tallies.n && !report->has_failed; i++) {
		const struct report_tally *tally = &tallies.list[i];

		report_text(report, REPORT_OPENACC, report_string(report, (uint32_t)(tally->key >> 32)));
		report_text(report, REPORT_OPENACC, report_string(report, (uint32_t)tally->key));
		report_number(report, REPORT_OPENACC, (double)tally->count);
		report_maybe(report, REPORT_OPENACC, tally->bytes > 0, (double)tally->bytes);
		report_put_times(report, REPORT_OPENACC, tally);
	}
	vector_free(&tallies);
	report_table_done(report, REPORT_OPENACC, "total");
}
