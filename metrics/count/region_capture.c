// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions as capture ranges of gpmu record. The library of gpmu record is in this process once CUDA
 * is initialised; it is found by the same variable with which the CUDA driver finds it.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "trace/channel/channel.h"
#include "count/session.h"

typedef void (*capture_fn)(const char *name, int begins);

static capture_fn find(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	capture_fn found = NULL;

	if (library)
		*(void **)&found = dlsym(library, "gpmu_inject_region");
	if (library && !found)
		dlclose(library);
	return found;
}

static int off;		/* the process does not run under gpmu record, and never will */

/* Not inline, because each region would then save its registers. */
__attribute__((noinline))
static void look(const char *name, bool is_begin)
{
	static capture_fn capture;
	capture_fn found = __atomic_load_n(&capture, __ATOMIC_ACQUIRE);
	const char *path;

	if (!found) {
		path = secure_getenv(CHANNEL_VARIABLE) ? secure_getenv("CUDA_INJECTION64_PATH") : NULL;
		if (!path) {
			__atomic_store_n(&off, 1, __ATOMIC_RELAXED);
			return;
		}
		found = find(path);
		__atomic_store_n(&capture, found, __ATOMIC_RELEASE);
	}
	if (found)
		found(name, is_begin);
}

void region_capture(const char *name, bool is_begin)
{
	if (!__atomic_load_n(&off, __ATOMIC_RELAXED))
		look(name, is_begin);
}
