// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes facts about the whole trace at its end. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/error.h"
#include "base/gpmu_outside.h"
#include "base/log.h"
#include "base/text/text.h"
#include "record/recorder.h"

static const char *const source_names[RECORDER_SOURCES] = {
	[RECORDER_CHANNELS] = "channels", [RECORDER_ROWS] = "counters", [RECORDER_SCHED] = "sched",
	[RECORDER_SPE] = "spe", [RECORDER_STACKS] = "stacks",
};

static const char *const reasons[ACTIVITY_LOST_REASONS] = {
	[ACTIVITY_LOST_CUPTI] = "CUPTI had no buffer (--cuda-buffers)",
	[ACTIVITY_LOST_CHANNEL] = "the channel was full",
	[ACTIVITY_LOST_TIMES] = "records with missing or impossible times",
	[ACTIVITY_LOST_CORRUPT] = "malformed buffers",
	[ACTIVITY_LOST_IDS] = "records with an impossible process or thread",
	[ACTIVITY_LOST_NESTING] = "ends of regions that were not the innermost of their thread",
	[ACTIVITY_LOST_PC_FULL] = "times that the hardware buffer of PC sampling was full (--pc-period)",
	[ACTIVITY_LOST_PC_DROPPED] = "PC samples that the hardware dropped (--pc-period)",
	[ACTIVITY_LOST_PC_FOREIGN] = "PC samples of functions that were loaded before the sampling began",
	[ACTIVITY_LOST_PC_CONTEXT] = "contexts that could not be sampled, or not to their end",
	[ACTIVITY_LOST_PC_MISSING] = "PC samples that CUPTI counted and did not deliver",
	[ACTIVITY_LOST_END] = "the work had not ended, or CUPTI had not delivered it, at the end of the process",
};

static const char *const kernel_reasons[RECORD_KERNEL_REASONS] = {
	[RECORD_KERNEL_FULL] = "the kernel's ring was full",
	[RECORD_KERNEL_TRUNCATED] = "a buffer of SPE was full (--spe-buffer, period)",
	[RECORD_KERNEL_UNSPOOLED] = "samples of SPE could not be kept in a file (room on the disk)",
	[RECORD_KERNEL_ENDED] = "a signal ended the writing (upper bound: samples outside the recorded time are included)",
	[RECORD_KERNEL_THROTTLED] = "the kernel throttled the event (sysctl kernel.perf_event_max_sample_rate)",
	[RECORD_KERNEL_MALFORMED] = "malformed records of the kernel",
};

/* As the words of --cuda; 0: records of any kind */
static const char *const kinds[ACTIVITY_KINDS] = {
	[ACTIVITY_PROCESS] = "process", [ACTIVITY_DEVICE] = "device", [ACTIVITY_CONTEXT] = "context",
	[ACTIVITY_NOTE] = "note", [ACTIVITY_CAPTURE] = "capture", [ACTIVITY_KERNEL] = "kernel",
	[ACTIVITY_COPY] = "memcpy", [ACTIVITY_SET] = "memset", [ACTIVITY_GRAPH] = "graph",
	[ACTIVITY_RUNTIME] = "runtime", [ACTIVITY_DRIVER] = "driver", [ACTIVITY_SYNC] = "sync",
	[ACTIVITY_MARKER] = "nvtx", [ACTIVITY_MEMORY] = "memory", [ACTIVITY_OVERHEAD] = "overhead",
	[ACTIVITY_EXTERNAL] = "external", [ACTIVITY_UNIFIED] = "unified", [ACTIVITY_HOST_MEMORY] = "host memory",
	[ACTIVITY_ENVIRONMENT] = "clocks", [ACTIVITY_MODULE] = "module", [ACTIVITY_OPENACC] = "openacc",
	[ACTIVITY_NODE] = "node", [ACTIVITY_PC] = "pc", [ACTIVITY_PC_TOTAL] = "pc total",
	[ACTIVITY_CUBIN] = "cubin",
};

static int audit(struct gpmu_recorder *recorder, const char *name, const struct record_args *args)
{
	const uint64_t end = record_window_get(&recorder->window).end;

	return gpmu_trace_audit(recorder->trace, end, name, args->list, args->count);
}

