// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Subscribes beside other tools of the process, where CUPTI supports it: from CUDA 13.3 and a driver for it on. Such
 * functions take the subscriber as their first parameter. A process that has called one of them must not call those without
 * it, so the table of functions is replaced as a whole, and only if the subscription and its clock work.
 */
#include <stddef.h>

#include "base/raw_clock.h"
#include "inject.h"
#include "several_api.h"

static struct several_api several;
static void *subscriber;

static void request(uint8_t **buffer, size_t *size, size_t *max, void *info)
{
	(void)info;
	inject_request(buffer, size, max);
}

static void complete(uint8_t *buffer, size_t size, size_t valid, void *info)
{
	(void)info;
	inject_complete(NULL, 0, buffer, size, valid);
}

static int register_buffers(CUpti_BuffersCallbackRequestFunc unused_request, CUpti_BuffersCallbackCompleteFunc unused_complete)
{
	(void)unused_request;
	(void)unused_complete;
	return several.buffers(subscriber, request, complete);
}

static int set_attribute(uint32_t attribute, size_t *size, void *value)
{
	return several.attribute(subscriber, attribute, size, value);
}

static int set_clock(CUpti_TimestampCallbackFunc clock)
{
	size_t size = sizeof(clock);

	return set_attribute(CUPTI_ACTIVITY_ATTR_TIMESTAMP_CALLBACK, &size, &clock);
}

static int set_thread_ids(uint32_t type)
{
	size_t size = sizeof(type);

	return set_attribute(CUPTI_ACTIVITY_ATTR_THREAD_ID_TYPE, &size, &type);
}

static int enable(uint32_t kind)
{
	return several.enable(subscriber, kind, NULL);
}

static int disable(uint32_t kind)
{
	return several.disable(subscriber, kind, NULL);
}

/* Without these functions records of all calls arrive, and those without information are discarded. */
static int set_runtime_api(uint32_t cbid, uint8_t wants_records)
{
	return several.runtime_api ? several.runtime_api(subscriber, cbid, wants_records) : 0;
}

static int set_driver_api(uint32_t cbid, uint8_t wants_records)
{
	return several.driver_api ? several.driver_api(subscriber, cbid, wants_records) : 0;
}

static int get_next(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	return several.next(subscriber, buffer, valid, record);
}

static int get_dropped(void *context, uint32_t stream, size_t *dropped)
{
	return several.dropped(subscriber, context, stream, dropped);
}

static int get_time(uint64_t *time)
{
	return several.timestamp(subscriber, time);
}

static bool load(void)
{
	bool has_all = true;

#define FILL(member, symbol, ...) \
	*(void **)&several.member = inject_cupti_symbol(#symbol); \
	has_all = has_all && several.member;
	SEVERAL_FUNCTIONS(FILL)
#define FILL_OPTIONAL(member, symbol, ...) \
	*(void **)&several.member = inject_cupti_symbol(#symbol);
	SEVERAL_OPTIONAL(FILL_OPTIONAL)
	return has_all;
}

/* Returns whether the subscription has gpmu's clock. */
static bool has_clock(void)
{
	const uint64_t before = raw_clock_now();
	uint64_t time;

	return !set_clock(raw_clock_now) && !get_time(&time) && time >= before && time <= raw_clock_now();
}

/* CUPTI records graphs in one way for all subscribers; the first one chooses it. */
static bool choose_graphs(const struct inject *self)
{
	uint8_t wants_whole = !self->control->graph_nodes && self->control->kinds >> ACTIVITY_GRAPH & 1;
	size_t size = sizeof(wants_whole);

	return !set_attribute(CUPTI_ACTIVITY_ATTR_ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE, &size, &wants_whole);
}

static void replace_functions(struct inject_api *api)
{
	api->buffers = register_buffers;
	api->attribute = set_attribute;
	api->timestamps = set_clock;
	api->thread_ids = set_thread_ids;
	api->enable = enable;
	api->disable = disable;
	api->runtime_api = set_runtime_api;
	api->driver_api = set_driver_api;
	api->next = get_next;
	api->dropped = get_dropped;
	api->timestamp = get_time;
}

int several_subscribe(struct inject *self, CUpti_CallbackFunc callback)
{
	struct several_params params = {
		.params = { .structSize = sizeof(params), .subscriberName = "gpmu" }, .allowMultipleSubscribers = 1,
	};
	int code;

	if (!load() || !self->api.subscribe_v2 || !self->api.unsubscribe)
		return CUPTI_ERROR_NOT_SUPPORTED;
	code = self->api.subscribe_v2(&subscriber, callback, NULL, &params.params);
	if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return code;
	if (code)
		return CUPTI_ERROR_NOT_SUPPORTED;
	if (!has_clock() || set_thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)) {
		self->api.unsubscribe(subscriber);
		return CUPTI_ERROR_NOT_SUPPORTED;
	}
	if (!choose_graphs(self))
		output_note(self, ACTIVITY_WARNING, "another tool in this process has chosen how CUPTI records graphs: work of graphs may be missing");
	replace_functions(&self->api);
	self->subscriber = subscriber;
	return 0;
}
