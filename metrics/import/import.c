// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two passes over a recording: first threads, maps and AUX buffers, then samples. Context switches and counts are
 * collected and sorted by time, as records of different CPUs come in any order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/sized.h"
#include "import/import.h"

#define ROUND	4096	/* records between two calls of progress() */
#define STOPPED	1

static int progress_call(struct import *import, uint64_t done, uint64_t total)
{
	return import->options.progress && import->options.progress(import->options.user, done, total) ? STOPPED : 0;
}

/*
 * Calls progress() after record @n. If progress() ends the first pass, the second pass ends at the same record. If waiting()
 * has ended a wait for debug information, the pass ends, too.
 */
static int progress_record(struct import *import, uint64_t n, uint64_t offset)
{
	if (import->code.wait.is_ended)
		return STOPPED;
	if (n % ROUND || (import->stopped && n < import->stopped))
		return 0;
	if (import->stopped || progress_call(import, offset, import->size))
		import->stopped = n;
	return import->stopped ? STOPPED : 0;
}

/* Reads all records. Returns 0, STOPPED, or -errno. */
static int pass(struct import *import, int (*take)(struct import *import, const struct gpmu_perfdata_record *record),
		struct gpmu_error *error)
{
	const struct gpmu_perfdata_record *record;
	int ret, taken;

	for (uint64_t n = 1; (ret = gpmu_perfdata_next(import->perfdata, &record, error)) == 1; n++) {
		taken = take(import, record);
		if (!taken)
			taken = progress_record(import, n, record->offset);
		if (taken)
			return taken;
	}
	import->facts.is_damaged |= ret == -EINVAL;
	return ret == -EINVAL ? 0 : ret;
}

static int take_first(struct import *import, const struct gpmu_perfdata_record *record)
{
	bool is_spe;
	int ret = profile_tasks_add(&import->tasks, record);

	if (!ret)
		ret = profile_code_add(&import->code, record);
	if (!ret)
		ret = profile_jitdumps_add(&import->jitdumps, record);
	if (ret)
		return ret;
	switch (record->type) {
	case GPMU_PERFDATA_AUXTRACE_INFO:
		is_spe = record->auxtrace_info.type == GPMU_PERFDATA_ARM_SPE;
		import->has_spe |= is_spe;
		return is_spe ? profile_machine_add_spe(&import->machine, import->perfdata, record) : 0;
	case GPMU_PERFDATA_AUXTRACE:
	case PERF_RECORD_AUX:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		import->has_switches |= record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;
		return import->has_spe ? profile_traces_add(&import->traces, record) : 0;
	case GPMU_PERFDATA_CALLCHAIN_DEFERRED:
		return profile_deferred_add(&import->deferred, record);
	default:
		return 0;
	}
}

/* A sample of a tracepoint is an instant and, if it has a call stack, also a sample. Each record is counted once. */
static int take_sample(struct import *import, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_tracepoint *tracepoint =
		record->has & PERF_SAMPLE_RAW ? gpmu_perfdata_tracepoint(import->perfdata, record->event) : NULL;
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
		ret = import_tracepoint(import, record, time, tracepoint);
	return ret || (tracepoint && !(record->has & PERF_SAMPLE_CALLCHAIN)) ? ret : import_sample(import, record, time);
}

static int take_second(struct import *import, const struct gpmu_perfdata_record *record)
{
	int ret;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return record->event ? take_sample(import, record) : 0;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
		ret = import_switch(import, record);
		return ret ? ret : import_task(import, record);
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

	return profile_tasks_add(&import->tasks, record);
}

static int progress_traces(void *user, const struct profile_traces *traces)
{
	struct import *import = user;

	return import->code.wait.is_ended ? STOPPED : progress_call(import, traces->done, traces->bytes);
}

/* After a stop, all AUX buffers that had been read are decoded: a second stop does not end this. */
static int progress_rest(void *user, const struct profile_traces *traces)
{
	progress_call(user, traces->done, traces->bytes);
	return 0;
}

/* Returns whether samples of any event have call stacks. */
static bool has_stacks(const struct import *import)
{
	const struct gpmu_perfdata_event *event;

	for (size_t i = 0; (event = gpmu_perfdata_event(import->perfdata, i)); i++)
		if (event->attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER))
			return true;
	return false;
}

