// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups that a plugin counts.
 *
 * A plugin enables all its groups at once. So enabling the first group of a session enables
 * all its groups, and disabling or closing the first one disables all. The calls for the
 * other groups do nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine/node.h"
#include "machine/pmu.h"
#include "count/counter/backend.h"
#include "plugin/source_object.h"

struct plugin_group {
	struct source_group base;
	struct gpmu_source *source;
	struct plugin_group *next;	/* next group of the source */
	const struct gpmu_plan *plan;
	size_t index;			/* index of the group in the plan */
	void *handle;			/* the plugin's */
	bool is_open;			/* @handle is valid */
	char *values;			/* an array of the plugin's struct gpmu_source_count */
};

static struct plugin_group *plugin_group_of(struct source_group *group)
{
	return (struct plugin_group *)group;
}

static const struct gpmu_group *plan_group_of(const struct plugin_group *group)
{
	return &group->plan->groups[group->index];
}

/*
 * Writes the event to @events, a zeroed array of the plugin's struct gpmu_source_event.
 * Fails if the structure of an older plugin lacks a field that the event sets: the plugin
 * would count another event.
 */
static int fill_event(const struct gpmu_source *source, char *events, size_t index,
		      const struct event_instance *instance, struct gpmu_error *error)
{
	const struct gpmu_source_event event = {
		.config = instance->attr.config,
		.config1 = instance->attr.config1,
		.config2 = instance->attr.config2,
#ifdef PERF_ATTR_SIZE_VER8
		.config3 = instance->attr.config3,
#endif
#ifdef PERF_ATTR_SIZE_VER9
		.config4 = instance->attr.config4,
#endif
	};
	size_t size = source->plugin.event_size, own = size < sizeof(event) ? size : sizeof(event);
	const char *bytes = (const char *)&event;

	memcpy(events + index * size, bytes, own);
	for (size_t i = own; i < sizeof(event); i++) {
		if (!bytes[i])
			continue;
		error_set(error, 0, "%s: the plugin of source %s is too old for its terms (config4)",
			  instance->name, source->plugin.name);
		return -EOPNOTSUPP;
	}
	return 0;
}

static struct gpmu_source_count value_of(const struct plugin_group *group, size_t index)
{
	struct gpmu_source_count value = { 0 };
	size_t size = group->source->plugin.count_size;

	memcpy(&value, group->values + index * size, size < sizeof(value) ? size : sizeof(value));
	return value;
}

/* Returns what a function of a plugin returned, in which a positive number is an error too. */
static int negative(int ret)
{
	return ret > 0 ? -EIO : ret;
}

/* Opens a group of the plugin. On failure the error has the reason and the PMU. */
static int open_events(struct gpmu_source *source, const struct gpmu_pmu *pmu,
		       const void *events, size_t length, void **handle, struct gpmu_error *error)
{
	struct gpmu_error own = { .size = sizeof(own) };
	int ret;

	*handle = NULL;
	ret = negative(source->plugin.group_open(source->data, pmu->source_index, events, length, handle, &own));
	if (!ret)
		return 0;
	own.text[sizeof(own.text) - 1] = '\0';
	if (own.text[0])
		error_set(error, 0, "%s", own.text);
	else
		error_set(error, 0, "%s: %s", pmu->name, error_text(-ret));
	return ret;
}

/* Returns whether the machine lacks the event, as opposed to an error that the user can correct. */
static bool is_unsupported(int ret)
{
	return ret == -ENOSPC || ret == -EOPNOTSUPP || ret == -ENOENT || ret == -ENODEV;
}

static int set_slots(const struct gpmu_group *group, struct gpmu_counts *counts, const char *why)
{
	const struct gpmu_node *node = group->pmu->node;
	const struct target target = { .cpu = -1, .node = node ? node->number : -1, .tid = -1 };
	int ret = 0;

	for (size_t i = group->first; i < group->first + group->length && !ret; i++)
		ret = why ? counts_set_lost(counts, i, COUNT_NOT_SUPPORTED, why) :
			    counts_set_targets(counts, i, &target, 1);
	return ret;
}

/* A plugin has no sessions, so one session at a time can use it. */
static int check_free(const struct gpmu_source *source, const struct gpmu_plan *plan, size_t index,
		      struct gpmu_error *error)
{
	bool is_busy = source->is_enabled;

	for (const struct plugin_group *other = source->groups; other && !is_busy; other = other->next)
		is_busy = other->plan != plan || other->index == index;
	if (!is_busy)
		return 0;
	error_set(error, 0, "source %s is in use by another session: open a source for each",
		  source->plugin.name);
	return -EBUSY;
}

