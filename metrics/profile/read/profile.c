// SPDX-License-Identifier: LGPL-2.1-or-later
/* Two passes over a recording, as AUX buffers and maps come in any order */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "profile/read/profile.h"

static const enum gpmu_profile_key default_keys[] = {
	GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT, GPMU_PROFILE_TIER, GPMU_PROFILE_HOME,
	GPMU_PROFILE_DATA,
};
#define CODE_KEYS	2	/* the first of the default keys: they fit any recording */
#define SPE_KEYS	ARRAY_SIZE(default_keys)

/* --- first pass */

static int take_other(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile_facts *facts = &profile->facts;

	switch (record->type) {
	case GPMU_PERFDATA_AUXTRACE_INFO:
		facts->foreign_aux = record->auxtrace_info.type != GPMU_PERFDATA_ARM_SPE;
		facts->has_spe = !facts->foreign_aux;
		if (!facts->has_spe)
			return 0;
		return profile_machine_add_spe(&profile->machine, profile->perfdata, record);
	case GPMU_PERFDATA_AUXTRACE:
	case PERF_RECORD_AUX:
		return facts->has_spe ? profile_traces_add(&profile->traces, record) : 0;
	case GPMU_PERFDATA_CALLCHAIN_DEFERRED:
		if (!profile_is_selected(profile, GPMU_PROFILE_STACK))
			return 0;
		return profile_deferred_add(&profile->deferred, record);
	default:
		return profile_traces_add(&profile->traces, record);
	}
}

static int take_tasks(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record)
{
	int ret = profile_tasks_add(&profile->tasks, record);

	if (!ret)
		ret = profile_counter_add(&profile->counter, record);
	if (!ret)
		ret = profile_code_add(&profile->code, record);
	if (!ret)
		ret = profile_jitdumps_add(&profile->jitdumps, record);
	return ret ? ret : take_other(profile, record);
}

/* A map of a function that was made by a just-in-time compiler */
static int take_jit(void *user, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile *profile = user;
	int ret = profile_tasks_add(&profile->tasks, record);

	return ret ? ret : profile_counter_add(&profile->counter, record);
}

/* Ends the first pass. */
static int prepare(struct gpmu_profile *profile)
{
	const struct gpmu_perfdata_info *info = gpmu_perfdata_info(profile->perfdata);
	struct gpmu_profile_facts *facts = &profile->facts;
	struct profile_traces *traces = &profile->traces;
	const struct gpmu_perfdata_event *first;

	facts->info = profile->code.info = info;
	if (!profile->key_count) {
		profile->key_count = facts->has_spe ? SPE_KEYS : CODE_KEYS;
		memcpy(profile->keys, default_keys, profile->key_count * sizeof(profile->keys[0]));
	}
	profile->counter.key_count = profile->key_count;
	first = profile->is_in_order ? NULL : gpmu_perfdata_event(profile->perfdata, 0);
	if (profile_jitdumps_read(&profile->jitdumps, info, first, take_jit, profile))
		return -ENOMEM;
	profile_tasks_sort(&profile->tasks);
	if (profile_code_begin(&profile->code))
		return -ENOMEM;
	profile_counter_begin(&profile->counter);
	profile->code.inlines =
		profile->counter.wanted >> GPMU_PROFILE_STACK & 1 && !profile->options.no_inlines;
	profile->code.lines = profile->counter.wanted >> GPMU_PROFILE_LINE & 1;
	traces->conv = info->time_conv;
	traces->has_times = !profile->is_in_order && gpmu_perfdata_has_times(&info->time_conv);
	if (profile_machine_read(&profile->machine, info) || profile_events_begin(profile))
		return -ENOMEM;
	facts->has_times = traces->has_times;
	facts->is_in_order = profile->is_in_order;
	return 0;
}

/* --- both passes, and the AUX buffers */

/* @is_damaged, @is_stopped: a part of the recording cannot be read, or was not read */
struct reading {
	struct gpmu_profile *profile;
	struct gpmu_error *error;
	struct gpmu_perfdata_stats stats;
	bool is_damaged, is_stopped;
};

/* Only the first damage is reported. */
static struct gpmu_error *error_of(const struct reading *reading)
{
	return reading->is_damaged ? NULL : reading->error;
}

/* Notes damage and a stop: samples before them are counted. Returns 0, or another error. */
static int end_part(struct reading *reading, int ret)
{
	reading->is_damaged |= ret == -EINVAL;
	reading->is_stopped |= ret == PROFILE_STOPPED;
	return ret == -EINVAL || ret == PROFILE_STOPPED ? 0 : ret;
}

static int read_samples(struct reading *reading)
{
	struct gpmu_profile *profile = reading->profile;
	int ret = gpmu_perfdata_rewind(profile->perfdata, reading->error);

	if (!ret)
		ret = profile_pass(profile, profile_sample_take, error_of(reading));
	ret = end_part(reading, ret);
	reading->stats.size = sizeof(reading->stats);
	gpmu_perfdata_get_stats(profile->perfdata, &reading->stats);
	reading->is_stopped |= reading->stats.is_stopped;
	profile->facts.is_whole = reading->stats.is_whole;
	return ret;
}

