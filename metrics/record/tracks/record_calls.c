// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls of CUDA's runtime and driver. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "record/tracks/record_map.h"

/* Prefixes of calls that start work in a stream; an arrow connects the call to the work */
static const char *const launches[] = {
	"cudaLaunch", "cudaMemcpy", "cudaMemset", "cudaGraphLaunch", "cudaMemPrefetch",
	"cuLaunch", "cuMemcpy", "cuMemset", "cuGraphLaunch", "cuMemPrefetch",
};

static bool is_launch(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(launches); i++)
		if (!strncmp(name, launches[i], strlen(launches[i])))
			return true;
	return false;
}

/*
 * Returns whether the call is within the thread's last runtime call: the runtime calls the driver
 * itself
 */
static bool is_inner(const struct record_thread *thread, const struct activity_call *call)
{
	return call->head.kind == ACTIVITY_DRIVER && call->begin >= thread->runtime.begin &&
	       call->end <= thread->runtime.end;
}

static void check_work(struct record_map *map, struct record_call *known, uint64_t begin)
{
	/* The outer one of two calls with the same correlation counts. */
	if (!known->begin || begin < known->begin)
		known->begin = begin;
	if (known->work && known->work < begin)
		map->causality.early++;
	known->work = 0;
}

int record_call(struct record_map *map, struct record_process *process,
		const struct activity_call *call)
{
	struct record_thread *thread = record_thread_of(map, process, call->thread);
	struct record_call *known = record_call_of(process, call->correlation);
	struct gpmu_trace_event event = { .size = sizeof(event), .time = call->begin };
	struct record_args args = { .count = 0 };
	bool is_crossing;

	if (!thread || !known)
		return -ENOMEM;
	check_work(map, known, call->begin);
	if (!map->wants_inner_driver && is_inner(thread, call)) {
		known->shown = thread->correlation;
		return 0;
	}
	if (call->head.kind == ACTIVITY_RUNTIME) {
		thread->runtime = (struct record_span){ call->begin, call->end };
		thread->correlation = call->correlation;
	}
	event.track = record_subtracks_place(thread->subtracks, call->begin, call->end, &is_crossing);
	if (event.track < 0)
		return event.track;
	map->causality.checked++;
	map->causality.outside += is_crossing;
	record_arg(&args, "correlation", call->correlation);
	if (call->result)
		record_arg(&args, "result", call->result);
	if (known->has_external)
		record_arg(&args, "external", (int64_t)known->external);
	event.name = record_string(process, call->name);
	event.category = call->head.kind == ACTIVITY_RUNTIME ? "runtime" : "driver";
	event.submits = is_launch(event.name) ? record_flow(process, call->correlation) : 0;
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_slice(map->trace, &event, call->end - call->begin);
}

int record_external(struct record_process *process, const struct activity_external *external)
{
	struct record_call *known = record_call_of(process, external->correlation);

	if (!known)
		return -ENOMEM;
	known->external = external->external;
	known->has_external = true;
	return 0;
}