static int audit_gpmu(struct gpmu_recorder *recorder)
{
	const struct record_span window = record_window_get(&recorder->window);
	struct record_args args = { .count = 0 };
	struct utsname name;
	struct rusage usage;

	record_arg_text(&args, "version", recorder->program ? recorder->program : "libgpmu");
	if (recorder->command)
		record_arg_text(&args, "command", recorder->command);
	if (!uname(&name)) {
		record_arg_text(&args, "host", name.nodename);
		record_arg_text(&args, "machine", name.machine);
		record_arg_text(&args, "kernel", name.release);
	}
	if (recorder->options.rank_count)
		record_arg(&args, "rank", recorder->options.rank);
	if (recorder->options.rank_count > 0)
		record_arg(&args, "ranks", recorder->options.rank_count);
	record_arg(&args, "begin", (int64_t)window.begin);
	record_arg(&args, "end", (int64_t)window.end);
	if (!getrusage(RUSAGE_SELF, &usage))
		record_arg(&args, "memory", (int64_t)usage.ru_maxrss * 1024);
	return audit(recorder, "gpmu", &args);
}

static int audit_process(struct gpmu_recorder *recorder, const struct record_process *process)
{
	static const char *const ends[] = {
		[RECORD_RUNNING] = "running", [RECORD_CLOSED] = "closed",
		[RECORD_VANISHED] = "vanished",
	};
	struct record_args args = { .count = 0 };

	record_arg(&args, "pid", process->pid);
	record_arg_text(&args, "program", process->program ? process->program : "?");
	if (process->has_regions) {
		record_arg_text(&args, "of", "regions");
	} else {
		record_arg(&args, "cupti", process->cupti);
		record_arg(&args, "driver", process->driver);
		record_arg(&args, "buffers", (int64_t)process->memory);
		record_arg(&args, "buffers_limit", (int64_t)recorder->options.cuda_buffers);
	}
	record_arg_text(&args, "end", ends[process->end]);
	return audit(recorder, "process", &args);
}

/* Compares the PC samples that CUPTI has counted with those that have arrived. */
static int audit_pcs(struct gpmu_recorder *recorder, const struct record_process *process)
{
	const struct record_pcs *pcs = &process->pcs;
	struct record_args args = { .count = 0 };

	if (!pcs->is_used)
		return 0;
	record_arg(&args, "pid", process->pid);
	record_arg_text(&args, "program", process->program ? process->program : "?");
	record_arg_text(&args, "mode", pcs->mode == CHANNEL_PC_SERIALIZED ? "serialized" : "continuous");
	record_arg(&args, "period", (int64_t)1 << (pcs->period & 31));
	record_arg(&args, "samples", (int64_t)pcs->samples);
	record_arg(&args, "delivered", (int64_t)pcs->delivered);
	record_arg(&args, "dropped", (int64_t)pcs->dropped);
	record_arg(&args, "foreign", (int64_t)pcs->foreign);
	record_arg(&args, "full", (int64_t)pcs->full);
	record_arg(&args, "chosen", pcs->stalls != 0);
	return audit(recorder, "pc_sampling", &args);
}

/* Compares calls with records, for each kind of work that the process has called. */
static int audit_calls(struct gpmu_recorder *recorder, const struct record_process *process)
{
	const struct activity_calls *calls = &process->tally;
	int ret = 0;

	for (int work = 0; work < ACTIVITY_WORKS && !ret; work++) {
		struct record_args args = { .count = 0 };
		uint64_t lost = 0;

		if (!calls->called[work] && !calls->unsure[work])
			continue;
		for (int why = 0; why < ACTIVITY_LOST_REASONS; why++)
			lost += process->lost[why][ACTIVITY_KERNEL + work].count;
		record_arg(&args, "pid", process->pid);
		record_arg_text(&args, "program", process->program ? process->program : "?");
		record_arg_text(&args, "kind", kinds[ACTIVITY_KERNEL + work]);
		record_arg(&args, "called", (int64_t)calls->called[work]);
		record_arg(&args, "delivered", (int64_t)process->arrived[work]);
		record_arg(&args, "outside", (int64_t)calls->outside[work]);
		record_arg(&args, "lost", (int64_t)lost);
		/* Work of a process that outlives the recording is not lost. */
		if (process->end == RECORD_RUNNING)
			record_arg(&args, "pending", (int64_t)record_balance_missing(process, work));
		record_arg(&args, "dropped", (int64_t)process->lost[ACTIVITY_LOST_CUPTI][0].count);
		record_arg(&args, "unsure", (int64_t)calls->unsure[work]);
		ret = audit(recorder, "calls", &args);
	}
	return ret;
}

static int audit_source(struct gpmu_recorder *recorder, const char *source, uint64_t records,
			const struct record_lost *lost, const char *why, const char *kind)
{
	struct record_args args = { .count = 0 };

	record_arg_text(&args, "source", source);
	record_arg(&args, "records", (int64_t)records);
	record_arg(&args, "lost", lost ? (int64_t)lost->count : 0);
	if (lost) {
		record_arg_text(&args, "why", why);
		if (kind)
			record_arg_text(&args, "kind", kind);
		record_arg(&args, "from", (int64_t)lost->from);
		record_arg(&args, "to", (int64_t)lost->to);
	}
	return audit(recorder, "source", &args);
}

