// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts the kernels, copies, memsets and graphs that the program launches, in the callbacks of the driver's functions: a
 * function of the runtime calls one of the driver for each. The counts are in the channel, where they outlive the process,
 * and gpmu compares them with the records that arrive.
 */
#include <string.h>

#include "base/array.h"
#include "inject.h"
#include "ranges/ranges.h"
#include "sass/sass.h"

#define FUNCTIONS	1024	/* more than the driver has callback ids */

/*
 * Functions that launch work, by callback id as in cupti_driver_cbid.h. @size: offset of the size in the function's
 * parameters, as in generated_cuda_meta.h; work of size 0 is none, and has no record. @sizes: number of such members.
 */
static const struct function {
	uint16_t first, last;
	uint8_t kind, size, sizes;
} functions[] = {
	{ 115, 117, ACTIVITY_KERNEL, 0, 0 },	/* cuLaunch, cuLaunchGrid, cuLaunchGridAsync */
	{ 307, 307, ACTIVITY_KERNEL, 0, 0 },	/* cuLaunchKernel */
	{ 442, 442, ACTIVITY_KERNEL, 0, 0 },	/* cuLaunchKernel_ptsz */
	{ 477, 478, ACTIVITY_KERNEL, 0, 0 },	/* cuLaunchCooperativeKernel, _ptsz */
	{ 652, 653, ACTIVITY_KERNEL, 0, 0 },	/* cuLaunchKernelEx, _ptsz */
	{ 43, 70, ACTIVITY_COPY, 0, 0 },	/* functions before CUDA 3.2 */
	{ 232, 234, ACTIVITY_COPY, 0, 0 },
	{ 276, 281, ACTIVITY_COPY, 16, 1 },	/* cuMemcpyHtoD_v2, DtoH, DtoD and Async: (to, from, size) */
	{ 282, 285, ACTIVITY_COPY, 24, 1 },	/* AtoH, AtoHAsync, AtoD, DtoA: an array has an offset, too */
	{ 286, 286, ACTIVITY_COPY, 32, 1 },	/* AtoA */
	{ 287, 291, ACTIVITY_COPY, 0, 0 },	/* cuMemcpy2D_v2, 3D */
	{ 292, 293, ACTIVITY_COPY, 24, 1 },	/* HtoA, HtoAAsync */
	{ 305, 306, ACTIVITY_COPY, 16, 1 },	/* cuMemcpy, cuMemcpyAsync */
	{ 318, 319, ACTIVITY_COPY, 32, 1 },	/* cuMemcpyPeer, Async: each address has a context */
	{ 320, 321, ACTIVITY_COPY, 0, 0 },	/* cuMemcpy3DPeer */
	{ 397, 399, ACTIVITY_COPY, 16, 1 },	/* the same with _ptds */
	{ 400, 403, ACTIVITY_COPY, 24, 1 },
	{ 404, 404, ACTIVITY_COPY, 32, 1 },
	{ 405, 407, ACTIVITY_COPY, 0, 0 },
	{ 408, 408, ACTIVITY_COPY, 16, 1 },
	{ 409, 409, ACTIVITY_COPY, 32, 1 },
	{ 410, 410, ACTIVITY_COPY, 0, 0 },
	{ 418, 418, ACTIVITY_COPY, 16, 1 },	/* the same with _ptsz */
	{ 419, 420, ACTIVITY_COPY, 24, 1 },
	{ 421, 423, ACTIVITY_COPY, 16, 1 },
	{ 424, 425, ACTIVITY_COPY, 0, 0 },
	{ 426, 426, ACTIVITY_COPY, 32, 1 },
	{ 427, 427, ACTIVITY_COPY, 0, 0 },
	{ 776, 779, ACTIVITY_COPY, 0, 0 },	/* cuMemcpyBatchAsync, 3D: a batch has one record */
	{ 796, 799, ACTIVITY_COPY, 0, 0 },
	{ 71, 82, ACTIVITY_SET, 0, 0 },		/* functions before CUDA 3.2 */
	{ 216, 221, ACTIVITY_SET, 16, 1 },	/* cuMemsetD8Async, D16, D32: (to, value, size) */
	{ 222, 227, ACTIVITY_SET, 24, 2 },	/* cuMemsetD2D8Async: (to, pitch, value, width, height) */
	{ 249, 251, ACTIVITY_SET, 16, 1 },
	{ 252, 254, ACTIVITY_SET, 24, 2 },
	{ 411, 413, ACTIVITY_SET, 16, 1 },
	{ 414, 416, ACTIVITY_SET, 24, 2 },
	{ 428, 430, ACTIVITY_SET, 16, 1 },
	{ 431, 433, ACTIVITY_SET, 24, 2 },
	{ 514, 515, ACTIVITY_GRAPH, 0, 0 },	/* cuGraphLaunch, _ptsz: (executable graph, stream) */
};

