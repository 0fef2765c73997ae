// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events that only the plugin of a source knows by name. */
#include <errno.h>

#include "base/sized.h"
#include "machine/pmu.h"
#include "plugin/source_object.h"

static bool take(struct gpmu_source_event_info *event, const struct gpmu_source_event_info *table)
{
	if (!table)
		return false;
	*event = (struct gpmu_source_event_info){ .size = 0 };
	sized_copy(event, sizeof(*event), table);
	if (!(event->scale > 0))
		event->scale = 1;
	return event->name && event->terms;
}

bool source_find_event(const struct gpmu_pmu *pmu, const char *name,
		       struct gpmu_source_event_info *event)
{
	struct gpmu_source *source = pmu->source;
	bool is_found;

	if (!source || !source->plugin.event_find)
		return false;
	pthread_mutex_lock(&source->lock);
	is_found = take(event, source->plugin.event_find(source->data, pmu->source_index, name));
	pthread_mutex_unlock(&source->lock);
	return is_found;
}

bool source_event(const struct gpmu_pmu *pmu, size_t index, struct gpmu_source_event_info *event)
{
	struct gpmu_source *source = pmu->source;
	bool is_found;

	if (!source || !source->plugin.event)
		return false;
	pthread_mutex_lock(&source->lock);
	is_found = take(event, source->plugin.event(source->data, pmu->source_index, index));
	pthread_mutex_unlock(&source->lock);
	return is_found;
}

const char *gpmu_pmu_source_event(const struct gpmu_pmu *pmu, size_t index, const char **unit,
				  const char **description)
{
	struct gpmu_source_event_info event;

	if (!source_event(pmu, index, &event))
		return NULL;
	*unit = event.unit;
	*description = event.description;
	return event.name;
}
