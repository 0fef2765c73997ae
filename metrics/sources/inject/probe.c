// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Detects a program that uses CUPTI itself without a subscription, of which CUPTI gives no notice.
 *
 * It registers its own buffers in place of ours, or ends CUPTI. If no buffer has come for a while, and when the process
 * ends, the probe makes a call that is recorded.
 *
 * It registers a clock in place of ours, which CUPTI then uses for our records, too.
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
static bool is_reported, has_foreign_clock, is_at_end;
static uint32_t thread;

bool probe_is_ours(uint32_t tid)
{
	return thread && tid == thread;
}

static bool can_probe(const struct inject *self)
{
	void *driver;

	if (is_reported || has_foreign_clock || !__atomic_load_n(&self->ready, __ATOMIC_ACQUIRE) || !inject_is_alive(self) ||
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

/* Asks CUPTI for the time, which is between two readings of our clock unless the program has registered another one. */
bool probe_clock_is_ours(struct inject *self)
{
	const uint64_t before = raw_clock_now();
	uint64_t time;

	if (!self->api.timestamp || has_foreign_clock || !inject_is_alive(self) || self->api.timestamp(&time))
		return !has_foreign_clock;
	if (time >= before && time <= raw_clock_now())
		return true;
	has_foreign_clock = true;
	output_note(self, ACTIVITY_WARNING,
		    "the program has given CUPTI another clock, so kernels, copies and calls are not recorded from here on; run it without its own profiler");
	return false;
}

void probe_begin_end(struct inject *self)
{
	int count;

	completed = buffers_completed();
	/* Without a buffer CUPTI would drop the record. The call fails if the driver has ended. */
	is_at_end = can_probe(self) && !buffers_were_short() && capture_state(ACTIVITY_DRIVER) == CAPTURE_ON &&
		    !get_count(&count);
}

static bool has_subscription(const struct inject *self)
{
	uint32_t is_enabled;

	return !self->api.callback_state || !self->api.callback_state(&is_enabled, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE,
								      CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
}

void probe_end(struct inject *self)
{
	if (!is_at_end || buffers_completed() != completed || !inject_is_alive(self))
		return;
	is_reported = true;
	output_note(self, ACTIVITY_WARNING,
		    has_subscription(self) ?
		    "CUPTI did not deliver the record of a call when the process ended, so kernels, copies and calls before it may be missing; a program that uses CUPTI itself can cause this" :
		    "CUPTI has ended in this process, so kernels, copies and calls are missing from then on; PC sampling that fails, or a program that uses CUPTI itself, can cause this");
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
		    "CUPTI delivers no more records, so kernels, copies and calls are missing from here on: the program uses CUPTI itself, or one kernel runs all the time; run it without its profiler");
}
