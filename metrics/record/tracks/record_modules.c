// SPDX-License-Identifier: LGPL-2.1-or-later
/* Modules of kernels: their loads, and operations of the driver's compiler, on the thread that waits for them */
#include <errno.h>

#include "record/tracks/record_map.h"

static const char *const names[ACTIVITY_MODULE_WHATS] = {
	[ACTIVITY_MODULE_LOADED] = "module loaded", [ACTIVITY_MODULE_PTX] = "compile PTX",
	[ACTIVITY_MODULE_NVVM] = "compile NVVM IR", [ACTIVITY_MODULE_FROM_CACHE] = "load from the cache",
	[ACTIVITY_MODULE_TO_CACHE] = "store in the cache",
};

int record_module(struct record_map *map, struct record_process *process, const struct activity_module *module)
{
	const struct record_thread *thread = record_thread_of(map, process, module->thread);
	struct gpmu_trace_event event = { .time = module->begin, .category = "module" };
	struct record_args args = { .count = 0 };

	if (module->what >= ACTIVITY_MODULE_WHATS)
		return 0;
	event.name = names[module->what];
	if (module->bytes)
		record_arg(&args, "bytes", (int64_t)module->bytes);
	if (module->path)
		record_arg_text(&args, "path", record_string(process, module->path));
	return record_slice(map, thread ? thread->subtracks : NULL, &event, &args, module->end);
}