/* Ends the first pass. */
static int prepare(struct import *import, int fd, struct gpmu_error *error)
{
	const struct gpmu_perfdata_event *event = gpmu_perfdata_event(import->perfdata, 0);
	struct gpmu_trace_options options = { .size = sizeof(options), .path = import->options.path };
	struct import_now now = { .conv = { .mult = 0 } };

	import->info = import->code.info = gpmu_perfdata_info(import->perfdata);
	if (profile_jitdumps_read(&import->jitdumps, import->info, event, take_jit, import))
		return -ENOMEM;
	profile_tasks_sort(&import->tasks);
	if (profile_code_begin(&import->code))
		return -ENOMEM;
	import->code.inlines = !import->options.no_inlines && has_stacks(import);
	import->traces.conv = import->info->time_conv;
	import->traces.has_times = gpmu_perfdata_has_times(&import->info->time_conv);
	if (profile_machine_read(&import->machine, import->info))
		return -ENOMEM;
	if (import->info->time_conv.mult)
		import_clock_read(&now);
	import_clock_set(&import->clock, import->info, event ? event->attr : NULL, &now);
	options.kernel = import->info->osrelease ? import->info->osrelease : "not recorded";
	import->trace = gpmu_trace_new(fd, &options, error);
	return import->trace ? 0 : -errno;
}

/* Reads the recording and writes the trace. Returns 0, STOPPED or -errno. */
static int run(struct import *import, int fd, struct gpmu_error *error)
{
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	int ret = pass(import, take_first, error), stopped = ret, damaged;

	if (ret < 0)
		return ret;
	damaged = import->facts.is_damaged;
	ret = prepare(import, fd, error);
	if (!ret)
		ret = gpmu_perfdata_rewind(import->perfdata, error);
	if (!ret)
		ret = pass(import, take_second, damaged ? NULL : error);
	/* Records of SPE have no call stacks. */
	import->code.inlines = false;
	gpmu_perfdata_get_stats(import->perfdata, &stats);
	stopped |= ret == STOPPED || stats.is_stopped;
	import->facts.is_whole = stats.is_whole;
	if (ret >= 0 && import->has_spe) {
		ret = profile_traces_read(&import->traces, import->perfdata, stopped ? progress_rest : progress_traces, import,
					  damaged ? NULL : error);
		import->facts.is_whole &= !ret;
		import->facts.is_damaged |= ret == -EINVAL;
		ret = ret == -EINVAL ? 0 : ret;
	}
	if (ret < 0)
		return ret;
	import->facts.is_stopped = stopped || ret == STOPPED;
	import->facts.is_damaged &= !stats.is_stopped;
	import->facts.lost = stats.lost > stats.lost_samples ? stats.lost : stats.lost_samples;
	ret = import_switches_end(import);
	if (!ret)
		ret = import_counters_end(import);
	if (import->begin > import->end)
		import->begin = import->first_task <= import->end ? import->first_task : 0;
	if (!ret)
		ret = import_audit(import);
	return ret ? ret : gpmu_trace_finish(import->trace, error);
}

static void init(struct import *import)
{
	import->code.wait.waiting = import->options.waiting;
	import->code.wait.user = import->options.user;
	import->begin = import->first_task = UINT64_MAX;
	import->code.tasks = &import->tasks;
	import->code.jitdumps = &import->jitdumps;
	import->unwind.code = &import->code;
	import->code.texts = &import->texts;
	import->counter.wanted = 1U << GPMU_PROFILE_OP;
	import->traces.counter = &import->counter;
	import->traces.taker = import_spe;
	import->traces.user = import;
	import->traces.machine = &import->machine;
	import->traces.code = &import->code;
}

static void release(struct import *import)
{
	gpmu_trace_free(import->trace);
	import_threads_release(import);
	profile_traces_release(&import->traces);
	profile_jitdumps_release(&import->jitdumps);
	profile_unwind_release(&import->unwind);
	profile_deferred_release(&import->deferred);
	profile_code_release(&import->code);
	profile_tasks_release(&import->tasks);
	profile_machine_release(&import->machine);
	strings_release(&import->texts);
	vector_release(&import->switches);
	vector_release(&import->reads);
	vector_release(&import->counters);
	vector_release(&import->samplers);
	map_release(&import->counter_numbers);
	map_release(&import->cpu_tracks);
	free(import->places);
	gpmu_perfdata_free(import->perfdata);
	free(import);
}

int gpmu_import(const char *path, int fd, const struct gpmu_import_options *options, struct gpmu_import_facts *facts,
		struct gpmu_error *error)
{
	struct import *import = calloc(1, sizeof(*import));
	struct stat status;
	size_t size;
	int ret = import ? sized_options(&import->options, sizeof(import->options), options, error) : -ENOMEM;

	if (!ret) {
		init(import);
		ret = import_samples_init(import);
	}
	if (!ret) {
		import->perfdata = gpmu_perfdata_open(path, error);
		ret = import->perfdata ? 0 : -errno;
	}
	if (!ret) {
		import->size = stat(path, &status) || !S_ISREG(status.st_mode) ? 0 : (uint64_t)status.st_size;
		ret = run(import, fd, error);
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
