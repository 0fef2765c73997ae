// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "perfdata/perfdata.h"

#define MODIFIERS_MAX	8	/* "kuhppp" and a NUL */

/* Kinds of EVENT_UPDATE */
enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

/* Offsets in an attr of members that <linux/perf_event.h> may lack */
enum { CONFIG3 = 128, CONFIG4 = 136 };

/* perf's names of events, by type and config. @name: that of the type */
static const struct {
	const char *name, *const *events;
	size_t count;
} types[PERF_TYPE_MAX] = {
	[PERF_TYPE_HARDWARE] = { .name = "hardware", .count = 10, .events = (const char *const[]){
		"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles" } },
	[PERF_TYPE_SOFTWARE] = { .name = "software", .count = 12, .events = (const char *const[]){
		"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches" } },
	[PERF_TYPE_TRACEPOINT] = { .name = "tracepoint" },
	[PERF_TYPE_HW_CACHE] = { .name = "hw_cache" },
	[PERF_TYPE_RAW] = { .name = "raw" },
	[PERF_TYPE_BREAKPOINT] = { .name = "breakpoint" },
};

struct perfdata_event {
	struct gpmu_perfdata_event known;
	struct perf_event_attr attr;
	char *name, *unit;
	bool is_named;		/* by the file */
};

static void free_event(struct perfdata_event *event)
{
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

/*
 * perf's modifiers of an event of perf_event_open(2): what it counts, and how precise the addresses of its samples are. H and G are
 * omitted, as versions of perf print them for different events.
 */
static void put_modifiers(const struct perf_event_attr *attr, char text[MODIFIERS_MAX])
{
	const bool has_modes = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	size_t n = 0;

	if (has_modes && !attr->exclude_kernel)
		text[n++] = 'k';
	if (has_modes && !attr->exclude_user)
		text[n++] = 'u';
	if (has_modes && !attr->exclude_hv)
		text[n++] = 'h';
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		text[n++] = 'p';
	text[n] = '\0';
}

/* A name for an event that the file does not name, to be freed; NULL: out of memory */
static char *name_of(const struct perfdata_events *events, const struct perf_event_attr *attr)
{
	const unsigned long long config = attr->config;
	char modifiers[MODIFIERS_MAX] = "";
	uint32_t pmu;

	if (attr->type != PERF_TYPE_TRACEPOINT)
		put_modifiers(attr, modifiers);
	if (attr->type < PERF_TYPE_MAX && config < types[attr->type].count)
		return text_print("%s%s%s", types[attr->type].events[config], *modifiers ? ":" : "", modifiers);
	if (attr->type < PERF_TYPE_MAX)
		return text_print("%s/config=0x%llx/%s", types[attr->type].name, config, modifiers);
	if (map_get(&events->pmu_numbers, attr->type, &pmu))
		return text_print("%s/config=0x%llx/", events->pmus[pmu].name, config);
	return text_print("%u/config=0x%llx/", attr->type, config);
}

/* A member of an attr of @size bytes; 0 if the attr ends before */
static uint64_t member(const void *attr, size_t size, size_t offset)
{
	uint64_t value = 0;

	if (size >= offset + sizeof(value))
		memcpy(&value, (const char *)attr + offset, sizeof(value));
	return value;
}

int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size)
{
	struct perfdata_event *event;
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
	event->known.index = events->n;
	event->known.config3 = member(attr, size, CONFIG3);
	event->known.config4 = member(attr, size, CONFIG4);
	event->name = name_of(events, &event->attr);
	event->known.name = event->name;
	if (event->name && !vector_push(events, &event))
		return 0;
	free_event(event);
	return -ENOMEM;
}

int perfdata_events_add_ids(struct perfdata_events *events, const void *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t id;
		int ret;

		memcpy(&id, (const char *)ids + i * sizeof(id), sizeof(id));
		ret = map_set(&events->ids, id, (uint32_t)events->n - 1);
		if (ret)
			return ret;
	}
	return 0;
}

/* Finds the event of an EVENT_DESC entry: by its ids, or, without any, by its place. */
static struct perfdata_event *described(const struct perfdata_events *events, const void *ids, uint32_t count,
					uint32_t place)
{
	uint32_t index = place;
	uint64_t id;

	if (count) {
		memcpy(&id, ids, sizeof(id));
		map_get(&events->ids, id, &index);
	}
	return index < events->n ? events->list[index] : NULL;
}

int perfdata_events_describe(struct perfdata_events *events, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor), attr_size = cursor_u32(cursor);

	for (uint32_t i = 0; i < count; i++) {
		const char *name;
		const void *ids;
		struct perfdata_event *event;
		uint32_t id_count;
		int ret;

		cursor_bytes(cursor, attr_size);
		id_count = cursor_u32(cursor);
		name = cursor_text(cursor, cursor_u32(cursor));
		ids = cursor_array(cursor, id_count, sizeof(uint64_t));
		if (cursor->has_failed)
			return -EINVAL;
		event = described(events, ids, id_count, i);
		ret = event ? set_text(&event->name, &event->known.name, name) : 0;
		if (ret)
			return ret;
		if (event)
			event->is_named = true;
	}
	return cursor->has_failed ? -EINVAL : 0;
}

int perfdata_events_update(struct perfdata_events *events, struct cursor *cursor)
{
	uint64_t type = cursor_u64(cursor), id = cursor_u64(cursor);
	struct perfdata_event *event;
	const char *text;
	uint32_t index;

	if (cursor->has_failed)
		return -EINVAL;
	if (type > UPDATE_NAME || !map_get(&events->ids, id, &index))
		return 0;
	event = events->list[index];
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
	struct perfdata_event *event = events->list[index];

	return event->is_named ? 0 : set_text(&event->name, &event->known.name, name);
}

int perfdata_events_set_pmus(struct perfdata_events *events, const struct gpmu_perfdata_info *info)
{
	int ret = 0;

	if (events->pmus)
		return 0;
	events->pmus = info->pmus;
	for (size_t i = 0; i < info->pmu_count && !ret; i++)
		ret = map_set(&events->pmu_numbers, info->pmus[i].type, (uint32_t)i);
	for (size_t i = 0; i < events->n && !ret; i++) {
		struct perfdata_event *event = events->list[i];
		char *name;

		if (event->attr.type < PERF_TYPE_MAX || event->is_named)
			continue;
		name = name_of(events, &event->attr);
		if (!name)
			return -ENOMEM;
		free(event->name);
		event->name = name;
		event->known.name = name;
	}
	return ret;
}

size_t gpmu_perfdata_event_count(const struct gpmu_perfdata *perfdata)
{
	return perfdata->events.n;
}

const struct gpmu_perfdata_event *gpmu_perfdata_event(const struct gpmu_perfdata *perfdata, size_t index)
{
	return index < perfdata->events.n ? &perfdata->events.list[index]->known : NULL;
}

const struct gpmu_perfdata_event *gpmu_perfdata_event_of(const struct gpmu_perfdata *perfdata, uint64_t id)
{
	uint32_t index;

	return map_get(&perfdata->events.ids, id, &index) ? gpmu_perfdata_event(perfdata, index) : NULL;
}

void perfdata_events_release(struct perfdata_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free_event(events->list[i]);
	vector_free(events);
	map_release(&events->ids);
	map_release(&events->pmu_numbers);
}
