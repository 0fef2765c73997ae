// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters, each summarised over the time in which it was counted. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/*
 * Returns whether the fact is the trace's final statement about this counter, by name and by what
 * it counts
 */
static bool is_of(const struct gpmu_report *report, const struct timeline_fact *fact,
		  const struct timeline_counter *counter)
{
	const char *name, *parent;

	if (fact->file != counter->file ||
	    strcmp(report_string(report, fact->name), "counters") != 0)
		return false;
	name = timeline_text(&report->timeline, fact, "counter");
	parent = timeline_text(&report->timeline, fact, "of");
	return name && parent && !strcmp(name, report_string(report, counter->name)) &&
	       !strcmp(parent, report_string(report, counter->parent));
}

/* The trace's statement about a counter, or NULL */
static const struct timeline_fact *fact_of_counter(const struct gpmu_report *report,
					   const struct timeline_counter *counter)
{
	for (size_t i = 0; i < report->timeline.facts.n; i++)
		if (is_of(report, &report->timeline.facts.list[i], counter))
			return &report->timeline.facts.list[i];
	return NULL;
}

struct summary {
	double min, max, sum;	/* minimum and maximum of the values; sum of values times ns */
	uint64_t time;		/* ns in which the counter was counted */
	double total;
	double counted;		/* share of the recorded time, 0 to 1; < 0: unknown */
};

static struct summary summary_of(struct gpmu_report *report, const struct timeline_counter *counter,
				 bool is_total)
{
	const struct timeline_file *file = &report->timeline.files.list[counter->file];
	struct report_steps steps = report_steps(report, counter, 1);
	struct summary summary = { .counted = -1 };
	uint64_t inside;

	for (size_t i = 0; i < steps.n; i++) {
		const struct report_step *step = &steps.list[i];

		summary.min = !i || step->rate < summary.min ? step->rate : summary.min;
		summary.max = !i || step->rate > summary.max ? step->rate : summary.max;
		summary.sum += step->rate * (double)(step->end - step->begin);
		summary.time += step->end - step->begin;
	}
	report_within(&steps, file->begin, file->end, &inside);
	if (timeline_wall(file))
		summary.counted = (double)inside / (double)timeline_wall(file);
	vector_free(&steps);
	if (!is_total)
		return summary;
	steps = report_steps(report, counter, 0);
	for (size_t i = 0; i < steps.n; i++) {
		const struct report_step *step = &steps.list[i];

		summary.total += step->rate * (double)(step->end - step->begin);
	}
	vector_free(&steps);
	return summary;
}

static void put_counter(struct gpmu_report *report, const struct timeline_counter *counter)
{
	const struct timeline_fact *fact = fact_of_counter(report, counter);
	const char *kind = fact ? timeline_text(&report->timeline, fact, "kind") : NULL;
	bool is_total = kind && !strcmp(kind, "total");
	struct summary summary = summary_of(report, counter, is_total);
	bool has_any = summary.time > 0;
	double share = 0;
	bool has_share = fact && timeline_number(&report->timeline, fact, "share", &share);

	report_text(report, REPORT_COUNTERS, report_string(report, counter->name));
	report_text(report, REPORT_COUNTERS, report_counter_of(report, counter));
	report_text(report, REPORT_COUNTERS, report_rank(report, counter->file));
	report_maybe(report, REPORT_COUNTERS, has_any, summary.sum / (double)summary.time);
	report_maybe(report, REPORT_COUNTERS, has_any, summary.min);
	report_maybe(report, REPORT_COUNTERS, has_any, summary.max);
	report_text(report, REPORT_COUNTERS, report_string(report, counter->unit));
	report_maybe(report, REPORT_COUNTERS, has_any && is_total, summary.total);
	report_maybe(report, REPORT_COUNTERS, has_any && is_total,
		     summary.total / (double)summary.time * 1e9);
	report_maybe(report, REPORT_COUNTERS, summary.counted >= 0, summary.counted);
	report_maybe(report, REPORT_COUNTERS, has_share, share);
}

/* Label of the GPU with that UUID, else the text itself */
static const char *place_of(struct gpmu_report *report, const char *parent)
{
	for (size_t i = 0; i < report->gpus.n; i++) {
		const struct timeline_gpu *gpu = &report->timeline.gpus.list[i];

		if (!strcmp(parent, report_string(report, gpu->uuid)))
			return report_print(report, "GPU %s", report->gpus.list[i].label);
	}
	return parent;
}

/* Adds a counter that has no track because it was never counted. */
static void put_silent(struct gpmu_report *report, const struct timeline_fact *fact)
{
	const char *name = timeline_text(&report->timeline, fact, "counter");
	const char *parent = timeline_text(&report->timeline, fact, "of");

	if (strcmp(report_string(report, fact->name), "counters") != 0 || !name || !parent)
		return;
	for (size_t i = 0; i < report->timeline.counters.n; i++)
		if (is_of(report, fact, &report->timeline.counters.list[i]))
			return;
	report_text(report, REPORT_COUNTERS, name);
	report_text(report, REPORT_COUNTERS, place_of(report, parent));
	report_text(report, REPORT_COUNTERS, report_rank(report, fact->file));
	for (int i = 0; i < 3; i++)
		report_none(report, REPORT_COUNTERS);
	report_text(report, REPORT_COUNTERS, "");
	for (int i = 0; i < 2; i++)
		report_none(report, REPORT_COUNTERS);
	report_number(report, REPORT_COUNTERS, 0);
	report_none(report, REPORT_COUNTERS);
}

static void put_file(struct gpmu_report *report, uint32_t file)
{
	for (size_t i = 0; i < report->timeline.counters.n && !report->has_failed; i++)
		if (report->timeline.counters.list[i].file == file)
			put_counter(report, &report->timeline.counters.list[i]);
	for (size_t i = 0; i < report->timeline.facts.n && !report->has_failed; i++)
		if (report->timeline.facts.list[i].file == file)
			put_silent(report, &report->timeline.facts.list[i]);
}

/* Adds the counters of each trace in the order of the tracks, which is that of -M and -e. */
void report_counters(struct gpmu_report *report)
{
	uint32_t *order = report_rank_order(report);

	for (size_t i = 0; i < report->timeline.files.n && !report->has_failed; i++)
		put_file(report, order[i]);
	free(order);
	report_table_done(report, REPORT_COUNTERS, NULL);
}
