// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>

#include "trace/channel/activity.h"

/* Minimum size of each record; has_text: the record ends with a NUL-terminated text */
static const struct {
	uint32_t size;
	bool has_text;
} kinds[ACTIVITY_KINDS] = {
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
	[ACTIVITY_CALLS] = PLAIN(activity_calls),
};

bool activity_is_valid(const struct activity_head *record)
{
	const char *bytes = (const char *)record;

	if (record->size < sizeof(*record) || record->size % 8)
		return false;
	if (record->kind >= ACTIVITY_KINDS)
		return true;
	if (record->size < kinds[record->kind].size)
		return false;
	if (kinds[record->kind].has_text && bytes[record->size - 1])
		return false;
	return record->kind != ACTIVITY_DEVICE ||
	       !((const struct activity_device *)record)->uuid[sizeof(((struct activity_device *)0)->uuid) - 1];
}
