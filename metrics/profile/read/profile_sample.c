// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of the second pass, and of leader sampling */
#include <errno.h>

#include "profile/read/profile.h"

bool profile_is_selected(const struct gpmu_profile *profile, enum gpmu_profile_key key)
{
	for (size_t i = 0; i < profile->key_count; i++)
		if (profile->keys[i] == key)
			return true;
	return false;
}

/*
 * Returns the last count of an event; NULL if out of memory. If threads inherit the event, they
 * share its id, and each has counts of its own: @tid is then their number, otherwise 0.
 */
static uint64_t *last_count(struct gpmu_profile *profile, uint64_t id, uint32_t tid)
{
	return vector_element(&profile->counts, &profile->count_numbers, id << 32 ^ id >> 32 ^ tid);
}

static bool is_counted_by_thread(const struct gpmu_perfdata_event *event)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_READ;

	return event->attr->inherit && (event->attr->sample_type & needed) == needed;
}

/*
 * Leader sampling, "{a,b}:S": a sample of the leader has the counts of all events. As in perf, it
 * is a sample of each event whose count has changed since the last one, and the difference is its
 * period. "a:S" has the count of its event.
 */
static int take_counts(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record,
		       struct profile_sample *sample)
{
	const bool is_group = record->event->attr->read_format & PERF_FORMAT_GROUP;
	const struct gpmu_perfdata_read *read = &record->sample.read;

	for (size_t i = 0; i < read->count; i++) {
		const uint64_t value = read->values[i].value, number = read->values[i].id;
		const uint64_t id = is_group || number ? number : record->id;
		const struct gpmu_perfdata_event *event = record->event;
		uint64_t *last;

		if (is_group)
			event = gpmu_perfdata_event_of(profile->input.perfdata, id);
		if (!event)
			continue;
		last = last_count(profile, id, is_counted_by_thread(event) ? sample->tid : 0);
		if (!last)
			return -ENOMEM;
		sample->event = (uint32_t)event->index;
		/* A count that is below the last one is of a new thread with an old number. */
		sample->period = value < *last ? value : value - *last;
		*last = value;
		if (sample->period && profile_event_count(profile, sample))
			return -ENOMEM;
	}
	return 0;
}

int profile_sample_take(void *user, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile *profile = user;
	const struct gpmu_perfdata_sample *from = &record->sample;
	uint64_t chain[PROFILE_UNWIND_CHAIN];
	struct gpmu_perfdata_record copy;
	struct profile_sample sample;

	if (record->type != PERF_RECORD_SAMPLE || !record->event)
		return 0;
	record = profile_in_order(profile, record, &copy);
	sample = (struct profile_sample){
		.event = (uint32_t)record->event->index,
		.node = -1,
		.cpu = record->has & PERF_SAMPLE_CPU ? record->cpu : UINT32_MAX,
		.tid = record->has & PERF_SAMPLE_TID ? record->tid : PROFILE_NO_TID,
		.pid = record->has & PERF_SAMPLE_TID ? record->pid : UINT32_MAX,
		.time = record->has & PERF_SAMPLE_TIME ? record->time : UINT64_MAX,
		.ip = from->ip,
		.has_ip = record->has & PERF_SAMPLE_IP && !profile_is_guest(record),
		.is_kernel = profile_is_kernel(record),
		.is_outside = profile_tasks_is_outside(record),
		.data = from->addr,
		.has_data = record->has & PERF_SAMPLE_ADDR && from->addr,
		.period = profile_period(record),
	};
	if (profile_is_selected(profile, GPMU_PROFILE_STACK) &&
	    profile_chain(&profile->input, record, chain, &sample.chain, &sample.chain_count))
		return -ENOMEM;
	if (sample.cpu != UINT32_MAX)
		sample.node = profile_machine_node(&profile->input.machine, sample.cpu);
	if (record->has & PERF_SAMPLE_READ)
		return take_counts(profile, record, &sample);
	return profile_event_count(profile, &sample);
}
