// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes facts about the whole trace at its end. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/list.h"
#include "record/record.h"


static const char *const source_names[RECORD_SOURCES] = {
	[RECORD_CHANNELS] = "CUDA", [RECORD_ROWS] = "counters", [RECORD_SCHED] = "sched",
};

static const char *const reasons[ACTIVITY_LOST_REASONS] = {
	[ACTIVITY_LOST_CUPTI] = "CUPTI had no buffer",
	[ACTIVITY_LOST_CHANNEL] = "the channel was full",
	[ACTIVITY_LOST_TIMES] = "records without times",
	[ACTIVITY_LOST_CORRUPT] = "buffers that made no sense",
};

static void arg_real(struct record_args *args, const char *name, double value)
{
	args->list[args->n++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_DOUBLE,
							 .real = value };
}

static int audit(struct gpmu_record *record, const char *name, const struct record_args *args)
{
	return gpmu_trace_audit(record->trace, record->end, name, args->list, args->n);
}

static int audit_gpmu(struct gpmu_record *record)
{
	struct record_args args = { .n = 0 };
	struct utsname name;

	record_arg_text(&args, "version", record->program ? record->program : "libgpmu");
	if (record->command)
		record_arg_text(&args, "command", record->command);
	if (!uname(&name)) {
		record_arg_text(&args, "host", name.nodename);
		record_arg_text(&args, "machine", name.machine);
		record_arg_text(&args, "kernel", name.release);
	}
	if (record->options.rank >= 0)
		record_arg(&args, "rank", record->options.rank);
	if (record->options.ranks > 0)
		record_arg(&args, "ranks", record->options.ranks);
	record_arg(&args, "begin", (int64_t)record->begin);
	record_arg(&args, "end", (int64_t)record->end);
	return audit(record, "gpmu", &args);
}

static int audit_process(struct gpmu_record *record, const struct record_process *process)
{
	static const char *const ends[] = {
		[RECORD_RUNNING] = "running", [RECORD_CLOSED] = "closed",
		[RECORD_VANISHED] = "vanished",
	};
	struct record_args args = { .n = 0 };

	record_arg(&args, "pid", process->pid);
	record_arg_text(&args, "program", process->program ? process->program : "?");
	record_arg(&args, "cupti", process->cupti);
	record_arg(&args, "driver", process->driver);
	record_arg_text(&args, "end", ends[process->end]);
	return audit(record, "process", &args);
}

static int audit_source(struct gpmu_record *record, const char *source, uint64_t records,
			const struct record_lost *lost, const char *why)
{
	struct record_args args = { .n = 0 };

	record_arg_text(&args, "source", source);
	record_arg(&args, "records", (int64_t)records);
	record_arg(&args, "lost", lost ? (int64_t)lost->count : 0);
	if (lost) {
		record_arg_text(&args, "why", why);
		record_arg(&args, "from", (int64_t)lost->from);
		record_arg(&args, "to", (int64_t)lost->to);
	}
	return audit(record, "source", &args);
}

/* Writes one line for each reason of loss, or one line without loss. */
static int audit_lost(struct gpmu_record *record, const struct record_process *process)
{
	char *source = text_print("%u %s", process->pid, process->program ? process->program : "?");
	bool any = false;
	int ret = source ? 0 : -ENOMEM;

	for (size_t i = 0; i < ACTIVITY_LOST_REASONS && !ret; i++) {
		if (!process->lost[i].count)
			continue;
		any = true;
		ret = audit_source(record, source, process->records, &process->lost[i], reasons[i]);
	}
	if (!any && !ret)
		ret = audit_source(record, source, process->records, NULL, NULL);
	free(source);
	return ret;
}

static int audit_queue(struct gpmu_record *record, enum record_source source)
{
	uint64_t dropped, records = record->source_records[source];
	struct record_lost lost = { .from = record->begin, .to = record->end };
	int ret = 0;

	record_queue_items(&record->queues[source], &dropped);
	/* Losses in channels are reported for each process. */
	if (source != RECORD_CHANNELS && records)
		ret = audit_source(record, source_names[source], records, NULL, NULL);
	lost.count = dropped;
	if (dropped && !ret)
		ret = audit_source(record, source_names[source], records, &lost,
				   "the queue was full");
	lost.count = record->source_lost[source];
	if (lost.count && !ret)
		ret = audit_source(record, source_names[source], records, &lost,
				   "the kernel's ring was full");
	return ret;
}