/* Releases all but the group's own memory, with the lock held */
static int open_group(struct plugin_group *group, struct gpmu_counts *counts,
		      struct gpmu_error *error)
{
	const struct gpmu_group *planned = plan_group_of(group);
	const struct plan_slot *slots = &group->plan->slots[planned->first];
	struct gpmu_source *source = group->source;
	struct gpmu_error own = { .size = sizeof(own) };
	char *events;
	int ret = check_free(source, group->plan, group->index, error);

	if (ret)
		return ret;
	events = calloc(planned->length, source->plugin.event_size);
	if (!events)
		goto no_memory;
	for (size_t i = 0; i < planned->length && !ret; i++)
		ret = fill_event(source, events, i, slots[i].instance, &own);
	if (!ret)
		ret = open_events(source, planned->pmu, events, planned->length, &group->handle,
				  &own);
	free(events);
	if (ret && !is_unsupported(ret)) {
		error_set(error, 0, "%s", own.text);
		return ret;
	}
	group->is_open = !ret;
	if (!set_slots(planned, counts, ret ? own.text : NULL)) {
		group->next = source->groups;
		source->groups = group;
		return 0;
	}
	if (group->is_open)
		source->plugin.group_close(source->data, group->handle);
no_memory:
	error_set(error, 0, "%s: out of memory", planned->pmu->name);
	return -ENOMEM;
}

static void free_group(struct plugin_group *group)
{
	free(group->values);
	free(group);
}

static int plugin_open(void *self, const struct gpmu_plan *plan, size_t index,
		       const struct source_selection *selection, struct gpmu_counts *counts,
		       struct source_group **result, struct gpmu_error *error)
{
	const struct gpmu_group *planned = &plan->groups[index];
	struct gpmu_source *source = self;
	struct plugin_group *group = calloc(1, sizeof(*group));
	int ret;

	(void)selection;
	if (group)
		group->values = calloc(planned->length, source->plugin.count_size);
	if (!group || !group->values) {
		free(group);
		error_set(error, 0, "%s: out of memory", planned->pmu->name);
		return -ENOMEM;
	}
	group->base.ops = &source_plugin;
	group->source = source;
	group->plan = plan;
	group->index = index;
	pthread_mutex_lock(&source->lock);
	ret = open_group(group, counts, error);
	pthread_mutex_unlock(&source->lock);
	if (ret)
		free_group(group);
	else
		*result = &group->base;
	return ret;
}

/* Called for each group; prepares the source once */
static int plugin_prepare(struct source_group *base, struct gpmu_error *error)
{
	struct plugin_group *group = plugin_group_of(base);
	struct gpmu_source *source = group->source;
	struct gpmu_error own = { .size = sizeof(own) };
	int ret = 0;

	pthread_mutex_lock(&source->lock);
	if (group->is_open && !source->is_prepared && source->plugin.prepare)
		ret = source->plugin.prepare(source->data, &own);
	source->is_prepared = source->is_prepared || (group->is_open && !ret);
	pthread_mutex_unlock(&source->lock);
	source_log_messages(source);
	if (!ret)
		return 0;
	ret = negative(ret);
	own.text[sizeof(own.text) - 1] = '\0';
	error_set(error, 0, "source %s: %s", source->plugin.name,
		  own.text[0] ? own.text : error_text(-ret));
	return ret;
}

/* The time to pass to the plugin, which never decreases */
static uint64_t advance(struct gpmu_source *source, uint64_t time)
{
	if (time > source->time)
		source->time = time;
	return source->time;
}

static int plugin_enable(struct source_group *base, uint64_t time)
{
	struct plugin_group *group = plugin_group_of(base);
	struct gpmu_source *source = group->source;
	int ret = 0;

	pthread_mutex_lock(&source->lock);
	if (group->is_open && !source->is_enabled) {
		ret = negative(source->plugin.enable(source->data, advance(source, time)));
		source->is_enabled = !ret;
		source->has_begun = source->has_begun || !ret;
	}
	pthread_mutex_unlock(&source->lock);
	return ret;
}

static int disable_source(struct gpmu_source *source, uint64_t time)
{
	int ret;

	if (!source->is_enabled)
		return 0;
	ret = negative(source->plugin.disable(source->data, advance(source, time)));
	source->is_enabled = ret;
	return ret;
}

static int plugin_disable(struct source_group *base, uint64_t time)
{
	struct plugin_group *group = plugin_group_of(base);
	int ret;

	pthread_mutex_lock(&group->source->lock);
	ret = group->is_open ? disable_source(group->source, time) : 0;
	pthread_mutex_unlock(&group->source->lock);
	source_log_messages(group->source);
	return ret;
}

