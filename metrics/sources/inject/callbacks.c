// SPDX-License-Identifier: LGPL-2.1-or-later
/* CUPTI's callbacks, in threads of the program: they report events and call nothing of CUPTI, except for ids of nodes. */
#include <errno.h>
#include <string.h>

#include "base/raw_clock.h"
#include "inject.h"
#include "pcs/pcs.h"
#include "ranges/ranges.h"
#include "sass/sass.h"

static void on_state(struct inject *self, uint32_t cbid, const struct inject_state *data)
{
	const char *message = data && data->message ? data->message : "";
	unsigned int result = data ? data->result : 0;

	if (cbid == CUPTI_CBID_STATE_FATAL_ERROR) {
		/* After a fatal error CUPTI has finalised itself. */
		__atomic_store_n(&self->fatal, 1, __ATOMIC_SEQ_CST);
		output_note(self, ACTIVITY_FATAL, "CUPTI has stopped with error %u, and records since the last flush are lost: %s",
			    result, message);
	} else if (result == CUPTI_ERROR_OUT_OF_MEMORY && buffers_were_short()) {
		/* CUPTI reports a declined request; our note names the option. */
		return;
	} else if (cbid == CUPTI_CBID_STATE_ERROR || cbid == CUPTI_CBID_STATE_WARNING) {
		output_note(self, ACTIVITY_WARNING, "CUPTI reports error %u: %s", result, message);
	}
}

static void on_call(struct inject *self, uint32_t cbid, const CUpti_CallbackData *data)
{
	if (ranges_are_wanted(self))
		ranges_call(self, cbid, data->functionParams,
			    data->callbackSite == CUPTI_API_ENTER ? NULL : data->functionReturnValue);
	if (cbid == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart && data->callbackSite == CUPTI_API_EXIT)
		capture_range(self, true);
	else if (cbid == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop &&
		 data->callbackSite == CUPTI_API_ENTER)
		capture_range(self, false);
}

static void on_graph(struct inject *self, uint32_t cbid, const CUpti_GraphData *data)
{
	if (self->control->graph_nodes)
		graphs_event(self, cbid, data);
}

static void on_callback(void *data, uint32_t domain, uint32_t cbid, const void *info)
{
	struct inject *self = inject;
	int kept = errno;

	(void)data;
	if (!self)
		return;
	/* Calls after the last flush are counted, too. */
	if (domain == CUPTI_CB_DOMAIN_RESOURCE && cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING)
		calls_node_created();
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
		calls_callback(self, cbid, info);
	if (!inject_is_alive(self))
		return;
	switch (domain) {
	case CUPTI_CB_DOMAIN_STATE:
		on_state(self, cbid, info);
		break;
	case CUPTI_CB_DOMAIN_RESOURCE:
		if (cbid == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) {
			__atomic_store_n(&self->ready, 1, __ATOMIC_RELEASE);
			buffers_wake();
		} else if (cbid < CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING) {
			if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
				ranges_context_end(self, ((const CUpti_ResourceData *)info)->context);
			if (cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED)
				modules_loaded(self, ((const CUpti_ResourceData *)info)->resourceDescriptor);
			pcs_callback(self, cbid, info);
			sass_callback(self, cbid, info);
		} else {
			on_graph(self, cbid, ((const CUpti_ResourceData *)info)->resourceDescriptor);
		}
		break;
	case CUPTI_CB_DOMAIN_DRIVER_API:
		on_call(self, cbid, info);
		break;
	case CUPTI_CB_DOMAIN_NVTX:
		nvtx_callback(self, cbid, info);
		break;
	default:
		break;
	}
	errno = kept;
}

/* CUPTI has this on x86-64 only. */
static void enable_allocators(struct inject *self)
{
	if (!self->control->allocators)
		return;
	self->has_allocators = self->api.allocation_source && !self->api.allocation_source(1);
	if (!self->has_allocators)
		output_note(self, ACTIVITY_WARNING, "this CUPTI does not record which library allocates memory");
}