/* Writes one line for each reason of loss and kind of record, or one line without loss. */
static int audit_lost(struct gpmu_recorder *recorder, const struct record_process *process)
{
	char *source = text_print("%u %s", process->pid, process->program ? process->program : "?");
	bool has_any = false;
	int ret = source ? 0 : -ENOMEM;

	for (size_t i = 0; i < ACTIVITY_LOST_REASONS * ACTIVITY_KINDS && !ret; i++) {
		size_t why = i / ACTIVITY_KINDS, kind = i % ACTIVITY_KINDS;

		if (!process->lost[why][kind].count)
			continue;
		has_any = true;
		ret = audit_source(recorder, source, process->record_count,
				   &process->lost[why][kind], reasons[why], kinds[kind]);
	}
	if (!has_any && !ret)
		ret = audit_source(recorder, source, process->record_count, NULL, NULL, NULL);
	free(source);
	return ret;
}

/* Losses of the spool have different causes. */
static int audit_kernel(struct gpmu_recorder *recorder, enum recorder_source source, const struct record_lost *lost, int why)
{
	const uint64_t records = recorder->source_record_count[source];
	const int error = why == RECORD_KERNEL_UNSPOOLED ? recorder->spe.spool.error : 0;
	char *reason = text_print("%s%s%s", kernel_reasons[why], error ? ": " : "",
				  error ? error_text(-error) : "");
	int ret = reason ? audit_source(recorder, source_names[source], records, lost, reason, NULL) : -ENOMEM;

	free(reason);
	return ret;
}

static int audit_queue(struct gpmu_recorder *recorder, enum recorder_source source)
{
	uint64_t dropped, records = recorder->source_record_count[source];
	const struct record_span window = record_window_get(&recorder->window);
	struct record_lost lost = { .from = window.begin, .to = window.end };
	int ret = 0;

	record_queue_count(&recorder->queues[source], &dropped);
	/* Losses in channels are reported for each process. */
	if (source != RECORDER_CHANNELS && records)
		ret = audit_source(recorder, source_names[source], records, NULL, NULL, NULL);
	lost.count = dropped;
	if (dropped && !ret)
		ret = audit_source(recorder, source_names[source], records, &lost,
				   "the queue was full", NULL);
	for (int why = 0; why < RECORD_KERNEL_REASONS && !ret; why++) {
		lost.count = recorder->source_lost_count[source][why];
		if (lost.count)
			ret = audit_kernel(recorder, source, &lost, why);
	}
	return ret;
}

static int audit_gpu(struct gpmu_recorder *recorder, const struct record_gpu *gpu)
{
	struct record_args args = { .count = 0 };

	record_arg(&args, "gpu", gpu->number);
	record_arg_text(&args, "uuid", gpu->uuid);
	record_arg_text(&args, "name", gpu->name ? gpu->name : "?");
	if (gpu->clock_min) {
		record_arg(&args, "clock_min", gpu->clock_min);
		record_arg(&args, "clock_max", gpu->clock_max);
		record_arg(&args, "throttle", gpu->throttle);
	}
	return audit(recorder, "gpu", &args);
}

static int audit_counter(struct gpmu_recorder *recorder, const struct record_counter *counter)
{
	struct record_args args = { .count = 0 };

	record_arg_text(&args, "counter", counter->name);
	if (!isnan(counter->share))
		args.list[args.count++] = (struct gpmu_trace_arg){
			.name = "share", .kind = GPMU_TRACE_DOUBLE, .real = counter->share,
		};
	record_arg(&args, "gaps", (int64_t)counter->gaps);
	record_arg_text(&args, "of", counter->parent);
	record_arg_text(&args, "kind", counter->is_total ? "total" : "mean");
	return audit(recorder, "counters", &args);
}

static int audit_times(struct gpmu_recorder *recorder)
{
	const struct record_causality *causality = &recorder->map.causality;
	struct record_args clock = { .count = 0 }, order = { .count = 0 };
	int ret;

	if (!recorder->map.cuda_count)
		return 0;
	record_arg(&clock, "bound", RECORDER_CUPTI_BOUND);
	record_arg_text(&clock, "of", "CUDA's records, as measured on an H200 with CUPTI 13.0");
	ret = audit(recorder, "clock", &clock);
	if (ret)
		return ret;
	record_arg(&order, "early", (int64_t)causality->early);
	record_arg(&order, "overlap", (int64_t)causality->overlaps);
	record_arg(&order, "outside", (int64_t)causality->outside);
	record_arg(&order, "checked", (int64_t)causality->checked);
	return audit(recorder, "causality", &order);
}