static int audit_gpu(struct gpmu_record *record, const struct record_gpu *gpu)
{
	struct record_args args = { .n = 0 };

	record_arg(&args, "gpu", gpu->number);
	record_arg_text(&args, "uuid", gpu->uuid);
	record_arg_text(&args, "name", gpu->name ? gpu->name : "?");
	if (gpu->clock_min) {
		record_arg(&args, "clock_min", gpu->clock_min);
		record_arg(&args, "clock_max", gpu->clock_max);
		record_arg(&args, "throttle", gpu->throttle);
	}
	return audit(record, "gpu", &args);
}

static int audit_counter(struct gpmu_record *record, const struct record_counter *counter)
{
	struct record_args args = { .n = 0 };

	record_arg_text(&args, "counter", counter->name);
	if (!isnan(counter->share))
		arg_real(&args, "share", counter->share);
	record_arg(&args, "gaps", (int64_t)counter->gaps);
	record_arg_text(&args, "of", counter->of);
	record_arg_text(&args, "kind", counter->is_total ? "total" : "mean");
	return audit(record, "counters", &args);
}

static int audit_times(struct gpmu_record *record)
{
	const struct record_causality *causality = &record->map.causality;
	struct record_args clock = { .n = 0 }, order = { .n = 0 };
	int ret = 0;

	if (record->map.n_processes) {
		record_arg(&clock, "bound", RECORD_CUPTI_BOUND);
		record_arg_text(&clock, "of", "CUDA's records, as measured on an H200 with CUPTI 13.0");
		ret = audit(record, "clock", &clock);
	}
	if (ret || !record->folder)
		return ret;
	record_arg(&order, "early", (int64_t)causality->early);
	record_arg(&order, "overlap", (int64_t)causality->overlaps);
	record_arg(&order, "outside", (int64_t)causality->outside);
	record_arg(&order, "checked", (int64_t)causality->checked);
	return audit(record, "causality", &order);
}

static int audit_notes(struct gpmu_record *record)
{
	struct record_args sampler = { .n = 0 }, note = { .n = 0 }, sched = { .n = 0 };
	struct record_lost lost = { record->no_memory, record->begin, record->end };
	int ret = 0;

	if (record->sampler) {
		record_arg_text(&sampler, "path", record->sampler);
		ret = audit(record, "sampler", &sampler);
	}
	if (!ret && record->sched_note) {
		record_arg_text(&sched, "text", record->sched_note);
		record_arg_text(&sched, "level", "info");
		ret = audit(record, "note", &sched);
	}
	if (!ret && record->no_memory)
		ret = audit_source(record, "gpmu", 0, &lost, "no memory");
	if (ret || !record->folder || record->map.n_processes)
		return ret;
	record_arg_text(&note, "text", "0 processes connected");
	record_arg_text(&note, "level", "warning");
	return audit(record, "note", &note);
}

int record_audit(struct gpmu_record *record)
{
	const struct record_map *map = &record->map;
	int ret = audit_gpmu(record);

	if (!ret)
		ret = audit_times(record);
	for (size_t i = 0; i < map->n_processes && !ret; i++) {
		ret = audit_process(record, map->processes[i]);
		if (!ret)
			ret = audit_lost(record, map->processes[i]);
	}
	for (size_t i = 0; i < map->n_gpus && !ret; i++)
		if (map->gpus[i].used)
			ret = audit_gpu(record, &map->gpus[i]);
	for (int source = 0; source < RECORD_SOURCES && !ret; source++)
		ret = audit_queue(record, source);
	for (size_t i = 0; i < map->n_counters && !ret; i++)
		ret = audit_counter(record, &map->counters[i]);
	return ret ? ret : audit_notes(record);
}
