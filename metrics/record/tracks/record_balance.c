// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The balance of a process: each call that launches work has a record that arrived or is counted as lost. The process counts
 * its calls in shared memory, so the number is known even if the process was killed before CUPTI delivered the records.
 */
#include <string.h>

#include "base/log.h"
#include "base/text/text.h"
#include "record/tracks/record_map.h"

static const char *const names[ACTIVITY_WORKS] = { "kernels", "copies", "memsets", "graphs" };

static bool is_work(uint32_t kind)
{
	return kind >= ACTIVITY_KERNEL && kind <= ACTIVITY_GRAPH;
}

void record_balance_add(struct record_process *process, const struct activity_head *record)
{
	const struct activity_lost *lost = (const void *)record;

	if (is_work(record->kind))
		process->arrived[record->kind - ACTIVITY_KERNEL]++;
	if (record->kind == ACTIVITY_LOST && is_work(lost->kind))
		process->accounted[lost->kind - ACTIVITY_KERNEL] += lost->count;
}

/* Records that CUPTI has dropped, of any kind; they are already counted as lost */
static uint64_t dropped_by_cupti(const struct record_process *process)
{
	return process->lost[ACTIVITY_LOST_CUPTI][0].count;
}

/* Returns the number of records that arrived, were counted as lost, or are outside of capture ranges. */
static uint64_t known_of(const struct record_process *process, int work)
{
	return process->arrived[work] + process->accounted[work] + process->tally.outside[work];
}

uint64_t record_balance_missing(const struct record_process *process, int work)
{
	const uint64_t called = process->tally.called[work], known = known_of(process, work);

	return called > known ? called - known : 0;
}

/* Counts calls that have a record but were not counted: a call is counted when it returns, and the thread was killed within it. */
static void count_last_calls(struct record_process *process)
{
	for (int work = 0; work < ACTIVITY_WORKS && process->tally.head.size; work++)
		if (!process->tally.unsure[work] && process->tally.called[work] < known_of(process, work))
			process->tally.called[work] = known_of(process, work);
}

static void log_missing(const struct record_process *process, const uint64_t missing[ACTIVITY_WORKS])
{
	char text[160] = "";

	for (int work = 0; work < ACTIVITY_WORKS; work++)
		if (missing[work])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%llu of %llu %s", *text ? ", " : "",
				 (unsigned long long)missing[work], (unsigned long long)process->tally.called[work],
				 names[work]);
	if (*text)
		log_line(GPMU_LOG_WARNING, "%u %.32s: %s are lost: they had not ended, or CUPTI had not delivered them, when the process ended",
			 process->pid, process->program ? process->program : "?", text);
}

void record_balance_end(struct record_process *process)
{
	uint64_t explained = dropped_by_cupti(process), missing[ACTIVITY_WORKS];

	count_last_calls(process);
	for (int work = 0; work < ACTIVITY_WORKS; work++) {
		struct record_lost *lost = &process->lost[ACTIVITY_LOST_END][ACTIVITY_KERNEL + work];
		uint64_t n = record_balance_missing(process, work), less = n < explained ? n : explained;

		explained -= less;
		/* The process itself has reported the work that had not ended. */
		if (n - less && (!lost->count || process->tally.from < lost->from))
			lost->from = process->tally.from;
		if (n - less && process->tally.to > lost->to)
			lost->to = process->tally.to;
		lost->count += n - less;
		missing[work] = lost->count;
	}
	log_missing(process, missing);
}