/* How SPE has sampled. Losses that are not here are of the source. */
static int audit_spe(struct gpmu_recorder *recorder)
{
	const struct gpmu_spe_stats *stats = &recorder->spe.stats;
	const struct {
		const char *name;
		uint64_t count;
	} counts[] = {
		{ "period", recorder->spe.period }, { "samples", stats->records },
		{ "outside", recorder->spe.outside }, { "collisions", stats->collisions },
		{ "truncations", stats->truncations }, { "partials", stats->partials }, { "damages", stats->damages },
		{ "unfinished", stats->unfinished }, { "bare", stats->bare }, { "unknown", stats->unknown },
		{ "lost_bytes", stats->lost_bytes }, { "buffer", recorder->spe.rings.aux_max },
		{ "bound", recorder->spe.bound },
	};
	struct record_args args = { .count = 0 };

	if (!recorder->spe.rings.count)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		record_arg(&args, counts[i].name, (int64_t)counts[i].count);
	return audit(recorder, "spe", &args);
}

/* @text: NULL: there is no note */
static int audit_note(struct gpmu_recorder *recorder, const char *text, const char *level)
{
	struct record_args args = { .count = 0 };

	if (!text)
		return 0;
	record_arg_text(&args, "text", text);
	record_arg_text(&args, "level", level);
	return audit(recorder, "note", &args);
}

/* Writes why processes could not be recorded. */
static int audit_refusals(struct gpmu_recorder *recorder)
{
	int ret = 0;

	for (size_t i = 0; i < recorder->refusal_count && !ret; i++)
		ret = audit_note(recorder, recorder->refusals[i].why, "warning");
	return ret;
}

/* Logs and writes the number of samples of tasks outside the PID namespace. */
static int audit_outside(struct gpmu_recorder *recorder)
{
	const uint64_t samples = recorder->map.outside_samples;
	char *text = samples ? text_print("%" PRIu64 " %s", samples, gpmu_outside_why(samples)) : NULL;
	int ret = samples && !text ? -ENOMEM : audit_note(recorder, text, "info");

	if (text)
		log_line(GPMU_LOG_WARNING, "%s", text);
	free(text);
	return ret;
}

static int audit_notes(struct gpmu_recorder *recorder)
{
	struct record_args sampler = { .count = 0 };
	const struct record_span window = record_window_get(&recorder->window);
	struct record_lost lost = { recorder->no_memory_count, window.begin, window.end };
	int ret = 0;

	if (recorder->sampler) {
		record_arg_text(&sampler, "path", recorder->sampler);
		ret = audit(recorder, "sampler", &sampler);
	}
	for (size_t i = 0; i < recorder->note_count && !ret; i++)
		ret = audit_note(recorder, recorder->notes[i], "warning");
	if (!ret)
		ret = audit_note(recorder, recorder->sched.note, "info");
	if (!ret)
		ret = audit_note(recorder, recorder->spe.note, "info");
	if (!ret && recorder->spe.has_no_contexts)
		ret = audit_note(recorder, RECORD_SPE_NO_CONTEXTS, "info");
	if (!ret && recorder->terms && !recorder->map.memory.count)
		ret = audit_note(recorder, RECORD_NO_HOMES, "info");
	if (!ret)
		ret = audit_note(recorder, recorder->stack.note, "info");
	if (!ret)
		ret = audit_outside(recorder);
	if (!ret && recorder->no_memory_count)
		ret = audit_source(recorder, "gpmu", 0, &lost, ERROR_NO_MEMORY, NULL);
	if (!ret)
		ret = audit_refusals(recorder);
	if (ret || !recorder_lacks_cuda(recorder))
		return ret;
	return audit_note(recorder, "0 processes connected", "warning");
}

int recorder_audit(struct gpmu_recorder *recorder)
{
	const struct record_map *map = &recorder->map;
	int ret = audit_gpmu(recorder);

	if (!ret)
		ret = audit_times(recorder);
	for (size_t i = 0; i < map->process_count && !ret; i++) {
		ret = map->processes[i]->is_joined ? 0 : audit_process(recorder, map->processes[i]);
		if (!ret)
			ret = audit_calls(recorder, map->processes[i]);
		if (!ret)
			ret = audit_pcs(recorder, map->processes[i]);
		if (!ret)
			ret = audit_lost(recorder, map->processes[i]);
	}
	for (size_t i = 0; i < map->gpu_count && !ret; i++)
		if (map->gpus[i].is_used)
			ret = audit_gpu(recorder, &map->gpus[i]);
	for (int source = 0; source < RECORDER_SOURCES && !ret; source++)
		ret = audit_queue(recorder, source);
	for (size_t i = 0; i < map->counter_count && !ret; i++)
		ret = audit_counter(recorder, &map->counters[i]);
	if (!ret)
		ret = audit_spe(recorder);
	return ret ? ret : audit_notes(recorder);
}
