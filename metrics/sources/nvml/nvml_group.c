// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events, and their counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/raw_clock.h"
#include "nvml_source.h"

static void release(struct group *group)
{
	for (size_t i = 0; i < group->length; i++)
		if (group->events[i].stream)
			nv_stream_put(group->events[i].stream);
	free(group->events);
	free(group);
}

static int open_event(struct gpu_pmu *pmu, struct group_event *event, uint64_t config,
		      struct gpmu_error *error)
{
	size_t length;
	const struct nv_event *list = nv_events(pmu->kind, &length);

	if (!config && pmu->kind == PMU_GPM) {
		event->why = NV_FOREIGN_WHY;
		return 0;
	}
	if (!config || config > length)
		return fail(error, -EOPNOTSUPP, "%s: expected an event from 1 to %zu, found %llu",
			    pmu->name, length, (unsigned long long)config);
	if (nv_has_event(pmu, config - 1)) {
		event->why = nv_why_not(pmu, config - 1);
		return 0;
	}
	event->stream = nv_stream_get(pmu->gpu, &list[config - 1]);
	return event->stream ? 0 : fail(error, -ENOMEM, "%s: %s", pmu->name, ERROR_NO_MEMORY);
}

static int open_events(struct source *source, struct gpu_pmu *pmu, struct group *group,
		       const struct gpmu_source_event *events, struct gpmu_error *error)
{
	int ret = 0;

	if (pmu->gpu->lost)
		return fail(error, -ENODEV, "%s: NVML: %s", pmu->name,
			    nv_text(&source->api, pmu->gpu->lost));
	for (size_t i = 0; i < group->length && !ret; i++)
		ret = open_event(pmu, &group->events[i], events[i].config, error);
	return ret;
}

int nv_group_open(void *data, size_t pmu, const struct gpmu_source_event *events, size_t length,
		  void **result, struct gpmu_error *error)
{
	struct source *source = data;
	struct group *group;
	int ret;

	if (pmu >= source->pmu_count || !length)
		return fail(error, -EINVAL, "NVML: expected events of a PMU below %zu", source->pmu_count);
	if (source->is_enabled)
		return fail(error, -EBUSY, "NVML: expected no group while it counts");
	group = calloc(1, sizeof(*group));
	if (group)
		group->events = calloc(length, sizeof(*group->events));
	if (!group || !group->events) {
		free(group);
		return fail(error, -ENOMEM, "NVML: %s", ERROR_NO_MEMORY);
	}
	group->gpu = source->pmus[pmu]->gpu;
	group->length = length;
	pthread_mutex_lock(&source->lock);
	ret = open_events(source, source->pmus[pmu], group, events, error);
	if (ret) {
		release(group);
	} else {
		group->next = source->groups;
		source->groups = group;
		*result = group;
	}
	pthread_mutex_unlock(&source->lock);
	return ret;
}

void nv_group_close(void *data, void *handle)
{
	struct source *source = data;
	struct group *group = handle, **link = &source->groups;

	pthread_mutex_lock(&source->lock);
	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	release(group);
	pthread_mutex_unlock(&source->lock);
}

int nv_prepare(void *data, struct gpmu_error *error)
{
	struct source *source = data;

	(void)error;
	pthread_mutex_lock(&source->lock);
	nv_observe_all(source, raw_clock_now());
	pthread_mutex_unlock(&source->lock);
	return 0;
}

int nv_enable(void *data, uint64_t time)
{
	struct source *source = data;
	int ret;

	if (source->is_enabled)
		return 0;
	pthread_mutex_lock(&source->lock);
	nv_observe_all(source, time);
	for (struct group *group = source->groups; group; group = group->next) {
		for (size_t i = 0; i < group->length; i++) {
			struct group_event *event = &group->events[i];

			if (!event->stream)
				continue;
			nv_stream_begin(event->stream, time);
			event->base = nv_stream_at(event->stream, time);
			/* Reads missed before this event began are not its. */
			event->stream->missed = 0;
		}
	}
	source->begin = time;
	pthread_mutex_unlock(&source->lock);
	ret = nv_start(source);
	source->is_enabled = !ret;
	return ret;
}

/* The count from the last enable to @time */
static void since(const struct group_event *event, uint64_t time, struct group_event *sum)
{
	struct point point = nv_stream_at(event->stream, time);

	sum->total = event->total + (point.total - event->base.total);
	sum->running = event->running + (point.running - event->base.running);
}

int nv_disable(void *data, uint64_t time)
{
	struct source *source = data;

	if (!source->is_enabled)
		return 0;
	nv_stop(source);
	pthread_mutex_lock(&source->lock);
	nv_observe_all(source, time);
	for (struct group *group = source->groups; group; group = group->next) {
		group->enabled += time - source->begin;
		for (size_t i = 0; i < group->length; i++) {
			if (!group->events[i].stream)
				continue;
			since(&group->events[i], time, &group->events[i]);
			nv_stream_end(group->events[i].stream, time);
		}
	}
	source->is_enabled = false;
	nv_say_missed(source);
	pthread_mutex_unlock(&source->lock);
	return 0;
}

int nv_group_read(void *data, void *handle, uint64_t time, struct gpmu_source_count *counts)
{
	struct source *source = data;
	struct group *group = handle;
	uint64_t enabled = group->enabled;
	int ret;

	pthread_mutex_lock(&source->lock);
	if (source->is_enabled) {
		nv_observe(group->gpu, time);
		enabled += time - source->begin;
	}
	for (size_t i = 0; i < group->length; i++) {
		struct group_event sum = group->events[i];

		if (source->is_enabled && sum.stream)
			since(&group->events[i], time, &sum);
		counts[i] = (struct gpmu_source_count){
			.raw = (uint64_t)floorl(sum.total),
			.enabled = enabled,
			.running = sum.running < enabled ? sum.running : enabled,
			.why = sum.why,
		};
	}
	ret = group->gpu->lost ? -ENODEV : 0;
	pthread_mutex_unlock(&source->lock);
	return ret;
}
