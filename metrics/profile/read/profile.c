// SPDX-License-Identifier: LGPL-2.1-or-later
/* A profile: its keys, and what it takes from the two passes over a recording */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Adds a record of the first pass. */
static int take_first(void *user, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile *profile = user;
	struct profile_input *input = &profile->input;
	struct gpmu_perfdata_record copy;
	int ret;

	record = profile_in_order(profile, record, &copy);
	ret = profile_input_add(input, record) ?: profile_counter_add(&input->counter, record);
	return ret || !profile_is_selected(profile, GPMU_PROFILE_STACK) ? ret : profile_deferred_add(&input->deferred, record);
}

/* A map of a function that was made by a just-in-time compiler */
static int take_jit(void *user, const struct gpmu_perfdata_record *record)
{
	struct profile_input *input = user;

	return profile_tasks_add(&input->tasks, record) ?: profile_counter_add(&input->counter, record);
}

/* Ends the first pass. */
static int prepare(struct gpmu_profile *profile)
{
	struct profile_input *input = &profile->input;
	const struct gpmu_perfdata_event *first = profile->is_in_order ? NULL : gpmu_perfdata_event(input->perfdata, 0);

	if (!profile->key_count) {
		profile->key_count = input->has_spe ? SPE_KEYS : CODE_KEYS;
		memcpy(profile->keys, default_keys, profile->key_count * sizeof(profile->keys[0]));
	}
	input->counter.key_count = profile->key_count;
	if (profile_input_begin(input, first, take_jit, input))
		return -ENOMEM;
	profile_counter_begin(&input->counter);
	input->code.wants_inlines =
		input->counter.wanted >> GPMU_PROFILE_STACK & 1 && !profile->options.wants_no_inlines;
	input->code.wants_lines = input->counter.wanted >> GPMU_PROFILE_LINE & 1;
	input->traces.has_times &= !profile->is_in_order;
	return profile_events_begin(profile);
}

/* Reads a recording. */
static int read_all(struct gpmu_profile *profile, struct gpmu_error *error)
{
	struct profile_input *input = &profile->input;
	int ret = profile_input_pass(input, take_first, profile, error) ?: prepare(profile) ?:
		  profile_input_read(input, profile_sample_take, profile, error);

	if (!ret && input->has_spe)
		profile_event_count_spe(profile);
	return ret;
}

/* --- a profile */

/* Connects the parts of a profile. */
static int init(struct gpmu_profile *profile)
{
	profile_input_init(&profile->input);
	profile->input.progress = profile->options.progress;
	profile->input.user = profile->input.code.wait.user = profile->options.user;
	profile->input.code.wait.waiting = profile->options.waiting;
	profile->input.counter.keys = profile->keys;
	return profile_counter_init(&profile->input.counter);
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
	int ret = profile ? take_options(profile, options, error) : -ENOMEM;

	if (!ret)
		ret = init(profile) ?: profile_input_open(&profile->input, path, error) ?: read_all(profile, error);
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
	profile_input_release(&profile->input);
	vector_free(&profile->events);
	vector_free(&profile->counts);
	map_release(&profile->count_numbers);
	free(profile->skipped);
	free(profile);
}
