// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of tracepoints: instants on a track below their thread, with the fields as arguments */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

#define ARGS_MAX	32	/* of an instant */
#define TEXT_MAX	256	/* bytes of a text, with its NUL */
#define BYTES_MAX	((TEXT_MAX - 4) / 2)	/* of an array; two digits each, then "..." */

struct args {
	struct gpmu_trace_arg list[ARGS_MAX];
	char texts[ARGS_MAX][TEXT_MAX];
	size_t count;
};

static void print_bytes(char *text, const struct gpmu_perfdata_content *content)
{
	const uint8_t *bytes = content->bytes;
	size_t n = content->size < BYTES_MAX ? content->size : BYTES_MAX;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		text += sprintf(text, "%02x", bytes[i]);
	if (n < content->size)
		strcpy(text, "...");
}

static void add(struct args *args, const struct gpmu_perfdata_field *field, const struct gpmu_perfdata_content *content)
{
	struct gpmu_trace_arg *arg = &args->list[args->count];
	char *text = args->texts[args->count++];

	*arg = (struct gpmu_trace_arg){ .name = field->name, .kind = GPMU_TRACE_TEXT, .text = text };
	switch (field->kind) {
	case GPMU_PERFDATA_TEXT:
		snprintf(text, TEXT_MAX, "%.*s", (int)(content->size < TEXT_MAX ? content->size : TEXT_MAX - 1),
			 (const char *)content->bytes);
		return;
	case GPMU_PERFDATA_BYTES:
		print_bytes(text, content);
		return;
	case GPMU_PERFDATA_POINTER:
		snprintf(text, TEXT_MAX, "0x%" PRIx64, content->number);
		return;
	case GPMU_PERFDATA_UNSIGNED:
		/* The trace has signed numbers. */
		if (content->number > INT64_MAX) {
			snprintf(text, TEXT_MAX, "%" PRIu64, content->number);
			return;
		}
		break;
	case GPMU_PERFDATA_SIGNED:
		break;
	}
	arg->kind = GPMU_TRACE_INT;
	arg->integer = (int64_t)content->number;
}

int import_tracepoint(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time,
		      const struct gpmu_perfdata_tracepoint *tracepoint)
{
	struct gpmu_trace_event event = {
		.size = sizeof(event), .time = time, .name = record->event->name, .category = "tracepoint",
	};
	struct gpmu_perfdata_content content;
	struct import_thread *thread;
	struct args args;
	int ret;

	thread = import_record_thread(import, record, &ret);
	if (!thread)
		return ret;
	ret = import_track(import, thread, &thread->event_track, "tracepoints");
	if (ret < 0)
		return ret;
	args.count = 0;
	for (size_t i = 0; i < tracepoint->field_count && args.count < ARGS_MAX; i++)
		if (gpmu_perfdata_content(&tracepoint->fields[i], record->sample.raw, record->sample.raw_size,
					  &content))
			add(&args, &tracepoint->fields[i], &content);
	event.track = ret;
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_instant(import->trace, &event);
}
