// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Detects whether CUPTI's records still arrive: a program that uses CUPTI itself, as torch.profiler does, registers its
 * own buffers in place of ours, without a notice by CUPTI. If no buffer has come for a while, the probe makes a call that
 * is recorded.
 */
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "inject.h"

#define QUIET_NS	UINT64_C(500000000)	/* until the next call */
#define PROBES		3

static int (*get_count)(int *count);
static uint64_t completed, since;
static unsigned int probes;
static bool is_reported;
static uint32_t thread;

bool probe_is_ours(uint32_t tid)
{
	return thread && tid == thread;
}

static bool can_probe(const struct inject *self)
{
	void *driver;

	if (is_reported || !__atomic_load_n(&self->ready, __ATOMIC_ACQUIRE) || !inject_is_alive(self) ||
	    !(self->control->kinds >> ACTIVITY_DRIVER & 1))
		return false;
	if (get_count)
		return true;
	thread = (uint32_t)syscall(SYS_gettid);
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (driver)
		*(void **)&get_count = dlsym(driver, "cuDeviceGetCount");
	return get_count != NULL;
}

void probe_look(struct inject *self, bool has_records)
{
	uint64_t now = raw_clock_now(), seen = buffers_completed();
	int count;

	if (!since || !has_records || seen != completed || !can_probe(self)) {
		completed = seen;
		since = now;
		probes = 0;
		return;
	}
	if (now - since < QUIET_NS)
		return;
	since = now;
	if (probes++ < PROBES) {
		get_count(&count);
		return;
	}
	is_reported = true;
	output_note(self, ACTIVITY_WARNING,
		    "CUPTI delivers no more records, so kernels, copies and calls are missing from here on: the program uses CUPTI itself, as torch.profiler does, or one kernel runs all the time; run it without that profiler");
}
