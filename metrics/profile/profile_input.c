// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <sys/stat.h>

#include "profile/profile_input.h"

#define ROUND	4096	/* records between two calls of progress() */

void profile_input_init(struct profile_input *input)
{
	input->code.tasks = &input->tasks;
	input->code.jitdumps = &input->jitdumps;
	input->code.texts = &input->texts;
	input->unwind.code = &input->code;
	input->counter.code = &input->code;
	input->counter.tasks = &input->tasks;
	input->traces.counter = &input->counter;
	input->traces.machine = &input->machine;
	input->traces.code = &input->code;
}

int profile_input_open(struct profile_input *input, const char *path, struct gpmu_error *error)
{
	struct stat status;

	input->perfdata = gpmu_perfdata_open(path, error);
	if (!input->perfdata)
		return -errno;
	if (!stat(path, &status) && S_ISREG(status.st_mode))
		input->size = (uint64_t)status.st_size;
	return 0;
}

int profile_input_add(struct profile_input *input, const struct gpmu_perfdata_record *record)
{
	int ret = profile_tasks_add(&input->tasks, record) ?: profile_code_add(&input->code, record) ?:
		  profile_jitdumps_add(&input->jitdumps, record);

	if (ret || record->type != GPMU_PERFDATA_AUXTRACE_INFO)
		return ret || !input->has_spe ? ret : profile_traces_add(&input->traces, record);
	input->is_foreign = record->auxtrace_info.type != GPMU_PERFDATA_ARM_SPE;
	input->has_spe = !input->is_foreign;
	return input->has_spe ? profile_machine_add_spe(&input->machine, input->perfdata, record) : 0;
}

/* Notes damage and a stop: the samples before them are used. Returns 0, or another error. */
static int end_part(struct profile_input *input, int ret)
{
	input->is_damaged |= ret == -EINVAL;
	input->is_stopped |= ret == PROFILE_STOPPED;
	return ret == -EINVAL || ret == PROFILE_STOPPED ? 0 : ret;
}

static int call_progress(const struct profile_input *input, uint64_t done, uint64_t total)
{
	return input->progress && input->progress(input->user, done, total) ? PROFILE_STOPPED : 0;
}

/*
 * Calls progress() after a record. If progress() ends the first pass, the second pass ends at the same record. If
 * waiting() has ended a wait for debug information, the pass ends, too.
 */
static int progress_record(struct profile_input *input, uint64_t offset)
{
	if (input->code.wait.is_ended)
		return PROFILE_STOPPED;
	if (input->number % ROUND || (input->stopped && input->number < input->stopped))
		return 0;
	if (input->stopped || call_progress(input, offset, input->size))
		input->stopped = input->number;
	return input->stopped ? PROFILE_STOPPED : 0;
}

int profile_input_pass(struct profile_input *input, profile_take *take, void *user, struct gpmu_error *error)
{
	const struct gpmu_perfdata_record *record;
	int ret, taken = 0;

	if (input->is_damaged)
		error = NULL;
	for (input->number = 1; (ret = gpmu_perfdata_next(input->perfdata, &record, error)) == 1; input->number++) {
		taken = take(user, record) ?: progress_record(input, record->offset);
		if (taken)
			break;
	}
	return taken < 0 ? taken : end_part(input, taken ?: ret);
}

int profile_input_begin(struct profile_input *input, const struct gpmu_perfdata_event *event, profile_take *take_jit,
			void *user)
{
	const struct gpmu_perfdata_info *info = gpmu_perfdata_info(input->perfdata);

	input->code.info = info;
	input->traces.conv = info->time_conv;
	input->traces.has_times = gpmu_perfdata_has_times(&info->time_conv);
	if (profile_jitdumps_read(&input->jitdumps, info, event, take_jit, user))
		return -ENOMEM;
	profile_tasks_sort(&input->tasks);
	return profile_code_begin(&input->code) ?: profile_machine_read(&input->machine, info);
}

static int progress_traces(void *user, const struct profile_traces *traces)
{
	const struct profile_input *input = user;

	return input->code.wait.is_ended ? PROFILE_STOPPED : call_progress(input, traces->done, traces->bytes);
}

/* After a stop, all AUX buffers that had been read are decoded: a second stop does not end this. */
static int progress_rest(void *user, const struct profile_traces *traces)
{
	call_progress(user, traces->done, traces->bytes);
	return 0;
}

int profile_input_read(struct profile_input *input, profile_take *take, void *user, struct gpmu_error *error)
{
	int ret = gpmu_perfdata_rewind(input->perfdata, error) ?: profile_input_pass(input, take, user, error);

	input->stats.size = sizeof(input->stats);
	gpmu_perfdata_get_stats(input->perfdata, &input->stats);
	input->is_stopped |= input->stats.is_stopped;
	if (ret || !input->has_spe)
		return ret;
	/* Records of SPE have no call stacks. */
	input->code.wants_inlines = false;
	ret = profile_traces_read(&input->traces, input->perfdata, input->is_stopped ? progress_rest : progress_traces,
				  input, input->is_damaged ? NULL : error);
	input->stats.is_whole &= !ret;
	return end_part(input, ret);
}

void profile_input_release(struct profile_input *input)
{
	profile_traces_release(&input->traces);
	profile_jitdumps_release(&input->jitdumps);
	profile_unwind_release(&input->unwind);
	profile_deferred_release(&input->deferred);
	profile_counter_release(&input->counter);
	profile_code_release(&input->code);
	profile_tasks_release(&input->tasks);
	profile_machine_release(&input->machine);
	strings_release(&input->texts);
	gpmu_perfdata_free(input->perfdata);
}

static unsigned int mode_of(const struct gpmu_perfdata_record *record)
{
	return record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

bool profile_is_guest(const struct gpmu_perfdata_record *record)
{
	return mode_of(record) == PERF_RECORD_MISC_GUEST_KERNEL || mode_of(record) == PERF_RECORD_MISC_GUEST_USER;
}

bool profile_is_kernel(const struct gpmu_perfdata_record *record)
{
	return mode_of(record) == PERF_RECORD_MISC_KERNEL || mode_of(record) == PERF_RECORD_MISC_HYPERVISOR;
}

uint64_t profile_period(const struct gpmu_perfdata_record *record)
{
	if (record->has & PERF_SAMPLE_PERIOD)
		return record->sample.period;
	return record->event->attr->freq ? 1 : record->event->attr->sample_period;
}

int profile_chain(struct profile_input *input, const struct gpmu_perfdata_record *record,
		  uint64_t unwound[PROFILE_UNWIND_CHAIN], const uint64_t **chain, size_t *count)
{
	if (!profile_unwind_has(record))
		return profile_deferred_join(&input->deferred, record, chain, count);
	*chain = unwound;
	return profile_unwind_chain(&input->unwind, record, unwound, count);
}