static void enable(struct inject *self)
{
	const struct inject_api *api = &self->api;

	api->domain(1, self->subscriber, CUPTI_CB_DOMAIN_STATE);
	api->callback(1, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
	calls_enable(self);
	host_memory_enable(self);
	enable_allocators(self);
	openacc_connect(self);
	modules_enable(self);
	pcs_begin(self);
	sass_begin(self);
	if (self->control->capture == CHANNEL_CAPTURE_PROFILER) {
		api->callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
			      CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
		api->callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
			      CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
	}
	if (ranges_are_wanted(self))
		ranges_enable(self);
	if (self->control->capture == CHANNEL_CAPTURE_NVTX)
		api->domain(1, self->subscriber, CUPTI_CB_DOMAIN_NVTX);
}

static bool check(struct inject *self, const char *call, int code)
{
	const char *text = NULL;

	if (!code)
		return true;
	if (self->api.text(code, &text) || !text)
		text = "an unknown error";
	output_note(self, ACTIVITY_WARNING, "CUDA is not recorded: %s returned %d, %s", call, code, text);
	__atomic_store_n(&self->fatal, 1, __ATOMIC_SEQ_CST);
	return false;
}

/*
 * Gets the name of another tool that has subscribed, "" if it is not known. cuptiSubscribe_v2() returns it when it fails.
 * From CUDA 13.3 on a process must not subscribe by both functions; here the one that was called has failed.
 */
static void other_name(const struct inject *self, char *name, size_t size)
{
	CUpti_SubscriberParams params = {
		.structSize = sizeof(params), .subscriberName = "gpmu", .oldSubscriberName = name,
		.oldSubscriberSize = size,
	};
	void *subscriber = NULL;

	memset(name, 0, size);
	if (!self->api.subscribe_v2 || !self->api.unsubscribe)
		return;
	/* The other tool has unsubscribed meanwhile. */
	if (!self->api.subscribe_v2(&subscriber, on_callback, NULL, &params))
		self->api.unsubscribe(subscriber);
	name[size - 1] = '\0';
}

static void report_other(struct inject *self)
{
	char name[4 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN];

	other_name(self, name, sizeof(name));
	/* CUPTI's text for a subscriber without a name */
	if (strstr(name, "<not provided>"))
		*name = '\0';
	output_note(self, ACTIVITY_WARNING,
		    "CUDA is not recorded: another tool in this process uses CUPTI%s%s; run without it",
		    *name ? ": " : "", *name ? name : " (a debugger, torch.profiler, TensorFlow's or Nsight)");
	__atomic_store_n(&self->fatal, 1, __ATOMIC_SEQ_CST);
}

static void set_attribute(struct inject *self, uint32_t attribute, uint8_t value)
{
	size_t size = sizeof(value);

	self->api.attribute(attribute, &size, &value);
}

/* The first call to CUPTI: it fails if another tool has subscribed. */
void callbacks_subscribe(struct inject *self)
{
	int code = guard_has_buffers() ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : several_subscribe(self, on_callback);

	if (code == CUPTI_ERROR_NOT_SUPPORTED)
		code = self->api.subscribe(&self->subscriber, on_callback, NULL);
	if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
		report_other(self);
		return;
	}
	if (!check(self, "cuptiSubscribe", code) ||
	    !check(self, "cuptiActivityRegisterTimestampCallback", self->api.timestamps(raw_clock_now)) ||
	    !check(self, "cuptiSetThreadIdType",
		   self->api.thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)))
		return;
	/*
	 * By default each launching thread holds a buffer, and CUPTI needs more of them than there are threads. A CUPTI
	 * that refuses this gets as many, up to the limit of the pool.
	 */
	set_attribute(self, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
	if (!check(self, "cuptiActivityRegisterCallbacks",
		   self->api.buffers(inject_request, inject_complete)))
		return;
	/* Without this CUPTI zeroes buffers again. */
	set_attribute(self, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
	enable(self);
}
