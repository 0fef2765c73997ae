// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports the quality of the data: facts that the traces contain, and findings from
 * reading them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/text/gpmu_plural.h"
#include "report/report.h"

struct fact {
	struct gpmu_report *report;
	const struct timeline_fact *own;
};

static double number(const struct fact *fact, const char *name)
{
	double value = 0;

	timeline_number(&fact->report->timeline, fact->own, name, &value);
	return value;
}

static const char *text(const struct fact *fact, const char *name)
{
	const char *value = timeline_text(&fact->report->timeline, fact->own, name);

	return value ? value : "";
}

/* @file: TIMELINE_NONE for all files */
static void put(struct gpmu_report *report, const char *check, bool is_warning, uint32_t file,
		const char *line)
{
	report_text(report, REPORT_AUDIT, check);
	report_text(report, REPORT_AUDIT, is_warning ? "warning" : "ok");
	if (file == TIMELINE_NONE)
		report_none(report, REPORT_AUDIT);
	else
		report_text(report, REPORT_AUDIT, report_rank(report, file));
	report_text(report, REPORT_AUDIT, line);
}

/* --- facts in the traces */

static void put_version(const struct fact *fact)
{
	struct gpmu_report *report = fact->report;
	const char *version = text(fact, "version");

	put(report, "versions", false, fact->own->file,
	    report_print(report, "%s%s, %s %s on %s", strncmp(version, "gpmu ", 5) ? "gpmu " : "",
			 version, text(fact, "kernel"), text(fact, "machine"), text(fact, "host")));
}

/* Formats cuptiGetVersion(): 130001 is 13.0.1. Before CUDA 13 it was a plain number. */
static const char *cupti_version(struct gpmu_report *report, long long version)
{
	if (version < 100000)
		return report_print(report, "%lld", version);
	return report_print(report, "%lld.%lld.%lld", version / 10000, version / 100 % 100,
			    version % 100);
}

/* cuDriverGetVersion() returns 13000 for 13.0. */
static void put_process(const struct fact *fact)
{
	struct gpmu_report *report = fact->report;
	const char *end = text(fact, "end");
	long long driver = (long long)number(fact, "driver");
	long long cupti = (long long)number(fact, "cupti");
	const bool has_regions = *text(fact, "of");
	const char *cuda = "without CUPTI";

	if (cupti || driver)
		cuda = report_print(report, "CUPTI %s, driver for CUDA %lld.%lld",
				    cupti_version(report, cupti), driver / 1000,
				    driver % 1000 / 10);
	if (number(fact, "buffers") > 0)
		cuda = report_print(report, "%s, %.1f MiB of buffers", cuda,
				    number(fact, "buffers") / (1 << 20));

	put(report, "process", !strcmp(end, "vanished") || !(cupti || driver || has_regions),
	    fact->own->file,
	    report_print(report, "%lld %s: %s; %s", (long long)number(fact, "pid"),
			 text(fact, "program"), has_regions ? text(fact, "of") : cuda,
			 *end ? end : "its end is unknown"));
}

static void put_clock(const struct fact *fact)
{
	double bound;

	/* An imported recording may be in another clock. */
	if (!timeline_number(&fact->report->timeline, fact->own, "bound", &bound)) {
		put(fact->report, "clock", true, fact->own->file, report_print(fact->report, "time stamps of %s", text(fact, "of")));
		return;
	}
	put(fact->report, "clock", bound >= 1e6, fact->own->file,
	    report_print(fact->report, "error of at most %.0f ns: time stamps%s%s", bound,
			 *text(fact, "of") ? " of " : "", text(fact, "of")));
}

/* Times taken at different clock rates cannot be compared with each other. */
static void put_gpu(const struct fact *fact)
{
	double low = number(fact, "clock_min"), high = number(fact, "clock_max");
	const char *throttle = text(fact, "throttle");
	bool is_throttled = *throttle && strcmp(throttle, "none") != 0;
	bool has_moved = high - low > high * 0.02;
	const char *clocks = "its clocks are unknown";

	if (has_moved)
		clocks = report_print(fact->report, "SMs ran at %.0f to %.0f MHz", low, high);
	else if (high > 0)
		clocks = report_print(fact->report, "SMs ran at %.0f MHz", high);
	put(fact->report, "clocks", has_moved || is_throttled, fact->own->file,
	    report_print(fact->report, "GPU %lld: %s%s%s", (long long)number(fact, "gpu"), clocks,
			 is_throttled ? ", throttled by " : "", is_throttled ? throttle : ""));
}

