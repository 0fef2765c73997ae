// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operations of SPE: instants on a track below their thread */
#include <errno.h>

#include "base/gpmu_outside.h"
#include "import/import.h"

static const char *text_of(const struct import *import, uint32_t number)
{
	return number ? strings_text(&import->input.texts, number - 1) : NULL;
}

static int set_places(struct import *import, const struct profile_sample *sample, uint32_t pid,
		      struct gpmu_trace_spe *out)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	struct profile_place place;
	uint32_t data;

	if (sample->has_ip) {
		if (profile_code_find(&import->input.code, sample->is_kernel ? PROFILE_KERNEL : pid, sample->ip,
				      sample->time, &range, &place))
			return -ENOMEM;
		out->function = text_of(import, place.function);
		out->object = text_of(import, place.object);
	}
	if (sample->has_data) {
		/* Addresses with bit 63 are the kernel's. */
		if (profile_code_data(&import->input.code, sample->data >> 63 ? PROFILE_KERNEL : pid, sample->data,
				      sample->time, &range, &data))
			return -ENOMEM;
		out->data = text_of(import, data);
	}
	return 0;
}

int import_spe(void *user, const struct gpmu_spe_record *record, const struct profile_sample *sample)
{
	struct import *import = user;
	struct gpmu_trace_spe out = {
		.size = sizeof(out), .op = text_of(import, sample->op), .tier = text_of(import, sample->tier),
		.home = text_of(import, sample->home), .cpu = sample->cpu == UINT32_MAX ? -1 : (int64_t)sample->cpu,
		.record = record,
	};
	struct import_thread *thread;
	uint32_t pid, tid;
	int ret;

	if (!import->clock.has_spe || sample->time == UINT64_MAX ||
	    !import_time(import, sample->time, import->clock.spe_shift, &out.time)) {
		import->facts.no_time++;
		return 0;
	}
	tid = sample->is_outside ? GPMU_OUTSIDE_NUMBER : sample->tid;
	pid = tid == PROFILE_NO_TID ? PROFILE_NO_TID : profile_tasks_pid(&import->input.tasks, tid, sample->time);
	thread = import_thread(import, pid, tid, &ret);
	if (!thread)
		return ret;
	ret = import_track(import, thread, &thread->spe_track, "SPE");
	if (ret < 0)
		return ret;
	out.track = ret;
	if (set_places(import, sample, pid, &out))
		return -ENOMEM;
	import->facts.spe++;
	import->facts.outside += sample->is_outside;
	return gpmu_trace_spe(import->trace, &out);
}