static int progress_traces(void *user, const struct profile_traces *traces)
{
	const struct gpmu_profile *profile = user;

	if (profile->code.wait.is_ended)
		return PROFILE_STOPPED;
	return profile_progress(profile, traces->done, traces->bytes);
}

/* After a stop, all AUX buffers that had been read are decoded: a second stop does not end this. */
static int progress_rest(void *user, const struct profile_traces *traces)
{
	profile_progress(user, traces->done, traces->bytes);
	return 0;
}

static int read_traces(struct reading *reading)
{
	struct gpmu_profile *profile = reading->profile;
	int ret;

	if (!profile->facts.has_spe)
		return 0;
	ret = profile_traces_read(&profile->traces, profile->perfdata,
				  reading->is_stopped ? progress_rest : progress_traces, profile,
				  error_of(reading));
	profile->facts.is_whole &= !ret;
	ret = end_part(reading, ret);
	if (!ret)
		profile_event_count_spe(profile);
	return ret;
}

static int read_all(struct reading *reading)
{
	struct gpmu_profile *profile = reading->profile;
	int ret = end_part(reading, profile_pass(profile, take_tasks, reading->error));

	if (!ret)
		ret = prepare(profile);
	if (!ret)
		ret = read_samples(reading);
	if (!ret)
		ret = read_traces(reading);
	profile->facts.is_damaged = reading->is_damaged && !reading->stats.is_stopped;
	profile->facts.is_stopped = reading->is_stopped;
	return ret;
}

/* --- a profile */

/* Connects the parts of a profile. */
static int init(struct gpmu_profile *profile)
{
	profile->code.tasks = &profile->tasks;
	profile->code.jitdumps = &profile->jitdumps;
	profile->unwind.code = &profile->code;
	profile->code.texts = &profile->texts;
	profile->code.wait.waiting = profile->options.waiting;
	profile->code.wait.user = profile->options.user;
	profile->counter.code = &profile->code;
	profile->counter.tasks = &profile->tasks;
	profile->counter.keys = profile->keys;
	profile->traces.counter = &profile->counter;
	profile->traces.machine = &profile->machine;
	profile->traces.code = &profile->code;
	return profile_counter_init(&profile->counter);
}

static int take_options(struct gpmu_profile *profile, const struct gpmu_profile_options *options,
			struct gpmu_error *error)
{
	int ret = sized_options(&profile->options, sizeof(profile->options), options, error);

	if (!ret && profile->options.key_count > GPMU_PROFILE_KEYS_MAX) {
		error_set(error, 0, "expected at most %d keys", GPMU_PROFILE_KEYS_MAX);
		ret = -EINVAL;
	}
	if (ret)
		return ret;
	profile->key_count = profile->options.key_count;
	if (profile->key_count)
		memcpy(profile->keys, profile->options.keys,
		       profile->key_count * sizeof(profile->keys[0]));
	return 0;
}

struct gpmu_profile *gpmu_profile_new(const char *path, const struct gpmu_profile_options *options,
				      struct gpmu_error *error)
{
	struct gpmu_profile *profile = calloc(1, sizeof(*profile));
	struct reading reading;
	struct stat status;
	int ret = profile ? take_options(profile, options, error) : -ENOMEM;

	if (!ret)
		ret = init(profile);
	if (!ret) {
		profile->perfdata = gpmu_perfdata_open(path, error);
		ret = profile->perfdata ? 0 : -errno;
	}
	if (!ret) {
		if (!stat(path, &status) && S_ISREG(status.st_mode))
			profile->size = (uint64_t)status.st_size;
		reading = (struct reading){ .profile = profile, .error = error };
		ret = read_all(&reading);
	}
	if (ret == -ENOMEM)
		error_no_memory(error);
	if (ret < 0) {
		gpmu_profile_free(profile);
		errno = -ret;
		return NULL;
	}
	profile_set_facts(profile);
	return profile;
}

void gpmu_profile_free(struct gpmu_profile *profile)
{
	if (!profile)
		return;
	profile_traces_release(&profile->traces);
	profile_unwind_release(&profile->unwind);
	profile_deferred_release(&profile->deferred);
	profile_jitdumps_release(&profile->jitdumps);
	profile_counter_release(&profile->counter);
	profile_code_release(&profile->code);
	profile_tasks_release(&profile->tasks);
	profile_machine_release(&profile->machine);
	strings_release(&profile->texts);
	vector_release(&profile->events);
	vector_release(&profile->counts);
	map_release(&profile->count_numbers);
	gpmu_perfdata_free(profile->perfdata);
	free(profile->skipped);
	free(profile);
}
