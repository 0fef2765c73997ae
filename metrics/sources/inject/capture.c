// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Selects the work to record: the kinds asked for, while gpmu enables recording and, with capture ranges, a range is
 * open. Markers and external ids are always recorded, because their begin and end may lie on both sides of a range's
 * edge. Graphs are always enabled, too: if GRAPH_TRACE is enabled after the program has made a graph, CUPTI 13.0 crashes
 * when the graph is launched. When gpmu ends, all kinds but graphs are disabled for good.
 *
 * CUPTI takes some 40 ms to enable or disable kinds, so they stay enabled for a while after a range, and work outside of
 * ranges is discarded by its time.
 *
 * gpmu's thread enables and disables kinds. If a range begins while kinds are disabled, the program's thread waits until
 * they are enabled; otherwise the first work of the range would be missing. CUPTI may hold a lock around its callback
 * that enabling needs, so the wait has a time limit. After it was exceeded once, kinds stay enabled and no range waits.
 * The lock of this file is never held around a call to CUPTI.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/raw_clock.h"
#include "inject.h"

static const struct capture_kind {
	uint32_t kind;
	enum activity_kind activity;
	enum { IN_RANGES, WHILE_READ, TO_THE_END } when;
	bool is_late;	/* only after cuInit() */
} kinds[] = {
	{ CUPTI_ACTIVITY_KIND_DEVICE, ACTIVITY_DEVICE, WHILE_READ, false },
	{ CUPTI_ACTIVITY_KIND_CONTEXT, ACTIVITY_CONTEXT, WHILE_READ, false },
	{ CUPTI_ACTIVITY_KIND_MARKER, ACTIVITY_MARKER, WHILE_READ, false },
	{ CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, ACTIVITY_EXTERNAL, WHILE_READ, false },
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ACTIVITY_KERNEL, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_MEMCPY, ACTIVITY_COPY, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_MEMCPY2, ACTIVITY_COPY, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_MEMSET, ACTIVITY_SET, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, ACTIVITY_GRAPH, TO_THE_END, false },
	{ CUPTI_ACTIVITY_KIND_RUNTIME, ACTIVITY_RUNTIME, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_DRIVER, ACTIVITY_DRIVER, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, ACTIVITY_SYNC, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_MEMORY2, ACTIVITY_MEMORY, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_MEMORY_POOL, ACTIVITY_MEMORY, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_OVERHEAD, ACTIVITY_OVERHEAD, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_OPENACC_DATA, ACTIVITY_OPENACC, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH, ACTIVITY_OPENACC, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_OPENACC_OTHER, ACTIVITY_OPENACC, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_JIT, ACTIVITY_MODULE, IN_RANGES, false },
	{ CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, ACTIVITY_UNIFIED, IN_RANGES, true },
	{ CUPTI_ACTIVITY_KIND_ENVIRONMENT, ACTIVITY_ENVIRONMENT, IN_RANGES, true },
};

#define LINGER_NS	UINT64_C(1000000000)
#define RANGE_WAIT_MS	500
#define RANGES		4096	/* remembered ranges, a power of 2 */
#define KINDS	ARRAY_SIZE(kinds)

/* Used by gpmu's thread, and before it exists by the start */
static bool is_kind_on[KINDS], is_refused[KINDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;	/* records */
static unsigned int open_ranges;
static bool is_on;		/* state last written to the channel */
static bool has_ended;		/* the last state was written */
static bool has_enabled_kinds;
static uint32_t state;		/* enum capture_state; atomic */
static uint32_t refused_kinds;	/* bits 1 << enum activity_kind; atomic */
static bool is_keeping_kinds;	/* after the end of a range */
static bool has_managed;	/* the program has allocated managed memory; atomic */
static uint64_t ended;		/* end of the last range */
static uint64_t from, until;	/* gpmu's recording, apart from ranges; 0: not begun or not ended */
static struct {
	uint64_t begin, end;	/* end is 0 while the range is open */
} ranges[RANGES];
static unsigned int range_count;	/* in all */

static bool is_asked_for(const struct inject *self, const struct capture_kind *kind)
{
	const struct channel_control *control = self->control;

	if (kind->kind == CUPTI_ACTIVITY_KIND_DEVICE || kind->kind == CUPTI_ACTIVITY_KIND_CONTEXT)
		return true;
	if (kind->activity == ACTIVITY_UNIFIED && control->managed_only && !__atomic_load_n(&has_managed, __ATOMIC_RELAXED))
		return false;
	/* With GRAPH_TRACE CUPTI has no records of a graph's nodes. */
	if (kind->kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && control->graph_nodes)
		return false;
	return control->kinds >> kind->activity & 1;
}

static bool is_enabled(const struct inject *self)
{
	return __atomic_load_n(&self->control->enabled, __ATOMIC_RELAXED) && channel_has_reader(self->control);
}

static bool is_open(const struct inject *self)
{
	return is_enabled(self) && (self->control->capture == CHANNEL_CAPTURE_ALL || open_ranges);
}

/* Returns whether kinds stay enabled although no range is open. */
static bool lingers(const struct inject *self)
{
	return is_enabled(self) && (is_keeping_kinds || (ended && raw_clock_now() - ended < LINGER_NS));
}

/* Disables calls without information. CUPTI may enable all calls again whenever a kind is enabled. */
static void leave_out_noise(struct inject *self)
{
	bool has_runtime = false, has_driver = false;
	uint32_t domain, cbid;

	for (size_t i = 0; i < KINDS; i++) {
		has_runtime = has_runtime || (is_kind_on[i] && kinds[i].kind == CUPTI_ACTIVITY_KIND_RUNTIME);
		has_driver = has_driver || (is_kind_on[i] && kinds[i].kind == CUPTI_ACTIVITY_KIND_DRIVER);
	}
	for (size_t i = 0; names_noise(i, &domain, &cbid); i++) {
		if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && has_runtime)
			self->api.runtime_api(cbid, 0);
		else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && has_driver)
			self->api.driver_api(cbid, 0);
	}
}

