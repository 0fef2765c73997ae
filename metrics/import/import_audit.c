// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes facts about the recording at the end of the trace, as gpmu record does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpmu_outside.h"
#include "base/text/gpmu_plural.h"
#include "base/text/text.h"
#include "import/import.h"

struct args {
	struct gpmu_trace_arg list[16];
	size_t count;
};

static void add_text(struct args *args, const char *name, const char *text)
{
	if (text)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_TEXT, .text = text };
}

static void add(struct args *args, const char *name, uint64_t value)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .integer = (int64_t)value };
}

static int put(struct import *import, const char *name, const struct args *args)
{
	return gpmu_trace_audit(import->trace, import->end, name, args->list, args->count);
}

static int put_note(struct import *import, const char *text)
{
	struct args args = { .count = 0 };

	add_text(&args, "text", text);
	add_text(&args, "level", "warning");
	return put(import, "note", &args);
}

/* perf's command line, to be freed; NULL: not recorded, or out of memory */
static char *command_of(const struct gpmu_perfdata_info *info)
{
	char *text = NULL;

	for (size_t i = 0; i < info->arg_count; i++) {
		char *longer = text_print("%s%s%s", text ? text : "", text ? " " : "", info->args[i]);

		free(text);
		text = longer;
		if (!text)
			return NULL;
	}
	return text;
}

static int put_gpmu(struct import *import)
{
	char *command = command_of(import->info);
	struct args args = { .count = 0 };
	int ret;

	add_text(&args, "version", import->options.version ? import->options.version : "libgpmu");
	add_text(&args, "command", command);
	add_text(&args, "perf", import->info->version);
	add_text(&args, "host", import->info->hostname);
	add_text(&args, "machine", import->info->arch);
	add_text(&args, "kernel", import->info->osrelease);
	add(&args, "begin", import->begin);
	add(&args, "end", import->end);
	ret = put(import, "gpmu", &args);
	free(command);
	return ret;
}

static int put_clock(struct import *import)
{
	const struct import_clock *clock = &import->clock;
	struct args args = { .count = 0 };
	const bool has_spe = import->facts.spe;
	uint64_t first = import_clock_bound(clock, import->begin, has_spe),
		 last = import_clock_bound(clock, import->end, has_spe);

	if (clock->is_raw)
		add(&args, "bound", first > last ? first : last);
	add_text(&args, "of", clock->name);
	return put(import, "clock", &args);
}

static int put_source(struct import *import, const char *source, uint64_t records, uint64_t lost)
{
	struct args args = { .count = 0 };

	add_text(&args, "source", source);
	add(&args, "records", records);
	add(&args, "lost", lost);
	if (lost)
		add_text(&args, "why", "lost by the kernel, as its buffers were full");
	return put(import, "source", &args);
}

static int put_spe(struct import *import)
{
	const struct gpmu_spe_stats *stats = &import->input.traces.stats;
	struct args args = { .count = 0 };

	if (!import->input.has_spe)
		return 0;
	add_text(&args, "source", "SPE");
	add(&args, "records", import->facts.spe);
	add(&args, "lost_bytes", stats->lost_bytes);
	add(&args, "collisions", stats->collisions);
	add(&args, "truncations", stats->truncations);
	add(&args, "partials", stats->partials);
	if (import->input.traces.repeated)
		add(&args, "repeated", import->input.traces.repeated);
	return put(import, "source", &args);
}

/* Puts a note and frees its text. @text: NULL if out of memory */
static int put_own(struct import *import, char *text)
{
	int ret = text ? put_note(import, text) : -ENOMEM;

	free(text);
	return ret;
}

/* The dumps of just-in-time compilers that could not be read as a whole */
static int put_jitdumps(struct import *import)
{
	const struct profile_jitdump *dumps = import->input.jitdumps.list;
	int ret = 0;

	for (size_t i = 0; i < import->input.jitdumps.n && !ret; i++)
		if (dumps[i].why)
			ret = put_own(import, text_print("functions of %s: %s", dumps[i].path, dumps[i].why));
	return ret;
}

static int put_omitted(struct import *import, uint64_t records, const char *why)
{
	if (!records)
		return 0;
	return put_own(import, text_print("%llu %s omitted: %s", (unsigned long long)records,
					  gpmu_plural(records, "record is", "records are"), why));
}

/* Writes notes about parts of the recording that the trace lacks, or has in another form. */
static int put_notes(struct import *import)
{
	const struct gpmu_import_facts *facts = &import->facts;
	char *skipped = gpmu_perfdata_skipped(import->input.perfdata);
	int ret = 0;

	/* Without -k, SPE's times are placed by perf's clock on any machine. */
	if (!import->clock.is_raw && import->input.has_spe && import->clock.has_spe)
		ret = put_note(import, "times are those of perf's clock, not CLOCK_MONOTONIC_RAW: import on the recorded machine before its "
			       "next boot");
	else if (!import->clock.is_raw)
		ret = put_note(import, "times are not CLOCK_MONOTONIC_RAW: record with -k monotonic_raw");
	if (!ret && import->input.has_spe && !import->clock.has_spe)
		ret = put_note(import, "operations of SPE are omitted: their times cannot be converted to the clock of -k; record without -k, "
			       "or with -k monotonic_raw and import on the recorded machine before its next boot");
	if (!ret && import->input.machine.unknown_version)
		ret = put_own(import, text_print("version %llu of AUXTRACE_INFO is not known; it was read as version 2",
						 (unsigned long long)import->input.machine.unknown_version));
	if (!ret && import->input.traces.physical && *import->input.machine.no_homes)
		ret = put_own(import, text_print("homes of operations of SPE are not known: %s",
						 import->input.machine.no_homes));
	if (!ret)
		ret = put_omitted(import, import->timeless, "they have no time; record with -T and without the term time=0 "
				  "of an event") ?:
		      put_omitted(import, facts->no_time - import->timeless,
				  "they have no time on the clock of the trace");
	if (!ret && import->has_partial_switches)
		ret = put_note(import, "the times that threads run are not known: "
			       "sched:sched_switch is recorded for some tasks only; use perf sched "
			       "record, perf record -a, or --switch-events");
	if (!ret && facts->outside)
		ret = put_own(import, text_print("%llu %s", (unsigned long long)facts->outside,
						 gpmu_outside_why(facts->outside)));
	if (!ret && skipped)
		ret = put_note(import, skipped);
	if (!ret && facts->is_damaged && !(skipped && facts->is_whole))
		ret = put_note(import, facts->is_whole ?
			       "facts in the recording are damaged: all its records were read, but names of functions or events may be missing" :
			       "the recording is damaged or cut off: only the part before is in the trace");
	if (!ret && facts->is_stopped)
		ret = put_note(import, "stopped by a signal: only a part of the recording was read");
	free(skipped);
	return ret;
}

int import_audit(struct import *import)
{
	const struct gpmu_import_facts *facts = &import->facts;
	const uint64_t records =
		facts->samples + facts->tracepoints + facts->switches - import->switch_samples;

	return put_gpmu(import) ?: put_clock(import) ?:
	       put_source(import, "perf", records, facts->lost) ?:
	       put_spe(import) ?: put_jitdumps(import) ?: put_notes(import);
}
