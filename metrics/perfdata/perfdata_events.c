// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "perfdata/perfdata_events.h"

/* Kinds of EVENT_UPDATE */
enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

struct event {
	struct gpmu_perfdata_event known;
	struct perf_event_attr attr;
	char *name, *unit;
	bool is_named;		/* by the file */
};

static struct event *event_at(const struct perfdata_events *events, size_t index)
{
	return ((struct event **)events->list.data)[index];
}

static void free_event(struct event *event)
{
	if (!event)
		return;
	free(event->name);
	free(event->unit);
	free(event);
}

/* Replaces a text of an event. */
static int set_text(char **text, const char **known, const char *to)
{
	char *copy = strdup(to);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	*known = copy;
	return 0;
}

int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size)
{
	struct event *event, **slot;
	uint32_t own;

	if (size < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	memcpy(&own, (const char *)attr + offsetof(struct perf_event_attr, size), sizeof(own));
	if (own >= PERF_ATTR_SIZE_VER0 && own < size)
		size = own;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	memcpy(&event->attr, attr, size < sizeof(event->attr) ? size : sizeof(event->attr));
	event->known.attr = &event->attr;
	event->known.scale = 1;
	event->known.index = events->list.n;
	event->name = text_print("event %zu", events->list.n);
	event->known.name = event->name;
	slot = event->name ? vector_add(&events->list, sizeof(struct event *)) : NULL;
	if (!slot) {
		free_event(event);
		return -ENOMEM;
	}
	*slot = event;
	return 0;
}

int perfdata_events_add_ids(struct perfdata_events *events, const void *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t id;
		int ret;

		memcpy(&id, (const char *)ids + i * sizeof(id), sizeof(id));
		ret = map_set(&events->ids, id, (uint32_t)events->list.n - 1);
		if (ret)
			return ret;
	}
	return 0;
}

/* Finds the event of an EVENT_DESC entry: by its ids, or, without any, by its place. */
static struct event *described(const struct perfdata_events *events, const void *ids, uint32_t count, uint32_t place)
{
	uint32_t index = place;
	uint64_t id;

	if (count) {
		memcpy(&id, ids, sizeof(id));
		map_get(&events->ids, id, &index);
	}
	return index < events->list.n ? event_at(events, index) : NULL;
}

int perfdata_events_describe(struct perfdata_events *events, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor), attr_size = cursor_u32(cursor);

	for (uint32_t i = 0; i < count; i++) {
		const char *name;
		const void *ids;
		struct event *event;
		uint32_t id_count;
		int ret;

		cursor_bytes(cursor, attr_size);
		id_count = cursor_u32(cursor);
		name = cursor_text(cursor, cursor_u32(cursor));
		ids = cursor_array(cursor, id_count, sizeof(uint64_t));
		if (cursor->failed)
			return -EINVAL;
		event = described(events, ids, id_count, i);
		ret = event ? set_text(&event->name, &event->known.name, name) : 0;
		if (ret)
			return ret;
		if (event)
			event->is_named = true;
	}
	return cursor->failed ? -EINVAL : 0;
}

int perfdata_events_update(struct perfdata_events *events, struct cursor *cursor)
{
	uint64_t type = cursor_u64(cursor), id = cursor_u64(cursor);
	struct event *event;
	const char *text;
	uint32_t index;

	if (cursor->failed)
		return -EINVAL;
	if (type > UPDATE_NAME || !map_get(&events->ids, id, &index))
		return 0;
	event = event_at(events, index);
	if (type == UPDATE_SCALE) {
		const void *scale = cursor_bytes(cursor, sizeof(double));

		if (scale)
			memcpy(&event->known.scale, scale, sizeof(double));
		return scale ? 0 : -EINVAL;
	}
	text = cursor_text(cursor, cursor->left);
	if (!text)
		return -EINVAL;
	event->is_named |= type == UPDATE_NAME;
	return type == UPDATE_UNIT ? set_text(&event->unit, &event->known.unit, text) :
				     set_text(&event->name, &event->known.name, text);
}

int perfdata_events_name(struct perfdata_events *events, size_t index, const char *name)
{
	struct event *event = event_at(events, index);

	return event->is_named ? 0 : set_text(&event->name, &event->known.name, name);
}

const struct gpmu_perfdata_event *perfdata_events_at(const struct perfdata_events *events, size_t index)
{
	return index < events->list.n ? &event_at(events, index)->known : NULL;
}

const struct gpmu_perfdata_event *perfdata_events_of(const struct perfdata_events *events, uint64_t id)
{
	uint32_t index;

	return map_get(&events->ids, id, &index) ? &event_at(events, index)->known : NULL;
}

void perfdata_events_release(struct perfdata_events *events)
{
	for (size_t i = 0; i < events->list.n; i++)
		free_event(event_at(events, i));
	vector_release(&events->list);
	map_release(&events->ids);
}