/* Calls of work and their records. CUPTI does not report the kinds of the records that it drops. */
static void put_calls(const struct fact *fact)
{
	struct gpmu_report *report = fact->report;
	double called = number(fact, "called"), lost = number(fact, "lost"), unsure = number(fact, "unsure");
	double dropped = number(fact, "dropped"), outside = number(fact, "outside");
	const char *line = report_print(report, "%lld %s: %.0f of %.0f %s recorded", (long long)number(fact, "pid"),
					text(fact, "program"), number(fact, "delivered"), called, text(fact, "kind"));

	if (outside > 0)
		line = report_print(report, "%s, %.0f outside of capture ranges", line, outside);
	if (lost > 0)
		line = report_print(report, "%s, %.0f lost", line, lost);
	if (number(fact, "pending") > 0)
		line = report_print(report, "%s, %.0f had not ended", line, number(fact, "pending"));
	if (dropped > 0)
		line = report_print(report, "%s; CUPTI dropped %.0f records of any kind", line, dropped);
	if (unsure > 0)
		line = report_print(report, "%s; %.0f more were called while recording began or ended", line, unsure);
	put(report, "calls", lost > 0 || dropped > 0, fact->own->file, line);
}

static void put_pcs(const struct fact *fact)
{
	const double samples = number(fact, "samples"), delivered = number(fact, "delivered"), dropped = number(fact, "dropped");
	const double foreign = number(fact, "foreign"), full = number(fact, "full");
	/* With chosen stall reasons, samples of other ones are not delivered. */
	const bool is_whole = number(fact, "chosen") > 0 || delivered + foreign >= samples;
	const char *more = "";

	if (foreign > 0)
		more = report_print(fact->report, ", %.0f have no instruction", foreign);
	if (full > 0)
		more = report_print(fact->report, "%s, the hardware buffer was full and its samples are lost", more);
	put(fact->report, "pc samples", !is_whole || dropped > 0 || full > 0, fact->own->file,
	    report_print(fact->report, "%.0f %s: %.0f of %.0f PC samples delivered, %.0f dropped%s; %s, one per %.0f cycles",
			 number(fact, "pid"), text(fact, "program"), delivered, samples + dropped, dropped, more, text(fact, "mode"),
			 number(fact, "period")));
}

static void put_source(const struct fact *fact)
{
	double lost = number(fact, "lost"), from = number(fact, "from"), to = number(fact, "to");
	const char *duration = "";

	if (to > from)
		duration = report_print(fact->report, ", in %.3f ms", (to - from) / 1e6);
	if (lost <= 0)
		put(fact->report, "drops", false, fact->own->file,
		    report_print(fact->report, "%s: %.0f %s, none lost", text(fact, "source"), number(fact, "records"),
				 gpmu_plural((uint64_t)number(fact, "records"), "record", "records")));
	else
		put(fact->report, "drops", true, fact->own->file,
		    report_print(fact->report, "%s: %.0f%s%s lost of %.0f%s%s%s", text(fact, "source"),
				 lost, *text(fact, "kind") ? " " : "", text(fact, "kind"),
				 number(fact, "records") + lost, *text(fact, "why") ? ": " : "",
				 text(fact, "why"), duration));
}

static void put_causality(const struct fact *fact)
{
	double checked = number(fact, "checked"), early = number(fact, "early");
	double overlap = number(fact, "overlap"), outside = number(fact, "outside");
	bool has_any = early > 0 || overlap > 0 || outside > 0;
	const char *line;

	if (has_any)
		line = report_print(fact->report, "of %.0f checked: %.0f began before their call, "
				    "%.0f overlap in a stream, %.0f calls end after the one "
				    "around them", checked, early, overlap, outside);
	else
		line = report_print(fact->report, "%.0f checked, no violation", checked);
	put(fact->report, "causality", has_any, fact->own->file, line);
}

static void put_note(const struct fact *fact)
{
	const char *level = text(fact, "level");

	put(fact->report, "note", *level && strcmp(level, "info") != 0, fact->own->file,
	    text(fact, "text"));
}

static void put_sampler(const struct fact *fact)
{
	put(fact->report, "sampler", false, fact->own->file,
	    report_print(fact->report, "counters of this node are in %s", text(fact, "path")));
}

static void put_spe(const struct fact *fact)
{
	static const struct {
		const char *name, *singular, *plural;
	} losses[] = {
		{ "collisions", "AUX record with collisions", "AUX records with collisions" },
		{ "truncations", "time a buffer was full", "times a buffer was full" },
		{ "partials", "AUX record with an incomplete sample", "AUX records with an incomplete sample" },
		{ "damages", "damaged place", "damaged places" }, { "unfinished", "incomplete record", "incomplete records" },
		{ "bare", "record without PC and operation", "records without PC and operation" },
		{ "unknown", "unknown packet", "unknown packets" },
	};
	struct gpmu_report *report = fact->report;
	const char *line = report_print(report, "%.0f samples, one per %.0f operations, %.0f outside of the recorded time",
					number(fact, "samples"), number(fact, "period"), number(fact, "outside"));
	bool has_any = false;

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		const double count = number(fact, losses[i].name);

		has_any = has_any || count > 0;
		if (count > 0)
			line = report_print(report, "%s, %.0f %s", line, count,
					    gpmu_plural((uint64_t)count, losses[i].singular, losses[i].plural));
	}
	put(report, "spe", has_any, fact->own->file, line);
}

