// SPDX-License-Identifier: LGPL-2.1-or-later
/* Facts that a profile reports in addition to its tables */
#include <errno.h>
#include <string.h>

#include "profile/read/profile.h"
#include "profile/profile_object.h"

void profile_set_facts(struct gpmu_profile *profile)
{
	const struct profile_file *files = profile->code.files.data;
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	struct gpmu_profile_facts *facts = &profile->facts;

	for (size_t i = 0; i < profile->code.files.n; i++)
		facts->unchecked += files[i].object && !files[i].has_build_id &&
				    profile_object_state(files[i].object) == PROFILE_OBJECT_READ;
	gpmu_perfdata_get_stats(profile->perfdata, &stats);
	facts->skipped = profile->skipped = gpmu_perfdata_skipped(profile->perfdata);
	facts->bytes = stats.bytes;
	facts->lost = stats.lost > stats.lost_samples ? stats.lost : stats.lost_samples;
	facts->spe = profile->traces.stats;
	facts->kernel = profile->code.kernel_lack;
	facts->midr = profile->machine.midr;
	facts->unknown_version = profile->machine.unknown_version;
	facts->no_homes = profile->machine.no_homes;
	facts->memory = profile->traces.memory;
	facts->physical = profile->traces.physical;
	facts->outside = profile->traces.outside;
	facts->repeated = profile->traces.repeated;
	facts->untimed = profile->traces.untimed;
	facts->no_thread = profile->counter.no_thread;
	facts->outside_tasks = profile->counter.outside;
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
	const struct profile_jitdump *dumps = profile->jitdumps.list.data;
	const struct profile_symbols *jits = profile->code.jits.data;
	const struct profile_file *files = profile->code.files.data;

	for (size_t i = 0; i < profile->code.files.n; i++) {
		*why = files[i].object ? reasons[profile_object_state(files[i].object)] : NULL;
		if (*why && !index--)
			return files[i].name;
	}
	for (size_t i = 0; i < profile->jitdumps.list.n; i++) {
		*why = dumps[i].why;
		if (*why && !index--)
			return dumps[i].path;
	}
	for (size_t i = 0; i < profile->code.jits.n; i++) {
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
