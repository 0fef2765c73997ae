// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads: how long each ran and waited, and on which CPUs. */
#include <stdio.h>

#include "base/cpus.h"
#include "base/gpmu_outside.h"
#include "report/report.h"

/* "0-3,8", or the number of CPUs if the list is long */
static const char *cpus_of(struct gpmu_report *report, const struct timeline_task *task)
{
	int ids[TIMELINE_CPUS];
	struct cpus cpus = { .ids = ids };
	char text[32];

	for (int cpu = 0; cpu < TIMELINE_CPUS; cpu++)
		if (task->cpus[cpu / 64] >> cpu % 64 & 1)
			ids[cpus.len++] = cpu;
	if (cpus_format(&cpus, text, sizeof(text)) < sizeof(text))
		return report_print(report, "%s", text);
	return report_print(report, "%zu CPUs", cpus.len);
}

static void put_name(struct gpmu_report *report, uint32_t name)
{
	report_text(report, REPORT_THREADS, name == TIMELINE_NONE ? "[unknown]" : report_string(report, name));
}

static void put_thread(struct gpmu_report *report, const struct timeline_task *task)
{
	const struct timeline_file *file = &report->timeline.files.list[task->file];
	const uint64_t wall = timeline_wall(file);
	const bool has_number = !gpmu_outside_name(task->tid);

	put_name(report, task->name);
	put_name(report, task->process);
	report_text(report, REPORT_THREADS, task->pid && has_number ? report_print(report, "%u", task->pid) : "");
	report_text(report, REPORT_THREADS, has_number ? report_print(report, "%u", task->tid) : "");
	report_text(report, REPORT_THREADS, report_rank(report, task->file));
	report_number(report, REPORT_THREADS, (double)task->run);
	report_maybe(report, REPORT_THREADS, wall > 0, (double)task->run / (double)wall);
	report_number(report, REPORT_THREADS, (double)task->wait);
	report_number(report, REPORT_THREADS, (double)task->ready);
	report_number(report, REPORT_THREADS, (double)task->switches);
	report_number(report, REPORT_THREADS, (double)task->migrations);
	report_text(report, REPORT_THREADS, cpus_of(report, task));
}

void report_threads(struct gpmu_report *report)
{
	for (size_t i = 0; i < report->timeline.tasks.n && !report->has_failed; i++)
		put_thread(report, &report->timeline.tasks.list[i]);
	report_table_done(report, REPORT_THREADS, "run");
}
