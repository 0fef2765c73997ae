// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of a recording. If it has SPE's records and no event of theirs, one is added. */
#include <errno.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "profile/read/profile.h"

/* Names the events. Equal names are numbered from the second one on, "cpu-clock#2". */
static int set_names(struct gpmu_profile *profile)
{
	struct gpmu_profile_event *events = profile->events.list;
	struct map counts = { 0 };	/* by number of the text */
	int ret = 0;

	for (size_t i = 0; i < profile->events.n && !ret; i++) {
		const char *name = events[i].event ? events[i].event->name : "SPE";
		uint32_t number, count = 0;
		char *numbered;

		ret = strings_number(&profile->input.texts, name, &number);
		if (ret)
			break;
		map_get(&counts, number, &count);
		ret = map_set(&counts, number, ++count);
		numbered = count > 1 ? text_print("%s#%u", name, count) : NULL;
		if (count > 1 && !numbered)
			ret = -ENOMEM;
		if (numbered && !ret)
			ret = strings_number(&profile->input.texts, numbered, &number);
		events[i].name = strings_text(&profile->input.texts, number);
		free(numbered);
	}
	map_release(&counts);
	return ret;
}

int profile_events_begin(struct gpmu_profile *profile)
{
	size_t count = gpmu_perfdata_event_count(profile->input.perfdata);
	struct gpmu_profile_event *event;
	bool is_found = !profile->input.has_spe;

	for (size_t i = 0; i < count + 1; i++) {
		if (i == count && is_found)
			break;
		event = vector_append(profile->events.list, profile->events.n);
		if (!event)
			return -ENOMEM;
		event->event = gpmu_perfdata_event(profile->input.perfdata, i);
		/* With perf record -k, maps and threads are in the times of another clock. */
		if (event->event && event->event->attr->use_clockid)
			profile->input.traces.has_times = false;
		if (!is_found && (!event->event || event->event->attr->type == profile->input.machine.spe)) {
			is_found = event->is_spe = true;
			profile->input.traces.event = (uint32_t)i;
		}
	}
	return set_names(profile);
}

int profile_event_count(struct gpmu_profile *profile, const struct profile_sample *sample)
{
	struct gpmu_profile_event *event = &profile->events.list[sample->event];

	event->samples++;
	event->period += sample->period;
	return profile_count(&profile->input.counter, sample);
}

void profile_event_count_spe(struct gpmu_profile *profile)
{
	struct gpmu_profile_event *event = &profile->events.list[profile->input.traces.event];

	event->samples += profile->input.traces.samples;
	event->period += profile->input.traces.samples;
}

size_t gpmu_profile_event_count(const struct gpmu_profile *profile)
{
	return profile->events.n;
}

void gpmu_profile_event(const struct gpmu_profile *profile, size_t index,
			struct gpmu_profile_event *event)
{
	*event = profile->events.list[index];
}