/* Functions that change what a launch of a graph runs */
enum { DISABLE_NODE = 650 };	/* cuGraphNodeSetEnabled: (executable graph, node, whether it is enabled) */
static const uint16_t instantiate[] = { 513, 578, 643, 656, 657 };	/* cuGraphInstantiate, ... */

static const struct function *by_id[FUNCTIONS];

/* The call of this thread between its begin and its end */
static __thread struct {
	enum capture_state state;	/* at the begin */
	enum channel_tally tally;	/* that counts the call */
	bool is_counted, has_node;
} call;

/* Correlations of the last calls that are counted as unsure; atomic */
#define UNSURE	16384
static uint32_t *unsure;

static bool is_recorded(const struct inject *self, enum activity_kind kind)
{
	return self->control->kinds >> kind & 1 || (kind == ACTIVITY_GRAPH && self->control->graph_nodes);
}

static void want(struct inject *self, uint32_t domain, uint32_t cbid)
{
	/* An older CUPTI refuses functions that it does not know, and no program can call these. */
	self->api.callback(1, self->subscriber, domain, cbid);
}

static void want_nodes(struct inject *self)
{
	for (size_t i = 0; i < ARRAY_SIZE(instantiate); i++)
		want(self, CUPTI_CB_DOMAIN_DRIVER_API, instantiate[i]);
	want(self, CUPTI_CB_DOMAIN_DRIVER_API, DISABLE_NODE);
	want(self, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
	want(self, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
	want(self, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
	want(self, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
}

void calls_enable(struct inject *self)
{
	unsure = inject_table(UNSURE * sizeof(*unsure));
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!is_recorded(self, functions[i].kind) && !ranges_are_wanted(self) && !sass_is_wanted(self))
			continue;
		for (uint32_t id = functions[i].first; id <= functions[i].last; id++) {
			by_id[id] = &functions[i];
			want(self, CUPTI_CB_DOMAIN_DRIVER_API, id);
		}
	}
	want(self, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING);
	if (self->control->graph_nodes)
		want_nodes(self);
}

void calls_node_created(void)
{
	call.has_node = true;
}

/* Returns the kind that must be enabled for the work to be recorded. With --graph-nodes a graph is recorded as its kernels. */
static enum activity_kind state_kind(const struct inject *self, const struct function *function)
{
	return function->kind == ACTIVITY_GRAPH && self->control->graph_nodes ? ACTIVITY_KERNEL : function->kind;
}

static bool is_empty(const struct function *function, const void *parameters)
{
	uint64_t size;

	for (int i = 0; i < function->sizes && parameters; i++) {
		memcpy(&size, (const char *)parameters + function->size + i * sizeof(size), sizeof(size));
		if (!size)
			return true;
	}
	return false;
}

static const void *first_parameter(const CUpti_CallbackData *data)
{
	const void *first;

	memcpy(&first, data->functionParams, sizeof(first));
	return first;
}

bool calls_are_unsure(uint32_t correlation)
{
	return unsure && correlation && __atomic_load_n(&unsure[correlation % UNSURE], __ATOMIC_RELAXED) == correlation;
}

void calls_note_unsure(uint32_t correlation)
{
	if (unsure)
		__atomic_store_n(&unsure[correlation % UNSURE], correlation, __ATOMIC_RELAXED);
}

static enum channel_tally tally_of(enum capture_state state, const CUpti_CallbackData *data)
{
	if (state == CAPTURE_ON)
		return CHANNEL_CALLED;
	calls_note_unsure(data->correlationId);
	return CHANNEL_UNSURE;
}

static bool has_nodes(const struct inject *self, const struct function *function)
{
	return function->kind == ACTIVITY_GRAPH && self->control->graph_nodes;
}

/* Counts the call now: a thread may be killed before the call returns. */
static void begin(struct inject *self, const struct function *function, const CUpti_CallbackData *data)
{
	call.has_node = call.is_counted = false;
	call.state = capture_state(state_kind(self, function));
	if (!is_recorded(self, function->kind) || call.state == CAPTURE_OFF || has_nodes(self, function) ||
	    is_empty(function, data->functionParams))
		return;
	call.tally = tally_of(call.state, data);
	call.is_counted = true;
	channel_count(self->writer, call.tally, function->kind, 1);
}

/* A launch into a stream that is captured adds a node to a graph. */
static bool has_launched(const struct function *function, const CUpti_CallbackData *data)
{
	return !call.has_node && !*(const int *)data->functionReturnValue && !is_empty(function, data->functionParams);
}

/* Counts what the call has launched; takes back the count of a call that has launched nothing. */
static void end(struct inject *self, const struct function *function, const CUpti_CallbackData *data)
{
	enum capture_state now = capture_state(state_kind(self, function));
	bool is_launched = has_launched(function, data);

	if (call.is_counted && (!is_launched || (call.tally == CHANNEL_CALLED && now != CAPTURE_ON))) {
		channel_count(self->writer, call.tally, function->kind, (uint64_t)-1);
		call.is_counted = false;
	}
	if (!is_launched || call.is_counted || (call.state == CAPTURE_OFF && now == CAPTURE_OFF) ||
	    !is_recorded(self, function->kind))
		return;
	call.tally = tally_of(call.state == now ? now : CAPTURE_SWITCHING, data);
	if (has_nodes(self, function))
		graphs_count(self, first_parameter(data), data->correlationId, call.tally);
	else
		channel_count(self->writer, call.tally, function->kind, 1);
}

static void on_graph_function(uint32_t cbid, const CUpti_CallbackData *data)
{
	if (cbid == DISABLE_NODE && data->callbackSite == CUPTI_API_EXIT)
		graphs_disable(first_parameter(data));
	for (size_t i = 0; i < ARRAY_SIZE(instantiate); i++)
		if (instantiate[i] == cbid)
			graphs_instantiate(data->callbackSite == CUPTI_API_ENTER);
}

void calls_callback(struct inject *self, uint32_t cbid, const CUpti_CallbackData *data)
{
	const struct function *function = cbid < FUNCTIONS ? by_id[cbid] : NULL;

	if (!function) {
		on_graph_function(cbid, data);
		return host_memory_callback(self, cbid, data);
	}
	if (data->callbackSite != CUPTI_API_ENTER) {
		if (ranges_are_wanted(self))
			ranges_work_end(self, has_launched(function, data));
		if (sass_is_wanted(self) && (function->kind == ACTIVITY_KERNEL || function->kind == ACTIVITY_GRAPH) &&
		    has_launched(function, data))
			sass_launch(self, cbid, data);
		return end(self, function, data);
	}
	thread_hold(self);
	begin(self, function, data);
	if (ranges_are_wanted(self))
		ranges_work_begin(self, data->context, function->kind != ACTIVITY_KERNEL ? NULL : data->symbolName ?: "");
}