static void put_facts(struct gpmu_report *report)
{
	static const struct {
		const char *name;
		void (*put)(const struct fact *fact);
	} kinds[] = {
		{ "gpmu", put_version }, { "process", put_process }, { "calls", put_calls },
		{ "pc_sampling", put_pcs },
		{ "clock", put_clock }, { "gpu", put_gpu },
		{ "source", put_source }, { "causality", put_causality },
		{ "sampler", put_sampler }, { "spe", put_spe }, { "note", put_note },
	};

	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (size_t i = 0; i < report->timeline.facts.n && !report->has_failed; i++) {
			const struct fact fact = { .report = report, .own = &report->timeline.facts.list[i] };

			if (!strcmp(report_string(report, fact.own->name), kinds[kind].name))
				kinds[kind].put(&fact);
		}
	}
}

/* Reports the lowest multiplexing share of any counter. */
static void put_multiplexing(struct gpmu_report *report)
{
	const struct timeline_fact *lowest = NULL;
	double min = 1, gaps = 0, share;
	size_t n = 0;

	for (size_t i = 0; i < report->timeline.facts.n; i++) {
		const struct fact fact = { .report = report, .own = &report->timeline.facts.list[i] };

		if (strcmp(report_string(report, fact.own->name), "counters") != 0)
			continue;
		n++;
		gaps += number(&fact, "gaps");
		if (timeline_number(&report->timeline, fact.own, "share", &share) &&
		    share < min) {
			min = share;
			lowest = fact.own;
		}
	}
	if (!n)
		return;
	if (lowest)
		put(report, "multiplexing", true, lowest->file,
		    report_print(report, "%s was counted for %.1f %% of the time, the lowest share of "
				 "%zu counters", text(&(struct fact){ report, lowest }, "counter"),
				 min * 100, n));
	else
		put(report, "multiplexing", false, TIMELINE_NONE,
		    n == 1 ? "the counter ran all the time" : report_print(report, "all %zu counters ran all the time", n));
	if (gaps > 0)
		put(report, "gaps", true, TIMELINE_NONE,
		    report_print(report, "counters were not counted in %.0f %s", gaps,
				 gpmu_plural((uint64_t)gaps, "interval", "intervals")));
}

/* --- findings from reading the traces */

/* Returns whether the trace is complete: gpmu_trace_finish() writes this fact, the last one of a trace. */
static bool has_end(const struct gpmu_report *report, uint32_t index)
{
	for (size_t i = 0; i < report->timeline.facts.n; i++)
		if (report->timeline.facts.list[i].file == index &&
		    !strcmp(report_string(report, report->timeline.facts.list[i].name), "trace"))
			return true;
	return false;
}

static void put_file(struct gpmu_report *report, uint32_t index)
{
	const struct timeline_file *file = &report->timeline.files.list[index];
	const struct gpmu_trace_reader_stats *stats = &file->stats;
	const struct {
		uint64_t n;
		const char *singular, *plural;
	} findings[] = {
		{ stats->cut, "byte at the end is an incomplete packet: the trace is truncated",
		  "bytes at the end are an incomplete packet: the trace is truncated" },
		{ stats->early, "packet is left out: it refers to packets before the trace's begin",
		  "packets are left out: they refer to packets before the trace's begin" },
		{ stats->unmatched, "end of a slice had no begin", "ends of slices had no begin" },
		{ stats->open, "slice had no end: it lasts to the end of the trace",
		  "slices had no end: they last to the end of the trace" },
		{ file->unplaced, "kernel, copy or memset is on no stream and is left out",
		  "kernels, copies or memsets are on no stream and are left out" },
		{ stats->others, "packet of another writer is left out", "packets of other writers are left out" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(findings); i++)
		if (findings[i].n)
			put(report, "trace", true, index,
			    report_print(report, "%" PRIu64 " %s", findings[i].n,
					 gpmu_plural(findings[i].n, findings[i].singular, findings[i].plural)));
	if (!has_end(report, index))
		put(report, "trace", true, index,
		    "it has no end, because gpmu record was killed or could not write: the losses are unknown");
}

static void put_overhead(struct gpmu_report *report)
{
	uint64_t time = 0;

	for (size_t i = 0; i < report->timeline.overheads.n; i++) {
		const struct timeline_slice *slice = &report->timeline.overheads.list[i];

		if (!report_is_loading(report_string(report, slice->name)))
			time += slice->end - slice->begin;
	}
	if (time)
		put(report, "overhead", false, TIMELINE_NONE,
		    report_print(report, "CUPTI itself used %.3f ms of the program's threads",
				 (double)time / 1e6));
}

void report_audit(struct gpmu_report *report)
{
	put_multiplexing(report);
	put_facts(report);
	if (report->counted > 0)
		put(report, "unexplained", report->unexplained > report->counted * 0.1,
		    TIMELINE_NONE,
		    report_print(report,
				 "%.3f GB of %.3f GB between GPUs and hosts are attributed to no copy",
				 report->unexplained / 1e9, report->counted / 1e9));
	put_overhead(report);
	for (uint32_t i = 0; i < report->timeline.files.n && !report->has_failed; i++)
		put_file(report, i);
	report_table_done(report, REPORT_AUDIT, NULL);
}
