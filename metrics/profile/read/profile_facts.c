// SPDX-License-Identifier: LGPL-2.1-or-later
/* Facts that a profile reports in addition to its tables */
#include <errno.h>
#include <string.h>

#include "profile/read/profile.h"
#include "profile/profile_object.h"

void profile_set_facts(struct gpmu_profile *profile)
{
	const struct profile_file *files = profile->input.code.files.list;
	const struct gpmu_perfdata_stats *stats = &profile->input.stats;
	struct gpmu_profile_facts *facts = &profile->facts;

	for (size_t i = 0; i < profile->input.code.files.n; i++)
		facts->unchecked += files[i].object && !files[i].has_build_id &&
				    profile_object_state(files[i].object) == PROFILE_OBJECT_READ;
	facts->info = profile->input.code.info;
	facts->has_spe = profile->input.has_spe;
	facts->has_foreign_aux = profile->input.is_foreign;
	facts->has_times = profile->input.traces.has_times;
	facts->is_in_order = profile->is_in_order;
	facts->is_damaged = profile->input.is_damaged && !stats->is_stopped;
	facts->is_stopped = profile->input.is_stopped;
	facts->is_whole = stats->is_whole;
	facts->skipped = profile->skipped = gpmu_perfdata_skipped(profile->input.perfdata);
	facts->bytes = stats->bytes;
	facts->lost = stats->lost > stats->lost_samples ? stats->lost : stats->lost_samples;
	facts->spe = profile->input.traces.stats;
	facts->kernel = profile->input.code.kernel_lack;
	facts->midr = profile->input.machine.midr;
	facts->unknown_version = profile->input.machine.unknown_version;
	facts->no_homes = profile->input.machine.no_homes;
	facts->memory = profile->input.traces.memory;
	facts->physical = profile->input.traces.physical;
	facts->outside = profile->input.traces.outside;
	facts->repeated = profile->input.traces.repeated;
	facts->untimed = profile->input.traces.untimed;
	facts->no_thread = profile->input.counter.no_thread;
	facts->outside_tasks = profile->input.counter.outside;
}

const char *gpmu_profile_without_functions(const struct gpmu_profile *profile, size_t index,
					   const char **why)
{
	static const char *const reasons[] = {
		[PROFILE_OBJECT_READ] = NULL,
		[PROFILE_OBJECT_MISSING] = "no such file here",
		[PROFILE_OBJECT_CHANGED] = "another build id than recorded",
		[PROFILE_OBJECT_STRIPPED] = "stripped",
	};
	const struct profile_jitdump *dumps = profile->input.jitdumps.list;
	const struct profile_symbols *jits = profile->input.code.jits.list;
	const struct profile_file *files = profile->input.code.files.list;

	for (size_t i = 0; i < profile->input.code.files.n; i++) {
		*why = files[i].object ? reasons[profile_object_state(files[i].object)] : NULL;
		if (*why && !index--)
			return files[i].name;
	}
	for (size_t i = 0; i < profile->input.jitdumps.n; i++) {
		*why = dumps[i].why;
		if (*why && !index--)
			return dumps[i].path;
	}
	for (size_t i = 0; i < profile->input.code.jits.n; i++) {
		*why = jits[i].why;
		if (*why && !index--)
			return jits[i].path;
	}
	return NULL;
}

int gpmu_profile_get_facts(const struct gpmu_profile *profile, struct gpmu_profile_facts *facts)
{
	size_t size = facts->size;

	if (size < sizeof(size))
		return -EINVAL;
	memcpy(facts, &profile->facts, size < sizeof(*facts) ? size : sizeof(*facts));
	facts->size = size;
	return 0;
}
