/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a recording, and their ids */
#ifndef GPMU_PERFDATA_EVENTS_H
#define GPMU_PERFDATA_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"
#include "perfdata/perfdata_cursor.h"

/* Zeroed: empty */
struct perfdata_events {
	struct vector list;	/* struct event *, in the order of the file */
	struct map ids;		/* id: index */
	const struct gpmu_perfdata_pmu *pmus;	/* borrowed; NULL: not known */
	struct map pmu_numbers;	/* type: index in @pmus */
};

/*
 * Adds the event of an attr, of which the file has @size bytes. Its own member size may differ.
 * Returns 0; -EINVAL if @size is below PERF_ATTR_SIZE_VER0; -ENOMEM.
 */
int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size);
/* Adds ids to the event that was added last. Returns 0 or -ENOMEM. */
int perfdata_events_add_ids(struct perfdata_events *events, const void *ids, size_t count);
/* Names the events as the feature EVENT_DESC does. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_events_describe(struct perfdata_events *events, struct cursor *cursor);
/* Changes an event as the body of EVENT_UPDATE does. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_events_update(struct perfdata_events *events, struct cursor *cursor);
/* Names an event that the file does not name. Returns 0 or -ENOMEM. */
int perfdata_events_name(struct perfdata_events *events, size_t index, const char *name);
/* Names the events of the PMUs in @info, which are borrowed, if the file does not name them. Returns 0 or -ENOMEM. */
int perfdata_events_set_pmus(struct perfdata_events *events, const struct gpmu_perfdata_info *info);
const struct gpmu_perfdata_event *perfdata_events_at(const struct perfdata_events *events, size_t index);
/* Returns the event of an id, or NULL. */
const struct gpmu_perfdata_event *perfdata_events_of(const struct perfdata_events *events, uint64_t id);
void perfdata_events_release(struct perfdata_events *events);

#endif /* GPMU_PERFDATA_EVENTS_H */
