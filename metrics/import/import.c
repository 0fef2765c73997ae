// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two passes over a recording: first threads, maps and AUX buffers, then samples. Context switches and counts are
 * collected and sorted by time, as records of different CPUs come in any order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "import/import.h"

static int take_first(void *user, const struct gpmu_perfdata_record *record)
{
	struct import *import = user;

	import->has_switches |= record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;
	return profile_input_add(&import->input, record) ?: profile_deferred_add(&import->input.deferred, record);
}

/* A sample of a tracepoint is an instant and, if it has a call stack, also a sample. Each record is counted once. */
static int take_sample(struct import *import, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_tracepoint *tracepoint =
		record->has & PERF_SAMPLE_RAW ? gpmu_perfdata_tracepoint(import->input.perfdata, record->event) : NULL;
	uint64_t time;
	int ret;

	if (!import_record_time(import, record, &time))
		return 0;
	*(tracepoint ? &import->facts.tracepoints : &import->facts.samples) += 1;
	ret = record->has & PERF_SAMPLE_READ ? import_read(import, record, time) : 0;
	if (!ret && profile_tasks_is_outside(record)) {
		import->facts.outside++;
		ret = import_switch_outside(import, record, time);
	}
	if (!ret && tracepoint)
		ret = import_tracepoint(import, record, time, tracepoint) ?:
		      import_switch_sample(import, record, time, tracepoint);
	return ret || (tracepoint && !(record->has & PERF_SAMPLE_CALLCHAIN)) ? ret : import_sample(import, record, time);
}

static int take_second(void *user, const struct gpmu_perfdata_record *record)
{
	struct import *import = user;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return record->event ? take_sample(import, record) : 0;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
		return import_switch(import, record) ?: import_task(import, record);
	case PERF_RECORD_COMM:
		return import_task(import, record);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return import_switch(import, record);
	default:
		return 0;
	}
}

static int take_jit(void *user, const struct gpmu_perfdata_record *record)
{
	struct import *import = user;

	return profile_tasks_add(&import->input.tasks, record);
}

/* Returns whether samples of any event have call stacks. */
static bool has_stacks(const struct import *import)
{
	const struct gpmu_perfdata_event *event;

	for (size_t i = 0; (event = gpmu_perfdata_event(import->input.perfdata, i)); i++)
		if (event->attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER))
			return true;
	return false;
}

/* Ends the first pass. */
static int prepare(struct import *import, int fd, struct gpmu_error *error)
{
	const struct gpmu_perfdata_event *event = gpmu_perfdata_event(import->input.perfdata, 0);
	struct gpmu_trace_options options = { .size = sizeof(options), .path = import->options.path };
	struct import_now now = { .conv = { .mult = 0 } };

	if (profile_input_begin(&import->input, event, take_jit, import))
		return -ENOMEM;
	import->info = import->input.code.info;
	import->input.code.wants_inlines = !import->options.wants_no_inlines && has_stacks(import);
	if (import->info->time_conv.mult)
		import_clock_read(&now);
	import_clock_set(&import->clock, import->info, event ? event->attr : NULL, &now);
	options.kernel = import->info->osrelease ? import->info->osrelease : "not recorded";
	import->trace = gpmu_trace_new(fd, &options, error);
	return import->trace ? 0 : -errno;
}

/* Reads the recording and writes the trace. Returns 0 or -errno. */
static int run(struct import *import, int fd, struct gpmu_error *error)
{
	struct profile_input *input = &import->input;
	const struct gpmu_perfdata_stats *stats = &input->stats;
	int ret = profile_input_pass(input, take_first, import, error) ?: prepare(import, fd, error) ?:
		  profile_input_read(input, take_second, import, error);

	import->facts.is_damaged = input->is_damaged && !stats->is_stopped;
	import->facts.is_stopped = input->is_stopped;
	import->facts.is_whole = stats->is_whole;
	import->facts.lost = stats->lost > stats->lost_samples ? stats->lost : stats->lost_samples;
	if (!ret)
		ret = import_switches_end(import) ?: import_counters_end(import);
	if (import->begin > import->end)
		import->begin = import->first_task <= import->end ? import->first_task : 0;
	return ret ?: import_audit(import) ?: gpmu_trace_finish(import->trace, error);
}

static void init(struct import *import)
{
	profile_input_init(&import->input);
	import->input.progress = import->options.progress;
	import->input.user = import->input.code.wait.user = import->options.user;
	import->input.code.wait.waiting = import->options.waiting;
	import->input.counter.wanted = 1U << GPMU_PROFILE_OP;
	import->input.traces.taker = import_spe;
	import->input.traces.user = import;
	import->begin = import->first_task = UINT64_MAX;
}

static void release(struct import *import)
{
	gpmu_trace_free(import->trace);
	profile_input_release(&import->input);
	vector_free(&import->threads);
	map_release(&import->thread_numbers);
	vector_free(&import->switches);
	vector_free(&import->reads);
	vector_free(&import->counters);
	vector_free(&import->samplers);
	map_release(&import->counter_numbers);
	map_release(&import->cpu_tracks);
	free(import->places);
	free(import);
}

int gpmu_import(const char *path, int fd, const struct gpmu_import_options *options, struct gpmu_import_facts *facts,
		struct gpmu_error *error)
{
	struct import *import = calloc(1, sizeof(*import));
	size_t size;
	int ret = import ? sized_options(&import->options, sizeof(import->options), options, error) : -ENOMEM;

	if (!ret) {
		init(import);
		ret = import_samples_init(import) ?: profile_input_open(&import->input, path, error) ?:
		      run(import, fd, error);
	}
	if (ret == -ENOMEM)
		error_no_memory(error);
	if (facts && import) {
		size = facts->size;
		memcpy(facts, &import->facts, size < sizeof(*facts) ? size : sizeof(*facts));
		facts->size = size;
	}
	if (import)
		release(import);
	return ret;
}