static int configure_unified(struct inject *self)
{
	static const uint32_t counters[] = {
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
	};
	CUpti_ActivityUnifiedMemoryCounterConfig config[ARRAY_SIZE(counters)];

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		config[i] = (CUpti_ActivityUnifiedMemoryCounterConfig){
			.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES,
			.kind = counters[i],
			.enable = 1,
		};
	return self->api.unified(config, ARRAY_SIZE(config));
}

static void enable(struct inject *self, size_t i)
{
	int code = 0;

	if (kinds[i].kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
		code = configure_unified(self);
	if (!code)
		code = self->api.enable(kinds[i].kind);
	if (code) {
		const char *text = NULL;

		is_refused[i] = true;
		__atomic_fetch_or(&refused_kinds, 1u << kinds[i].activity, __ATOMIC_RELAXED);
		if (self->api.text(code, &text) || !text)
			text = "an unknown error";
		output_note(self, ACTIVITY_WARNING, "CUPTI does not record activities of kind %u: %s",
			    kinds[i].kind, text);
		return;
	}
	is_kind_on[i] = true;
}

static void write_state(struct inject *self, bool is_begin)
{
	const struct activity_capture record = {
		{ sizeof(record), ACTIVITY_CAPTURE, 0 }, raw_clock_now(), is_begin, 0,
	};

	output_try(self, &record.head);
}

/* Writes a record if recording has begun or ended. */
static void look(struct inject *self)
{
	bool is_capturing = is_open(self);

	if (has_ended)
		return;
	if (is_capturing && !from)
		__atomic_store_n(&from, raw_clock_now(), __ATOMIC_RELAXED);
	if (is_capturing == is_on)
		return;
	__atomic_store_n(&until, is_capturing ? 0 : raw_clock_now(), __ATOMIC_RELAXED);
	write_state(self, is_capturing);
	is_on = is_capturing;
}

/* Enables the kinds of this and all later values of when, and disables the others */
static void set_kinds(struct inject *self, unsigned int when)
{
	bool is_ready = __atomic_load_n(&self->ready, __ATOMIC_ACQUIRE), is_enabled = false;

	for (size_t i = 0; i < KINDS && inject_is_alive(self); i++) {
		bool is_wanted = is_asked_for(self, &kinds[i]) && kinds[i].when >= when &&
				 (is_ready || !kinds[i].is_late);

		if (is_wanted && !is_kind_on[i] && !is_refused[i]) {
			enable(self, i);
			is_enabled = is_enabled || is_kind_on[i];
		} else if (!is_wanted && is_kind_on[i]) {
			self->api.disable(kinds[i].kind);
			is_kind_on[i] = false;
		}
	}
	if (is_enabled && inject_is_alive(self))
		leave_out_noise(self);
}

enum capture_state capture_state(enum activity_kind kind)
{
	if (__atomic_load_n(&refused_kinds, __ATOMIC_RELAXED) >> kind & 1)
		return CAPTURE_OFF;
	/* Graphs are always enabled. */
	return kind == ACTIVITY_GRAPH ? CAPTURE_ON : __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

static void set_state(enum capture_state now)
{
	__atomic_store_n(&state, now, __ATOMIC_SEQ_CST);
}

void capture_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	pthread_condattr_destroy(&attr);
}

bool capture_update(struct inject *self)
{
	bool is_capturing, has_some, has_managed_now;

	pthread_mutex_lock(&lock);
	look(self);
	is_capturing = is_on;
	has_managed_now = has_managed;
	has_some = is_capturing || lingers(self);
	/* Set first: a range that begins while kinds are being disabled waits. */
	has_enabled_kinds = has_enabled_kinds && has_some;
	pthread_mutex_unlock(&lock);
	if (has_some != (state == CAPTURE_ON))
		set_state(CAPTURE_SWITCHING);
	set_kinds(self, has_some ? IN_RANGES : channel_has_reader(self->control) ? WHILE_READ : TO_THE_END);
	set_state(has_some ? CAPTURE_ON : CAPTURE_OFF);
	pthread_mutex_lock(&lock);
	has_enabled_kinds = has_some && has_managed_now == has_managed;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return is_capturing;
}

void capture_end(struct inject *self)
{
	pthread_mutex_lock(&lock);
	if (is_on && !has_ended)
		write_state(self, false);
	has_ended = true;
	pthread_mutex_unlock(&lock);
}

static bool has_to_wait(const struct inject *self)
{
	return !has_enabled_kinds && !is_keeping_kinds && is_open(self) && inject_is_alive(self);
}

/*
 * Waits until kinds are enabled; false: for too long. Called in a thread of the program: cancellation is disabled, as the
 * thread must not end here.
 */
static bool wait_for_kinds(struct inject *self)
{
	struct timespec end;
	bool is_late = false;
	int state;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += RANGE_WAIT_MS * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	buffers_wake();
	pthread_mutex_lock(&lock);
	while (has_to_wait(self) && !is_late)
		is_late = pthread_cond_timedwait(&changed, &lock, &end) == ETIMEDOUT;
	is_late = is_late && has_to_wait(self);
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
	return !is_late;
}

static void keep_kinds(struct inject *self)
{
	pthread_mutex_lock(&lock);
	is_keeping_kinds = true;
	pthread_mutex_unlock(&lock);
	output_note(self, ACTIVITY_WARNING,
		    "the start of a capture range may be missing: CUPTI took more than %d ms to enable records; from now on they stay enabled",
		    RANGE_WAIT_MS);
}

void capture_range(struct inject *self, bool is_begin)
{
	bool is_waiting;

	pthread_mutex_lock(&lock);
	if (is_begin && !open_ranges++) {
		ranges[range_count % RANGES].begin = raw_clock_now();
		ranges[range_count++ % RANGES].end = 0;
	} else if (!is_begin && open_ranges && !--open_ranges) {
		ended = raw_clock_now();
		ranges[(range_count - 1) % RANGES].end = ended;
	}
	if (inject_is_alive(self))
		look(self);
	is_waiting = is_begin && has_to_wait(self);
	pthread_mutex_unlock(&lock);
	if (is_waiting && !wait_for_kinds(self))
		keep_kinds(self);
}

void capture_managed(struct inject *self)
{
	bool is_waiting;

	if (!self->control->managed_only || __atomic_load_n(&has_managed, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&lock);
	has_enabled_kinds = has_enabled_kinds && has_managed;
	__atomic_store_n(&has_managed, true, __ATOMIC_RELAXED);
	is_waiting = has_to_wait(self);
	pthread_mutex_unlock(&lock);
	if (is_waiting && !wait_for_kinds(self))
		output_note(self, ACTIVITY_WARNING,
			    "the first transfers of unified memory may be missing: CUPTI took more than %d ms to record "
			    "them; gpmu record --cuda=unified records them from the start", RANGE_WAIT_MS);
}

bool capture_has(const struct inject *self, uint64_t time)
{
	bool is_found = false;

	if (self->control->capture == CHANNEL_CAPTURE_ALL) {
		uint64_t begin = __atomic_load_n(&from, __ATOMIC_RELAXED);
		uint64_t end = __atomic_load_n(&until, __ATOMIC_RELAXED);

		return begin && time >= begin && (!end || time <= end);
	}
	pthread_mutex_lock(&lock);
	for (unsigned int i = range_count; i && range_count - i < RANGES && !is_found; i--) {
		uint64_t end = ranges[(i - 1) % RANGES].end;

		/* Earlier ranges ended even earlier. */
		if (end && end < time)
			break;
		is_found = ranges[(i - 1) % RANGES].begin <= time;
	}
	pthread_mutex_unlock(&lock);
	return is_found;
}

bool capture_wants(const struct inject *self, enum channel_capture capture, const char *name)
{
	if (self->control->capture != capture)
		return false;
	if (!*self->control->range && capture == CHANNEL_CAPTURE_REGION)
		return true;
	return !strncmp(self->control->range, name, sizeof(self->control->range));
}
