// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of Arm SPE: loads and stores by tier and home of the data. Samples of call stacks. */
#include "report/report.h"

void report_put_text(struct gpmu_report *report, enum report_table_id id, uint32_t text)
{
	if (text == TIMELINE_NONE)
		report_none(report, id);
	else
		report_text(report, id, report_string(report, text));
}

void report_put_samples(struct gpmu_report *report, enum report_table_id id, const struct timeline_samples *samples, uint64_t all)
{
	const bool has_latency = samples->latency_count;

	report_number(report, id, (double)samples->count / (double)all);
	report_number(report, id, (double)samples->count);
	report_maybe(report, id, has_latency,
		     has_latency ? (double)samples->latency / (double)samples->latency_count : 0);
	report_maybe(report, id, has_latency, (double)samples->latency_max);
}

/* A share is a share of all samples, as for a recording of perf. */
static void put_functions(struct gpmu_report *report, uint64_t all)
{
	for (size_t i = 0; i < report->timeline.functions.n && !report->has_failed; i++) {
		const struct timeline_function *function = &report->timeline.functions.list[i];

		report_put_text(report, REPORT_FUNCTIONS, function->function);
		report_put_text(report, REPORT_FUNCTIONS, function->object);
		report_put_text(report, REPORT_FUNCTIONS, function->samples.tier);
		report_put_samples(report, REPORT_FUNCTIONS, &function->samples, all);
	}
	report_table_done(report, REPORT_FUNCTIONS, "samples");
}

void report_samples(struct gpmu_report *report)
{
	const struct timeline *timeline = &report->timeline;
	uint64_t all = 0;

	for (size_t i = 0; i < timeline->samples.n; i++)
		all += timeline->samples.list[i].count;
	for (size_t i = 0; i < timeline->samples.n && !report->has_failed; i++) {
		const struct timeline_samples *samples = &timeline->samples.list[i];

		/* Operations other than loads and stores have no row. */
		if (samples->tier == TIMELINE_NONE)
			continue;
		report_put_text(report, REPORT_SAMPLES, samples->tier);
		report_put_text(report, REPORT_SAMPLES, samples->home);
		report_put_samples(report, REPORT_SAMPLES, samples, all);
	}
	put_functions(report, all);
	if (timeline->samples.n)
		report_note(report, REPORT_SAMPLES, NULL);
	report_table_done(report, REPORT_SAMPLES, "samples");
}

void report_stacks(struct gpmu_report *report)
{
	for (size_t i = 0; i < report->timeline.stacks.n && !report->has_failed; i++) {
		const struct timeline_stack *stack = &report->timeline.stacks.list[i];
		const uint64_t all = map_find(&report->timeline.event_periods, stack->event)->number;

		report_text(report, REPORT_STACKS, report_string(report, stack->stack));
		report_maybe(report, REPORT_STACKS, all, (double)stack->period / (double)all);
		report_number(report, REPORT_STACKS, (double)stack->count);
		report_text(report, REPORT_STACKS, report_string(report, stack->event));
		report_text(report, REPORT_STACKS, report_string(report, stack->comm));
	}
	report_table_done(report, REPORT_STACKS, "share");
}
