// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records without times, whose order in the file is that of time */
#include "profile/read/profile.h"

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

const struct gpmu_perfdata_record *profile_in_order(struct gpmu_profile *profile,
						    const struct gpmu_perfdata_record *record,
						    struct gpmu_perfdata_record *copy)
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
	if (!profile->is_order_known)
		profile->is_in_order = has_no_times(profile->input.perfdata);
	profile->is_order_known = true;
	if (!profile->is_in_order)
		return record;
	*copy = *record;
	copy->has |= PERF_SAMPLE_TIME;
	copy->time = profile->input.number << 32;
	if (record->type == PERF_RECORD_FORK)
		copy->task.time = copy->time;
	return copy;
}
