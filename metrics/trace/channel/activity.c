// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>

#include "trace/channel/activity.h"

const struct activity_shape activity_shapes[ACTIVITY_KINDS] = {
#define WITH_TEXT(type)	{ offsetof(struct type, text) + 1, true }
#define PLAIN(type)	{ sizeof(struct type), false }
	[ACTIVITY_NAME] = WITH_TEXT(activity_name),
	[ACTIVITY_PROCESS] = WITH_TEXT(activity_process),
	[ACTIVITY_DEVICE] = WITH_TEXT(activity_device),
	[ACTIVITY_CONTEXT] = PLAIN(activity_context),
	[ACTIVITY_NOTE] = WITH_TEXT(activity_note),
	[ACTIVITY_LOST] = PLAIN(activity_lost),
	[ACTIVITY_COMPLETE] = PLAIN(activity_complete),
	[ACTIVITY_CAPTURE] = PLAIN(activity_capture),
	[ACTIVITY_KERNEL] = PLAIN(activity_kernel),
	[ACTIVITY_COPY] = PLAIN(activity_copy),
	[ACTIVITY_SET] = PLAIN(activity_set),
	[ACTIVITY_GRAPH] = PLAIN(activity_graph),
	[ACTIVITY_RUNTIME] = PLAIN(activity_call),
	[ACTIVITY_DRIVER] = PLAIN(activity_call),
	[ACTIVITY_SYNC] = PLAIN(activity_sync),
	[ACTIVITY_MARKER] = PLAIN(activity_marker),
	[ACTIVITY_MEMORY] = PLAIN(activity_memory),
	[ACTIVITY_OVERHEAD] = PLAIN(activity_overhead),
	[ACTIVITY_EXTERNAL] = PLAIN(activity_external),
	[ACTIVITY_UNIFIED] = PLAIN(activity_unified),
	[ACTIVITY_ENVIRONMENT] = PLAIN(activity_environment),
	[ACTIVITY_HOST_MEMORY] = PLAIN(activity_host_memory),
	[ACTIVITY_MODULE] = PLAIN(activity_module),
	[ACTIVITY_OPENACC] = PLAIN(activity_openacc),
	[ACTIVITY_NODE] = PLAIN(activity_node),
	[ACTIVITY_PC] = PLAIN(activity_pc),
	[ACTIVITY_PC_TOTAL] = PLAIN(activity_pc_total),
	[ACTIVITY_CUBIN] = PLAIN(activity_cubin),
	[ACTIVITY_CALLS] = PLAIN(activity_calls),
	[ACTIVITY_RANGE_NAME] = WITH_TEXT(activity_range_name),
	[ACTIVITY_RANGE] = PLAIN(activity_range),
	[ACTIVITY_RANGES] = PLAIN(activity_ranges),
};
