// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the records of a recording in their order. */
#include "profile/read/profile.h"

#define ROUND	4096	/* records between two calls of progress() */

int profile_progress(const struct gpmu_profile *profile, uint64_t done, uint64_t total)
{
	if (profile->options.progress &&
	    profile->options.progress(profile->options.user, done, total))
		return PROFILE_STOPPED;
	return 0;
}

/*
 * Calls progress() after record @n. If progress() ends the first pass, the second pass ends at the
 * same record. If waiting() has ended a wait for debug information, the pass ends, too.
 */
static int progress_record(struct gpmu_profile *profile, uint64_t n, uint64_t offset)
{
	if (profile->code.wait.is_ended)
		return PROFILE_STOPPED;
	if (n % ROUND || (profile->stopped && n < profile->stopped))
		return 0;
	if (profile->stopped || profile_progress(profile, offset, profile->size))
		profile->stopped = n;
	return profile->stopped ? PROFILE_STOPPED : 0;
}

/*
 * Returns whether maps, names and threads have no times: perf record --per-thread, or the first
 * event has /time=0/. The file of perf record --overwrite is not in order: its last record comes
 * first.
 */
static bool has_no_times(const struct gpmu_perfdata *perfdata)
{
	bool has_none = false;

	for (size_t i = 0; i < gpmu_perfdata_event_count(perfdata); i++) {
		const struct perf_event_attr *attr = gpmu_perfdata_event(perfdata, i)->attr;

		if (attr->write_backward)
			return false;
		has_none |= (attr->mmap || attr->mmap2 || attr->comm || attr->task) &&
			    !(attr->sample_id_all && attr->sample_type & PERF_SAMPLE_TIME);
	}
	return has_none;
}

/*
 * Returns record @n. If maps, names and threads have no times, returns a copy whose time is the
 * record's position in the file, even if the record has a time. The functions of a jitdump have
 * times between the times of two records.
 */
static const struct gpmu_perfdata_record *in_order(struct gpmu_profile *profile,
						   const struct gpmu_perfdata_record *record,
						   uint64_t n, struct gpmu_perfdata_record *copy)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_SAMPLE:
		break;
	default:
		return record;
	}
	if (!profile->knows_order)
		profile->is_in_order = has_no_times(profile->perfdata);
	profile->knows_order = true;
	if (!profile->is_in_order)
		return record;
	*copy = *record;
	copy->has |= PERF_SAMPLE_TIME;
	copy->time = n << 32;
	if (record->type == PERF_RECORD_FORK)
		copy->task.time = copy->time;
	return copy;
}

int profile_pass(struct gpmu_profile *profile, profile_take *take, struct gpmu_error *error)
{
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata_record copy;
	uint64_t n = 1;
	int ret;

	for (; (ret = gpmu_perfdata_next(profile->perfdata, &record, error)) == 1; n++) {
		ret = take(profile, in_order(profile, record, n, &copy));
		if (!ret)
			ret = progress_record(profile, n, record->offset);
		if (ret)
			break;
	}
	return ret;
}