static int set_lost(const struct plugin_group *group, struct gpmu_counts *counts, int error)
{
	const struct gpmu_group *planned = plan_group_of(group);
	struct gpmu_error text = { .size = sizeof(text) };
	int ret = 0;

	error_set(&text, 0, "%s could not be read: %s", planned->pmu->name,
		  error_text(-error));
	for (size_t i = planned->first; i < planned->first + planned->length && !ret; i++)
		ret = counts_set_lost(counts, i, COUNT_NOT_COUNTED, text.text);
	return ret;
}

static int set_counts(const struct plugin_group *group, struct gpmu_counts *counts)
{
	const struct gpmu_group *planned = plan_group_of(group);

	for (size_t i = 0; i < planned->length; i++) {
		const struct gpmu_source_count value = value_of(group, i);

		if (!value.why && value.running > value.enabled)
			return -EIO;
	}
	for (size_t i = 0; i < planned->length; i++) {
		const struct gpmu_source_count value = value_of(group, i);
		size_t slot = planned->first + i;

		/* The plugin found the event missing while the group counts other events. */
		if (value.why && counts_set_lost(counts, slot, COUNT_NOT_SUPPORTED, value.why))
			return -ENOMEM;
		if (value.why)
			continue;
		/* The event has become available, such as that of a link that was activated. */
		if (counts->slots[slot].why)
			counts_set_lost(counts, slot, COUNT_NOT_COUNTED, NULL);
		counts->slots[slot].counts[0] = (struct count){
			.raw = value.raw,
			.enabled = value.enabled,
			.running = value.running,
			.state = value.enabled && !value.running ? COUNT_NOT_COUNTED : COUNT_OK,
		};
	}
	return 0;
}

static int plugin_read(struct source_group *base, uint64_t time, struct gpmu_counts *counts)
{
	struct plugin_group *group = plugin_group_of(base);
	struct gpmu_source *source = group->source;
	int ret = 0, lost;

	pthread_mutex_lock(&source->lock);
	if (group->is_open && source->has_begun) {
		ret = negative(source->plugin.group_read(source->data, group->handle,
							 advance(source, time),
							 (void *)group->values));
		if (!ret)
			ret = set_counts(group, counts);
	}
	pthread_mutex_unlock(&source->lock);
	source_log_messages(source);
	if (!ret)
		return 0;
	lost = set_lost(group, counts, ret);
	if (lost || ret == -ENODEV)
		return lost;
	return ret;
}

static void plugin_close(struct source_group *base)
{
	struct plugin_group *group = plugin_group_of(base), **link;
	struct gpmu_source *source = group->source;

	pthread_mutex_lock(&source->lock);
	disable_source(source, source->time);
	source->is_enabled = false;
	if (group->is_open)
		source->plugin.group_close(source->data, group->handle);
	for (link = &source->groups; *link != group; link = &(*link)->next)
		;
	*link = group->next;
	if (!source->groups)
		source->has_begun = source->is_prepared = false;
	pthread_mutex_unlock(&source->lock);
	free_group(group);
}

/* Opens the group to determine whether it fits. */
static int fits_open(struct gpmu_source *source, const struct gpmu_pmu *pmu, const void *events, size_t length)
{
	void *handle;
	int ret = open_events(source, pmu, events, length, &handle, NULL);

	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	source->plugin.group_close(source->data, handle);
	return 1;
}

static int fits_probe(struct gpmu_source *source, const struct event_instance *const *instances,
		      size_t length)
{
	const struct gpmu_pmu *pmu = instances[0]->pmu;
	char *events;
	int ret = 0;

	if (source->is_enabled)
		return -EBUSY;
	events = calloc(length, source->plugin.event_size);
	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < length && !ret; i++)
		ret = fill_event(source, events, i, instances[i], NULL);
	if (!ret && source->plugin.fits)
		ret = source->plugin.fits(source->data, pmu->source_index, (const void *)events, length);
	else if (!ret)
		ret = fits_open(source, pmu, events, length);
	free(events);
	return ret;
}

static int plugin_fits(void *self, const struct event_instance *const *instances, size_t length)
{
	struct gpmu_source *source = self;
	int ret;

	if (!length)
		return 1;
	for (size_t i = 0; i < length; i++)
		if (!instances[i]->pmu || instances[i]->pmu->source != source ||
		    instances[i]->pmu != instances[0]->pmu)
			return -EINVAL;
	pthread_mutex_lock(&source->lock);
	ret = fits_probe(source, instances, length);
	pthread_mutex_unlock(&source->lock);
	return ret;
}

const struct source_ops source_plugin = {
	.open = plugin_open,
	.prepare = plugin_prepare,
	.enable = plugin_enable,
	.disable = plugin_disable,
	.resume = plugin_enable,
	.read = plugin_read,
	.close = plugin_close,
	.fits = plugin_fits,
};
