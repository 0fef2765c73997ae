// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints what was recorded and lost, at the end of gpmu record. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/gpmu_plural.h"
#include "base/text/gpmu_shown.h"
#include "message.h"
#include "record/record_summary.h"

static void print_number(char *text, size_t size, uint64_t number)
{
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number), pos = 0;

	for (size_t i = 0; i < n && pos + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			text[pos++] = ',';
		text[pos++] = digits[i];
	}
	text[pos] = '\0';
}

static void print_size(char *text, size_t size, uint64_t bytes)
{
	if (bytes < 100000)
		snprintf(text, size, "%.1f KB", (double)bytes / 1e3);
	else
		snprintf(text, size, "%.1f MB", (double)bytes / 1e6);
}

static void warn_of_order(const struct gpmu_recorder_stats *stats)
{
	if (stats->early_count)
		warn("%" PRIu64 " %s", stats->early_count,
		     gpmu_plural(stats->early_count, "kernel or copy begins before the call that launched it",
				 "kernels or copies begin before the call that launched them"));
	if (stats->overlap_count)
		warn("%" PRIu64 " %s has ended", stats->overlap_count,
		     gpmu_plural(stats->overlap_count, "kernel or copy begins before the previous one in its stream",
				 "kernels or copies begin before the previous one in their stream"));
	if (stats->outside_count)
		warn("%" PRIu64 " %s", stats->outside_count,
		     gpmu_plural(stats->outside_count, "call or range ends after the one around it",
				 "calls or ranges end after the one around them"));
}

/* "2 processes, 5 threads": connected processes, and threads that ran */
static void print_recorded(char *text, size_t size, const struct gpmu_recorder_stats *stats)
{
	const uint64_t processes = stats->process_count, threads = stats->thread_count;
	int n = 0;

	if (processes || !threads)
		n = snprintf(text, size, "%" PRIu64 " %s%s", processes, gpmu_plural(processes, "process", "processes"),
			     threads ? ", " : "");
	if (threads)
		n += snprintf(text + n, size - (size_t)n, "%" PRIu64 " %s", threads,
			      gpmu_plural(threads, "thread", "threads"));
	if (stats->lost_process_count)
		snprintf(text + n, size - (size_t)n, ", %" PRIu64 " not recorded",
			 stats->lost_process_count);
}

/* Reports losses, by which --strict fails. */
static void say_lost(const struct gpmu_recorder_stats *stats)
{
	say("--strict: records that were lost: %" PRIu64 ", processes that could not be recorded: %" PRIu64,
	    stats->lost_count, stats->lost_process_count);
}

bool record_summary_print(struct gpmu_recorder *recorder, const char *path, bool is_strict)
{
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };
	char records[32], lost[32], bytes[32], bound[48] = "", whose[96];
	bool has_failed;

	gpmu_recorder_get_stats(recorder, &stats);
	warn_of_order(&stats);
	print_number(records, sizeof(records), stats.record_count);
	print_number(lost, sizeof(lost), stats.lost_count);
	print_size(bytes, sizeof(bytes), stats.bytes);
	if (stats.clock_bound)
		snprintf(bound, sizeof(bound), ", clock bound %" PRIu64 " ns", stats.clock_bound);
	print_recorded(whose, sizeof(whose), &stats);
	fprintf(stderr, "[ gpmu record: %s, %s %s, %s lost%s -> ", whose, records,
		gpmu_plural(stats.record_count, "record", "records"), lost, bound);
	gpmu_shown_print(stderr, path);
	fprintf(stderr, " %s ]\n", bytes);
	has_failed = is_strict && (stats.lost_count || stats.lost_process_count);
	if (has_failed)
		say_lost(&stats);
	return !has_failed;
}
