// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operations of OpenACC's runtime, on their thread */
#include <errno.h>
#include <stdio.h>

#include "base/array.h"
#include "record/tracks/record_map.h"

/* CUpti_OpenAccEventKind */
static const char *const events[] = {
	"OpenACC", "device init", "device shutdown", "runtime shutdown", "enqueue launch", "enqueue upload", "enqueue download",
	"wait", "implicit wait", "compute construct", "update", "enter data", "exit data", "create", "delete", "alloc", "free",
};

int record_openacc(struct record_map *map, struct record_process *process, const struct activity_openacc *openacc)
{
	const struct record_thread *thread = record_thread_of(map, process, openacc->thread);
	struct gpmu_trace_event event = { .time = openacc->begin, .category = "openacc" };
	struct record_args args = { .count = 0 };
	char source[1024];

	event.name = events[openacc->event < ARRAY_SIZE(events) ? openacc->event : 0];
	if (openacc->file) {
		snprintf(source, sizeof(source), "%.1000s:%u", record_string(process, openacc->file), openacc->line);
		record_arg_name(&args, "source", source);
	}
	if (openacc->function)
		record_arg_name(&args, "function", record_string(process, openacc->function));
	if (openacc->subject)
		record_arg_name(&args, openacc->bytes ? "variable" : "kernel", record_string(process, openacc->subject));
	if (openacc->bytes)
		record_arg(&args, "bytes", (int64_t)openacc->bytes);
	return record_slice(map, thread ? thread->subtracks : NULL, &event, &args, openacc->end);
}
