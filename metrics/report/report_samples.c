// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of Arm SPE: loads and stores by tier and home of the data. Samples of call stacks. */
#include "report/report.h"

static void put_text(struct gpmu_report *report, enum report_table_id id, uint32_t text)
{
	if (text == TIMELINE_NONE)
		report_none(report, id);
	else
		report_text(report, id, report_string(report, text));
}

void report_put_samples(struct gpmu_report *report, enum report_table_id id, const struct timeline_samples *samples, uint64_t all)
{
	const bool latency = samples->latency_count;

	put_text(report, id, samples->tier);
	put_text(report, id, samples->home);
	report_number(report, id, (double)samples->count / (double)all);
	report_number(report, id, (double)samples->count);
	report_maybe(report, id, latency, latency ? (double)samples->latency / (double)samples->latency_count : 0);
	report_maybe(report, id, latency, (double)samples->latency_most);
}

void report_samples(struct gpmu_report *report)
{
	const struct vector *list = &report->timeline.samples;
	uint64_t all = 0;

	/* As for a recording of perf, a share is that of all samples, and other operations have no row. */
	for (size_t i = 0; i < list->n; i++)
		all += timeline_at(list, struct timeline_samples, i)->count;
	for (size_t i = 0; i < list->n && !report->failed; i++)
		if (timeline_at(list, struct timeline_samples, i)->tier != TIMELINE_NONE)
			report_put_samples(report, REPORT_SAMPLES, timeline_at(list, struct timeline_samples, i), all);
	if (!list->n)
		report_note(report, REPORT_SAMPLES, "no sample was recorded; gpmu record --spe records those of Arm SPE");
	report_table_done(report, REPORT_SAMPLES, "samples");
}

/* Number of samples of an event */
static uint64_t samples_of(const struct vector *stacks, uint32_t event)
{
	uint64_t n = 0;

	for (size_t i = 0; i < stacks->n; i++) {
		const struct timeline_stack *stack = timeline_at(stacks, struct timeline_stack, i);

		n += stack->event == event ? stack->count : 0;
	}
	return n;
}

void report_stacks(struct gpmu_report *report)
{
	const struct vector *list = &report->timeline.stacks;
	uint32_t event = TIMELINE_NONE;
	uint64_t all = 0;

	for (size_t i = 0; i < list->n && !report->failed; i++) {
		const struct timeline_stack *stack = timeline_at(list, struct timeline_stack, i);

		if (stack->event != event)
			all = samples_of(list, stack->event);
		event = stack->event;
		report_text(report, REPORT_STACKS, report_string(report, stack->stack));
		report_number(report, REPORT_STACKS, (double)stack->count / (double)all);
		report_number(report, REPORT_STACKS, (double)stack->count);
		report_text(report, REPORT_STACKS, report_string(report, event));
	}
	if (!list->n)
		report_note(report, REPORT_STACKS, "no call stacks were sampled: use gpmu record --sample, or perf record -g before "
			    "gpmu import");
	report_table_done(report, REPORT_STACKS, "samples");
}
